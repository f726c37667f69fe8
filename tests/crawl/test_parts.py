"""Each part of a crawl is told of its pages, and none loses by what another does."""

from __future__ import annotations

from typing import Any

import pytest
from scrapy import Request, Spider
from scrapy.exceptions import CloseSpider
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from templcrawl.crawl import parts as table
from templcrawl.crawl.extension import CrawlExtension
from templcrawl.crawl.part import Crawl, CrawlPart
from templcrawl.crawl.parts import PARTS
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.errors import InvalidOption

HOSTS = ("a.example", "b.example", "c.example")
calls: list[tuple[str, object]] = []


class Noting(CrawlPart):
    """A part that notes what it is told."""

    doing = "noting"

    def open(self) -> None:
        calls.append(("open", self.crawler))

    def page_observed(self, request: Request, response: Any, observation: Any) -> None:
        assert response.request is request
        calls.append(("page", observation.page.url))

    def site_evicted(self, site: Any) -> None:
        calls.append(("evicted", site.host))

    def idle(self) -> None:
        raise CloseSpider("enough")

    def close(self, reason: str) -> None:
        calls.append(("closed", reason))


class Failing(CrawlPart):
    """A part each of whose methods fails."""

    def open(self) -> None:
        raise ArithmeticError("no open")

    def page_observed(self, *_: object) -> None:
        raise ArithmeticError("no page")

    def site_evicted(self, site: object) -> None:
        raise ArithmeticError("no site")

    def idle(self) -> None:
        raise ArithmeticError("no idle")

    def close(self, reason: str) -> None:
        raise ArithmeticError("no close")


class FailingAtOnce(CrawlPart):
    def __init__(self, crawl: Crawl) -> None:
        raise ArithmeticError("no start")


class Refusing(CrawlPart):
    def __init__(self, crawl: Crawl) -> None:
        raise InvalidOption("SAUCE", 3, "none")


def extension_with(
    monkeypatch: pytest.MonkeyPatch, *kinds: type[CrawlPart], **settings: object
) -> CrawlExtension:
    """Return the extension of a crawl with some parts beside its own."""
    rows = [(lambda chosen, sections: True, f"{__name__}.{kind.__name__}") for kind in kinds]
    monkeypatch.setattr(table, "PARTS", [*rows, *PARTS])
    calls.clear()
    return CrawlExtension.from_crawler(get_crawler(Spider, settings))


def receive(extension: CrawlExtension, url: str, status: int = 200) -> None:
    request = Request(url)
    response = HtmlResponse(url, body=b"<p>Some words", request=request, status=status)
    extension.receive(response, request)


def test_a_part_is_told_of_pages_of_evicted_sites_and_of_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    extension = extension_with(monkeypatch, Noting, TEMPLCRAWL_LIMITS={"max_sites": 1})
    extension.open()
    for host in HOSTS:
        receive(extension, f"http://{host}/")
    receive(extension, "http://c.example/lost", status=404)
    with pytest.raises(CloseSpider) as raised:
        extension.idle()
    assert raised.value.reason == "enough"
    extension.close("finished")
    pages = [("page", f"http://{host}/") for host in HOSTS]
    expected = [pages[0], ("evicted", HOSTS[0]), pages[1], ("evicted", HOSTS[1]), pages[2]]
    assert calls == [("open", extension.crawler), *expected, ("closed", "finished")]


def test_a_part_that_fails_loses_nothing_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = (FailingAtOnce, Failing, Noting)
    extension = extension_with(monkeypatch, *kinds, TEMPLCRAWL_LIMITS={"max_sites": 1})
    extension.open()
    for host in HOSTS[:2]:
        receive(extension, f"http://{host}/")
    with pytest.raises(CloseSpider):
        extension.idle()
    extension.close("finished")
    assert [name for name, _ in calls] == ["open", "page", "evicted", "page", "closed"]
    stats = extension.crawler.stats
    assert stats is not None
    assert stats.get_value("templcrawl/errors/ArithmeticError") == 1 + 1 + 2 + 1 + 1 + 1
    assert stats.get_value("templcrawl/pages") == 2


def test_a_part_that_refuses_its_setting_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidOption, match="SAUCE"):
        extension_with(monkeypatch, Refusing)


def test_a_part_that_reads_early_is_told_before_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Noting, "reads_early", True)
    extension = extension_with(monkeypatch, Noting)
    request = Request("http://a.example/")
    response = HtmlResponse(request.url, body=b"<p>Some words", request=request)
    extension.receive_early(response, request)
    assert calls == [("page", request.url)]
    stats = extension.crawler.stats
    assert stats is not None
    assert stats.get_value("templcrawl/pages") is None
    extension.receive(response, request)
    assert calls == 2 * [("page", request.url)]
    assert stats.get_value("templcrawl/pages") == 1


ASKED = {
    "kind_callbacks": ({"product": "parse"}, "KindCallbacks", "KindCounts"),
    "skip_unchanged": (True, "ChangeCounts"),
    "relevance": (len, "HarvestRate"),
    "archive": ("archive/", "CrawlArchive"),
    "report": ("report.html", "HtmlReport"),
    "page_types_file": ("types.json", "PageTypeTable"),
}


@pytest.mark.parametrize("name", ASKED)
def test_a_part_is_there_where_its_setting_asks_for_it(name: str) -> None:
    def asked_for(chosen: TemplcrawlSettings) -> set[str]:
        rows = (path for is_asked_for, path in PARTS if is_asked_for(chosen, chosen.memory.sections))
        return {path.rpartition(".")[2] for path in rows}

    value, *expected = ASKED[name]
    chosen = TemplcrawlSettings(**{name: value})  # type: ignore[arg-type]
    assert asked_for(chosen) - asked_for(TemplcrawlSettings()) == {*expected}
