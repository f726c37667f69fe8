"""Relevance by words: whole words and phrases, any case, at most 1."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.crawl_order.topic_words import TopicWords
from templcrawl.errors import InvalidOption
from templcrawl.page.page import Page


@pytest.mark.parametrize(
    ("topic", "html", "found"),
    [
        ("wind", "<p>Wind, wind-mills and windows", 2),
        ("wind", "<p>wind <b>WIND</b><ul><li>wind<li>wind</ul>", 3),
        ("solar power, wind", "<p>solar   power and solar-power; power solar", 2),
        ("solar, solar power", "<p>solar power", 1),
        ("caf\u00e9", "<p>CAF\u00c9 caf&eacute;", 2),
        ("\u98a8\u529b", "<p>\u5927\u98a8\u529b\u767a\u96fb", 1),
        ("c++", "<p>C++ and c", 2),
        ("wind", "<title>wind</title><script>wind</script><p>calm", 0),
    ],
)
def test_pages_are_judged_by_how_often_they_say_it(topic: str, html: str, found: int) -> None:
    assert TopicWords(topic)(Page.from_html(html)) == pytest.approx(found / 3)


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


@given(st.lists(st.sampled_from(["wind", "calm", "Wind", "windy"]), max_size=9))
def test_the_count_is_that_of_a_loop_over_the_words(words: list[str]) -> None:
    said = sum(word.lower() == "wind" for word in words)
    assert TopicWords("wind")(Page.from_html(f"<p>{' '.join(words)}")) == min(3, said) / 3


@pytest.mark.parametrize("topic", ["", " , ", "++"])
def test_a_topic_without_a_word_is_refused(topic: str) -> None:
    with pytest.raises(InvalidOption, match="words or phrases"):
        TopicWords(topic)


def test_it_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(TopicWords("wind"))).names("a wind")
