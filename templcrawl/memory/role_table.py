"""What the links of each role have led to on a site; see :mod:`templcrawl.algorithms.crawl_order.roles`.

Bounded: the roles not met for longest are forgotten, and are average again.  Cost: O(1) a role.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from templcrawl.algorithms.crawl_order.roles import MOST_PAY, role_yield
from templcrawl.errors import BrokenInvariant
from templcrawl.memory.entries import COUNTS, MOST_COUNT
from templcrawl.memory.lru_dict import LruDict, merged, sum_of_pairs
from templcrawl.memory.snapshots import Column, Columns, Part, Table


class RoleRecord(NamedTuple):
    """What is known of a role.

    pages       pages that its links led to
    words       new words that they paid, together
    role_yield  its yield; 1 is the average of the site
    """

    role: int
    pages: int
    words: int
    role_yield: float


class RoleTable(Part):
    """Role -> how many pages its links led to, and how many new words those paid.

    >>> table = RoleTable(limit=10)
    >>> for words in (0, 100, 0):
    ...     table.credit([7] if not words else [8], words)
    >>> table.yield_of([7]), table.yield_of([8]), table.yield_of([9])
    (0.6666666666666666, 1.4, 1.0)

    others  what other workers of the crawl have counted, None without any
    """

    def __init__(self, *, limit: int) -> None:
        self._roles: LruDict[int, tuple[int, int]] = LruDict(limit)
        self._pages = 0
        self._words = 0
        self.others: RoleTable | None = None

    def __len__(self) -> int:
        return len(self._roles)

    def credit(self, roles: Iterable[int], words: int) -> None:
        """Count a page that paid ``words`` new words, and credit the roles that led to it."""
        words = min(words, MOST_PAY)
        self._pages += 1
        self._words += words
        for role in dict.fromkeys(roles):
            pages, paid = self._roles.get(role) or (0, 0)
            self._roles[role] = pages + 1, paid + words

    def yield_of(self, roles: Iterable[int], *, prior: float = 1.0) -> float:
        """Return the yield of the best of some roles; the prior where there are none."""
        seen, paid = self._site()
        mean = paid / seen if seen else 0.0
        records = map(self._record, roles)
        return max((role_yield(pages, words, mean, prior=prior) for pages, words in records), default=prior)

    def _record(self, role: int) -> tuple[int, int]:
        """Return (pages, words) of a role."""
        record = self._roles.get(role) or (0, 0)
        return record if self.others is None else sum_of_pairs(record, self.others._record(role))

    def _site(self) -> tuple[int, int]:
        """Return (pages, words) of all roles together, and of none."""
        site = self._pages, self._words
        return site if self.others is None else sum_of_pairs(site, self.others._site())

    def unite(self, tables: Sequence[RoleTable]) -> None:
        """Become the sum of tables; of too many roles those that led to most pages stay."""
        self._pages = sum(table._pages for table in tables)
        self._words = sum(table._words for table in tables)
        self._roles = merged(
            (table._roles.items() for table in tables),
            sum_of_pairs,
            self._roles.limit,
            lambda role, of_role: of_role[0],
        )

    def largest(self, most: int) -> list[RoleRecord]:
        """Return the roles that led to most pages, at most so many.  Cost: O(roles)."""
        known = ((role, self._record(role)) for role in self._roles)
        records = sorted(known, key=lambda item: (-item[1][0], item[0]))[:most]
        return [RoleRecord(role, *record, self.yield_of([role])) for role, record in records]

    def validate(self) -> None:
        """Raise BrokenInvariant if a role has more than there is, or there are too many."""
        super().validate()
        if not 0 <= self._words <= self._pages * MOST_PAY < MOST_COUNT * MOST_PAY:
            raise BrokenInvariant("RoleTable", f"{self._pages} pages paid {self._words} words")
        for pages, words in self._roles.values():
            if not 1 <= pages <= self._pages or not 0 <= words <= min(self._words, pages * MOST_PAY):
                raise BrokenInvariant("RoleTable", f"a role with {pages} pages and {words} words")

    def columns(self) -> list[Column]:
        """Return the counts of the site and those of the roles."""
        return [
            Columns({"site": COUNTS}, lambda: [(self._pages, self._words)], self._set_site),
            Table(self._roles, "roles", "pages", "words"),
        ]

    def _set_site(self, site: list[int]) -> None:
        self._pages, self._words = site
