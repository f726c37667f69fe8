"""No error of templcrawl reaches Scrapy: every entry point is guarded.

Scrapy enters templcrawl by the methods of its components.  Each of them is guarded here: where it fails, the
error is logged and counted (``templcrawl/errors/<type>``), and Scrapy gets the *neutral* answer, as if
templcrawl were not there: the response, request or item as it came, the request that Scrapy's own queue
gives.

Exceptions that are meant for Scrapy pass.  So do the errors of templcrawl at the start, which name what a
setting or an installation lacks.  Nobody awaits the crawl that ``scrapy crawl`` starts: asyncio and
Twisted log such an error with all frames that it has passed.  There its sentence is logged alone.  Handlers
of signals need no guard: Scrapy catches what they raise.

Cost: O(1) a call.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast

from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, DropItem, IgnoreRequest, NotConfigured
from scrapy.http import Response

from templcrawl.errors import InvalidOption, InvalidSnapshot, MissingExtra, TemplcrawlError

logger = logging.getLogger(__name__)

_FOR_SCRAPY = (CloseSpider, DropItem, IgnoreRequest, NotConfigured)
"""Exceptions by which a component instructs Scrapy."""

_LOGGING_UNAWAITED = ("asyncio", "twisted")
_SENTENCES = (InvalidOption, InvalidSnapshot, MissingExtra)
"""Errors whose text says what to do."""

_P = ParamSpec("_P")
_R = TypeVar("_R")


class HasCrawler(Protocol):
    """A component of a crawl."""

    @property
    def crawler(self) -> Crawler | None:
        """The crawl that it belongs to."""


_S = TypeVar("_S", bound=HasCrawler)


def started(get: Callable[[], _R]) -> _R | None:
    """Return a part of a crawl, None before it has started (Scrapy gives None or raises RuntimeError)."""
    try:
        return get()
    except RuntimeError:
        return None


def report_error(crawler: Crawler | None, error: Exception, doing: str) -> None:
    """Log and count an error of ours."""
    stats = started(lambda: crawler.stats) if crawler is not None else None
    if stats is not None:
        stats.inc_value(f"templcrawl/errors/{type(error).__name__}")
    logger.error(
        "templcrawl failed while %(doing)s; the crawl goes on without it there",
        {"doing": doing},
        exc_info=error,
        extra={"spider": crawler.spider if crawler is not None else None},
    )


def _log_sentence_alone(error: Exception) -> None:
    """Have the sentence of an error that stops the start logged alone, without the frames that it passes."""
    if isinstance(error, _SENTENCES):
        for name in _LOGGING_UNAWAITED:
            logging.getLogger(name).addFilter(_sentence_alone)


def _sentence_alone(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, _SENTENCES):
        record.name, record.msg, record.args = "templcrawl", "%s", (error,)
        record.exc_info = record.exc_text = None
    return True


class Surviving:
    """Logs, counts and suppresses an error of templcrawl in the body."""

    __slots__ = ("_crawler", "_doing")

    def __init__(self, crawler: Crawler | None, doing: str) -> None:
        self._crawler = crawler
        self._doing = doing

    def __enter__(self) -> None:
        """Begin the body."""

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> bool:
        if not isinstance(error, Exception) or isinstance(error, _FOR_SCRAPY):
            return False
        report_error(self._crawler, error, self._doing)
        return True


def guarded(
    doing: str, neutral: Callable[..., Any], *, passing: tuple[type[Exception], ...] = ()
) -> Callable[[Callable[Concatenate[_S, _P], _R]], Callable[Concatenate[_S, _P], _R]]:
    """Guard a method, or a method that is a coroutine.

    doing    what the method does, as errors are logged
    neutral  (the arguments of the method) -> the answer if it fails
    passing  further exceptions that are not errors of templcrawl
    """
    not_ours: tuple[type[Exception], ...] = (*_FOR_SCRAPY, *passing)

    def guard(method: Callable[Concatenate[_S, _P], _R]) -> Callable[Concatenate[_S, _P], _R]:
        @wraps(method)
        def call(component: _S, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
            try:
                return method(component, *args, **kwargs)
            except not_ours as error:
                _log_sentence_alone(error)
                raise
            except Exception as error:
                report_error(component.crawler, error, doing)
                return cast("_R", neutral(component, *args, **kwargs))

        @wraps(method)
        async def await_it(component: _S, /, *args: _P.args, **kwargs: _P.kwargs) -> Any:
            try:
                return await cast("Awaitable[Any]", method(component, *args, **kwargs))
            except not_ours as error:
                _log_sentence_alone(error)
                raise
            except Exception as error:
                report_error(component.crawler, error, doing)
                answer = neutral(component, *args, **kwargs)
                return await answer if isinstance(answer, Awaitable) else answer

        return cast("Callable[Concatenate[_S, _P], _R]", await_it if iscoroutinefunction(method) else call)

    return guard


def starting(method: Callable[_P, _R]) -> Callable[_P, _R]:
    """Guard what is called before a crawl begins: where it fails, the crawl runs without the component.

    An error of templcrawl, whose text says what to do, stops the start without a traceback of templcrawl.
    """

    @wraps(method)
    def start(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return method(*args, **kwargs)
        except TemplcrawlError as error:
            _log_sentence_alone(error)
            raise error.with_traceback(None) from None
        except _FOR_SCRAPY:
            raise
        except Exception as error:
            crawler = next((argument for argument in args if isinstance(argument, Crawler)), None)
            report_error(crawler, error, f"starting ({method.__qualname__})")
            raise NotConfigured from error

    return start


def each_output(doing: str) -> Callable[[Callable[[_S, Response], Callable[[Any], None] | None]], Any]:
    """Make a guarded ``process_spider_output``, which passes all on, of a method that begins a response.

    The method returns what is called with each output, None where nothing is.
    """

    def guard(begin: Callable[[_S, Response], Callable[[Any], None] | None]) -> Any:
        @wraps(begin)
        async def process_spider_output(
            self: _S, response: Response, result: AsyncIterator[Any]
        ) -> AsyncIterator[Any]:
            take, guarding = None, Surviving(self.crawler, doing)
            with guarding:
                take = begin(self, response)
            async for output in result:
                if take is not None:
                    with guarding:
                        take(output)
                yield output

        return process_spider_output

    return guard


class _Source:
    """Passes the output of a spider on, and knows whether an error is that spider's."""

    def __init__(self, outputs: AsyncIterator[Any]) -> None:
        self._outputs = outputs
        self.has_failed = False

    def __aiter__(self) -> _Source:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self._outputs.__anext__()
        except StopAsyncIteration:
            raise
        except BaseException:
            self.has_failed = True
            raise


def passing_on(
    doing: str,
) -> Callable[
    [Callable[[_S, Any, AsyncIterator[Any]], AsyncIterator[Any]]],
    Callable[[_S, Any, AsyncIterator[Any]], AsyncIterator[Any]],
]:
    """Guard a ``process_spider_output``: where it fails, what the spider still gives passes as it is."""

    def guard(
        method: Callable[[_S, Any, AsyncIterator[Any]], AsyncIterator[Any]],
    ) -> Callable[[_S, Any, AsyncIterator[Any]], AsyncIterator[Any]]:
        @wraps(method)
        async def process_spider_output(
            self: _S, response: Any, result: AsyncIterator[Any]
        ) -> AsyncIterator[Any]:
            source = _Source(result)
            try:
                async for output in method(self, response, cast("AsyncIterator[Any]", source)):
                    yield output
            except Exception as error:
                if source.has_failed:
                    raise
                report_error(self.crawler, error, doing)
                async for output in source:
                    yield output

        return process_spider_output

    return guard
