"""The queue of a job whose crawl was killed, rebuilt from what lies in its JOBDIR.

Scrapy's disk queue that is first in first out appends each request to a file at once, but keeps in memory
how far it has been read, and writes that (``info.json``, and ``active.json`` with the names of all queues) at
a clean close alone.  After a kill it would hand out old requests in the place of new ones, then remove both;
the more priorities there are, as where the order of links is learned, the more it loses.

A queue whose files tell more, or other, than its ``info.json`` shows that the crawl was killed.  Then all
queues of that kind are written anew, of every request in their files that was not taken out before the last
clean close, and ``active.json`` after them.  What was fetched since is fetched again: nobody knows how far
the crawl has come, and no page is left out.  A request that was moved to a lower priority, and so was written
twice, waits there once.

Queues that are last in first out keep what waits, and are mended where they lie
(:mod:`templcrawl.components.killed_stacks`).

Not repaired, for Scrapy's files do not tell: requests that could not be written to a disk queue, and those in
flight at the kill that had emptied their queue.

Each queue takes the place of the old one whole; a kill in between is repaired by the next start.

Cost: O(size of the files), read twice.  Memory: 150 bytes a request.
"""

from __future__ import annotations

import json
import pickle
import re
import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import blake2b, md5
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from queuelib import FifoDiskQueue

from templcrawl.components import killed_stacks
from templcrawl.components.marks import META_KEY
from templcrawl.whole_files import PART, whole_file

_NAME = re.compile(r"(-?\d+)s?")
_CHUNK = re.compile(r"q(\d{5,})")
_SQLITE = b"SQLite format 3\0"
_SIZE_BYTES = FifoDiskQueue.szhdr_size


class _WaitingRequest(NamedTuple):
    """A request in the files.

    priority  as Scrapy negates it: the lowest goes first
    """

    priority: int
    queue: Path
    number: int


def rebuild_queues(job: str) -> int | None:
    """Rebuild the queues of a job if its crawl was killed; return how many requests wait then, else None.

    Raises OSError.
    """
    folder = Path(job, "requests.queue")
    if not folder.is_dir():
        return None
    was_rebuilding = _finish_rebuilding(folder)
    queues, stacks = sorted(_queues(folder)), sorted(_queues(folder, stacks=True))
    active = _active(folder)
    is_closed = all(_is_closed(queue) and _is_listed(queue, active) for queue in queues)
    broken = [
        stack for stack in stacks if not killed_stacks.is_closed(stack) or not _is_listed(stack, active)
    ]
    if not was_rebuilding and is_closed and not broken:
        return None
    kept: dict[bytes, _WaitingRequest] = {}
    slots = {_hash(slot): slot for slot in active if isinstance(slot, str)}
    for queue in queues:
        for number, record in enumerate(_records(queue)):
            identity, slot = _identity(record)
            slots[_hash(slot)] = slot
            waiting = _WaitingRequest(_priority(queue), queue, number)
            kept[identity] = max(kept.get(identity, waiting), waiting)
    numbers = defaultdict[Path, set[int]](set)
    for waiting in kept.values():
        numbers[waiting.queue].add(waiting.number)
    for queue in queues:
        _replace(queue, numbers[queue])
    waiting_in_stacks = 0
    for stack in stacks:
        for record in killed_stacks.records_of(stack)[:1]:
            slot = _identity(record)[1]
            slots[_hash(slot)] = slot
        waiting_in_stacks += killed_stacks.mend(stack) if stack in broken else 0
    _write_active(folder, slots, active)
    return len(kept) + waiting_in_stacks


def waiting_requests(job: str) -> Iterator[dict[str, Any]]:
    """Yield the requests of the queues of a job, as Scrapy writes them, once they are closed or rebuilt."""
    folder = Path(job, "requests.queue")
    of_stacks = map(killed_stacks.records_of, sorted(_queues(folder, stacks=True)))
    for records in (*map(_records, sorted(_queues(folder))), *of_stacks):
        for record in records:
            with suppress(Exception):  # whatever a foreign pickle, or one of code that has changed, raises
                yield dict(pickle.loads(record))


def _queues(folder: Path, *, stacks: bool = False) -> Iterator[Path]:
    """Yield the queues of a job that are first in first out, or those that are last in first out."""
    for entry in folder.iterdir():
        is_queue = _NAME.fullmatch(entry.name) is not None
        for queue in (entry,) if is_queue else entry.iterdir() if entry.is_dir() else ():
            if _NAME.fullmatch(queue.name) and queue.is_dir() != stacks and not _is_database(queue):
                yield queue


def _is_database(queue: Path) -> bool:
    """Say whether a queue is one of queuelib's SQLite databases."""
    if queue.is_dir():
        return False
    with queue.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def _finish_rebuilding(folder: Path) -> bool:
    """See to what a rebuilding that was killed has left behind; say whether there was anything."""
    left = [*folder.glob(f"*{PART}"), *folder.glob(f"*/*{PART}")]
    for part in left:
        queue = part.with_name(part.name.removesuffix(PART))
        if not part.is_dir():
            part.unlink()
        elif queue.exists() or not (part / "info.json").exists():
            shutil.rmtree(part)
        else:
            part.rename(queue)
    return bool(left)


def _info(queue: Path) -> dict[str, Any] | None:
    """Return what a queue's own state says, None without one."""
    try:
        info = json.loads((queue / "info.json").read_bytes())
        (tail, _, _), (head, _) = info["tail"], info["head"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return info if isinstance(tail, int) and isinstance(head, int) else None


def _chunks(queue: Path) -> dict[int, Path]:
    """Return number -> file of a queue, ascending."""
    chunks = {int(name[1]): path for path in queue.iterdir() if (name := _CHUNK.fullmatch(path.name))}
    return dict(sorted(chunks.items()))


def _is_closed(queue: Path) -> bool:
    """Say whether the state of a queue agrees with its files."""
    info, chunks = _info(queue), _chunks(queue)
    if info is None:
        return not chunks
    (tail, _, offset), (head, after) = info["tail"], info["head"]
    if tail not in chunks or not chunks or max(chunks) != head:
        return False
    first = offset if tail == head else 0
    before = info["tail"][1] if tail == head else 0
    lengths = list(_lengths(chunks[head], first))
    is_whole = first + sum(lengths) + _SIZE_BYTES * len(lengths) == chunks[head].stat().st_size
    return is_whole and before + len(lengths) == after


def _lengths(chunk: Path, offset: int) -> Iterator[int]:
    """Yield how long each whole record of a file is."""
    size = chunk.stat().st_size
    with chunk.open("rb") as file:
        file.seek(offset)
        while len(head := file.read(_SIZE_BYTES)) == _SIZE_BYTES:
            length = int.from_bytes(head, "big")
            if file.tell() + length > size:
                return
            yield length
            file.seek(length, 1)


def _records(queue: Path) -> Iterator[bytes]:
    """Yield what was not taken out of a queue before its last clean close."""
    info = _info(queue) or {"tail": (0, 0, 0)}
    first, _, first_offset = info["tail"]
    for number, chunk in _chunks(queue).items():
        if number < first:
            continue
        offset = first_offset if number == first else 0
        with chunk.open("rb") as file:
            for length in _lengths(chunk, offset):
                file.seek(offset + _SIZE_BYTES)
                yield file.read(length)
                offset += _SIZE_BYTES + length


def _identity(record: bytes) -> tuple[bytes, str]:
    """Return what a request is known by, whatever priority it was given, and its slot."""
    try:
        request = dict(pickle.loads(record))
        meta = dict(request.pop("meta", None) or {})
        mark = meta.pop(META_KEY, None)
        if isinstance(mark, dict) and mark.get("requeued"):
            request["dont_filter"] = False
        request.pop("priority", None)
        slot = str(meta.get("download_slot") or urlsplit(request["url"]).hostname or "")
        known_by = repr((sorted(request.items()), sorted(meta.items(), key=repr)))
    except Exception:  # whatever a foreign pickle, or one of code that has changed, raises
        return blake2b(record, digest_size=16).digest(), ""
    return blake2b(known_by.encode("utf-8", "surrogatepass"), digest_size=16).digest(), slot


def _replace(queue: Path, numbers: set[int]) -> None:
    """Write a queue anew, of some of its records."""
    part = queue.with_name(queue.name + PART)
    if numbers:
        fresh = FifoDiskQueue(part)
        for number, record in enumerate(_records(queue)):
            if number in numbers:
                fresh.push(record)
        fresh.close()
    shutil.rmtree(queue)
    if numbers:
        part.rename(queue)


def _hash(slot: str) -> str:
    """Return what the name of a slot's folder ends in."""
    return md5(slot.encode()).hexdigest()


def _active(folder: Path) -> dict[str | None, list[int]]:
    """Return slot -> priorities at the last clean close; None is the slot that all hosts share."""
    try:
        state = json.loads((folder / "active.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return state if isinstance(state, dict) else {None: state}


def _is_listed(queue: Path, active: Mapping[str | None, list[int]]) -> bool:
    """Say whether a queue that holds anything is opened when the job is resumed."""
    slots = {None if slot is None else _hash(slot): priorities for slot, priorities in active.items()}
    name = queue.parent.name.rpartition("-")[2] if queue.parent.name != "requests.queue" else None
    is_empty = not _chunks(queue) if queue.is_dir() else not killed_stacks.records_of(queue)
    return is_empty or _priority(queue) in slots.get(name, ())


def _write_active(folder: Path, slots: Mapping[str, str], active: Mapping[str | None, list[int]]) -> None:
    """Write which queues there are, as the priority queue that has made them does.

    slots   hash -> slot
    active  what was written before: queues of other kinds stay in it
    """
    priorities = defaultdict[str | None, set[int]](set)
    for slot, before in active.items():
        priorities[slot].update(before)
    for queue in (*_queues(folder), *_queues(folder, stacks=True)):
        if queue.parent == folder:
            priorities[None].add(_priority(queue))
        elif (slot := slots.get(queue.parent.name.rpartition("-")[2])) is not None:
            priorities[slot].add(_priority(queue))
    listed = {slot: sorted(numbers) for slot, numbers in priorities.items() if numbers}
    with whole_file(folder / "active.json") as file:
        file.write(json.dumps(listed.get(None, listed)).encode())


def _priority(queue: Path) -> int:
    return int(queue.name.rstrip("s"))
