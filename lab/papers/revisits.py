"""Which known pages does a crawl read again, and is what it says of the others true?  Simulated.

Sites of pages in areas, with listings of ``_LISTED`` pages and a start page, are crawled each week, with the
rule and the tables of the order ``changes`` (:mod:`templcrawl.algorithms.crawl_order.revisits`,
:class:`~templcrawl.memory.visit_table.VisitTable`): without network, Scrapy and HTML.

random, own     each page changes with the same chance, or with one of its own
directory       the pages of a few areas change; moving: of others every second week
age             young pages change; listing: pages of a listing change together, and the listing with them

found       share of what is new or has changed since it was read last; mean over re-crawls from the second
crawls      share of these re-crawls that have found ``GOAL`` of it
requests    share of the pages that can be reached
said, bound, left  changes of the pages that were not read: expected, at most in nine cases of ten, the truth
below       share of these re-crawls where the truth is not above the bound
all, fewest requests of a crawl that reads all, and of one that knows what has changed

Cost: 50 us a request.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from random import Random
from statistics import fmean
from typing import Any, NamedTuple

from lab.bench.crawl import in_processes
from lab.bench.options import add_number, new_parser
from lab.bench.tables import report, table_of
from templcrawl.algorithms.crawl_order.revisits import FIRST, revisit_group
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.snapshots import pack, unpack
from templcrawl.memory.visit_table import VisitTable
from templcrawl.page.addresses import url_key

GOAL = 0.95
PATTERNS = ("random", "own", "directory", "moving", "age", "listing")
LAYOUTS = ("areas", "index.html", "flat")
_HOST = "http://torvik.test"
_LISTED = 20
_RELATED = 3
_YOUNG = 3.0  # weeks
_WEEK = 7 * 86_400_000
_AREAS = {100: 5, 1_000: 10, 10_000: 25}

State = dict[str, tuple[int, list[str]]]  # address -> hash of its content, addresses that it links to


class Site:
    """A site that lives.

    pages    that it has at first
    share    of them that change in a week
    pattern  one of ``PATTERNS``; layout: one of ``LAYOUTS``
    """

    def __init__(self, pages: int, share: float, pattern: str, layout: str, seed: int) -> None:
        self.chance = Random(f"{pages} {share} {pattern} {layout} {seed}")
        self.pages, self.share, self.pattern, self.layout = pages, share, pattern, layout
        self.week = 0
        self.versions: list[int] = []
        self.births: list[float] = []
        self.rates: list[float] = []
        self.related: dict[int, list[str]] = {}
        self.listings: dict[tuple[int, int], int] = defaultdict(int)
        count = _AREAS.get(pages, 10)
        self.areas: list[list[int]] = [[] for _ in range(count)]  # the newest last
        self.life = _YOUNG * 0.9 / share if pattern == "age" else 0.0
        self.scale = self._scale() if pattern == "own" else 0.0
        for number in range(pages):
            self._add(number % count, -self.chance.random() * (self.life or 100))
        for area in self.areas:
            area.sort(key=self.births.__getitem__)
        hot = math.ceil(share * count / 0.95)
        self.hot, self.in_hot = {*range(hot)}, min(0.95, share * count / hot)

    def _scale(self) -> float:
        """Return the median rate of pages with rates of their own."""
        rates = [math.exp(self.chance.gauss(0, 2.5)) for _ in range(2_000)]
        low, high = 1e-9, 1e9
        for _ in range(80):
            middle = math.sqrt(low * high)
            share = fmean(1 - math.exp(-min(700, middle * rate)) for rate in rates)
            low, high = (middle, high) if share < self.share else (low, middle)
        return low

    def _add(self, area: int, born: float) -> None:
        self.areas[area].append(len(self.versions))
        self.versions.append(0)
        self.births.append(born)
        self.rates.append(self.scale * math.exp(self.chance.gauss(0, 2.5)) if self.scale else 0.0)

    def _url(self, area: int, name: str) -> str:
        folder = f"/area{chr(97 + area)}" if self.layout != "flat" else ""
        end = "/index.html" if self.layout == "index.html" else ".html"
        return f"{_HOST}{folder}/{name}{end}"

    def _page(self, area: int, number: int) -> str:
        return self._url(area, f"{'tea' if number % 3 else 'cup'}-{number}")

    def _lists(self, area: int) -> Iterator[tuple[str, int, list[int]]]:
        """Yield the listings of an area: address, number, pages."""
        pages = self.areas[area][::-1] if self.pattern == "age" else self.areas[area]
        for number, start in enumerate(range(0, max(1, len(pages)), _LISTED)):
            yield (
                self._url(area, f"list{chr(97 + area)}-{number + 1}"),
                number,
                pages[start : start + _LISTED],
            )

    def state(self) -> State:
        """Return the site as it is now."""
        areas = range(len(self.areas))
        found: State = {f"{_HOST}/": (0, [next(self._lists(area))[0] for area in areas])}
        for area in areas:
            lists = [*self._lists(area)]
            for (url, number, pages), later in zip(lists, [*(one[:1] for one in lists[1:]), ()]):
                urls = [self._page(area, page) for page in pages]
                content = hash((*pages, self.listings[area, number]))
                found[url] = content, [f"{_HOST}/", *urls, *later]
                for page, own in zip(pages, urls):
                    if page not in self.related:
                        chosen = (self.chance.choice(self.areas[area]) for _ in range(_RELATED))
                        self.related[page] = [self._page(area, other) for other in chosen]
                    found[own] = self.versions[page], [f"{_HOST}/", url, *self.related[page]]
        return found

    def live(self) -> None:
        """Let a week pass."""
        self.week += 1
        if self.pattern == "moving" and self.week % 2 and self.week > 1:
            self.hot = {(area + 1) % len(self.areas) for area in self.hot}
        for area in range(len(self.areas)):
            for page in self._edited(area):
                self.versions[page] += 1
        new = self.pages / self.life if self.life else 0.005 * self.pages
        for _ in range(max(1, round(self.chance.gauss(new, math.sqrt(new))))):
            self._add(self.chance.randrange(len(self.areas)), self.week - self.chance.random())
        if self.life:
            self.areas = [[one for one in area if self._age(one) < self.life] for area in self.areas]

    def edit(self, count: int) -> None:
        """Edit some pages, wherever they are."""
        for page in self.chance.sample([page for area in self.areas for page in area], count):
            self.versions[page] += 1

    def _age(self, page: int) -> float:
        return self.week - self.births[page]

    def _edited(self, area: int) -> Iterator[int]:
        draw = self.chance.random
        if self.pattern != "listing":
            yield from (page for page in self.areas[area] if draw() < self._chance(area, page))
            return
        within = max(0.5, min(0.95, self.share / 0.9))
        for _, number, pages in self._lists(area):
            edited = [page for page in pages if draw() < within] if draw() < self.share / within else []
            self.listings[area, number] += bool(edited)
            yield from edited

    def _chance(self, area: int, page: int) -> float:
        if self.pattern in ("directory", "moving"):
            return self.in_hot if area in self.hot else 0.0
        if self.pattern == "age":
            return 0.9 if self._age(page) <= _YOUNG else 0.002
        return 1 - math.exp(-min(700, self.rates[page])) if self.pattern == "own" else self.share


class Crawled(NamedTuple):
    """A re-crawl: pages that can be reached, requests, changes, those found; of what was not read: changes
    expected, their bound, the truth; requests of a crawl that knows what has changed."""

    pages: int
    requests: int
    changes: int
    found: int
    said: float
    bound: int
    left: int
    fewest: int

    @property
    def share_found(self) -> float:
        """Share of the changes that were found."""
        return self.found / self.changes if self.changes else 1.0


class Crawl:
    """A crawl of a site in some state, in the order of changes."""

    def __init__(self, state: State, table: VisitTable, at: int, limit: float, chance: Random) -> None:
        self.state, self.table, self.at, self.limit, self.chance = state, table, at, limit, chance
        self.fresh: deque[str] = deque()
        self.waiting: dict[int, list[str]] = defaultdict(list)  # class -> pages
        self.line: list[int] = []  # of classes, the best last
        self.version = -1
        self.links = 0
        self.asked: set[str] = set()

    def run(self, in_flight: int) -> None:
        """Read pages until nothing is worth it."""
        flight: deque[str] = deque()
        self.meet(f"{_HOST}/", "", 0)
        while True:
            while len(flight) < in_flight and (url := self.next()) is not None:
                flight.append(url)
            if not flight:
                break
            self.read(flight.popleft())

    def meet(self, url: str, parent: str, links: int) -> None:
        """Follow a link."""
        self.table.meet(url_key(url), url_key(parent) if parent else 0, links)
        if url in self.asked:
            return
        self.asked.add(url)
        page = self.table.get(url_key(url))
        if page is None:
            self.fresh.append(url)
            return
        key = self.table.class_of(url_key(url), page)
        if not self.waiting[key]:
            self.version = -1
        self.waiting[key].append(url)

    def next(self) -> str | None:
        """Return the next page; None if none is worth it."""
        if self.fresh:
            return self.fresh.popleft()
        if self.version != self.table.version or not self.line or not self.waiting[self.line[-1]]:
            self.version = self.table.version
            known = [key for key, urls in self.waiting.items() if urls]
            self.line = sorted(known, key=self.table.remainder.value)
        if not self.line:
            return None
        key = self.line[-1]
        if self.table.remainder.value(key) < FIRST and self.table.is_over(self.limit):
            return None
        urls = self.waiting[key]
        place = self.chance.randrange(len(urls))
        urls[place], urls[-1] = urls[-1], urls[place]
        self.table.note_asked(key)
        return urls.pop()

    def read(self, url: str) -> None:
        """Read a page, and follow its links."""
        content, links = self.state[url]
        links = [link for link in links if link in self.state]
        self.table.count(url_key(url), revisit_group(url), content & (2**64 - 1), self.at)
        for link in links:
            self.meet(link, url, len(links))
        self.table.end_links(url_key(url))


def _tree(state: State) -> dict[str, str | None]:
    """Return page -> the page that leads to it, on the way with the fewest links."""
    start = f"{_HOST}/"
    found: dict[str, str | None] = {start: None}
    line = deque([start])
    while line:
        url = line.popleft()
        for link in state[url][1]:
            if link in state and link not in found:
                found[link] = url
                line.append(link)
    return found


def crawls(
    states: Sequence[tuple[State, int]], *, limit: float = 0.05, in_flight: int = 1, seed: int = 0
) -> Iterator[Crawled]:
    """Crawl a site in each state, and yield the re-crawls.

    states  with the times at which they are crawled, in milliseconds since 1970
    """
    chance, known = Random(seed), dict[str, int]()
    saved: bytes | None = None
    for number, (state, at) in enumerate(states):
        table = VisitTable(MemoryOptions(max_pages=100_000), began=at)
        if saved is not None:
            table.restore(unpack("", saved))
        tree = _tree(state)
        changed = {url for url in tree if known.get(url) != state[url][0]}
        crawl = Crawl(state, table, at, limit, chance)
        crawl.run(in_flight)
        read = {url for url in tree if (page := table.get(url_key(url))) and page.last == at}
        if number:
            needed: set[str | None] = {f"{_HOST}/"}
            for url in changed:
                way: str | None = url
                while way not in needed:
                    needed.add(way)
                    way = tree[way] if way is not None else None
            is_all = len(read) == len(tree)
            yield Crawled(
                len(tree),
                len(read),
                len(changed),
                len(changed & read),
                0.0 if is_all else table.remainder.mean,
                0 if is_all else table.remainder.bound(),
                len(changed - read),
                len(needed - {None}),
            )
        known.update((url, state[url][0]) for url in read)
        table.end(is_whole=not any(crawl.waiting.values()))
        saved = pack(table.snapshot())


def weekly(site: Site, weeks: int) -> list[tuple[State, int]]:
    """Return the states of a site, week by week."""
    states = []
    for week in range(weeks):
        if week:
            site.live()
        states.append((site.state(), (week + 1) * _WEEK))
    return states


def row_of(found: Sequence[Crawled]) -> list[float]:
    """Return the means over re-crawls."""
    return [
        fmean(one.changes / one.pages for one in found),
        fmean(one.share_found for one in found),
        fmean(one.share_found >= GOAL for one in found),
        fmean(one.requests / one.pages for one in found),
        fmean(one.said for one in found),
        fmean(one.bound for one in found),
        fmean(one.left for one in found),
        fmean(one.left <= one.bound for one in found),
        fmean(one.fewest / one.pages for one in found),
    ]


def _simulated(
    kind: tuple[int, str, float, str], *, seeds: Mapping[int, int], first: int, **how: Any
) -> list[Crawled]:
    pages, pattern, share, layout = kind
    weeks = how.pop("weeks")
    found: list[Crawled] = []
    for seed in range(first, first + seeds.get(pages, 1)):
        found += [*crawls(weekly(Site(pages, share, pattern, layout, seed), weeks), seed=seed, **how)][1:]
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.papers.revisits", __doc__, "--jobs=1 --figures")
    add = parser.add_argument
    add("--pages", type=int, nargs="+", default=[100, 1_000], help="pages of the sites")
    add("--shares", type=float, nargs="+", default=[0.01, 0.07, 0.3, 0.8], help="shares that change a week")
    add("--patterns", nargs="+", choices=PATTERNS, default=PATTERNS, help="what changes")
    add("--layouts", nargs="+", choices=LAYOUTS, default=["areas"], help="how addresses look")
    add("--limit", type=float, default=0.05, help="what may be missed (TEMPLCRAWL_MAY_MISS)")
    add_number(parser, "--in-flight", 1, "requests in flight")
    add_number(parser, "--weeks", 9, "crawls, the first included")
    add_number(parser, "--seeds", 6, "sites of 100 pages; of larger ones there are a third")
    parser.add_argument("--first-seed", type=int, default=100, help="the first of these")
    options = parser.parse_args(arguments)
    kinds = [
        (pages, pattern, share, layout)
        for pages in options.pages
        for layout in options.layouts
        for pattern in options.patterns
        for share in options.shares
    ]
    seeds = {pages: options.seeds if pages <= 100 else -(-options.seeds // 3) for pages in options.pages}
    task: Any = partial(
        _simulated,
        seeds=seeds,
        first=options.first_seed,
        weeks=options.weeks,
        limit=options.limit,
        in_flight=options.in_flight,
    )
    found = dict(zip(kinds, in_processes(task, kinds, options.jobs)))
    rows: dict[tuple[str, ...], list[float]] = {
        (str(pages), layout, pattern, f"{share:.0%}"): row_of(found[pages, pattern, share, layout])
        for pages, pattern, share, layout in kinds
    }
    for pages in options.pages:
        rows[str(pages), "all", "", ""] = row_of(
            [one for kind in kinds if kind[0] == pages for one in found[kind]]
        )
    heads = ("pages", "layout", "changes", "a week", "new or changed", "found", "crawls", "requests")
    heads += ("said", "bound", "left", "below", "fewest")
    cells = (
        (*key, *(f"{value:.3f}" if at in (1, 2) else f"{value:.2f}" for at, value in enumerate(row)))
        for key, row in rows.items()
    )
    title = f"Re-crawls 2 to {options.weeks - 1}, {options.in_flight} in flight, limit {options.limit}"
    report({"revisits": table_of(title, heads, cells, left=4)}, options.figures)


if __name__ == "__main__":
    main()
