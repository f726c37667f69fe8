"""Recover the requests of a last-in-first-out disk queue (``LifoDiskQueue``) after a killed crawl.

One file: how many records there are, as four bytes that are written at a clean close alone, then each record
with its length behind it.  What is taken out is cut off at once, so that the records in the file are those
that wait, but for the last few that were not yet written: a new file may have no byte at all.  After a kill
Scrapy believes the old number: it hands out none of the records of a new file, cuts into those of an older
one, and fails at a file that is shorter than the number.

The lengths alone show the records, whatever class has written them: a record ends where the length before
that place leads back to the end of another record, or to the start.  Bytes of a record that was cut can
look like such an end, once in a great while; so the last record has to be whole by its own format, where that
is a pickle or marshal's.

Cost: O(size of the file).  Memory: that, and some 30 MB.
"""

from __future__ import annotations

import marshal
import pickletools
import struct
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import numpy as np

_SIZE = struct.Struct(">L")
_START = _SIZE.size
_BLOCK = 1 << 20
"""Bytes that are searched for lengths at a time, a multiple of four."""
MARSHAL_DICTS = (b"{", b"\xfb")
"""What a dictionary begins with, as ``marshal`` writes it."""
_PICKLE = b"\x80"
UNREAD = ".unread"
"""What the name of a file ends in that was a queue, and of which nothing could be read."""


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
    has_record = (len(data) if is_closed else _end(data)) > _START
    is_stack = has_record or is_closed or data in (b"", bytes(_START))
    return StackState(is_stack, is_closed, not has_record)


def records_of(stack: Path) -> list[bytes]:
    """Return the whole records of a file, the oldest first."""
    data, records = stack.read_bytes(), []
    end = len(data) if _is_closed(data) else _end(data)
    while end > _START:
        begin = _begin(data, end)
        records.append(data[begin : end - _SIZE.size])
        end = begin
    return records[::-1]


def repair(stack: Path) -> int:
    """Cut what is not whole off a file and write how many records it has; return that.

    A file without a record is removed, as Scrapy does at a clean close; if it has bytes that cannot be read,
    it is renamed.
    """
    records = records_of(stack)
    if not records:
        if stack.stat().st_size <= _START:
            stack.unlink()
        else:
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


def _end(data: bytes) -> int:
    """Return where the last whole record ends."""
    ends = {_START: None}
    for place, begin in _candidates(data):
        if begin in ends:
            ends[place + _SIZE.size] = None
    return next(end for end in reversed(ends) if end == _START or _is_whole(data, end))


def _candidates(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the places that may hold a length, ascending, each with where its record would begin."""
    for start in range(_START, len(data), _BLOCK):
        found = []
        for shift in range(start, start + _SIZE.size):
            words = min(_BLOCK, len(data) - shift) // _SIZE.size
            if words > 0:
                lengths = np.frombuffer(data, ">u4", words, shift).astype(np.int64)
                places = np.arange(words) * _SIZE.size + shift
                (possible,) = np.nonzero((lengths > 0) & (places - lengths >= _START))
                found.append(np.stack([places[possible], (places - lengths)[possible]], axis=1))
        yield from sorted(map(tuple, np.concatenate(found).tolist())) if found else ()


def _is_whole(data: bytes, end: int) -> bool:
    """Return whether a record that ends at a place is whole by its own format; one of another format is."""
    record = data[_begin(data, end) : end - _SIZE.size]
    file = BytesIO(record)
    try:
        if record.startswith(_PICKLE):
            for _ in pickletools.genops(file):
                pass
        elif record.startswith(MARSHAL_DICTS):
            marshal.load(file)
        else:
            return True
    except Exception:  # whatever bytes that are neither raise
        return False
    return file.tell() == len(record)
