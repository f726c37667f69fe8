"""The pages of a site that vote on others: at most 256, as the keys of their runs and rows and their leaf.

The pages with the smallest hashes are the sample of the site
(:mod:`templcrawl.memory.detectors.page_sample`). Pages built like a page vote on what its page type repeats:
near pages are those of all leaves within ``NEAR`` by structure (:mod:`templcrawl.memory.leaves`).  If these
are fewer than ``ENOUGH``, the next leaves are added one by one, up to ``FAR``, so that a page of a rare
layout is compared with the pages most like it.  Of the near pages those with the smallest hashes vote.
Beyond the limit, the largest leaf loses its page with the largest hash; pages of the sample stay.

A page that an earlier crawl has read is stale.  When it is read again, its new version takes its place in the
draw.  If ``ENOUGH`` near pages are not stale, they vote alone.  A page never votes on itself.

P pages, n text runs a page.  Cost: O(P) to find those that are near, O(n) for each that votes.
Memory: 8 bytes for each distinct key of P pages, mostly 600 KB.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import Counter
from typing import NamedTuple

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.detectors.page_sample import MAX_RUNS, PageSample, SampledPage
from templcrawl.memory.leaves import LeafDistances
from templcrawl.memory.snapshots import MAX_COUNT, Frozen, Lists, Numbers, Section, Snapshot
from templcrawl.page.arrays import Keys

NEAR, FAR = 0.4, 0.7
ENOUGH = 4
PLENTY = 8  # pages that are nearer than others, for these others not to be asked
MAX_STORED = 256
MAX_VOTERS = 16


class _StoredPage(NamedTuple):
    leaf: int
    is_outsider: bool
    keys: Keys
    address: int
    draw: int
    at: int
    is_stale: bool = False


class StoredPages(Section):
    """The stored pages of one site, by their hash.

    sample  those that vote on every page
    """

    def __init__(self, *, size: int, salt: int = 0, began: int | None = None) -> None:
        """Start without pages.

        size   pages that a page is compared with by the sample
        salt   which pages these are: another number, another draw
        began  when the crawl that goes on began: what a snapshot has of earlier is stale; None: all it has
        """
        self.sample, self._began = PageSample(size=size, salt=salt), began
        self._pages: dict[int, _StoredPage] = {}
        self._of_address: dict[int, int] = {}  # key of an address -> the hash of its page
        self._of_leaf: dict[int, list[tuple[int, int]]] = {}  # leaf -> its pages: place in the draw, hash
        self._stale: set[int] = set()  # hashes of stale pages

    def __len__(self) -> int:
        return len(self._pages)

    def __contains__(self, page: int) -> bool:
        return page in self._pages

    def version(self, address: int) -> int:
        """Return the hash of the page that is stored of an address, 0 if none is."""
        return self._of_address.get(address, 0)

    def is_stale(self, address: int) -> bool:
        """Return whether the page that is stored of an address is of an earlier crawl."""
        return address in self._of_address and self._pages[self._of_address[address]].is_stale

    def takes_again(self, address: int) -> bool:
        """Return whether a page that was read before is stored again.

        It is stale; or it is not stored though there is room: once all pages of the site were one error page.
        """
        return self.is_stale(address) or (address not in self._of_address and len(self) < MAX_STORED)

    def near(self, place: LeafDistances, *but: int, outsiders: bool) -> list[Keys]:
        """Return the pages that are built like a page, as the keys of their runs and rows.

        but        hashes of pages that are not asked: itself, and what was there when it was read before
        outsiders  whether only outsiders of the site are asked
        """
        asked: list[tuple[int, int]] = []
        reach, farthest = NEAR, math.inf if outsiders else FAR
        known = place.distances
        own = {self._pages[key].leaf for key in but if key in self._pages}
        leaves = [(known[leaf] if leaf in known else place.distance(leaf), leaf) for leaf in self._of_leaf]
        for distance, leaf in sorted([pair for pair in leaves if pair[0] <= farthest]):
            if len(asked) >= (ENOUGH if distance > reach else PLENTY):
                break
            others = self._of_leaf[leaf]
            if leaf in own:
                others = [other for other in others if other[1] not in but]
            if outsiders:
                others = [other for other in others if self._pages[other[1]].is_outsider]
            asked += others
            reach = max(reach, distance)
        fresh = [other for other in asked if other[1] not in self._stale] if self._stale else asked
        asked = sorted(fresh if len(fresh) >= ENOUGH else asked)  # of ascending parts: they are merged
        return [self._pages[key].keys for _, key in asked[:MAX_VOTERS]]

    def insert(self, page: SampledPage, leaf: int, address: int, *, is_outsider: bool, at: int = 0) -> None:
        """Store the page of an address, read at some time, which votes from now on."""
        if not page.keys.size:
            return
        before, draw = self.version(address), page.hash
        if before:
            draw = self._pages[before].draw
            self._drop(before)
            if before != page.hash:
                self.sample.drop(before)
        keys = page.keys[:MAX_RUNS].copy()
        read = max(at, 0)  # a clock may be before 1970
        self._take(page.hash, _StoredPage(leaf, is_outsider, keys, address, draw, read))

    def _take(self, key: int, stored: _StoredPage) -> None:
        if key in self._pages:
            stored = stored._replace(draw=min(stored.draw, self._pages[key].draw))
            self._drop(key)
        self._pages[key] = stored
        insort(self._of_leaf.setdefault(stored.leaf, []), (stored.draw, key))
        self._of_address[stored.address] = key
        if stored.is_stale:
            self._stale.add(key)
        self._draw(key)
        drawn = self.sample.pages
        if len(drawn) <= self.sample.size and len(drawn) < len(self._pages):
            self._draw(min(self._pages.keys() - drawn, key=lambda other: self._pages[other].draw))
        if len(self._pages) > MAX_STORED:
            in_sample = Counter(self._pages[other].leaf for other in self._pages.keys() & drawn)
            largest = max(sorted(self._of_leaf), key=lambda leaf: len(self._of_leaf[leaf]) - in_sample[leaf])
            self._drop(next(other for _, other in reversed(self._of_leaf[largest]) if other not in drawn))

    def _draw(self, key: int) -> None:
        page = self._pages[key]
        self.sample.offer(key, page.keys, draw=page.draw, is_stale=page.is_stale)

    def _drop(self, key: int) -> None:
        page = self._pages.pop(key)
        del self._of_address[page.address]
        self._stale.discard(key)
        drawn = self._of_leaf[page.leaf]
        del drawn[bisect_left(drawn, (page.draw, key))]
        if not drawn:
            del self._of_leaf[page.leaf]

    def columns(self) -> Frozen:
        """Return the salt, and the pages by their hashes."""
        hashes = sorted(self._pages)
        pages = [self._pages[key] for key in hashes]
        return {
            "salt": Numbers([self.sample.salt]),
            "hashes": Numbers(hashes),
            "leaves": Numbers([page.leaf for page in pages]),
            "outsiders": Numbers([page.is_outsider for page in pages], "u1"),
            "keys": Lists([page.keys for page in pages]),
            "readings": Numbers([number for page in pages for number in (page.address, page.draw, page.at)]),
        }

    def load(self, snapshot: Snapshot) -> None:
        """Restore the pages, unless they were drawn by another salt."""
        hashes = snapshot.numbers("hashes").tolist()
        leaves = snapshot.numbers("leaves", count=len(hashes), below=MAX_COUNT).tolist()
        outsiders = snapshot.numbers("outsiders", "u1", count=len(hashes), below=2).tolist()
        keys = snapshot.arrays("keys", count=len(hashes), least=1, below=MAX_RUNS + 1)
        readings = snapshot.numbers("readings", count=len(hashes), width=3).tolist()
        addresses = {address for address, _, _ in readings}
        if not len({*hashes}) == len(addresses) == len(hashes) <= MAX_STORED:
            raise InvalidSnapshot("hashes", f"{len(hashes)} pages, {len({*hashes})} distinct")
        if snapshot.numbers("salt", count=1).item() == self.sample.salt:
            pages = map(_StoredPage, leaves, map(bool, outsiders), keys, *zip(*readings))
            for key, page in zip(hashes, pages):
                self._take(key, page._replace(is_stale=self._began is None or page.at < self._began))
