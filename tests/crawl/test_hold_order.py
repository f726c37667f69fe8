"""Held items where pages come while others are let go: their order and their number, without a crawl."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from functools import wraps
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from templcrawl.crawl import hold
from templcrawl.crawl.extension import TemplateMemory
from templcrawl.crawl.hold import HoldingItemProcessor, HoldMiddleware
from templcrawl.errors import InvalidOption
from templcrawl.memory.observation import Observation
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation

HELD = 3


class Site:
    """A crawl as the middleware sees it: pages come, items go on, each after some steps."""

    def __init__(self, steps: dict[int, int], failing: int | None = None, **settings: int) -> None:
        self.gone: list[int] = []
        self.kept: list[int] = []  # pages that are kept in the job
        self._steps = steps
        self._failing = failing
        self._pages = Counter[str]()
        self.items = 1
        self.dropped: set[int] = set()
        self.judged: list[int] = []
        self.pipeline = asyncio.Event()
        self.pipeline.set()
        crawler: Any = SimpleNamespace(
            settings=Settings({"ITEM_PROCESSOR": HoldingItemProcessor, **settings}),
            engine=SimpleNamespace(scraper=SimpleNamespace(start_itemproc_async=self._go_on)),
            signals=SimpleNamespace(connect=lambda handler, signal: None),
        )
        extension: Any = SimpleNamespace(
            crawler=crawler,
            job=SimpleNamespace(taken=SimpleNamespace(keep=self._keep, release=self.kept.remove)),
            settings=SimpleNamespace(hold=HELD, item_fields={"content_text": "text"}),
            memory=SimpleNamespace(page_count=lambda host: self._pages[host], reclassify=self._judge),
            stats=SimpleNamespace(inc_value=lambda stat: None),
            observation_of=lambda response: response.observation,
        )
        self.middleware = HoldMiddleware(extension)

    async def _go_on(self, item: dict[str, int], response: object) -> None:
        page = item["page"]
        if page == self._failing:
            self._failing = None
            raise RuntimeError("no engine")
        await self.pipeline.wait()
        self.gone.append(page)
        if page not in self.dropped:
            self.middleware.count_scraped()
        for _ in range(self._steps.get(page, 0)):
            await asyncio.sleep(0)

    def _keep(self, page: int) -> int:
        self.kept.append(page)
        return page

    @property
    def waiting(self) -> int:
        """Items that wait."""
        return sum(map(len, self.middleware.held.values()))

    def _judge(self, earlier: Observation) -> Observation:
        self.judged.append(earlier.pages_known)
        return earlier

    async def come(self, page: int, host: str = "a.example", *, counts: bool = True) -> None:
        """Let a page with one item come, and hand the item on as Scrapy does."""
        known = self._pages[host]
        self._pages[host] += counts
        separation = Separation(Page("text", f"https://{host}/"), ())
        response: Any = SimpleNamespace(observation=Observation(separation, pages_known=known), request=page)

        async def items() -> AsyncIterator[dict[str, int]]:
            for _ in range(self.items):
                yield {"page": page}

        async for item in self.middleware.process_spider_output(response, items()):
            await self._go_on(item, response)


def in_loop(test: Callable[..., Any]) -> Callable[..., None]:
    """Run a test that is a coroutine."""

    @wraps(test)
    def run(*given: Any, **named: Any) -> None:
        asyncio.run(test(*given, **named))

    return run


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


@given(GAPS, STEPS, st.none() | st.integers(0, 5))
def test_items_go_on_in_the_order_of_their_pages_and_a_failure_loses_that_item_alone(
    gaps: list[int], steps: dict[int, int], failing: int | None
) -> None:
    site = Site(steps, failing)
    failed = asyncio.run(crawl(site, gaps))
    assert len(failed) <= (failing is not None)
    pages = [page for page in range(len(gaps)) if page != failing]
    assert (site.gone if failing is None else sorted(site.gone)) == pages
    assert site.kept == []


@pytest.mark.parametrize(("characters", "waiting"), [(3 * 4, [1, 2, 3]), (2 * 4, []), (1_000, [1, 2, 3])])
@in_loop
async def test_more_characters_than_can_wait_go_on(
    characters: int, waiting: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hold, "MAX_CHARACTERS", characters)
    site = Site({})
    site.items = 5  # of one page: its text counts once

    for page in (1, 2, 3):
        await site.come(page)
    assert sorted({1, 2, 3} - set(site.gone)) == waiting
    await site.middleware.release_all()
    assert site.gone == [page for page in (1, 2, 3) for _ in range(site.items)]


async def steps() -> None:
    """Let the tasks that can go on do so."""
    for _ in range(50):
        await asyncio.sleep(0)


@in_loop
async def test_one_item_more_than_may_wait_makes_the_oldest_site_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hold, "MAX_ITEMS", 4)
    site = Site({})
    site.items = 2
    await site.come(0, "a.example")
    await site.come(1, "b.example")
    assert (site.waiting, site.gone) == (4, [])
    site.items = 1
    await site.come(2, "b.example")
    assert (site.waiting, site.gone) == (3, [0, 0])


@in_loop
async def test_while_the_oldest_site_goes_on_another_one_goes_on_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hold, "MAX_ITEMS", 4)
    site = Site({})
    site.items = 3
    await site.come(0, "a.example")
    site.pipeline.clear()
    tasks = []
    for page in range(1, 4):
        tasks.append(asyncio.create_task(site.come(page, f"{page}.example")))
        await steps()
    assert len(site.middleware._releasing) > 1
    site.pipeline.set()
    await asyncio.gather(*tasks)
    assert site.waiting <= 4
    await site.middleware.release_all()
    assert sorted(site.gone) == [0] * 3 + [1] * 3 + [2] * 3 + [3] * 3


@in_loop
async def test_where_all_sites_go_on_pages_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hold, "MAX_ITEMS", 4)
    site = Site({})
    site.items = 10
    site.pipeline.clear()
    tasks = [asyncio.create_task(site.come(page, f"{page % 2}.example")) for page in range(6)]
    await steps()
    assert not any(task.done() for task in tasks)
    assert 4 < site.waiting <= 4 + len(tasks)
    site.pipeline.set()
    await asyncio.gather(*tasks)
    await site.middleware.release_all()
    assert Counter(site.gone) == dict.fromkeys(range(6), 10)


@in_loop
async def test_what_may_be_the_last_items_that_are_wanted_goes_on() -> None:
    site = Site({}, CLOSESPIDER_ITEMCOUNT=4)
    site.dropped = {0, 2}
    for page, waiting in enumerate([1, 2, 3, 3, 2, 0, 0]):
        await site.come(page, f"{page}.example")
        # the first is dropped, the second is taken, the third is dropped, all others are taken
        assert site.waiting == waiting, page
    assert site.gone == list(range(7))


@pytest.mark.parametrize("name", ["CLOSESPIDER_PAGECOUNT_NO_ITEM", "CLOSESPIDER_TIMEOUT_NO_ITEM"])
def test_a_crawl_that_ends_without_items_holds_none(name: str) -> None:
    with pytest.raises(InvalidOption, match=f"TEMPLCRAWL_HOLD = 3 is not accepted: give 0 with {name}"):
        Site({}, **{name: 5})


@pytest.mark.parametrize("counts", [True, False])
@in_loop
async def test_the_first_pages_alone_wait_and_are_judged_again(counts: bool) -> None:
    site = Site({})
    for page in range(HELD):
        await site.come(page)
    assert site.gone == []
    await site.come(HELD, counts=counts)  # one that does not count, as a copy, ends the waiting too
    assert site.gone == list(range(HELD + 1))
    await site.come(HELD + 1)
    assert site.gone == list(range(HELD + 2))
    assert site.judged == list(range(HELD))


@in_loop
async def test_items_that_go_on_count_among_those_that_are_wanted() -> None:
    site = Site({}, CLOSESPIDER_ITEMCOUNT=5)
    for page in range(HELD):
        await site.come(page)
    site.pipeline.clear()
    tasks = [asyncio.create_task(site.come(HELD))]
    await steps()
    tasks.append(asyncio.create_task(site.come(HELD + 1, "b.example")))
    await steps()
    assert site.middleware._releasing == {"a.example", "b.example"}
    site.pipeline.set()
    await asyncio.gather(*tasks)
    assert site.waiting == 0


def test_nothing_waits_where_no_field_is_filled() -> None:
    settings = {
        "EXTENSIONS": {"templcrawl.crawl.extension.TemplateMemory": 0},
        "ITEM_PROCESSOR": HoldingItemProcessor,
        "TEMPLCRAWL_HOLD": 5,
    }
    filled = {**settings, "TEMPLCRAWL_ITEM_FIELDS": ["content_text"]}
    HoldMiddleware(TemplateMemory(get_crawler(settings_dict=filled)))
    with pytest.raises(NotConfigured):
        HoldMiddleware(TemplateMemory(get_crawler(settings_dict=settings)))
