"""Which known pages does a crawl read again, and is what it says of the others true?  Simulated.

Generated sites (:mod:`lab.sites.weekly`) are crawled each week, with the rule and the tables of the order
``changes`` (:mod:`templcrawl.algorithms.crawl_order.revisits`,
:class:`~templcrawl.memory.visit_table.VisitTable`): without network, Scrapy and HTML.

found       share of what is new or has changed since it was read last; mean over re-crawls from the second
crawls      share of these re-crawls that have found ``GOAL`` of it
requests    share of the pages that can be reached
said, bound, left  changes of the pages that were not read: expected, at most in nine cases of ten, the truth
below       share of these re-crawls where the truth is not above the bound
fewest      requests of a crawl that knows what has changed
fifo, lifo  what first in first out, and last in first out, find of the same with as many requests
deltafetch  the same of a crawl that never asks again for a page that has given an item: all but listings

With several ``--limit`` the means over all sites of a size are shown alone.

Cost: 50 us a request.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import partial
from random import Random
from statistics import fmean
from typing import Any, NamedTuple

from lab.bench.crawl import in_processes
from lab.bench.options import add_number, new_parser
from lab.bench.tables import report, table_of
from lab.sites.weekly import HOST, LAYOUTS, PATTERNS, State, WeeklySite, is_listing
from templcrawl.algorithms.crawl_order.revisits import FIRST, revisit_group
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.memory.states import pack, unpack
from templcrawl.memory.visit_table import VisitTable
from templcrawl.page.addresses import url_key

GOAL = 0.95
HEADS = ("new or changed", "found", "crawls", "requests", "said", "bound", "left", "below", "fewest")
HEADS += ("fifo", "lifo", "deltafetch")
_WEEK = 7 * 86_400_000


class Crawled(NamedTuple):
    """A re-crawl: pages that can be reached, requests, changes, those found; of what was not read: changes
    expected, their bound, the truth; requests of a crawl that knows what has changed; what others find."""

    pages: int
    requests: int
    changes: int
    found: int
    said: float
    bound: int
    left: int
    fewest: int
    fifo: int
    lifo: int
    deltafetch: int

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
        self.meet(f"{HOST}/", "", 0)
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
    start = f"{HOST}/"
    found: dict[str, str | None] = {start: None}
    line = deque([start])
    while line:
        url = line.popleft()
        for link in state[url][1]:
            if link in state and link not in found:
                found[link] = url
                line.append(link)
    return found


def _walk(state: State, *, takes_last: bool) -> list[str]:
    """Return the pages in the order of a crawl that takes the first link, or the last."""
    start = f"{HOST}/"
    order, seen, line = list[str](), {start}, deque([start])
    while line:
        url = line.pop() if takes_last else line.popleft()
        order.append(url)
        for link in state[url][1]:
            if link in state and link not in seen:
                seen.add(link)
                line.append(link)
    return order


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
        crawl = Crawl(state, table, at, limit, chance)
        crawl.run(in_flight)
        read = {url for url in state if (page := table.get(url_key(url))) and page.last == at}
        if number:
            left = table.remainder
            is_all = not any(crawl.waiting.values())
            yield judged(state, known, read, *((0.0, 0) if is_all else (left.mean, left.bound())))
        known.update((url, state[url][0]) for url in read)
        table.end(is_whole=not any(crawl.waiting.values()))
        saved = pack(table.snapshot())


def judged(state: State, known: Mapping[str, int], read: Set[str], said: float, bound: int) -> Crawled:
    """Return what a re-crawl has found and left.

    known  page -> its content when it was read last, before this crawl
    read   pages that this crawl has read
    said   changes that it expects of the others, and their bound
    """
    tree, start = _tree(state), f"{HOST}/"
    changed = {url for url in tree if known.get(url) != state[url][0]}
    needed: set[str | None] = {start}
    for url in changed:
        way: str | None = url
        while way not in needed:
            needed.add(way)
            way = tree[way] if way is not None else None
    requests = len(read & tree.keys())
    return Crawled(
        len(tree),
        requests,
        len(changed),
        len(changed & read),
        said,
        bound,
        len(changed - read),
        len(needed - {None}),
        *(len(changed & {*_walk(state, takes_last=last)[:requests]}) for last in (False, True)),
        sum(url not in known or is_listing(url) for url in changed),
    )


def weekly(site: WeeklySite, weeks: int) -> list[tuple[State, int]]:
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
        *(_mean_share(found, name) for name in ("fifo", "lifo", "deltafetch")),
    ]


def _mean_share(found: Sequence[Crawled], name: str) -> float:
    """Return the mean share of the changes that another order finds."""
    return fmean(getattr(one, name) / one.changes if one.changes else 1.0 for one in found)


def _simulated(
    kind: tuple[int, str, float, str], *, seeds: Mapping[int, int], first: int, **how: Any
) -> list[Crawled]:
    pages, pattern, share, layout = kind
    weeks = how.pop("weeks")
    found: list[Crawled] = []
    for seed in range(first, first + seeds.get(pages, 1)):
        states = weekly(WeeklySite(pages, share, pattern, layout, seed), weeks)
        found += [*crawls(states, seed=seed, **how)][1:]
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.papers.revisits", __doc__, "--jobs=1 --figures")
    add = parser.add_argument
    add("--pages", type=int, nargs="+", default=[100, 1_000], help="pages of the sites")
    add("--shares", type=float, nargs="+", default=[0.01, 0.07, 0.3, 0.8], help="shares that change a week")
    add("--patterns", nargs="+", choices=PATTERNS, default=PATTERNS, help="what changes")
    add("--layouts", nargs="+", choices=LAYOUTS, default=["areas"], help="how addresses look")
    add("--limit", type=float, nargs="+", default=[0.05], help="what may be missed (TEMPLCRAWL_MAY_MISS)")
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
    rows: dict[tuple[str, ...], list[float]] = {}
    for limit in options.limit:
        task: Any = partial(
            _simulated,
            seeds=seeds,
            first=options.first_seed,
            weeks=options.weeks,
            limit=limit,
            in_flight=options.in_flight,
        )
        found = dict(zip(kinds, in_processes(task, kinds, options.jobs)))
        if len(options.limit) == 1:
            for kind in kinds:
                pages, pattern, share, layout = kind
                rows[str(pages), layout, pattern, f"{share:.0%}"] = row_of(found[kind])
        for pages in options.pages:
            of_size = [one for kind in kinds if kind[0] == pages for one in found[kind]]
            rows[str(pages), "all", "" if len(options.limit) == 1 else f"{limit}", ""] = row_of(of_size)
    heads = ("pages", "layout", "changes", "a week", *HEADS)
    limits = ", ".join(map(str, options.limit))
    title = f"Re-crawls 2 to {options.weeks - 1}, {options.in_flight} in flight, limit {limits}"
    name = "revisits" if len(options.limit) == 1 else "limits"
    report({name: table_of(title, heads, cells_of(rows), left=4)}, options.figures)


def cells_of(rows: Mapping[tuple[str, ...], Sequence[float]]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of rows, shares of crawls with three digits."""
    for key, row in rows.items():
        yield *key, *(f"{value:.3f}" if at in (1, 2) else f"{value:.2f}" for at, value in enumerate(row))


if __name__ == "__main__":
    main()
