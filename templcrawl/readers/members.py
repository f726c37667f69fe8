"""The uncompressed bytes of a WARC file, in pieces of which each can be damaged without the others.

A plain file is one piece.  A compressed one is a chain of members: of gzip, or zstandard's frames.  As a
rule a member is a record and a piece; it may be the whole file, and a record may go on in the members that
follow unless they start one (:attr:`Piece.in_record`).  Where a member is damaged, reading goes on at the
next place that inflates to the start of a record.

Cost: O(size of the file); a damaged member is looked at twice.  Memory: a few times 64 KB; for zstandard
that of :mod:`templcrawl.readers.compression`, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import IO

from templcrawl.errors import TemplcrawlError
from templcrawl.readers.compression import (
    DICTIONARY_MAGIC,
    GZIP,
    ZSTD_MAGIC,
    Compression,
    DamagedZstd,
    read_dictionary,
    zstd_with,
)

RECORD_START = b"WARC/"

_CHUNK = 2**16
_LONGEST_LINE = 2**16
_LONGEST_START = 2**16 + 2**17
"""Bytes of a member that tell how it starts: headers, and a block of zstandard, which has at most 128 KB."""


class DamagedRecord(TemplcrawlError, ValueError):
    """A record cannot be read; the next one may be.  It is counted by the reader and goes no further."""


class Piece:
    """A stream of bytes made of chunks.  Reading raises DamagedRecord where the chunks do.

    offset     where it starts in the file
    in_record  whether what is read now is of one record, which may go on behind the last chunk
    """

    def __init__(
        self,
        offset: int,
        chunks: Iterator[bytes],
        continuation: Callable[[], Iterator[bytes] | None] = lambda: None,
    ) -> None:
        """Begin a stream; ``continuation`` is asked for further chunks while a record goes on."""
        self.offset = offset
        self.in_record = False
        self._chunks = chunks
        self._continuation = continuation
        self._buffer = b""
        self._at = 0

    def _fill(self) -> bool:
        """Get more bytes once all are taken; say whether there are any."""
        while self._at == len(self._buffer):
            self._buffer, self._at = next(self._chunks, b""), 0
            if not self._buffer:
                further = self._continuation() if self.in_record else None
                if further is None:
                    return False
                self._chunks = further
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

    def skip_space(self) -> None:
        """Pass over white space."""
        while self._fill():
            rest = self._buffer[self._at :].lstrip()
            self._at = len(self._buffer) - len(rest)
            if rest:
                return

    def seek_line(self, start: bytes) -> bool:
        """Go to the next line that starts so, or to the end; say whether there is one.

        What comes next counts as the start of a line.
        """
        before = b"\n"
        while self._fill():
            window = before + self._buffer[self._at :]
            end = window.find(b"\n" + start)
            if end >= 0:
                self._buffer, self._at = window, end + 1
                return True
            before = window[-len(start) :]
            self._at = len(self._buffer)
        return False

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
    """Yield the pieces of a WARC file; the next one is looked for when this one has been left.

    Raises MissingExtra.
    """
    magic = file.read(4)
    file.seek(0)
    if magic.startswith(GZIP.magic):
        yield from _Members(file, GZIP).pieces()
    elif magic in (ZSTD_MAGIC, DICTIONARY_MAGIC):
        dictionary = None
        try:
            dictionary = read_dictionary(file)
        except DamagedZstd as error:
            yield Piece(0, _damage(f"damaged zstd dictionary ({error})"))
        yield from _Members(file, zstd_with(dictionary)).pieces()
    else:
        yield Piece(0, iter(lambda: file.read(_CHUNK), b""))


def _damage(reason: str) -> Iterator[bytes]:
    """Raise DamagedRecord when the first chunk is asked for."""
    yield from ()
    raise DamagedRecord(reason)


class _Members:
    """The members of a file, from where it is read now."""

    def __init__(self, file: IO[bytes], compression: Compression) -> None:
        self._file = file
        self._compression = compression
        self._member: _Member | None = _Member(file, compression, file.tell())

    def pieces(self) -> Iterator[Piece]:
        """Yield a piece for each member that no record went on in."""
        while self._member is not None:
            yield Piece(self._member.offset, self._member.chunks(), self._continuation)
            self._member = self._following(self._member)

    def _continuation(self) -> Iterator[bytes] | None:
        """Return what the next member holds, None if it starts a record, or is damaged at its start."""
        if self._member is None or not self._member.is_over:
            return None
        following = self._following(self._member)
        if following is None or following.start() in (RECORD_START, None):
            return None
        self._member = following
        return following.chunks()

    def _following(self, member: _Member) -> _Member | None:
        """Return the member after one, None at the end of the file."""
        if not member.is_over:
            return self._search(member.offset + 1)
        self._file.seek(member.end)
        following = _Member(self._file, self._compression, member.end)
        return following if self._file.read(1) else None

    def _search(self, offset: int) -> _Member | None:
        """Return the first member at an offset or behind it that holds a record."""
        file, magic = self._file, self._compression.magic
        file.seek(offset)
        window = file.read(_CHUNK)
        while window:
            start = window.find(magic)
            while start >= 0:
                member = _Member(file, self._compression, offset + start)
                if member.start() == RECORD_START:
                    return member
                start = window.find(magic, start + 1)
            offset += max(1, len(window) - len(magic) + 1)
            file.seek(offset)
            window = file.read(_CHUNK)
        return None


class _Member:
    """A member of a compressed file.

    offset   where it starts
    end      where it ends, once it is over
    is_over  whether it has been read to its end
    """

    def __init__(self, file: IO[bytes], compression: Compression, offset: int) -> None:
        self.offset = self.end = offset
        self.is_over = False
        self._file = file
        self._compression = compression

    def start(self) -> bytes | None:
        """Return its first bytes, None where it is damaged."""
        decompressor = self._compression.decompressor()
        self._file.seek(self.offset)
        try:
            start = decompressor.decompress(self._file.read(_LONGEST_START), len(RECORD_START))
        except self._compression.error:
            return None
        return start if start or decompressor.eof else None

    def chunks(self) -> Iterator[bytes]:
        """Yield its bytes, decompressed.  Raises DamagedRecord."""
        decompressor = self._compression.decompressor()
        self._file.seek(self.offset)
        while not decompressor.eof:
            data = self._file.read(_CHUNK) if decompressor.needs_input else b""
            if decompressor.needs_input and not data:
                raise DamagedRecord("the file ends inside it")
            try:
                chunk = decompressor.decompress(data, _CHUNK)
            except self._compression.error as error:
                raise DamagedRecord(f"damaged {self._compression.name} data ({error})") from error
            if chunk:
                yield chunk
        self.end = self._file.tell() - len(decompressor.unused_data)
        self.is_over = True
