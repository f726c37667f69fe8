"""Which queues a JOBDIR was begun with, seen from what lies in it.

A disk queue can be read by the class alone that has written it, and the state of a priority queue by one of
its own kind. So a job that is resumed keeps what it was begun with, whatever the order of its links is then,
and even with templcrawl switched off.  Scrapy writes the queue of a priority to
``requests.queue/[slot/]priority``: a folder, if it is first in first out, a file if it is last in first out;
where all hosts share a queue, there is no slot.

Cost: O(1) files, but for slots that were left empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_PRIORITY = re.compile(r"-?\d+")
_SQLITE = b"SQLite format 3"

FIFO_DISK_QUEUE = "scrapy.squeues.PickleFifoDiskQueue"
LIFO_DISK_QUEUE = "scrapy.squeues.PickleLifoDiskQueue"
META_KEY = "templcrawl"
"""What ``request.meta`` holds of a request that waits, and of a page, stands under this key."""


class BegunQueues(NamedTuple):
    """The queues of a job.

    over_hosts  whether all hosts share a queue; None if no request waits
    disk_queue  import path of the class of its disk queues; None if no request waits, or it is not one of
                Scrapy's two for files
    """

    over_hosts: bool | None = None
    disk_queue: str | None = None


def begun_queues(job: str | None) -> BegunQueues:
    """Return what queues a JOBDIR holds."""
    if job:
        folder = Path(job, "requests.queue")
        with suppress(OSError):
            for queue in _queues(folder):
                return BegunQueues(queue.parent == folder, _disk_queue(queue))
    return BegunQueues()


def _queues(folder: Path) -> Iterator[Path]:
    """Yield the queues of a job, one for a slot and a priority; those of start requests are left out."""
    for entry in folder.iterdir():
        if _PRIORITY.fullmatch(entry.name):
            yield entry
        elif entry.is_dir():
            yield from (queue for queue in entry.iterdir() if _PRIORITY.fullmatch(queue.name))


def _disk_queue(queue: Path) -> str | None:
    if queue.is_dir():
        return FIFO_DISK_QUEUE
    with queue.open("rb") as file:
        return None if file.read(len(_SQLITE)) == _SQLITE else LIFO_DISK_QUEUE
