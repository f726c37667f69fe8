"""In which pagelets of a site the links to each target stand, in which roles, and what they say.

A target keeps at most ``_KEPT`` distinct pagelets and as many roles, the latest; a link found in template
pagelets and in another one counts as content, so what is kept of a menu link matters less than what is
new.  Bounded: the targets not seen for longest leave, and are then links about which nothing is known.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from templcrawl.errors import BrokenInvariant
from templcrawl.memory.entries import NUMBERS, in_parts, numbers
from templcrawl.memory.lru_dict import LruDict, merged, no_value
from templcrawl.memory.snapshots import Column, Columns, Part, Table

_KEPT = 4

_Target = tuple[tuple[int, ...], tuple[int, ...]]
"""Where the links to a target stand: shingles of pagelets, and roles.

A plain tuple of plain tuples of numbers, which the garbage collector need not walk through: a long crawl has
hundreds of thousands.
"""

_NOWHERE: _Target = ((), ())


class LinkTable(Part):
    """Key of a link target -> the pagelets and the roles that links to it stand in.

    others  what other workers of the crawl have read, None without any
    """

    def __init__(self, *, limit: int) -> None:
        self._targets: LruDict[int, _Target] = LruDict(limit)
        self._pagination: LruDict[int, None] = LruDict(limit)
        self._named: LruDict[int, None] = LruDict(limit)
        self.others: LinkTable | None = None

    def __len__(self) -> int:
        return len(self._targets)

    def __contains__(self, target: int) -> bool:
        return target in self._targets or (self.others is not None and target in self.others)

    def knows_all(self, targets: Iterable[int]) -> bool:
        """Say whether links to all of these targets were seen."""
        if self.others is not None:
            return all(target in self for target in targets)
        return None not in map(self._targets.get, targets)

    def add(self, target: int, shingle: int, role: int) -> bool:
        """Remember that a link to ``target`` stands in this pagelet, in this role; say if that is new."""
        pagelets, roles = self._targets.touch(target) or _NOWHERE
        if shingle in pagelets and role in roles:
            return False
        self._targets[target] = (_with(pagelets, shingle), _with(roles, role))
        return shingle not in pagelets

    def add_pagination(self, target: int) -> None:
        """Remember that a link to ``target`` pages through a list."""
        self._pagination[target] = None

    def add_named(self, target: int) -> None:
        """Remember that a link to ``target`` names the topic of a focused crawl."""
        self._named[target] = None

    def is_named(self, target: int) -> bool:
        """Say whether a link to a target names the topic."""
        return target in self._named or (self.others is not None and self.others.is_named(target))

    def pagelets(self, target: int) -> Sequence[int]:
        """Return the shingles of the pagelets in which links to a target stand."""
        return self._of(target)[0]

    def roles(self, target: int) -> Sequence[int]:
        """Return the roles in which links to a target stand."""
        return self._of(target)[1]

    def _of(self, target: int) -> _Target:
        own = self._targets.get(target) or _NOWHERE
        if self.others is None:
            return own
        others = self.others._of(target)
        return _both(own[0], others[0]), _both(own[1], others[1])

    def is_pagination(self, target: int) -> bool:
        """Say whether a link to a target pages through a list."""
        return target in self._pagination or (self.others is not None and self.others.is_pagination(target))

    def unite(self, tables: Sequence[LinkTable]) -> None:
        """Become what tables say together; of a target the pagelets and roles with the smallest keys stay."""
        limit = self._targets.limit
        targets = [[(key, _least(*target)) for key, target in table._targets.items()] for table in tables]
        self._targets = merged(targets, lambda a, b: _least(_both(a[0], b[0]), _both(a[1], b[1])), limit)
        self._pagination = merged((table._pagination.items() for table in tables), no_value, limit)
        self._named = merged((table._named.items() for table in tables), no_value, limit)

    def validate(self) -> None:
        """Raise BrokenInvariant if a table is over its limit, or a target has too much."""
        super().validate()
        self._targets.validate()
        for key, target in self._targets.items():
            if not all(1 <= len(set(kept)) == len(kept) <= _KEPT for kept in target):
                raise BrokenInvariant("LinkTable", f"target {key:x} has {target}")

    def columns(self) -> list[Column]:
        """Return the tables, the least recently seen first."""
        kinds = {
            "targets": NUMBERS,
            "counts": numbers("B", of=lambda rows: (len(kept) for row in rows for kept in row)),
            "pagelets": numbers(of=lambda rows: (shingle for pagelets, _ in rows for shingle in pagelets)),
            "roles": numbers(of=lambda rows: (role for _, roles in rows for role in roles)),
        }
        return [
            Columns(kinds, lambda: [list(self._targets), *[list(self._targets.values())] * 3], self._set),
            Table(self._pagination, "pagination"),
            Table(self._named, "named"),
        ]

    def _set(self, targets: array[int], counts: array[int], *columns: array[int]) -> None:
        pagelets, roles = (in_parts(column, counts[of::2]) for of, column in enumerate(columns))
        self._targets.restore(targets, list(zip(pagelets, roles, strict=True)))


def _with(kept: tuple[int, ...], latest: int) -> tuple[int, ...]:
    """Return what is kept with one more; the oldest goes where there are too many."""
    return kept if latest in kept else (*kept[-_KEPT + 1 :], latest)


def _both(kept: tuple[int, ...], others: tuple[int, ...]) -> tuple[int, ...]:
    return (*kept, *(other for other in others if other not in kept))


def _least(pagelets: tuple[int, ...], roles: tuple[int, ...]) -> _Target:
    return tuple(sorted(pagelets)[:_KEPT]), tuple(sorted(roles)[:_KEPT])
