"""The bytes of a page from the bytes of its HTTP answer: chunks joined, content encodings undone.

At most a given number of bytes come out, whatever a few compressed bytes may stand for.  Archives often
keep the header of an encoding that they have undone already: what is not encoded stays as it is.

Cost: O(bytes in + bytes out).
"""

from __future__ import annotations

import zlib
from io import BytesIO

from templcrawl.errors import MissingExtra
from templcrawl.readers.compression import ZSTD_LIBRARY, ZSTD_MAGIC, DamagedZstd, unzstd
from templcrawl.readers.members import DamagedRecord

_GZIP_MAGIC = b"\x1f\x8b"
_DEFLATE_WINDOWS = (zlib.MAX_WBITS, -zlib.MAX_WBITS)


def undo_encodings(body: bytes, *, transfer: str, content: str, max_bytes: int) -> bytes:
    """Return the payload of an answer, at most ``max_bytes`` of it; of a cut answer what there is.

    transfer, content  its headers Transfer-Encoding and Content-Encoding, "" without
    Raises DamagedRecord where it cannot be decoded.
    """
    if "chunked" in transfer.lower():
        from warcio.bufferedreaders import ChunkedDataReader

        body = ChunkedDataReader(BytesIO(body)).read()
    for encoding in reversed([name.strip() for name in content.lower().split(",")]):
        body = _decoded(body, encoding, max_bytes)
    return body[:max_bytes]


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
    if encoding == "br":
        return _of_brotli(body, max_bytes)
    if encoding == "zstd":
        return _of_zstd(body, max_bytes) if body.startswith(ZSTD_MAGIC) else body
    raise DamagedRecord(f"content encoding {encoding!r} is not known")


def _inflated(body: bytes, window: int, max_bytes: int) -> bytes:
    try:
        return zlib.decompressobj(window).decompress(body, max_bytes)
    except zlib.error as error:
        raise DamagedRecord(f"damaged content encoding ({error})") from error


def _of_brotli(body: bytes, max_bytes: int) -> bytes:
    try:
        import brotli
    except ImportError as error:
        raise DamagedRecord("content encoding 'br' needs the package brotli") from error
    decompressor, parts, size = brotli.Decompressor(), [], 0
    try:
        part = decompressor.process(body, output_buffer_limit=max_bytes)
        while part and size < max_bytes:
            parts.append(part)
            size += len(part)
            part = decompressor.process(b"", output_buffer_limit=max_bytes)
    except brotli.error:
        return body
    except TypeError as error:
        raise DamagedRecord("content encoding 'br' needs brotli 1.2 or newer") from error
    return b"".join(parts)


def _of_zstd(body: bytes, max_bytes: int) -> bytes:
    try:
        return unzstd(body, max_bytes)
    except MissingExtra as error:
        raise DamagedRecord(f"content encoding 'zstd' needs the module {ZSTD_LIBRARY}") from error
    except DamagedZstd as error:
        raise DamagedRecord(f"damaged content encoding ({error})") from error
