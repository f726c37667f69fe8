"""Set garbage collection for a crawl: it runs less often, and skips objects made before the crawl.

What is freed is the same, but cycles wait longer: for the time of some 15 pages; one of objects that were
there at the start waits until the crawl ends.

Cost: O(1) a page; then some 10 ms for each ``_MAX_CHARACTERS``.
"""

from __future__ import annotations

import gc

THRESHOLD = 2_000  # new objects between two garbage collections while a spider runs
COLLECTIONS = 5  # of the youngest generation between two of the next: what a dozen pages leave, 5 ms of work

# A response and its selectors are a cycle, with a tree that is ten times as large as the page. So everything
# that is not frozen is collected after each so many characters of pages, too: one page of a megabyte holds as
# much as a hundred small ones.
_MAX_CHARACTERS = 16_000_000


class GcThreshold:
    """The threshold of the youngest generation while a crawl runs, and what it was before.

    Python collects garbage each time that 700 more objects were made than freed (``gc.get_threshold()``;
    2,000 from Python 3.14 on).  At a page or two each time, requests in flight outlive several collections.
    Python then counts them as old, and a full collection follows, which walks over every module, class and
    function that is loaded: each 130 pages or so, for some 40 ms, in Scrapy alone too.  Those are *frozen*
    (``gc.freeze``) while the spider runs: a collection leaves them out.  With a threshold of thousands, most
    objects are freed before a collection meets them.

    A threshold that is higher already stays, and collection that is disabled stays so; then, and where the
    program has frozen objects itself, nothing is frozen.
    """

    def __init__(self) -> None:
        self._before = self._during = gc.get_threshold()
        self._is_frozen = False
        self._characters = 0

    def rise(self, *, is_run: bool) -> None:
        """Raise the threshold to ``THRESHOLD``, unless it is higher or collection is disabled, and freeze.

        is_run  whether ``Crawler.crawl`` runs the crawl: then it is closed in the end, which unfreezes
        """
        self._before = self._during = gc.get_threshold()
        if gc.isenabled() and 0 < self._before[0] <= THRESHOLD:
            gc.set_threshold(THRESHOLD, min(COLLECTIONS, self._before[1]), self._before[2])
            self._during = gc.get_threshold()
            if is_run and not gc.get_freeze_count():
                self._is_frozen = True
                gc.freeze()

    def count_page(self, characters: int) -> None:
        """Count a page of so many characters; collect everything when there have been enough."""
        self._characters += characters
        if self._characters > _MAX_CHARACTERS:
            self._characters = 0
            if gc.isenabled() and self._during[0] == THRESHOLD:
                gc.collect()

    def restore(self) -> None:
        """Restore the earlier threshold, unless the program has set another; unfreeze."""
        if self._is_frozen:
            self._is_frozen = False
            gc.unfreeze()
        if gc.get_threshold() == self._during:
            gc.set_threshold(*self._before)
        self._during = self._before
