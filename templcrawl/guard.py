"""No error of templcrawl reaches Scrapy: each method that Scrapy calls is a guarded door.

A *door* is a method that Scrapy calls.  If it fails, or anything that it calls, the error is logged and
counted (``templcrawl/errors/<type>``), and Scrapy gets the *neutral* answer, as if templcrawl were not there:
the response, request or item as it came, or the request that Scrapy's own queue gives.  Inside a door
:class:`LogErrors` is used only where one failure must not affect the others: for each output of a page, each
field of an item.

Exceptions that are meant for Scrapy pass.  So do the errors of templcrawl at the start, which name what a
setting or an installation lacks; their sentence is logged alone.  Handlers of signals need no guard: Scrapy
catches what they raise.

Cost: O(1) a call.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, NoReturn, ParamSpec, TypeVar, cast

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, DropItem, IgnoreRequest, NotConfigured
from scrapy.http import Response

from templcrawl.errors import TemplcrawlError, log_sentence_alone
from templcrawl.log import GuardedStats

logger = logging.getLogger(__name__)

Errors = tuple[type[Exception], ...]

_FOR_SCRAPY: Errors = (CloseSpider, DropItem, IgnoreRequest, NotConfigured)  # they instruct it

_P = ParamSpec("_P")
_R = TypeVar("_R")


def report_error(
    crawler: Crawler | None, error: BaseException, doing: str, *, is_known: bool = False
) -> None:
    """Count an error of ours; log it unless it is known."""
    if crawler is not None:
        GuardedStats(crawler).inc_value(f"templcrawl/errors/{type(error).__name__}")
    if not is_known:
        logger.error(
            "templcrawl failed while %(doing)s; the crawl goes on without it there",
            {"doing": doing},
            exc_info=error,
            extra={"spider": crawler.spider if crawler is not None else None},
        )


class LogErrors:
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
    """Report an error in a guarded method of a component; re-raise errors meant for Scrapy."""
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


def starting(method: Callable[_P, _R]) -> Callable[_P, _R]:
    """Guard a door that Scrapy calls before a crawl begins: where it fails, the crawl runs without it."""

    def run_without(*_: object, **__: object) -> NoReturn:
        raise NotConfigured

    return guarded(f"starting ({method.__qualname__})", run_without, passing=(TemplcrawlError,))(method)
