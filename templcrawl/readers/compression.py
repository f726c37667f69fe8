"""The compressions of WARC files, gzip and zstandard, behind the calls of :class:`lzma.LZMADecompressor`.

zstandard has these calls already (:mod:`compression.zstd`); :class:`GzipMember` gives them to :mod:`zlib`.
A member is what one decompressor reads: a member of gzip, or a frame of zstandard.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Protocol

from templcrawl.readers.zstd import ZSTD_MAGIC, load_zstd, zstd_frame

_GZIP = 16 + zlib.MAX_WBITS


class Decompressor(Protocol):
    """Decompresses one member."""

    @property
    def eof(self) -> bool:
        """Whether its end has been read."""

    @property
    def needs_input(self) -> bool:
        """Whether more comes out only if more is given."""

    @property
    def unused_data(self) -> bytes:
        """What was given beyond its end."""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Return the next bytes, at most so many."""


class GzipMember:
    """Decompresses one member of gzip, a :class:`Decompressor`; raises zlib.error."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(_GZIP)

    @property
    def eof(self) -> bool:
        """Whether its end has been read."""
        return self._member.eof

    @property
    def needs_input(self) -> bool:
        """Whether more comes out only if more is given."""
        return not self._member.eof and not self._member.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        """What was given beyond its end."""
        return self._member.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Return the next bytes, at most so many."""
        return self._member.decompress(self._member.unconsumed_tail + data, max_length)


class Compression(NamedTuple):
    """How the members of a file are compressed.

    magic         what each starts with
    decompressor  makes one for a member
    error         what that raises where the member is damaged
    """

    name: str
    magic: bytes
    decompressor: Callable[[], Decompressor]
    error: type[Exception]


GZIP = Compression("gzip", b"\x1f\x8b\x08", GzipMember, zlib.error)


def zstd_with(dictionary: Any) -> Compression:
    """Return zstandard with what :func:`~templcrawl.readers.zstd.read_dictionary` found.

    Raises MissingExtra.
    """
    return Compression("zstd", ZSTD_MAGIC, partial(zstd_frame, dictionary), load_zstd().ZstdError)
