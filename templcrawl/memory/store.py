"""Site memories in a folder: one file a site, written whole or not at all.

A file is a line (``templcrawl-site``, format, checksum) and the snapshot as compressed JSON.  A kill at any
moment leaves the old file or the new one.  A file whose checksum differs is not believed, nor one of an older
format, nor one that would unpack both to more than 32 MB and to more than twenty times its size; a file of a
newer format is neither read nor written over.

Bounded: at most ``limit`` files and a sixteenth more.  Then those written longest ago are swept, down to the
limit; their sites are learned anew.  What is known across sites stays.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

from xxhash import xxh3_64_hexdigest

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.entries import Plain
from templcrawl.memory.snapshots import Frozen
from templcrawl.whole_files import PART, whole_file

FORMAT = 9
"""The format of all that is stored; another one with every change of what a snapshot holds."""

MOST_FILES = 100_000

ALL_SITES = "*"
"""What stands for a host where what is known across sites is stored."""

_MAGIC = b"templcrawl-site"
_SUFFIX = ".site"
_ENCODER = json.JSONEncoder(separators=(",", ":"))
_PIECE_CHARACTERS = 2**16
_ALWAYS_UNPACKED = 2**25
_MOST_UNPACKED = 20
_SPARE = 16


class FolderStore:
    """A folder of site memories.

    folder  where the files lie; made if it is missing
    swept   how many files had to leave for others
    """

    def __init__(self, folder: str | os.PathLike[str], *, limit: int = MOST_FILES) -> None:
        """Open a folder.

        limit  files that are kept

        Raises InvalidSnapshot if it cannot be opened, or a newer version of templcrawl wrote into it.
        """
        self.folder = Path(folder)
        self.swept = 0
        self._limit = limit
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            left_over, paths = list(self.folder.glob(f"*{PART}")), self._paths()
        except OSError as error:
            raise InvalidSnapshot(str(folder), f"the folder cannot be opened: {error}") from error
        for path in left_over:
            with suppress(OSError):
                path.unlink()
        for path in paths:
            _refuse_newer(path, _head(path))
        self._files = len(paths)
        self._sweep()

    def _paths(self) -> list[Path]:
        return sorted(self.folder.glob(f"*{_SUFFIX}"))

    def __len__(self) -> int:
        return len(self._paths())

    def path(self, host: str) -> Path:
        """Return where the memory of a site lies."""
        readable = re.sub(r"[^a-z0-9.\-]", "_", host.lower())[:60]
        return self.folder / f"{readable}-{xxh3_64_hexdigest(host.encode())}{_SUFFIX}"

    def save(self, host: str, snapshot: Plain | Frozen) -> None:
        """Write the snapshot of a site; the old one stays until the new one is complete.

        Raises OSError, and InvalidSnapshot where a newer version of templcrawl has written one meanwhile.
        """
        path = self.path(host)
        is_new = not path.exists()
        _refuse_newer(path, _head(path))
        body = _packed(snapshot() if callable(snapshot) else snapshot)
        with whole_file(path) as file:
            file.write(b"%s %d %s\n" % (_MAGIC, FORMAT, xxh3_64_hexdigest(body).encode()))
            file.write(body)
        self._files += is_new
        self._sweep()

    def _sweep(self) -> None:
        """Let the files that were written longest ago go, if there are clearly too many."""
        if self._files <= self._limit + self._limit // _SPARE:
            return
        written = [(_written(path), path) for path in self._paths() if path != self.path(ALL_SITES)]
        for _, path in sorted(written)[: max(0, len(written) - self._limit)]:
            with suppress(OSError):
                path.unlink()
                self.swept += 1
        self._files = min(self._limit, len(written))

    def load(self, host: str) -> Plain | None:
        """Return the snapshot of a site, None for none; raises InvalidSnapshot if it cannot be read."""
        path = self.path(host)
        try:
            head, _, body = path.read_bytes().partition(b"\n")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InvalidSnapshot(str(path), f"the file cannot be read: {error}") from error
        _refuse_newer(path, head)
        if _format(head) not in (None, FORMAT):
            raise InvalidSnapshot(
                str(path), f"it has format {_format(head)}, of an older templcrawl; this one reads {FORMAT}"
            )
        if head.split()[-1:] != [xxh3_64_hexdigest(body).encode()]:
            raise InvalidSnapshot(str(path), "its checksum differs: it is damaged")
        return _parse(path, body)


def _packed(snapshot: Plain) -> bytes:
    """Return a snapshot as compressed JSON, made piece by piece: no step keeps other threads waiting."""
    compressor = zlib.compressobj(1)
    packed, pieces, characters = bytearray(), list[str](), 0
    for piece in _ENCODER.iterencode(snapshot):
        pieces.append(piece)
        characters += len(piece)
        if characters >= _PIECE_CHARACTERS:
            packed += compressor.compress("".join(pieces).encode())
            pieces, characters = [], 0
    packed += compressor.compress("".join(pieces).encode())
    return bytes(packed + compressor.flush())


def _parse(path: Path, body: bytes) -> dict[str, Any]:
    try:
        snapshot = json.loads(_unpacked(body))
    except (ValueError, RecursionError, zlib.error) as error:
        raise InvalidSnapshot(str(path), str(error)) from error
    if not isinstance(snapshot, dict):
        raise InvalidSnapshot(str(path), "it holds no site memory")
    return snapshot


def _unpacked(body: bytes) -> bytes:
    """Return what was compressed; raises ValueError if that is far more, or cut."""
    most = max(_ALWAYS_UNPACKED, _MOST_UNPACKED * len(body))
    decompressor = zlib.decompressobj()
    unpacked = decompressor.decompress(body, most)
    if not decompressor.eof:
        raise ValueError(f"it does not end, or unpacks to more than {most} bytes")
    return unpacked


def _head(path: Path) -> bytes:
    """Return the first line of a file, empty if it cannot be read."""
    with suppress(OSError), path.open("rb") as file:
        return file.readline(200)
    return b""


def _written(path: Path) -> int:
    """Return when a file was written, in nanoseconds; 0 if it is gone."""
    with suppress(OSError):
        return path.stat().st_mtime_ns
    return 0


def _format(head: bytes) -> int | None:
    """Return the format that the first line of a file names, None if it names none."""
    words = head.split()
    is_ours = len(words) == 3 and words[0] == _MAGIC and words[1].isdigit()
    return int(words[1][:18]) if is_ours else None


def _refuse_newer(path: Path, head: bytes) -> None:
    """Raise InvalidSnapshot if a file was written in a format that this version does not know."""
    written = _format(head)
    if written is not None and written > FORMAT:
        raise InvalidSnapshot(
            str(path), f"it has format {written}, of a newer templcrawl; this one reads {FORMAT}"
        )
