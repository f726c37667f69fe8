"""What do page types and fingerprints cost a page?

    python -m benchmarks.structure.speed [--corpora FOLDER] [--pages 100]

Stage by stage, each working on what the stages before it left; every site has page types and an index of
its own, empty at the start of a round, so refits are in the figures.  What the process knows of tags and
runs is forgotten before each round.  The last column is for a page of 50 KB: time over size.

Without a folder, 40 generated pages of one template are read: there are few leaves to compare with.

Cost: three rounds; the pages of one site are held in memory at a time.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.table import Table

from benchmarks import speed
from benchmarks.options import add_json, new_parser
from benchmarks.page_sets import generated
from benchmarks.separation import show
from benchmarks.structure.page_sets import read_sites
from benchmarks.timing import side_by_side
from templcrawl import Page
from templcrawl.algorithms.fingerprints.fingerprint import template_fingerprint
from templcrawl.algorithms.fingerprints.index import FingerprintIndex
from templcrawl.memory.page_types import PageTypes
from templcrawl.page import structure
from templcrawl.page.known import Known

SIZE = 50_000
_ROUNDS = 3


class Times(NamedTuple):
    """Stage -> CPU milliseconds of all pages of a site; how many they are, and their characters."""

    stages: dict[str, float]
    pages: int
    characters: int


def forget() -> None:
    """Forget what the process knows of tags and runs, those of the structure too."""
    speed.forget()
    for value in vars(structure).values():
        if isinstance(value, Known):
            value.clear()


def time_site(texts: Sequence[str]) -> Times:
    """Time every stage on the pages of one site."""
    ready = [Page(text, "") for text in texts]
    features = [page.structure for page in ready]
    prints = [template_fingerprint(text) for text in texts]
    types, index, index_alone = PageTypes(), FingerprintIndex(), FingerprintIndex()

    def restart() -> None:
        nonlocal types, index, index_alone
        types, index, index_alone = PageTypes(), FingerprintIndex(), FingerprintIndex()
        forget()

    def anew(number: int, name: str) -> object:
        ready[number].__dict__.pop(name)
        return getattr(ready[number], name)

    ways: dict[str, Callable[[int], object]] = {
        "tokens": lambda n: anew(n, "tokens"),
        "elements": lambda n: anew(n, "elements"),
        "structure features": lambda n: anew(n, "structure"),
        "observe": lambda n: types.observe(features[n]),
        "fingerprint": lambda n: template_fingerprint(texts[n]),
        "index": lambda n: index_alone.add(prints[n]),
        "fingerprint and index": lambda n: index.add(template_fingerprint(texts[n])),
    }
    found = side_by_side(ways, range(len(texts)), _ROUNDS, before=restart)
    return Times(
        {stage: each * len(texts) for stage, each in found.items()}, len(texts), sum(map(len, texts))
    )


def total(times: Iterable[Times]) -> Times:
    """Add the sites up."""
    sites = list(times)
    stages = {stage: sum(one.stages[stage] for one in sites) for stage in sites[0].stages}
    return Times(stages, sum(one.pages for one in sites), sum(one.characters for one in sites))


def times_table(times: Times) -> Table:
    """Return the stages as a table."""
    size = times.characters / times.pages / 1000
    title = f"Structure of a page: {times.pages:,} pages of {size:.0f} KB"
    table = Table("stage", title=title, title_justify="left")
    for head in ("ms a page", "pages/s", f"ms a page of {SIZE // 1000} KB"):
        table.add_column(head, justify="right")
    for stage, spent in times.stages.items():
        each = max(spent / times.pages, 1e-9)
        table.add_row(stage, f"{each:.3f}", f"{1000 / each:,.0f}", f"{spent * SIZE / times.characters:.3f}")
    return table


def _parser() -> argparse.ArgumentParser:
    parser = new_parser("benchmarks.structure.speed", __doc__, corpora=False)
    add = parser.add_argument
    add("--pages", metavar="N", type=int, default=100, help="pages of a site (default 100)")
    add_json(parser)
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Time the stages and print the table."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.pages < 1:
        parser.error("--pages is 1 or more")
    sites: Iterator[list[str]]
    if options.corpora:
        sites = ([page.text for page in site.pages] for site in read_sites(options.corpora, options.pages))
    else:
        sites = iter([[html for _, html in generated(SIZE, min(options.pages, 40))]])
    found = [time_site(texts) for texts in sites if texts]
    if not found:
        parser.error("no sites in the folder")
    times = total(found)
    show(times_table(times))
    if options.json:
        options.json.write_text(json.dumps(times._asdict(), indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
