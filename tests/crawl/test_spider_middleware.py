"""Items are filled wholly or not at all; an error of ours is ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from scrapy import Field, Item, Request, Spider
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from templcrawl.crawl.extension import CrawlExtension
from templcrawl.crawl.middlewares import TemplateSpiderMiddleware
from templcrawl.memory.observation import Observation
from tests.crawl.small_crawls import passed_on

NAMES = ["content_html", "content_text", "leaf_id"]
ASKED = {"url": "", "content_html": "", "content_text": None, "leaf_id": ""}


def attached(
    names: list[str] = NAMES, body: bytes = b"<p>some words of a page"
) -> tuple[TemplateSpiderMiddleware, HtmlResponse]:
    """Return a middleware that fills some fields, and the response of a page that was observed."""
    extensions = {"EXTENSIONS": {"templcrawl.crawl.extension.CrawlExtension": 0}}
    crawler = get_crawler(Spider, {**extensions, "TEMPLCRAWL_ITEM_FIELDS": names})
    request = Request("http://small.example/1")
    response = HtmlResponse(request.url, body=body, request=request)
    CrawlExtension.running_in(crawler).observe(request, response)
    return TemplateSpiderMiddleware.from_crawler(crawler), response


def stats_of(middleware: TemplateSpiderMiddleware) -> dict[str, Any]:
    stats = middleware.crawler.stats
    assert stats is not None
    names = ("templcrawl/items/", "templcrawl/errors/")
    return {name: count for name, count in stats.get_stats().items() if name.startswith(names)}


def test_an_item_that_asks_is_filled() -> None:
    middleware, response = attached()
    item = passed_on(middleware, dict(ASKED), response)
    assert (item["url"], item["content_text"]) == ("", "some words of a page")
    assert all(item[name] for name in ("content_html", "leaf_id"))
    assert stats_of(middleware) == {"templcrawl/items/stripped": 1}


@pytest.mark.parametrize("answer", NAMES)
def test_an_error_of_ours_is_counted_and_the_item_comes_as_it_was(
    answer: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(observation: Observation) -> str:
        raise ArithmeticError("sabotage")

    middleware, response = attached()
    # a property of the class hides the field of the observation that is there already
    monkeypatch.setattr(Observation, answer, property(fail, lambda observation, value: None))
    for _ in range(3):
        assert passed_on(middleware, dict(ASKED), response) == ASKED
    assert stats_of(middleware) == {"templcrawl/errors/ArithmeticError": 3}
    assert "templcrawl failed while marking a request or filling an item" in caplog.text


def test_an_item_that_refuses_a_field_is_left_and_that_is_no_error() -> None:
    class Refusing(dict[str, Any]):
        def __setitem__(self, name: str, value: object) -> None:
            raise KeyError(name)

    middleware, response = attached()
    item = passed_on(middleware, Refusing(ASKED), response)
    assert item == ASKED
    assert stats_of(middleware) == {"templcrawl/items/left_as_is": 1}


@dataclass
class OneField:
    url: str
    content_text: str = ""
    leaf_id: str = "mine"


class Bare(Item):
    url = Field()


def test_an_item_of_a_class_gains_what_it_declares_and_lacks() -> None:
    middleware, response = attached()
    item = passed_on(middleware, OneField("u"), response)
    assert item == OneField("u", "some words of a page", "mine")
    own = {"url": "u", "content_html": "mine", "content_text": [], "leaf_id": 0}
    assert passed_on(middleware, dict(own), response) == own


def test_what_has_no_room_is_left_and_that_is_said_once_a_class(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING")
    middleware, response = attached()
    for _ in range(3):
        assert passed_on(middleware, Bare(url="u"), response) == {"url": "u"}
    assert stats_of(middleware) == {"templcrawl/items/left_as_is": 3}
    said = "Items of Bare gain nothing from TEMPLCRAWL_ITEM_FIELDS: the class declares none of the fields"
    assert caplog.text.count(said) == 1


def test_several_items_of_a_page_are_said_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    middleware, response = attached()
    for _ in range(3):
        passed_on(middleware, dict.fromkeys(NAMES, "mine"), response)
    passed_on(middleware, {}, response)
    assert "each of them gets the text of the whole page" not in caplog.text
    for _ in range(3):
        passed_on(middleware, {}, response)
    assert caplog.text.count("each of them gets the text of the whole page") == 1


def test_an_item_of_no_page_stays_as_it_is() -> None:
    middleware, response = attached()
    other = HtmlResponse("http://small.example/2", request=Request("http://small.example/2"))
    assert passed_on(middleware, {"url": "u"}, other) == {"url": "u"}
    assert passed_on(middleware, "no item", response) == "no item"
    assert stats_of(middleware) == {}
