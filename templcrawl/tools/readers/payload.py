"""The payload of an HTTP response that was saved: chunks joined, content encodings undone.

Its size is limited, so a few compressed bytes cannot become a huge page, and so is the number of its
encodings (``_MAX_ENCODINGS``).  Archives often keep the header of an encoding that they have already decoded:
bytes that are not encoded are returned unchanged.

Cost: O(length of the response and of its payload) for each encoding.
"""

from __future__ import annotations

import zlib
from io import BytesIO
from typing import Any

from templcrawl.errors import TemplcrawlError

GZIP = b"\x1f\x8b\x08"
GZIP_WINDOW = 16 + zlib.MAX_WBITS
ZSTD = b"\x28\xb5\x2f\xfd"
_MAX_ENCODINGS = 3
_NO_ENCODINGS = frozenset({"", "identity", "none", "utf-8"})
_LONGEST_SIZE = 2**10
_READ = 2**12
_CUT_FRAME = "incomplete frame"


class DamagedRecord(TemplcrawlError, ValueError):
    """A record cannot be read; the next one may be readable.  The reader counts it and does not raise it."""


def undo_encodings(body: bytes, *, transfer: str, content: str, max_bytes: int) -> bytes:
    """Return the payload of a response, at most ``max_bytes``; of a truncated response, what there is.

    transfer, content  its headers Transfer-Encoding and Content-Encoding, "" without
    Raises DamagedRecord if it cannot be decoded or has too many encodings, MissingExtra.
    """
    names = [name.strip() for name in content.lower().split(",")]
    encodings = [name for name in names if name not in _NO_ENCODINGS]
    if len(encodings) > _MAX_ENCODINGS:
        raise DamagedRecord(f"{len(encodings):,} content encodings; at most {_MAX_ENCODINGS} are decoded")
    if "chunked" in transfer.lower():
        body = _joined(body)
    for encoding in reversed(encodings):
        body = _decoded(body, encoding, max_bytes)
    return body[:max_bytes]


def _joined(body: bytes) -> bytes:
    chunks: list[bytes] = []
    at = 0
    while at < len(body):
        end = body.find(b"\r\n", at, at + _LONGEST_SIZE)
        try:
            size = int(body[at:end].partition(b";")[0], 16) if end >= 0 else -1
        except ValueError:
            size = -1
        if size <= 0:
            return b"".join(chunks) + (body[at:] if size else b"")
        chunks.append(body[end + 2 : end + 2 + size])
        at = end + 2 + size + 2
    return b"".join(chunks)


def _decoded(body: bytes, encoding: str, max_bytes: int) -> bytes:
    if encoding in {"gzip", "x-gzip"}:
        return _inflated(body, GZIP_WINDOW, max_bytes) if body.startswith(GZIP[:2]) else body
    if encoding == "deflate":
        try:
            return _inflated(body, zlib.MAX_WBITS if _has_zlib_header(body) else -zlib.MAX_WBITS, max_bytes)
        except DamagedRecord:
            return body
    if encoding in {"br", "zstd"}:
        return _read(body, encoding, max_bytes)
    raise DamagedRecord(f"unknown content encoding {encoding!r}")


def _has_zlib_header(body: bytes) -> bool:
    """Return whether a body starts with a zlib header (RFC 1950); raw deflate streams do not."""
    return len(body) > 1 and body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0


def _inflated(body: bytes, window: int, max_bytes: int) -> bytes:
    try:
        return zlib.decompressobj(window).decompress(body, max_bytes)
    except zlib.error as error:
        raise DamagedRecord(f"damaged content encoding ({error})") from error


def _read(body: bytes, encoding: str, max_bytes: int) -> bytes:
    from fastwarc.stream_io import BrotliReader, ZstdReader

    if encoding == "zstd" and not body.startswith(ZSTD):
        return body
    reader: Any = (ZstdReader if encoding == "zstd" else BrotliReader)(BytesIO(body))
    chunks, size = [], 0
    try:
        while size < max_bytes and (chunk := reader.read(min(max_bytes - size, _READ))):
            chunks.append(chunk)
            size += len(chunk)
    except OSError as error:
        if encoding == "br":
            return body
        if str(error) == _CUT_FRAME:
            return b"".join(chunks)
        raise DamagedRecord(f"damaged content encoding ({error})") from error
    return b"".join(chunks)
