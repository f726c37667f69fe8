"""How promising a link is: the formula by hand, and what must hold of it for any records.

Relevance by words: whole words and phrases, any case, at most 1.
"""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.crawl_order.focus import RelevanceRecord, TopicWords, link_score
from templcrawl.errors import InvalidOption
from templcrawl.page.page import Page

shares = st.floats(0, 1)
records = st.builds(lambda pages, share: RelevanceRecord(pages, pages * share), st.integers(0, 50), shares)
pools = st.lists(records, max_size=4)


def test_the_score_by_hand() -> None:
    menu, section = RelevanceRecord(3, 2.0), RelevanceRecord(1, 1.0)
    # beliefs: (2 + 2 * .5) / (3 + 2) = .6 and (1 + 2 * .5) / (1 + 2) = 2/3
    assert link_score(0.5, [menu], section) == pytest.approx(0.7 * (0.5 * 0.6 + 0.5 * 2 / 3))
    assert link_score(0.5, [menu, section], section) == pytest.approx(0.7 * 2 / 3)
    assert link_score(0.5, [menu, section], section, is_named=True) == pytest.approx(0.7 * 2 / 3 + 0.3)


def test_of_a_link_about_which_nothing_is_known_the_average_is_expected() -> None:
    assert link_score(0.3, [], RelevanceRecord()) == pytest.approx(0.7 * 0.3)


@given(shares, pools, records, st.booleans())
def test_a_score_is_a_share(
    mean: float, pool: list[RelevanceRecord], directory: RelevanceRecord, named: bool
) -> None:
    assert -1e-9 <= link_score(mean, pool, directory, is_named=named) <= 1 + 1e-9


@given(shares, pools, records, records)
def test_one_more_pagelet_or_a_name_never_harms(
    mean: float, pool: list[RelevanceRecord], more: RelevanceRecord, directory: RelevanceRecord
) -> None:
    score = link_score(mean, pool, directory)
    assert link_score(mean, pool, directory, is_named=True) >= score
    if pool:
        assert link_score(mean, [*pool, more], directory) >= score


@given(shares, records, records)
def test_a_relevant_page_raises_what_is_expected_and_another_lowers_it(
    mean: float, pagelet: RelevanceRecord, directory: RelevanceRecord
) -> None:
    pages, relevance = pagelet
    better = link_score(mean, [RelevanceRecord(pages + 1, relevance + 1)], directory)
    worse = link_score(mean, [RelevanceRecord(pages + 1, relevance)], directory)
    assert worse - 1e-9 <= link_score(mean, [pagelet], directory) <= better + 1e-9


@pytest.mark.parametrize(
    ("topic", "html", "found"),
    [
        ("wind", "<p>Wind, wind-mills and windows", 2),
        ("wind", "<p>wind <b>WIND</b><ul><li>wind<li>wind</ul>", 4),
        ("solar power, wind", "<p>solar   power and solar-power; power solar", 2),
        ("solar, solar power", "<p>solar power", 1),
        ("caf\u00e9", "<p>CAF\u00c9 caf&eacute;", 2),
        ("\u98a8\u529b", "<p>\u5927\u98a8\u529b\u767a\u96fb", 1),
        ("c++", "<p>C++ and c", 2),
        ("wind", "<title>wind</title><script>wind</script><p>calm", 0),
    ],
)
def test_pages_are_judged_by_how_often_the_topic_occurs(topic: str, html: str, found: int) -> None:
    assert TopicWords(topic)(Page.from_html(html)) == found / (found + 3)


def test_links_are_read_in_their_text_and_in_their_decoded_address() -> None:
    topic = TopicWords("solar power, caf\u00e9")
    named = [
        "Solar power",
        "https://x.example/solar_power/",
        "https://x.example/caf%C3%A9?a=1",
        "the\nSOLAR-POWER",
    ]
    assert all(map(topic.names, named))
    assert not any(map(topic.names, ["solar", "https://x.example/solarpower", "cafes", ""]))


@pytest.mark.parametrize("topic", ["", " , ", "++"])
def test_a_topic_without_a_word_is_refused(topic: str) -> None:
    with pytest.raises(InvalidOption, match="words or phrases"):
        TopicWords(topic)


def test_it_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(TopicWords("wind"))).names("a wind")
