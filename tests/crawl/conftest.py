"""Tests that run coroutines of components by ``asyncio.run``, without a crawl and its reactor."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from scrapy.utils.test import get_reactor_settings

ASKING = ("scrapy.utils.asyncio", "scrapy.utils.defer", "templcrawl.threads")


@pytest.fixture(autouse=True, scope="session")
def _with_asyncio() -> Iterator[None]:
    """Tell what asks that asyncio runs, or needs no reactor: before 2.15, Scrapy looks for one."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ASKING:
            patch.setattr(f"{module}.is_asyncio_available", lambda: True)
        try:
            get_reactor_settings()
        except RuntimeError:
            patch.setattr("scrapy.utils.test.get_reactor_settings", lambda: {"TWISTED_REACTOR": None})
        yield
