"""The shape of extensions that get each page that templcrawl has observed."""

from __future__ import annotations

import logging
from typing import ClassVar, TypeVar

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response

from templcrawl.crawl.extension import TemplateMemory
from templcrawl.guard import starting
from templcrawl.memory.observation import Observation

logger = logging.getLogger(__name__)

L = TypeVar("L", bound="PageListener")


class PageListener:
    """Listens to the responses that reach the engine; gets their observations from :class:`TemplateMemory`.

    doing    what it does with a page, as errors are logged
    setting  its setting
    _memory  None until the spider opens, and where nothing is observed
    """

    doing: ClassVar[str]
    setting: ClassVar[str]

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._memory: TemplateMemory | None = None

    @classmethod
    @starting
    def from_crawler(cls: type[L], crawler: Crawler) -> L:
        """Attach to the crawl; raises what the constructor raises."""
        listener = cls(crawler)
        crawler.signals.connect(listener.open, signals.spider_opened)
        crawler.signals.connect(listener.listen, signals.response_received)
        crawler.signals.connect(listener.close, signals.spider_closed)
        return listener

    def open(self) -> None:
        """Begin; log an error if nothing is observed."""
        try:
            self._memory = TemplateMemory.of(self._crawler)
        except NotConfigured:
            logger.error(
                "%(setting)s is set, but nothing can be written: the extension %(extension)s is switched off",
                {
                    "setting": self.setting,
                    "extension": f"{TemplateMemory.__module__}.{TemplateMemory.__name__}",
                },
                extra={"spider": self._crawler.spider},
            )

    def listen(self, response: Response, request: Request) -> None:
        """Take in the page of a response, if it holds one."""
        memory = self._memory
        observation = memory.observation_of(response) if memory is not None else None
        if memory is not None and observation is not None:
            with memory.surviving(self.doing, response.url):
                self.add(memory, observation)

    def add(self, memory: TemplateMemory, observation: Observation) -> None:
        """Take in a page."""
        raise NotImplementedError

    def close(self) -> None:
        """End; the spider is closed."""
        raise NotImplementedError
