"""Where a crawl writes to: names as feeds have them, each for a single crawl of a process.

``%(name)s`` is the name of the spider, ``%(time)s`` when the crawl began, and ``%(...)s`` any attribute of
the spider, as in Scrapy's ``FEEDS``.  Two crawls of a process that would write to one target at a time are
refused, and so is a crawl that would overwrite what another spider of the process has written.
"""

from __future__ import annotations

from datetime import datetime, timezone
from os.path import abspath
from weakref import WeakKeyDictionary

from scrapy import signals
from scrapy.crawler import Crawler

from templcrawl.errors import InvalidOption

_open: WeakKeyDictionary[Crawler, set[str]] = WeakKeyDictionary()
"""Crawl of this process that runs -> what it writes to."""

_overwritten: dict[str, str] = {}
"""What a crawl of this process has overwritten, or will -> its spider."""


def claim_target(crawler: Crawler, setting: str, target: str, *, overwrites: bool) -> str:
    """Return where a crawl writes to, with its names filled in; raises InvalidOption.

    overwrites  whether what an earlier crawl has written there is lost
    """
    filled = _fill(crawler, setting, target)
    name = filled if "://" in filled else abspath(filled)  # noqa: PTH100
    spider = crawler.spider.name if crawler.spider is not None else ""
    is_taken = any(name in names for other, names in _open.items() if other is not crawler)
    if is_taken or (overwrites and _overwritten.get(name, spider) != spider):
        accepted = "a name of its own for each crawl: %(name)s is its spider's, %(time)s when it began"
        raise InvalidOption(setting, target, accepted)
    if overwrites:
        _overwritten[name] = spider
    if crawler not in _open:
        _open[crawler] = set()
        crawler.signals.connect(lambda: _open.pop(crawler, None), signals.spider_closed, weak=False)
    _open[crawler].add(name)
    return filled


def _fill(crawler: Crawler, setting: str, target: str) -> str:
    if "%(" not in target:
        return target
    spider = crawler.spider
    names = {
        **(vars(spider) if spider is not None else {}),
        "name": spider.name if spider is not None else "",
        "time": datetime.now(timezone.utc).replace(microsecond=0, tzinfo=None).isoformat().replace(":", "-"),
    }
    try:
        return target % names
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidOption(
            setting, target, f"%(name)s, %(time)s or attributes of the spider ({error})"
        ) from None
