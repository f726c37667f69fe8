"""The extension, the heart of a crawl: it builds the memory, the order and the parts from the settings.

What only some settings need is imported where they ask for it.  What depends on what::

    settings -> job, file -> store -> background store -> memory -> checkpoints
                                                                 -> link order
                                                                 -> parts (:mod:`templcrawl.crawl.parts`)

A page enters by :meth:`CrawlExtension.receive`: it is read, then each part is told of it.  The middlewares
and queues query the extension about pages and links.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.job import job_dir
from scrapy.utils.misc import load_object

from templcrawl.crawl.gc_threshold import GcThreshold
from templcrawl.crawl.mark import mark_page
from templcrawl.crawl.options import JUDGES, ORDERS
from templcrawl.crawl.orders import LinkOrder, Order
from templcrawl.crawl.part import Crawl, CrawlPart, parts_of
from templcrawl.crawl.response_page import OBSERVATIONS, ItemPages, page_and_key, why_unread
from templcrawl.crawl.setting_values import PREFIX
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.crawl.waiting import OurQueues
from templcrawl.errors import InvalidOption, InvalidSnapshot
from templcrawl.guard import LogErrors, starting
from templcrawl.log import CrawlLogger, GuardedStats
from templcrawl.memory.crawl_memory import CrawlMemory, MemoryListener
from templcrawl.memory.observation import Observation
from templcrawl.memory.site import SiteMemory
from templcrawl.outputs.answers import ANSWERS
from templcrawl.page import kernel
from templcrawl.scrapy_compat import spider_name

if TYPE_CHECKING:
    from typing_extensions import Self

    from templcrawl.crawl.job.checkpoints import BackgroundStore, Checkpoints
    from templcrawl.crawl.job.job import Job
    from templcrawl.outputs.extractors import Extractor
    from templcrawl.state_file import StateFile

logger = logging.getLogger(__name__)

_ORDER_PACKAGE = "templcrawl.crawl.orders"


class CrawlExtension(MemoryListener):
    """The extension: what a crawl consists of, for its middlewares, queues and pipelines.

    settings     all settings, frozen
    stats        the crawl's
    job          its JOBDIR, if it has one
    memory       what the crawl has learned of its sites
    checkpoints  writes the memory to the file, if there is one
    file         the SQLite file of the sites, or None
    order        which requests are fetched first
    link_order   asks ``order``, and survives its errors
    queues       our queues, in which requests wait
    item_pages   tells the page that an item was made of
    parts        are told of each page
    """

    def __init__(self, crawler: Crawler) -> None:
        """Build the parts; raises NotConfigured, InvalidOption, InvalidSnapshot, MissingExtra."""
        self.crawler = crawler
        self.settings = settings = TemplcrawlSettings.from_settings(crawler.settings)
        if not settings.enabled:
            raise NotConfigured
        self.stats, self._log = GuardedStats(crawler), CrawlLogger(__name__, crawler)
        kernel.is_native()
        self._limits = settings.memory.limits
        self.job = _job(crawler)
        self.file = _state_file(crawler, settings, self.job)
        began, job_began = _began(self.job)
        self._store: BackgroundStore | None = None
        order_class: type[Order] = load_object(f"{_ORDER_PACKAGE}.{ORDERS[settings.order].path}")
        sections = {**settings.memory.sections, **order_class.sections(crawler, settings, began)}
        options = replace(
            settings.memory, sections=sections, job_began=job_began, spider=spider_name(crawler)
        )
        if self.file is not None:
            from templcrawl.crawl.job.checkpoints import BackgroundStore

            self._store = BackgroundStore(self.file)
        self.memory = memory = CrawlMemory(
            options,
            store=self._store,
            listener=self,
            judges={
                name: load_object(path)(crawler, settings)
                for name, (asked_by, path) in JUDGES.items()
                if getattr(settings, asked_by)
            },
        )
        self.checkpoints: Checkpoints | None = None
        if self._store is not None:
            from templcrawl.crawl.job.checkpoints import Checkpoints

            self.checkpoints = Checkpoints(crawler, memory, self._store)
        self.queues = OurQueues(crawler)
        self.order = order_class(crawler, settings, memory, self.queues)
        self.order.open(is_resumed=bool(self.job and self.job.is_resumed))
        self.link_order = LinkOrder(crawler, memory, self.order, self.queues)
        self._extract = _extractor(settings)
        self._gc_threshold = GcThreshold()
        self.item_pages = ItemPages()
        self.parts = parts_of(Crawl(crawler, settings, memory, self.job, self.queues))
        self._early_parts = [part for part in self.parts if part.reads_early]

    @classmethod
    @starting
    def from_crawler(cls, crawler: Crawler) -> CrawlExtension:
        """Open the memory of a crawl; raises InvalidOption or InvalidSnapshot with what to do."""
        extension = cls(crawler)
        connect = crawler.signals.connect
        connect(extension.open, signals.spider_opened)
        connect(extension.receive, signals.response_received)
        connect(extension.idle, signals.spider_idle)
        connect(extension.close, signals.spider_closed)
        connect(extension.order.finish, signals.spider_closed)
        if extension.job is not None:  # behind all that writes items at the close
            connect(extension.job.close, signals.engine_stopped)
        return extension

    @staticmethod
    def running_in(crawler: Crawler) -> CrawlExtension:
        """Return the extension of a crawl; raises NotConfigured if it is not running."""
        extension = crawler.get_extension(CrawlExtension)
        if extension is None:
            raise NotConfigured("templcrawl's extension is not enabled")
        return extension

    # when a page arrives

    def receive(self, response: Response, request: Request) -> None:
        """Read a response as the spider gets it, and tell each part of a page."""
        observation = self._read_for(self.parts, request, response)
        with LogErrors(self.crawler, f"noting {response.url}"):
            self.order.page_observed(request, response, observation)

    def receive_early(self, response: Response, request: Request) -> None:
        """Read a page before other middlewares get it, and tell the parts that ask for that."""
        if self._early_parts:
            self._read_for(self._early_parts, request, response)

    def _read_for(
        self, parts: Iterable[CrawlPart], request: Request, response: Response
    ) -> Observation | None:
        with LogErrors(self.crawler, f"reading {response.url}"):
            self.observe_once(request, response)
        observation = self.observation_of(response)
        if observation is not None:
            for part in parts:
                with LogErrors(self.crawler, f"{part.doing} {response.url}"):
                    part.page_observed(request, response, observation)
        return observation

    def observe_once(self, request: Request, response: Response) -> Observation | None:
        """Return the observation of a page, made now if there is none; None of what is no page."""
        observation = self.observation_of(response)
        if observation is not None or request.callback is NO_CALLBACK or why_unread(response):
            return observation
        return self.observe(request, cast("HtmlResponse", response))

    def observe(self, request: Request, response: TextResponse) -> Observation:
        """Learn from a page, and store the observation for the items that will be made of it."""
        started = time.perf_counter()
        page, key = page_and_key(request, response, self._limits, self.crawler.request_fingerprinter)
        self._gc_threshold.count_page(len(page.text))
        observation = self.memory.observe(page, at=int(time.time()), key=key)
        OBSERVATIONS[response] = observation
        mark_page(request, response.url, observation)
        self.stats.inc_value("templcrawl/seconds", time.perf_counter() - started)
        return observation

    def observation_of(self, response: Response) -> Observation | None:
        """Return the observation of the page that a response holds, None if it was not read."""
        return OBSERVATIONS.get(response)

    def answer(self, observation: Observation, answer: str) -> Any:
        """Return an answer about a page, one of ``ANSWERS``; None if a library cannot write it.

        Without an article, and where its extractor fails, the text of the content is the article.
        """
        url = observation.page.url
        if answer == "article_text" and self._extract is not None:
            with LogErrors(self.crawler, f"extracting the article of {url}"):
                text = self._extract(observation.separation)
                if text.strip():
                    return text
            self.stats.inc_value("templcrawl/articles/none_found")
            return observation.content_text
        if ANSWERS[answer].load:
            with LogErrors(self.crawler, f"writing {answer} of {url}"):
                return getattr(observation, answer)
            return None
        return getattr(observation, answer)

    # from the start to the end

    def open(self) -> None:
        """Begin to write checkpoints, and collect garbage less often."""
        if self.job is not None:
            self.job.open()
        if self.checkpoints is not None:
            self.checkpoints.open()
        for part in self.parts:
            with LogErrors(self.crawler, f"opening {type(part).__name__}"):
                part.open()
        self._gc_threshold.rise(is_run=self.crawler.crawling)

    def idle(self) -> None:
        """Ask the parts whether the crawl may end; raises CloseSpider to end it for a reason."""
        for part in self.parts:
            with LogErrors(self.crawler, f"ending {type(part).__name__}"):
                part.idle()

    def close(self, reason: str = "") -> None:
        """Write the last checkpoint, and end the parts.

        reason  why the crawl ends
        """
        with LogErrors(self.crawler, "ending the order"):
            self.order.close(reason)
        try:
            if self.checkpoints is not None:
                self.checkpoints.close()
            if self._store is not None and self._store.evicted:
                self.stats.set_value("templcrawl/sites/swept", self._store.evicted)
        finally:
            for part in self.parts:
                with LogErrors(self.crawler, f"closing {type(part).__name__}"):
                    part.close(reason)
            self._gc_threshold.restore()
            if self.file is not None and (self.job is None or self.file is not self.job.file):
                self.file.close()
            if self.job is not None and not self.job.is_open:  # the start has failed: no engine will stop
                self.job.close()

    # what the memory tells

    def site_evicted(self, site: SiteMemory) -> None:
        """Tell the parts of a site that has left the memory, and write it soon."""
        if self.checkpoints is not None:
            self.checkpoints.begin_slices()
        for part in self.parts:
            with LogErrors(self.crawler, f"{part.doing} {site.host}"):
                part.site_evicted(site)

    def site_unreadable(self, error: InvalidSnapshot) -> None:
        """Count and log a site that cannot be read back."""
        self.stats.inc_value("templcrawl/unreadable_sites")
        message = "%s; its site is learned anew (logged once for each reason)"
        self._log.once(logging.ERROR, error.reason, message, error)


class Component:
    """A middleware or a pipeline.

    asked_by    the field of the settings that asks for it; "": none needs to
    _extension  the extension of the crawl, with its parts: _settings, _memory, _stats
    _log        a logger of the crawl
    """

    asked_by: ClassVar[str] = ""

    def __init__(self, extension: CrawlExtension) -> None:
        """Store what it needs of the crawl; raises NotConfigured where no setting asks for it."""
        if self.asked_by and not getattr(extension.settings, self.asked_by):
            raise NotConfigured
        self.crawler = extension.crawler
        self._extension = extension
        self._settings = extension.settings
        self._memory = extension.memory
        self._stats = extension.stats
        self._log = CrawlLogger(type(self).__module__, extension.crawler)

    @classmethod
    @starting
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Attach to the crawl; raises NotConfigured without the extension, and as the constructor does."""
        return cls(CrawlExtension.running_in(crawler))


def _began(job: Job | None) -> tuple[float, int | None]:
    """Return (when a crawl began, in seconds since 1970; that again if it resumes a job, else None)."""
    earliest = max(0, job.began) if job is not None else 0
    if job is not None and job.is_resumed:
        return earliest, earliest
    return max(time.time(), earliest), None


def _job(crawler: Crawler) -> Job | None:
    folder = job_dir(crawler.settings)
    if folder is None:
        return None
    from templcrawl.crawl.job.job import Job

    return Job(crawler, folder)


def _state_file(crawler: Crawler, settings: TemplcrawlSettings, job: Job | None) -> StateFile | None:
    """Return the file that stores what is learned of sites; None if that is only in memory."""
    if settings.store is None:
        return job.file if job is not None else None
    from templcrawl.crawl.claims import filled_in
    from templcrawl.crawl.job.store_file import StoreFile

    path = Path(filled_in(crawler, f"{PREFIX}STORE", settings.store))
    if job is not None and path.resolve() == job.file.path.resolve():
        raise InvalidOption(f"{PREFIX}STORE", settings.store, "another file than that of the JOBDIR")
    return StoreFile(crawler, path)


def _extractor(settings: TemplcrawlSettings) -> Extractor | None:
    if settings.extractor is None:
        return None
    from templcrawl.outputs.extractors import extractor

    return extractor(settings.extractor)
