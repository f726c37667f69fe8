"""The add-on: one line of settings switches templcrawl on.

::

    ADDONS = {"templcrawl.Addon": 500}

It adds the extension and the middlewares where the project has not placed them itself (``None``
included), puts our priority queue in the place of Scrapy's own one (in a focused crawl one over all
hosts), and lets requests of equal priority leave in the order in which they came.  A scheduler or a queue
that the project chose is left alone: there a downloader middleware moves links instead.  So is a disk queue
that a crawl without us has begun.
"""

from __future__ import annotations

from pathlib import Path

from scrapy.core.scheduler import Scheduler
from scrapy.exceptions import NotConfigured
from scrapy.pipelines import ItemPipelineManager
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings
from scrapy.squeues import FifoMemoryQueue, PickleFifoDiskQueue
from scrapy.utils.misc import load_object

from templcrawl.components.archive import CrawlArchive
from templcrawl.components.downloader_middlewares import ObserveMiddleware, RequeueMiddleware
from templcrawl.components.extension import TemplateMemory, is_ours
from templcrawl.components.hold import HoldingItemProcessor, HoldMiddleware
from templcrawl.components.html_report import HtmlReport
from templcrawl.components.parquet_exporter import ParquetItemExporter
from templcrawl.components.pipelines import NearDuplicatesPipeline, StripFieldsPipeline
from templcrawl.components.priority_queues import REPLACEMENTS, TemplatePriorityQueue
from templcrawl.components.settings import TemplcrawlSettings
from templcrawl.components.spider_middleware import TemplateSpiderMiddleware
from templcrawl.components.sqlite_pipeline import SqlitePagesPipeline
from templcrawl.errors import InvalidOption

_COMPONENTS: tuple[tuple[str, type, int], ...] = (
    ("EXTENSIONS", TemplateMemory, 0),
    ("EXTENSIONS", CrawlArchive, 1),
    ("EXTENSIONS", HtmlReport, 2),
    ("DOWNLOADER_MIDDLEWARES", RequeueMiddleware, 60),
    ("DOWNLOADER_MIDDLEWARES", ObserveMiddleware, 545),
    ("SPIDER_MIDDLEWARES", HoldMiddleware, 0),
    ("SPIDER_MIDDLEWARES", TemplateSpiderMiddleware, 950),
    ("ITEM_PIPELINES", StripFieldsPipeline, 10),
    ("ITEM_PIPELINES", NearDuplicatesPipeline, 20),
    ("ITEM_PIPELINES", SqlitePagesPipeline, 900),
)

_ADDON = SETTINGS_PRIORITIES["addon"]


class Addon:
    """Scrapy's add-on contract: ``update_settings`` before the crawler is built."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Switch templcrawl on; raises InvalidOption if a ``TEMPLCRAWL_*`` setting is not accepted."""
        chosen = TemplcrawlSettings.from_settings(settings)
        if not chosen.enabled:
            raise NotConfigured
        for setting, component, place in _COMPONENTS:
            try:
                settings.setdefault_in_component_priority_dict(setting, component, place)
            except (ImportError, NameError, AttributeError, ValueError) as error:
                raise InvalidOption(
                    setting, dict(settings[setting]), f"components that can be imported ({error})"
                ) from error
        exporters = dict(settings["FEED_EXPORTERS"])
        if "parquet" not in exporters:
            settings["FEED_EXPORTERS"]["parquet"] = ParquetItemExporter
        if chosen.order != "off":
            _replace_queue(settings, over_hosts=chosen.order == "focus")
        if chosen.hold and load_object(settings["ITEM_PROCESSOR"]) is ItemPipelineManager:
            settings.set("ITEM_PROCESSOR", HoldingItemProcessor, _ADDON)


def _replace_queue(settings: BaseSettings, *, over_hosts: bool) -> None:
    """Put our priority queue in the place of Scrapy's own, first in first out; leave any other alone.

    over_hosts  whether the best request of all hosts comes first, where the project has not chosen
    """
    if load_object(settings["SCHEDULER"]) is not Scheduler:
        return
    ours = REPLACEMENTS.get(load_object(settings["SCHEDULER_PRIORITY_QUEUE"]))
    folder = settings["JOBDIR"]
    if over_hosts and not (settings.getpriority("SCHEDULER_PRIORITY_QUEUE") or _is_queued_by_host(folder)):
        ours = TemplatePriorityQueue
    if ours is not None:
        priority = settings.getpriority("SCHEDULER_PRIORITY_QUEUE") or 0
        settings.set("SCHEDULER_PRIORITY_QUEUE", ours, max(priority, _ADDON))
    settings.set("SCHEDULER_MEMORY_QUEUE", FifoMemoryQueue, _ADDON)
    if not folder or is_ours(folder) or not Path(folder, "requests.queue").exists():
        settings.set("SCHEDULER_DISK_QUEUE", PickleFifoDiskQueue, _ADDON)


def _is_queued_by_host(folder: str | None) -> bool:
    """Say whether a JOBDIR holds requests as a queue fair between hosts leaves them; no other reads those."""
    state = Path(folder, "requests.queue", "active.json") if folder else None
    return state is not None and state.exists() and state.read_text(encoding="utf-8").lstrip().startswith("{")
