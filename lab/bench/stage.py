"""What do the pages of a host bring to each other in a data pipeline, and what does a million pages cost?

    python -m lab.bench.stage --corpora FOLDER

The first pages of each site are cut into hosts of 1, 2, 5, 10, 25, 50 and 100 pages, in their order, and
each host goes through ``docs/examples/host_texts.py``.  So the same pages are scored in each row, with more
pages of their host beside them from row to row.

F1 as in :mod:`lab.bench.separation_tables`: mean over the pages of a site that have 30 words of content,
then over sites.  CPU seconds are those of one process, from HTML to text, without reading files.  Cost is an
estimate: a million pages like these, at a price of an hour of one processor that you may set (``--price``).

Cost: each page is read twice a row.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from rich.table import Table

from lab.bench.kept_tables import keep_tables
from lab.bench.metrics import score
from lab.bench.options import add_figures, add_json, add_pages, add_sites, asked_sites, new_parser
from lab.bench.saved_sites import SavedSite, Words, words_of
from lab.bench.site_runs import LEAST_GOLD
from lab.bench.tables import show

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "host_texts.py"
SIZES = (1, 2, 5, 10, 25, 50, 100)
"""Pages of a host."""

PRICE = 0.05
"""Dollars an hour of one processor, as a round figure for a rented machine."""


class Row(NamedTuple):
    """What hosts of one size gave.

    f1       mean over the sites
    pages    that were read
    size     characters of their HTML
    seconds  CPU time
    """

    f1: float
    pages: int
    size: int
    seconds: float

    @property
    def hours(self) -> float:
        """CPU hours of a million pages."""
        return self.seconds / self.pages * 1e6 / 3600


def load_stage() -> Any:
    """Return the example as a module."""
    spec = spec_from_file_location("host_texts", EXAMPLE)
    if spec is None or spec.loader is None:
        raise ImportError(EXAMPLE)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class _Site(NamedTuple):
    """The pages of a site as the stage is given them, and the words of their content."""

    pages: list[tuple[str, str]]
    golds: list[Words]


def _read(site: SavedSite, limit: int) -> _Site:
    saved = list(site.pages(limit))
    return _Site([(one.page.text, one.url) for one in saved], [words_of(one.gold or "") for one in saved])


def measure(sites: Iterable[_Site], size: int, stage: Any) -> Row:
    """Cut the pages of each site into hosts of a size and score what the stage makes of them."""
    means: list[float] = []
    count = volume = 0
    began = time.process_time()
    scoring = 0.0
    for pages, golds in sites:
        texts = list(_texts(pages, size, stage))
        scored = time.process_time()
        scores = [
            score(words_of(text), gold).f1 for text, gold in zip(texts, golds) if gold.total() >= LEAST_GOLD
        ]
        means += [fmean(scores)] if scores else []
        count += len(pages)
        volume += sum(len(html) for html, _ in pages)
        scoring += time.process_time() - scored
    return Row(fmean(means), count, volume, time.process_time() - began - scoring)


def _texts(pages: Sequence[tuple[str, str]], size: int, stage: Any) -> Iterator[str]:
    for at in range(0, len(pages), size):
        yield from (found.text for found in stage.host_texts(pages[at : at + size]))


def stage_table(rows: dict[int, Row], price: float) -> Table:
    """Return a row a size."""
    some = next(iter(rows.values()))
    table = Table(
        title=f"{some.pages:,} pages of {some.size / some.pages / 1000:.0f} KB", title_justify="left"
    )
    table.add_column("pages of a host")
    for head in ("F1", "pages a CPU second", "CPU hours a million", "dollars a million"):
        table.add_column(head, justify="right")
    for size, row in rows.items():
        table.add_row(
            str(size),
            f"{row.f1:.3f}",
            f"{row.pages / row.seconds:,.0f}",
            f"{row.hours:.1f}",
            f"{row.hours * price:.2f}",
        )
    return table


def _parser() -> argparse.ArgumentParser:
    parser = new_parser("lab.bench.stage", __doc__, corpora=True)
    add = parser.add_argument
    add_sites(parser)
    add_pages(parser, 100)
    add("--price", metavar="DOLLARS", type=float, default=PRICE, help=f"of a CPU hour (default {PRICE})")
    add_json(parser)
    add_figures(parser)
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure each size and print the table."""
    parser = _parser()
    options = parser.parse_args(arguments)
    sites = [_read(site, options.pages) for site in asked_sites(parser, options)]
    stage, rows = load_stage(), {}
    for size in SIZES:
        rows[size] = measure(sites, size, stage)
        print(f"{size} pages of a host: {rows[size]}", file=sys.stderr, flush=True)
    show(table := stage_table(rows, options.price))
    keep_tables(options.figures, {"stage": table})
    if options.json:
        figures = {size: row._asdict() for size, row in rows.items()}
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
