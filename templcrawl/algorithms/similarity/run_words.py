r"""Text runs as words, and which runs of two versions of a page differ only in how the markup cuts them.

Source: the fingerprints of Karp & Rabin (IBM J. Res. Dev. 31 (2), 1987), modulo 2^64 as in
:mod:`templcrawl.page.arrays`: two prefix sums give the fingerprint of any sequence of words.

Words are runs of ``\w`` and single signs, as a reader sees them: character references decoded, composed
(NFC), without white space and invisible signs.  A text that is written or spaced differently has the same
words.  Only runs that are shown count; the others are one hash.

A word that becomes a link cuts a run in three.  A run of the old page that the new one has not is *recut*

- split: if its words are those of several runs of the new page, one after the other;
- joined: if it is part of a run of the new page that consists of runs of the old page throughout.

Hashes are enough of the old page.

Notation: n runs of w words on the new page, m on the old one.  Cost: O(w) in numpy for the words, those of a
distinct run are read once; O(``MAX_PIECES`` (n + w) log m), most of it in numpy, for what is recut.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt
from xxhash import xxh3_64_intdigest

from templcrawl.page.arrays import MIX, Indices, Keys, look_up, powers
from templcrawl.page.page import Page
from templcrawl.page.text import Memo, as_seen, hashes_of, unescape

RunHashes = npt.NDArray[np.uint32]

MAX_PIECES = 64  # that a run is cut into
WORD = re.compile(r"\w+|[^\w\s]")
_HALF = np.uint64(32)
_UNDO = pow(MIX, -1, 1 << 64)


def _words(run: str) -> bytes:
    return hashes_of(WORD.findall(as_seen(unescape(run)))).tobytes()


_WORDS = Memo(_words)


class RunWords:
    """The words of the text runs of a page that are shown.

    positions  run -> position of its token
    keys       word -> its key
    starts     run -> its first word, and in the end how many there are
    runs       run -> the hash of its words, 0 where it has none
    hidden     hash of the words that are not shown
    """

    __slots__ = ("_sums", "_undo", "hidden", "keys", "positions", "runs", "starts")

    def __init__(self, page: Page) -> None:
        tokens, runs = page.tokens, page.text_runs
        is_shown = page.elements.shown_array[runs.elements]
        self.positions: Indices = runs.positions[is_shown]

        def words_at(positions: Indices) -> list[bytes]:
            return [_WORDS[tokens.forms[form]] for form in tokens.form_array[positions].tolist()]

        self.hidden = xxh3_64_intdigest(b"".join(words_at(runs.positions[~is_shown])))
        words = words_at(self.positions)
        self.keys: Keys = np.frombuffer(b"".join(words), dtype=np.uint64)
        count = len(self.keys)
        self.starts: Indices = np.cumsum([0, *(len(run) // 8 for run in words)])
        sums = np.cumsum(self.keys * powers(MIX, count + 1)[:count])
        self._sums = np.concatenate((np.zeros(1, dtype=np.uint64), sums))
        self._undo = powers(_UNDO, count + 1)
        self.runs = self.hashes(self.starts[:-1], self.starts[1:])

    def hashes(self, starts: Indices, stops: Indices) -> RunHashes:
        """Return the hashes of sequences of words, each from a start up to its stop."""
        keys = (self._sums[stops] - self._sums[starts]) * self._undo[starts]
        return (keys >> _HALF).astype(np.uint32)

    def text(self, of: npt.NDArray[np.bool_] | None = None) -> int:
        """Return the hash of all words in order, or of those of some runs."""
        keys = self.keys if of is None else self.keys[np.repeat(of, np.diff(self.starts))]
        return xxh3_64_intdigest(keys.tobytes())


def recut_runs(old: RunHashes, new: RunWords) -> dict[int, tuple[int, ...]]:
    """Return run of one page -> the runs of the other that it is cut into there, in order."""
    old = np.unique(old)
    missing = old[~np.isin(old, new.runs)]
    recut: dict[int, tuple[int, ...]] = {}
    if not len(missing):
        return recut
    for pieces in range(2, min(MAX_PIECES + 1, len(new.starts))):
        hashes = new.hashes(new.starts[:-pieces], new.starts[pieces:])
        for first in np.flatnonzero(look_up(hashes, missing)[1]).tolist():
            recut[int(hashes[first])] = tuple(new.runs[first : first + pieces].tolist())
    absent = set(missing.tolist())
    for run in np.flatnonzero(~look_up(new.runs, old)[1]).tolist():
        joined = _pieces(int(new.starts[run]), int(new.starts[run + 1]), old, new)
        if not absent.isdisjoint(joined):
            recut[int(new.runs[run])] = joined
    return recut


def _pieces(start: int, stop: int, old: RunHashes, new: RunWords) -> tuple[int, ...]:
    """Return runs of a page that make up a sequence of words one after the other, none if there are none."""
    before = {start: (start, 0)}
    waiting = [start]
    while waiting and stop not in before and len(before) <= MAX_PIECES:
        first = waiting.pop()
        stops = np.arange(first + 1, stop + 1)
        hashes = new.hashes(np.full(len(stops), first), stops)
        for index in np.flatnonzero(look_up(hashes, old)[1]).tolist():
            last = first + 1 + index
            if last not in before:
                before[last] = (first, int(hashes[index]))
                waiting.append(last)
    pieces = []
    while stop > start and stop in before:
        stop, run = before[stop]
        pieces.append(run)
    return tuple(reversed(pieces))
