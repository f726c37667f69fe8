"""What the text runs of a page say: the key of each run, its number of words, the hashes of its terms.

*Terms* are what white space parts.  A distinct term is hashed once for all pages of a process, and so is a
distinct run of at most 400 characters read (:mod:`templcrawl.page.memo`); a longer one is once a page.
Hashes are xxh3, equal in every process.  Cost: O(length of the text), most of it in C.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from struct import Struct
from sys import byteorder
from typing import NamedTuple

import numpy as np

from templcrawl.page.ancestors import Indices, Keys
from templcrawl.page.encoding import key_bytes, text_key
from templcrawl.page.memo import Memo

_WORD = re.compile(r"\w+")
_LATIN_1 = bytes(ord("a" if _WORD.match(chr(code)) else " ") for code in range(256))
WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_BEYOND_LATIN_1 = re.compile(rf"[^\W\0-\xff]|{WIDE.pattern}").search
_ASCII = bytes(range(128))
_KEY_AND_WORDS = Struct("=2Q").pack


def count_words(text: str) -> int:
    """Count the words of a text; where words are not spaced (Chinese, Japanese), each character is one.

    >>> count_words("two words, 日本"), count_words("| * |")
    (4, 0)
    """
    if text.isascii() or not _BEYOND_LATIN_1(_without_ascii(text)):
        return (b" " + text.encode("latin-1", "replace").translate(_LATIN_1)).count(b" a")
    words = len(_WORD.findall(text))
    wide = len(WIDE.findall(text)) if words else 0
    return wide + len(_WORD.findall(WIDE.sub(" ", text))) if wide else words


def _without_ascii(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")


_TERMS = Memo(lambda term: key_bytes(text_key(term)))


def hashes_of(terms: Iterable[str]) -> Keys:
    """Return the hash of each term, in order."""
    return np.frombuffer(b"".join(map(_TERMS.__getitem__, terms)), dtype=np.uint64)


def _read(run: str) -> bytes:
    terms = run.split()
    folded = " ".join(terms)
    return _KEY_AND_WORDS(text_key(folded), count_words(folded)) + b"".join(map(_TERMS.__getitem__, terms))


TEXTS = Memo(_read)
"""Text run -> the bytes of an array: key of its words, white space folded; how many; hashes of its terms."""


def key_of(run: str) -> int:
    """Return the key of the words of a run."""
    return int.from_bytes(TEXTS[run][:8], byteorder)


NO_TEXT = _KEY_AND_WORDS(0, 0)


class Texts(NamedTuple):
    """What was read of some texts.

    keys    text -> key of its words
    words   text -> its number of words
    terms   text -> its number of terms
    firsts  text -> where the hash of its first term stands among all
    hashes  of the terms of all texts, with other numbers between them
    """

    keys: Keys
    words: Indices
    terms: Indices
    firsts: Indices
    hashes: Keys


def joined(written: Sequence[bytes]) -> Texts:
    """Return what was read of some texts, as of ``TEXTS``."""
    hashes = np.frombuffer(b"".join((*written, NO_TEXT)), dtype=np.uint64)
    lengths = np.fromiter(map(len, written), np.intp, len(written)) // hashes.itemsize
    starts = lengths.cumsum() - lengths
    return Texts(hashes[starts], hashes[starts + 1].view(np.intp), lengths - 2, starts + 2, hashes)
