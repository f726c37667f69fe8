"""By which anchors the pages of a site were reached: the tag paths of the links that lead to each target.

Of a target the latest ``MOST_PATHS`` distinct paths are kept.  Bounded: the targets whose paths changed
longest ago leave, and are then reached by nothing.  Cost: O(links) a page.  Memory: about 250 bytes a target.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

import numpy as np

from templcrawl.errors import BrokenInvariant
from templcrawl.memory.entries import NUMBERS, in_parts, numbers
from templcrawl.memory.lru_dict import LruDict, merged
from templcrawl.memory.snapshots import Column, Columns, Part
from templcrawl.page.ancestors import Keys

MOST_TARGETS = 8_192
MOST_PATHS = 4
_TARGET_BYTES = 250


class AnchorTable(Part):
    """Key of a link target -> keys of the tag paths of the anchors that lead to it.

    >>> table = AnchorTable()
    >>> table.add([(7, 1), (7, 2), (8, 2)])
    >>> table.leading_to(7).tolist(), table.leading_to(8).tolist(), table.leading_to(9).tolist()
    ([1, 2], [2], [])

    others  what other workers of the crawl have read, None without any
    """

    def __init__(self) -> None:
        self._paths: LruDict[int, tuple[int, ...]] = LruDict(MOST_TARGETS)
        self.others: AnchorTable | None = None

    @property
    def nbytes(self) -> int:
        """Bytes that it takes, about."""
        return _TARGET_BYTES * len(self._paths)

    def add(self, links: Iterable[tuple[int, int]]) -> None:
        """Take note of the links of a page: (key of the target, path of the anchor)."""
        known, keep = self._paths.get, self._paths.set
        for target, path in dict.fromkeys(links):
            paths = known(target)
            if paths is None:
                keep(target, (path,))
            elif path not in paths:
                keep(target, (*paths[-MOST_PATHS + 1 :], path))

    def leading_to(self, target: int) -> Keys:
        """Return the paths of the anchors that lead to a page, as far as known."""
        own = self._paths.get(target) or ()
        beside = () if self.others is None else self.others._paths.get(target) or ()
        return np.array(list(dict.fromkeys((*own, *beside))), dtype=np.uint64)

    def unite(self, tables: Sequence[AnchorTable]) -> None:
        """Become what tables say together; of a target the paths with the smallest keys stay."""
        rows = ([(target, _least(paths)) for target, paths in table._paths.items()] for table in tables)
        self._paths = merged(rows, lambda first, second: _least((*first, *second)), MOST_TARGETS)

    def validate(self) -> None:
        """Raise BrokenInvariant if there are too many targets, or a target has too many paths."""
        self._paths.validate()
        if not all(1 <= len(set(paths)) == len(paths) <= MOST_PATHS for paths in self._paths.values()):
            raise BrokenInvariant("AnchorTable", "a target has a path twice, or too many")

    def columns(self) -> list[Column]:
        """Return the targets, those whose paths changed longest ago first."""
        kinds = {
            "targets": NUMBERS,
            "counts": numbers("B", of=lambda rows: map(len, rows)),
            "paths": numbers(of=lambda rows: (path for paths in rows for path in paths)),
        }
        return [Columns(kinds, lambda: [list(self._paths), *[list(self._paths.values())] * 2], self._set)]

    def _set(self, targets: array[int], counts: Sequence[int], paths: Sequence[int]) -> None:
        self._paths.restore(targets, in_parts(paths, counts))


def _least(paths: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(set(paths))[:MOST_PATHS])
