"""Pages that lose running text to other pages of their site are counted, and the site is named once."""

from __future__ import annotations

import pytest
from scrapy import Request, Spider
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from lab.bench import poisoning
from lab.bench.poisoning import attackers_pages, page_of, paragraphs
from templcrawl.crawl.extension import CrawlExtension

VICTIMS, OWNED, SALT = 30, 17, 1
STAT = "templcrawl/pages/text_in_template"


def crawled(attackers_share: list[str]) -> CrawlExtension:
    """Crawl pages of an attacker, who copies these paragraphs, and then the others."""
    memory = CrawlExtension.from_crawler(get_crawler(Spider))
    others = [paragraphs(number) for number in range(VICTIMS)]
    owned = attackers_pages(OWNED, [attackers_share, ["left"]], SALT, 1)
    for page in [*owned, *(page_of(str(number), texts) for number, texts in enumerate(others))]:
        request = Request(page.url)
        response = HtmlResponse(page.url, body=page.text.encode(), encoding="utf-8", request=request)
        memory.receive(response, request)
    return memory


@pytest.fixture(autouse=True)
def _few_variants_and_a_known_salt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("templcrawl.memory.crawl_memory.draw_salt", lambda: SALT)
    monkeypatch.setattr(poisoning, "VARIANTS", 300)


def test_a_poisoned_site_is_named_once_and_its_pages_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    copied = [text for number in range(VICTIMS) for text in paragraphs(number)[:-1]]
    memory = crawled([*copied, "left"])
    assert memory.stats.get_value(STAT) == VICTIMS
    said = "removed most of the text of 10 pages of poisoned.example"
    assert caplog.text.count(said) == caplog.text.count(STAT) == 1


def test_of_pages_whose_text_nobody_repeats_nothing_is_said(caplog: pytest.LogCaptureFixture) -> None:
    memory = crawled([f"{text} else" for text in paragraphs(0)])
    assert memory.stats.get_value("templcrawl/pages") == OWNED + VICTIMS
    assert memory.stats.get_value(STAT) is None
    assert STAT not in caplog.text
