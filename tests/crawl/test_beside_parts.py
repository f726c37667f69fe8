"""Parts of a project that are unusual: a crawl does what it does without templcrawl, and items are filled.

Run as a program,

    python -m tests.crawl.test_beside_parts

prints a JSON object: name of the part -> what its crawl did (see ``small_crawls.crawl``), the texts that its
items have, what templcrawl has said, and, page for page, how many observations were in memory more than
responses.
"""

from __future__ import annotations

import gc
import logging
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.statscollectors import MemoryStatsCollector

from templcrawl.memory.observation import Observation
from tests.crawl.crawls import ADDON, ONE_LINE
from tests.crawl.small_crawls import (
    PAGES,
    URLS,
    Answers,
    Follow,
    Recorder,
    crawl,
    in_new_process,
    in_this_process,
)


class Texts:
    """The project's pipeline: writes down the text of each item."""

    all: list[str] = []

    def process_item(self, item: Any) -> Any:
        self.all.append(ItemAdapter(item).asdict().get("content_text", "no field"))
        return item


class Said(logging.Handler):
    """Keeps what templcrawl says."""

    texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.startswith("templcrawl") and record.levelno >= logging.INFO:
            self.texts.append(record.getMessage())


class Words(MemoryStatsCollector):
    """A collector that takes whole numbers and text of others than Scrapy, and has what it was given."""

    def set_value(self, key: str, value: Any, spider: Any = None) -> None:
        if isinstance(value, (bool, float)) and key.startswith("templcrawl/"):
            raise TypeError(f"{key} is no whole number")
        super().set_value(key, value)

    def inc_value(self, key: str, count: int = 1, start: int = 0, spider: Any = None) -> None:
        if isinstance(count, float) and key.startswith("templcrawl/"):
            raise TypeError(f"{key} is no whole number")
        super().inc_value(key, count, start)

    def get_value(self, key: str, default: Any = None, spider: Any = None) -> Any:
        return self._stats[key] if key.startswith("templcrawl/") else super().get_value(key, default)


class Sealed(Answers):
    """Answers with text that is no HTML."""

    def process_request(self, request: Request) -> Response:
        page = super().process_request(request)
        return TextResponse(page.url, body=page.body[::-1], headers={"Content-Type": "text/plain"})


class Opening:
    """Makes the HTML of what has come, as another response of the same request."""

    def process_response(self, request: Request, response: Response) -> Response:
        return HtmlResponse(response.url, body=response.body[::-1], encoding="utf-8")


class OpeningAsText:
    """Makes the HTML, but calls it text."""

    def process_response(self, request: Request, response: Response) -> Response:
        return response.replace(body=response.body[::-1])


class Renaming:
    """Gives the response another request."""

    def process_response(self, request: Request, response: Response) -> Response:
        return response.replace(request=request.replace(meta={**request.meta, "renamed": True}))


@dataclass(init=False)
class Unset:
    url: str
    content_text: str


class WithItems(Follow):
    """Yields items of another class."""

    make: Callable[[], Any] = dict

    def parse(self, response: Any) -> Iterator[Any]:
        item = type(self).make()
        ItemAdapter(item)["url"] = response.url
        yield item
        yield from response.follow_all(xpath="//a")


class OfUnset(WithItems):
    make = Unset


class OfDefaults(WithItems):
    make = staticmethod(lambda: defaultdict(list))


class Keeping(Follow):
    """Keeps all requests whose pages have come."""

    kept: list[Request] = []
    surplus: list[int] = []

    def parse(self, response: Any) -> Iterator[Any]:
        self.kept.append(response.request)
        gc.collect()
        alive = Counter(map(type, gc.get_objects()))
        self.surplus.append(alive[Observation] - alive[HtmlResponse])
        yield from super().parse(response)


def between(answers: type, middleware: type) -> dict[str, Any]:
    return {"DOWNLOADER_MIDDLEWARES": {answers: 940, middleware: 543}}


PARTS: dict[str, tuple[dict[str, Any], type[Follow]]] = {
    "strict stats": ({"STATS_CLASS": Words}, Follow),
    "HTML made": (between(Sealed, Opening), WithItems),
    "text made": (between(Sealed, OpeningAsText), WithItems),
    "request replaced": (between(Answers, Renaming), WithItems),
    "unset attributes": ({}, OfUnset),
    "defaultdict": ({}, OfDefaults),
    "kept requests": ({"CONCURRENT_REQUESTS": 1}, Keeping),
}


MOST = 10_000
WITH: dict[str, dict[str, Any]] = {
    "without": {},
    "with": ADDON,
}


class Plain:
    """A plain generator alone."""

    def process_spider_output(self, response: Any, result: Any) -> Iterator[Any]:
        yield from result


class Both(Plain):
    """A plain generator, with the other form that Scrapy asks for."""

    async def process_spider_output_async(self, response: Any, result: Any) -> AsyncIterator[Any]:
        async for output in result:
            yield output


class Failing(Follow):
    """Fails at the end of each page."""

    def parse(self, response: Any) -> Iterator[Any]:
        yield from super().parse(response)
        raise ValueError("at the end of a page")


class Endless(Follow):
    """Yields items until it sees that some have passed the pipelines."""

    yielded = 0

    def parse(self, response: Any) -> Iterator[Any]:
        while not Recorder.urls and Endless.yielded < MOST:
            Endless.yielded += 1
            yield {"url": response.url}


async def beside_generators() -> dict[str, Any]:
    """Return middleware, way of templcrawl -> what a spider did that fails at the end of each page.

    yielded  how much an endless callback yielded until it saw its items
    """
    results = {}
    for middleware, (ours, more) in product((Plain, Both), WITH.items()):
        settings = {"SPIDER_MIDDLEWARES": {middleware: 500}, **more}
        Endless.yielded = 0
        await crawl(settings, Endless)
        done = await crawl(settings, Failing)
        results[f"{middleware.__name__}, {ours}"] = {**done, "yielded": Endless.yielded}
    return results


async def run_all() -> dict[str, Any]:
    """Return name of each part -> what its crawl did."""
    logging.getLogger().addHandler(Said())
    results = {}
    usual = {**ONE_LINE, "TEMPLCRAWL_ITEM_FIELDS": ["content_text"], "ITEM_PIPELINES": {Texts: 1}}
    for name, (settings, spider) in PARTS.items():
        Texts.all.clear()
        Said.texts.clear()
        done = await crawl({**usual, **settings}, spider)
        results[name] = {**done, "texts": [*Texts.all], "said": [*Said.texts], "surplus": [*Keeping.surplus]}
    assert len(Keeping.kept) == PAGES + 1
    return {"parts": results, "generators": await beside_generators()}


@pytest.fixture(scope="module")
def crawls() -> dict[str, dict[str, Any]]:
    done: dict[str, dict[str, Any]] = in_new_process("crawl.test_beside_parts")
    return done


@pytest.fixture(scope="module")
def parts(crawls: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return crawls["parts"]


def test_nothing_fails(parts: dict[str, dict[str, Any]]) -> None:
    for name, done in parts.items():
        assert (done["failure"], done["log"], done["warnings"]) == ("", [], []), name
        assert done["errors"] == {}, name
        assert len(done["texts"]) >= PAGES, name


@pytest.mark.parametrize("name", [name for name in PARTS if name != "text made"])
def test_all_items_have_their_texts(name: str, parts: dict[str, dict[str, Any]]) -> None:
    texts = parts[name]["texts"]
    assert all("word" in text for text in texts)
    assert len({*texts}) == PAGES
    assert not [text for text in parts[name]["said"] if "does not read" in text]


def test_where_nothing_can_be_read_one_line_says_why(parts: dict[str, dict[str, Any]]) -> None:
    done = parts["text made"]
    assert {*done["texts"]} == {"no field"}
    (said,) = [text for text in done["said"] if "does not read" in text]
    assert "because it is no HTML (TextResponse)" in said


def test_what_a_strict_collector_refuses_is_said_once_and_nothing_behind_it_is_lost(
    parts: dict[str, dict[str, Any]],
) -> None:
    said = parts["strict stats"]["said"]
    assert len([text for text in said if "Words refuses what templcrawl counts" in text]) == 1
    assert [text for text in said if "the page reader is" in text]
    assert [text for text in said if "13 items stripped" in text]
    assert parts["strict stats"]["pages"] == PAGES + 1


def test_pages_are_not_in_memory_while_their_requests_are_kept(parts: dict[str, dict[str, Any]]) -> None:
    surplus = parts["kept requests"]["surplus"]
    assert len(surplus) == PAGES + 1
    assert max(surplus) <= 0


def test_beside_a_middleware_that_is_a_plain_generator_a_crawl_is_what_it_is_without_templcrawl(
    crawls: dict[str, dict[str, Any]],
) -> None:
    """Scrapy refuses one without the other form from 2.16 on; before, it collects output for it."""
    crawls = crawls["generators"]
    assert len(crawls) == 4
    for name, done in crawls.items():
        alone = crawls[f"{name.split(',')[0]}, without"]
        for key in ("failure", "fetched", "items", "reason", "warnings"):
            assert done[key] == alone[key], (name, key)
        assert len(done["log"]) == len(alone["log"])
        assert done["yielded"] < MOST, name
    assert crawls["Both, without"]["items"] == sorted([*URLS, URLS[0]])


if __name__ == "__main__":
    in_this_process(run_all)
