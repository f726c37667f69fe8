"""What keeps the memories of sites between runs, and how the memory of a site is written.

A backend is a file: a folder (:mod:`templcrawl.memory.store`), Redis (:mod:`templcrawl.workers.redis_store`).
What a worker of a crawl has learned of a site is its *part*.  A part is written by its worker alone and
always whole, so that a late write never undoes what another has learned; what is known of a site is all
parts merged (``SiteMemory.merge``), in whatever order they come.

A part is a line (``templcrawl-site``, format, checksum) and the snapshot as compressed JSON.  One whose
checksum differs is not believed, nor one of an older format, nor one that would unpack both to more than
32 MB and to more than twenty times its size, or to more than its reader allows; one of a newer format is
neither read nor written over.
"""

from __future__ import annotations

import json
import zlib
from typing import Any, Protocol

from xxhash import xxh3_64_hexdigest

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.columns import Frozen
from templcrawl.memory.kinds import Snapshot

FORMAT = 10
"""The format of all that is stored; another one with every change of what a snapshot holds."""

ALL_SITES = "*"
"""What stands for a host where what is known across sites is stored."""

_MAGIC = b"templcrawl-site"
_ENCODER = json.JSONEncoder(separators=(",", ":"))
_PIECE_CHARACTERS = 2**16
_ALWAYS_UNPACKED = 2**25
_MOST_UNPACKED = 20
_BYTES_A_VALUE = 16


class SiteStore(Protocol):
    """Where the memories of sites are kept between runs, by one worker of a crawl or by several."""

    def load(self, host: str) -> Snapshot | None:
        """Return this worker's part of a site, None if there is none.

        Raises InvalidSnapshot if it is damaged.
        """

    def save(self, host: str, snapshot: Snapshot | Frozen | bytes) -> None:
        """Keep this worker's part of a site; after a crash either the old or the new one is there, whole.

        snapshot  what it is, or what makes it, now or later: the site goes on learning meanwhile; or what
                  ``packed_part`` has made of that
        """


def packed_part(snapshot: Snapshot | Frozen | bytes) -> bytes:
    """Return a part as it is written; one that is packed already stays."""
    if isinstance(snapshot, bytes):
        return snapshot
    body = _packed(snapshot() if callable(snapshot) else snapshot)
    return b"%s %d %s\n" % (_MAGIC, FORMAT, xxh3_64_hexdigest(body).encode()) + body


def unpacked_part(source: str, written: bytes, *, most: int | None = None) -> Snapshot:
    """Return the snapshot that a part holds; raises InvalidSnapshot.

    source  what is said to be unreadable
    most    bytes that it may unpack to, of which each value in it takes ``_BYTES_A_VALUE`` at least: a part
            of numbers, packed, has few values
    """
    head, _, body = written.partition(b"\n")
    refuse_newer(source, head)
    if _format(head) not in (None, FORMAT):
        raise InvalidSnapshot(
            source, f"it has format {_format(head)}, of an older templcrawl; this one reads {FORMAT}"
        )
    if head.split()[-1:] != [xxh3_64_hexdigest(body).encode()]:
        raise InvalidSnapshot(source, "its checksum differs: it is damaged")
    return _parse(source, body, most)


def refuse_newer(source: str, head: bytes) -> None:
    """Raise InvalidSnapshot if the first line of a part names a format that this version does not know."""
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
    """Return the format that the first line of a file names, None if it names none."""
    words = head.split()
    is_ours = len(words) == 3 and words[0] == _MAGIC and words[1].isdigit()
    return int(words[1][:18]) if is_ours else None
