"""What do the pages of a host bring to each other in a data pipeline, and what does a million pages cost?

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
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from runpy import run_path
from statistics import fmean
from typing import Any, NamedTuple

from lab.bench.measures import score
from lab.bench.options import asked_sites, new_parser
from lab.bench.saved_sites import Words, words_of
from lab.bench.site_runs import MIN_GOLD
from lab.bench.tables import report, table_of

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "host_texts.py"
SIZES = (1, 2, 5, 10, 25, 50, 100)
"""Pages of a host."""


class _Site(NamedTuple):
    """The pages of a site as the stage is given them, and the words of their content."""

    pages: list[tuple[str, str]]
    golds: list[Words]


def measure(sites: Iterable[_Site], size: int, stage: Callable[..., Any]) -> tuple[float, float]:
    """Cut the pages of each site into hosts of a size; return the mean F1 of the sites, and CPU seconds."""
    means: list[float] = []
    seconds = 0.0
    for pages, golds in sites:
        began = time.process_time()
        hosts = (pages[at : at + size] for at in range(0, len(pages), size))
        texts = [found.text for host in hosts for found in stage(host)]
        seconds += time.process_time() - began
        scores = [
            score(words_of(text), gold).f1 for text, gold in zip(texts, golds) if gold.total() >= MIN_GOLD
        ]
        means += [fmean(scores)] if scores else []
    return fmean(means), seconds


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.stage", __doc__, "--corpora! --sites --pages=100 --figures")
    options = parser.parse_args(arguments)
    sites = []
    for site in asked_sites(parser, options):
        read = list(site.pages(options.pages))
        pages = [(saved.page.text, saved.url) for saved in read]
        sites.append(_Site(pages, [words_of(saved.gold or "") for saved in read]))
    pages = [page for site in sites for page in site.pages]
    stage, rows = run_path(str(EXAMPLE))["host_texts"], []
    for size in SIZES:
        f1, seconds = measure(sites, size, stage)
        hours = seconds / len(pages) * 1e6 / 3600
        rows.append((size, f"{f1:.3f}", f"{len(pages) / seconds:,.0f}", f"{hours:.1f}"))
        print(f"{size} pages of a host: {f1:.3f}", file=sys.stderr, flush=True)
    heads = ("pages of a host", "F1", "pages a CPU second", "CPU hours a million")
    volume = sum(len(html) for html, _ in pages)
    title = f"{len(pages):,} pages of {volume / len(pages) / 1000:.0f} KB"
    report({"stage": table_of(title, heads, rows)}, options.figures)


if __name__ == "__main__":
    main()
