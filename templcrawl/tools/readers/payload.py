"""The payload of an HTTP response: chunks joined, content encodings undone.

The size of the payload is limited, so a few compressed bytes cannot become a huge page.  Archives often have
the header of an encoding that they have undone already: bytes that are not encoded are returned unchanged.

Cost: O(bytes in + bytes out).
"""

from __future__ import annotations

import zlib
from io import BytesIO
from typing import Any

from templcrawl.errors import TemplcrawlError

_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_DEFLATE_WINDOWS = (zlib.MAX_WBITS, -zlib.MAX_WBITS)
_LONGEST_SIZE = 2**10
_CHUNK = 2**12
_CUT = "incomplete frame"


class DamagedRecord(TemplcrawlError, ValueError):
    """A record cannot be read; the next one may be readable.  The reader counts it and does not raise it."""


def undo_encodings(body: bytes, *, transfer: str, content: str, max_bytes: int) -> bytes:
    """Return the payload of a response, at most ``max_bytes`` of it; of a cut response all that there is.

    transfer, content  its headers Transfer-Encoding and Content-Encoding, "" without
    Raises DamagedRecord if it cannot be decoded, MissingExtra.
    """
    if "chunked" in transfer.lower():
        body = _joined(body)
    for encoding in reversed([name.strip() for name in content.lower().split(",")]):
        body = _decoded(body, encoding, max_bytes)
    return body[:max_bytes]


def _joined(body: bytes) -> bytes:
    """Return the chunks of a body, joined; an unchunked body, and the rest after damage, unchanged."""
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
    if encoding in {"", "identity", "none", "utf-8"}:
        return body
    if encoding in {"gzip", "x-gzip"}:
        return _inflated(body, 16 + zlib.MAX_WBITS, max_bytes) if body.startswith(_GZIP_MAGIC) else body
    if encoding == "deflate":
        for window in _DEFLATE_WINDOWS:
            try:
                return _inflated(body, window, max_bytes)
            except DamagedRecord:
                continue
        return body
    if encoding in {"br", "zstd"}:
        return _read(body, encoding, max_bytes)
    raise DamagedRecord(f"unknown content encoding {encoding!r}")


def _inflated(body: bytes, window: int, max_bytes: int) -> bytes:
    try:
        return zlib.decompressobj(window).decompress(body, max_bytes)
    except zlib.error as error:
        raise DamagedRecord(f"damaged content encoding ({error})") from error


def _read(body: bytes, encoding: str, max_bytes: int) -> bytes:
    """Return a body decoded by FastWARC, which reads Brotli and zstandard."""
    from fastwarc.stream_io import BrotliReader, ZstdReader

    if encoding == "zstd" and not body.startswith(_ZSTD_MAGIC):
        return body
    reader: Any = (ZstdReader if encoding == "zstd" else BrotliReader)(BytesIO(body))
    chunks, size = [], 0
    try:
        while size < max_bytes and (chunk := reader.read(min(max_bytes - size, _CHUNK))):
            chunks.append(chunk)
            size += len(chunk)
    except OSError as error:
        if encoding == "br":
            return body
        if str(error) == _CUT:
            return b"".join(chunks)
        raise DamagedRecord(f"damaged content encoding ({error})") from error
    return b"".join(chunks)
