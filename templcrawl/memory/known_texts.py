"""The texts of a site's pages as sketches, to recognise a page that nearly repeats an earlier one.

A page is filed under each of its super-shingles, the latest page under one winning; a new page
is compared with the pages that it shares a super-shingle with, at most one for each.  Bounded: the pages not
met for longest leave.  Cost: O(1) a page.
"""

from __future__ import annotations

import numpy as np

from templcrawl.algorithms.near_duplicates import are_near_duplicates
from templcrawl.algorithms.shingles import GROUPS, Sketch, super_shingles
from templcrawl.memory.plain import Plain, entry, pack, unpack
from templcrawl.memory.recent import Recent


class KnownTexts:
    """Sketches of texts by key, and an index to find near-duplicates."""

    def __init__(self, *, limit: int) -> None:
        self._sketches: Recent[int, Sketch] = Recent(limit)
        self._index: Recent[int, int] = Recent(limit * GROUPS)

    def __len__(self) -> int:
        return len(self._sketches)

    def near_duplicate(self, key: int, text: Sketch) -> int | None:
        """Return the key of another text that this one nearly repeats, or None; empty texts repeat none."""
        if not text.size:
            return None
        for super_shingle in super_shingles(text):
            candidate = self._index.get(super_shingle)
            if candidate is None or candidate == key:
                continue
            known = self._sketches.use(candidate)
            if known is not None and are_near_duplicates(known, text):
                return candidate
        return None

    def add(self, key: int, text: Sketch) -> None:
        """Remember a text."""
        self._sketches[key] = text
        for super_shingle in super_shingles(text):
            self._index[super_shingle] = key

    def check(self) -> None:
        """Raise BrokenInvariant if a table is larger than its limit."""
        self._sketches.check()
        self._index.check()

    def snapshot(self) -> Plain:
        """Return the sketches as plain values, the least recently met first."""
        return {
            "texts": [
                {"key": key, "size": text.size, "minima": pack(text.minima.tolist())}
                for key, text in self._sketches.items()
            ],
            "super_shingles": pack(self._index),
            "owners": pack(self._index.values()),
        }

    def restore(self, snapshot: Plain) -> None:
        """Take up a snapshot; raises InvalidSnapshot."""
        for text in entry(snapshot, "texts", list):
            minima = np.array(unpack(entry(text, "minima", str)), dtype=np.uint64)
            self._sketches[entry(text, "key", int)] = Sketch(minima, entry(text, "size", int))
        owners = unpack(entry(snapshot, "owners", str))
        for super_shingle, key in zip(unpack(entry(snapshot, "super_shingles", str)), owners):
            self._index[super_shingle] = key
