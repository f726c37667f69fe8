"""How good the page types of leaves are: site by site, and means over all sites and over each group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.table import Table

from lab.bench.page_types.typed_sites import Quality, mean_quality

QualityOf = Mapping[str, tuple[str, Quality]]
"""Site -> its group, and how good its page types are at the end."""


def quality_table(by_setting: Mapping[str, QualityOf]) -> Table:
    """Return ARI / purity of each site, then the means over all and over each group, by each setting."""
    table = Table(title="Page types at the end of the crawl, ARI / purity", title_justify="left")
    for head in ("site", "group"):
        table.add_column(head)
    for setting in by_setting:
        table.add_column(f"{setting} leaf".strip(), justify="right", no_wrap=True)
    sites = next(iter(by_setting.values()))
    for site, (group, _) in sites.items():
        table.add_row(site, group, *_cells(qualities[site][1] for qualities in by_setting.values()))
    for group in ("", *dict.fromkeys(group for group, _ in sites.values())):
        parts = [
            [quality for of, quality in qualities.values() if group in ("", of)]
            for qualities in by_setting.values()
        ]
        table.add_row(f"mean of {len(parts[0])}", group or "all", *_cells(map(mean_quality, parts)))
    return table


def _cells(qualities: Iterable[Quality]) -> list[str]:
    return [f"{quality.ari:.3f} / {quality.purity:.3f}" for quality in qualities]
