"""The queue of a job whose crawl was killed, rebuilt from what lies in its JOBDIR.

Scrapy writes what a disk queue needs to be opened, and ``active.json`` with the names of all, at a clean
close alone.  After a kill a queue that is first in first out (:mod:`templcrawl.crawl.jobs.killed_fifos`)
would hand out old requests in the place of new ones, then remove both; the more priorities there are, as
where the order of links is learned, the more it loses.

A crawl was killed if it has not released the lock of its JOBDIR, or if the files of a queue disagree with its
``info.json``.  Then all queues of that kind are
rewritten, with every request in their files that was not taken out before the last clean close, and
``active.json`` after them.  What was fetched since is fetched again: nobody knows how far the crawl has come,
and no page is left out.  A request that was moved to a lower priority was written twice, and waits there
once.  What the dupefilter lets pass (``dont_filter``), and what cannot be read, waits as often as it was
written.

Queues that are last in first out keep what waits, and are repaired where they lie
(:mod:`templcrawl.crawl.jobs.killed_stacks`).  Those in SQLite are whole, and are listed again.

The files show the kind of a queue.  So a class of the project's own is served, whatever its records are, if
it derives from one of queuelib's; but of those that are last in first out, one that was written to since the
last clean close is put aside if its records are neither pickles nor marshal's.  A queue of any other format
is left as it lies, and named if Scrapy does not open it.  Where ``active.json`` has a shape that no priority
queue of Scrapy writes, nothing is touched.

No record is loaded that may not be whole, or that does not begin as a pickle or a dictionary of marshal's
does: pickles run code, and a page can write one.

Not repaired, for Scrapy's files do not tell: requests that could not be written to a disk queue, and those in
flight at the kill whose queue was closed, as Scrapy's own does at once when it is empty, and templcrawl's for
want of open files; of a queue that is last in first out all that were in flight,
and what was pushed to it since it was last popped, up to 8 KB: its process had not written that.

Each queue takes the place of the old one whole; a kill in between is repaired by the next start.

Cost: after a clean close O(files) and one reading of those that are no folders, else O(size of the files).
Memory: 150 bytes a request, and the largest file that is no folder.
"""

from __future__ import annotations

import json
import marshal
import pickle
import re
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from functools import cached_property
from hashlib import blake2b, md5
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from templcrawl.crawl.jobs import killed_fifos, killed_stacks
from templcrawl.crawl.jobs.killed_stacks import MARSHAL_DICTS, PICKLE, UNREAD, StackState, stack_state
from templcrawl.files import PART, whole_file
from templcrawl.outputs.answers import META_KEY

_NAME = re.compile(r"(-?\d+)s?")
_SQLITE = b"SQLite format 3\0"


class Repaired(NamedTuple):
    """What a repair has found.

    waiting  requests that wait, if the crawl was killed; else None
    unread   files and folders of queues that Scrapy will not open: their format is not known, nothing in them
             can be read, or not for what site they are
    """

    waiting: int | None = None
    unread: Sequence[str] = ()


def repair_queues(job: str, *, files_are_stacks: bool = False, was_killed: bool = False) -> Repaired:
    """Rebuild the queues of a job if its crawl was killed; raises OSError.

    was_killed        whether it is known that it was; else the files show it
    files_are_stacks  whether any file that is no database was written by a ``LifoDiskQueue``; else only those
                      that are seen to be
    """
    folder = Path(job, "requests.queue")
    listing = _read_listing(folder)
    if listing is None or not folder.is_dir():
        return Repaired()
    was_repairing = _finish_repair(folder)
    queues, unreadable = _scan(folder, files_are_stacks=files_are_stacks)
    is_closed = all(queue.is_closed and (queue in listing or queue.is_empty) for queue in queues)
    waiting = None
    if was_killed or was_repairing or listing.is_cut or not is_closed:
        _rewrite_folders([queue for queue in queues if isinstance(queue, _Folder)])
        for queue in queues:
            if isinstance(queue, _Stack):
                killed_stacks.repair(queue.path)
        queues, unreadable = _scan(folder)
        listing = _write_listing(folder, queues, listing)
        waiting = sum(1 for queue in queues for _ in queue.records())
    unlisted = [queue.path for queue in queues if queue not in listing and not queue.is_empty]
    unlisted += (path for path in unreadable if _Queue(path) not in listing)
    unlisted += (path for path in folder.rglob(f"*{UNREAD}") if _NAME.fullmatch(path.stem))
    return Repaired(waiting, [str(path.relative_to(folder)) for path in unlisted])


def waiting_requests(job: str) -> Iterator[dict[str, Any]]:
    """Yield the requests of the queues of a job, as Scrapy writes them, once they are closed or rebuilt."""
    for queue in _scan(Path(job, "requests.queue"))[0]:
        for record in queue.records():
            plain = _plain(record)
            if plain is not None:
                yield plain


class _Queue:
    """A queue of a job, for a slot and a priority.

    path       its folder or file
    priority   as Scrapy negates it: the lowest goes first
    digest     hash of its slot, "" for the slot that all hosts share
    is_closed  whether its state agrees with its records
    """

    is_closed = True

    def __init__(self, path: Path) -> None:
        self.path = path
        self.priority = int(path.name.rstrip("s"))
        self.digest = "" if path.parent.name == "requests.queue" else path.parent.name.rpartition("-")[2]

    @cached_property
    def is_empty(self) -> bool:
        """Whether no request waits in it."""
        return next(self.records(), None) is None

    def records(self) -> Iterator[bytes]:
        """Yield what was not taken out of it, of a folder before its last clean close."""
        return iter(())

    def slot(self) -> str | None:
        """Return its slot, by its folder or its requests; None if neither has its name."""
        name = self.path.parent.name.rpartition("-")[0]
        for slot in chain([name], map(_slot_of, self.records())):
            if _hash(slot) == self.digest:
                return slot
        return None


class _Folder(_Queue):
    """A queue that is first in first out."""

    @cached_property
    def is_closed(self) -> bool:  # type: ignore[override]
        return killed_fifos.is_closed(self.path)

    def records(self) -> Iterator[bytes]:
        return killed_fifos.records_of(self.path)


class _Stack(_Queue):
    """A queue that is last in first out."""

    def __init__(self, path: Path, state: StackState) -> None:
        super().__init__(path)
        self.is_closed, self.is_empty = state.is_closed, state.is_empty

    def records(self) -> Iterator[bytes]:
        return iter(killed_stacks.records_of(self.path))


class _Database(_Queue):
    """A queue in SQLite; its transactions keep it whole."""

    def records(self) -> Iterator[bytes]:
        return iter(_rows(self.path) or ())


def _scan(folder: Path, *, files_are_stacks: bool = False) -> tuple[list[_Queue], list[Path]]:
    """Return the queues of a job that can be read, and those that cannot; each one ascending."""
    paths = [
        path
        for entry in folder.iterdir()
        for path in ([entry] if _NAME.fullmatch(entry.name) or not entry.is_dir() else entry.iterdir())
        if _NAME.fullmatch(path.name)
    ]
    queues: list[_Queue] = []
    unreadable: list[Path] = []
    for path in sorted(paths):
        queue = _read_queue(path, files_are_stacks=files_are_stacks)
        if queue is None:
            unreadable.append(path)
        else:
            queues.append(queue)
    return queues, unreadable


def _read_queue(path: Path, *, files_are_stacks: bool) -> _Queue | None:
    if path.is_dir():
        return _Folder(path) if killed_fifos.is_fifo(path) else None
    if _is_database(path):
        return _Database(path) if _rows(path) is not None else None
    state = stack_state(path)
    return _Stack(path, state) if files_are_stacks or state.is_stack else None


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


def _finish_repair(folder: Path) -> bool:
    """Finish a repair that was killed; return whether there was one."""
    parts = [*folder.glob(f"*{PART}"), *folder.glob(f"*/*{PART}")]
    leftovers = [
        part for part in parts if _NAME.fullmatch(part.stem) or part.name.startswith(".active.json.")
    ]
    for part in leftovers:
        queue = part.with_suffix("")
        if not part.is_dir():
            part.unlink()
        elif queue.exists() or not (part / "info.json").exists():
            shutil.rmtree(part)
        else:
            part.rename(queue)
    return bool(leftovers)


def _rewrite_folders(queues: Sequence[_Folder]) -> None:
    """Rewrite queues with every request in their files, once each, at the lowest place that it has."""
    places: dict[bytes, tuple[int, Path, int]] = {}
    for queue in queues:
        for number, record in enumerate(queue.records()):
            identity = _identity(record) or f"{queue.path} {number}".encode()
            place = queue.priority, queue.path, number
            places[identity] = max(places.get(identity, place), place)
    numbers = defaultdict[Path, set[int]](set)
    for _, path, number in places.values():
        numbers[path].add(number)
    for queue in queues:
        killed_fifos.rewrite(queue.path, numbers[queue.path])


class _Listing:
    """The content of ``active.json``: which queues Scrapy opens when the job is resumed.

    slots   hash of a slot -> the slot, and the priorities of its queues; the slot None is shared by all hosts
    is_cut  whether the file is not JSON
    """

    def __init__(self, slots: dict[str | None, set[int]], *, is_cut: bool = False) -> None:
        self.slots = {_hash(slot): (slot, priorities) for slot, priorities in slots.items()}
        self.is_cut = is_cut

    def __contains__(self, queue: _Queue) -> bool:
        return queue.priority in self.slots.get(queue.digest, (None, ()))[1]


def _read_listing(folder: Path) -> _Listing | None:
    """Return what was listed at the last clean close, nothing if that cannot be read.

    None if another priority queue than Scrapy's has written it.
    """
    try:
        state = json.loads((folder / "active.json").read_bytes())
    except OSError:
        return _Listing({})
    except ValueError:
        return _Listing({}, is_cut=True)
    by_slot = state if isinstance(state, dict) else {None: state}
    for priorities in by_slot.values():
        if not isinstance(priorities, list) or not all(type(number) is int for number in priorities):
            return None
    return _Listing({slot: set(by_slot[slot]) for slot in by_slot})


def _write_listing(folder: Path, queues: Sequence[_Queue], before: _Listing) -> _Listing:
    """Write which queues there are, as the priority queue that has made them does; what was listed stays."""
    listed = defaultdict[str | None, set[int]](set)
    for slot, priorities in before.slots.values():
        listed[slot] |= priorities
    for queue in queues:
        is_listed = queue.digest in before.slots
        slot = before.slots[queue.digest][0] if is_listed else queue.slot() if queue.digest else None
        if slot is not None or not queue.digest:
            listed[slot].add(queue.priority)
    state = {slot: sorted(priorities) for slot, priorities in listed.items() if priorities}
    with whole_file(folder / "active.json") as file:
        file.write(json.dumps(state.get(None, state)).encode())
    return _Listing({None: listed[None]} if None in state else listed)


def _plain(record: bytes) -> dict[str, Any] | None:
    """Return a request as Scrapy writes it, None if its record cannot be read."""
    with suppress(Exception):  # whatever a foreign pickle, or one of code that has changed, raises
        if record.startswith(MARSHAL_DICTS):
            return dict(marshal.loads(record))
        if record.startswith(PICKLE):  # no text does, of whatever format
            return dict(pickle.loads(record))
    return None


def _identity(record: bytes) -> bytes | None:
    """Return the identity of a request that waits once, whatever its priority; None for any other."""
    with suppress(Exception):
        request = dict(_plain(record) or {})
        meta = dict(request.pop("meta", None) or {})
        mark = meta.pop(META_KEY, None)
        is_requeued = isinstance(mark, dict) and mark.get("requeued")
        if request and (is_requeued or not request.get("dont_filter")):
            request.update(dont_filter=False, priority=0)
            identity = repr((sorted(request.items()), sorted(meta.items(), key=repr)))
            return blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return None


def _hash(slot: str | None) -> str:
    """Return what the name of a slot's folder ends in, "" for the slot that all hosts share."""
    return "" if slot is None else md5(slot.encode()).hexdigest()


def _slot_of(record: bytes) -> str:
    with suppress(Exception):
        request = _plain(record) or {}
        meta = request.get("meta") or {}
        return str(meta.get("download_slot") or urlsplit(request["url"]).hostname or "")
    return ""
