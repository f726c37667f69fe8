"""A sample of the pages of a site, and how many of its pages have each text run of another page.

k pages, each with a slot; a table of the keys of all their runs and rows, sorted, with a bit mask of the
slots of the pages that have it.  Pages that are strangers to a page do not vote on it
(:func:`templcrawl.algorithms.extraction.shares.voters`).  The pages are kept by
:mod:`templcrawl.memory.detectors.stored_pages`.

*Later crawls*: a page that is read again has its place in the draw, whatever is on it now.  Versions that an
earlier crawl has read are *stale*.  They do not vote once three quarters of the sample are not.

Source of the sampling: Broder (1997); Thorup (STOC 2013).  n runs and rows a page.  Cost: O(n log n) to
query, O(k n) to add a page, which happens about k ln(N) times in N pages.  Memory: at most 12 bytes for each
key of the k + 1 pages.
"""

from __future__ import annotations

from array import array
from collections.abc import KeysView, Sequence
from itertools import chain, compress
from statistics import median
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from xxhash import xxh3_64_intdigest

from templcrawl.algorithms.extraction.shares import COMMON, MIN_PAGES, RULES, Frame, voters
from templcrawl.page.arrays import Indices, Keys, distinct, look_up
from templcrawl.page.kernel_tables import sections

# Distinct text runs that are stored of a page: those with the smallest keys, the same on every page.
MAX_RUNS = 20_000

_NO_KEYS, _NO_MASKS = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.uint32)
_NONE_HIDDEN: Indices = np.empty(0, dtype=np.intp)

Masks = npt.NDArray[np.uint32]


class SampleShares(NamedTuple):
    """The votes of a sample on the text runs of a page.

    shares  run, then row -> share of the sampled pages that have it
    pages   how many pages vote
    masks   run, then row -> the pages that have it, a bit each
    slots   the bits of the pages that vote
    """

    shares: npt.NDArray[np.float64]
    pages: int
    masks: Masks
    slots: Sequence[int]


class SampledPage(NamedTuple):
    """A page as a sample sees it.

    hash  tells which pages are drawn
    keys  the distinct keys of its runs and rows, sorted
    """

    hash: int
    keys: Keys


class PageSample:
    """A sample of at most ``size`` pages, and one to spare.

    Bottom-k sampling: of all pages ever offered those with the smallest hashes are stored, the hash of a page
    being that of the set of its text runs.  So the sample is a random one of all distinct pages, whatever the
    order they came in; a page offered twice counts once.  Pages that were drawn by chance are more diverse
    than the last ones or the most similar ones, and this diversity separates template from content.

    One page more is stored than votes, so that a page that is in the sample itself is compared with as many
    others as any other page, and gets the same answer before and after it was offered.

    Whoever knows the salt can write pages that are certain to be drawn, and so make words of other pages
    template. So each crawl has its own secret salt.

    size  pages that a page is compared with
    salt  which pages are drawn: another number, another draw
    """

    def __init__(self, *, size: int, salt: int = 0) -> None:
        self.size = size
        self.salt = salt
        self._slots: dict[int, int] = {}
        self._draws: dict[int, int] = {}  # page -> its place in the draw, the smallest first
        self._stale: set[int] = set()
        self._set_table(_NO_KEYS, _NO_MASKS)

    def _set_table(self, keys: Keys, masks: Masks) -> None:
        """Set the table; its arrays are views of the bytes that the kernel takes."""
        self._table = keys.tobytes() + masks.tobytes()
        self._order: list[int] | None = None  # its pages as drawn
        self._head: bytes | None = None
        self._keys: Keys = np.frombuffer(self._table, np.uint64, len(keys))
        self._masks: Masks = np.frombuffer(self._table, np.uint32, len(keys), keys.nbytes)

    def __len__(self) -> int:
        return len(self._slots)

    @property
    def pages(self) -> KeysView[int]:
        """The hashes of its pages."""
        return self._slots.keys()

    def written(self, without: int = 0) -> tuple[bytes, bytes]:
        """Return rules and the pages that may vote, as drawn, and the table, as the kernel takes them.

        without  the page that does not vote
        """
        if self._head is not None and without not in self._slots:
            return self._head, self._table
        pages = chain.from_iterable((page, self._slots[page]) for page in self._voting(without))
        head = sections(RULES, array("Q", (self.size, self.salt, len(self._keys), *pages)).tobytes())
        if without not in self._slots:
            self._head = head
        return head, self._table

    def _voting(self, without: int) -> list[int]:
        """Return the pages that may vote, as drawn."""
        if self._order is None:
            self._order = sorted(self._slots, key=self._draws.__getitem__)
        pages = [page for page in self._order if page != without]
        if not self._stale:
            return pages
        fresh = [page for page in pages if page not in self._stale]
        return fresh if len(fresh) >= max(MIN_PAGES, 3 * self.size // 4) else pages

    def read(self, whole: Keys) -> SampledPage:
        """Return a page as this sample sees it, from the keys of its runs and of its rows."""
        keys = distinct(whole)
        return SampledPage(page_hash(keys, self.salt), keys)

    def shares(
        self,
        page: SampledPage,
        whole: Keys,
        hidden: Indices = _NONE_HIDDEN,
        in_sight: Keys = _NO_KEYS,
        *,
        without: int = 0,
    ) -> SampleShares:
        """Return for each run and row of a page how many of the other sampled pages have it.

        whole     run, then row -> its key
        hidden    the runs of the page that are hidden: pages that have them in sight have them, too
        in_sight  the keys of these where they are in sight
        without   a page that does not vote: an earlier version of this one
        """
        sampled = [other for other in self._voting(without) if other != page.hash][: self.size]
        if not sampled:
            return SampleShares(np.zeros(len(whole)), 0, np.zeros(len(whole), dtype=np.uint32), ())
        slots = [self._slots[other] for other in sampled]
        masks = self._having(page.keys, slots)
        has_run = _bits(masks)
        votes = voters(has_run.sum(axis=0, dtype=np.uint32)[slots])
        pages = int(np.count_nonzero(votes))
        if pages < len(votes):
            slots = list(compress(slots, votes.tolist()))
            masks &= _mask_of(slots)
            has_run = _bits(masks)
        ranks = page.keys.searchsorted(whole)
        shares = (has_run.sum(axis=1, dtype=np.uint32) / pages)[ranks]
        masks = masks[ranks]
        if len(hidden):
            masks[hidden] |= self._having(in_sight, slots)
            shares[hidden] = _bits(masks[hidden]).sum(axis=1, dtype=np.uint32) / pages
        return SampleShares(shares, pages, masks, slots)

    def _having(self, keys: Keys, slots: Sequence[int]) -> Masks:
        """Return key -> the pages in some slots that have it, a bit each."""
        places, is_there = look_up(keys, self._keys)
        masks: Masks = self._masks[places] * is_there
        masks &= _mask_of(slots)
        return masks

    def frame(self, page: SampledPage, slots: Sequence[int]) -> Frame:
        """Return what the pages in some slots have in common, and how much of it a page has."""
        has_run = _bits(self._masks)[:, slots]
        keys = self._keys[has_run.sum(axis=1, dtype=np.uint32) >= COMMON * len(slots)]
        lengths = has_run.sum(axis=0, dtype=np.uint32).tolist()
        return Frame(len(keys), int(np.count_nonzero(look_up(keys, page.keys)[1])), median(lengths))

    def __contains__(self, page: int) -> bool:
        return page in self._slots

    def offer(self, page: int, keys: Keys, *, draw: int | None = None, is_stale: bool = False) -> None:
        """Store a page if its place in the draw is early enough; the last one leaves for it.

        page      its hash
        keys      of its runs, sorted
        draw      its place; None: its hash
        is_stale  whether an earlier crawl has read it
        """
        if not keys.size:
            return
        draw = page if draw is None else draw
        if page in self._slots:
            self._draws[page] = min(draw, self._draws[page])
            self._stale -= set() if is_stale else {page}
            self._order = self._head = None
            return
        slot, masks = len(self._slots), self._masks
        if slot > self.size:
            last = max(self._slots, key=self._draws.__getitem__)
            if draw > self._draws[last]:
                return
            slot = self._forget(last)
            masks = masks & ~np.uint32(1 << slot)
        self._slots[page], self._draws[page] = slot, draw
        self._stale |= {page} if is_stale else set()
        self._add(np.uint32(1 << slot), keys[:MAX_RUNS], masks)

    def _add(self, slot: np.uint32, keys: Keys, masks: Masks) -> None:
        """Add the keys of a page to the table, whose masks are given."""
        masks = masks.copy()
        places, is_there = look_up(keys, self._keys)
        masks[places[is_there]] |= slot
        new, is_stored = keys[~is_there], masks > 0
        both = np.concatenate((self._keys[is_stored], new))
        masks = np.concatenate((masks[is_stored], np.full(len(new), slot, dtype=np.uint32)))
        order = both.argsort(kind="stable")  # two ascending parts: they are merged
        self._set_table(both[order], masks[order])

    def drop(self, page: int) -> None:
        """Let a page leave; the one of the last slot gets its slot."""
        if page not in self._slots:
            return
        slot, last = self._forget(page), len(self._slots)
        masks = self._masks & ~np.uint32(1 << slot)
        if slot < last:
            self._slots[next(other for other, own in self._slots.items() if own == last)] = slot
            masks |= (masks >> np.uint32(last) & np.uint32(1)) << np.uint32(slot)
            masks &= ~np.uint32(1 << last)
        self._set_table(self._keys[masks > 0], masks[masks > 0])

    def _forget(self, page: int) -> int:
        """Forget a page except its keys; return the slot that it had."""
        del self._draws[page]
        self._stale.discard(page)
        return self._slots.pop(page)


def page_hash(keys: Keys, salt: int) -> int:
    """Return the hash that a page is drawn by, of the keys of its runs."""
    return xxh3_64_intdigest(keys.tobytes(), seed=salt)


def _mask_of(slots: Sequence[int]) -> np.uint32:
    return np.uint32(sum(1 << slot for slot in slots))


def _bits(masks: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint8]:
    octets = masks.astype("<u4", copy=False).view(np.uint8)
    return np.unpackbits(octets, bitorder="little").reshape(-1, 32)
