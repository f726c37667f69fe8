"""Crawl traps: pages without end that are put into a saved site.

Every page of the site gets a box of three links at its end that leads into the trap.  A trap page has a
template of its own and six words that no other page has; those of the facets have none, but a list of goods
that is the same on each; those of the maze have 150 words of babble.

calendar, one entrance     each page links to the same month; months lead to months and days
calendar, many entrances   each page links to another month
facets                     each page links to other choices of a filter; each choice leads to ten more
directories                each page links to other directories; each leads to six more, of other names
maze                       each page links to others of the maze; each leads to six more; the babble is a
                           random walk over 2,000 made-up words, of which each is followed by one of eight
sessions                   each page links to copies under a session id of its own: of the page itself and two
                           others; a copy's links lead to copies

A copy of a page counts as trap, and brings the content of its page.  A part of ``lab.bench.traps``, not run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape, unescape
from random import Random
from typing import Any, NamedTuple

from xxhash import xxh3_64_intdigest

from lab.bench.crawl import Answer, Site

_SESSION = re.compile(r"[?&]sid=([0-9a-f]+)$")
_HREF = re.compile(r' href="([^"]*)"')
_GOODS = "".join(f"<li>goods of the shop, number {number}</li>" for number in range(40))


class Trap(NamedTuple):
    """A trap of generated pages.

    entrances  number of a page of the site -> paths it links to
    ways       path in the trap -> paths it links to
    content    path in the trap -> HTML of what its page has besides its links
    """

    entrances: Callable[[int], Sequence[str]]
    ways: Callable[[str], Sequence[str]]
    content: Callable[[str], str]


def _hash(text: str) -> int:
    return xxh3_64_intdigest(text.encode())


def _numbers(path: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", path)]


def month_box(month: int) -> list[str]:
    """Return a month and two of its days."""
    return [f"/calendar/{month}/", f"/calendar/{month}/1/", f"/calendar/{month}/21/"]


def calendar_ways(path: str) -> list[str]:
    """Return the neighbours of a month or day, and a day or the month.

    >>> calendar_ways("/calendar/300/1/")
    ['/calendar/300/', '/calendar/300/2/', '/calendar/299/1/', '/calendar/301/1/']
    """
    month, *day = _numbers(path)
    if day:
        after = f"/calendar/{month}/{day[0] % 28 + 1}/"
        return [
            f"/calendar/{month}/",
            after,
            f"/calendar/{month - 1}/{day[0]}/",
            f"/calendar/{month + 1}/{day[0]}/",
        ]
    days = [f"/calendar/{month}/{day}/" for day in (1, 7, 14, 21, 28)]
    return [f"/calendar/{month - 1}/", f"/calendar/{month + 1}/", *days]


def facet_ways(path: str) -> list[str]:
    """Return ten paths with one more value chosen."""
    chosen = set(_numbers(path))
    more = [value for value in range(10_000) if value not in chosen][_hash(path) % 100 :][:10]
    return ["/filter/" + "-".join(map(str, sorted({*chosen, value}))) for value in more]


def directory_ways(path: str) -> list[str]:
    """Return six directories."""
    return [f"/{_hash(f'{path} {number}'):x}/" for number in range(6)]


def maze_ways(path: str) -> list[str]:
    """Return six pages of one directory."""
    return [f"/maze/{_hash(f'{path} {number}'):x}.html" for number in range(6)]


def six_words(path: str) -> str:
    """Return a heading of words that no other page has."""
    words = " ".join(f"w{_hash(f'{path} word {number}'):x}" for number in range(6))
    return f"<h1>{words}</h1>"


def goods(path: str) -> str:
    """Return the same list on each page."""
    return f"<h1></h1><ul class='goods'>{_GOODS}</ul>"


def babble(path: str) -> str:
    """Return paragraphs of a random walk over made-up words."""
    random = Random(path)
    word = random.randrange(_VOCABULARY)
    paragraphs = []
    for _ in range(5):
        walk = []
        for _ in range(30):
            word = _hash(f"{word} {random.randrange(8)}") % _VOCABULARY
            walk.append(_made_up(word))
        paragraphs.append(f"<p>{' '.join(walk)}.</p>")
    return "<h1>More</h1>" + "".join(paragraphs)


def _made_up(number: int) -> str:
    drawn = Random(number)
    return "".join(drawn.choice("bdfgklmnprstvz") + drawn.choice("aeiou") for _ in range(drawn.randint(3, 5)))


_VOCABULARY = 2_000
_FIRST_MONTH = 24_311
TRAPS: dict[str, Trap | None] = {
    "calendar, one entrance": Trap(lambda number: month_box(_FIRST_MONTH), calendar_ways, six_words),
    "calendar, many entrances": Trap(
        lambda number: month_box(_FIRST_MONTH + 12 * number), calendar_ways, six_words
    ),
    "facets": Trap(
        lambda number: [f"/filter/{number}-{number + value}" for value in (1, 2, 3)],
        facet_ways,
        goods,
    ),
    "directories": Trap(lambda number: directory_ways(str(number))[:3], directory_ways, six_words),
    "maze": Trap(lambda number: maze_ways(str(number))[:3], maze_ways, babble),
    "sessions": None,
}
"""Name -> trap; None for the one whose pages are copies."""


class TrappedSite(Site):
    """A site with a trap in it.

    host     of the site
    bodies   address -> HTML of its pages
    targets  address -> addresses that its links lead to
    trap     key of ``TRAPS``
    """

    def __init__(
        self,
        host: str,
        bodies: Mapping[str, str],
        targets: Mapping[str, Sequence[str]],
        trap: str,
    ) -> None:
        self.start = [next(iter(bodies))]
        self._bodies, self._targets, self._trap = bodies, targets, trap
        self._numbers = {url: number for number, url in enumerate(bodies)}
        self._root = f"http://{host}"

    @staticmethod
    def original(url: str) -> str:
        """Return the address of the page that a page is a copy of; its own if it is none."""
        return _SESSION.sub("", url)

    def answer(self, url: str) -> Answer:
        html, _ = self._page(url)
        return Answer(b"", 404) if html is None else Answer(html.encode("utf-8", "replace"))

    def links(self, response: Any, found: Sequence[str]) -> Iterable[str]:
        return self._page(response.url)[1]

    def _page(self, url: str) -> tuple[str | None, Sequence[str]]:
        if url in self._numbers:
            box = self._box(url)
            return self._bodies[url] + _boxed(box), [*self._targets[url], *box]
        trap = TRAPS[self._trap]
        if trap is None:
            return self._copy(url)
        path = url.removeprefix(self._root)
        links = [self._root + way for way in trap.ways(path)]
        return _trap_page(trap.content(path), links), links

    def _box(self, url: str) -> list[str]:
        number = self._numbers[self.original(url)]
        trap = TRAPS[self._trap]
        if trap is not None:
            return [self._root + path for path in trap.entrances(number)]
        pages = list(self._numbers)
        return [in_session(pages[(number + other) % len(pages)], url) for other in range(min(3, len(pages)))]

    def _copy(self, url: str) -> tuple[str | None, Sequence[str]]:
        """Return the copy of a page, every link to a page of the site in a new session."""
        original = self.original(url)
        if original not in self._numbers:
            return None, ()

        def rewrite(match: re.Match[str]) -> str:
            target = unescape(match[1])
            return f' href="{escape(in_session(target, url))}"' if target in self._numbers else match[0]

        links = [in_session(target, url) for target in self._targets[original]] + self._box(url)
        return _HREF.sub(rewrite, self._bodies[original]) + _boxed(self._box(url)), links


def in_session(page: str, source: str) -> str:
    """Return the address of a page under the session that starts on the page it is linked from.

    >>> in_session("http://x.org/a?b=1", "http://x.org/").startswith("http://x.org/a?b=1&sid=")
    True
    """
    return f"{page}{'&' if '?' in page else '?'}sid={_hash(source) % 2**32:08x}"


def _anchors(links: Sequence[str]) -> str:
    return "".join(f'<li><a href="{escape(url)}">more</a></li>' for url in links)


def _boxed(links: Sequence[str]) -> str:
    return f'<div class="side-box"><ul>{_anchors(links)}</ul></div>'


def _trap_page(content: str, links: Sequence[str]) -> str:
    return (
        f"<!DOCTYPE html><html><head><title>Choose</title></head><body><div class='trap'>{content}"
        f"<ul class='ways'>{_anchors(links)}</ul></div></body></html>"
    )
