"""No error of templcrawl reaches Scrapy: each method that Scrapy calls is a guarded door.

Where a door fails, or anything behind it, the error is logged and counted (``templcrawl/errors/<type>``), and
Scrapy gets the *neutral* answer, as if templcrawl were not there: the response, request or item as it came,
the request that Scrapy's own queue gives.  Behind a door :class:`Surviving` stands only where one failure
must not lose the others: each output of a page, each field of an item.

Exceptions that are meant for Scrapy pass.  So do the errors of templcrawl at the start, which name what a
setting or an installation lacks; their sentence is logged alone.  Handlers of signals need no guard: Scrapy
catches what they raise.

Beside that: what of Scrapy each reactor has in its own way (:func:`in_thread`).

Cost: O(1) a call.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    Sequence,
    Set,
)
from contextlib import suppress
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, NoReturn, ParamSpec, TypeVar, cast
from weakref import WeakSet

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, DropItem, IgnoreRequest, NotConfigured
from scrapy.http import Response
from scrapy.statscollectors import StatsCollector
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.defer import maybe_deferred_to_future

from templcrawl.errors import TemplcrawlError, log_sentence_alone

logger = logging.getLogger(__name__)

Errors = tuple[type[Exception], ...]

_FOR_SCRAPY: Errors = (CloseSpider, DropItem, IgnoreRequest, NotConfigured)  # they instruct it
_MOST_SAID = 10_000  # about what

# Crawls whose stats collector has refused a value.
_refusing: WeakSet[Crawler] = WeakSet()

_P = ParamSpec("_P")
_R = TypeVar("_R")


def started(get: Callable[[], _R]) -> _R | None:
    """Return a part of a crawl, None before it has started (Scrapy gives None or raises RuntimeError)."""
    try:
        return get()
    except RuntimeError:
        return None


async def in_thread(function: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
    """Return what a function returns, or raise what it raises, without blocking the event loop."""
    if is_asyncio_available():
        return await asyncio.to_thread(function, *args, **kwargs)
    from twisted.internet.threads import deferToThread  # it installs a reactor

    return await maybe_deferred_to_future(deferToThread(function, *args, **kwargs))


def in_progress(crawler: Crawler) -> Set[Request]:
    """Return the requests that the engine of a crawl has begun and not ended."""
    engine = started(lambda: crawler.engine)
    slot = engine._slot if engine is not None else None  # there is no public way to ask
    return slot.inprogress if slot is not None else frozenset()


class CrawlLogger(logging.LoggerAdapter[logging.Logger]):
    """The logger of a module for one crawl: each record names the spider, as those of Scrapy do."""

    def __init__(self, name: str, crawler: Crawler) -> None:
        super().__init__(logging.getLogger(name))
        self._crawler = crawler
        self._said: set[object] = set()

    def once(self, level: int, about: object, message: str, *arguments: object) -> None:
        """Log a message, unless one about the same was logged before; the latest are known."""
        if about not in self._said:
            if len(self._said) >= _MOST_SAID:
                self._said.clear()
            self._said.add(about)
            self.log(level, message, *arguments)

    def process(self, message: str, keywords: MutableMapping[str, Any]) -> Any:
        """Add the spider to what a record has."""
        keywords["extra"] = {"spider": self._crawler.spider, **keywords.get("extra", {})}
        return message, keywords


def report_error(
    crawler: Crawler | None, error: BaseException, doing: str, *, is_known: bool = False
) -> None:
    """Count an error of ours, and log it unless that is known."""
    if crawler is not None:
        GuardedStats(crawler).inc_value(f"templcrawl/errors/{type(error).__name__}")
    if not is_known:
        logger.error(
            "templcrawl failed while %(doing)s; the crawl goes on without it there",
            {"doing": doing},
            exc_info=error,
            extra={"spider": crawler.spider if crawler is not None else None},
        )


class GuardedStats:
    """The stats of a crawl, for all that templcrawl counts.

    A value that the project's own collector refuses is not counted; this is logged once a crawl.  Before the
    crawl has stats nothing is counted.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._collector = started(lambda: crawler.stats)
        methods = type(self._collector)
        # These cost more than the dictionary that they change.
        self._is_scrapys = isinstance(self._collector, StatsCollector) and all(
            getattr(methods, name) is getattr(StatsCollector, name) for name in ("inc_value", "get_stats")
        )

    def inc_value(self, name: str, count: float = 1) -> None:
        """Add to a number."""
        self._ask("inc_value", name, count)

    def inc_values(self, counts: Mapping[str, float]) -> None:
        """Add to several numbers."""
        if self._is_scrapys:
            values = self._ask("get_stats")
            for name, count in counts.items():
                values[name] = values.get(name, 0) + count
        else:
            for name, count in counts.items():
                self.inc_value(name, count)

    def set_value(self, name: str, value: object) -> None:
        """Set a value."""
        self._ask("set_value", name, value)

    def get_value(self, name: str, default: Any = None) -> Any:
        """Return a value, a default where there is none; where that is a number, so is what is returned."""
        value = self._ask("get_value", name, default)
        is_fit = isinstance(value, (int, float)) if isinstance(default, int) else value is not None
        return value if is_fit else default

    def get_stats(self) -> dict[str, Any]:
        """Return all values by name."""
        stats = self._ask("get_stats")
        return {str(name): value for name, value in stats.items()} if isinstance(stats, dict) else {}

    def _ask(self, method: str, *arguments: object) -> Any:
        if self._collector is None:
            return None
        try:
            return getattr(self._collector, method)(*arguments)
        except Exception as error:
            if self._crawler not in _refusing:
                _refusing.add(self._crawler)
                CrawlLogger(__name__, self._crawler).info(
                    "%s refuses what templcrawl counts: %s%r raised %r (logged once)",
                    type(self._collector).__qualname__,
                    method,
                    arguments,
                    error,
                )
        return None


class Surviving:
    """Logs, counts and suppresses an error of ours in the body."""

    __slots__ = ("_crawler", "_doing")

    def __init__(self, crawler: Crawler | None, doing: str) -> None:
        self._crawler = crawler
        self._doing = doing

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> bool:
        if not isinstance(error, Exception) or isinstance(error, _FOR_SCRAPY):
            return False
        with suppress(Exception):
            report_error(self._crawler, error, self._doing)
        return True


def _report_or_raise(error: Exception, passing: Errors, arguments: Sequence[Any], doing: str) -> None:
    """Report an error of a door, which knows its crawl, and maybe the address; raise one that is to pass."""
    if isinstance(error, passing):
        if isinstance(error, TemplcrawlError):  # its text says all
            log_sentence_alone()
            error.__cause__ = error.__traceback__ = None
            error.__suppress_context__ = True
        raise error
    with suppress(Exception):
        component, *others = arguments
        crawlers = (given for given in others if isinstance(given, Crawler))
        urls = [given.url for given in others if isinstance(given, (Request, Response))]
        crawler = next(crawlers, None) or getattr(component, "crawler", None)
        report_error(crawler, error, " ".join((doing, *urls[-1:])))


def guarded(
    doing: str, neutral: Callable[..., Any] = lambda *_, **__: None, *, passing: Errors = ()
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Guard a door, a method or a coroutine.

    doing    what the method does, as errors are logged
    neutral  (the arguments of the method) -> the answer if it fails
    passing  further exceptions that pass
    """
    passing = _FOR_SCRAPY + passing

    def guard(method: Callable[_P, _R]) -> Callable[_P, _R]:
        @wraps(method)
        def call(*arguments: Any, **names: Any) -> Any:
            try:
                return method(*arguments, **names)
            except Exception as error:
                _report_or_raise(error, passing, (*arguments, *names.values()), doing)
            return neutral(*arguments, **names)

        @wraps(method)
        async def await_it(*arguments: Any, **names: Any) -> Any:
            try:
                return await cast("Awaitable[Any]", method(*arguments, **names))
            except Exception as error:
                _report_or_raise(error, passing, (*arguments, *names.values()), doing)
            answer = neutral(*arguments, **names)
            return await answer if isinstance(answer, Awaitable) else answer

        return cast("Callable[_P, _R]", await_it if iscoroutinefunction(method) else call)

    return guard


class PassingOn:
    """A spider middleware that looks at each output, and passes it on in the form in which it comes.

    From 2.16 on, Scrapy asks for the asynchronous form alone.  Before, it asks for the plain form behind a
    plain callback; for a plain middleware it collects all output of a page that comes in the other form.
    """

    def look_at(self, output: Any, response: Response) -> None:
        """Look at an output of the page; must be guarded."""
        raise NotImplementedError

    def end_of(self, response: Response) -> None:
        """Note that all output of the page was passed on; must be guarded."""

    def process_spider_output(self, response: Response, result: Iterable[Any]) -> Iterator[Any]:
        """Pass on what a plain callback gives."""
        for output in result:
            self.look_at(output, response)
            yield output
        self.end_of(response)

    async def process_spider_output_async(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Pass on what any callback gives."""
        async for output in result:
            self.look_at(output, response)
            yield output
        self.end_of(response)


def starting(method: Callable[_P, _R]) -> Callable[_P, _R]:
    """Guard a door that Scrapy calls before a crawl begins: where it fails, the crawl runs without it."""

    def run_without(*_: object, **__: object) -> NoReturn:
        raise NotConfigured

    return guarded(f"starting ({method.__qualname__})", run_without, passing=(TemplcrawlError,))(method)
