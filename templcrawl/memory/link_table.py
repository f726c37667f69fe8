"""In which pagelets of a site each link target was found, in which roles, and what its links say.

A target keeps at most ``_KEPT`` distinct pagelets and as many roles, the latest; a link found in template
pagelets and in another one counts as content, so what is kept of a menu link matters less than what is
new.  Bounded: the targets not seen for longest leave, and are then links about which nothing is known.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from templcrawl.errors import BrokenInvariant
from templcrawl.memory.entries import NUMBERS, in_parts, numbers
from templcrawl.memory.recent import Recent
from templcrawl.memory.snapshots import Column, Columns, Part, Table

_KEPT = 4


class _Found(NamedTuple):
    """Where links to a target were found: shingles of pagelets, and roles."""

    pagelets: tuple[int, ...] = ()
    roles: tuple[int, ...] = ()


class LinkTable(Part):
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
        super().check()
        self._found.check()
        for target, found in self._found.items():
            if not all(1 <= len(set(kept)) == len(kept) <= _KEPT for kept in found):
                raise BrokenInvariant("LinkTable", f"target {target:x} has {found}")

    def columns(self) -> list[Column]:
        """Return the tables, the least recently seen first."""
        kinds = {
            "targets": NUMBERS,
            "counts": numbers("B", of=lambda rows: (len(kept) for row in rows for kept in row)),
            "pagelets": numbers(of=lambda rows: (shingle for row in rows for shingle in row.pagelets)),
            "roles": numbers(of=lambda rows: (role for row in rows for role in row.roles)),
        }
        return [
            Columns(kinds, lambda: [list(self._found), *[list(self._found.values())] * 3], self._set),
            Table(self._pagination, "pagination"),
            Table(self._named, "named"),
        ]

    def _set(self, targets: array[int], counts: array[int], *columns: array[int]) -> None:
        pagelets, roles = (in_parts(column, counts[of::2]) for of, column in enumerate(columns))
        self._found.take_up(targets, list(map(_Found, pagelets, roles)))


def _with(kept: tuple[int, ...], found: int) -> tuple[int, ...]:
    """Return what is kept with one more; the oldest goes where there are too many."""
    return kept if found in kept else (*kept[-_KEPT + 1 :], found)
