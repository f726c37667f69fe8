"""From the bytes of a page to its text, as Scrapy's responses read them.

Byte order mark, the encoding of the Content-Type header, the one declared in the first 4,096 bytes of the
page, UTF-8 if it decodes, then the guess of charset-normalizer, which Scrapy takes from 2.19 on; where it is
not installed, Windows-1252.  Bytes that fit none become U+FFFD.  What is declared and is no encoding of text
to Python ("hex", "idna"), or takes quadratic time there ("punycode"), is passed over.

Labels of the Encoding standard that neither Python nor w3lib knows are read as the standard has them.  So is
UTF-16 that a page declares in itself: it means UTF-8, or the declaration could not have been read.

Cost: O(length).  A guess decodes the page by some ninety encodings, 40 ms a million bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from w3lib.encoding import (
    html_body_declared_encoding,
    html_to_unicode,
    http_content_type_encoding,
    read_bom,
    resolve_encoding,
)

from_bytes: Callable[[bytes], Any] | None
try:
    from charset_normalizer import from_bytes
except ImportError:  # an older Scrapy came without it
    from_bytes = None

_SLOW = "punycode"
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
_WIDE = frozenset(
    "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff unicodefffe utf-16 utf-16be utf-16le".split()
)
_DECLARED = re.compile(
    r"""((?:charset|encoding)\s{0,9}=\s{0,9}["']?\s{0,9})([\w-]+)""", re.IGNORECASE | re.ASCII
)


def decode(body: bytes, content_type: str | None = None) -> str:
    """Return the text of a page.

    body          the page as it came
    content_type  the Content-Type header, if there was one
    """
    try:
        declared = _declared(body, content_type)
        if declared == _SLOW:
            return body.decode(_guess(body), "replace")
        header = f"charset={declared}" if declared else None
        return html_to_unicode(header, body, default_encoding="ascii", auto_detect_fun=_guess)[1]
    except (LookupError, UnicodeError):
        return body.decode(_guess(body), "replace")


def _declared(body: bytes, content_type: str | None) -> str | None:
    """Return the encoding that the header or the page declares; a byte order mark counts more."""
    encoding = http_content_type_encoding(_DECLARED.sub(_in_header, content_type or ""))
    if encoding or read_bom(body)[0]:
        return encoding
    head = body[:_DECLARED_IN].decode("latin-1")
    return html_body_declared_encoding(_DECLARED.sub(_in_page, head))


def _in_header(match: re.Match[str]) -> str:
    return match[1] + _ENCODING_OF.get(match[2].lower(), match[2])


def _in_page(match: re.Match[str]) -> str:
    return f"{match[1]}utf-8" if match[2].lower() in _WIDE else _in_header(match)


def _guess(body: bytes) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        match = from_bytes(body).best() if from_bytes else None
        return (match and resolve_encoding(match.encoding)) or ("ascii" if from_bytes else "cp1252")
    return "utf-8"
