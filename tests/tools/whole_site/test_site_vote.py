"""The vote over a finished site."""

from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.page.page import Page
from templcrawl.tools.whole_site.site_detector import SiteVote

MENU = "<ul><li><a href=/>Home</a><li><a href=/tea>Tea</a><li><a href=/jobs>Jobs</a></ul>"
FOOT = "<div>Open from nine to five, closed on Sundays</div>"


def page(number: int, words: str) -> Page:
    return Page(f"<body>{MENU}<div><p>{words}</p></div>{FOOT}", f"http://shop.example/{number}")


def pages_of(texts: list[str]) -> list[Page]:
    return [page(number, words) for number, words in enumerate(texts)]


def learned(pages: list[Page]) -> SiteVote:
    site = SiteVote()
    for one in pages:
        site.learn(one)
    return site


def test_the_first_page_is_judged_by_those_after_it() -> None:
    pages = pages_of(["a lamp made of brass", "an old chair made of oak", "a table for six people"])
    site = learned(pages)
    assert [site.separate(one).content_text for one in pages] == [
        "a lamp made of brass",
        "an old chair made of oak",
        "a table for six people",
    ]
    assert site.observe(pages[0]).pages_known == 3


def test_a_page_that_was_not_learned_is_judged_too_and_no_site_judges_by_the_page_alone() -> None:
    known = learned(pages_of(["a lamp made of brass", "an old chair made of oak"]))
    other = page(9, "a clock that shows the time")
    assert known.separate(other).content_text == "a clock that shows the time"
    alone = SiteVote().observe(other)
    assert alone.pages_known == 0
    assert "a clock that shows the time" in alone.content_text


TEXTS = st.lists(
    st.lists(st.sampled_from("tea oak lamp brass clock table six".split()), min_size=1, max_size=8).map(
        " ".join
    ),
    min_size=1,
    max_size=12,
)


@given(TEXTS, st.randoms())
def test_order_does_not_matter_and_a_pickled_site_answers_alike(texts: list[str], chance: object) -> None:
    pages = pages_of(texts)
    mixed = list(pages)
    chance.shuffle(mixed)  # type: ignore[attr-defined]
    one, other = learned(pages), pickle.loads(pickle.dumps(learned(mixed)))
    for each in pages:
        assert one.separate(each).content_spans == other.separate(each).content_spans


@given(TEXTS)
def test_it_answers_as_the_memory_of_a_crawl_does_the_second_time(texts: list[str]) -> None:
    pages = pages_of(texts)
    site, memory = learned(pages), CrawlMemory()
    for each in pages:
        memory.observe(each)
    for each in pages:
        found, second = site.observe(each), memory.observe(each)
        assert found.content_spans == second.content_spans
        assert found.leaf_id == second.leaf_id
