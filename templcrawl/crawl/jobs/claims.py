"""What a crawl has to itself among the crawls of its process: its JOBDIR and the targets that it writes to.

A name is a crawl's from its start until its spider is closed.  A crawl whose start has failed has nothing:
what it had is undone when another crawl asks for it.

In names of files ``%(name)s`` is the name of the spider, ``%(time)s`` when the crawl began, and ``%(...)s``
any attribute of the spider, as in Scrapy's ``FEEDS``.  Two crawls that would write to one target at a time
are refused, and so is a crawl that would overwrite what another spider of the process has written.

Cost: O(crawls of the process that have not ended).
"""

from __future__ import annotations

from contextlib import ExitStack
from datetime import datetime, timezone
from os.path import abspath
from pathlib import Path
from weakref import WeakKeyDictionary

from scrapy import Spider, signals
from scrapy.crawler import Crawler

from templcrawl.errors import InvalidOption
from templcrawl.files import try_file
from templcrawl.memory.lru_dict import LruDict


class _Claims:
    """What a crawl has."""

    def __init__(self) -> None:
        self.names: dict[
            str, ExitStack
        ] = {}  # what is undone if its start fails must not refer to the crawler
        now = datetime.now(timezone.utc).replace(microsecond=0, tzinfo=None)
        self.time = now.isoformat().replace(":", "-")
        self.has_begun = False  # ``crawler.crawling`` is false as soon as a crawl is to stop


# Crawl of this process that has not ended -> what it has.
_claims: WeakKeyDictionary[Crawler, _Claims] = WeakKeyDictionary()

# What a crawl of this process has overwritten, or will -> its spider.
_overwritten: LruDict[str, str] = LruDict(10_000)


def claim(crawler: Crawler, name: str) -> ExitStack | None:
    """Take a name for a crawl; return what is undone if its start fails, None where another crawl has it."""
    for rival, claims in list(_claims.items()):
        if rival is not crawler and name in claims.names:
            if rival.crawling or claims.has_begun:
                return None
            claims.names.pop(name).close()
    return _claims_of(crawler).names.setdefault(name, ExitStack())


def _claims_of(crawler: Crawler) -> _Claims:
    if crawler not in _claims:
        _claims[crawler] = _Claims()
        crawler.signals.connect(_begin, signals.spider_opened)
        crawler.signals.connect(_end, signals.spider_closed)
    return _claims[crawler]


def _begin(sender: Crawler) -> None:
    if sender in _claims:
        _claims[sender].has_begun = True


def _end(sender: Crawler) -> None:
    _claims.pop(sender, None)


def claim_target(crawler: Crawler, setting: str, target: str, *, overwrites: bool) -> str:
    """Return where a crawl writes to, with its names filled in; raises InvalidOption.

    overwrites  whether what an earlier crawl has written there is lost
    """
    filled = target
    if "%(" in target:
        try:
            filled = target % _Names(crawler.spider, _claims_of(crawler).time)
        except (AttributeError, MemoryError, OverflowError, TypeError, ValueError) as error:
            accepted = f"%(name)s, %(time)s or attributes of the spider ({error})"
            raise InvalidOption(setting, target, accepted) from None
    name = filled if "://" in filled else abspath(filled)  # noqa: PTH100
    spider = crawler.spider.name if crawler.spider is not None else ""
    of_another = overwrites and _overwritten.get(name) not in (None, spider)
    if of_another or claim(crawler, name) is None:
        accepted = "a name of its own for each crawl: %(name)s is its spider's, %(time)s when it began"
        raise InvalidOption(setting, target, accepted)
    if overwrites:  # once it has begun; what is connected must not refer to the crawler
        crawler.signals.connect(
            lambda: _overwritten.__setitem__(name, spider), signals.spider_opened, weak=False
        )
    return filled


def claim_file(crawler: Crawler, setting: str, target: str) -> Path:
    """Return the file that a crawl writes anew; raises InvalidOption, also where it cannot be written."""
    path = Path(claim_target(crawler, setting, target, overwrites=True))
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
