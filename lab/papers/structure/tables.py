"""The results as tables, laid out like the paper's Tables 4 and 5 (classification) and 6 (clustering)."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from lab.papers.structure.experiments import Result
from lab.papers.structure.shape import FOLDS
from lab.papers.structure.type_classes import TypeResult


def _table(title: str, columns: Sequence[str]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("method")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _speed(value: float) -> str:
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def classification_table(results: Sequence[Result]) -> Table:
    """Show precision, recall and F1 by both rules."""
    nearest = ["precision", "recall", "F1"]
    each = ["precision, each", "recall, each", "F1, each", "accuracy, each"]
    title = "Sites found, by the nearest page and by each class for itself"
    table = _table(title, ["sites", "pages", *nearest, *each, "pages/s"])
    for method, sites, pages, (nearest_page, each_class), speed in results:
        shares = [f"{share:.4f}" for share in (*nearest_page[:3], *each_class)]
        table.add_row(method, str(sites), f"{pages:,}", *shares, _speed(speed))
    return table


def clustering_table(title: str, results: Sequence[Result]) -> Table:
    """Show the scores of clusterings."""
    table = _table(title, ["sites", "pages", "clusters", "RI", "ARI", "purity", "F1", "pages/s"])
    for method, sites, pages, (score,), speed in results:
        shares = [f"{share:.4f}" for share in (score.rand, score.ari, score.purity, score.f1)]
        table.add_row(
            method,
            str(sites),
            f"{pages:,}",
            f"{score.clusters:,.1f}".removesuffix(".0"),
            *shares,
            _speed(speed),
        )
    return table


def type_table(results: Sequence[TypeResult]) -> Table:
    """Show how well page types are told from examples, and pages of no known type."""
    columns = ["sites", "pages", "accuracy", "precision", "recall", "F1", "wrongly none", "none found"]
    title = "Site by site, the class is the page type, learned from examples: means over the sites"
    table = _table(title, ["examples", *columns, "pages/s"])
    for method, setting, sites, pages, scores, speed in results:
        examples = "9 folds" if setting == FOLDS else str(setting)
        shares = [f"{share:.4f}" for share in scores]
        table.add_row(method, examples, str(sites), f"{pages:,}", *shares, _speed(speed))
    return table
