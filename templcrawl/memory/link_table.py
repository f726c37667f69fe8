"""In which pagelets of a site each link target was found, in which roles, and what its links say.

A target keeps at most ``_KEPT`` distinct pagelets and as many roles, the latest; a link found in template
pagelets and in another one counts as content, so what is kept of a menu link matters less than what is
new.  Bounded: the targets not seen for longest leave, and are then links about which nothing is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from templcrawl.errors import BrokenInvariant, InvalidSnapshot
from templcrawl.memory.recent import Recent
from templcrawl.memory.snapshots import Frozen, Plain, pack, packed, reading

_KEPT = 4


class _Found(NamedTuple):
    """Where links to a target were found: shingles of pagelets, and roles."""

    pagelets: tuple[int, ...] = ()
    roles: tuple[int, ...] = ()


class LinkTable:
    """Key of a link target -> the pagelets and the roles that it was found in."""

    def __init__(self, *, limit: int) -> None:
        self._found: Recent[int, _Found] = Recent(limit)
        self._pagination: Recent[int, None] = Recent(limit)
        self._named: Recent[int, None] = Recent(limit)

    def __len__(self) -> int:
        return len(self._found)

    def __contains__(self, target: int) -> bool:
        return target in self._found

    def add(self, target: int, shingle: int, role: int) -> bool:
        """Remember that a link to ``target`` was found in this pagelet, in this role; say if that is new."""
        pagelets, roles = self._found.get(target) or _Found()
        self._found[target] = _Found(_with(pagelets, shingle), _with(roles, role))
        return shingle not in pagelets

    def add_pagination(self, target: int) -> None:
        """Remember that a link to ``target`` pages through a list."""
        self._pagination[target] = None

    def add_named(self, target: int) -> None:
        """Remember that a link to ``target`` names the topic of a focused crawl."""
        self._named[target] = None

    def is_named(self, target: int) -> bool:
        """Say whether a link to a target names the topic."""
        return target in self._named

    def pagelets(self, target: int) -> Sequence[int]:
        """Return the shingles of the pagelets in which links to a target were found."""
        return (self._found.get(target) or _Found()).pagelets

    def roles(self, target: int) -> Sequence[int]:
        """Return the roles in which links to a target were found."""
        return (self._found.get(target) or _Found()).roles

    def is_pagination(self, target: int) -> bool:
        """Say whether a link to a target pages through a list."""
        return target in self._pagination

    def check(self) -> None:
        """Raise BrokenInvariant if a table is over its limit, or a target has too much."""
        self._found.check()
        self._pagination.check()
        self._named.check()
        for target, found in self._found.items():
            if not all(1 <= len(set(kept)) == len(kept) <= _KEPT for kept in found):
                raise BrokenInvariant("LinkTable", f"target {target:x} has {found}")

    def snapshot(self) -> Plain:
        """Return the table as plain values, the least recently seen first."""
        return self.freeze()()

    def freeze(self) -> Frozen:
        """Return what makes the snapshot of the table as it is now."""
        targets, found = list(self._found), list(self._found.values())
        pagination, named = list(self._pagination), list(self._named)
        return lambda: {
            "targets": pack(targets),
            "counts": pack((len(kept) for each in found for kept in each), "B"),
            "pagelets": pack(shingle for each in found for shingle in each.pagelets),
            "roles": pack(role for each in found for role in each.roles),
            "pagination": pack(pagination),
            "named": pack(named),
        }

    def restore(self, snapshot: Plain) -> None:
        """Take up a snapshot; raises InvalidSnapshot."""
        with reading(self):
            counts = packed(snapshot, "counts", "B")
            columns = (
                _parted(packed(snapshot, "pagelets"), counts[::2]),
                _parted(packed(snapshot, "roles"), counts[1::2]),
            )
            self._found.take_up(packed(snapshot, "targets"), list(map(_Found, *columns)))
            for name, table in (("pagination", self._pagination), ("named", self._named)):
                targets = packed(snapshot, name)
                table.take_up(targets, [None] * len(targets))


def _parted(numbers: Sequence[int], counts: Sequence[int]) -> list[tuple[int, ...]]:
    """Return numbers in parts of so many each; raises InvalidSnapshot if they are more or fewer."""
    if sum(counts) != len(numbers):
        raise InvalidSnapshot("counts", f"{len(numbers)} numbers, {sum(counts)} counted")
    left = iter(numbers)
    return [tuple(islice(left, many)) for many in counts]


def _with(kept: tuple[int, ...], found: int) -> tuple[int, ...]:
    """Return what is kept with one more; the oldest goes where there are too many."""
    return kept if found in kept else (*kept[-_KEPT + 1 :], found)
