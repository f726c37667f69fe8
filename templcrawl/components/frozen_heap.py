"""Garbage collection during a crawl: it leaves out the objects that were there when the spider opened.

A full collection of Python's garbage collector walks over every object that it tracks.  Nearly all of them
are modules, classes and functions, which stay to the end, and templcrawl adds a third to those of Scrapy.  So
a crawl can freeze them while its spider runs (:func:`gc.freeze`).  Objects are freed as always when nothing
refers to them; but cycles among frozen objects are found only after the spider has closed.

Nothing is frozen where collection is disabled or objects are frozen already: the program, or another crawl
of the process, has seen to it.

Cost: one full collection when the spider opens, some 50 ms.
"""

from __future__ import annotations

import gc


class FrozenHeap:
    """The objects that a crawl has frozen, if it has."""

    def __init__(self) -> None:
        self._frozen = 0

    def freeze(self) -> None:
        """Leave the objects of now out of later collections."""
        if gc.isenabled() and not gc.get_freeze_count():
            gc.collect()
            gc.freeze()
            self._frozen = gc.get_freeze_count()

    def unfreeze(self) -> None:
        """Let collections walk over these objects again, unless someone has frozen more."""
        if gc.get_freeze_count() <= self._frozen:
            gc.unfreeze()
        self._frozen = 0
