"""The add-on: one line of settings switches templcrawl on.

::

    ADDONS = {"templcrawl.Addon": 500}

It adds the extension and the middlewares where the project has not placed them itself (``None``
included), the pipelines that its settings ask for, puts our priority queue in the place of Scrapy's default
one (in a focused crawl one over all hosts), lets requests of equal priority leave in the order in which they
came, and shortens filled fields in the log.  A scheduler, queue or log formatter that the project names is
left alone: there a downloader middleware moves links instead.  A job that is resumed keeps the queues that it
was begun with, even with templcrawl switched off.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from scrapy.core.scheduler import Scheduler
from scrapy.exceptions import NotConfigured
from scrapy.pipelines import ItemPipelineManager
from scrapy.pqueues import DownloaderAwarePriorityQueue, ScrapyPriorityQueue
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings
from scrapy.utils.misc import load_object

from templcrawl.crawl.jobs.job_queues import FIFO_DISK_QUEUE, BegunQueues, begun_queues
from templcrawl.crawl.settings import TemplcrawlSettings, unknown_settings
from templcrawl.guard import starting

logger = logging.getLogger(__name__)

_HERE = "templcrawl.crawl"
_QUEUES = f"{_HERE}.priority_queues"
_STORAGE = "templcrawl.outputs"
_ADDON = SETTINGS_PRIORITIES["addon"]


class Addon:
    """Scrapy's add-on contract: ``update_settings`` before the crawler is built."""

    @starting
    def update_settings(self, settings: BaseSettings) -> None:
        """Switch templcrawl on; raises InvalidOption if a ``TEMPLCRAWL_*`` setting is not accepted."""
        chosen = TemplcrawlSettings.from_settings(settings)
        begun = begun_queues(settings["JOBDIR"])
        _preserve_queues(settings, begun)
        if not chosen.enabled:
            raise NotConfigured
        for name, advice in unknown_settings(settings).items():
            logger.warning("templcrawl has no setting %s%s", name, advice and f": {advice}")
        for setting, path, order, is_asked_for in _components(chosen):
            if is_asked_for:
                _add_component(settings, setting, path, order)
        exporters = settings.getdict("FEED_EXPORTERS")
        if "parquet" not in exporters:
            exporters["parquet"] = f"{_STORAGE}.parquet_exporter.ParquetItemExporter"
            settings.set("FEED_EXPORTERS", exporters, settings.getpriority("FEED_EXPORTERS") or 0)
        if chosen.order != "off":
            _replace_queue(settings, begun, over_hosts=chosen.order == "focus")
        if chosen.item_fields and not settings.getpriority("LOG_FORMATTER"):
            settings.set("LOG_FORMATTER", f"{_HERE}.log_formatter.ShortFieldsLogFormatter", _ADDON)
        if chosen.hold and load_object(settings["ITEM_PROCESSOR"]) is ItemPipelineManager:
            settings.set("ITEM_PROCESSOR", f"{_HERE}.hold.HoldingItemProcessor", _ADDON)


def _components(chosen: TemplcrawlSettings) -> Iterable[tuple[str, str, int, object]]:
    """Return setting, import path, order and whether it is asked for, of each component."""
    has_table = any((chosen.page_type_table, chosen.sqlite_path, chosen.postgresql_dsn))
    return (
        ("EXTENSIONS", f"{_HERE}.extension.TemplateMemory", 0, True),
        ("EXTENSIONS", f"{_HERE}.crawl_archive.CrawlArchive", 1, chosen.archive),
        ("EXTENSIONS", f"{_HERE}.html_report.HtmlReport", 2, chosen.report),
        ("EXTENSIONS", f"{_HERE}.page_type_table.PageTypeTable", 3, has_table),
        ("DOWNLOADER_MIDDLEWARES", f"{_HERE}.downloader_middlewares.RequeueMiddleware", 60, True),
        ("DOWNLOADER_MIDDLEWARES", f"{_HERE}.downloader_middlewares.ObserveMiddleware", 545, True),
        ("SPIDER_MIDDLEWARES", f"{_HERE}.hold.HoldMiddleware", 0, chosen.hold),
        (
            "SPIDER_MIDDLEWARES",
            f"{_HERE}.spider_middleware.TargetExamplesMiddleware",
            940,
            chosen.target_pages,
        ),
        ("SPIDER_MIDDLEWARES", f"{_HERE}.spider_middleware.TemplateSpiderMiddleware", 950, True),
        ("ITEM_PIPELINES", f"{_HERE}.pipelines.SkipUnchangedPipeline", 5, chosen.skip_unchanged),
        ("ITEM_PIPELINES", f"{_HERE}.pipelines.StripFieldsPipeline", 10, chosen.strip_fields),
        ("ITEM_PIPELINES", f"{_HERE}.pipelines.NearDuplicatesPipeline", 20, chosen.drop_near_duplicates),
        ("ITEM_PIPELINES", f"{_STORAGE}.sqlite.SqlitePagesPipeline", 900, chosen.sqlite_path),
        ("ITEM_PIPELINES", f"{_STORAGE}.postgresql.PostgresqlPagesPipeline", 901, chosen.postgresql_dsn),
    )


def _add_component(settings: BaseSettings, setting: str, path: str, order: int) -> None:
    """Place a component, by its import path, unless the project has placed it itself, by path or class."""
    placed = settings.getdict(setting)
    if any(
        path == (key if isinstance(key, str) else f"{key.__module__}.{key.__qualname__}") for key in placed
    ):
        return
    placed[path] = order
    settings.set(setting, placed, settings.getpriority(setting) or 0)


def _preserve_queues(settings: BaseSettings, begun: BegunQueues) -> None:
    """Keep the queues that a job was begun with, unless the project names others."""
    if begun.disk_queue is not None:
        settings.set("SCHEDULER_DISK_QUEUE", begun.disk_queue, _ADDON)
    if begun.by_class:
        settings.set("SCHEDULER_PRIORITY_QUEUE", f"{_QUEUES}.TemplateDownloaderAwarePriorityQueue", _ADDON)
    elif begun.over_hosts is not None:
        queue = ScrapyPriorityQueue if begun.over_hosts else DownloaderAwarePriorityQueue
        settings.set("SCHEDULER_PRIORITY_QUEUE", f"{queue.__module__}.{queue.__name__}", _ADDON)


def _replace_queue(settings: BaseSettings, begun: BegunQueues, *, over_hosts: bool) -> None:
    """Put our priority queue in the place of Scrapy's, first in first out, unless the project names one.

    over_hosts  whether the best request of all hosts comes first
    """
    chosen = settings.getpriority("SCHEDULER_PRIORITY_QUEUE") or 0
    if chosen > _ADDON or load_object(settings["SCHEDULER"]) is not Scheduler:
        return
    if not begun.over_hosts and not settings.getint("CONCURRENT_REQUESTS_PER_IP"):
        queue = "TemplateBestFirstPriorityQueue" if over_hosts else "TemplateDownloaderAwarePriorityQueue"
        settings.set("SCHEDULER_PRIORITY_QUEUE", f"{_QUEUES}.{queue}", _ADDON)
    settings.set("SCHEDULER_MEMORY_QUEUE", "scrapy.squeues.FifoMemoryQueue", _ADDON)
    if begun.disk_queue is None:
        settings.set("SCHEDULER_DISK_QUEUE", FIFO_DISK_QUEUE, _ADDON)
