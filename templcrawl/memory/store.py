"""Site memories in a folder: one file a site, written whole or not at all.

A file is a line (``templcrawl-site``, format, checksum) and the snapshot as compressed JSON.  A kill at any
moment leaves the old file or the new one.  A file whose checksum differs is not believed.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from pathlib import Path
from typing import Any

from xxhash import xxh3_64_hexdigest

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.plain import Frozen, Plain
from templcrawl.whole_files import PART, whole_file

_MAGIC = b"templcrawl-site"
_FORMAT = 1
_SUFFIX = ".site"
_ENCODER = json.JSONEncoder(separators=(",", ":"))
_PIECE_CHARACTERS = 2**16


class FolderStore:
    """A folder of site memories.

    folder  where the files lie; made if it is missing
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Open a folder; raises InvalidSnapshot if a newer version of templcrawl wrote into it."""
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        for left_over in self.folder.glob(f"*{PART}"):
            left_over.unlink()
        for path in self._paths():
            with path.open("rb") as file:
                _refuse_newer(path, file.readline(200))

    def _paths(self) -> list[Path]:
        return sorted(self.folder.glob(f"*{_SUFFIX}"))

    def __len__(self) -> int:
        return len(self._paths())

    def path(self, host: str) -> Path:
        """Return where the memory of a site lies."""
        readable = re.sub(r"[^a-z0-9.\-]", "_", host.lower())[:60]
        return self.folder / f"{readable}-{xxh3_64_hexdigest(host.encode())}{_SUFFIX}"

    def save(self, host: str, snapshot: Plain | Frozen) -> None:
        """Write the snapshot of a site; the old one stays until the new one is complete."""
        body = _packed(snapshot() if callable(snapshot) else snapshot)
        with whole_file(self.path(host)) as file:
            file.write(b"%s %d %s\n" % (_MAGIC, _FORMAT, xxh3_64_hexdigest(body).encode()))
            file.write(body)

    def load(self, host: str) -> Plain | None:
        """Return the snapshot of a site, None if there is none; raises InvalidSnapshot if it is damaged."""
        path = self.path(host)
        try:
            head, _, body = path.read_bytes().partition(b"\n")
        except FileNotFoundError:
            return None
        _refuse_newer(path, head)
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
        snapshot = json.loads(zlib.decompress(body))
    except (ValueError, zlib.error) as error:
        raise InvalidSnapshot(str(path), str(error)) from error
    if not isinstance(snapshot, dict):
        raise InvalidSnapshot(str(path), "it holds no site memory")
    return snapshot


def _refuse_newer(path: Path, head: bytes) -> None:
    """Raise InvalidSnapshot if a file was written in a format that this version does not know."""
    words = head.split()
    if len(words) == 3 and words[0] == _MAGIC and words[1].isdigit() and int(words[1]) > _FORMAT:
        raise InvalidSnapshot(
            str(path),
            f"it has format {int(words[1])}, of a newer templcrawl; this one reads {_FORMAT}",
        )
