"""The queue of a job whose crawl was killed, rebuilt from what lies in its JOBDIR.

Scrapy writes what a disk queue needs to be opened, and ``active.json`` with the names of all, at a clean
close alone.  After a kill a queue that is first in first out (:mod:`templcrawl.jobs.killed_fifos`)
would hand out old requests in the place of new ones, then remove both; the more priorities there are, as
where the order of links is learned, the more it loses.

A queue whose files tell more, or other, than its ``info.json`` shows that the crawl was killed.  Then all
queues of that kind are written anew, of every request in their files that was not taken out before the last
clean close, and ``active.json`` after them.  What was fetched since is fetched again: nobody knows how far
the crawl has come, and no page is left out.  A request that was moved to a lower priority, and so was written
twice, waits there once; what the dupefilter lets pass (``dont_filter``), and what cannot be read, waits as
often as it was written.

Queues that are last in first out keep what waits, and are mended where they lie
(:mod:`templcrawl.jobs.killed_stacks`).  Those in SQLite are whole, and are listed again.

The files show the kind of a queue.  So a class of the project's own is served, whatever its records are, if
it derives from one of queuelib's.  A queue of any other format is left as it lies;
:func:`unread_queues` names it if Scrapy does not open it.  Where ``active.json`` has a shape that no priority
queue of Scrapy writes, nothing is touched.

Not repaired, for Scrapy's files do not tell: requests that could not be written to a disk queue, and those in
flight at the kill that had emptied their queue; of a queue that is last in first out all that were in flight,
and what was pushed to it since it was last popped, up to 8 KB: its process had not written that.

Each queue takes the place of the old one whole; a kill in between is repaired by the next start.

Cost: after a kill O(size of the files), else O(files) and the size of those that are no folders.  Memory:
150 bytes a request, and the largest file that is no folder.
"""

from __future__ import annotations

import json
import marshal
import pickle
import re
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, suppress
from hashlib import blake2b, md5
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from templcrawl.files import PART, whole_file
from templcrawl.jobs import killed_fifos, killed_stacks
from templcrawl.jobs.job_queues import META_KEY
from templcrawl.jobs.killed_stacks import MARSHAL_DICTS, UNREAD

_NAME = re.compile(r"(-?\d+)s?")
_SQLITE = b"SQLite format 3\0"
_Active: TypeAlias = "dict[str, tuple[str | None, set[int]]]"


class _WaitingRequest(NamedTuple):
    """A request in the files.

    priority  as Scrapy negates it: the lowest goes first
    """

    priority: int
    queue: Path
    number: int


def rebuild_queues(job: str, *, files_are_stacks: bool = False) -> int | None:
    """Rebuild the queues of a job if its crawl was killed; return how many requests wait then, else None.

    files_are_stacks  whether any file that is no database was written by a ``LifoDiskQueue``; else only those
                      that are seen to be

    Raises OSError.
    """
    folder = Path(job, "requests.queue")
    active = _active(folder)
    if active is None or not folder.is_dir():
        return None
    was_rebuilding = _finish_rebuilding(folder)
    queues, _ = _queues(folder, files_are_stacks=files_are_stacks)
    is_closed = all(
        _is_closed(queue) and (_is_listed(queue, active) or _holds_nothing(queue)) for queue in queues
    )
    if is_closed and not was_rebuilding and not _is_cut(folder / "active.json"):
        return None
    folders = [queue for queue in queues if queue.is_dir()]
    broken_stacks = [queue for queue in queues if not queue.is_dir() and not _is_closed(queue)]
    kept: dict[bytes, _WaitingRequest] = {}
    for queue in folders:
        for number, record in enumerate(_records(queue)):
            identity = _identity(record) or f"{queue} {number}".encode()
            waiting = _WaitingRequest(_priority(queue), queue, number)
            kept[identity] = max(kept.get(identity, waiting), waiting)
    numbers = defaultdict[Path, set[int]](set)
    for waiting in kept.values():
        numbers[waiting.queue].add(waiting.number)
    for queue in folders:
        killed_fifos.rewrite(queue, numbers[queue])
    for queue in broken_stacks:
        killed_stacks.mend(queue)
    _write_active(folder, active)
    return sum(1 for queue in _queues(folder)[0] for _ in _records(queue))


def waiting_requests(job: str) -> Iterator[dict[str, Any]]:
    """Yield the requests of the queues of a job, as Scrapy writes them, once they are closed or rebuilt."""
    for queue in _queues(Path(job, "requests.queue"))[0]:
        for record in _records(queue):
            plain = _plain(record)
            if plain is not None:
                yield plain


def unread_queues(job: str) -> list[str]:
    """Return the files and folders of queues that Scrapy will not open, once the others are rebuilt.

    Their format is not known, nothing in them can be read, or not for what site they are.
    """
    folder = Path(job, "requests.queue")
    active = _active(folder)
    if active is None or not folder.is_dir():
        return []
    readable, others = _queues(folder)
    left = [queue for queue in readable if not _is_listed(queue, active) and not _holds_nothing(queue)]
    left += (queue for queue in others if not _is_listed(queue, active))
    left += (path for path in folder.rglob(f"*{UNREAD}") if _NAME.fullmatch(path.stem))
    return [str(path.relative_to(folder)) for path in left]


def _queues(folder: Path, *, files_are_stacks: bool = False) -> tuple[list[Path], list[Path]]:
    """Return the queues of a job that can be read, and those that cannot; each one ascending."""
    paths = [
        path
        for entry in folder.iterdir()
        for path in ([entry] if _NAME.fullmatch(entry.name) or not entry.is_dir() else entry.iterdir())
        if _NAME.fullmatch(path.name)
    ]
    readable: list[Path] = []
    others: list[Path] = []
    for path in sorted(paths):
        if path.is_dir():
            is_readable = killed_fifos.is_fifo(path)
        elif _is_database(path):
            is_readable = _rows(path) is not None
        else:
            is_readable = files_are_stacks or killed_stacks.is_stack(path)
        (readable if is_readable else others).append(path)
    return readable, others


def _is_database(queue: Path) -> bool:
    with queue.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def _rows(database: Path) -> list[bytes] | None:
    """Return the records of a queue in SQLite, None if it has another table than queuelib's."""
    try:
        with closing(sqlite3.connect(database)) as connection:
            return [item for (item,) in connection.execute("SELECT item FROM queue ORDER BY id")]
    except sqlite3.Error:
        return None


def _finish_rebuilding(folder: Path) -> bool:
    """See to what a rebuilding that was killed has left behind; say whether there was anything."""
    parts = [*folder.glob(f"*{PART}"), *folder.glob(f"*/*{PART}")]
    left = [part for part in parts if _NAME.fullmatch(part.stem) or part.name.startswith(".active.json.")]
    for part in left:
        queue = part.with_suffix("")
        if not part.is_dir():
            part.unlink()
        elif queue.exists() or not (part / "info.json").exists():
            shutil.rmtree(part)
        else:
            part.rename(queue)
    return bool(left)


def _is_closed(queue: Path) -> bool:
    """Say whether the state of a queue agrees with its records."""
    if queue.is_dir():
        return killed_fifos.is_closed(queue)
    return _is_database(queue) or killed_stacks.is_closed(queue)


def _records(queue: Path) -> Iterator[bytes]:
    """Yield what was not taken out of a queue, of a folder before its last clean close."""
    if queue.is_dir():
        yield from killed_fifos.records_of(queue)
    else:
        yield from (_rows(queue) or ()) if _is_database(queue) else killed_stacks.records_of(queue)


def _plain(record: bytes) -> dict[str, Any] | None:
    """Return a request as Scrapy writes it, None if its record cannot be read."""
    loads = marshal.loads if record.startswith(MARSHAL_DICTS) else pickle.loads
    with suppress(Exception):  # whatever a foreign pickle, or one of code that has changed, raises
        return dict(loads(record))
    return None


def _identity(record: bytes) -> bytes | None:
    """Return what a request that waits once is known by, whatever its priority; None for any other."""
    with suppress(Exception):
        request = dict(_plain(record) or {})
        meta = dict(request.pop("meta", None) or {})
        mark = meta.pop(META_KEY, None)
        is_requeued = isinstance(mark, dict) and mark.get("requeued")
        if request and (is_requeued or not request.get("dont_filter")):
            request.update(dont_filter=False, priority=0)
            known_by = repr((sorted(request.items()), sorted(meta.items(), key=repr)))
            return blake2b(known_by.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return None


def _hash(slot: str | None) -> str:
    """Return what the name of a slot's folder ends in, "" for the slot that all hosts share."""
    return "" if slot is None else md5(slot.encode()).hexdigest()


def _digest(queue: Path) -> str:
    """Return the hash of a queue's slot."""
    return "" if queue.parent.name == "requests.queue" else queue.parent.name.rpartition("-")[2]


def _active(folder: Path) -> _Active | None:
    """Return what was listed at the last clean close: hash of a slot -> slot, priorities.

    None is the slot that all hosts share.  Empty if nothing can be read, None if another priority queue than
    Scrapy's has written it.
    """
    try:
        state = json.loads((folder / "active.json").read_bytes())
    except (OSError, ValueError):
        return {}
    by_slot = state if isinstance(state, dict) else {None: state}
    for priorities in by_slot.values():
        if not isinstance(priorities, list) or not all(type(number) is int for number in priorities):
            return None
    return {_hash(slot): (slot, set(by_slot[slot])) for slot in by_slot}


def _is_cut(state: Path) -> bool:
    """Say whether there is a file of JSON that cannot be read."""
    try:
        json.loads(state.read_bytes())
    except OSError:
        return False
    except ValueError:
        return True
    return False


def _is_listed(queue: Path, active: _Active) -> bool:
    """Say whether a queue is opened when the job is resumed."""
    return _priority(queue) in active.get(_digest(queue), (None, ()))[1]


def _holds_nothing(queue: Path) -> bool:
    return next(_records(queue), None) is None


def _slot(queue: Path) -> str | None:
    """Return the slot of a queue, by its folder or its requests; None if neither has its name."""
    name, _, digest = queue.parent.name.rpartition("-")
    for slot in chain([name], map(_slot_of, _records(queue))):
        if _hash(slot) == digest:
            return slot
    return None


def _slot_of(record: bytes) -> str:
    """Return the slot of a request, "" if it cannot be read."""
    with suppress(Exception):
        request = _plain(record) or {}
        meta = request.get("meta") or {}
        return str(meta.get("download_slot") or urlsplit(request["url"]).hostname or "")
    return ""


def _write_active(folder: Path, active: _Active) -> None:
    """Write which queues there are, as the priority queue that has made them does; what was listed stays."""
    listed = defaultdict[str | None, set[int]](set)
    for slot, priorities in active.values():
        listed[slot] |= priorities
    for queue in _queues(folder)[0]:
        digest = _digest(queue)
        slot = active[digest][0] if digest in active else _slot(queue) if digest else None
        if slot is not None or not digest:
            listed[slot].add(_priority(queue))
    state = {slot: sorted(priorities) for slot, priorities in listed.items() if priorities}
    with whole_file(folder / "active.json") as file:
        file.write(json.dumps(state.get(None, state)).encode())


def _priority(queue: Path) -> int:
    return int(queue.name.rstrip("s"))
