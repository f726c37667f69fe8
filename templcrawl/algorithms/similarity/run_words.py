r"""The text runs of a page as words, whose sequences can be told from each other wherever they are cut.

Source: the fingerprints of Karp & Rabin (IBM J. Res. Dev. 31 (2), 1987), modulo 2^64 as in
:mod:`templcrawl.page.ancestors`: that of any sequence is read off two prefix sums.

Words are runs of ``\w`` and single signs, as a reader sees them: character references decoded, composed
(NFC), without white space.  So a text that is written otherwise, or spaced otherwise, has the same words.

n words.  Cost: O(n) in numpy; the words of a distinct run are read once.
"""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import numpy.typing as npt
from xxhash import xxh3_64_intdigest

from templcrawl.page.ancestors import MIX, Indices, Keys, powers
from templcrawl.page.encoding import text_key
from templcrawl.page.entities import unescape
from templcrawl.page.memo import Memo
from templcrawl.page.page import Page

RunHashes = npt.NDArray[np.uint32]

WORD = re.compile(r"\w+|[^\w\s]")
_HALF = np.uint64(32)
_UNDO = pow(MIX, -1, 1 << 64)


_KEYS = Memo(text_key)


def _words(run: str) -> bytes:
    text = unescape(run)
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return np.array(list(map(_KEYS.__getitem__, WORD.findall(text))), dtype=np.uint64).tobytes()


_WORDS = Memo(_words)


class RunWords:
    """The words of the text runs of a page.

    keys    word -> its key
    starts  run -> its first word, and in the end how many there are
    runs    run -> the hash of its words, 0 where it has none
    """

    __slots__ = ("_sums", "_undo", "keys", "runs", "starts")

    def __init__(self, page: Page) -> None:
        tokens = page.tokens
        words = [_WORDS[tokens.forms[form]] for form in tokens.form_array[page.text_runs.positions].tolist()]
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
        hashes: RunHashes = (keys >> _HALF).astype(np.uint32)
        return hashes

    def text(self, of: npt.NDArray[np.bool_] | None = None) -> int:
        """Return the hash of all words in order, or of those of some runs.

        of  run -> whether it is one of them
        """
        keys = self.keys if of is None else self.keys[np.repeat(of, np.diff(self.starts))]
        return xxh3_64_intdigest(keys.tobytes())
