"""Counts of the pages on which a run was altered: a change of the template is not a change of a page.

A detector takes a new banner for content at first.  If everything that has changed on a page has changed on
``_MANY`` pages of this crawl, and on ``_MANY_SHARE`` of all pages read, the change does not raise the
expectation for other pages.

Cost: O(altered runs) a page.  Memory: at most ``_MAX_ALTERED`` runs.
"""

from __future__ import annotations

from collections.abc import Collection

from templcrawl.memory.key_tables import LruDict

_MANY, _MANY_SHARE = 5, 0.25
_MAX_ALTERED = 20_000


class AlteredRuns:
    """The runs that were altered in a crawl."""

    def __init__(self) -> None:
        self._pages: LruDict[int, int] = LruDict(_MAX_ALTERED)  # run -> pages

    def are_of_many(self, runs: Collection[int], read: int) -> bool:
        """Count what was altered on a page; return whether all of it was altered on many before.

        runs  their hashes; none where they are not known
        read  pages of this crawl
        """
        counts = [self._pages.get(run) or 0 for run in runs]
        for run, pages in zip(runs, counts):
            self._pages[run] = pages + 1
        return bool(counts) and min(counts) >= max(_MANY, _MANY_SHARE * read)
