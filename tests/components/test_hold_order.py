"""The order of held items where pages come while others are let go, without a crawl."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.components import hold
from templcrawl.components.hold import HoldingItemProcessor, HoldMiddleware
from templcrawl.memory.observation import Observation
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation

HELD = 3


class Site:
    """A crawl of one site as the middleware sees it: pages come, items go on, each after some steps."""

    def __init__(self, steps: dict[int, int], failing: int | None = None) -> None:
        self.gone: list[int] = []
        self._steps = steps
        self._failing = failing
        self._pages = 0
        self.items = 1
        memory = SimpleNamespace(
            settings=SimpleNamespace(hold=HELD, item_fields={"content_text": "text"}),
            memory=SimpleNamespace(
                pages_to_go_by=lambda host: self._pages, judge_again=lambda earlier: earlier
            ),
            stats=SimpleNamespace(inc_value=lambda stat: None),
            observation_of=lambda response: response.observation,
            surviving=lambda *about: nullcontext(),
        )
        crawler: Any = SimpleNamespace(
            settings={"ITEM_PROCESSOR": HoldingItemProcessor},
            engine=SimpleNamespace(scraper=SimpleNamespace(start_itemproc_async=self._go_on)),
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(hold.TemplateMemory, "of", lambda _: memory)
            self.middleware = HoldMiddleware(crawler)

    async def _go_on(self, item: dict[str, int], response: object) -> None:
        page = item["page"]
        if page == self._failing:
            self._failing = None
            raise RuntimeError("no engine")
        self.gone.append(page)
        for _ in range(self._steps.get(page, 0)):
            await asyncio.sleep(0)

    async def come(self, page: int) -> None:
        """Let a page with one item come, and hand the item on as Scrapy does."""
        known, self._pages = self._pages, self._pages + 1
        response: Any = SimpleNamespace(
            observation=Observation(Separation(Page("text", "https://a.example/"), ()), pages_to_go_by=known)
        )

        async def items() -> AsyncIterator[dict[str, int]]:
            for _ in range(self.items):
                yield {"page": page}

        async for item in self.middleware.process_spider_output(response, items()):
            await self._go_on(item, response)


async def crawl(site: Site, gaps: list[int]) -> list[BaseException]:
    """Let pages come, the next one so many steps after the last; return what failed."""
    tasks = []
    for page, gap in enumerate(gaps):
        tasks.append(asyncio.create_task(site.come(page)))
        for _ in range(gap + 1):
            await asyncio.sleep(0)
    found = await asyncio.gather(*tasks, return_exceptions=True)
    for _ in range(2):
        found += await asyncio.gather(site.middleware.release_all(), return_exceptions=True)
    return [one for one in found if isinstance(one, BaseException)]


GAPS = st.lists(st.integers(0, 4), min_size=1, max_size=20)
STEPS = st.dictionaries(st.integers(0, 19), st.integers(0, 9))


@given(GAPS, STEPS)
def test_items_go_on_in_the_order_of_their_pages(gaps: list[int], steps: dict[int, int]) -> None:
    site = Site(steps)
    assert not asyncio.run(crawl(site, gaps))
    assert site.gone == list(range(len(gaps)))


@given(GAPS, STEPS, st.integers(0, 5))
def test_a_failure_keeps_no_page_waiting_and_loses_that_item_alone(
    gaps: list[int], steps: dict[int, int], failing: int
) -> None:
    site = Site(steps, failing)
    failed = asyncio.run(crawl(site, gaps))
    assert len(failed) <= 1
    assert sorted(site.gone) == [page for page in range(len(gaps)) if not failed or page != failing]


@pytest.mark.parametrize(("characters", "waiting"), [(3 * 4, [1, 2, 3]), (2 * 4, []), (1_000, [1, 2, 3])])
def test_more_characters_than_can_wait_go_on(
    characters: int, waiting: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hold, "MAX_CHARACTERS", characters)
    site = Site({})
    site.items = 5  # of one page: its text counts once

    async def run() -> None:
        for page in (1, 2, 3):
            await site.come(page)

    asyncio.run(run())
    assert sorted({1, 2, 3} - set(site.gone)) == waiting
    asyncio.run(site.middleware.release_all())
    assert site.gone == [page for page in (1, 2, 3) for _ in range(site.items)]
    assert not site.middleware._characters
