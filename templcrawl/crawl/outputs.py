"""What a crawl writes beside its feeds: by parts that get each page, to targets that it has to itself.

No two crawls of a process have a target at a time.  In names of files ``%(name)s`` is the name of the spider,
``%(time)s`` when the crawl began, and ``%(...)s`` any attribute of the spider, as in Scrapy's ``FEEDS``.
"""

from __future__ import annotations

from collections.abc import Awaitable
from datetime import datetime, timezone
from os.path import abspath
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from scrapy import Request, Spider
from scrapy.crawler import Crawler

from templcrawl.crawl.job import Job
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.errors import InvalidOption
from templcrawl.files import try_file
from templcrawl.guard import CrawlLogger, GuardedStats, Surviving, starting
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.observation import Observation
from templcrawl.memory.site import SiteMemory

if TYPE_CHECKING:
    from typing_extensions import Self

_owners: WeakValueDictionary[str, Crawler] = WeakValueDictionary()  # target -> the crawl that had it last
_times: WeakKeyDictionary[Crawler, str] = WeakKeyDictionary()  # crawl -> when it began


class PageListener:
    """A part of a crawl that gets each page that was observed.

    doing      what it does with a page, as errors are logged
    setting    its setting
    _settings  all settings, frozen; and the memory, the stats, the job, a logger of the crawl
    """

    doing: ClassVar[str]
    setting: ClassVar[str]

    def __init__(
        self, crawler: Crawler, settings: TemplcrawlSettings, memory: CrawlMemory, job: Job | None
    ) -> None:
        """Begin before the crawl has started; raises InvalidOption, InvalidSnapshot, MissingExtra."""
        self.crawler, self._settings, self._memory, self._job = crawler, settings, memory, job
        self._stats, self._log = GuardedStats(crawler), CrawlLogger(type(self).__module__, crawler)
        memory.on_evicted.append(self._evict)

    @classmethod
    @starting
    def from_crawler(
        cls, crawler: Crawler, settings: TemplcrawlSettings, memory: CrawlMemory, job: Job | None
    ) -> Self:
        """Return the part; raises what the constructor raises, NotConfigured where that fails."""
        return cls(crawler, settings, memory, job)

    def open(self) -> None:
        """Begin; the spider is open."""

    def take(self, observation: Observation, request: Request) -> None:
        """Take in a page, and the request that it answers."""
        with self._surviving(observation.page.url):
            self.add(observation, request)

    def _evict(self, site: SiteMemory) -> None:
        with self._surviving(site.host):
            self.add_evicted(site)

    def add(self, observation: Observation, request: Request) -> None:
        """Take in a page; what it raises is logged."""
        raise NotImplementedError

    def add_evicted(self, site: SiteMemory) -> None:
        """Take in a site that leaves the memory; what it raises is logged."""

    def close(self) -> Awaitable[None] | None:
        """End; the spider is closed."""
        raise NotImplementedError

    def _surviving(self, about: str) -> Surviving:
        return Surviving(self.crawler, f"{self.doing} {about}")


def claim_target(crawler: Crawler, setting: str, target: str) -> str:
    """Return where a crawl writes to, with its names filled in; raises InvalidOption."""
    filled = target
    if "%(" in target:
        now = datetime.now(timezone.utc).replace(microsecond=0, tzinfo=None)
        time = _times.setdefault(crawler, now.isoformat().replace(":", "-"))
        try:
            filled = target % _Names(crawler.spider, time)
        except (AttributeError, MemoryError, OverflowError, TypeError, ValueError) as error:
            accepted = f"%(name)s, %(time)s or attributes of the spider ({error})"
            raise InvalidOption(setting, target, accepted) from None
    name = filled if "://" in filled else abspath(filled)  # noqa: PTH100
    owner = _owners.get(name)
    if owner is not None and owner is not crawler and owner.crawling:
        accepted = "a name of its own for each crawl: %(name)s is its spider's, %(time)s when it began"
        raise InvalidOption(setting, target, accepted)
    _owners[name] = crawler
    return filled


def claim_file(crawler: Crawler, setting: str, target: str) -> Path:
    """Return the file that a crawl writes anew; raises InvalidOption, also where it cannot be written."""
    path = Path(claim_target(crawler, setting, target))
    try:
        try_file(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidOption(setting, str(path), f"a file that can be written ({reason})") from error
    return path


class _Names(dict[str, object]):
    def __init__(self, spider: Spider | None, time: str) -> None:
        super().__init__(name=spider.name if spider is not None else "", time=time)
        self._spider = spider

    def __missing__(self, name: str) -> object:
        return getattr(self._spider, name)
