"""The extension that owns what a crawl learns: the one place with state among the adapters.

It opens the crawl's memory (from ``<JOBDIR>/templcrawl/`` if there is a JOBDIR), lets the middlewares
and queues ask it, has changed sites written (:mod:`templcrawl.components.checkpoints`), and logs a summary
at the end.  An error of ours is logged and counted; the user's crawl goes on.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakKeyDictionary, finalize

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response, TextResponse
from scrapy.utils.job import job_dir

from templcrawl.algorithms.page_types.classification import Classifier
from templcrawl.algorithms.page_types.structural_classifier import StructuralClassifier
from templcrawl.components.answers import ANSWERS, MARKDOWN
from templcrawl.components.checkpoints import BackgroundStore, Checkpoints
from templcrawl.components.crawl_stats import CrawlStats
from templcrawl.components.link_order import LinkOrder, mark_page
from templcrawl.components.relevance import Topic
from templcrawl.components.settings import PREFIX, TemplcrawlSettings
from templcrawl.components.slow_start import SlowStart
from templcrawl.errors import InvalidOption, InvalidSnapshot
from templcrawl.extractors import extractor
from templcrawl.guard import guarded, started, starting, surviving
from templcrawl.jobs.jobs import Job
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.observation import Observation
from templcrawl.memory.store import FolderStore
from templcrawl.page import kernel
from templcrawl.page.addresses import host_of
from templcrawl.page.markdown import Section
from templcrawl.page.page import Page
from templcrawl.readers.folder import ExampleReader
from templcrawl.workers.exchange import Exchange
from templcrawl.workers.redis_store import RedisStore
from templcrawl.workers.shared_sites import SharedSites, worker_name

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

logger = logging.getLogger(__name__)

_FOLDER = "templcrawl"

AnswerValue: TypeAlias = "str | float | list[Section] | None"
"""What can go into a field of an item."""


def _classifier(folder: str) -> Classifier:
    """Learn page types from a folder of examples; raises InvalidOption."""
    try:
        examples = ExampleReader(folder)
        learned = StructuralClassifier.train(examples)
    except InvalidOption as error:
        raise InvalidOption(f"{PREFIX}PAGE_TYPES", folder, error.accepted) from error
    except OSError as error:
        raise InvalidOption(f"{PREFIX}PAGE_TYPES", folder, f"a folder that can be read ({error})") from error
    for name, reason in examples.unreadable.first:
        logger.warning("example pages that are not read: %s: %s", name, reason)
    return learned


def _files(owner: object, job: str | None, is_shared: bool) -> FolderStore | None:
    """Return the folder of a crawl: in its JOBDIR, or a temporary one if it only shares what it learns."""
    if job is not None:
        return FolderStore(Path(job, _FOLDER))
    if not is_shared:
        return None
    folder = mkdtemp(prefix="templcrawl-")
    finalize(owner, rmtree, folder, ignore_errors=True)
    return FolderStore(folder)


class TemplateMemory:
    """The memory of a crawl, for the middlewares, queues and pipelines of that crawl.

    settings    all settings, frozen
    memory      what the crawl has learned of its sites
    link_order  moves requests by the evidence about their links
    slow_start  which slots start slowly
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        settings = TemplcrawlSettings.from_settings(crawler.settings)
        if not settings.enabled:
            raise NotConfigured
        self.settings = settings
        kernel.is_native()
        folder = job_dir(crawler.settings)
        self._job = Job(crawler, folder) if folder else None
        self._files = _files(self, folder, is_shared=self.settings.store is not None)
        shared = self._shared_sites()
        store = BackgroundStore(shared or self._files) if self._files is not None else None
        wanted = self.settings.relevance
        self.memory = CrawlMemory(
            self.settings.memory,
            store=store,
            on_unreadable=self._report_unreadable,
            classifier=_classifier(self.settings.page_types) if self.settings.page_types else None,
            topic=Topic(wanted, self.surviving) if wanted is not None else None,
        )
        exchange = Exchange(self.memory, shared, self.stats) if shared is not None else None
        self._checkpoints = (
            Checkpoints(self.memory, store, self.stats, self.surviving, exchange) if store else None
        )
        self._crawl_stats = CrawlStats(crawler, self.settings)
        self.link_order = LinkOrder(crawler, self.settings, self.memory)
        self.slow_start = SlowStart(self.settings.slow_start_pages)
        self._extract = extractor(self.settings.extractor) if self.settings.extractor else None
        self._observations: WeakKeyDictionary[Request, Observation] = WeakKeyDictionary()

    def _shared_sites(self) -> SharedSites | None:
        """Return the store that is shared with other workers, None if none is; raises InvalidOption."""
        chosen = self.settings
        if chosen.store is None or self._files is None:
            return None
        worker = worker_name(self._files.folder)
        try:
            redis = RedisStore(chosen.store, worker)
        except InvalidOption as error:
            raise InvalidOption(f"{PREFIX}STORE", chosen.store, error.accepted) from error
        return SharedSites(self._files, redis, chosen.memory)

    @classmethod
    @starting
    def from_crawler(cls, crawler: Crawler) -> TemplateMemory:
        """Open the memory of a crawl; raises InvalidOption or InvalidSnapshot with what to do."""
        extension = cls(crawler)
        crawler.signals.connect(extension.open, signals.spider_opened)
        crawler.signals.connect(extension.close, signals.spider_closed)
        return extension

    @staticmethod
    def of(crawler: Crawler) -> TemplateMemory:
        """Return the extension of a crawl; raises NotConfigured if it is not running."""
        extension = crawler.get_extension(TemplateMemory)
        if extension is None:
            raise NotConfigured("templcrawl's extension is not enabled")
        return extension

    @property
    def stats(self) -> StatsCollector:
        """The crawl's stats."""
        assert self.crawler.stats is not None
        return self.crawler.stats

    @property
    def orders_links(self) -> bool:
        """Whether any link may wait."""
        return self.settings.order != "off"

    def surviving(self, doing: str, url: str) -> AbstractContextManager[None, bool | None]:
        """Return a context that logs and counts an error of ours, so that the crawl goes on."""
        return surviving(self.crawler, f"{doing} {url}")

    # used by the middlewares and queues

    def observe(self, request: Request, response: TextResponse) -> Observation:
        """Learn from a page, and store the observation for the items that will be made of it."""
        started = time.perf_counter()
        page = Page(response.text, response.url, self.settings.memory.limits)
        observation = self.memory.observe(page, at=int(time.time()))
        self._observations[request] = observation
        mark_page(request, response.url, observation)
        self._crawl_stats.count(observation)
        self._crawl_stats.log_forgotten_sites(self.memory)
        if self._checkpoints is not None:
            self._checkpoints.count_page(page.host)
        seconds = time.perf_counter() - started
        self.stats.set_value("templcrawl/seconds", self.stats.get_value("templcrawl/seconds", 0.0) + seconds)
        return observation

    def prefetch(self, request: Request) -> None:
        """Fetch the remote state of the site that a request is sent to, if it is the first."""
        if self._checkpoints is not None and self.settings.store is not None:
            self._checkpoints.prefetch(host_of(request.url))

    def finish(self, request: Request, observation: Observation | None) -> None:
        """Count a request as done for the slow start, and the page that it has brought, if any."""
        engine = started(lambda: self.crawler.engine) if self.slow_start.pages else None
        if engine is not None:
            host = observation.page.host if observation is not None else None
            largest = self.memory.largest_template(host) if host is not None else None
            self.slow_start.finish(engine.downloader.get_slot_key(request), request, largest)

    def observation_of(self, response: Response, request: Request | None = None) -> Observation | None:
        """Return the observation of the page that a response holds, None if it is no page.

        request  what brought it, where the response does not say so yet
        """
        request = request or response.request
        return self._observations.get(request) if request else None

    def answer(self, observation: Observation, answer: str) -> AnswerValue:
        """Return an answer about a page: one of ``ANSWERS``.

        Where the extractor fails or finds nothing, the article is all of the content; where the library of
        Markdown fails, there is none.
        """
        if ANSWERS[answer].needs == MARKDOWN:
            return self._markdown_answer(observation, answer)
        if answer != "article_text" or self._extract is None:
            value: AnswerValue = getattr(observation, answer)
            return value
        text = ""
        with self.surviving("extracting the article of", observation.page.url):
            text = self._extract(observation.separation)
        if not text.strip():
            self.stats.inc_value("templcrawl/articles/none_found")
            return observation.content_text
        return text

    @guarded("writing the Markdown of a page", lambda memory, observation, answer: None)
    def _markdown_answer(self, observation: Observation, answer: str) -> AnswerValue:
        value: AnswerValue = getattr(observation, answer)
        return value

    # writing

    def _report_unreadable(self, error: InvalidSnapshot) -> None:
        self.stats.inc_value("templcrawl/unreadable_sites")
        logger.error("%s; its site is learned anew", error, extra={"spider": self.crawler.spider})

    def open(self) -> None:
        """Log the page reader, and begin to write checkpoints."""
        self._crawl_stats.open()
        if self._job is not None:
            self._job.open()
        if self._checkpoints is not None:
            self._checkpoints.open(self.settings.checkpoint_seconds)

    def close(self) -> Awaitable[None] | None:
        """Write the last checkpoint, and log the summary.

        Where workers share a store there is something to await: the rest is pushed to it first.
        """
        checkpoints = self._checkpoints
        if checkpoints is not None and checkpoints.is_shared:
            return self._close_shared(checkpoints)
        with self._ending():
            if checkpoints is not None:
                checkpoints.close()
        return None

    async def _close_shared(self, checkpoints: Checkpoints) -> None:
        with self._ending():
            checkpoints.close()
            await checkpoints.close_exchange()

    @contextmanager
    def _ending(self) -> Iterator[None]:
        """Log the summary behind the body, and release the JOBDIR whatever fails."""
        try:
            yield
            if self._files is not None and self._files.evicted:
                self.stats.set_value("templcrawl/sites/swept", self._files.evicted)
            self._crawl_stats.close(self.memory)
        finally:
            if self._job is not None:
                self._job.close()
