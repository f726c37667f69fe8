"""In which pagelets of a site each link target was found.

A target keeps at most ``_KEPT`` distinct pagelets, the latest; a link found in template pagelets and
in another one counts as content, so what is kept of a menu link matters less than what is new.
Bounded: the targets not seen for longest leave, and are then links about which nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable

from templcrawl.algorithms.crawl_order import LinkEvidence
from templcrawl.errors import BrokenInvariant
from templcrawl.memory.plain import Plain, entry, pack, unpack
from templcrawl.memory.recent import Recent

_KEPT = 4
_NOTHING = LinkEvidence()


class LinkTable:
    """Key of a link target -> shingles of the pagelets it was found in."""

    def __init__(self, *, limit: int) -> None:
        self._pagelets: Recent[int, tuple[int, ...]] = Recent(limit)
        self._pagination: Recent[int, None] = Recent(limit)

    def __len__(self) -> int:
        return len(self._pagelets)

    def __contains__(self, target: int) -> bool:
        return target in self._pagelets

    def add(self, target: int, shingle: int) -> None:
        """Remember that a link to ``target`` was found in this pagelet."""
        known = self._pagelets.get(target)
        if known is None:
            known = (shingle,)
        elif shingle not in known:
            known = (*known[-_KEPT + 1 :], shingle)
        self._pagelets[target] = known

    def add_pagination(self, target: int) -> None:
        """Remember that a link to ``target`` pages through a list."""
        self._pagination[target] = None

    def evidence(self, target: int, is_template: Callable[[int], int]) -> LinkEvidence:
        """Return what is known of a link target.

        is_template  shingle of a pagelet -> truth, whether it is template by now
        """
        shingles = self._pagelets.get(target)
        if shingles is None:
            return _NOTHING
        template = 0
        for shingle in shingles:
            if is_template(shingle):
                template += 1
        return LinkEvidence(template, len(shingles) - template, target in self._pagination)

    def check(self) -> None:
        """Raise BrokenInvariant if a table is over its limit, or a target has too many pagelets."""
        self._pagelets.check()
        self._pagination.check()
        for target, shingles in self._pagelets.items():
            if not 1 <= len(set(shingles)) == len(shingles) <= _KEPT:
                raise BrokenInvariant("LinkTable", f"target {target:x} has pagelets {shingles}")

    def snapshot(self) -> Plain:
        """Return the table as plain values, the least recently seen first."""
        entries = list(self._pagelets.items())
        return {
            "targets": pack(target for target, _ in entries),
            "counts": pack(len(shingles) for _, shingles in entries),
            "pagelets": pack(shingle for _, shingles in entries for shingle in shingles),
            "pagination": pack(self._pagination),
        }

    def restore(self, snapshot: Plain) -> None:
        """Take up a snapshot; raises InvalidSnapshot."""
        pagelets = unpack(entry(snapshot, "pagelets", str))
        first = 0
        targets = unpack(entry(snapshot, "targets", str))
        for target, count in zip(targets, unpack(entry(snapshot, "counts", str))):
            self._pagelets[target] = tuple(pagelets[first : first + count])
            first += count
        for target in unpack(entry(snapshot, "pagination", str)):
            self._pagination[target] = None
