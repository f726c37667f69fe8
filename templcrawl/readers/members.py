"""The uncompressed bytes of a WARC file, in pieces of which each can be damaged without the others.

A plain file is one piece.  A compressed one is a chain of gzip members, as a rule one a record; where a
member is damaged, reading goes on at the next place that inflates to the start of a record.

Cost: O(size of the file); a damaged member is looked at twice.  Memory: a few times 64 KB.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import IO

from templcrawl.errors import TemplcrawlError

GZIP_MAGIC = b"\x1f\x8b\x08"
RECORD_START = b"WARC/"

_CHUNK = 2**16
_LONGEST_LINE = 2**16
_GZIP = 16 + zlib.MAX_WBITS


class DamagedRecord(TemplcrawlError, ValueError):
    """A record cannot be read; the next one may be.  It is counted by the reader and goes no further."""


class Piece:
    """A stream of bytes made of chunks.  Reading raises DamagedRecord where the chunks do.

    offset  where it starts in the file
    """

    def __init__(self, offset: int, chunks: Iterator[bytes]) -> None:
        self.offset = offset
        self._chunks = chunks
        self._buffer = b""
        self._at = 0

    def _fill(self) -> bool:
        """Get more bytes once all are taken; say whether there are any."""
        while self._at == len(self._buffer):
            self._buffer, self._at = next(self._chunks, b""), 0
            if not self._buffer:
                return False
        return True

    def read(self, size: int) -> bytes:
        """Return the next bytes, fewer only at the end."""
        parts = []
        while size > 0 and self._fill():
            part = self._buffer[self._at : self._at + size]
            self._at += len(part)
            size -= len(part)
            parts.append(part)
        return b"".join(parts)

    def skip(self, size: int) -> int:
        """Pass over bytes; return how many there were."""
        passed = 0
        while passed < size and self._fill():
            step = min(size - passed, len(self._buffer) - self._at)
            self._at += step
            passed += step
        return passed

    def readline(self, size: int = _LONGEST_LINE) -> bytes:
        """Return the next line with its end, at most 64 KB of it, b"" at the end."""
        size = min(size, _LONGEST_LINE)
        parts = []
        while size > 0 and self._fill():
            end = self._buffer.find(b"\n", self._at, self._at + size) + 1
            part = self._buffer[self._at : end or self._at + size]
            self._at += len(part)
            size -= len(part)
            parts.append(part)
            if end:
                break
        return b"".join(parts)


def pieces(file: IO[bytes]) -> Iterator[Piece]:
    """Yield the pieces of a WARC file; the next one is looked for when this one has been left."""
    magic = file.read(len(GZIP_MAGIC))
    file.seek(0)
    if magic != GZIP_MAGIC:
        yield Piece(0, iter(lambda: file.read(_CHUNK), b""))
        return
    member: _Member | None = _Member(file, 0, b"")
    while member is not None:
        yield Piece(member.offset, member.chunks())
        member = member.following()


class _Member:
    """A gzip member.

    offset   where it starts
    waiting  bytes of the file from there on that have been read already
    """

    def __init__(self, file: IO[bytes], offset: int, waiting: bytes) -> None:
        self.offset = offset
        self._file = file
        self._waiting = waiting
        self._decompressor = zlib.decompressobj(_GZIP)

    def chunks(self) -> Iterator[bytes]:
        """Yield its bytes, inflated.  Raises DamagedRecord."""
        decompressor = self._decompressor
        while not decompressor.eof:
            data = self._waiting or self._file.read(_CHUNK)
            if not data:
                raise DamagedRecord("the file ends inside it")
            try:
                chunk = decompressor.decompress(data, _CHUNK)
            except zlib.error as error:
                raise DamagedRecord(f"damaged gzip data ({error})") from error
            self._waiting = decompressor.unused_data if decompressor.eof else decompressor.unconsumed_tail
            if chunk:
                yield chunk

    def following(self) -> _Member | None:
        """Return the member after this one, None at the end of the file."""
        if not self._decompressor.eof:
            return self._search(self.offset + 1)
        waiting = self._waiting or self._file.read(_CHUNK)
        return _Member(self._file, self._file.tell() - len(waiting), waiting) if waiting else None

    def _search(self, offset: int) -> _Member | None:
        """Return the first member at an offset or behind it that holds a record."""
        file = self._file
        file.seek(offset)
        window = file.read(_CHUNK)
        while window:
            found = window.find(GZIP_MAGIC)
            while found >= 0:
                place = offset + found
                file.seek(place)
                if _holds_record(file.read(_CHUNK)):
                    file.seek(place)
                    return _Member(file, place, b"")
                found = window.find(GZIP_MAGIC, found + 1)
            step = max(1, len(window) - len(GZIP_MAGIC) + 1)
            offset += step
            file.seek(offset)
            window = file.read(_CHUNK)
        return None


def _holds_record(data: bytes) -> bool:
    try:
        return zlib.decompressobj(_GZIP).decompress(data, len(RECORD_START)) == RECORD_START
    except zlib.error:
        return False
