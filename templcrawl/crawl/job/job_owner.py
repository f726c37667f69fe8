"""The owner of a JOBDIR: our queue, or Scrapy's own.

A job that Scrapy's own queue began goes on with that.  One that ours began is marked in
``requests.queue/active.json`` by a number, which Scrapy's own queues refuse: without templcrawl the crawl
does not start, and nothing that waits is lost.  The number of a job that has ended they take for an empty
queue.  Without the mark the queue begins anew: as with Scrapy's, one
may remove ``requests.queue`` to crawl again with what was learned.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from templcrawl.crawl.waiting import ENDED_STATE, QUEUE_STATE


def is_ours(folder: str) -> bool | None:
    """Return whether our queue began the job of a JOBDIR; None if no job has begun there."""
    queue = Path(folder, "requests.queue")
    mark = queue / "active.json"
    try:
        written = mark.read_bytes()
        is_cut = not written and [*queue.iterdir()] == [mark]  # killed as Scrapy wrote it anew
        return is_cut or json.loads(written) in (QUEUE_STATE, ENDED_STATE)
    except (OSError, ValueError):
        has_begun = Path(folder, "requests.seen").exists() or (queue.is_dir() and any(queue.iterdir()))
        return False if has_begun else None


def has_ended(folder: str) -> bool:
    """Return whether a job that our queue began has ended: no request waits."""
    with suppress(OSError, ValueError):
        return bool(json.loads(Path(folder, "requests.queue", "active.json").read_bytes()) == ENDED_STATE)
    return False
