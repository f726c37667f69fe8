"""The text of pages: character references, keys of texts and words, a cache of what was read.

*Character references*: the standard library reads numbers of any length digit by digit, and refuses those of
more than some 4,000.  Here a number that is too long to be a character is U+FFFD, as the HTML standard has
it; zeros before a number do not count.

*Words* are what a reader sees: references decoded, in Normalisation Form C, without soft hyphens and
zero-width spaces.  *Terms* are what white space parts.  A distinct term is hashed once for all pages of a
process, and so is a distinct run of at most ``MAX_CHARACTERS`` characters read; a longer one is once a page.
Hashes are xxh3, equal in every process.

Cost: O(length of the text), most of it in C.
"""

from __future__ import annotations

import html
import re
import zlib
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from html.entities import html5
from struct import Struct
from typing import NamedTuple, TypeVar
from unicodedata import normalize

import numpy as np
from xxhash import xxh3_64_intdigest

from templcrawl.page.arrays import Indices, Keys

key_bytes = Struct("=Q").pack  # key -> its bytes in an array of keys

# What XML 1.0 cannot hold, and the control characters that steer a terminal.
_UNSTORABLE = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]").search
_STORED = {
    code: " " if chr(code).isspace() else "\ufffd"
    for code in (*range(9), 11, 12, *range(14, 32), *range(127, 160), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF)
}
_UNSTORABLE_ASCII = bytes(code for code in _STORED if code < 128)


def storable(text: str) -> str:
    r"""Replace characters that XML, PostgreSQL, UTF-8 or terminals cannot hold; the length stays.

    Control characters that are white space (form feeds) become blanks.  Other control characters but tabs and
    ends of lines, halves of surrogate pairs, U+FFFE and U+FFFF become U+FFFD.

    >>> storable("green\ftea \0 \ud83d")
    'green tea \ufffd \ufffd'
    """
    if text.isascii():  # five times as fast
        is_clean = len(text.encode().translate(None, _UNSTORABLE_ASCII)) == len(text)
    else:
        is_clean = not _UNSTORABLE(text)
    return text if is_clean else text.translate(_STORED)


def pack_text(text: str) -> bytes:
    r"""Return a text compressed, half surrogates and all.

    >>> unpack_text(pack_text("tea \ud83d")) == "tea \ud83d"
    True
    """
    return zlib.compress(text.encode("utf-8", "surrogatepass"))


def unpack_text(packed: bytes) -> str:
    """Return the text that ``pack_text`` packed; raises zlib.error, UnicodeDecodeError for other bytes."""
    return zlib.decompress(packed).decode("utf-8", "surrogatepass")


def text_key(text: str) -> int:
    """Return a 64-bit key of a text, equal in every process.

    >>> text_key("tea") == text_key("te" + "a") != text_key("tee")
    True
    """
    return xxh3_64_intdigest(text.encode("utf-8", "surrogatepass"))


def unforgeable_key(text: str) -> int:
    """Return a 64-bit key of a text, equal in every process, for which nobody can find a collision.

    It costs a microsecond (BLAKE2b).  It is for what comes from several hosts, of which one must not be able
    to displace what is of another; a ``text_key`` is made to order in seconds.

    >>> unforgeable_key("tea") == unforgeable_key("te" + "a") != unforgeable_key("tee")
    True
    """
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


_MAX_DIGITS = 7  # of 0x10FFFF, the last character, in decimal
_LONG_NUMBER = re.compile(rf"&#(?:[0-9]{{{_MAX_DIGITS + 1},}}|[xX][0-9a-fA-F]{{{_MAX_DIGITS + 1},}})")
_NO_CHARACTER = "&#x110000"
_IN_ATTRIBUTE = re.compile(r"&(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|([a-zA-Z][a-zA-Z0-9]*(?:;|(?![a-zA-Z0-9=]))))")


def unescape(text: str) -> str:
    """Return a text run with its character references decoded.

    >>> unescape("&lt;b&gt; &#65;&#x00000041; &copy 2026"), unescape("&#" + "9" * 5_000 + ";")
    ('<b> AA © 2026', '�')
    """
    return html.unescape(_LONG_NUMBER.sub(_shortened, text)) if "&" in text else text


def attribute_text(written: str) -> str:
    """Return the value of an attribute with its character references decoded.

    By the HTML standard's rule for attributes, a reference without ``;`` before a letter, a digit or
    ``=`` is text: the ``&reg`` in ``?a=1&region=2``.

    >>> attribute_text("?a=1&amp;b=2&region=3")
    '?a=1&b=2&region=3'
    """
    return _IN_ATTRIBUTE.sub(_decoded, written) if "&" in written else written


def _shortened(reference: re.Match[str]) -> str:
    prefix = reference[0][: 3 if reference[0][2] in "xX" else 2]
    digits = reference[0][len(prefix) :].lstrip("0") or "0"
    return prefix + digits if len(digits) <= _MAX_DIGITS else _NO_CHARACTER


def _decoded(reference: re.Match[str]) -> str:
    name = reference[1]
    return html5.get(name, reference[0]) if name else unescape(reference[0])


# Characters that are not seen and part no words: soft hyphens, zero-width spaces.
ZERO_WIDTH = "\u00ad\u200b\ufeff"
_OF_ZERO_WIDTH = re.compile(f"[{ZERO_WIDTH}]")


def remove_zero_width(text: str) -> str:
    """Return a text without soft hyphens and zero-width spaces."""
    return text if text.isascii() else _OF_ZERO_WIDTH.sub("", text)


def as_seen(text: str) -> str:
    """Return a decoded text in the form that is compared: NFC, without signs of no width."""
    return text if text.isascii() else normalize("NFC", remove_zero_width(text))


T = TypeVar("T")

MAX_CHARACTERS = 400
MAX_ENTRIES = 20_000


class Cache(dict[str, T]):
    """Text -> what is remembered of it, for all pages of a process: most tags and runs of a site recur.

    A text of more than ``MAX_CHARACTERS`` is not remembered; a cache with ``MAX_ENTRIES`` entries is cleared.
    """

    __slots__ = ()

    def keep(self, text: str, value: T) -> T:
        """Remember the value of a text, unless that is long; return it."""
        if len(text) <= MAX_CHARACTERS:
            if len(self) >= MAX_ENTRIES:
                self.clear()
            self[text] = value
        return value


class Memo(Cache[T]):
    """A function of a text with a cache of its values.

    >>> lengths = Memo(len)
    >>> lengths["four"], dict(lengths)
    (4, {'four': 4})
    """

    __slots__ = ("_compute",)

    def __init__(self, compute: Callable[[str], T]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, text: str) -> T:
        return self.keep(text, self._compute(text))


DECODED = Memo(lambda run: remove_zero_width(unescape(run)))  # text run -> its text
_WORD = re.compile(r"\w+")
WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_KEY_AND_WORDS = Struct("=2Q").pack


def count_words(text: str) -> int:
    """Count the words of a text; where words are not spaced (Chinese, Japanese), each character is one.

    >>> count_words("two words, 日本"), count_words("| * |")
    (4, 0)
    """
    words = len(_WORD.findall(text))
    wide = len(WIDE.findall(text)) if words and not text.isascii() else 0
    return wide + len(_WORD.findall(WIDE.sub(" ", text))) if wide else words


_TERMS = Memo(lambda term: key_bytes(text_key(term)))


def hashes_of(terms: Iterable[str]) -> Keys:
    """Return the hash of each term, in order."""
    return np.frombuffer(b"".join(map(_TERMS.__getitem__, terms)), dtype=np.uint64)


def _read(run: str) -> bytes:
    terms = as_seen(unescape(run)).split()
    folded = " ".join(terms)
    return _KEY_AND_WORDS(text_key(folded), count_words(folded)) + b"".join(map(_TERMS.__getitem__, terms))


# Text run -> the bytes of an array: key of its words, white space folded; how many; hashes of its terms.
TEXTS = Memo(_read)


def key_of(text: str) -> int:
    """Return the key that a run has of whose words this is the text."""
    return text_key(" ".join(as_seen(text).split()))


NO_TEXT = _KEY_AND_WORDS(0, 0)


class Texts(NamedTuple):
    """The results of reading some texts.

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
    """Return the results of reading some texts."""
    hashes = np.frombuffer(b"".join((*written, NO_TEXT)), dtype=np.uint64)
    lengths = np.fromiter(map(len, written), np.intp, len(written)) // hashes.itemsize
    starts = lengths.cumsum() - lengths
    return Texts(hashes[starts], hashes[starts + 1].view(np.intp), lengths - 2, starts + 2, hashes)
