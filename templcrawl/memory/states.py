"""The state of a site: a snapshot in bytes, behind one header with a checksum.

::

    templcrawl-site 23 7b5c...         format, checksum of all that follows
    pages u8 8                         of each column its name, the kind of its numbers, its bytes
    links/pagelets/keys u8 8312
                                       an empty line, then the bytes of the columns, little-endian

Nothing is compressed, so no state makes arrays that are much larger than itself.
Cost: some 3 ms a MB to write or to read, beyond making the objects.
"""

from __future__ import annotations

from xxhash import xxh3_64_hexdigest

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.snapshots import FORMAT, Snapshot, StoredColumn

_MAGIC = b"templcrawl-site"
_KINDS = ("u1", "u4", "u8", "f8")
_FIRST_LINE, _HEADER = 200, 2**16  # bytes in which they end


def pack(snapshot: Snapshot) -> bytes:
    """Return the state of a site: its snapshot as bytes."""
    header = "".join(f"{name} {column.kind} {len(column.data)}\n" for name, column in snapshot.items())
    body = b"".join((header.encode(), b"\n", *(column.data for column in snapshot.values())))
    return b"%s %d %s\n" % (_MAGIC, FORMAT, xxh3_64_hexdigest(body).encode()) + body


def unpack(source: str, state: bytes) -> Snapshot:
    """Return the snapshot of a state; raises InvalidSnapshot.

    source  what the error calls it
    """
    words = state[:_FIRST_LINE].partition(b"\n")[0].split()
    if len(words) == 3 and words[0] == _MAGIC and words[1].isdigit() and words[1] != b"%d" % FORMAT:
        found = words[1][:18].decode()
        raise InvalidSnapshot(
            source, f"it has format {found}, of another version of templcrawl; this one reads {FORMAT}"
        )
    _, _, body = state.partition(b"\n")
    if words != [_MAGIC, b"%d" % FORMAT, xxh3_64_hexdigest(body).encode()]:
        raise InvalidSnapshot(source, "its checksum differs: it is damaged")
    end = body.find(b"\n\n", 0, _HEADER)
    start, snapshot = end + 2, Snapshot()
    for line in body[: max(end, 0)].splitlines():
        name, kind, size = [*line.decode("utf-8", "replace").split(" "), "", ""][:3]
        width = int(kind[1:]) if kind in _KINDS else 0
        length = int(size) if size.isdecimal() and len(size) < 12 else -1
        if not width or length < 0 or length % width or name in snapshot:
            raise InvalidSnapshot(source, f"its header has the line {line!r:.100}")
        snapshot[name] = StoredColumn(kind, body[start : start + length])
        start += length
    if end < 0 or start != len(body):
        raise InvalidSnapshot(source, "the lengths of its columns differ from its header")
    return snapshot
