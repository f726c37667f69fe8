"""Value links by how much new text the pages behind links of the same classes had.

A page *pays* the words of its text that no earlier page of the site had, less 20, at most 500; a
near-duplicate pays nothing.  A link has *classes* of two kinds: its roles
(:mod:`templcrawl.algorithms.pagelets.partition`) and the directory of its address, with numbers read as 0.
The page credits every class of the links that led to it.

    pay(u)   = min(500, max(0, new words of u - 20))
    y(c)     = (s / (Y / N) + A) / (n + A)          1 where Y = 0 or n = 0
    value(v) = sqrt( max y(role of v) * y(directory of v) )

N pages of the site paid Y words, the n pages of class c paid s words.  A = 4 pages of average pay are assumed
of each class.  A value of 1 is the average of the site.  Which classes lead into mazes is told by
:func:`looks_generated`.

Source: ours, chosen on simulated crawls of saved link graphs.  Cost: O(roles of a link); O(length) an
address; O(1) a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import sqrt
from typing import NamedTuple

from templcrawl.page.addresses import directory_of, host_of
from templcrawl.page.text import text_key

MAX_PAY = 500  # words: one long page does not decide about its class
# Without these an endless calendar of six-word pages holds a crawl for ever: where the real pages pay nothing
# at first, the mean sinks to six words and the calendar is average.
FREE_WORDS = 20  # that a page does not get paid for
ASSUMED_PAGES = 4  # A: pages of average pay that each class has from the beginning
POOR_SHARE = 0.1  # of the mean pay: a page that pays less pays next to nothing
MIN_LINKS = 3  # links to other pages of the site that a page has that leads on
MIN_LEADING = 10  # M
LEADS_ON_SHARE = 0.9  # x

_NUMBER = re.compile(r"\d+")


def pay_of(new_words: int) -> int:
    """Return the pay of a page, in words.

    >>> pay_of(12), pay_of(120), pay_of(9_000)
    (0, 100, 500)
    """
    return min(MAX_PAY, max(0, new_words - FREE_WORDS))


def class_yield(pages: int, paid: int, mean: float) -> float:
    """Return the yield of a class of links; 1 is the average of the site.

    pages, paid  pages that links of the class led to, and the words that these paid, together
    mean         words that a page of the site pays on average

    >>> class_yield(0, 0, 80.0), class_yield(4, 0, 80.0), class_yield(4, 960, 80.0)
    (1.0, 0.5, 2.0)
    """
    return (paid / mean + ASSUMED_PAGES) / (pages + ASSUMED_PAGES) if mean > 0 else 1.0


class ClassRecord(NamedTuple):
    """How many pages the links of a class have led to, and how many words these paid together."""

    key: int
    pages: int
    words: int


def looks_generated(pages: int, leading: int) -> bool:
    """Return whether the pages behind a class of links look generated, such as those of a maze.

    *Generated* pages pay, since their words are new, but repeat no earlier link.  A page *leads on* if it has
    several links to other pages of its site, and no earlier page has any of its links: no menu, no way back,
    no page that another one names too.  A page of a maze does, since its addresses are made for it alone.  Of
    n >= M pages of a generated class since the first that leads on, at least a share x lead on; x = .9, M =
    10.

    A link of such a class is worth nothing, and a page of it that leads on pays nothing.  A class looks
    generated no longer once more of its pages have a link that an earlier page has: a false alarm costs the
    place in the queue, for a while.  A maze that puts the menu of its site on each page is not found.  Behind
    the default order a maze in each of eight saved sites took .07 of as many requests as the site has pages,
    at most .13.  On 74 saved sites no class had five pages that count.

    pages    that its links led to, since the first that leads on
    leading  of these, how many lead on

    >>> looks_generated(10, 9), looks_generated(10, 8), looks_generated(9, 9)
    (True, False, False)
    """
    return pages >= MIN_LEADING and leading >= LEADS_ON_SHARE * pages


def link_value(role_yields: Iterable[float], directory_yield: float) -> float:
    """Return the value of a link by the yields of its roles and its directory; 1 is the average.

    >>> link_value([0.5, 2.0], 2.0), link_value([], 1.0)
    (2.0, 1.0)
    """
    return sqrt(max(role_yields, default=1.0) * directory_yield)


def directory_class(url: str) -> int:
    """Return the key of the directory of an address, with its host; numbers are read as 0.

    >>> directory_class("http://x.org/2026/tea") == directory_class("http://x.org/1999/milk?page=2")
    True
    """
    return text_key(host_of(url) + _NUMBER.sub("0", directory_of(url)))


STARVED = 0.1  # links of a lower value wait for all others
LOWEST_STEP = -3


def value_step(value: float) -> int:
    """Return the step of a value: 1 from 1.5 up, then 0, -1, -2, and -3 below 0.1.

    Steps of priority are for queues of a project's own; a step back means that a link is fetched later.  They
    are coarse, since such a queue has one queue for each priority, and what waits is not moved.  In our
    queues requests wait by the class of their link (:mod:`templcrawl.crawl.frontier.slot_order`).

    >>> [value_step(value) for value in (2, 1, 0.5, 0.2, 0.05)]
    [1, 0, -1, -2, -3]
    """
    return 1 - sum(value < limit for limit in (1.5, 0.7, 0.3, STARVED))
