"""The benchmark of focused crawls: its topics, its rivals by hand, its figures."""

from __future__ import annotations

import pytest

from benchmarks.focused.__main__ import rate_table, rates_of, ratio_interval
from benchmarks.focused.rivals import BETA, DELTA, GAMMA, ParentRelevance, SharkSearch, texts_of
from benchmarks.focused.runs import Harvest
from benchmarks.focused.topics import Topic, seeds_of, topics_of
from templcrawl.algorithms.crawl_order.focus import TopicWords

pytestmark = pytest.mark.exhaustive

WIND = TopicWords("wind")
BODIES = {
    "http://x.example/": "<p>wind <a href=/a>calm</a> " + "so " * 12 + "<a href=/b>Wind</a>",
    "http://x.example/a": "<p>calm <a href=/b>sea</a> " + "so " * 12 + "<a href=/c>sea</a>",
}


def test_topics_are_concentrated_words_that_differ() -> None:
    pages = {f"/{n}": "" for n in range(100)}
    for n in range(8):
        pages[f"/{n}"] = "lamp lamp lamp shade shade shade all cat cat cat"
    for n in range(50, 60):
        pages[f"/{n}"] = "chair chair chair"
    pages["/99"] = "chair"
    topics = topics_of(pages, 5)
    assert [topic.word for topic in topics] == ["lamp", "chair"]
    assert topics[0].relevant == {f"/{n}" for n in range(8)}


def test_seeds_are_the_start_page_and_a_page_that_reaches_the_others() -> None:
    targets = {"/": ["/1"], "/1": ["/2"], "/2": ["/1"], "/3": []}
    assert list(seeds_of(Topic("lamp", frozenset({"/1", "/2"})), "/", targets)) in (["/", "/1"], ["/", "/2"])
    assert list(seeds_of(Topic("lamp", frozenset({"/3", "/1"})), "/", targets)) == ["/"]


def test_a_link_is_as_good_as_the_best_page_that_it_was_found_on() -> None:
    parent = ParentRelevance(WIND, texts_of(BODIES))
    for url in BODIES:
        parent.saw(url)
    # The start page says wind twice, once in a link.
    scores = [parent.score(f"http://x.example/{name}") for name in "abc"]
    assert scores == pytest.approx([2 / 3, 2 / 3, 0])


def test_shark_search_by_hand() -> None:
    shark = SharkSearch(WIND, texts_of(BODIES))
    shark.saw("http://x.example/")
    inherited = DELTA * 2 / 3
    # The link to /a has "wind" within ten words before it; the link to /b in its text.
    assert shark.score("http://x.example/a") == pytest.approx(GAMMA * inherited + (1 - GAMMA) * (1 - BETA))
    assert shark.score("http://x.example/b") == pytest.approx(GAMMA * inherited + (1 - GAMMA))
    shark.saw("http://x.example/a")
    assert shark.score("http://x.example/c") == pytest.approx(GAMMA * DELTA * inherited)
    assert shark.score("http://x.example/b") == pytest.approx(GAMMA * inherited + (1 - GAMMA))


def test_rates_are_means_over_sites_of_means_over_topics() -> None:
    harvests = [
        Harvest(site, "g", topic, 0, order, 1, 10, rate * factor, 1.0)
        for site, rates in (("a", (0.2, 0.4)), ("b", (0.1,)))
        for topic, rate in enumerate(rates)
        for order, factor in (("fifo", 1.0), ("focus", 2.0))
    ]
    rates = rates_of(harvests)
    assert rates["fifo"] == pytest.approx({"a": 0.3, "b": 0.1})
    assert ratio_interval(rates["focus"], rates["fifo"]) == pytest.approx((2.0, 2.0))
    assert rate_table(harvests, "rates").row_count == 2
