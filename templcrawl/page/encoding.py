"""The encoding of pages: bytes decoded as Scrapy's responses decode them.

Byte order mark, the encoding of the Content-Type header, the
one declared in the first 4,096 bytes of the page, UTF-8 if it decodes, then the guess of charset-normalizer,
which Scrapy takes from 2.19 on; where it is not installed, Windows-1252.  Bytes that fit none become U+FFFD.
What is declared and is not an encoding of text to Python ("hex", "idna"), or takes quadratic time there
("punycode"), is passed over.  Labels of the Encoding standard that neither Python nor w3lib knows are read as
the standard has them.  So is UTF-16 that a page declares in itself: it means UTF-8, or the declaration could
not have been read.

Cost: O(length of the text), in C.  A guess decodes the page by some ninety encodings, 40 ms a million bytes.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from w3lib.encoding import (
    html_body_declared_encoding,
    html_to_unicode,
    http_content_type_encoding,
    resolve_encoding,
)

from_bytes: Callable[[bytes], Any] | None
try:
    from charset_normalizer import from_bytes
except ImportError:  # an older Scrapy came without it
    from_bytes = None

_MARKS = BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE  # that of UTF-32-LE begins as UTF-16's does
_DECLARED_IN = 4_096  # bytes at the start of a page in which its encoding is looked for

# Encoding -> labels of it (https://encoding.spec.whatwg.org/#names-and-labels).
_LABELS = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8",
    "iso8859-6": "csiso88596e csiso88596i iso-8859-6-e iso-8859-6-i iso88596",
    "iso8859-7": "iso88597 sun_eu_greek",
    "iso8859-8": "csiso88598e csiso88598i iso-8859-8-e iso-8859-8-i iso88598 logical visual",
    "iso8859-15": "csisolatin9 iso885915",
    **{f"iso8859-{part}": f"iso8859{part}" for part in (2, 3, 4, 5, 10, 13, 14)},
    **{f"cp{page}": f"x-cp{page}" for page in range(1250, 1259)},
    "koi8-r": "koi koi8",
    "mac_roman": "csmacintosh mac x-mac-roman",
    "mac_cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "cp874": "dos-874 iso885911",
    "gb18030": "csgb2312 gb_2312 x-gbk",
    "big5hkscs": "cn-big5 x-x-big5",
    "euc_jp": "cseucpkdfmtjapanese x-euc-jp",
    "cp949": "cseuckr csksc56011987 iso-ir-149 ks_c_5601-1989 ksc_5601 windows-949",
}
_ENCODING_OF = {label: encoding for encoding, labels in _LABELS.items() for label in labels.split()}
_SIXTEEN_BITS = "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff unicodefffe utf-16 utf-16be utf-16le"
_IN_PAGES = {**_ENCODING_OF, **dict.fromkeys(_SIXTEEN_BITS.split(), "utf-8")}
_LABEL = re.compile(r"""(\s{0,9}=\s{0,9}["']?\s{0,9})([\w-]+)""", re.ASCII).match


def decode(body: bytes, content_type: str | None = None) -> tuple[str, str]:
    """Return the encoding of a page, and its text.

    body          the page as it came
    content_type  the Content-Type header, if there was one
    """
    try:
        declared = _declared(body, content_type)
        if declared == "punycode":  # quadratic
            return _guessed(body)
        if declared == "utf-8" and not body.startswith(_MARKS):
            with suppress(UnicodeDecodeError):  # nearly every page
                return declared, body.decode()
        header = f"charset={declared}" if declared else None
        return html_to_unicode(header, body, default_encoding="ascii", auto_detect_fun=_guess)
    except (LookupError, UnicodeError):
        return _guessed(body)


def utf8_of(body: bytes, encoding: str, text: str) -> bytes | None:
    """Return a body if it is its text in UTF-8, which need not be encoded again; else None."""
    is_whole = encoding == "utf-8" and not body.startswith(BOM_UTF8) and "\ufffd" not in text
    return body if is_whole else None


def _declared(body: bytes, content_type: str | None) -> str | None:
    """Return the encoding that the header or the page declares; a byte order mark counts more."""
    encoding = None
    if content_type:
        encoding = http_content_type_encoding(_relabelled(content_type.lower(), _ENCODING_OF))
    if encoding or body.startswith(_MARKS):
        return encoding
    head = body[:_DECLARED_IN].decode("latin-1")
    if html_body_declared_encoding(head) == "utf-8":  # nearly every page: no label stands for another
        return "utf-8"
    return html_body_declared_encoding(_relabelled(head.lower(), _IN_PAGES))


def _relabelled(text: str, encodings: Mapping[str, str]) -> str:
    """Return a text in lower case with labels replaced; one pattern for all of it takes ten times as long."""
    for name in ("charset", "encoding"):
        first, *rest = text.split(name)
        text = first
        for part in rest:
            label = _LABEL(part)
            encoding = encodings.get(label[2]) if label else None
            text += name + (f"{label[1]}{encoding}{part[label.end() :]}" if label and encoding else part)
    return text


def _guessed(body: bytes) -> tuple[str, str]:
    encoding = _guess(body)
    return encoding, body.decode(encoding, "replace")


def _guess(body: bytes) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        match = from_bytes(body).best() if from_bytes else None
        return (match and resolve_encoding(match.encoding)) or ("ascii" if from_bytes else "cp1252")
    return "utf-8"
