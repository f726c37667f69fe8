"""Tests that run coroutines by ``asyncio.run``, without a crawl and its reactor."""

from tests.crawl.conftest import _with_asyncio as _with_asyncio
