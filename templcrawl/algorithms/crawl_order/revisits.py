"""What a known page is worth another visit: it may have changed since, or lead to what is new or has changed.

A *visit* is a reading of a page that was read before, so that it shows whether the page has changed.  Pages
of one class, the directory of the address with numbers read as 0, change alike as long as little is known,
and so do classes of one site.

    q(u) = (changes of u + A r) / (visits of u + A)       r = (changes in its class + R) / (its visits + 1)
                                                          R = (changes on the site + B) / (its visits + 1)
    g(u) = (visits of u that led on + A s) / (visits of u + A)      s = the same of its class
    p(u) = 1 - (1 - q(u)) ^ (t / i)          h(u) = 1 - (1 - g(u)) ^ (t / i)
    value(u) = p(u) + h(u)                   at most 2, which each address that is new is worth

q is the chance that u changes between two visits.  A visit *led on* if a page that was asked for because of
it was new or had changed.  t seconds have passed since u was read, i seconds pass between its visits on
average, or between those of its site before it has any.  A = 2, B = .1.  Changes are taken to come as a
Poisson process: a page that changes every week is due after a week, and an hour later it is worth nothing.

*What a sitemap says* (``lastmod``) makes a class of its own of the pages that it calls changed, and one of
those that it calls unchanged.  There p is the share of changes in the class, so a false sitemap is found out.

*The end.*  Known pages that were not read have E changes left between them.  A crawl no longer pays when that
is less than a share of all that it finds, or than half a page; or than a number of pages.

    E = sum of p over pages that were not read * (changes of the last W pages + B) / (sum of their p + B)

W = 32: pages that are about as probable as those which come next say whether p is too high or too low today.

Source: ours; chance and rate after Cho & Garcia-Molina, "Estimating frequency of change" (TOIT 2003), and
"Effective page refresh policies for web crawlers" (TODS 2003).  Departure: classes take the place of a long
history.  Cost: O(1) a page.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from templcrawl.algorithms.crawl_order.link_value import directory_class
from templcrawl.page.text import text_key

ASSUMED_VISITS = 2  # A: visits of a page that are believed to be as those of its class
ASSUMED_CHANGES = 0.1  # B: changes that one visit more of a site is believed to have shown

MOST_VALUE = 2.0  # of a known page; that of a new one is higher

LAST_PAGES = 32  # W: pages that say whether chances are too high or too low today
LEAST_PAGES = 0.5  # expected changes for which no crawl goes on, but one that goes on to the end

CALLED_CHANGED = text_key("a sitemap calls it changed")
CALLED_UNCHANGED = text_key("a sitemap calls it unchanged")
ASSUMED_OF_CLAIM = {CALLED_CHANGED: 0.9, CALLED_UNCHANGED: 0.1}

Numbers = npt.NDArray[np.float64]


def class_rate(visits: int, changes: int, assumed: float = ASSUMED_CHANGES) -> float:
    """Return the share of the visits to a class that showed a change, or led on.

    assumed  that of its site; for all of a site, ``ASSUMED_CHANGES``

    >>> class_rate(9, 0), class_rate(9, 4), class_rate(0, 0), class_rate(0, 0, 0.9)
    (0.01, 0.41, 0.1, 0.9)
    """
    return (changes + assumed) / (visits + 1)


def revisit_class(url: str) -> int:
    """Return the key of the class of an address, never 0; the page of a directory is of those beside it.

    >>> revisit_class("http://x.org/blog/tea/") == revisit_class("http://x.org/blog/cups.html")
    True
    """
    return directory_class(url.partition("#")[0].partition("?")[0].rstrip("/")) or 1


def chance(visits: Numbers | float, times: Numbers | float, rate: Numbers | float) -> Numbers | float:
    """Return the chance that something happens between two visits to a page.

    times  in how many of its visits it was seen to happen
    rate   that of its class

    >>> chance(0, 0, 0.3), chance(8, 8, 0.5)
    (0.3, 0.9)
    """
    return (times + ASSUMED_VISITS * rate) / (visits + ASSUMED_VISITS)


def chance_by_now(share: Numbers | float, intervals: Numbers | float) -> Numbers | float:
    """Return the chance that it has happened since the last visit.

    share      chance between two visits
    intervals  time since the last visit, in times that pass between two visits on average

    >>> [round(chance_by_now(0.5, days / 7), 3) for days in (0, 1, 7, 14)]
    [0.0, 0.094, 0.5, 0.75]
    """
    return 1.0 - (1.0 - share) ** intervals


def left_over(unread: float, recent: float, changes: int) -> float:
    """Return how many changes are expected among the pages that were not read.

    unread   sum of their chances
    recent   sum of the chances of the last pages that were read
    changes  how many of these had changed

    >>> left_over(6.0, 0.3, 0), left_over(6.0, 0.0, 0)
    (1.5, 6.0)
    """
    return unread * ((changes + ASSUMED_CHANGES) / (recent + ASSUMED_CHANGES))


def is_over(expected: float, found: int, limit: float) -> bool:
    """Return whether what a crawl still expects to find is too little to go on.

    expected  changes that are left
    found     new and changed pages so far
    limit     below 1: share of all that there is to find; else: a number of pages; 0: it goes on to the end

    >>> is_over(5.0, 94, 0.05), is_over(5.0, 100, 0.05), is_over(5.0, 0, 6), is_over(0.0, 9, 0)
    (False, True, True, False)
    """
    least = max(limit * (found + expected), LEAST_PAGES) if 0 < limit < 1 else limit
    return expected < least
