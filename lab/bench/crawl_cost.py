"""What templcrawl costs a crawl: CPU a page with the add-on and without it, links extracted in both.

    python -m lab.bench.crawl_cost [--sets NAME ...] [--ways NAME ...] [--rounds 5] [--hosts 1500]
    python -m lab.bench.crawl_cost --corpora FOLDER --sites NAME ... [--pages 150] [--sets]

Saved sites come after the generated sets; ``--sets`` without a name leaves these out.

Each crawl runs in a process of its own (:mod:`lab.bench.cost_crawl`): an asyncio reactor, Scrapy's
scheduler, queues and downloader, pages from memory.  Rounds are interleaved; a ratio is the median of the
ratios of the rounds, beside the least and the most of them.

bare, stripped   with the add-on; no field of an item is filled, or its text is
Python           with the add-on, pages read by Python; else by the native kernel, if there is one
no order         with ``TEMPLCRAWL_ORDER = "off"``
follows nothing  links are extracted, but no request is made of them, without the add-on and with it
JOBDIR           with a folder of the job, without the add-on and with it
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from rich.table import Table

from lab.bench.cost_crawl import Cost, Pages
from lab.bench.kept_tables import keep_tables
from lab.bench.options import add_figures, add_pages, add_sites, asked_sites, at_least_one, new_parser
from lab.bench.page_sets import LARGE, MEDIUM, SMALL, generated, link_dense
from lab.bench.tables import show
from lab.sites.fixed_salt import FIXED_SALT
from templcrawl.page import kernel

_PAGES = 150
_HOSTS = 1_500
_PAGES_A_HOST = 3
_SIZES = {"6KB": SMALL, "25KB": MEDIUM, "90KB": LARGE}
_LINKS, _MANY = "links", "hosts"
_SETS = (*_SIZES, _LINKS, _MANY)

_BARE = {"ADDONS": {"templcrawl.Addon": 500}, **FIXED_SALT}
_TEXT = {**_BARE, "TEMPLCRAWL_ITEM_FIELDS": {"content_text": "content_text"}}
_JOB: dict[str, Any] = {"JOBDIR": "job"}
_NO_ORDER = {"TEMPLCRAWL_ORDER": "off"}
_PYTHON, _IN_JOB, _NOT_FOLLOWING = "Python", "JOBDIR", "follows nothing"
_EXTRACTS = {"COST_FOLLOWS": False}
_WITHOUT = "without"
_WAYS: Mapping[str, Mapping[str, Any]] = {
    _WITHOUT: {},
    "bare": _BARE,
    "stripped": _TEXT,
    "bare, no order": {**_BARE, **_NO_ORDER},
    f"bare, {_PYTHON}": _BARE,
    f"stripped, {_PYTHON}": _TEXT,
    f"{_WITHOUT}, {_NOT_FOLLOWING}": _EXTRACTS,
    f"bare, {_NOT_FOLLOWING}": {**_BARE, **_EXTRACTS},
    f"bare, {_PYTHON}, {_NOT_FOLLOWING}": {**_BARE, **_EXTRACTS},
    f"{_WITHOUT}, {_IN_JOB}": _JOB,
    f"bare, {_IN_JOB}": {**_BARE, **_JOB},
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print CPU a page and the ratio, for each set of pages."""
    options = _parse(arguments)
    table = Table(
        "pages",
        "crawl",
        "CPU ms a page",
        "ratio",
        "least to most",
        "of it observing, ms",
        title=f"Cost of a crawl; {_reader()}",
    )
    for name, pages in _page_sets(options):
        for row in _rows(name, len(pages), _costs(pages, options.ways, options.rounds)):
            table.add_row(*row)
    show(table)
    keep_tables(options.figures, {"ratios": table})


def _reader() -> str:
    """Return what reads pages where it is not Python that is asked for."""
    return "the native kernel reads pages" if kernel.is_native("auto") else "Python reads all pages"


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = new_parser("lab.bench.crawl_cost", __doc__, corpora=False)
    add_sites(parser)
    add_pages(parser, _PAGES)
    parser.add_argument("--sets", nargs="*", choices=_SETS, default=list(_SETS), help="generated pages")
    parser.add_argument("--ways", nargs="+", choices=_WAYS, default=list(_WAYS), help="how it is crawled")
    parser.add_argument("--hosts", metavar="N", type=int, default=_HOSTS, help="of the set of many hosts")
    parser.add_argument(
        "--rounds", metavar="N", type=at_least_one, default=5, help="crawls of each kind (default 5)"
    )
    add_figures(parser)
    options = parser.parse_args(arguments)
    options.saved = asked_sites(parser, options) if options.corpora else []
    return options


def _page_sets(options: argparse.Namespace) -> Iterator[tuple[str, Pages]]:
    """Yield name and pages of each set, the first page of each host before its others."""
    for name in options.sets:
        if name in _SIZES:
            yield name, generated(_SIZES[name], _PAGES)
        elif name == _LINKS:
            yield "97KB, 650 links", link_dense(_PAGES)
        else:
            yield f"6KB, {options.hosts:,} hosts", list(_of_many_hosts(options.hosts))
    for site in options.saved:
        yield site.name, [(saved.url, saved.page.text) for saved in site.pages(options.pages)]


def _of_many_hosts(hosts: int) -> Iterator[tuple[str, str]]:
    pages = generated(SMALL, _PAGES_A_HOST)
    for number in range(hosts):
        for url, html in pages:
            yield url.replace("bench.example", f"bench-{number}.example"), html


def _costs(pages: Pages, ways: Sequence[str], rounds: int) -> dict[str, list[Cost]]:
    """Return way -> what each of its crawls cost."""
    costs: dict[str, list[Cost]] = {way: [] for way in ways}
    with TemporaryDirectory() as folder:
        path = Path(folder, "pages")
        path.write_bytes(pickle.dumps(pages))
        for number in range(rounds):
            for way in ways:
                settings = dict(_WAYS[way])
                if "JOBDIR" in settings:
                    settings["JOBDIR"] = str(Path(folder, f"{way} {number}"))
                costs[way].append(_crawl(path, settings, "off" if _PYTHON in way else "auto"))
    return costs


def _crawl(path: Path, settings: Mapping[str, Any], reader: str) -> Cost:
    """Crawl in a new process, pages read by a reader; return what it cost."""
    command = [sys.executable, "-m", "lab.bench.cost_crawl", str(path), json.dumps(settings)]
    environment = {**os.environ, kernel.SETTING: reader}
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if run.returncode:
        raise RuntimeError(f"{settings}: {run.stderr[-2_000:]}")
    return Cost(*json.loads(run.stdout.splitlines()[-1]))


def _rows(name: str, pages: int, costs: Mapping[str, Sequence[Cost]]) -> Iterator[Sequence[str]]:
    """Yield a row of the table a way; raises RuntimeError if a base's have read other pages, or few."""
    read = {(_base_of(way), cost.pages) for way, of_way in costs.items() for cost in of_way}
    if len(read) != len({base for base, _ in read}) or 2 * min(count for _, count in read) < pages:
        raise RuntimeError(f"the crawls of {name} have read {sorted(read)} of {pages} pages")
    for way, of_way in costs.items():
        ratios = [cost.seconds / base.seconds for cost, base in zip(of_way, costs.get(_base_of(way), []))]
        yield (
            name,
            way,
            f"{median(cost.each for cost in of_way):.2f}",
            f"{median(ratios):.2f}" if ratios else "",
            f"{min(ratios):.2f} to {max(ratios):.2f}" if ratios else "",
            f"{median(1000 * cost.observing / cost.pages for cost in of_way):.2f}",
        )


def _base_of(way: str) -> str:
    """Return the way without the add-on that a way is compared with.

    >>> _base_of("bare, JOBDIR"), _base_of("bare, no order")
    ('without, JOBDIR', 'without')
    """
    kinds = (kind for kind in (_IN_JOB, _NOT_FOLLOWING) if way.endswith(kind))
    return ", ".join((_WITHOUT, *kinds))


if __name__ == "__main__":
    main()
