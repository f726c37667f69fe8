"""The pages of a site that vote on others: at most 256, as the keys of their runs and rows and their leaf.

Of these the ones with the smallest hashes are the sample of the site
(:mod:`templcrawl.memory.detectors.page_sample`).  Those that are built like a page vote on what its page type
repeats.  Near a page are the pages of all leaves within ``NEAR`` of it by structure
(:mod:`templcrawl.memory.leaves`); where they are fewer than ``ENOUGH``, those of the next leaves too, one
after the other, up to ``FAR``.  So pages of a rare layout are compared with the most like ones.  Of those
near, the ones of the smallest hashes vote.  Beyond the limit the leaf that has most pages loses the one with
the largest hash; a page of the sample stays.

P pages, n text runs a page.  Cost: O(P log P) to find those that are near, O(n) for each that votes.
Memory: 8 bytes for each distinct key of P pages, mostly 600 KB.
"""

from __future__ import annotations

import math
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


class StoredPages(Section):
    """The stored pages of one site, by their hash.

    sample  those that vote on every page
    """

    def __init__(self, *, size: int, salt: int = 0) -> None:
        """Start without pages.

        size  pages that a page is compared with by the sample
        salt  which pages these are: another number, another draw
        """
        self.sample = PageSample(size=size, salt=salt)
        self._pages: dict[int, _StoredPage] = {}
        self._of_leaf: dict[int, set[int]] = {}  # leaf -> the hashes of its pages

    def __len__(self) -> int:
        return len(self._pages)

    def near(self, page: SampledPage, place: LeafDistances, *, outsiders: bool) -> list[Keys]:
        """Return the pages that are built like a page, as the keys of their runs and rows.

        outsiders  whether only outsiders of the site are asked
        """
        asked: list[int] = []
        reach, farthest = NEAR, math.inf if outsiders else FAR
        known, own = place.distances, self._pages[page.hash].leaf if page.hash in self._pages else None
        leaves = [(known[leaf] if leaf in known else place.distance(leaf), leaf) for leaf in self._of_leaf]
        for distance, leaf in sorted([pair for pair in leaves if pair[0] <= farthest]):
            if len(asked) >= (ENOUGH if distance > reach else PLENTY):
                break
            others = self._of_leaf[leaf]
            if leaf == own:
                others = others - {page.hash}
            asked += (key for key in others if self._pages[key].is_outsider) if outsiders else others
            reach = max(reach, distance)
        return [self._pages[key].keys for key in sorted(asked)[:MAX_VOTERS]]

    def insert(self, page: SampledPage, leaf: int, *, is_outsider: bool) -> None:
        """Store a page, which votes from now on."""
        if page.keys.size:
            self._take(page.hash, _StoredPage(leaf, is_outsider, page.keys[:MAX_RUNS].copy()))

    def _take(self, key: int, stored: _StoredPage) -> None:
        self.sample.offer(key, stored.keys)
        if key in self._pages:
            self._drop(key)
        self._pages[key] = stored
        self._of_leaf.setdefault(stored.leaf, set()).add(key)
        if len(self._pages) > MAX_STORED:
            drawn = set(filter(self.sample.__contains__, self._pages))
            largest = max(sorted(self._of_leaf), key=lambda leaf: len(self._of_leaf[leaf] - drawn))
            self._drop(max(self._of_leaf[largest] - drawn))

    def _drop(self, key: int) -> None:
        leaf = self._pages.pop(key).leaf
        self._of_leaf[leaf].discard(key)
        if not self._of_leaf[leaf]:
            del self._of_leaf[leaf]

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
        }

    def load(self, snapshot: Snapshot) -> None:
        """Restore the pages, unless they were drawn by another salt."""
        hashes = snapshot.numbers("hashes").tolist()
        leaves = snapshot.numbers("leaves", count=len(hashes), below=MAX_COUNT).tolist()
        outsiders = snapshot.numbers("outsiders", "u1", count=len(hashes), below=2).tolist()
        keys = snapshot.arrays("keys", count=len(hashes), least=1, below=MAX_RUNS + 1)
        if len({*hashes}) < len(hashes) or len(hashes) > MAX_STORED:
            raise InvalidSnapshot("hashes", f"{len(hashes)} pages, {len({*hashes})} distinct")
        if snapshot.numbers("salt", count=1).item() == self.sample.salt:
            for key, leaf, is_outsider, page_keys in zip(hashes, leaves, outsiders, keys):
                self._take(key, _StoredPage(leaf, bool(is_outsider), page_keys))
