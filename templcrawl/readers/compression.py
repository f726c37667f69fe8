"""The compressions of WARC files, gzip and zstandard, behind the calls of :class:`lzma.LZMADecompressor`.

zstandard has these calls already (:mod:`compression.zstd`); :class:`GzipMember` gives them to :mod:`zlib`.
A member is what one decompressor reads: a member of gzip, or a frame of zstandard.

*Zstandard* (RFC 8878) is Python's :mod:`compression.zstd` or its backport, which no other file imports.
A dictionary comes as the WARC format has it (IIPC, Zstandard Compression for WARC Files 1.0): in a skippable
frame at the start of the file, itself compressed or not.

Memory: the window that a frame asks for, at most 128 MB (what the program ``zstd`` gives too).
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import IO, Any, NamedTuple, Protocol

from templcrawl.errors import MissingExtra

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
    """Return zstandard with what :func:`~templcrawl.readers.compression.read_dictionary` found.

    Raises MissingExtra.
    """
    return Compression("zstd", ZSTD_MAGIC, partial(zstd_frame, dictionary), load_zstd().ZstdError)


ZSTD_LIBRARY = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
ZSTD_MAGIC = (0xFD2FB528).to_bytes(4, "little")
DICTIONARY_MAGIC = (0x184D2A5D).to_bytes(4, "little")

_LOG_LARGEST_WINDOW = 27
_LARGEST_DICTIONARY = 2**23
_CHUNK = 2**12


class DamagedZstd(ValueError):
    """What should be zstd frames, or a dictionary, is none."""


def load_zstd() -> Any:
    """Return the library; raises MissingExtra."""
    try:
        return import_module(ZSTD_LIBRARY)
    except ImportError as error:
        raise MissingExtra("what is compressed with zstandard", "warc") from error


def zstd_frame(dictionary: Any = None) -> Any:
    """Return a ``ZstdDecompressor``, for one frame, skippable or not; raises MissingExtra."""
    zstd = load_zstd()
    options = {zstd.DecompressionParameter.window_log_max: _LOG_LARGEST_WINDOW}
    return zstd.ZstdDecompressor(zstd_dict=dictionary, options=options)


def read_dictionary(file: IO[bytes]) -> Any:
    """Return the ``ZstdDict`` in the frame that a file starts with, None without one; the file is behind it.

    Raises DamagedZstd, with the file behind the frame; MissingExtra.
    """
    zstd = load_zstd()
    start = file.tell()
    head = file.read(8)
    if not head.startswith(DICTIONARY_MAGIC):
        file.seek(start)
        return None
    size = int.from_bytes(head[4:], "little")
    content = file.read(min(size, _LARGEST_DICTIONARY))
    file.seek(start + len(head) + size)
    try:
        if content.startswith(ZSTD_MAGIC):
            frame = zstd_frame()
            content = frame.decompress(content, _LARGEST_DICTIONARY + 1)
            size = len(content) if frame.eof else _LARGEST_DICTIONARY + 1
        if len(content) < size or size > _LARGEST_DICTIONARY:
            raise ValueError(f"it is cut, or larger than {_LARGEST_DICTIONARY:,} bytes")
        dictionary = zstd.ZstdDict(content)
        zstd_frame(dictionary)
    except (ValueError, zstd.ZstdError) as error:
        raise DamagedZstd(str(error)) from error
    return dictionary


def unzstd(data: bytes, max_bytes: int) -> bytes:
    """Return what frames hold, at most ``max_bytes`` of it; of cut ones what there is.

    Raises DamagedZstd, MissingExtra.
    """
    frame, waiting = zstd_frame(), memoryview(data)
    parts, size = [], 0
    try:
        while waiting and size < max_bytes:
            frame = zstd_frame() if frame.eof else frame
            parts.append(frame.decompress(waiting[:_CHUNK], max_bytes - size))
            size += len(parts[-1])
            waiting = waiting[min(_CHUNK, len(waiting)) - len(frame.unused_data) :]
    except load_zstd().ZstdError as error:
        raise DamagedZstd(str(error)) from error
    return b"".join(parts)
