"""A part of a crawl: what is done with its pages beside separating them.

A part is one class in a file of :mod:`templcrawl.crawl.parts`, and one row of
:data:`templcrawl.crawl.options.PARTS`, which says what asks for it.  Nothing else names it.  Cost: a call a
page and part.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.utils.misc import load_object

from templcrawl.crawl.options import PARTS
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.crawl.waiting import OurQueues
from templcrawl.guard import starting
from templcrawl.log import CrawlLogger, GuardedStats
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.observation import Observation
from templcrawl.memory.site import SiteMemory

if TYPE_CHECKING:
    from templcrawl.crawl.job.job import Job


class Crawl(NamedTuple):
    """The objects of a crawl that a part may use.

    crawler   Scrapy's; its engine is there from ``open`` on
    settings  all settings, frozen
    memory    what the crawl has learned of its sites
    job       its JOBDIR, None without one.  What is written to ``job.file`` in ``page_observed`` is
              committed no later than its request is deleted.  An output elsewhere that a kill must not cost
              keeps the request in ``taken`` until it is safe, and names its file in ``file.unsynced``
    queues    our queues, in which requests wait
    """

    crawler: Crawler
    settings: TemplcrawlSettings
    memory: CrawlMemory
    job: Job | None
    queues: OurQueues


class CrawlPart:
    """A part of a crawl.  The methods do nothing unless a part has its own.

    The extension makes the parts in the order of the table, and calls each method of them in that order, on
    the event loop.  What a method raises is logged and counted, and the other parts do not notice; exceptions
    for Scrapy pass.  A part whose constructor fails is left out; an InvalidOption, InvalidSnapshot or
    MissingExtra from there stops the start of the crawl.  After a kill no method is called.

    doing        what it does with a page, as errors are logged
    reads_early  whether it is told of a page before other downloader middlewares are, too, and so twice
    crawler      Scrapy's; beside it the fields of :class:`Crawl` with an underscore, the stats and a logger
    """

    doing: ClassVar[str] = "counting"
    reads_early: ClassVar[bool] = False

    def __init__(self, crawl: Crawl) -> None:
        """Begin before the crawl has started."""
        self.crawler, self._settings, self._memory, self._job, self._queues = crawl
        self._stats, self._log = GuardedStats(self.crawler), CrawlLogger(type(self).__module__, self.crawler)

    def open(self) -> None:
        """Begin: the spider is open."""

    def page_observed(self, request: Request, response: Response, observation: Observation) -> None:
        """Process a page that the spider gets: before its callback, each time that it is read."""

    def site_evicted(self, site: SiteMemory) -> None:
        """Process a site that leaves the memory; its snapshot is written."""

    def idle(self) -> None:
        """Finish what is left when no request is in flight and none that waits may be sent.

        Raises CloseSpider to end the crawl for a reason.
        """

    def close(self, reason: str) -> None:
        """End: the spider is closed, for a reason as Scrapy names it."""


def parts_of(crawl: Crawl) -> list[CrawlPart]:
    """Return the parts that the settings of a crawl ask for; raises what their constructors raise."""
    parts = list[CrawlPart]()
    for is_asked_for, path in PARTS:
        if is_asked_for(crawl.settings, crawl.memory.options.sections):
            with suppress(NotConfigured):  # it has failed, and was logged
                parts.append(_part(path, crawl.crawler, crawl))
    return parts


@starting
def _part(path: str, crawler: Crawler, crawl: Crawl) -> CrawlPart:
    part: CrawlPart = load_object(path)(crawl)
    return part
