"""What do the pages of a host bring to each other in a data pipeline, and what does a million pages cost?

    python -m lab.bench.stage --corpora FOLDER

The first pages of each site are cut into hosts of 1, 2, 5, 10, 25, 50 and 100 pages, in their order, and
each host goes through ``docs/examples/host_texts.py``.  So the same pages are scored in each row, with more
pages of their host beside them from row to row.

F1 as in :mod:`lab.bench.separation`: mean over the pages of a site that have 30 words of content, then over
sites.  CPU seconds are those of one process, from HTML to text, without reading files.  The hours of a
million pages like these are an estimate.

Cost: each page is read twice a row.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from rich.table import Table

from lab.bench.measures import score
from lab.bench.options import asked_sites, new_parser
from lab.bench.saved_sites import Words, words_of
from lab.bench.site_runs import LEAST_GOLD
from lab.bench.tables import report, table_of

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "host_texts.py"
SIZES = (1, 2, 5, 10, 25, 50, 100)
"""Pages of a host."""


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


def stage_table(rows: dict[int, Row]) -> Table:
    """Return a row a size."""
    some = next(iter(rows.values()))
    cells = [
        (size, f"{row.f1:.3f}", f"{row.pages / row.seconds:,.0f}", f"{row.hours:.1f}")
        for size, row in rows.items()
    ]
    heads = ("pages of a host", "F1", "pages a CPU second", "CPU hours a million")
    return table_of(f"{some.pages:,} pages of {some.size / some.pages / 1000:.0f} KB", heads, cells)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.stage", __doc__, "--corpora! --sites --pages=100 --figures")
    options = parser.parse_args(arguments)
    sites = []
    for site in asked_sites(parser, options):
        read = list(site.pages(options.pages))
        pages = [(saved.page.text, saved.url) for saved in read]
        sites.append(_Site(pages, [words_of(saved.gold or "") for saved in read]))
    stage, rows = load_stage(), {}
    for size in SIZES:
        rows[size] = measure(sites, size, stage)
        print(f"{size} pages of a host: {rows[size]}", file=sys.stderr, flush=True)
    report({"stage": stage_table(rows)}, options.figures)


if __name__ == "__main__":
    main()
