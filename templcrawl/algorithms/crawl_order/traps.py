"""Traps: classes of links that lead to endless pages, or to generated ones (mazes).

A class is a role of links or a directory (:mod:`templcrawl.algorithms.crawl_order.link_value`).

*Endless* pages pay next to nothing while links keep coming.

    poor     the n pages of a class paid s words together: s / n < x * (mean pay of a page of the site)
    watched  from n >= M poor pages on, where w links of the site wait
    endless  at 2 n pages, if the class is still poor and no fewer than w links wait; else it is watched anew

x = .1, M = 30.  Behind an order that fetches first what pays, the pages of a poor class are fetched when
little else is left.  So the links that wait grow fewer with each of them, unless these pages themselves bring
more.  Five traps (all of ``lab.bench.trapped`` but the maze) in each of two sites were found, after 60 to
180 pages of the trap; on 57 saved sites, of at most 200 pages, crawled to their end, nothing was.

*Generated* pages pay, since their words are new, but repeat no earlier link.  A page *leads on* if it has
several links to other pages of its site, and no earlier page has any of its links: no menu, no way back, no
page that another one names too.  A page of a maze does, since its addresses are made for it alone.

    generated  of n >= M pages of a class since the first that leads on, at least a share x lead on

x = .9, M = 10.  A link of such a class is worth nothing, and a page of it that leads on pays nothing.  A
class looks generated no longer once more of its pages have a link that an earlier page has: a false alarm
costs the place in the queue, for a while.  A maze that puts the menu of its site on each page is not found.
Behind the default order a maze in each of eight saved sites took .07 of as many requests as the site has
pages, at most .13.  On 74 saved sites no class had five pages that count.

Source: ours, chosen on these.  Cost: O(classes of a page) a page.  Memory: three numbers a poor class, at
most ``MAX_CLASSES``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

POOR_SHARE = 0.1  # x of endless pages: of the mean pay
MIN_PAGES = 30  # M of endless pages
MAX_CLASSES = 1_000  # that are watched

MIN_LINKS = 3  # links to other pages of the site that a page has that leads on
MIN_LEADING = 10  # M of generated pages
LEADS_ON_SHARE = 0.9  # x of generated pages


class ClassRecord(NamedTuple):
    """How many pages the links of a class have led to, and how many words these paid together."""

    key: int
    pages: int
    words: int


class EndlessClasses:
    """Watches the classes of a site that pay next to nothing, and reports one that looks endless.

    30 pages of a class have paid nothing while 200 links waited; after 30 more, 260 links wait:

    >>> classes = EndlessClasses()
    >>> classes.update([ClassRecord(7, 30, 0)], mean=80.0, waiting=200)
    >>> classes.update([ClassRecord(7, 60, 0)], mean=80.0, waiting=260)
    ClassRecord(key=7, pages=60, words=0)
    """

    def __init__(self) -> None:
        self._watched: dict[int, tuple[int, int]] = {}
        self._reported: set[int] = set()

    def update(self, records: Iterable[ClassRecord], *, mean: float, waiting: int) -> ClassRecord | None:
        """Return the class of a page that looks endless by now, if any; once for all classes of the page.

        records  of the classes of the page, the page included
        mean     words that a page of the site pays on average
        waiting  how many links of the site wait
        """
        poor = [record for record in records if record.words < POOR_SHARE * mean * record.pages]
        is_reported = any(record.key in self._reported for record in poor)
        found = None
        for record in poor:
            pages, waited = self._watched.get(record.key, (0, 0))
            if record.pages < max(MIN_PAGES, 2 * pages):
                continue
            if pages and waiting >= waited:
                found = found or record
            elif pages or len(self._watched) < MAX_CLASSES:
                self._watched[record.key] = record.pages, waiting
        if found is not None:
            self._reported.update(record.key for record in poor)
        return None if is_reported else found


def looks_generated(pages: int, leading: int) -> bool:
    """Return whether a class of links looks generated.

    pages    that its links led to, since the first that leads on
    leading  of these, how many lead on

    >>> looks_generated(10, 9), looks_generated(10, 8), looks_generated(9, 9)
    (True, False, False)
    """
    return pages >= MIN_LEADING and leading >= LEADS_ON_SHARE * pages
