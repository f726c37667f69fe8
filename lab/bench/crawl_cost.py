"""The cost of templcrawl in a crawl: CPU a page with and without the add-on, links extracted in both.

Saved sites come after the generated sets; ``--sets`` without a name leaves these out.

Each crawl runs in a process of its own (:mod:`lab.bench.crawl`): an asyncio reactor, Scrapy's scheduler,
queues and downloader, pages from memory.  It begins with the first page of each host, and follows the links
to whatever is a page of the set.  Rounds are interleaved; a ratio is the median of the ratios of the rounds,
beside the least and the most of them.

bare, stripped   with the add-on; no field of an item is filled, or its text is
Python           with the add-on, pages read by Python; else by the native kernel, if there is one
no order         with ``TEMPLCRAWL_ORDER = "off"``
follows nothing  links are extracted, but no request is made of them, without the add-on and with it
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from lab.bench.crawl import ADDON, Crawled, Pages, crawl
from lab.bench.generated import LARGE, MEDIUM, SMALL, generated, link_dense
from lab.bench.options import add_number, asked_sites, new_parser
from lab.bench.tables import report, table_of
from templcrawl import Page
from templcrawl.page import kernel

_PAGES = 150  # of a generated set
_PAGES_A_HOST = 3
_SIZES = {"6KB": SMALL, "25KB": MEDIUM, "90KB": LARGE}
_SETS = (*_SIZES, "links", "hosts")

_TEXT = {**ADDON, "TEMPLCRAWL_ITEM_FIELDS": {"content_text": "content_text"}}
_PYTHON, _FOLLOWS_NOTHING = "Python", "follows nothing"
_WITHOUT = "without"
_WAYS: Mapping[str, Mapping[str, Any]] = {
    _WITHOUT: {},
    "bare": ADDON,
    "stripped": _TEXT,
    "bare, no order": {**ADDON, "TEMPLCRAWL_ORDER": "off"},
    f"bare, {_PYTHON}": ADDON,
    f"stripped, {_PYTHON}": _TEXT,
    f"{_WITHOUT}, {_FOLLOWS_NOTHING}": {},
    f"bare, {_FOLLOWS_NOTHING}": ADDON,
    f"bare, {_PYTHON}, {_FOLLOWS_NOTHING}": ADDON,
}

PageSet = list[tuple[str, str]]
"""URL and HTML of each page, the first page of each host before its others."""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.crawl_cost", __doc__, "--corpora --sites --pages=150 --figures")
    parser.add_argument("--sets", nargs="*", choices=_SETS, default=list(_SETS), help="generated pages")
    parser.add_argument("--ways", nargs="+", choices=_WAYS, default=list(_WAYS), help="how it is crawled")
    add_number(parser, "--hosts", 1_500, "of the set of many hosts")
    add_number(parser, "--rounds", 5, "crawls of each kind")
    options = parser.parse_args(arguments)
    options.saved = asked_sites(parser, options) if options.corpora else []
    reader = "the native kernel reads pages" if kernel.is_native("auto") else "Python reads all pages"
    heads = ("pages", "crawl", "CPU ms a page", "ratio", "least to most", "of it observing, ms")
    rows = [
        row
        for name, pages in _page_sets(options)
        for row in _rows(name, len(pages), _crawls(pages, options.ways, options.rounds))
    ]
    report({"ratios": table_of(f"Cost of a crawl; {reader}", heads, rows, left=2)}, options.figures)


def _page_sets(options: argparse.Namespace) -> Iterator[tuple[str, PageSet]]:
    for name in options.sets:
        if name in _SIZES:
            yield name, generated(_SIZES[name], _PAGES)
        elif name == "links":
            yield "97KB, 650 links", link_dense(_PAGES)
        else:
            yield (
                f"6KB, {options.hosts:,} hosts",
                [
                    (url.replace("bench.example", f"bench-{number}.example"), html)
                    for number in range(options.hosts)
                    for url, html in generated(SMALL, _PAGES_A_HOST)
                ],
            )
    for site in options.saved:
        yield site.name, [(saved.url, saved.page.text) for saved in site.pages(options.pages)]


def _crawls(pages: PageSet, ways: Sequence[str], rounds: int) -> dict[str, list[Crawled]]:
    page_of = {_name(url): url for url, _ in pages}
    targets = {
        url: [page_of[_name(link)] for link in Page(html, url).links.urls if _name(link) in page_of]
        for url, html in pages
    }
    first = {url.split("/")[2]: url for url, _ in reversed(pages)}
    bodies = dict(pages)
    followed = Pages([*reversed(first.values())], bodies, targets)
    listed = Pages([*reversed(bodies)], bodies, {})
    crawls: dict[str, list[Crawled]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way in ways:
            site = listed if _FOLLOWS_NOTHING in way else followed
            reader = {kernel.SETTING: "off" if _PYTHON in way else "auto"}
            crawls[way].append(crawl(site, _WAYS[way], environment=reader))
    return crawls


def _name(url: str) -> str:
    """Return a URL without what differs between a link and the address of a page.

    >>> _name("http://a.example/b.html#c"), _name("http://a.example/b/index.html")
    ('a.example/b', 'a.example/b')
    """
    path = url.partition("#")[0].partition("://")[2]
    return path.removesuffix("index.html").removesuffix(".html").rstrip("/")


def _rows(name: str, pages: int, crawls: Mapping[str, Sequence[Crawled]]) -> Iterator[Sequence[str]]:
    """Yield a row of the table a way; raises RuntimeError if a base's have read other pages, or few."""
    read = {(_base_of(way), len(crawled.pages)) for way, of_way in crawls.items() for crawled in of_way}
    if len(read) != len({base for base, _ in read}) or 2 * min(count for _, count in read) < pages:
        raise RuntimeError(f"the crawls of {name} have read {sorted(read)} of {pages} pages")
    for way, of_way in crawls.items():
        bases = crawls.get(_base_of(way), [])
        ratios = [crawled.end["cpu"] / base.end["cpu"] for crawled, base in zip(of_way, bases)]
        observing = (one.stats.get("templcrawl/seconds", 0.0) / len(one.pages) for one in of_way)
        yield (
            name,
            way,
            f"{median(1000 * one.end['cpu'] / len(one.pages) for one in of_way):.2f}",
            f"{median(ratios):.2f}" if ratios else "",
            f"{min(ratios):.2f} to {max(ratios):.2f}" if ratios else "",
            f"{1000 * median(observing):.2f}",
        )


def _base_of(way: str) -> str:
    """Return the way without the add-on that a way is compared with.

    >>> _base_of("bare, Python, follows nothing"), _base_of("bare, no order")
    ('without, follows nothing', 'without')
    """
    return f"{_WITHOUT}, {_FOLLOWS_NOTHING}" if way.endswith(_FOLLOWS_NOTHING) else _WITHOUT


if __name__ == "__main__":
    main()
