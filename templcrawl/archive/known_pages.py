"""The keys of an archive's pages, as sorted runs that are merged (a log-structured merge).

A part adds a run.  A run is merged into the one before unless that is more than twice as long, so that n keys
lie in log2(n) runs at most, and each key is merged log2(n) times.

Cost: a part of p keys, O(p log n) on average, at times O(n) for a merge (some 50 ms at 3 million keys); a
look-up, O(log^2 n).  Memory: 8 bytes a key, three times that while the two longest runs are merged.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.int64]


class KnownPages:
    """A set of 64-bit keys.

    runs  the keys, ascending in each run, the longest run first

    >>> known = KnownPages()
    >>> known.add(np.array([7, -3]))
    >>> 7 in known, 8 in known, len(known)
    (True, False, 2)
    """

    def __init__(self) -> None:
        self.runs: list[Keys] = []

    def __len__(self) -> int:
        return sum(map(len, self.runs))

    def __contains__(self, key: int) -> bool:
        for run in self.runs:
            index = int(run.searchsorted(key))
            if index < len(run) and int(run[index]) == key:
                return True
        return False

    def add(self, keys: Keys) -> None:
        """Add keys, each once, of which none is known."""
        run = np.sort(keys)
        while self.runs and len(self.runs[-1]) <= 2 * len(run):
            run = np.concatenate((self.runs.pop(), run))
            run.sort(kind="stable")
        if len(run):
            self.runs.append(run)
