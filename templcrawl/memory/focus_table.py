"""How relevant the pages around each pagelet and in each directory of a site were, for a focused crawl.

A pagelet is credited with every page that carries it and with every page that one of its links led to; the
formula of :mod:`templcrawl.algorithms.crawl_order.focus` needs only their sum.  Relevance is stored in
thousandths, so that sums are the same in every order and after every restart.

For the distiller (:mod:`templcrawl.algorithms.crawl_order.focus`) the relevance of the pages that links
led to is stored too, and which pagelets were the best hubs the last time.

Bounded: the least recently credited pagelets, directories and pages are evicted, and are average again.
Cost: O(1) a pagelet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from templcrawl.algorithms.crawl_order.focus import RelevanceRecord, best_hubs
from templcrawl.memory.key_tables import PairTable
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.snapshots import Frozen, Numbers, Section, Snapshot
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

        limit  pagelets, directories, and pages that it may have
        """
        self._pagelets = PairTable(limit, most=_UNIT)
        self._directories = PairTable(limit, most=_UNIT)
        self._targets: LruDict[int, int] = LruDict(limit)
        self._hubs: frozenset[int] = frozenset()

    def __len__(self) -> int:
        return len(self._pagelets)

    def credit_pagelets(self, shingles: Iterable[int], relevance: float) -> None:
        """Credit pagelets, each once, with a page that carries them or that they have led to."""
        self._pagelets.credit(filter(None, shingles), round(relevance * _UNIT))

    def credit_directory(self, directory: str, relevance: float) -> None:
        """Credit a directory with one of its pages."""
        self._directories.credit([text_key(directory)], round(relevance * _UNIT))

    def add_target(self, page: int, relevance: float) -> None:
        """Add how relevant a page is that links of this site led to, for the distiller."""
        self._targets[page] = round(relevance * _UNIT)

    def distill(self, links: Callable[[int], Sequence[int]]) -> None:
        """Compute anew which pagelets are the best hubs, of what this worker has seen.

        links  page -> pagelets that link to it
        """
        relevance = {page: thousandths / _UNIT for page, thousandths in self._targets.items()}
        self._hubs = frozenset(best_hubs(((page, links(page)) for page in relevance), relevance))

    def is_hub(self, shingle: int) -> bool:
        """Return whether a pagelet was one of the best hubs the last time, of any worker."""
        return any(shingle in table._hubs for table in self.everywhere())

    def pagelet(self, shingle: int) -> RelevanceRecord:
        """Return the record of a pagelet."""
        return _record(self._pagelets.known(shingle))

    def directory(self, directory: str) -> RelevanceRecord:
        """Return the record of a directory."""
        return _record(self._directories.known(text_key(directory)))

    def columns(self) -> Frozen:
        """Return the pages with their relevance, and the hubs."""
        return {"targets": Numbers(list(self._targets.items())), "hubs": Numbers(sorted(self._hubs))}

    def load(self, snapshot: Snapshot) -> None:
        """Take the pages and the hubs; an unlikely relevance does no harm."""
        pages, relevance = snapshot.numbers("targets", width=2).T
        self._targets.fill(pages.tolist(), np.minimum(relevance, _UNIT).tolist())
        self._hubs = frozenset(snapshot.numbers("hubs").tolist())

    def absorb(self, other: FocusTable) -> None:
        """Join tables and hubs."""
        super().absorb(other)
        self._hubs |= other._hubs


def _record(pair: tuple[int, int]) -> RelevanceRecord:
    pages, thousandths = pair
    return RelevanceRecord(pages, thousandths / _UNIT)
