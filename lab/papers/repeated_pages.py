"""The pages of a saved site as they arrive in a crawl, some of them a second time, and which repeat which.

Every ``EVERY``-th page arrives again, ``BEHIND`` pages later, under another URL and in another dress: a line
with a date on top, another side bar at the end (an ``aside``, or a bare ``div`` that no markup tells from
content), and so many words of its content changed.

Truth: two pages repeat each other if their gold has a resemblance of ``MIN_RESEMBLANCE`` or more, by their
exact sets of 5-word shingles, and ``LEAST_GOLD`` words each.

Cost: O(pages) to read, O(pages ** 2 * shingles) for the truth.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from lab.bench.saved_sites import SavedPage, SavedSite
from lab.bench.site_runs import LEAST_GOLD
from templcrawl import Page
from templcrawl.algorithms.similarity.near_duplicates import MIN_RESEMBLANCE
from templcrawl.algorithms.similarity.shingles import Hashes, resemblance, shingles

EVERY = 10
BEHIND = 25
CHANGES = (0, 1, 3)
SIDE_BARS = ("aside", "div")

_BODY = re.compile(r"<body\b[^>]*>", re.IGNORECASE)
_BODY_END = re.compile(r"</body\s*>", re.IGNORECASE)
_WORD = re.compile(r"(?<![^\s>])[a-z]{6,}(?![^\s<])")
_SYLLABLES = "bo cla dri fen gur hax jil kov lum mip nez orf pux rusk sle tov urb vex wym yal zed".split()


@dataclass(frozen=True)
class Copy:
    """How a page arrives again.

    original  number of the page, from 0
    changes   how many words of its content are changed
    side_bar  name of the element that the new side bar is
    """

    original: int
    changes: int
    side_bar: str


@dataclass(frozen=True)
class Arrival:
    """A page as it arrives; copy is None for the first time."""

    saved: SavedPage
    copy: Copy | None = None

    @cached_property
    def page(self) -> Page:
        """The page, read anew."""
        return Page(self.saved.page.text, self.saved.url)

    @cached_property
    def gold(self) -> Hashes | None:
        """Shingles of its gold, None where that is missing or too short."""
        words = (self.saved.gold or "").split()
        return shingles(words) if len(words) >= LEAST_GOLD else None


def alike(arrival: Arrival, other: Arrival) -> float | None:
    """Return the resemblance of the gold of two pages, None where either has none."""
    if arrival.gold is None or other.gold is None:
        return None
    shorter, longer = sorted((len(arrival.gold), len(other.gold)))
    return resemblance(arrival.gold, other.gold) if shorter >= longer / 2 else 0.0


def repeats_earlier(arrivals: Sequence[Arrival]) -> list[bool]:
    """Say of each page whether it repeats one before it."""
    return [
        any((alike(arrival, other) or 0) >= MIN_RESEMBLANCE for other in arrivals[:number])
        for number, arrival in enumerate(arrivals)
    ]


def arrivals_of(site: SavedSite, pages: int) -> list[Arrival]:
    """Return the first pages of a site breadth first, with the copies of some of them among them."""
    return list(_arrivals(list(site.pages(pages)), random.Random(site.name)))


def _arrivals(saved: Sequence[SavedPage], chance: random.Random) -> Iterator[Arrival]:
    kinds = [(changes, side_bar) for side_bar in SIDE_BARS for changes in CHANGES]
    turn = chance.randrange(len(kinds))
    copies = [
        Copy(original, *kinds[(turn + number) % len(kinds)])
        for number, original in enumerate(range(0, len(saved), EVERY))
    ]
    for number in range(len(saved) + BEHIND):
        if number < len(saved):
            yield Arrival(saved[number])
        original, rest = divmod(number - BEHIND, EVERY)
        if not rest and original >= 0:
            yield Arrival(copied(saved[original * EVERY], copies[original], chance), copies[original])


def copied(saved: SavedPage, copy: Copy, chance: random.Random) -> SavedPage:
    """Return a page as it arrives again."""
    html = saved.page.text
    in_gold = Counter((saved.gold or "").split())
    on_page = Counter(_WORD.findall(html))
    once = sorted(word for word, times in on_page.items() if times == in_gold[word] == 1)
    for word in chance.sample(once, min(copy.changes, len(once))):
        html = re.sub(rf"(?<![^\s>]){word}(?![^\s<])", _invented(chance), html, count=1)
    begin = _BODY.search(html)
    top = begin.end() if begin else 0
    end = max((match.start() for match in _BODY_END.finditer(html, top)), default=len(html))
    date = f"<div>{chance.randrange(1, 29)} {_invented(chance)} {chance.randrange(1990, 2030)}</div>"
    html = f"{html[:top]}{date}{html[top:end]}{_side_bar(copy.side_bar, chance)}{html[end:]}"
    mark = "&" if "?" in saved.url else "?"
    url = f"{saved.url}{mark}again={copy.original}"
    return SavedPage(url, html.encode("utf-8", "surrogatepass"), saved.content)


def _side_bar(name: str, chance: random.Random) -> str:
    """Return twelve links of four words that no page has."""
    links = (
        f"<li><a href='/latest/{chance.randrange(10**6)}'>{' '.join(_invented(chance) for _ in range(4))}</a>"
        for _ in range(12)
    )
    return f"<{name}><ul>{''.join(links)}</ul></{name}>"


def _invented(chance: random.Random) -> str:
    return "".join(chance.choices(_SYLLABLES, k=3))
