"""The disk queue that is last in first out (``LifoDiskQueue``), as a killed crawl has left it.

One file: how many records there are, as four bytes that are written at a clean close alone, then each record
with its length behind it.  What is taken out is cut off at once, so that the records in the file are those
that wait, but for the last few that were not yet written.  After a kill Scrapy believes the old number: it
hands out none of the records of a new file, and cuts into those of an older one.

A record is a pickle, which says where it ends; so the file is read from its start up to the last whole one.
Records that are no pickles (those of the ``marshal`` queues) are not told apart: the file is left alone.

Cost: O(records), and some 0.1 ms a record where the number is wrong.  Memory: the size of the file.
"""

from __future__ import annotations

import pickletools
import struct
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

_SIZE = struct.Struct(">L")


def is_closed(stack: Path) -> bool:
    """Say whether the number in the file is that of its records, or nothing of it can be read."""
    data = stack.read_bytes()
    if len(data) < _SIZE.size:
        return True
    waiting, end = _SIZE.unpack_from(data)[0], len(data)
    while waiting and end >= 2 * _SIZE.size:
        end -= _SIZE.size + _SIZE.unpack_from(data, end - _SIZE.size)[0]
        waiting -= 1
    return (waiting, end) == (0, _SIZE.size) or next(_records(data), None) is None


def records_of(stack: Path) -> list[bytes]:
    """Return the whole records of a file, the oldest first."""
    return list(_records(stack.read_bytes()))


def mend(stack: Path) -> int:
    """Cut what is not whole off a file and write how many records it has; return that."""
    records = records_of(stack)
    with stack.open("r+b") as file:
        file.truncate(_SIZE.size + sum(len(record) + _SIZE.size for record in records))
        file.write(_SIZE.pack(len(records)))
    return len(records)


def _records(data: bytes) -> Iterator[bytes]:
    file = BytesIO(data)
    start = file.seek(_SIZE.size)
    while start < len(data):
        try:
            for _ in pickletools.genops(file):
                pass
        except Exception:  # whatever bytes that are no pickle raise
            return
        end = file.tell()
        if file.read(_SIZE.size) != _SIZE.pack(end - start):
            return
        yield data[start:end]
        start = end + _SIZE.size
