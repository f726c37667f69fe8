"""Zstandard (RFC 8878) by the library of that name, which no other file imports.

A decompressor here answers the calls of :mod:`zlib`'s, so that what inflates one inflates the other.  A
dictionary comes as the WARC format has it (IIPC, Zstandard Compression for WARC Files 1.0): in a skippable
frame at the start of the file, itself compressed or not.

Memory: the window that a frame asks for, at most 128 MB (what the program ``zstd`` gives too); what comes
out of 128 bytes is at most 4 MB, since a block has three bytes or more and at most 128 KB.
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

from templcrawl.errors import MissingExtra

if TYPE_CHECKING:
    from zstandard import ZstdCompressionDict

ZSTD_MAGIC = (0xFD2FB528).to_bytes(4, "little")
DICTIONARY_MAGIC = (0x184D2A5D).to_bytes(4, "little")
LARGEST_BLOCK = 2**17

_LARGEST_WINDOW = 2**27
_LARGEST_DICTIONARY = 2**23
_STEP = 128


class DamagedZstd(ValueError):
    """What should be a zstd frame, or a dictionary, is none."""


def load_zstandard() -> Any:
    """Return the library; raises MissingExtra."""
    try:
        import zstandard
    except ImportError as error:
        raise MissingExtra("what is compressed with zstandard", "warc") from error
    return zstandard


class ZstdFrame:
    """Decompresses one frame, or passes over a skippable one; raises MissingExtra.

    eof              whether its end has been read
    unused_data      what was given beyond its end
    unconsumed_tail  what was given and not yet looked at
    """

    def __init__(self, dictionary: ZstdCompressionDict | None = None) -> None:
        library = load_zstandard()
        decompressor = library.ZstdDecompressor(dict_data=dictionary, max_window_size=_LARGEST_WINDOW)
        self._error: type[Exception] = library.ZstdError
        self._frame = decompressor.decompressobj()
        self.eof = False
        self.unused_data = self.unconsumed_tail = b""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Return the next bytes, until there are ``max_length``, or somewhat more.  Raises DamagedZstd."""
        parts: list[bytes] = []
        size = at = 0
        while at < len(data) and size < max_length and not self.eof:
            try:
                parts.append(self._frame.decompress(data[at : at + _STEP]))
            except self._error as error:
                raise DamagedZstd(str(error)) from error
            at += _STEP
            size += len(parts[-1])
            self.eof = self._frame.eof
        rest = data[at:]
        self.unused_data = self._frame.unused_data + rest if self.eof else b""
        self.unconsumed_tail = b"" if self.eof else rest
        return b"".join(parts)


def read_dictionary(file: IO[bytes]) -> ZstdCompressionDict | None:
    """Return the dictionary in the frame that a file starts with, None without one; the file is behind it.

    Raises DamagedZstd, with the file behind the frame; MissingExtra.
    """
    start = file.tell()
    head = file.read(8)
    if not head.startswith(DICTIONARY_MAGIC):
        file.seek(start)
        return None
    size = int.from_bytes(head[4:], "little")
    content = file.read(min(size, _LARGEST_DICTIONARY))
    file.seek(start + len(head) + size)
    if content.startswith(ZSTD_MAGIC):
        frame = ZstdFrame()
        content = frame.decompress(content, _LARGEST_DICTIONARY + 1)
        size = len(content) if frame.eof else _LARGEST_DICTIONARY + 1
    if len(content) < size or size > _LARGEST_DICTIONARY:
        raise DamagedZstd(f"it is cut, or larger than {_LARGEST_DICTIONARY:,} bytes")
    library = load_zstandard()
    try:
        dictionary: ZstdCompressionDict = library.ZstdCompressionDict(
            content, dict_type=library.DICT_TYPE_FULLDICT
        )
        ZstdFrame(dictionary)
    except (ValueError, library.ZstdError) as error:
        raise DamagedZstd(str(error)) from error
    return dictionary


def unzstd(data: bytes, max_bytes: int) -> bytes:
    """Return what frames hold, at most ``max_bytes`` of it; of cut ones what there is.

    Raises DamagedZstd, MissingExtra.
    """
    library = load_zstandard()
    decompressor = library.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
    try:
        with decompressor.stream_reader(data, read_across_frames=True) as reader:
            content: bytes = reader.read(max_bytes)
    except library.ZstdError as error:
        raise DamagedZstd(str(error)) from error
    return content
