"""The add-on: one line of settings switches templcrawl on.

::

    ADDONS = {"templcrawl.Addon": 500}

It adds the extension and the middlewares where the project has not placed them itself (``None``
included), the pipelines that its settings ask for, puts our priority queue in the place of Scrapy's default
one, with a JOBDIR our dupefilter, too, and shortens filled fields in the log.  A scheduler, queue, dupefilter
or log formatter that the project or another add-on names is left alone: without our queue a downloader
middleware moves links instead.  A job that is resumed keeps the queue that it was begun with.
"""

from __future__ import annotations

import logging
import os

import scrapy.core.downloader.contextfactory  # noqa: F401  it looks at every module there is: so before ours
from scrapy import squeues
from scrapy.core.scheduler import Scheduler
from scrapy.exceptions import NotConfigured
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, default_settings
from scrapy.utils.misc import load_object

from templcrawl.crawl.options import COMPONENTS
from templcrawl.crawl.setting_values import PREFIX
from templcrawl.crawl.settings import OUTPUTS, TemplcrawlSettings, unknown_settings
from templcrawl.crawl.waiting import QUEUE_SETTINGS
from templcrawl.errors import InvalidOption
from templcrawl.guard import starting

logger = logging.getLogger(__name__)

_HERE = "templcrawl.crawl"
_QUEUE = f"{_HERE}.frontier.priority_queue.TemplatePriorityQueue"
_ADDON = SETTINGS_PRIORITIES["addon"]
# What our queue goes with, or may take the place of: Scrapy's queues that are first in first out.
_COMPATIBLE = [Scheduler, *(queue for name, queue in vars(squeues).items() if "Fifo" in name)]


class Addon:
    """Scrapy's add-on contract: ``update_settings`` before the crawler is built."""

    @starting
    def update_settings(self, settings: BaseSettings) -> None:
        """Switch templcrawl on; raises InvalidOption if a ``TEMPLCRAWL_*`` setting is not accepted."""
        chosen = TemplcrawlSettings.from_settings(settings)
        if chosen.enabled and os.environ.get("SCRAPY_CHECK"):
            # it runs all spiders at once: they would have one job, and one file of each kind, among them
            for name in ("JOBDIR", *OUTPUTS):
                settings.delete(name, settings.getpriority(name) or 0)
            chosen = TemplcrawlSettings.from_settings(settings)
        is_resumed, has_ended = _job_of(settings["JOBDIR"])
        if not chosen.enabled:
            if is_resumed and not has_ended:
                accepted = (
                    "True until this job has ended, since its requests wait in the queue of templcrawl, or "
                    "remove the folder requests.queue of its JOBDIR to begin anew"
                )
                raise InvalidOption(f"{PREFIX}ENABLED", False, accepted)
            raise NotConfigured
        for name, hint in unknown_settings(settings).items():
            logger.warning("templcrawl has no setting %s%s", name, hint)
        exporters = settings.getdict("FEED_EXPORTERS")
        if "parquet" not in exporters:
            exporters["parquet"] = "templcrawl.outputs.parquet_exporter.ParquetItemExporter"
            settings.set("FEED_EXPORTERS", exporters, settings.getpriority("FEED_EXPORTERS") or 0)
        if chosen.item_fields and not settings.getpriority("LOG_FORMATTER"):
            settings.set("LOG_FORMATTER", f"{_HERE}.log_formatter.ShortFieldsLogFormatter", _ADDON)
        for setting, path, order, asked_by in COMPONENTS:
            if not asked_by or getattr(chosen, asked_by):
                _add_component(settings, setting, path, order)
        if is_resumed or (chosen.order != "off" and is_resumed is None):
            _place_queue(settings)


def _job_of(folder: str | None) -> tuple[bool | None, bool]:
    """Return whether our queue began the job of a JOBDIR, None if there is none; and whether it has ended."""
    if not folder:
        return None, False
    from templcrawl.crawl.job.job_owner import has_ended, is_ours

    return is_ours(folder), has_ended(folder)


def _add_component(settings: BaseSettings, setting: str, path: str, order: int) -> None:
    """Place a component, by its import path, unless the project has placed it itself, by path or class."""
    placed = settings.getdict(setting)
    for key, own in placed.items():
        if path == (key if isinstance(key, str) else f"{key.__module__}.{key.__qualname__}"):
            if own is None and setting == "EXTENSIONS":
                _report_unwritten(settings, path)
            return
    placed[path] = order
    settings.set(setting, placed, settings.getpriority(setting) or 0)


def _report_unwritten(settings: BaseSettings, path: str) -> None:
    for name in OUTPUTS:
        if settings[name]:
            logger.error("%s is set, but nothing will be written: EXTENSIONS switches %s off", name, path)


def _place_queue(settings: BaseSettings) -> None:
    """Replace Scrapy's default queue by ours, and with a JOBDIR its dupefilter.

    What anyone has named, the project or another add-on, is left alone.
    """
    named = [
        settings[name]
        for name in QUEUE_SETTINGS
        if settings.getpriority(name) or settings[name] != getattr(default_settings, name)
    ]
    others = [path for path in named if path and path != _QUEUE and load_object(path) not in _COMPATIBLE]
    if others or settings.getint("CONCURRENT_REQUESTS_PER_IP"):
        return
    settings.set("SCHEDULER_PRIORITY_QUEUE", _QUEUE, _ADDON)
    if settings["JOBDIR"] and not settings.getpriority("DUPEFILTER_CLASS"):
        settings.set("DUPEFILTER_CLASS", f"{_HERE}.dupefilter.JobDupeFilter", _ADDON)
