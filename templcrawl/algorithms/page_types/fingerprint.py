"""Template fingerprints, the LZ78 references of a page's first tags in at most 25 bytes; an index of them.

Source: Hachenberg & Gottron (CIKM 2013), sections 3.1 (Algorithm 1, Definition 3.1), 3.3 (index) and 5.1
(clustering).  Cost: O(tags read) a fingerprint, a few dozen tags on most pages; O(1) for the index.

Departures: the paper says LZW; its algorithm and its example are LZ78 (the run is emptied).  Its index misses
pairs of unequal length (:class:`FingerprintIndex`).  Erratum: ``strong`` for ``i`` in its example does change
the fingerprint, by two entries.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

from xxhash import xxh3_64_intdigest

from templcrawl.errors import InvalidOption
from templcrawl.page.page import Page
from templcrawl.page.scan import iter_tag_names
from templcrawl.page.tokens import Limits


class DisjointSets:
    """A partition of the numbers 0, 1, 2 ..., each in a set of its own at first.

    Union by size with path halving (Tarjan & van Leeuwen, JACM 1984), 12 bytes a number.

    order  number -> sort key, by which the smallest member of a set is chosen

    >>> names = ["d", "b", "c", "a"]
    >>> sets = DisjointSets(order=names.__getitem__)
    >>> [sets.make_set() for name in names], sets.union(0, 1)
    ([0, 1, 2, 3], None)
    >>> names[sets.smallest(0)], sets.groups()
    ('b', [[3], [1, 0], [2]])
    """

    def __init__(self, order: Callable[[int], Any] = int) -> None:
        self._order = order
        self._parents = array("I")
        self._sizes = array("I")
        self._smallest = array("I")

    def __len__(self) -> int:
        return len(self._parents)

    def make_set(self) -> int:
        """Make a set of its own for the next number; return that."""
        number = len(self._parents)
        self._parents.append(number)
        self._sizes.append(1)
        self._smallest.append(number)
        return number

    def find(self, number: int) -> int:
        """Return the root of a number's set; equal for two numbers of one set.  Raises IndexError."""
        parents = self._parents
        while (parent := parents[number]) != number:
            parents[number] = number = parents[parent]
        return number

    def smallest(self, number: int) -> int:
        """Return the smallest member of a number's set.  Raises IndexError for an unknown number."""
        return self._smallest[self.find(number)]

    def union(self, a: int, b: int) -> None:
        """Make one set of the sets of two numbers.  Raises IndexError for an unknown number."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return
        if self._sizes[a] < self._sizes[b]:
            a, b = b, a
        self._parents[b] = a
        self._sizes[a] += self._sizes[b]
        self._smallest[a] = min(self._smallest[a], self._smallest[b], key=self._order)

    def groups(self) -> list[list[int]]:
        """Return the sets, each in ascending order, in the order of their smallest members."""
        groups: dict[int, list[int]] = {}
        for number in sorted(range(len(self)), key=self._order):
            groups.setdefault(self.find(number), []).append(number)
        return list(groups.values())


FINGERPRINT_LENGTH = 25  # entries, as in the paper
_WITHOUT_CAPS = Limits(sys.maxsize, sys.maxsize)


def lz78_references(tags: Iterable[Hashable], *, length: int = FINGERPRINT_LENGTH) -> bytes:
    """Return the references of the LZ78 dictionary of ``tags``, at most ``length`` of them.

    The current run of tags is extended as long as it is in the dictionary; the first tag that leads out of it
    makes a new entry (reference to the entry of the run, tag), and a new run begins.  0 stands for the empty
    run.

    Entries are numbered from 1.  Nothing is read beyond the tag that makes the last entry; a run that
    is still in the dictionary when the tags end adds nothing.

    >>> list(lz78_references("abababab"))
    [0, 0, 1, 3]
    """
    longer: list[dict[Hashable, int]] = [{}]  # entry -> tag -> entry of the run with that tag
    references = bytearray()
    run = 0
    for tag in tags:
        entry = longer[run].get(tag)
        if entry is not None:
            run = entry
            continue
        references.append(run)
        if len(references) == length:
            break
        longer[run][tag] = len(references)
        longer.append({})
        run = 0
    return bytes(references)


def template_fingerprint(html: str, limits: Limits = _WITHOUT_CAPS) -> bytes:
    """Return the template fingerprint of a page: at most 25 bytes, fewer for a page of few tags.

    Start and end tags are read alike, by their names.

    limits  how much of it is read

    >>> list(template_fingerprint("<html><body><p>one</p><p>two</p></body></html>"))
    [0, 0, 0, 3, 3]
    """
    tags = iter_tag_names(html, max_characters=limits.max_characters, max_tags=limits.max_tags)
    return lz78_references(tags)


def page_fingerprint(page: Page) -> bytes:
    """Return the template fingerprint of what is read of a page, out of its tokens.

    >>> page_fingerprint(Page("<p>one</p>", "")) == template_fingerprint("<p>one</p>")
    True
    """
    if page.native:
        return page.native.fingerprint
    tokens = page.tokens
    return lz78_references(filter(None, map(tokens.form_names.__getitem__, tokens.form_of)))


def same_template(a: bytes, b: bytes) -> bool:
    """Return whether two fingerprints differ by one insertion, deletion or substitution at most.

    Definition 3.1.  Cost: O(length).

    >>> same_template(bytes([0, 0, 1]), bytes([0, 2, 1])), same_template(bytes([0, 0]), bytes([1, 2]))
    (True, False)
    """
    if a == b:
        return True
    if abs(len(a) - len(b)) > 1:
        return False
    if len(a) > len(b):
        a, b = b, a
    same = 0
    while same < len(a) and a[same] == b[same]:
        same += 1
    return a[same + (len(a) == len(b)) :] == b[same + 1 :]


_MANY = 1_000  # candidates: above that neighbours, 1,300 at most, are looked up


class FingerprintIndex:
    """Distinct fingerprints, found by similarity, in clusters.

    It finds all fingerprints within one edit of another.  The paper cuts every fingerprint at position l = 17
    and looks both parts up: of two fingerprints that differ in one position, one part is equal.  That (Lemma
    3.1) is false where lengths differ, and short pages have short fingerprints.  Here every length n has a
    class with its own cut s = 17 n / 25:

        fingerprint   is filed under class   with the keys
        length n      n                      first s(n),   last n - s(n)
        length n - 1  n as well              first s(n),   last n - s(n)

    Two of length n that differ at position p share the first s(n) if p >= s(n), else the last n - s(n).  If
    one of length n loses the entry at p, what is left has the same first s(n) if p >= s(n); else the last n -
    s(n) entries of both are equal.  So class n misses no pair of lengths (n, n) or (n, n - 1).

    Clusters are the connected components of "differ by one edit", the same for every order of arrival.
    ``add`` and ``similar`` cost some 20 us, and about a millisecond where candidates are many.  Keys are
    60-bit hashes: what two keys share by accident is verified like any candidate.

    >>> index = FingerprintIndex()
    >>> a, b, c = bytes([0, 0, 1, 2]), bytes([0, 0, 1, 3]), bytes([5, 6, 7])
    >>> [list(index.add(fingerprint)) for fingerprint in (b, a, c)]
    [[0, 0, 1, 3], [0, 0, 1, 2], [5, 6, 7]]
    >>> index.similar(bytes([0, 1, 2])) == [a], index.cluster(b) == a
    (True, True)
    """

    def __init__(self, *, split: int = 17) -> None:
        """Make an empty index; raises InvalidOption unless 0 < split < 25.

        split  where a full fingerprint is cut (the paper's l)
        """
        if not 0 < split < FINGERPRINT_LENGTH:
            raise InvalidOption("split", split, f"a whole number from 1 to {FINGERPRINT_LENGTH - 1}")
        self.split = split
        self._fingerprints: list[bytes] = []
        self._numbers: dict[bytes, int] = {}
        self._filed: dict[int, list[int]] = {}  # key -> numbers of the fingerprints that have it
        self._values: set[int] = set()
        self._sets = DisjointSets(order=self._fingerprints.__getitem__)

    def __len__(self) -> int:
        return len(self._fingerprints)

    def __contains__(self, fingerprint: bytes) -> bool:
        return fingerprint in self._numbers

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._fingerprints)

    def add(self, fingerprint: bytes) -> bytes:
        """Add a fingerprint; return the smallest fingerprint of its cluster, as the index now stands.

        Raises ValueError for one that is longer than a full fingerprint.
        """
        if fingerprint not in self._numbers:
            if len(fingerprint) > FINGERPRINT_LENGTH:
                raise ValueError(f"a fingerprint of {len(fingerprint)} entries, above {FINGERPRINT_LENGTH}")
            keys = self._keys(fingerprint)
            similar = self._similar(fingerprint, keys)
            self._fingerprints.append(fingerprint)
            self._values.update(fingerprint)
            number = self._numbers[fingerprint] = self._sets.make_set()
            for other in similar:
                self._sets.union(number, other)
            for key in keys:
                self._filed.setdefault(key, []).append(number)
        return self.cluster(fingerprint)

    def similar(self, fingerprint: bytes) -> list[bytes]:
        """Return the fingerprints of the index within one edit, ascending; itself too if it is there."""
        return sorted(
            map(self._fingerprints.__getitem__, self._similar(fingerprint, self._keys(fingerprint)))
        )

    def cluster(self, fingerprint: bytes) -> bytes:
        """Return the smallest fingerprint of this one's cluster.  Raises KeyError if it was not added."""
        return self._fingerprints[self._sets.smallest(self._numbers[fingerprint])]

    def clusters(self) -> list[list[bytes]]:
        """Return the clusters, each ascending, in the order of their smallest fingerprints."""
        return [[self._fingerprints[number] for number in group] for group in self._sets.groups()]

    def _similar(self, fingerprint: bytes, keys: Sequence[int]) -> set[int]:
        """Return the numbers of the fingerprints within one edit.

        Candidates that share a key are verified by ``same_template``.  Where they are many (a head that very
        many fingerprints share), the neighbours of the fingerprint itself are looked up instead, over the
        values that entries of the index have: some 52 for each value, 1,300 of 25.
        """
        filed = [self._filed.get(key, ()) for key in keys]
        if sum(map(len, filed)) > _MANY:
            numbers = map(self._numbers.get, _neighbours(fingerprint, self._values))
            return {number for number in numbers if number is not None}
        candidates = {number for numbers in filed for number in numbers}
        return {number for number in candidates if same_template(fingerprint, self._fingerprints[number])}

    def _keys(self, fingerprint: bytes) -> list[int]:
        """Return the keys of a fingerprint: head and tail in the class of its length, then in the next."""
        keys = list[int]()
        for length in (len(fingerprint), len(fingerprint) + 1):
            if length == len(fingerprint) or length <= FINGERPRINT_LENGTH:
                cut = length * self.split // FINGERPRINT_LENGTH
                tail = fingerprint[len(fingerprint) - (length - cut) :] if length > cut else b""
                keys += _key(length, b"h", fingerprint[:cut]), _key(length, b"t", tail)
        return keys


def _key(length: int, side: bytes, part: bytes) -> int:
    return xxh3_64_intdigest(bytes([length]) + side + part) >> 4


def _neighbours(fingerprint: bytes, values: Iterable[int]) -> Iterator[bytes]:
    """Yield every fingerprint within one edit that adds no other entry than one of these values."""
    entries = [bytes([value]) for value in values]
    yield fingerprint
    for position in range(len(fingerprint) + 1):
        head, tail = fingerprint[:position], fingerprint[position:]
        yield head + tail[1:]
        for entry in entries:
            yield head + entry + tail[1:]
            yield head + entry + tail
