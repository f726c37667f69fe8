"""Tests that run coroutines of components by ``asyncio.run``, without a crawl and its reactor."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

ASKING = ("scrapy.utils.defer", "templcrawl.components.threads")


@pytest.fixture(autouse=True, scope="session")
def _with_asyncio() -> Iterator[None]:
    """Tell what asks that asyncio runs: before 2.15, Scrapy looks for an installed reactor alone."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ASKING:
            patch.setattr(f"{module}.is_asyncio_available", lambda: True)
        yield
