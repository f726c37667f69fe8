"""Does a crawl that is run again keep its promise?  Real crawls of generated sites, week by week.

Each site (:mod:`lab.sites.weekly`) is crawled by Scrapy with the order ``changes`` in one store, each crawl a
week after the one before (see :mod:`lab.bench.crawl`).  Means over the re-crawls from the second on; columns
are those of :mod:`lab.papers.revisits`, but that requests include those for robots.txt and sitemaps.

bytes       of all answers, with their headers, by those of all pages without headers
honest      validators change with the bytes of a page; lying: they never change
sitemap     robots.txt names one, whose lastmod is true (or lies: each page changes every day)

Cost: 5 ms a page for each crawl.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from xxhash import xxh3_64_hexdigest

from lab.bench.crawl import ADDON, Answer, Pages, crawl, in_processes
from lab.bench.options import add_number, new_parser
from lab.bench.tables import report, table_of
from lab.papers.revisits import HEADS, Crawled, cells_of, judged, row_of
from lab.sites.weekly import HOST, PATTERNS, State, WeeklySite, html_pages
from templcrawl.memory.change_table import iso_time

_WEEK = 7 * 86_400
_BEGAN = 1_600_000_000
_NO_VALIDATORS, _HONEST, _LYING = "none", "honest", "lying"


class Kind(NamedTuple):
    """A kind of site: the first four as for ``WeeklySite``, whether it has a banner, its validators, and what
    its sitemap says: "" without one, "true" or "lies"."""

    pages: int
    pattern: str
    share: float
    layout: str = "areas"
    banner: bool = False
    validators: str = _NO_VALIDATORS
    sitemap: str = ""


KINDS = (
    Kind(100, "random", 0.07),
    Kind(100, "random", 0.30, validators=_HONEST),
    Kind(100, "random", 0.80, banner=True),
    Kind(100, "directory", 0.01),
    Kind(100, "directory", 0.07, "index.html"),
    Kind(100, "directory", 0.07, banner=True, validators=_HONEST),
    Kind(100, "directory", 0.30, validators=_LYING),
    Kind(100, "moving", 0.07),
    Kind(100, "age", 0.07, "flat"),
    Kind(100, "age", 0.30),
    Kind(100, "listing", 0.07, "flat"),
    Kind(100, "listing", 0.30, validators=_HONEST),
    Kind(100, "own", 0.07, banner=True, validators=_LYING),
    Kind(100, "random", 0.07, sitemap="true"),
    Kind(100, "random", 0.07, sitemap="lies"),
    Kind(1_000, "directory", 0.07),
    Kind(1_000, "random", 0.07, validators=_HONEST, sitemap="true"),
)


def _crawls(kind: Kind, seed: int, weeks: int, in_flight: int) -> Iterator[tuple[Crawled, float]]:
    """Yield the re-crawls of a site, each with the share of its bytes."""
    site = WeeklySite(kind.pages, kind.share, kind.pattern, kind.layout, seed)
    known, since = dict[str, int](), dict[str, tuple[int, int]]()  # page -> content as read; week, content
    with TemporaryDirectory() as folder:
        settings = {**ADDON, "TEMPLCRAWL_ORDER": "changes", "TEMPLCRAWL_STORE": f"sqlite:{folder}/memory"}
        for week in range(weeks):
            if week:
                site.live()
            state, at = site.state(), _BEGAN + week * _WEEK
            for url, (content, _) in state.items():
                if url not in since or since[url][1] != content:
                    since[url] = week, content
            pages = _pages(kind, state, since, seed, week)
            crawled = crawl(pages, settings, concurrency=in_flight, warm_up=False, began=at)
            read, stats = {*crawled.pages} & state.keys(), crawled.stats
            if week:
                said = (stats.get(f"templcrawl/recrawl/{name}", 0) for name in ("expected", "at_most"))
                one = judged(state, known, read, *said)
                size = sum(len(html.encode()) for html in pages.bodies.values())
                yield one._replace(requests=len(crawled.requests)), stats["downloader/response_bytes"] / size
            known.update((url, state[url][0]) for url in read)


def _pages(kind: Kind, state: State, since: Mapping[str, tuple[int, int]], seed: int, week: int) -> Pages:
    bodies = html_pages(state, seed, week if kind.banner else None)
    is_lying = kind.validators == _LYING
    tags = {url: "1" if is_lying else xxh3_64_hexdigest(html.encode()) for url, html in bodies.items()}
    headers = {url: {"ETag": f'"{tag}"'} for url, tag in tags.items()}
    targets = {url: [link for link in links if link in state] for url, (_, links) in state.items()}
    entries = (
        f"<url><loc>{url}</loc><lastmod>{iso_time(_BEGAN + of * _WEEK - 3_600)}</lastmod></url>"
        for url in state
        for of in (week if kind.sitemap == "lies" else since[url][0],)
    )
    sitemap = f"<urlset>{''.join(entries)}</urlset>"
    return Pages(
        [f"{HOST}/"],
        bodies,
        targets,
        headers if kind.validators != _NO_VALIDATORS else {},
        {
            f"{HOST}/robots.txt": Answer(f"Sitemap: {HOST}/sitemap.xml".encode(), content_type="text/plain"),
            f"{HOST}/sitemap.xml": Answer(sitemap.encode(), content_type="application/xml"),
        }
        if kind.sitemap
        else {},
    )


def _row(kind: Kind, *, seeds: Mapping[int, int], weeks: int, in_flight: int) -> list[float]:
    found: list[tuple[Crawled, float]] = []
    for seed in range(100, 100 + seeds.get(kind.pages, 1)):
        found += [*_crawls(kind, seed, weeks, in_flight)][1:]
    return [*row_of([one for one, _ in found]), fmean(sent for _, sent in found)]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.weekly", __doc__, "--jobs=1 --figures")
    parser.add_argument("--pages", type=int, nargs="+", default=[100, 1_000], help="pages of the sites")
    parser.add_argument("--only", nargs="+", choices=PATTERNS, default=PATTERNS, help="what changes")
    add_number(parser, "--in-flight", 16, "requests in flight")
    add_number(parser, "--weeks", 9, "crawls, the first included")
    add_number(parser, "--seeds", 2, "sites of a kind of 100 pages; of the others there is one")
    options = parser.parse_args(arguments)
    if options.weeks < 3:
        parser.error("the second re-crawl is in the third week")
    kinds = [kind for kind in KINDS if kind.pages in options.pages and kind.pattern in options.only]
    task: Any = partial(_row, seeds={100: options.seeds}, weeks=options.weeks, in_flight=options.in_flight)
    rows: dict[tuple[str, ...], list[float]] = {
        _name(kind): row for kind, row in zip(kinds, in_processes(task, kinds, options.jobs))
    }
    heads = ("pages", "what changes", "a week", "site", *HEADS, "bytes")
    title = f"Real re-crawls 2 to {options.weeks - 1}, {options.in_flight} in flight"
    report({"weekly": table_of(title, heads, cells_of(rows), left=4)}, options.figures)


def _name(kind: Kind) -> tuple[str, str, str, str]:
    """Return the first cells of a row."""
    ways = [kind.layout] * (kind.layout != "areas") + ["banner"] * kind.banner
    ways += [f"{kind.validators} validators"] * (kind.validators != _NO_VALIDATORS)
    ways += [{"true": "true sitemap", "lies": "lying sitemap"}[kind.sitemap]] if kind.sitemap else []
    return str(kind.pages), kind.pattern, f"{kind.share:.0%}", ", ".join(ways)


if __name__ == "__main__":
    main()
