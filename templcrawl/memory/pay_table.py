"""What the links of each class have led to: pages, and the words that they paid.

Source: :mod:`templcrawl.algorithms.crawl_order.link_value`.  Cost: O(classes of the links to a page) a page.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from templcrawl.algorithms.crawl_order.link_value import (
    MAX_PAY,
    ClassRecord,
    class_yield,
    link_value,
    looks_generated,
)
from templcrawl.memory.key_tables import PairTable
from templcrawl.memory.snapshots import MAX_COUNT, Frozen, Numbers, Section, Snapshot


class RoleRecord(NamedTuple):
    """What the links of a role have led to.

    pages       pages that its links led to
    words       that they paid, together
    role_yield  its yield; 1 is the average of the site
    """

    role: int
    pages: int
    words: int
    role_yield: float


class PayTable(Section):
    """Class of links -> pages that its links led to, and the words that they paid; an evicted one is average.

    Classes are the roles of links and the directories that they lead into.  Of a class with a page that leads
    on, the pages since then are counted too, and those that lead on; links of a class that looks generated
    are worth nothing.

    >>> table = PayTable(limit=10)
    >>> for pay in (0, 100, 0):
    ...     table.credit([8] if pay else [7], 1, pay)
    >>> [round(table.value([role], 1), 3) for role in (7, 8, 9)]
    [0.816, 1.183, 1.0]
    >>> table.records([7, 9], 2)[0]
    ClassRecord(key=7, pages=2, words=0)
    """

    sections = ("_roles", "_directories", "_leading")

    def __init__(self, *, limit: int) -> None:
        self._roles = PairTable(limit, most=MAX_PAY)
        self._directories = PairTable(limit, most=MAX_PAY)
        self._leading = PairTable(limit, most=1)
        self._site: tuple[int, int] = (0, 0)

    def __len__(self) -> int:
        return len(self._roles)

    @property
    def mean(self) -> float:
        """Words that a page of the site pays on average."""
        pages, words = self._site
        return words / pages if pages else 0.0

    def credit(self, roles: Iterable[int], directory: int, pay: int) -> None:
        """Count a page that paid so many words, for the site and for the classes of the links to it."""
        pages, paid = self._site
        self._site = pages + 1, paid + pay
        self._roles.credit(roles, pay)
        self._directories.credit([directory], pay)

    def value(self, roles: Iterable[int], directory: int) -> float:
        """Return the value of a link by its classes; 1 is the average."""
        mean = self.mean
        yields = [self._yield(self._roles, role, mean) for role in roles]
        return link_value(yields, self._yield(self._directories, directory, mean))

    def _yield(self, table: PairTable, key: int, mean: float) -> float:
        return 0.0 if self.is_generated(key) else class_yield(*table.get(key), mean)

    def count_leading(self, roles: Iterable[int], directory: int, *, leads_on: bool) -> None:
        """Count a page that pays, for each of its classes with a page that leads on."""
        if leads_on or len(self._leading):
            keys = [*roles, directory]
            self._leading.credit(keys if leads_on else filter(self._leading.__contains__, keys), leads_on)

    def is_generated(self, key: int) -> bool:
        """Return whether a class looks generated."""
        return looks_generated(*self._leading.get(key))

    def records(self, roles: Iterable[int], directory: int) -> list[ClassRecord]:
        """Return the records of roles and of a directory."""
        role_records = [ClassRecord(role, *self._roles.get(role)) for role in roles]
        return [*role_records, ClassRecord(directory, *self._directories.get(directory))]

    def largest(self, most: int) -> list[RoleRecord]:
        """Return the roles that led to most pages, at most so many.  Cost: O(roles)."""
        best = sorted(self._roles.items(), key=lambda item: (-item[1][0], item[0]))[:most]
        return [RoleRecord(role, *record, class_yield(*record, self.mean)) for role, record in best]

    def columns(self) -> Frozen:
        """Return the sums over all pages of the site."""
        return {"site": Numbers(self._site)}

    def load(self, snapshot: Snapshot) -> None:
        """Restore the sums."""
        pages, words = snapshot.numbers("site", count=2, below=MAX_COUNT * MAX_PAY).tolist()
        self._site = pages, words
