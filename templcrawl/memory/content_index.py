"""The contents of a site's pages, to recognise a page that repeats an earlier one, exactly or nearly.

A content is filed under the hash of its words and under each band of its sketch (see
:mod:`templcrawl.algorithms.similarity.shingles`), its *buckets*: locality-sensitive hashing, Indyk & Motwani
(STOC 1998).
What is filed under the same hash is an exact duplicate.  What shares bands is a candidate; the candidates
with the most bands in common are compared by sketch until one is a near-duplicate.

A *whole text* is the content of a whole page, template and all.  The detectors that keep pages know those of
the pages that they keep: a page that nearly repeats one of them is not compared with that one, nor
stored, since what a whole page repeats is no evidence of templates.

Bounded: at most ``limit`` contents, the ones not met for longest leave, their bands with them; under one
hash the ``_OWNERS`` latest are filed, so that a text that half the site has in common costs no more than
another.  Cost: O(bands * owners) a look-up and at most ``_COMPARED`` comparisons, in practice less than one.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from math import inf
from typing import NamedTuple

import numpy as np

from templcrawl.algorithms.similarity.near_duplicates import (
    MAX_DIFFERENCE,
    Content,
    are_near_duplicates,
    whole_text_of,
)
from templcrawl.algorithms.similarity.shingles import BANDS, MINIMA, Sketch
from templcrawl.errors import BrokenInvariant, InvalidSnapshot
from templcrawl.memory.lru_dict import LruDict, merged
from templcrawl.memory.snapshot_parts import Entries, Part, Section
from templcrawl.memory.snapshot_values import (
    COUNT,
    KEY,
    NUMBERS,
    SORTED_KEYS,
    Kind,
    Snapshot,
    entry,
    numbers,
    read_row,
    split_by,
    write_row,
)
from templcrawl.page.page import Page

_Numbers = Sequence[int]

_OWNERS = 8
_COMPARED = 16
_FIGURES = 3 + BANDS
"""Numbers that are stored of a content before its minima."""


class Duplicate(NamedTuple):
    """What a content repeats.

    key    the key of the earlier content
    exact  whether it has the same words in the same order
    """

    key: int
    exact: bool


class ContentIndex(LruDict[int, bytes], Section):
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
        if duplicate is None and self.remote is not None:
            return self.remote.find(key, content, touch=False)
        return duplicate

    def _find(self, key: int, content: Content) -> Duplicate | None:
        for owner in self._index.get(content.hash, ()):
            if owner != key:
                return Duplicate(owner, exact=True)
        if content.sketch is None:
            return None
        owners = [owner for band in content.sketch.bands for owner in self._index.get(band, ())]
        if not owners:
            return None
        shared = Counter(owners)
        del shared[key]
        for owner, _ in shared.most_common(_COMPARED):
            if self._is_near(owner, content.sketch):
                return Duplicate(owner, exact=False)
        return None

    def _is_near(self, key: int, sketch: Sketch) -> bool:
        stored = unpacked(self._entries[key]).sketch
        return stored is not None and are_near_duplicates(stored, sketch, max_difference=self._max_difference)

    def insert(self, key: int, content: Content) -> None:
        """Insert a content; one that repeats another need not be inserted, and takes no room then."""
        self.drop(key)
        if len(self) == self.limit:
            self.drop(self.least_recent())
        self[key] = packed(content)
        index, alone = self._index, (key,)
        for bucket in _buckets(content):
            index[bucket] = index[bucket][1 - _OWNERS :] + alone if bucket in index else alone

    def drop(self, key: int) -> None:
        """Take a content out, if it is there."""
        stored = self.pop(key)
        for bucket in _buckets(unpacked(stored)) if stored else ():
            owners = tuple(owner for owner in self._index.get(bucket, ()) if owner != key)
            if owners:
                self._index[bucket] = owners
            else:
                self._index.pop(bucket, None)

    def merge(self, indexes: Sequence[ContentIndex]) -> None:
        """Become the union of indexes; of too many contents those with the smallest keys remain."""
        contents = merged((index._unpacked() for index in indexes), _larger, self.limit)
        for key, content in contents.items():
            self.insert(key, content)

    def validate(self) -> None:
        """Raise BrokenInvariant if there are too many contents, or one is filed where it does not belong."""
        super().validate()
        buckets = {key: _buckets(content) for key, content in self._unpacked()}
        for bucket, owners in self._index.items():
            if not 1 <= len(set(owners)) == len(owners) <= _OWNERS:
                raise BrokenInvariant("ContentIndex", f"{owners} are filed under {bucket:x}")
            for owner in owners:
                if bucket not in buckets.get(owner, ()):
                    raise BrokenInvariant("ContentIndex", f"{owner:x} is filed under {bucket:x}, not its own")

    def parts(self) -> Sequence[Part]:
        """Return the contents, the least recently met first, and the index."""
        kinds = {
            "contents": _CONTENTS,
            "places": NUMBERS,
            "counts": numbers(of=lambda filed: map(len, filed)),
            "owners": numbers(of=chain.from_iterable),
        }
        return [Entries(kinds, self._copied, self._set)]

    def _copied(self) -> Sequence[object]:
        filed = list(self._index.values())
        return [list(self.items()), list(self._index), filed, filed]

    def _unpacked(self) -> Iterator[tuple[int, Content]]:
        return ((key, unpacked(stored)) for key, stored in self.items())

    def _set(
        self, rows: list[tuple[int, Content]], buckets: _Numbers, counts: _Numbers, owners: _Numbers
    ) -> None:
        """Load a snapshot; of more contents than the limit allows, those that were met last."""
        stored = {key for key, _ in rows}
        self.fill([key for key, _ in rows], [packed(content) for _, content in rows])
        if not len(set(buckets)) == len(buckets) == len(counts):
            raise InvalidSnapshot("places", f"{len(buckets)} buckets, {len(counts)} counts")
        if not all(counts) or not stored.issuperset(owners):
            raise InvalidSnapshot("owners", "a bucket has none, or one that is not stored")
        for bucket, filed in zip(buckets, split_by(owners, counts)):
            owners_here = tuple(owner for owner in filed if owner in self)
            if owners_here:
                self._index[bucket] = owners_here


class WholeText(NamedTuple):
    """The whole text of a page.

    key      key of the page
    content  its words
    repeats  key of another page that it nearly repeats, or None
    """

    key: int
    content: Content
    repeats: int | None


class WholeTexts(ContentIndex):
    """The whole texts of at most ``limit`` pages."""

    def __init__(self, *, limit: int) -> None:
        super().__init__(limit=limit, max_difference=MAX_DIFFERENCE)

    def read(self, key: int, page: Page) -> WholeText:
        """Return the whole text of a page, and which other page it nearly repeats.

        key  what the page is filed under
        """
        content = whole_text_of(page)
        repeated = self.find(key, content, touch=False)
        return WholeText(key, content, repeated.key if repeated else None)

    def insert_text(self, text: WholeText) -> None:
        """Insert a text as that of the latest page; if it repeats another text, touch that one."""
        if text.repeats is None:
            self.insert(text.key, text.content)
        else:
            self.touch(text.repeats)


def _larger(first: Content, second: Content) -> Content:
    """Return the one of two contents of a page that remains."""
    return max(first, second, key=lambda content: (content.hash, content.terms))


def packed(content: Content) -> bytes:
    """Return a content as bytes, which the garbage collector need not walk through."""
    sketch = content.sketch
    if sketch is None:
        return array("Q", (content.hash, content.terms)).tobytes()
    figures = array("Q", (content.hash, content.terms, sketch.size, *sketch.bands))
    return figures.tobytes() + sketch.minima.tobytes()


def unpacked(stored: bytes) -> Content:
    """Return what ``packed`` was given."""
    numbers = np.frombuffer(stored, np.uint64)
    content, terms, *of_sketch = numbers[:_FIGURES].tolist()
    sketch = Sketch(numbers[_FIGURES:], of_sketch[0], tuple(of_sketch[1:])) if of_sketch else None
    return Content(content, terms, sketch)


def _buckets(content: Content) -> tuple[int, ...]:
    """Return the buckets of a content: its hash, then its bands."""
    return (content.hash, *content.sketch.bands) if content.sketch else (content.hash,)


_CONTENT = {"key": KEY, "hash": KEY, "terms": COUNT}
_SKETCH = {"minima": SORTED_KEYS, "size": COUNT, "bands": NUMBERS}


def _plain(key: int, content: Content) -> Snapshot:
    plain = write_row(_CONTENT, (key, content.hash, content.terms))
    return plain | write_row(_SKETCH, content.sketch) if content.sketch else plain


def _content(plain: Snapshot) -> tuple[int, Content]:
    """Read what ``_plain`` made; raises InvalidSnapshot."""
    (key, content_hash, terms), sketch = read_row(_CONTENT, plain), None
    if not plain.keys().isdisjoint(_SKETCH):
        minima, size, bands = read_row(_SKETCH, plain)
        sketch = Sketch(minima, size, tuple(bands))
        if len(minima) != min(size, MINIMA) or len(bands) != BANDS:
            raise InvalidSnapshot("sketch", f"{len(minima)} minima of {size}, {len(bands)} bands")
    return key, Content(content_hash, terms, sketch)


_CONTENTS = Kind(
    lambda rows: [_plain(key, unpacked(stored)) for key, stored in rows],
    lambda snapshot, name: [_content(plain) for plain in entry(snapshot, name, list)],
)
