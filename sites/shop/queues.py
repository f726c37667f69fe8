"""A priority queue and a scheduler of the project's own."""

from __future__ import annotations

from scrapy.core.scheduler import Scheduler
from scrapy.pqueues import ScrapyPriorityQueue


class OwnQueue(ScrapyPriorityQueue):
    """Scrapy's queue under another name."""


class OwnScheduler(Scheduler):
    """Scrapy's scheduler under another name."""
