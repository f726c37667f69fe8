"""The sums over the visits to a site: :mod:`templcrawl.algorithms.crawl_order.revisits` makes shares of them.

For the site, for each group and for each factor of a state or a signal.  Cost: O(1) a visit; O(groups) the
history.  Memory: bounded by the limit.
"""

from __future__ import annotations

from templcrawl.algorithms.crawl_order.revisits import ClassOfPages, History, Sums
from templcrawl.memory.key_tables import PairTable
from templcrawl.memory.snapshots import Section

_MAX_SECONDS = 2**32  # between two visits
_SITE = 0  # key of the sums of all addresses
_UNIT = 2**20  # parts of a change that are counted as expected


class VisitSums(Section):
    """The sums of a site."""

    sections = ("_changes", "_elapsed", "_expected")

    def __init__(self, limit: int) -> None:
        """Start with nothing, for so many groups."""
        self._changes = PairTable(limit, most=1)  # group, factor or site -> visits, changes
        self._elapsed = PairTable(limit, most=_MAX_SECONDS)  # group or site -> visits, seconds before them
        self._expected = PairTable(limit, most=_UNIT)  # factor -> visits, changes that all else expected

    def history(self, shortest: float) -> History:
        """Return the sums as a history; ``shortest`` as in :class:`History`."""
        sums = {key: Sums(*pair, self._elapsed.get(key)[1]) for key, pair in self._changes.items()}
        factors = {
            key: (pair.changes, self._expected.get(key)[1] / _UNIT) for key, pair in sums.items() if key < 128
        }
        groups = {key: pair for key, pair in sums.items() if key >= 128}
        return History(sums.get(_SITE, Sums()), groups, factors, shortest)

    def add_visit(self, pages: ClassOfPages, elapsed: int, history: History, *, changed: bool) -> None:
        """Add a visit to a page of a class, so many seconds after the one before.

        history  what was known when the crawl began
        """
        self._changes.credit([_SITE, pages.group], changed)
        self._elapsed.credit([_SITE, pages.group], min(elapsed, _MAX_SECONDS))
        for factor, share in history.expected_by_factors(pages) if history.site.visits else ():
            self._changes.credit([factor], changed)
            self._expected.credit([factor], int(share * _UNIT))
