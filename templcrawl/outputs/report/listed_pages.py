"""The pages of a crawl that its report lists, so that a reader can look up an address.

At most 10,000, those with the smallest hashes of their addresses, which is a random choice of all pages.  A
page that was read twice is listed once, as it was judged the second time.

Cost: O(1) a page, amortised.  Memory: twice as many rows, at most 14 MB.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from templcrawl.memory.observation import Observation

MOST_LISTED = 10_000
_LONGEST_URL = 500


class ListedPage(NamedTuple):
    """A page as it was judged when it was seen.

    leaf_id      its leaf, or the template that its crawl has given it
    template_id  its template, as known then
    is_assigned  whether its crawl has given it
    content      characters of its text that are content
    whole        characters of its text
    """

    url: str
    host: str
    leaf_id: str
    template_id: str
    is_assigned: bool
    content: int
    whole: int


class ListedPages:
    """The pages that are listed."""

    def __init__(self, *, most: int = MOST_LISTED) -> None:
        self._most = most
        self._rows: dict[int, ListedPage] = {}
        self._largest = 1 << 64

    def __len__(self) -> int:
        return min(len(self._rows), self._most)

    def __iter__(self) -> Iterator[ListedPage]:
        """Yield them by their addresses."""
        self._forget()
        return iter(sorted(self._rows.values()))

    def update(self, observation: Observation) -> None:
        """List a page, if it is drawn."""
        page = observation.page
        key = page.key
        if key > self._largest:
            return
        assigned = page.assigned_label
        self._rows[key] = ListedPage(
            page.url[:_LONGEST_URL],
            page.host,
            assigned or observation.leaf_id,
            observation.template_id,
            bool(assigned),
            *observation.text_lengths,
        )
        if len(self._rows) > 2 * self._most:
            self._forget()

    def _forget(self) -> None:
        """Leave the pages with the smallest keys."""
        if len(self._rows) > self._most:
            keys = sorted(self._rows)[: self._most]
            self._largest = keys[-1]
            self._rows = {key: self._rows[key] for key in keys}
