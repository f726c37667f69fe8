"""Detect from the files of a JOBDIR which queue classes its job was started with.

Only the class that wrote a disk queue can read it, and only a priority queue of the same kind can read its
state.  So a resumed job keeps the queues that it was started with, even if the order of its links has changed
or templcrawl is switched off.  Scrapy writes the queue of a priority to
``requests.queue/[slot/]priority``: a folder, if it is first in first out, a file if it is last in first out;
where all hosts share a queue, there is no slot.

Where links are ordered by class (:mod:`templcrawl.crawl.class_queues`), the number of a queue holds its
priority and its class, and is above all priorities.  Scrapy's own queue takes such a number for a priority:
it gives these requests out after all others, those of higher priority first.

Cost: O(1) files where links are ordered by class, but for slots that were left empty; else O(queues).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import NamedTuple

_PRIORITY = re.compile(r"-?\d+")
_SQLITE = b"SQLite format 3"

FIFO_DISK_QUEUE = "scrapy.squeues.PickleFifoDiskQueue"
LIFO_DISK_QUEUE = "scrapy.squeues.PickleLifoDiskQueue"


_CLASS_BITS = 64
_FIRST_BUCKET = 1 << 2 * _CLASS_BITS


def bucket_number(priority: int, class_key: int) -> int:
    """Return the number of the queue of a priority and a class of links.

    A priority that is no integer, or has more than 62 bits, has one queue for all classes: its own.

    priority   negated, as Scrapy numbers its queues
    class_key  64 bits

    >>> priority_of_queue(bucket_number(-3, 2**64 - 1)), bucket_number(-1, 9) < bucket_number(0, 1)
    (-3, True)
    >>> bucket_number(0.5, 9)
    0.5
    """
    if isinstance(priority, int) and priority.bit_length() < _CLASS_BITS - 1:
        return _FIRST_BUCKET + (priority << _CLASS_BITS) + class_key
    return priority


def priority_of_queue(number: int) -> int:
    """Return the priority of a queue, negated; that is the number itself where the queue has no class."""
    has_class = isinstance(number, int) and number >= _FIRST_BUCKET >> 1
    return (number - _FIRST_BUCKET) >> _CLASS_BITS if has_class else number


class BegunQueues(NamedTuple):
    """The queues of a job.

    over_hosts  whether all hosts share a queue; None if no request waits
    disk_queue  import path of the class of its disk queues; None if no request waits, or it is not one of
                Scrapy's two for files
    by_class    whether a queue is one of a class of links
    """

    over_hosts: bool | None = None
    disk_queue: str | None = None
    by_class: bool = False


def begun_queues(job: str | None) -> BegunQueues:
    """Return what queues a JOBDIR holds."""
    if job:
        folder = Path(job, "requests.queue")
        with suppress(OSError):
            queues = _queues(folder)
            for queue in queues:
                over_hosts, disk_queue = queue.parent == folder, _disk_queue(queue)
                return BegunQueues(over_hosts, disk_queue, any(map(_has_class, chain([queue], queues))))
    return BegunQueues()


def _queues(folder: Path) -> Iterator[Path]:
    """Yield the queues of a job, one for a slot and a priority; those of start requests are left out."""
    for entry in folder.iterdir():
        if _PRIORITY.fullmatch(entry.name):
            yield entry
        elif entry.is_dir():
            yield from (queue for queue in entry.iterdir() if _PRIORITY.fullmatch(queue.name))


def _has_class(queue: Path) -> bool:
    return priority_of_queue(int(queue.name)) != int(queue.name)


def _disk_queue(queue: Path) -> str | None:
    if queue.is_dir():
        return FIFO_DISK_QUEUE
    with queue.open("rb") as file:
        return None if file.read(len(_SQLITE)) == _SQLITE else LIFO_DISK_QUEUE
