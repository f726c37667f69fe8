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

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from math import inf
from typing import NamedTuple

from templcrawl.algorithms.similarity.near_duplicates import (
    MAX_DIFFERENCE,
    Content,
    are_near_duplicates,
    whole_text_of,
)
from templcrawl.algorithms.similarity.shingles import BANDS, MINIMA, Sketch
from templcrawl.errors import BrokenInvariant, InvalidSnapshot
from templcrawl.memory.columns import Column, Columns, Section
from templcrawl.memory.kinds import (
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
from templcrawl.memory.lru_dict import LruDict, merged
from templcrawl.page.page import Page

_Numbers = Sequence[int]

_OWNERS = 8
_COMPARED = 16


class Duplicate(NamedTuple):
    """What a content repeats.

    key    the key of the earlier content
    exact  whether it has the same words in the same order
    """

    key: int
    exact: bool


class ContentIndex(Section):
    """Contents by key, and an index to find what repeats one of them."""

    def __init__(self, *, limit: int, max_difference: float = inf) -> None:
        """Start empty.

        limit           contents that are stored
        max_difference  in how many shingles near-duplicates may differ; for whole pages with their template
        """
        self._max_difference = max_difference
        self._contents: LruDict[int, Content] = LruDict(limit)
        self._index: dict[int, tuple[int, ...]] = {}

    def __len__(self) -> int:
        return len(self._contents)

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

    def touch(self, key: int) -> None:
        """Make a content the most recent: it has been met again."""
        self._contents.touch(key)

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
        stored = self._contents.get(key)
        return (
            stored is not None
            and stored.sketch is not None
            and are_near_duplicates(stored.sketch, sketch, max_difference=self._max_difference)
        )

    def insert(self, key: int, content: Content) -> None:
        """Insert a content; one that repeats another need not be inserted, and takes no room then."""
        self.drop(key)
        if len(self._contents) == self._contents.limit:
            self.drop(self._contents.least_recent())
        self._contents[key] = content
        index = self._index
        for bucket in _buckets(content):
            index[bucket] = (*index[bucket][1 - _OWNERS :], key) if bucket in index else (key,)

    def drop(self, key: int) -> None:
        """Take a content out, if it is there."""
        content = self._contents.pop(key)
        for bucket in _buckets(content) if content else ():
            owners = tuple(owner for owner in self._index.get(bucket, ()) if owner != key)
            if owners:
                self._index[bucket] = owners
            else:
                self._index.pop(bucket, None)

    def merge(self, indexes: Sequence[ContentIndex]) -> None:
        """Become the union of indexes; of too many contents those with the smallest keys remain."""
        contents = merged((index._contents.items() for index in indexes), _larger, self._contents.limit)
        for key, content in contents.items():
            self.insert(key, content)

    def validate(self) -> None:
        """Raise BrokenInvariant if there are too many contents, or one is filed where it does not belong."""
        self._contents.validate()
        for bucket, owners in self._index.items():
            if not 1 <= len(set(owners)) == len(owners) <= _OWNERS:
                raise BrokenInvariant("ContentIndex", f"{owners} are filed under {bucket:x}")
            for owner in owners:
                content = self._contents.get(owner)
                if content is None or bucket not in _buckets(content):
                    raise BrokenInvariant("ContentIndex", f"{owner:x} is filed under {bucket:x}, not its own")

    def columns(self) -> Sequence[Column]:
        """Return the contents, the least recently met first, and the index."""
        kinds = {
            "contents": _CONTENTS,
            "places": NUMBERS,
            "counts": numbers(of=lambda filed: map(len, filed)),
            "owners": numbers(of=chain.from_iterable),
        }
        return [Columns(kinds, self._copied, self._set)]

    def _copied(self) -> Sequence[object]:
        filed = list(self._index.values())
        return [list(self._contents.items()), list(self._index), filed, filed]

    def _set(
        self, rows: list[tuple[int, Content]], buckets: _Numbers, counts: _Numbers, owners: _Numbers
    ) -> None:
        """Load a snapshot; of more contents than the limit allows, those that were met last."""
        stored = {key for key, _ in rows}
        self._contents.fill([key for key, _ in rows], [content for _, content in rows])
        if not len(set(buckets)) == len(buckets) == len(counts):
            raise InvalidSnapshot("places", f"{len(buckets)} buckets, {len(counts)} counts")
        if not all(counts) or not stored.issuperset(owners):
            raise InvalidSnapshot("owners", "a bucket has none, or one that is not stored")
        for bucket, filed in zip(buckets, split_by(owners, counts)):
            owners_here = tuple(owner for owner in filed if owner in self._contents)
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
    lambda rows: [_plain(*row) for row in rows],
    lambda snapshot, name: [_content(plain) for plain in entry(snapshot, name, list)],
)
