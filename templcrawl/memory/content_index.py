"""The contents of a site's pages, to recognise a page that repeats an earlier one, exactly or nearly.

A content is filed under the hash of its words and under each band of its sketch (see
:mod:`templcrawl.algorithms.similarity.shingles`), its *buckets*: locality-sensitive hashing, Indyk & Motwani
(STOC 1998).
What is filed under the same hash is an exact duplicate.  What shares bands is a candidate; the candidates
with the most bands in common are compared by sketch until one is a near-duplicate.

Bounded: at most ``limit`` contents; the least recently used leaves, with its bands.  A bucket has the
``_OWNERS`` contents that were used last, so that a text that half the site has in common costs no more than
another.  Only the contents are saved, since the buckets follow from them.

Cost: O(bands * owners) a look-up and at most ``_COMPARED`` comparisons, in practice less than one.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import NamedTuple

import numpy as np

from templcrawl.algorithms.similarity.near_duplicates import Content, are_near_duplicates
from templcrawl.algorithms.similarity.shingles import BANDS, MINIMA, Sketch
from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.key_tables import RecordTable
from templcrawl.memory.snapshots import Snapshot

_OWNERS = 8
_COMPARED = 16
_FIGURES = 3 + BANDS  # numbers that are stored of a content before its minima: hash, terms, size, bands
_BYTES = 8  # of a number
_SHORT = 2 * _BYTES  # bytes of a content without a sketch: hash and terms


class Duplicate(NamedTuple):
    """The page whose content a content repeats.

    key    the key of the earlier content
    exact  whether it has the same words in the same order
    """

    key: int
    exact: bool


class ContentIndex(RecordTable):
    """Contents by key, packed, and an index to find what repeats one of them."""

    def __init__(self, *, limit: int, max_difference: float = inf) -> None:
        """Start empty.

        limit           contents that are stored
        max_difference  in how many shingles near-duplicates may differ; for whole pages with their template
        """
        super().__init__(limit)
        self._max_difference = max_difference
        self._index: dict[int, tuple[int, ...]] = {}

    def find(self, key: int, content: Content, *, touch: bool = True) -> Duplicate | None:
        """Return another content that this one repeats, or None; an empty one repeats none.

        touch  whether the other one has been met by this, and becomes the most recent
        """
        duplicate = self._find(key, content) if content.terms else None
        if duplicate is not None and touch:
            self.touch(duplicate.key)
        return duplicate

    def _find(self, key: int, content: Content) -> Duplicate | None:
        for owner in self._index.get(content.hash, ()):
            if owner != key:
                return Duplicate(owner, exact=True)
        if content.sketch is None:
            return None
        shared: dict[int, int] = {}  # other content -> bands in common
        for band in content.sketch.bands:
            for owner in self._index.get(band, ()):
                shared[owner] = shared.get(owner, 0) + 1
        shared.pop(key, None)
        for owner in sorted(shared, key=shared.__getitem__, reverse=True)[:_COMPARED]:
            if self._is_near(owner, content.sketch):
                return Duplicate(owner, exact=False)
        return None

    def _is_near(self, key: int, sketch: Sketch) -> bool:
        stored = unpacked(self.get(key)).sketch
        return stored is not None and are_near_duplicates(stored, sketch, max_difference=self._max_difference)

    def touch(self, key: int) -> bytes | None:
        """Make a content the most recent, also in its buckets; return it packed, or None."""
        if key not in self:
            return None
        stored = self.get(key)
        self.insert(key, unpacked(stored))
        return stored

    def insert(self, key: int, content: Content) -> None:
        """Insert a content; one that repeats another need not be inserted, and takes no room then."""
        if key in self:
            self.drop(key)
        elif len(self) == self.limit:
            self.drop(self.least_recent())
        self[key] = packed(content)
        self._file(key, (content.hash, *(content.sketch.bands if content.sketch else ())))

    def _file(self, key: int, buckets: Iterable[int]) -> None:
        index, alone = self._index, (key,)
        for bucket in buckets:
            index[bucket] = index[bucket][1 - _OWNERS :] + alone if bucket in index else alone

    def drop(self, key: int) -> None:
        """Remove a content, if it is there."""
        for bucket in _buckets(self.pop(key) or b""):
            owners = tuple(owner for owner in self._index.get(bucket, ()) if owner != key)
            if owners:
                self._index[bucket] = owners
            else:
                self._index.pop(bucket, None)

    def load(self, snapshot: Snapshot) -> None:
        """Restore the contents; if they are more than the limit allows, those that were met last."""
        super().load(snapshot)
        if not all(map(_is_sound, self.values())):
            raise InvalidSnapshot("records", "a content is truncated")
        for key, record in self.items():
            self._file(key, _buckets(record))


def packed(content: Content) -> bytes:
    """Return a content as bytes, which costs the garbage collector nothing."""
    sketch = content.sketch
    if sketch is None:
        return np.array((content.hash, content.terms), "<u8").tobytes()
    figures = np.array((content.hash, content.terms, sketch.size, *sketch.bands), "<u8")
    return figures.tobytes() + sketch.minima.astype("<u8").tobytes()


def unpacked(stored: bytes) -> Content:
    """Return the content of bytes that ``packed`` made; raises ValueError for other bytes."""
    numbers = np.frombuffer(stored, "<u8")
    content, terms, *sketch_figures = numbers[:_FIGURES].tolist()
    sketch = (
        Sketch(numbers[_FIGURES:], sketch_figures[0], tuple(sketch_figures[1:])) if sketch_figures else None
    )
    return Content(content, terms, sketch)


def _is_sound(record: bytes) -> bool:
    """Return whether a record is as long as what it says."""
    if len(record) < _BYTES * _FIGURES:
        return len(record) == _SHORT
    return len(record) == _BYTES * (_FIGURES + min(int.from_bytes(record[16:24], "little"), MINIMA))


def _buckets(record: bytes) -> list[int]:
    """Return the keys of a content in the index: its hash, and the bands of its sketch."""
    figures: list[int] = np.frombuffer(record[: _BYTES * _FIGURES], "<u8").tolist()
    return figures[:1] + figures[3:]
