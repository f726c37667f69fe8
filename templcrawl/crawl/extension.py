"""The extension that owns the memory of a crawl: the only adapter with state.

Its parts come from :mod:`templcrawl.crawl.assembly`.  The middlewares and queues query it about pages
and links.  It saves changed sites (:mod:`templcrawl.crawl.checkpoints`), to ``<JOBDIR>/templcrawl/`` if
there is a JOBDIR, and logs a summary at the end.  An error of templcrawl is logged and counted; the crawl
continues.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakKeyDictionary

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response, TextResponse

from templcrawl.crawl.assembly import assemble, guard_of
from templcrawl.crawl.checkpoints import Checkpoints
from templcrawl.crawl.gc_threshold import GcThreshold
from templcrawl.crawl.link_order import mark_page
from templcrawl.guard import guarded, starting
from templcrawl.memory.observation import Observation
from templcrawl.outputs.answers import ANSWERS, MARKDOWN
from templcrawl.page.addresses import host_of
from templcrawl.page.markdown_sections import MarkdownSection
from templcrawl.page.page import Page

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

AnswerValue: TypeAlias = "str | float | list[MarkdownSection] | None"
"""What can go into a field of an item."""


class TemplateMemory:
    """The memory of a crawl, for the middlewares, queues and pipelines of that crawl.

    settings     all settings, frozen
    memory       what the crawl has learned of its sites
    link_order   moves requests by the evidence about their links
    stop_advice  which sites are spent
    surviving    (what is done, of what) -> a context that logs and counts an error of ours
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        parts = assemble(crawler)
        self.settings, self.memory = parts.settings, parts.memory
        self.link_order, self.stop_advice = parts.link_order, parts.stop_advice
        self.surviving = guard_of(crawler)
        self._parts = parts
        self._gc_threshold = GcThreshold()
        self._observations: WeakKeyDictionary[Request, Observation] = WeakKeyDictionary()

    @classmethod
    @starting
    def from_crawler(cls, crawler: Crawler) -> TemplateMemory:
        """Open the memory of a crawl; raises InvalidOption or InvalidSnapshot with what to do."""
        extension = cls(crawler)
        crawler.signals.connect(extension.open, signals.spider_opened)
        crawler.signals.connect(extension.stop_advice.end, signals.spider_idle)
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

    # used by the middlewares and queues

    def observe(self, request: Request, response: TextResponse) -> Observation:
        """Learn from a page, and store the observation for the items that will be made of it."""
        started = time.perf_counter()
        page = Page(response.text, response.url, self.settings.memory.limits)
        self._gc_threshold.add(len(page.text))
        observation = self.memory.observe(page, at=int(time.time()))
        self._observations[request] = observation
        mark_page(request, response.url, observation)
        self._parts.stats.log_evicted_sites(self.memory)
        self.stop_advice.count(observation, request)
        self._parts.traps.count(observation, lambda: self.stop_advice.waiting(request))
        if self._parts.checkpoints is not None:
            self._parts.checkpoints.count_page(page.host)
        self._parts.stats.count(observation, started)
        return observation

    def prefetch(self, request: Request) -> None:
        """Fetch the remote state of the site that a request is sent to, if it is the first."""
        if self._parts.checkpoints is not None and self.settings.store is not None:
            self._parts.checkpoints.prefetch(host_of(request.url))

    def observation_of(self, response: Response, request: Request | None = None) -> Observation | None:
        """Return the observation of the page that a response holds, None if it is no page.

        request  its request, if the response does not have it yet
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
        if answer != "article_text" or self._parts.extract is None:
            value: AnswerValue = getattr(observation, answer)
            return value
        text = ""
        with self.surviving("extracting the article of", observation.page.url):
            text = self._parts.extract(observation.separation)
        if not text.strip():
            self.stats.inc_value("templcrawl/articles/none_found")
            return observation.content_text
        return text

    @guarded("writing the Markdown of a page", lambda memory, observation, answer: None)
    def _markdown_answer(self, observation: Observation, answer: str) -> AnswerValue:
        value: AnswerValue = getattr(observation, answer)
        return value

    # writing

    def open(self) -> None:
        """Log the page reader, begin to write checkpoints, and collect garbage less often."""
        self._parts.stats.open()
        if self._parts.job is not None:
            self._parts.job.open()
        if self._parts.checkpoints is not None:
            self._parts.checkpoints.open(self.settings.checkpoint_seconds)
        self._gc_threshold.rise()

    def close(self) -> Awaitable[None] | None:
        """Write the last checkpoint, and log the summary.

        Where workers share a store there is something to await: the rest is pushed to it first.
        """
        checkpoints = self._parts.checkpoints
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
            if self._parts.folder is not None and self._parts.folder.evicted:
                self.stats.set_value("templcrawl/sites/swept", self._parts.folder.evicted)
            self.stop_advice.close()
            self._parts.stats.close(self.memory)
        finally:
            self._gc_threshold.restore()
            if self._parts.job is not None:
                self._parts.job.close()
