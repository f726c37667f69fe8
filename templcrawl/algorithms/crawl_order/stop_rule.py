"""Stopping rule: a site is spent when its last pages pay next to nothing compared with all its pages.

    share  = (pay of the last W pages / W) / (pay of all N pages / N)
    spent  from share < x on, until share >= 2 x

W = 30 pages, x = .1.  What a page pays is in :mod:`templcrawl.algorithms.crawl_order.link_value`.  A site is
spent again only after it has recovered, so a share that moves around x changes nothing.

The rule is safe only behind an order that fetches first what pays.  In simulated crawls of 23 sites that
chose no constant, it stopped after .873 of the requests with .987 of the content behind a learned order
(worst site .90), and behind first in, first out with .908 (worst site .24).

In Scrapy crawls of 57 saved sites (200 pages at most), one request in flight, 15 were spent before their end.
There .779 of the requests had brought .979 of all pay; the worst site had .854 of it after .485.

Source: ours, chosen on simulated crawls of saved link graphs.  Cost: O(1) a page.  Memory: W small integers a
site.
"""

from __future__ import annotations

from array import array

LAST_PAGES = 30
SPENT_SHARE = 0.1
RECOVERED_SHARE = 0.2


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
        """Count a page.

        pay   words that it paid
        mean  words that a page of the site pays on average, this page included
        """
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
