"""Decode the bytes of a page by the rules of Scrapy's responses; encode text as UTF-8; hash it to a key.

Order: byte order mark, the encoding of the Content-Type header, the one declared in the page,
then the first of UTF-8 and Windows-1252 that decodes; bytes that fit none become U+FFFD.  What is declared
and is no encoding of text to Python ("hex", "idna"), or takes quadratic time there ("punycode"), is passed
over.
Departure: where nothing is declared and the page is not UTF-8, recent versions of Scrapy guess among
many encodings; here it is Windows-1252 always, which costs nothing and does not change with a version.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from struct import Struct

from w3lib.encoding import html_body_declared_encoding, html_to_unicode, http_content_type_encoding
from xxhash import xxh3_64_intdigest

key_bytes = Struct("=Q").pack
"""Key -> its bytes in an array of keys."""

_SLOW = "punycode"
_DECLARED_IN = 4_096


def _guess(body: bytes) -> str:
    for encoding in ("utf-8", "cp1252"):
        try:
            body.decode(encoding)
        except UnicodeDecodeError:
            continue
        return encoding
    return "utf-8"


def decode(body: bytes, content_type: str | None = None) -> str:
    """Return the text of a page.

    body          the page as it came
    content_type  the Content-Type header, if there was one
    """
    try:
        if _is_slow(body, content_type):
            return body.decode(_guess(body), "replace")
        return html_to_unicode(content_type, body, default_encoding="utf-8", auto_detect_fun=_guess)[1]
    except (LookupError, UnicodeError):
        return body.decode(_guess(body), "replace")


def _is_slow(body: bytes, content_type: str | None) -> bool:
    """Say whether what is declared is an encoding that Python decodes in quadratic time."""
    head = (content_type or "").encode("utf-8", "replace") + body[:_DECLARED_IN]
    if _SLOW.encode() not in head.lower():
        return False
    return (http_content_type_encoding(content_type) or html_body_declared_encoding(body)) == _SLOW


def storable(text: str) -> str:
    r"""Return a text as UTF-8 can hold it: half of a surrogate pair becomes a question mark.

    >>> storable("tea \ud83d")
    'tea ?'
    """
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def pack_text(text: str, level: int = -1) -> bytes:
    r"""Return a text compressed, half surrogates and all.

    level  of zlib: 1 is fast, 9 is small

    >>> unpack_text(pack_text("tea \ud83d")) == "tea \ud83d"
    True
    """
    return zlib.compress(text.encode("utf-8", "surrogatepass"), level)


def unpack_text(packed: bytes) -> str:
    """Return what ``pack_text`` was given; raises zlib.error, UnicodeDecodeError for anything else."""
    return zlib.decompress(packed).decode("utf-8", "surrogatepass")


def text_key(text: str) -> int:
    """Return a 64-bit key of a text, equal in every process.

    >>> text_key("tea") == text_key("te" + "a") != text_key("tee")
    True
    """
    return xxh3_64_intdigest(text.encode("utf-8", "surrogatepass"))


def text_keys(texts: Iterable[str]) -> list[int]:
    """Return the key of each text."""
    return [xxh3_64_intdigest(text.encode("utf-8", "surrogatepass")) for text in texts]
