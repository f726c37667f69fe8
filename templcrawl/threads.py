"""Calls in a thread that do not block the event loop, with any reactor or none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.defer import maybe_deferred_to_future

_P = ParamSpec("_P")
_R = TypeVar("_R")


async def in_thread(function: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
    """Return what a function returns, or raise what it raises, without blocking the event loop."""
    if is_asyncio_available():
        return await asyncio.to_thread(function, *args, **kwargs)
    from twisted.internet.threads import deferToThread  # it installs a reactor

    return await maybe_deferred_to_future(deferToThread(function, *args, **kwargs))
