"""Recover the requests of a last-in-first-out disk queue (``LifoDiskQueue``) after a killed crawl.

One file: how many records there are, as four bytes that are written at a clean close alone, then each record
with its length behind it.  What is taken out is cut off at once, so that the records in the file are those
that wait, but for the last few that were not yet written: a new file may have no byte at all.  After a kill
Scrapy believes the old number: it hands out none of the records of a new file, cuts into those of an older
one, and fails at a file that is shorter than the number.

So the records are read forward, from the start to the first that is not whole: a record of pickle or marshal
shows its own end, and its length has to stand there.  Nothing is sought beyond that place, and no pickle is
loaded to find its end: a record that was cut holds the text of a page, which can look like any record.

Cost: O(size of the file).  Memory: twice that.
"""

from __future__ import annotations

import marshal
import pickletools
import struct
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

_SIZE = struct.Struct(">L")
_START = _SIZE.size
# What a dictionary begins with, as ``marshal`` writes it.
MARSHAL_DICTS = (b"{", b"\xfb")
PICKLE = b"\x80"  # what a pickle begins with, since protocol 2
UNREAD = ".unread"  # what the name of a file ends in that was a queue, and of which nothing could be read


class StackState(NamedTuple):
    """What the bytes of a file show.

    is_stack   whether the file is seen to be such a queue: it has a whole record, or nothing yet
    is_closed  whether the number in the file is that of its records
    is_empty   whether it has no whole record
    """

    is_stack: bool
    is_closed: bool
    is_empty: bool


def stack_state(file: Path) -> StackState:
    """Return what a file shows, by one reading of it."""
    data = file.read_bytes()
    is_closed = _is_closed(data)
    has_record = len(data) > _START if is_closed else any(_whole_records(data))
    is_stack = has_record or is_closed or data in (b"", bytes(_START))
    return StackState(is_stack, is_closed, not has_record)


def records_of(stack: Path) -> list[bytes]:
    """Return the records of a file, the oldest first; those that are whole if its number is not theirs."""
    data, records = stack.read_bytes(), list[bytes]()
    if not _is_closed(data):
        return [*_whole_records(data)]
    end = len(data)
    while end > _START:
        begin = _begin(data, end)
        records.append(data[begin : end - _SIZE.size])
        end = begin
    return records[::-1]


def repair(stack: Path) -> int:
    """Cut what is not whole off a file and write how many records it has; return that.

    A file without a record is removed, as Scrapy does at a clean close; if it has bytes that cannot be read,
    it is renamed.  One of another format than pickle is left as it lies if its number is that of its records.
    """
    data = stack.read_bytes()
    records = [*_whole_records(data)]
    if not records:
        if len(data) <= _START:
            stack.unlink()
        elif not _is_closed(data) or any(record.startswith(PICKLE) for record in records_of(stack)):
            stack.replace(stack.with_name(stack.name + UNREAD))
        return 0
    with stack.open("r+b") as file:
        file.truncate(_START + sum(len(record) + _SIZE.size for record in records))
        file.write(_SIZE.pack(len(records)))
    return len(records)


def _begin(data: bytes, end: int) -> int:
    """Return where a record begins that ends, with its length, at a place."""
    length: int = _SIZE.unpack_from(data, end - _SIZE.size)[0]
    return end - _SIZE.size - length


def _is_closed(data: bytes) -> bool:
    if len(data) < _START:
        return False
    waiting, end = _SIZE.unpack_from(data)[0], len(data)
    while waiting and end >= _START + _SIZE.size:
        end = _begin(data, end)
        waiting -= 1
    return (waiting, end) == (0, _START)


def _whole_records(data: bytes) -> Iterator[bytes]:
    """Yield the records of a file, the oldest first, up to the first that is not whole."""
    file, begin = BytesIO(data), _START
    file.seek(begin)
    with suppress(Exception):  # whatever bytes that are neither raise
        while True:
            if data.startswith(MARSHAL_DICTS, begin):
                marshal.load(file)
            else:
                for _ in pickletools.genops(file):
                    pass
            end = file.tell()
            if _SIZE.unpack(file.read(_SIZE.size)) != (end - begin,):
                return
            yield data[begin:end]
            begin = file.tell()
