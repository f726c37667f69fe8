"""Claims on targets: no two crawls of a process write to one target at the same time.

In names of files ``%(name)s`` is the name of the spider, ``%(time)s`` when the crawl began, and ``%(...)s``
any attribute of the spider, as in ``FEEDS``.
"""

from __future__ import annotations

from datetime import datetime, timezone
from os.path import abspath
from pathlib import Path
from weakref import WeakKeyDictionary, WeakValueDictionary

from scrapy.crawler import Crawler

from templcrawl.errors import InvalidOption
from templcrawl.files import try_file
from templcrawl.scrapy_compat import spider_name

_owners: WeakValueDictionary[str, Crawler] = WeakValueDictionary()  # target -> the crawl that had it last
_times: WeakKeyDictionary[Crawler, str] = WeakKeyDictionary()  # crawl -> when it began


def filled_in(crawler: Crawler, setting: str, target: str) -> str:
    """Return a target with its names filled in; raises InvalidOption."""
    if "%(" not in target:
        return target
    now = datetime.now(timezone.utc).replace(microsecond=0, tzinfo=None)
    time = _times.setdefault(crawler, now.isoformat().replace(":", "-"))
    try:
        return target % _Names(crawler, time)
    except (AttributeError, MemoryError, OverflowError, TypeError, ValueError) as error:
        accepted = f"%(name)s, %(time)s or attributes of the spider ({error})"
        raise InvalidOption(setting, target, accepted) from None


def claim_target(crawler: Crawler, setting: str, target: str) -> str:
    """Return the target of a crawl, with its placeholders filled in; raises InvalidOption."""
    filled = filled_in(crawler, setting, target)
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
    def __init__(self, crawler: Crawler, time: str) -> None:
        super().__init__(name=spider_name(crawler), time=time)
        self._spider = crawler.spider

    def __missing__(self, name: str) -> object:
        return getattr(self._spider, name)
