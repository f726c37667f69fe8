"""What Scrapy builds once a crawl, beside the extension: components that have its parts at hand.

Beside them the targets that a crawl writes to: their names, and that no two crawls of a process have one at a
time.  In names of files ``%(name)s`` is the name of the spider, ``%(time)s`` when the crawl began, and
``%(...)s`` any attribute of the spider, as in Scrapy's ``FEEDS``.
"""

from __future__ import annotations

from collections.abc import Awaitable
from datetime import datetime, timezone
from os.path import abspath
from pathlib import Path
from typing import ClassVar, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response

from templcrawl.crawl.extension import TemplateMemory
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.errors import InvalidOption
from templcrawl.files import try_file
from templcrawl.guard import CrawlLogger, Surviving, starting
from templcrawl.memory.observation import Observation
from templcrawl.memory.site import SiteMemory

C = TypeVar("C", bound="Component")
L = TypeVar("L", bound="PageListener")

_owners: WeakValueDictionary[str, Crawler] = WeakValueDictionary()  # target -> the crawl that had it last
_times: WeakKeyDictionary[Crawler, str] = WeakKeyDictionary()  # crawl -> when it began


class Component:
    """A middleware or a pipeline.

    asked_by    the field of the settings that asks for it; "": none needs to
    _extension  the extension of the crawl, with its parts: _settings, _memory, _stats
    _log        a logger of the crawl
    """

    asked_by: ClassVar[str] = ""

    def __init__(self, extension: TemplateMemory) -> None:
        """Take the parts of the crawl; raises NotConfigured where nothing asks for it."""
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
    def from_crawler(cls: type[C], crawler: Crawler) -> C:
        """Attach to the crawl; raises NotConfigured without the extension, and as the constructor does."""
        return cls(TemplateMemory.of(crawler))


class PageListener:
    """An extension that gets each page that templcrawl has observed, as its response reaches the engine.

    Where nothing is observed, an error is logged as the spider opens, and nothing is called.

    doing       what it does with a page, as errors are logged
    setting     its setting
    _settings   all settings, frozen
    _extension  the extension of the crawl, once the spider opens
    _log        a logger of the crawl
    """

    doing: ClassVar[str]
    setting: ClassVar[str]
    _extension: TemplateMemory

    def __init__(self, crawler: Crawler) -> None:
        """Read the settings; raises NotConfigured if templcrawl is switched off."""
        self._crawler = crawler
        self._log = CrawlLogger(type(self).__module__, crawler)
        self._settings = TemplcrawlSettings.from_settings(crawler.settings)
        self._is_open = False
        if not self._settings.enabled:
            raise NotConfigured

    @classmethod
    @starting
    def from_crawler(cls: type[L], crawler: Crawler) -> L:
        """Attach to the crawl; raises what the constructor raises."""
        listener = cls(crawler)
        crawler.signals.connect(listener.begin, signals.spider_opened)
        crawler.signals.connect(listener.end, signals.spider_closed)
        return listener

    def begin(self) -> None:
        """Open, and get pages from now on."""
        try:
            self._extension = TemplateMemory.of(self._crawler)
        except NotConfigured:
            self._log.error(
                "%s is set, but nothing can be written: the extension "
                "templcrawl.crawl.extension.TemplateMemory is switched off",
                self.setting,
            )
            return
        self.open()
        self._is_open = True
        self._extension.memory.on_evicted.append(self._evict)
        # Only now: the extension, wherever it is placed, gets each response before.
        self._crawler.signals.connect(self.listen, signals.response_received)

    def listen(self, response: Response, request: Request) -> None:
        """Take in the page of a response, if it holds one."""
        observation = self._extension.observation_of(response)
        if observation is not None:
            with self._surviving(response.url):
                self.add(observation, request)

    def _evict(self, site: SiteMemory) -> None:
        with self._surviving(site.host):
            self.add_evicted(site)

    def end(self) -> Awaitable[None] | None:
        """Close, if it has begun."""
        return self.close() if self._is_open else None

    def open(self) -> None:
        """Begin; the spider is open."""

    def add(self, observation: Observation, request: Request) -> None:
        """Take in a page, and the request that it answers."""
        raise NotImplementedError

    def add_evicted(self, site: SiteMemory) -> None:
        """Take in a site that leaves the memory."""

    def close(self) -> Awaitable[None] | None:
        """End; the spider is closed."""
        raise NotImplementedError

    def _surviving(self, about: str) -> Surviving:
        return Surviving(self._crawler, f"{self.doing} {about}")


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
