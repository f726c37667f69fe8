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
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.statscollectors import MemoryStatsCollector

from templcrawl.memory.observation import Observation
from tests.crawl.crawls import ONE_LINE
from tests.crawl.small_crawls import PAGES, Answers, Follow, crawl, in_new_process, in_this_process


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
    return results


@pytest.fixture(scope="module")
def crawls() -> dict[str, dict[str, Any]]:
    done: dict[str, dict[str, Any]] = in_new_process("crawl.test_beside_parts")
    return done


def test_nothing_fails(crawls: dict[str, dict[str, Any]]) -> None:
    for name, done in crawls.items():
        assert (done["failure"], done["log"], done["warnings"]) == ("", [], []), name
        assert done["errors"] == {}, name
        assert len(done["texts"]) >= PAGES, name


@pytest.mark.parametrize("name", [name for name in PARTS if name != "text made"])
def test_all_items_have_their_texts(name: str, crawls: dict[str, dict[str, Any]]) -> None:
    texts = crawls[name]["texts"]
    assert all("word" in text for text in texts)
    assert len({*texts}) == PAGES
    assert not [text for text in crawls[name]["said"] if "has not read" in text]


def test_where_nothing_can_be_read_one_line_says_why(crawls: dict[str, dict[str, Any]]) -> None:
    done = crawls["text made"]
    assert {*done["texts"]} == {"no field"}
    (said,) = [text for text in done["said"] if "has not read" in text]
    assert "it is a TextResponse, no HtmlResponse" in said


def test_what_a_strict_collector_refuses_is_said_once_and_nothing_behind_it_is_lost(
    crawls: dict[str, dict[str, Any]],
) -> None:
    said = crawls["strict stats"]["said"]
    assert len([text for text in said if "Words refuses what templcrawl counts" in text]) == 1
    assert [text for text in said if "the page reader is" in text]
    assert [text for text in said if "13 items stripped" in text]
    assert crawls["strict stats"]["pages"] == PAGES + 1


def test_pages_are_not_in_memory_while_their_requests_are_kept(crawls: dict[str, dict[str, Any]]) -> None:
    surplus = crawls["kept requests"]["surplus"]
    assert len(surplus) == PAGES + 1
    assert max(surplus) <= 0


if __name__ == "__main__":
    in_this_process(run_all)
