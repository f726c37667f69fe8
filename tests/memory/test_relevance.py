"""What a focused crawl knows of pagelets and directories, and what a crawl's memory makes of it."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.crawl_order.focus import RelevanceRecord, TopicWords
from templcrawl.crawl.orders.focus_order import Promises
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.store import SqliteStore
from templcrawl.memory.topic_links import RelevanceTable
from templcrawl.page.addresses import url_key
from templcrawl.page.page import Page
from tests.memory.invariants import check
from tests.memory.stores import store_in

WIND = TopicWords("wind")
MENU = "<ul><li><a href=/a/1>1</a><li><a href=/a/2>2</a><li><a href=/b/1>3</a></ul>"
LIST = "<ol><li><a href=/a/3>3</a><li><a href=/a/4>Wind mills</a><li><a href=https://b.example/c/5>5</a></ol>"


def judge(page: Page) -> float:
    return float(WIND(page) >= 0.5)


JUDGES, TOPIC = {"relevance": judge}, {"topic": {"names": WIND.names}}


def observed(store: SqliteStore | None = None) -> CrawlMemory:
    """A front page that is not relevant, and then one that is."""
    memory = CrawlMemory(judges=JUDGES, sections=TOPIC, store=store)
    for path, body in (("", "<p>calm"), ("a/1", f"<p>wind wind wind{LIST}")):
        page = Page.from_html(f"<body>{MENU}{body}", f"https://a.example/{path}")
        assert memory.observe(page).relevance == bool(path)
    return memory


def promise(memory: CrawlMemory, url: str) -> float:
    return Promises(memory).promise_of("a.example", url_key(url), url)


def test_the_promise_of_links_by_hand() -> None:
    memory = observed()
    # N = 2, R = 1: mean (1 + .5) / (2 + 1) = .5.
    # The menu: on two pages, led to one: n = 3, r = 2: (2 + 1) / 5 = .6.
    # The list: on one page: (1 + 1) / 3 = 2/3.  The directory /a/ has one page: 2/3; /b/ has none: .5.
    assert promise(memory, "https://a.example/a/2") == pytest.approx(0.7 * (0.3 + 1 / 3))
    assert promise(memory, "https://a.example/b/1") == pytest.approx(0.7 * (0.3 + 0.25))
    assert promise(memory, "https://a.example/a/3") == pytest.approx(0.7 * 2 / 3)
    assert promise(memory, "https://a.example/a/4") == pytest.approx(0.7 * 2 / 3 + 0.3)
    assert promise(memory, "https://b.example/c/5") == pytest.approx(0.7 * (1 / 3 + 0.25))
    assert promise(memory, "https://a.example/a/unknown") == pytest.approx(0.7 * (0.25 + 1 / 3))
    check(memory)


def test_a_page_of_another_site_credits_the_pagelet_that_led_to_it() -> None:
    memory = observed()
    memory.observe(Page.from_html("<p>calm", "https://b.example/c/5"))
    # N = 3, R = 1: mean 1.5 / 4.  The list: n = 2, r = 1: (1 + .75) / 4; /a/: (1 + .75) / 3.
    expected = 0.7 * (0.5 * 1.75 / 4 + 0.5 * 1.75 / 3)
    assert promise(memory, "https://a.example/a/3") == pytest.approx(expected)


def test_a_page_that_comes_again_counts_once() -> None:
    memory = observed()
    before = promise(memory, "https://a.example/a/2")
    again = Page.from_html(f"<body>{MENU}<p>wind wind wind{LIST}", "https://a.example/a/1")
    assert memory.observe(again).relevance == 1.0
    assert promise(memory, "https://a.example/a/2") == before


def test_what_is_known_survives_a_restart(tmp_path: Path) -> None:
    memory = observed(store_in(tmp_path))
    assert memory.save() == 1
    assert memory.save() == 0
    again = CrawlMemory(judges=JUDGES, sections=TOPIC, store=store_in(tmp_path))
    again.open("a.example")
    for path in ("a/2", "a/3", "a/4", "b/1"):
        assert promise(again, f"https://a.example/{path}") == promise(memory, f"https://a.example/{path}")


@given(st.lists(st.tuples(st.lists(st.integers(0, 5), max_size=4), st.integers(0, 1000)), max_size=30))
def test_a_record_is_the_sum_of_what_was_credited(pages: list[tuple[list[int], int]]) -> None:
    table = RelevanceTable(100)
    sums: dict[int, list[int]] = defaultdict(list)
    for shingles, thousandths in pages:
        table.judge(shingles, thousandths / 1000)
        for shingle in set(shingles) - {0}:
            sums[shingle].append(thousandths)
    check(table)
    assert len(table) == len(sums)
    for shingle in range(6):
        expected = RelevanceRecord(len(sums[shingle]), sum(sums[shingle]) / 1000)
        assert table.record(shingle) == expected
    again = RelevanceTable(100)
    again.restore(table.snapshot())
    assert again.snapshot() == table.snapshot()
