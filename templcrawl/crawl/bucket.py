"""A bucket: the requests of a slot, a priority and a class of links that wait in our queues.

Cost: O(1).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from scrapy import Request

from templcrawl.crawl.link_order import WaitingLink

PLAIN, START = 0, 1  # the classes of requests that have no class of links, and of start requests


@dataclass(slots=True, eq=False)
class Bucket:
    """The requests of a slot, a priority and a class.

    priority  as Scrapy negates it: the lowest goes first
    key       of the class, 64 bits with a sign, or ``PLAIN`` or ``START``
    size      how many wait
    first     of the first: arrival, a number that grows from request to request; URL; source (``source_of``)
    queue     of those in memory: arrival, request, number in the job (0 without one), source
    numbers   of rows, where any may be the first

    What :mod:`templcrawl.crawl.slot_order` knows of the first: its link, the value of that, the version of
    the site that it was found on when it was valued (-1: it was not), and its entry in the line of its level.
    """

    slot: str
    priority: int
    key: int
    size: int = 0
    first: tuple[int, str, str] = (0, "", "")
    queue: deque[tuple[int, Request, int, str]] = field(default_factory=deque)
    numbers: list[int] = field(default_factory=list)
    link: WaitingLink = WaitingLink("")  # noqa: RUF009 (it cannot be changed)
    value: float = 1.0
    version: int = -1
    entry: tuple[float, int, int] | None = None

    @property
    def is_shuffled(self) -> bool:
        """Whether its requests leave in any order; then ``first`` is one of them."""
        return bool(self.key & 1) and self.key != START
