"""Tables of a site's links by key: pagelets, where links to a target stand, what classes of links paid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from templcrawl.algorithms.crawl_order.link_value import (
    MAX_PAY,
    ClassRecord,
    class_yield,
    link_value,
    looks_generated,
)
from templcrawl.algorithms.pagelets.partition import LinkPlaces
from templcrawl.memory.key_tables import (
    FIRST_SLOTS,
    CountTable,
    ListTable,
    NumberList,
    PairTable,
    append_latest,
    slots_of,
)
from templcrawl.memory.snapshots import MAX_COUNT, Frozen, Numbers, Section, Snapshot
from templcrawl.page.arrays import MIX, Keys

_SLOTS_EACH = 4  # of a target, so that few of its links share one with others


class PageletTable(CountTable):
    """Shingle of a pagelet -> pages that carry it: local template detection as the crawl goes.

    Source: Bar-Yossef & Rajagopalan (WWW 2002), Figure 4, stored as one count a shingle.  A pagelet is
    template once ``template_pages`` pages carry it.
    """

    def __init__(self, *, template_pages: int, limit: int) -> None:
        super().__init__(limit)
        self._template_pages = template_pages

    def count(self, shingles: Iterable[int]) -> None:
        """Count one more page for each of these pagelets."""
        young, old = self._young, self._old
        for shingle in dict.fromkeys(shingles):
            if shingle:
                young[shingle] = (young.pop(shingle, None) or old.pop(shingle, 0)) + 1
        self.trim()

    def template_pages(self, shingles: Sequence[int]) -> list[int]:
        """Return for each of these pagelets how many pages carry it if it is template, else 0."""
        young, old, least = self._young, self._old, self._template_pages
        counts = [young.get(shingle, 0) for shingle in shingles]
        if old:
            counts = [pages or old.get(shingle, 0) for pages, shingle in zip(counts, shingles)]
        return [pages if pages >= least else 0 for pages in counts]


class LinkTable(ListTable):
    """Key of a link target -> the latest pagelets and roles of links to it, and tag paths of their anchors.

    A link that stands in template pagelets and in another one counts as content, so what is stored of a menu
    link matters less than what is new.  Nothing is known about an evicted target.

    >>> table = LinkTable(limit=10)
    >>> table.insert_links([7, 8], [1, 2], LinkPlaces([5], [0, -1], [9, 0]))
    [0, 1]
    >>> table.pagelets(7), table.roles(7), table.pagelets(8), table.anchors(8).tolist()
    ((5,), (9,), (), [2])
    """

    def __init__(self, *, limit: int) -> None:
        super().__init__(limit, lists=3)
        self._filed: Keys = np.zeros(FIRST_SLOTS, dtype=np.uint64)  # links, each in a slot of its own
        self._inserted = 0  # targets since it was emptied

    def update_anchors(self, targets: Keys, paths: Keys) -> None:
        """Insert the anchors of the links of a page: link -> the tag path of its anchor.

        Most links of a page were filed before: one look-up tells the others.  All are filed again after as
        many new targets as half of the limit, so that none leaves to which pages go on linking.
        """
        links = targets * np.uint64(MIX) ^ paths
        slots = slots_of(links, len(self._filed))
        is_new = self._filed[slots] != links
        if not np.count_nonzero(is_new):
            return
        self._filed[slots] = links
        young, old, before = self._young, self._old, len(self)
        for target, path in zip(targets[is_new].tolist(), paths[is_new].tolist()):
            pagelets, roles, anchors = young.pop(target, None) or old.pop(target, self.empty)
            if path not in anchors:
                anchors = append_latest(anchors, path)
            young[target] = pagelets, roles, anchors
        self._inserted += len(self) - before
        self.trim()
        if 2 * self._inserted >= self.limit:
            self._filed, self._inserted = np.zeros_like(self._filed), 0
        if _SLOTS_EACH * len(self) > len(self._filed):
            self._filed = np.zeros(2 * len(self._filed), dtype=np.uint64)

    def insert_links(self, targets: Iterable[int], paths: Iterable[int], places: LinkPlaces) -> list[int]:
        """Insert the links of a page; return the numbers of those that stand in no pagelet known before.

        paths  link -> tag path of its anchor
        """
        young, old, new = self._young, self._old, []
        shingles = places.shingles
        links = zip(targets, paths, places.pagelets, places.roles)
        for number, (target, path, pagelet, role) in enumerate(links):
            pagelets, roles, anchors = young.pop(target, None) or old.pop(target, self.empty)
            if pagelet < 0 or shingles[pagelet] not in pagelets:
                new.append(number)
                if pagelet >= 0:
                    pagelets = append_latest(pagelets, shingles[pagelet])
            if pagelet >= 0 and role not in roles:
                roles = append_latest(roles, role)
            if path not in anchors:
                anchors = append_latest(anchors, path)
            young[target] = pagelets, roles, anchors
        self.trim()
        return new

    def pagelets(self, target: int) -> NumberList:
        """Return the shingles of the pagelets in which links to a target stand."""
        return self.get(target)[0]

    def roles(self, target: int) -> NumberList:
        """Return the roles in which links to a target stand."""
        return self.get(target)[1]

    def anchors(self, target: int) -> Keys:
        """Return the paths of the anchors that lead to a target."""
        return np.array(self.get(target)[2], dtype=np.uint64)


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
    Source: :mod:`templcrawl.algorithms.crawl_order.link_value`.

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
