"""Recover the requests of a first-in-first-out disk queue (``FifoDiskQueue``) after a killed crawl.

A folder of files (``q00000``, ...) to which each request is appended at once, its length before it.  How far
it has been read stands in ``info.json``, which is written at a clean close alone: after a kill the records
are there, and which of them were taken out since is not known.

Cost: O(size of the files).  Memory: one record.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Set
from pathlib import Path
from typing import Any

from queuelib import FifoDiskQueue

from templcrawl.files import PART

_CHUNK = re.compile(r"q(\d{5,})")
_SIZE_BYTES = FifoDiskQueue.szhdr_size


def is_fifo(folder: Path) -> bool:
    """Return whether a folder is such a queue: it has no file of another name."""
    return all(_CHUNK.fullmatch(file.name) or file.name == "info.json" for file in folder.iterdir())


def is_closed(queue: Path) -> bool:
    """Return whether the state of a queue agrees with its records."""
    info, chunks = _info(queue), _chunks(queue)
    if info is None:  # before 2.17, Scrapy leaves an empty file where it resumes a job
        return not (queue / "info.json").exists() and not any(path.stat().st_size for path in chunks.values())
    (tail, _, offset), (head, after) = info["tail"], info["head"]
    if tail not in chunks or not chunks or max(chunks) != head:
        return False
    first = offset if tail == head else 0
    before = info["tail"][1] if tail == head else 0
    lengths = list(_lengths(chunks[head], first))
    is_whole = first + sum(lengths) + _SIZE_BYTES * len(lengths) == chunks[head].stat().st_size
    return is_whole and before + len(lengths) == after


def records_of(queue: Path) -> Iterator[bytes]:
    """Yield what was not taken out of a queue before its last clean close."""
    info = _info(queue) or {"tail": (0, 0, 0)}
    first, _, first_offset = info["tail"]
    for number, chunk in _chunks(queue).items():
        offset = first_offset if number == first else 0
        with chunk.open("rb") as file:
            for length in _lengths(chunk, offset):
                file.seek(offset + _SIZE_BYTES)
                yield file.read(length)
                offset += _SIZE_BYTES + length


def rewrite(queue: Path, numbers: Set[int]) -> None:
    """Write a queue anew, of some of its records; remove it if there are none.  Raises OSError."""
    part = queue.with_name(queue.name + PART)
    if numbers:
        fresh = FifoDiskQueue(part)
        for number, record in enumerate(records_of(queue)):
            if number in numbers:
                fresh.push(record)
        fresh.close()
    shutil.rmtree(queue)
    if numbers:
        part.rename(queue)


def _info(queue: Path) -> dict[str, Any] | None:
    try:
        info = json.loads((queue / "info.json").read_bytes())
        (tail, _, _), (head, _) = info["tail"], info["head"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return info if isinstance(tail, int) and isinstance(head, int) else None


def _chunks(queue: Path) -> dict[int, Path]:
    chunks = {int(name[1]): path for path in queue.iterdir() if (name := _CHUNK.fullmatch(path.name))}
    return dict(sorted(chunks.items()))


def _lengths(chunk: Path, offset: int) -> Iterator[int]:
    size = chunk.stat().st_size
    with chunk.open("rb") as file:
        file.seek(offset)
        while len(head := file.read(_SIZE_BYTES)) == _SIZE_BYTES:
            length = int.from_bytes(head, "big")
            if file.tell() + length > size:
                return
            yield length
            file.seek(length, 1)
