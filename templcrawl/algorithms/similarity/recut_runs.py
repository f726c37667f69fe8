"""Which text runs of two versions of a page have the same words, and are only cut otherwise by the markup.

A word that becomes a link cuts a run in three; a generator that drops a ``span`` makes one run of three.  A
run of the old page that is no run of the new one is *recut*

- split: where its words are those of several runs of the new page, one after the other;
- joined: where it is a part of a run of the new page that consists of runs of the old page throughout.

Of the old page hashes are enough.

Notation: n runs of w words on the new page, m on the old one.  Cost: O(``MOST_PIECES`` (n + w) log m), most
of it in numpy, and much less where little is cut otherwise.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from templcrawl.algorithms.similarity.run_words import RunHashes, RunWords

MOST_PIECES = 64


def recut_runs(old: RunHashes, new: RunWords) -> dict[int, tuple[int, ...]]:
    """Return run of one page -> the runs of the other that it is cut into there, in order.

    old  runs of the old page
    """
    old = np.unique(old)
    gone = old[~np.isin(old, new.runs)]
    return _split(gone, new) | _joined(old, gone, new) if len(gone) else {}


def _split(gone: RunHashes, new: RunWords) -> dict[int, tuple[int, ...]]:
    recut: dict[int, tuple[int, ...]] = {}
    for pieces in range(2, min(MOST_PIECES + 1, len(new.starts))):
        hashes = new.hashes(new.starts[:-pieces], new.starts[pieces:])
        for first in np.flatnonzero(_are_in(hashes, gone)).tolist():
            recut[int(hashes[first])] = tuple(new.runs[first : first + pieces].tolist())
    return recut


def _joined(old: RunHashes, gone: RunHashes, new: RunWords) -> dict[int, tuple[int, ...]]:
    recut: dict[int, tuple[int, ...]] = {}
    absent = set(gone.tolist())
    for run in np.flatnonzero(~_are_in(new.runs, old)).tolist():
        pieces = _pieces(int(new.starts[run]), int(new.starts[run + 1]), old, new)
        if not absent.isdisjoint(pieces):
            recut[int(new.runs[run])] = pieces
    return recut


def _pieces(start: int, stop: int, old: RunHashes, new: RunWords) -> tuple[int, ...]:
    """Return runs of a page that make up a sequence of words one after the other, none if there are none."""
    before = {start: (start, 0)}
    waiting = [start]
    while waiting and stop not in before and len(before) <= MOST_PIECES:
        first = waiting.pop()
        stops = np.arange(first + 1, stop + 1)
        hashes = new.hashes(np.full(len(stops), first), stops)
        for index in np.flatnonzero(_are_in(hashes, old)).tolist():
            last = first + 1 + index
            if last not in before:
                before[last] = (first, int(hashes[index]))
                waiting.append(last)
    pieces = []
    while stop > start and stop in before:
        stop, run = before[stop]
        pieces.append(run)
    return tuple(reversed(pieces))


def _are_in(hashes: RunHashes, runs: RunHashes) -> npt.NDArray[np.bool_]:
    """Return which hashes are among some runs, ascending and at least one."""
    among: npt.NDArray[np.bool_] = runs[np.minimum(np.searchsorted(runs, hashes), len(runs) - 1)] == hashes
    return among
