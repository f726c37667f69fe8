"""A generated site that is edited each week: a start page, and areas of pages with their listings.

random, own     each page changes with the same chance, or with one of its own
directory       the pages of a few areas change; moving: of others every second week
age             young pages change; listing: pages of a listing change together, and the listing with them

``state`` is the site as a simulation needs it.  ``html_pages`` writes it as pages: an edit rewrites a
paragraph, each page has a menu, and a banner that changes each week if it is to have one.

Equal seeds make equal sites.  Cost: 5 us a page; as HTML 0.2 ms.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from random import Random
from statistics import fmean

from lab.sites.areas import Area, written
from lab.sites.words import Writer

PATTERNS = ("random", "own", "directory", "moving", "age", "listing")
LAYOUTS = ("areas", "index.html", "flat")
HOST = "http://torvik.test"
_LISTED = 20
_RELATED = 3
_YOUNG = 3.0  # weeks
_AREAS = {100: 5, 1_000: 10, 10_000: 25}

State = dict[str, tuple[int, list[str]]]  # address -> hash of its content, addresses that it links to


def is_listing(url: str) -> bool:
    """Return whether an address is that of the start page or a listing."""
    return url == f"{HOST}/" or "/list" in url


class WeeklySite:
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
        return f"{HOST}{folder}/{name}{end}"

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
        found: State = {f"{HOST}/": (0, [next(self._lists(area))[0] for area in areas])}
        for area in areas:
            lists = [*self._lists(area)]
            for (url, number, pages), later in zip(lists, [*(one[:1] for one in lists[1:]), ()]):
                urls = [self._page(area, page) for page in pages]
                content = hash((*pages, self.listings[area, number]))
                found[url] = content, [f"{HOST}/", *urls, *later]
                for page, own in zip(pages, urls):
                    if page not in self.related:
                        chosen = (self.chance.choice(self.areas[area]) for _ in range(_RELATED))
                        self.related[page] = [self._page(area, other) for other in chosen]
                    found[own] = self.versions[page], [f"{HOST}/", url, *self.related[page]]
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


def html_pages(state: State, seed: int, banner: int | None = None) -> dict[str, str]:
    """Return the pages of a state.

    seed    of the site
    banner  week whose banner each page has; None: it has none
    """
    areas = state[f"{HOST}/"][1]
    return {url: _html(url, *state[url], areas, seed, banner) for url in state}


def _html(url: str, content: int, links: list[str], areas: list[str], seed: int, banner: int | None) -> str:
    site, writer = Writer(f"{seed} site"), Writer(f"{seed} {url}")
    title = writer.title()
    area = Area().markup(f"<!DOCTYPE html>\n<title>{written(title)}</title>\n<header>")
    area.element("b", f"The {site.place()} Gazette").markup("<nav><ul>")
    for menu in (f"{HOST}/", *areas):
        area.markup("<li>").link(menu, Writer(f"{seed} {menu}").title()).markup("</li>")
    area.markup("</ul></nav></header>\n")
    if banner is not None:
        area.markup("<div class=banner>").element("p", Writer(f"{seed} banner {banner}").paragraph(2))
        area.markup("</div>\n")
    area.markup("<main>").element("h1", title)
    for _ in range(3):
        area.markup("\n").element("p", writer.paragraph(3))
    area.element("p", Writer(f"{seed} {url} {content}").paragraph(2)).markup("\n<ul>")
    for link in links:
        area.markup("<li>").link(link, Writer(f"{seed} {link}").title()).markup("</li>")
    area.markup("</ul></main>\n<footer>").element("p", site.paragraph(2)).markup("</footer>\n")
    return area.html
