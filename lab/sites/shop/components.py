"""Components that settings of a crawl name: own queues, extensions that break templcrawl, add-ons.

::

    ADDONS = {"templcrawl.Addon": 500, "lab.sites.shop.components.SmallParts": 1}
    SHOP_PART_PAGES = 5
"""

from __future__ import annotations

import sys

from scrapy.core.scheduler import Scheduler
from scrapy.pqueues import ScrapyPriorityQueue
from scrapy.settings import BaseSettings

from templcrawl.crawl.job import checkpoints
from templcrawl.crawl.parts import crawl_archive
from templcrawl.outputs import outbox


class OwnQueue(ScrapyPriorityQueue):
    """Scrapy's queue under another name."""


class OwnScheduler(Scheduler):
    """Scrapy's scheduler under another name."""


class NoJinja:
    """From when it is asked, Jinja cannot be imported."""

    def update_settings(self, settings: BaseSettings) -> None:
        sys.modules["jinja2"] = None  # type: ignore[assignment]


class SmallParts:
    """Sets the constants that settings named ``SHOP_...`` give."""

    def update_settings(self, settings: BaseSettings) -> None:
        crawl_archive.PART_PAGES = settings.getint("SHOP_PART_PAGES", crawl_archive.PART_PAGES)  # type: ignore[attr-defined]
        crawl_archive.PART_SECONDS = settings.getfloat("SHOP_PART_SECONDS", crawl_archive.PART_SECONDS)
        checkpoints.SECONDS = settings.getfloat("SHOP_CHECKPOINT_SECONDS", checkpoints.SECONDS)  # type: ignore[attr-defined]
        outbox.BATCH_ITEMS = settings.getint("SHOP_BATCH_ITEMS", outbox.BATCH_ITEMS)
