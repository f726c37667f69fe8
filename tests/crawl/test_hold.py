"""Held items: judged again by what is known later, in order, and none lost however the crawl ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import scrapy

from lab.sites.areas import words_of
from lab.sites.hard_sites import generate_hard_site
from lab.sites.server import LocalSite
from tests.crawl.crawls import ADDON, DEMO_SITE, NO_REACTOR, ONE_BY_ONE, Crawl, run_crawl
from tests.parts import exhaustive_but

HELD = 12
IN_ORDER = {"TEMPLCRAWL_ORDER": "off"}
"""No link waits by what has arrived before: pages come in one order."""


def crawl(site: LocalSite, output: Path, hold: int, **settings: Any) -> Crawl:
    return run_crawl(
        "plain", site.url, output, {**ADDON, **ONE_BY_ONE, **IN_ORDER, "TEMPLCRAWL_HOLD": hold, **settings}
    )


@pytest.fixture(scope="module")
def site() -> Iterator[LocalSite]:
    """The first pages of the demo site."""
    pages = {path: DEMO_SITE.html(path) or "" for path in ["/", *DEMO_SITE.pages][:50]}
    with LocalSite(pages) as served:
        yield served


@pytest.fixture(scope="module")
def at_once(site: LocalSite, tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    """The crawl in which nothing waits."""
    return crawl(site, tmp_path_factory.mktemp("at_once"), 0)


def keys(found: Crawl) -> list[tuple[str, str]]:
    return [(kind, item["url"]) for kind, item in found.items]


def assert_all_in_order(found: Crawl, at_once: Crawl) -> None:
    """Nothing is lost, and items come in the order of their pages."""
    assert sorted(keys(found)) == sorted(keys(at_once))
    pages = list(dict.fromkeys(response["url"] for response in found.responses))
    assert list(dict.fromkeys(url for _, url in keys(found))) == pages
    assert found.stats["item_scraped_count"] == at_once.stats["item_scraped_count"] == len(found.items)


@pytest.mark.parametrize("reactor", exhaustive_but([{}], [{}, NO_REACTOR]), ids=["reactor", "no reactor"])
def test_the_first_items_wait_and_are_judged_by_what_is_known_later(
    site: LocalSite, at_once: Crawl, tmp_path: Path, reactor: dict[str, bool]
) -> None:
    if reactor:
        at_once = crawl(site, tmp_path / "at_once", 0, **reactor)
    held = crawl(site, tmp_path / "held", HELD, **reactor)
    assert_all_in_order(held, at_once)
    kinds = len({kind for kind, _ in keys(held)})
    # Before 2.18 Scrapy asks for the next pages while the items of the last are processed: fewer wait.
    least = HELD // 3 if scrapy.version_info >= (2, 18) else 1
    assert least * kinds <= held.stats["templcrawl/items/held"] <= (HELD + 2) * kinds
    assert not [stat for stat in held.stats if stat.startswith("templcrawl/errors")]


@pytest.mark.exhaustive
def test_what_is_judged_again_loses_template_that_was_not_known_at_first(tmp_path: Path) -> None:
    pages = {page.path: page for page in generate_hard_site("heavy-template").pages}
    with LocalSite({path: page.html for path, page in pages.items()}) as site:
        at_once, held = (crawl(site, tmp_path / str(hold), hold) for hold in (0, HELD))
    assert_all_in_order(held, at_once)

    def words_kept(found: Crawl) -> tuple[int, int]:
        """Count the words of content and of template in the front page's text."""
        page = pages["/"]
        kept = Counter(words_of(found.texts()[site.url]))
        return tuple((kept & Counter(words)).total() for words in (page.content_words, page.template_words))

    assert words_kept(held)[0] == words_kept(at_once)[0] > 0
    assert words_kept(held)[1] < words_kept(at_once)[1] / 2


@pytest.mark.exhaustive
def test_pages_that_came_together_are_judged_again_too(tmp_path: Path) -> None:
    pages = {page.path: page for page in generate_hard_site("heavy-template").pages}
    with LocalSite({path: page.html for path, page in pages.items()}) as site:
        settings = {**ADDON, "CONCURRENT_REQUESTS_PER_DOMAIN": 16, "TEMPLCRAWL_HOLD": 6}
        held = run_crawl("plain", site.url, tmp_path, settings)
    for url, text in held.texts().items():
        page = pages["/" + url.split("/", 3)[3]]
        kept = Counter(words_of(text))
        assert (kept & Counter(page.template_words)).total() < len(page.template_words) / 4


def test_what_still_waits_at_the_end_is_let_go(site: LocalSite, tmp_path: Path) -> None:
    held = crawl(site, tmp_path / "held", 500, CLOSESPIDER_PAGECOUNT=9)
    kinds = list(dict.fromkeys(kind for kind, _ in keys(held)))
    pages = [response["url"] for response in held.responses]
    assert sorted(keys(held)) == sorted(product(kinds, pages))
    assert list(dict.fromkeys(url for _, url in keys(held))) == list(dict.fromkeys(pages))
    assert held.stats["templcrawl/items/held"] == len(held.items) > 0


def test_a_crawl_ends_when_as_many_items_wait_as_are_asked_for(site: LocalSite, tmp_path: Path) -> None:
    held = crawl(site, tmp_path / "held", 500, CLOSESPIDER_ITEMCOUNT=5)
    assert held.stats["finish_reason"] == "closespider_itemcount"
    assert held.stats["templcrawl/items/held"] == len(held.items) >= 5
    # a page has more of them; some pages come while these go on, where nothing waits too
    assert 1 <= len(held.responses) <= 10


@pytest.mark.exhaustive
def test_a_signal_loses_none(tmp_path: Path) -> None:
    responses = tmp_path / "responses.jsonl"

    def some_pages_came() -> bool:
        return responses.exists() and len(responses.read_text().splitlines()) >= 15

    with LocalSite(DEMO_SITE.html, delay=0.02) as site:
        settings = {**ADDON, **ONE_BY_ONE, "TEMPLCRAWL_HOLD": 500}
        found = run_crawl("plain", site.url, tmp_path, settings, stop_when=some_pages_came)
    assert found.stats["finish_reason"] == "shutdown"
    assert found.stats["templcrawl/items/held"] == len(found.items) == found.stats["item_scraped_count"] > 0


def test_a_project_with_an_item_processor_of_its_own_is_told_what_to_do(
    site: LocalSite, tmp_path: Path
) -> None:
    own = {"ITEM_PROCESSOR": "lab.sites.shop.recorders.OwnItemProcessor"}
    found = crawl(site, tmp_path, 3, **own)
    assert "ITEM_PROCESSOR must be templcrawl.crawl.hold.HoldingItemProcessor" in found.log
    assert not found.items
