"""An error of ours never harms the crawl, wherever it is raised."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response
from scrapy.utils.test import get_crawler

from templcrawl.crawl.extension import TemplateMemory
from templcrawl.guard import PassingOn, guarded, report_error, started
from tests.crawl.beside_generators import MOST
from tests.crawl.sabotaged_crawls import WAYS
from tests.crawl.small_crawls import URLS, in_new_process
from tests.parts import exhaustive_but

FAILING = {
    "usual": "crawl.waiting_requests.RequestRows.push",
    "in memory": "crawl.slot_order.SlotOrder.take",
    "focused": "crawl.hold.HoldMiddleware.process_spider_output",
    "focused job": "crawl.slot_order.BestSlots.update",
    "written": "crawl.crawl_archive.CrawlArchive.add",
    "own scheduler": "crawl.downloader_middlewares.RequeueMiddleware.process_request",
}
"""Way -> one of the functions that fail there."""

SAMPLE = ("usual", 6)


@pytest.mark.parametrize(("way", "every"), exhaustive_but([SAMPLE], [SAMPLE, *((way, 1) for way in WAYS)]))
def test_whatever_function_fails_the_crawl_is_whole(way: str, every: int, tmp_path: Path) -> None:
    if way == "written":
        pytest.importorskip("pyarrow")
        pytest.importorskip("jinja2")
    crawls = in_new_process("crawl.sabotaged_crawls", str(tmp_path), way, str(every))
    whole = crawls.pop("")
    assert whole["fetched"] == whole["items"] == sorted([*URLS, URLS[0]])
    assert (whole["reason"], whole["errors"], whole["log"]) == ("finished", {}, [])
    assert every > 1 or f"templcrawl.{FAILING[way]}" in crawls
    for name, crawl in crawls.items():
        for key in ("failure", "reason", "fetched", "items"):
            assert crawl[key] == whole[key], name
        assert any("sabotage" in text for text in crawl["log"]), name


def test_beside_a_middleware_that_is_a_plain_generator_a_crawl_is_what_it_is_without_templcrawl() -> None:
    """Scrapy refuses one without the other form from 2.16 on; before, it collects output for it."""
    crawls = in_new_process("crawl.beside_generators")
    assert len(crawls) == 6
    for name, crawl in crawls.items():
        alone = crawls[f"{name.split(',')[0]}, without"]
        for key in ("failure", "fetched", "items", "reason", "warnings"):
            assert crawl[key] == alone[key], (name, key)
        assert len(crawl["log"]) == len(alone["log"])
        assert crawl["yielded"] < MOST, name
    assert crawls["Both, without"]["items"] == sorted([*URLS, URLS[0]])


@pytest.mark.parametrize("is_plain", [False, True])
def test_output_passes_in_the_form_in_which_it_comes_and_one_by_one(*, is_plain: bool) -> None:
    class Looking(PassingOn):
        def look_at(self, output: list[str], response: Response) -> None:
            output.append("seen")

    made: list[list[str]] = []

    def outputs() -> Iterator[list[str]]:
        while True:
            made.append([])
            yield made[-1]

    async def asynchronous() -> AsyncIterator[list[str]]:
        for output in outputs():
            yield output

    async def first() -> list[str]:
        async for output in Looking().process_spider_output_async(Response(URLS[0]), asynchronous()):
            return output
        return []

    passed = (
        next(Looking().process_spider_output(Response(URLS[0]), outputs()))
        if is_plain
        else asyncio.run(first())
    )
    assert passed is made[0]
    assert made == [["seen"]]


class Middleware:
    """Fails at the second output."""

    @guarded("passing on")
    async def process_spider_output(
        self, response: Response, result: AsyncIterator[int]
    ) -> AsyncIterator[int]:
        async for output in result:
            yield 10 * output
            if output == 2:
                raise ArithmeticError("ours")


@pytest.mark.parametrize("is_spiders", [False, True])
def test_what_the_spider_still_gives_passes_and_so_does_its_error(
    caplog: pytest.LogCaptureFixture, *, is_spiders: bool
) -> None:
    async def outputs() -> AsyncIterator[int]:
        for number in (1, 2, 3, 4):
            yield number
            if is_spiders:
                raise LookupError("the spider's")

    async def passed() -> list[int]:
        given = Middleware().process_spider_output(response=Response(URLS[0]), result=outputs())
        return [output async for output in given]

    if is_spiders:
        with pytest.raises(LookupError):
            asyncio.run(passed())
        assert "templcrawl" not in caplog.text
    else:
        assert asyncio.run(passed()) == [10, 20, 3, 4]
        assert f"templcrawl failed while passing on {URLS[0]}" in caplog.text


def test_an_error_before_the_crawl_has_started_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    report_error(Crawler(Spider, {}), ValueError("early"), "starting")
    assert "templcrawl failed while starting" in caplog.text
    assert started(lambda: Crawler(Spider, {}).engine) is None


def test_a_page_without_an_engine_is_learned_from() -> None:
    crawler = get_crawler(Spider)
    memory = TemplateMemory.from_crawler(crawler)
    request = Request(URLS[0])
    response = HtmlResponse(request.url, body=b"<p>words", request=request)
    memory.observe(request, response)
    assert memory.memory.page_count("small.example") == 1


def test_sites_that_are_forgotten_are_said_once(caplog: pytest.LogCaptureFixture) -> None:
    memory = TemplateMemory.from_crawler(get_crawler(Spider, {"TEMPLCRAWL_MAX_SITES": 2}))
    with caplog.at_level("INFO"):
        for number in range(5):
            assert caplog.text.count("is evicted (logged once") == (number > 2)
            request = Request(f"http://h{number}.example/")
            memory.observe(request, HtmlResponse(request.url, body=b"<p>words", request=request))
