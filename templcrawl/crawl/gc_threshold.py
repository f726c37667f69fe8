"""Garbage collection during a crawl: it runs less often, so that fewer collections walk over everything.

Python collects garbage each time that 700 more objects were made than freed (``gc.get_threshold()``; 2,000
from Python 3.14 on).  At a page or two each time, requests in flight outlive several collections.  Python
then counts them as old, and a full collection follows, which walks over every module, class and function
that is loaded: each 130 pages or so, in Scrapy alone too.  With a threshold of thousands, nearly all
objects are freed before a collection meets them, and full collections become rare.

What is freed is the same, but cycles wait longer: for the time of some 50 pages.  A response and its
selectors are such a cycle, with a tree that is ten times as large as the page.  So everything is collected
after each ``_MOST_CHARACTERS`` of pages, too: one page of a megabyte holds as much as a hundred small ones.

Cost: O(1) a page; a full collection for each ``_MOST_CHARACTERS``, some 80 ms.  A threshold that is higher
already stays, and collection that is disabled stays so.
"""

from __future__ import annotations

import gc

THRESHOLD = 5_000  # new objects between two garbage collections while a spider runs; costs some 25 MB

_MOST_CHARACTERS = 16_000_000


class GcThreshold:
    """The threshold of the youngest generation while a crawl runs, and what it was before."""

    def __init__(self) -> None:
        self._before = self._during = gc.get_threshold()
        self._characters = 0

    def rise(self) -> None:
        """Raise the threshold to ``THRESHOLD``, unless it is higher or collection is disabled."""
        self._before = self._during = gc.get_threshold()
        if gc.isenabled() and 0 < self._before[0] < THRESHOLD:
            gc.set_threshold(THRESHOLD, *self._before[1:])
            self._during = gc.get_threshold()

    def add(self, characters: int) -> None:
        """Count a page of so many characters; collect everything when there have been enough."""
        self._characters += characters
        if self._characters > _MOST_CHARACTERS:
            self._characters = 0
            if gc.isenabled() and self._during != self._before:
                gc.collect()

    def restore(self) -> None:
        """Set what was there before, unless the program has set something else."""
        if gc.get_threshold() == self._during:
            gc.set_threshold(*self._before)
        self._during = self._before
