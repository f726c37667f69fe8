"""Which text blocks of a site were seen before: a bounded set of 64-bit keys, without false positives.

A table with one slot for each value of a key's lowest bits.  A later key evicts the key in its slot, which
is new when it comes again.  So the answer "seen" is always right.  The table doubles while it is more than
half full, up to a cap.

Cost: O(1) a key, in numpy.  Memory: 8 bytes a slot, at most 8 * ``limit``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.snapshots import Frozen, Numbers, Section, Snapshot
from templcrawl.page.arrays import Indices, Keys

_FIRST_SLOTS = 1_024


class SeenTexts(Section):
    """A set of keys.  Zero is in every set: it stands for no text.

    >>> seen = SeenTexts(limit=4_096)
    >>> seen.add(np.array([7, 7, 9], dtype=np.uint64), np.array([10, 10, 5]))
    15
    >>> seen.add(np.array([9, 3], dtype=np.uint64), np.array([5, 2]))
    2
    """

    def __init__(self, *, limit: int) -> None:
        """Make an empty set.

        limit  slots that it may have; the power of two at or below it is used
        """
        self.limit = 1 << max(0, limit.bit_length() - 1)
        self._most_taken = 0
        self._fill(min(_FIRST_SLOTS, self.limit), np.empty(0, dtype=np.uint64))

    def __len__(self) -> int:
        return int(np.count_nonzero(self._slots))

    def add(self, keys: Keys, words: Indices) -> int:
        """Add the keys of texts; return how many words the new ones have.

        words  text -> its number of words
        """
        unseen = (~self.has(keys)).nonzero()[0]
        new = dict(zip(keys[unseen].tolist(), words[unseen].tolist()))
        new.pop(0, None)
        if new:
            self._put(np.fromiter(new, np.uint64, len(new)))
        return sum(new.values())

    def has(self, keys: Keys) -> npt.NDArray[np.bool_]:
        """Return for each key whether it was seen."""
        is_seen: npt.NDArray[np.bool_] = self._slots[self._slots_of(keys)] == keys
        return is_seen

    def _put(self, keys: Keys) -> None:
        """Put distinct keys into their slots, of twice as many as all keys are if the cap allows that."""
        size = len(self._slots)
        if 2 * (self._most_taken + len(keys)) > size < self.limit:
            self._most_taken = len(self)
            while 2 * (self._most_taken + len(keys)) > size < self.limit:
                size *= 2
            if size > len(self._slots):
                self._fill(size, self._slots[self._slots != 0])
        self._most_taken += len(keys)
        self._slots[self._slots_of(keys)] = keys

    def _fill(self, size: int, keys: Keys) -> None:
        self._slots: Keys = np.zeros(size, dtype=np.uint64)
        self._slots[self._slots_of(keys)] = keys
        self._most_taken = len(keys)  # fewer are, where two keys have one slot

    def _slots_of(self, keys: Keys) -> npt.NDArray[np.int64]:
        slots: npt.NDArray[np.int64] = keys.view(np.int64) & (len(self._slots) - 1)
        return slots

    def columns(self) -> Frozen:
        """Return the keys, and how many slots there are."""
        return {"slots": Numbers([len(self._slots)]), "keys": Numbers(self._slots[self._slots != 0])}

    def load(self, snapshot: Snapshot) -> None:
        """Take the keys into as many slots, or as there may be."""
        slots = snapshot.numbers("slots", count=1).item()
        if slots.bit_count() != 1:
            raise InvalidSnapshot("slots", f"{slots} is no power of two")
        self._fill(min(self.limit, slots), snapshot.numbers("keys"))
