"""The composition root: it builds the parts of a crawl from its settings and joins them.

A part takes what it needs as arguments.  What only some settings need is imported where they ask for it.
Only this module lists the parts and joins them::

    settings -> job, folder -> (shared store) -> background store -> memory -> checkpoints (exchange)
                                                                    -> link order, stop advice, trap log
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, NamedTuple
from weakref import finalize

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.job import job_dir

from templcrawl.crawl.checkpoints import BackgroundStore, Checkpoints
from templcrawl.crawl.crawl_stats import CrawlStats
from templcrawl.crawl.link_order import LinkOrder
from templcrawl.crawl.relevance import Topic
from templcrawl.crawl.setting_values import PREFIX
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.crawl.stop_advice import StopAdvice
from templcrawl.crawl.trap_log import TrapLog
from templcrawl.errors import InvalidOption
from templcrawl.guard import Surviving
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.store import FolderStore
from templcrawl.outputs.extractors import extractor
from templcrawl.page import kernel
from templcrawl.page.separation import Separation

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

    from templcrawl.algorithms.page_types.type_classifiers import Classifier
    from templcrawl.crawl.jobs.jobs import Job
    from templcrawl.crawl.workers.exchange import Exchange
    from templcrawl.crawl.workers.shared_sites import SharedSites

logger = logging.getLogger(__name__)

_FOLDER = "templcrawl"


class CrawlParts(NamedTuple):
    """The parts of a crawl.

    settings     all settings, frozen
    job          its JOBDIR, if it has one
    folder       where the state of its sites is stored, if anywhere
    memory       what it has learned of its sites
    checkpoints  writes the memory to the folder, if there is one
    stats        counts its pages
    link_order   moves requests by the evidence about their links
    stop_advice  which sites are spent
    traps        which links look endless
    extract      finds the article of a page, if that is switched on
    """

    settings: TemplcrawlSettings
    job: Job | None
    folder: FolderStore | None
    memory: CrawlMemory
    checkpoints: Checkpoints | None
    stats: CrawlStats
    link_order: LinkOrder
    stop_advice: StopAdvice
    traps: TrapLog
    extract: Callable[[Separation], str] | None


def assemble(crawler: Crawler) -> CrawlParts:
    """Make the parts of a crawl; raises NotConfigured, InvalidOption, InvalidSnapshot, MissingExtra."""
    settings = TemplcrawlSettings.from_settings(crawler.settings)
    if not settings.enabled:
        raise NotConfigured
    assert crawler.stats is not None
    kernel.is_native()
    job_folder = job_dir(crawler.settings)
    job = _job(crawler, job_folder) if job_folder else None
    address = settings.store
    folder = _folder(job_folder, is_shared=address is not None)
    shared = None
    if folder is not None and address is not None:
        shared = _shared_sites(address, folder, settings.memory)
    store = BackgroundStore(shared if shared is not None else folder) if folder is not None else None
    stats = CrawlStats(crawler, settings)
    memory = CrawlMemory(
        settings.memory,
        store=store,
        on_unreadable=stats.count_unreadable,
        classifier=_classifier(settings) if settings.page_types else None,
        target_types=settings.target_types,
        topic=Topic(settings.relevance, guard_of(crawler)) if settings.relevance is not None else None,
    )
    exchange = _exchange(memory, shared, crawler.stats) if shared is not None else None
    return CrawlParts(
        settings,
        job,
        folder,
        memory,
        Checkpoints(memory, store, crawler.stats, guard_of(crawler), exchange) if store is not None else None,
        stats,
        LinkOrder(crawler, settings, memory),
        StopAdvice(crawler, settings, memory),
        TrapLog(crawler, settings, memory),
        extractor(settings.extractor) if settings.extractor else None,
    )


def guard_of(crawler: Crawler) -> Callable[[str, str], AbstractContextManager[None, bool | None]]:
    """Return (what is done, of what) -> a context that logs, counts and suppresses an error."""
    return lambda doing, what: Surviving(crawler, f"{doing} {what}")


def _job(crawler: Crawler, folder: str) -> Job:
    from templcrawl.crawl.jobs.jobs import Job

    return Job(crawler, folder)


def _exchange(memory: CrawlMemory, shared: SharedSites, stats: StatsCollector) -> Exchange:
    from templcrawl.crawl.workers.exchange import Exchange

    return Exchange(memory, shared, stats)


def _folder(job: str | None, *, is_shared: bool) -> FolderStore | None:
    """Return the folder of a crawl: in its JOBDIR, or a temporary one if it only shares what it learns."""
    if job is not None:
        return FolderStore(Path(job, _FOLDER))
    if not is_shared:
        return None
    folder = mkdtemp(prefix="templcrawl-")
    store = FolderStore(folder)
    finalize(store, rmtree, folder, ignore_errors=True)
    return store


def _shared_sites(address: str, folder: FolderStore, options: MemoryOptions) -> SharedSites:
    """Return the store that is shared with other workers; raises InvalidOption, MissingExtra."""
    from templcrawl.crawl.workers.redis_store import RedisStore
    from templcrawl.crawl.workers.shared_sites import SharedSites, worker_name

    try:
        return SharedSites(folder, RedisStore(address, worker_name(folder.folder)), options)
    except InvalidOption as error:
        raise InvalidOption(f"{PREFIX}STORE", address, error.accepted) from error


def _classifier(settings: TemplcrawlSettings) -> Classifier:
    """Learn page types from a folder of examples; raises InvalidOption, also for a target of no type."""
    from templcrawl.algorithms.page_types.type_classifiers import StructuralClassifier
    from templcrawl.page.records import ExampleReader

    folder = settings.page_types or ""
    try:
        examples = ExampleReader(folder)
        learned = StructuralClassifier.train(examples)
    except InvalidOption as error:
        raise InvalidOption(f"{PREFIX}PAGE_TYPES", folder, error.accepted) from error
    except OSError as error:
        raise InvalidOption(f"{PREFIX}PAGE_TYPES", folder, f"a folder that can be read ({error})") from error
    for name, reason in examples.unreadable.first:
        logger.warning("example pages that are not read: %s: %s", name, reason)
    for target in settings.target_types:
        if target not in learned.names:
            types = f"addresses (http://...), or out of the page types {', '.join(learned.names)}"
            raise InvalidOption(f"{PREFIX}TARGETS", target, types)
    return learned
