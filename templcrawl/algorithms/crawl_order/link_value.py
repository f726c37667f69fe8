"""The value of a link: the mean pay of the pages that links of the same classes have led to.

A link has *classes* of two kinds: its roles (:mod:`templcrawl.algorithms.crawl_order.roles`) and the
directory of its address, with numbers read as 0.  A page *pays* the words of its text that no earlier page of
the site had, less 20, at most 500; a near-duplicate pays nothing.  The page credits every class of the links
that led to it.

    pay(u)   = min(500, max(0, new words of u - 20))
    y(c)     = (s / (Y / N) + A) / (n + A)          1 where Y = 0 or n = 0
    value(v) = sqrt( max y(role of v) * y(directory of v) )

N pages of the site paid Y words, the n pages of class c paid s words.  A = 4 pages of average pay are assumed
of each class.  A value of 1 is the average of the site.

Without the 20 words an endless calendar of six-word pages holds a crawl for ever: where the real pages pay
nothing at first, the mean sinks to six words and the calendar is average.

Source: ours, chosen on simulated crawls of saved link graphs.  The same means over the classes, known
beforehand, are an upper bound for any such rule.  Cost: O(roles of a link); O(length) an address.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import sqrt

from templcrawl.page.addresses import directory_of, host_of
from templcrawl.page.encoding import text_key

MOST_PAY = 500
FREE_WORDS = 20
ASSUMED_PAGES = 4

_NUMBER = re.compile(r"\d+")


def pay_of(new_words: int) -> int:
    """Return what a page pays, in words.

    >>> pay_of(12), pay_of(120), pay_of(9_000)
    (0, 100, 500)
    """
    return min(MOST_PAY, max(0, new_words - FREE_WORDS))


def class_yield(pages: int, paid: int, mean: float) -> float:
    """Return the yield of a class of links; 1 is the average of the site.

    pages  pages that links of the class led to
    paid   words that these pages paid, together
    mean   words that a page of the site pays on average

    >>> class_yield(0, 0, 80.0), class_yield(4, 0, 80.0), class_yield(4, 960, 80.0)
    (1.0, 0.5, 2.0)
    """
    return (paid / mean + ASSUMED_PAGES) / (pages + ASSUMED_PAGES) if mean > 0 else 1.0


def link_value(role_yields: Iterable[float], directory_yield: float) -> float:
    """Return the value of a link; 1 is the average of the site.

    role_yields      yield of each of its roles; none: the average is assumed
    directory_yield  yield of the directory that it leads into

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
