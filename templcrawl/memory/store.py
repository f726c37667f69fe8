"""Where the memories of sites are stored between runs, and how the memory of a site is written.

What a worker of a crawl has learned of a site is its *state* of the site.  A store takes and gives states as
bytes.  A state is written by its worker alone and always whole, so that a late write never undoes what
another worker has learned; what a crawl has learned of a site is all states merged (``SiteMemory.merge``).

A state is a line (``templcrawl-site``, format, checksum) and the snapshot as compressed JSON.  One whose
checksum differs is refused, and one of an older format, and one that would unpack both to more than 32 MB and
to more than twenty times its size, or to more than its reader allows.  One of a newer format is neither read
nor overwritten.

:class:`FolderStore` has a file a site, written whole or not at all: a kill at any moment leaves the old file
or the new one.  At most ``limit`` files and a sixteenth more: then those written longest ago are evicted,
down to the limit; their sites are learned anew.  What was learned across sites is never evicted.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from xxhash import xxh3_64_hexdigest

from templcrawl.errors import InvalidSnapshot
from templcrawl.files import PART, open_nonblocking, whole_file
from templcrawl.memory.snapshot_parts import Frozen
from templcrawl.memory.snapshot_values import Snapshot

FORMAT = 14  # the format of all that is stored; another one with every change of what a snapshot holds

ALL_SITES = "*"  # the host under which what was learned across sites is stored

MOST_FILES = 100_000

_MAGIC = b"templcrawl-site"
_ENCODER = json.JSONEncoder(separators=(",", ":"))
_PIECE_CHARACTERS = 2**16
_ALWAYS_UNPACKED = 2**25
_MOST_UNPACKED = 20
_BYTES_A_VALUE = 16
_SUFFIX = ".site"
_SPARE = 16


class SnapshotStore(Protocol):
    """What the memory of a crawl needs of a store."""

    def load(self, host: str) -> Snapshot | None:
        """Return the snapshot of a site, None if there is none; raises InvalidSnapshot."""

    def save(self, host: str, frozen: Frozen) -> None:
        """Store the snapshot of a site, now or later; the site may learn meanwhile."""


class SavedSites(ABC):
    """The states of sites, to be read."""

    @abstractmethod
    def read(self, host: str) -> bytes | None:
        """Return the state of a site, None if there is none; raises InvalidSnapshot if it cannot be read."""

    def source(self, host: str) -> str:
        """Return what an error calls the state of a site."""
        return host

    def load(self, host: str) -> Snapshot | None:
        """Return the snapshot of a site, None if there is none; raises InvalidSnapshot."""
        state = self.read(host)
        return None if state is None else unpack_state(self.source(host), state)


class SiteStore(SavedSites):
    """A store of the states of sites."""

    @abstractmethod
    def write(self, host: str, state: bytes) -> None:
        """Store the state of a site; after a crash either the old or the new one is there, whole."""

    def save(self, host: str, frozen: Frozen) -> None:
        """Store the snapshot of a site."""
        self.write(host, pack_state(frozen()))


class SiteFolder(SavedSites):
    """A folder of site memories, to be read: what a running crawl writes there stays as it is.

    folder  where the files are
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    def __len__(self) -> int:
        return len(self._paths())

    def _paths(self) -> list[Path]:
        return sorted(self.folder.glob(f"*{_SUFFIX}"))

    def snapshots(self) -> Iterator[Snapshot]:
        """Yield all snapshots, that across sites too; raises InvalidSnapshot for one that is damaged."""
        for path in self._paths():
            yield unpack_state(str(path), path.read_bytes())

    def path(self, host: str) -> Path:
        """Return the path of the file of a site."""
        readable = re.sub(r"[^a-z0-9.\-]", "_", host.lower())[:60]
        return self.folder / f"{readable}-{xxh3_64_hexdigest(host.encode())}{_SUFFIX}"

    def source(self, host: str) -> str:
        """Return the path of the file of a site."""
        return str(self.path(host))

    def read(self, host: str) -> bytes | None:
        """Return the state of a site, None if there is none; raises InvalidSnapshot if it cannot be read."""
        path = self.path(host)
        try:
            with open(path, "rb", opener=open_nonblocking) as file:
                return file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InvalidSnapshot(str(path), f"the file cannot be read: {error}") from error


class FolderStore(SiteFolder, SiteStore):
    """A folder of site memories; made if it is missing.

    evicted  how many files had to leave for others
    """

    def __init__(self, folder: str | os.PathLike[str], *, limit: int = MOST_FILES) -> None:
        """Open a folder.

        limit  files that it may have

        Raises InvalidSnapshot if it cannot be opened, or a newer version of templcrawl wrote into it.
        """
        super().__init__(folder)
        self.evicted = 0
        self._limit = limit
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            leftovers, paths = list(self.folder.glob(f"*{PART}")), self._paths()
        except OSError as error:
            raise InvalidSnapshot(str(folder), f"the folder cannot be opened: {error}") from error
        for path in leftovers:
            with suppress(OSError):
                path.unlink()
        for path in paths:
            refuse_newer(str(path), _head(path))
        self._files = len(paths)
        self._evict()

    def write(self, host: str, state: bytes) -> None:
        """Write the state of a site; the old one stays until the new one is complete.

        Raises OSError, and InvalidSnapshot where a newer version of templcrawl has written one meanwhile.
        """
        path = self.path(host)
        is_new = not path.exists()
        refuse_newer(str(path), _head(path))
        with whole_file(path) as file:
            file.write(state)
        self._files += is_new
        self._evict()

    def _evict(self) -> None:
        """Remove the files that were written longest ago, if there are clearly too many."""
        if self._files <= self._limit + self._limit // _SPARE:
            return
        written = [(_written(path), path) for path in self._paths() if path != self.path(ALL_SITES)]
        for _, path in sorted(written)[: max(0, len(written) - self._limit)]:
            with suppress(OSError):
                path.unlink()
                self.evicted += 1
        self._files = min(self._limit, len(written))


def pack_state(snapshot: Snapshot) -> bytes:
    """Return a snapshot as it is written."""
    body = _packed(snapshot)
    return b"%s %d %s\n" % (_MAGIC, FORMAT, xxh3_64_hexdigest(body).encode()) + body


def unpack_state(source: str, state: bytes, *, most: int | None = None) -> Snapshot:
    """Return the snapshot that a state holds; raises InvalidSnapshot.

    source  what the error calls it
    most    bytes that it may unpack to, of which each value in it takes ``_BYTES_A_VALUE`` at least: a state
            of numbers, packed, has few values
    """
    head, _, body = state.partition(b"\n")
    refuse_newer(source, head)
    if _format(head) not in (None, FORMAT):
        raise InvalidSnapshot(
            source, f"it has format {_format(head)}, of an older templcrawl; this one reads {FORMAT}"
        )
    if head.split()[-1:] != [xxh3_64_hexdigest(body).encode()]:
        raise InvalidSnapshot(source, "its checksum differs: it is damaged")
    return _parse(source, body, most)


def refuse_newer(source: str, head: bytes) -> None:
    """Raise InvalidSnapshot if the first line of a state names a format that this version does not know."""
    written = _format(head)
    if written is not None and written > FORMAT:
        raise InvalidSnapshot(
            source, f"it has format {written}, of a newer templcrawl; this one reads {FORMAT}"
        )


def _packed(snapshot: Snapshot) -> bytes:
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


def _parse(source: str, body: bytes, most: int | None) -> dict[str, Any]:
    try:
        text = _unpacked(body, most or max(_ALWAYS_UNPACKED, _MOST_UNPACKED * len(body)))
        if most is not None and sum(map(text.count, (b",", b"[", b"{"))) > most // _BYTES_A_VALUE:
            raise ValueError(f"it has more values than one in {_BYTES_A_VALUE} bytes")
        snapshot = json.loads(text)
    except (ValueError, RecursionError, zlib.error) as error:
        raise InvalidSnapshot(source, str(error)) from error
    if not isinstance(snapshot, dict):
        raise InvalidSnapshot(source, "it holds no site memory")
    return snapshot


def _unpacked(body: bytes, most: int) -> bytes:
    """Return what was compressed; raises ValueError if that is more than so many bytes, or cut."""
    decompressor = zlib.decompressobj()
    unpacked = decompressor.decompress(body, most)
    if not decompressor.eof:
        raise ValueError(f"it does not end, or unpacks to more than {most} bytes")
    return unpacked


def _format(head: bytes) -> int | None:
    words = head.split()
    is_ours = len(words) == 3 and words[0] == _MAGIC and words[1].isdigit()
    return int(words[1][:18]) if is_ours else None


def _head(path: Path) -> bytes:
    with suppress(OSError), open(path, "rb", opener=open_nonblocking) as file:
        return file.readline(200)
    return b""


def _written(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_mtime_ns
    return 0
