"""How relevant the pages around each pagelet and in each directory of a site were, for a focused crawl.

A pagelet is credited with every page that carries it and with every page that one of its links led to; the
formula of :mod:`templcrawl.algorithms.crawl_order.focus` needs only their sum.  Relevance is stored in
thousandths, so that sums are the same in every order and after every restart.

Bounded: the least recently credited pagelets and directories are evicted, and are average again.
Cost: O(1) a pagelet.
"""

from __future__ import annotations

from collections.abc import Iterable

from templcrawl.algorithms.crawl_order.focus import RelevanceRecord
from templcrawl.memory.key_tables import PairTable
from templcrawl.memory.snapshots import Section
from templcrawl.page.text import text_key

_UNIT = 1_000


class FocusTable(Section):
    """Pagelets and directories of a site -> how relevant pages were.

    >>> table = FocusTable(limit=10)
    >>> table.credit_pagelets([7, 8], 1.0)
    >>> table.credit_pagelets([7], 0.25)
    >>> table.pagelet(7), table.pagelet(9)
    (RelevanceRecord(pages=2, relevance=1.25), RelevanceRecord(pages=0, relevance=0.0))
    """

    sections = ("_pagelets", "_directories")

    def __init__(self, *, limit: int) -> None:
        """Make an empty table.

        limit  pagelets and directories that it may have
        """
        self._pagelets = PairTable(limit, most=_UNIT)
        self._directories = PairTable(limit, most=_UNIT)

    def __len__(self) -> int:
        return len(self._pagelets)

    def credit_pagelets(self, shingles: Iterable[int], relevance: float) -> None:
        """Credit pagelets, each once, with a page that carries them or that they have led to."""
        self._pagelets.credit(filter(None, shingles), round(relevance * _UNIT))

    def credit_directory(self, directory: str, relevance: float) -> None:
        """Credit a directory with one of its pages."""
        self._directories.credit([text_key(directory)], round(relevance * _UNIT))

    def pagelet(self, shingle: int) -> RelevanceRecord:
        """Return the record of a pagelet."""
        return _record(self._pagelets.known(shingle))

    def directory(self, directory: str) -> RelevanceRecord:
        """Return the record of a directory."""
        return _record(self._directories.known(text_key(directory)))


def _record(pair: tuple[int, int]) -> RelevanceRecord:
    pages, thousandths = pair
    return RelevanceRecord(pages, thousandths / _UNIT)
