"""What is observed of a page: its separation at hand, and what is known beside it."""

from __future__ import annotations

from copy import copy

import pytest

from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.observation import Observation
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation

HTML = "<nav><a href=/>Home</a><a href=/tea>Tea</a></nav><p>A cup <a href=/x>of it</a>"
PAGE = Page(HTML, "https://example.org/")

ANSWERS = """page exact truncated text_lengths run_shares content_spans template_spans content_mask
    content_text template_text content_html template_html""".split()


def test_an_observation_answers_as_its_separation_does() -> None:
    separation = Separation(PAGE, [(8, len(PAGE.tokens))])
    observation = Observation(separation)
    for name in ANSWERS:
        assert getattr(observation, name) == getattr(separation, name)
    assert observation.content_text == "A cup of it"
    assert (observation.leaf_id, observation.near_duplicate, observation.page_type) == ("", False, None)
    assert observation.template_links == ()


def test_metadata_are_what_the_page_declares_and_lists_where_it_declares_several() -> None:
    html = (
        "<html lang=de><meta property=og:title content=Teekanne>"
        '<script type="application/ld+json">{"@type": "Product", "name": "Kanne", "brand": {"name": "Ton"},'
        ' "image": ["a.jpg", "b.jpg"], "offers": {"price": 12.5, "priceCurrency": "EUR"}}</script><p>Tee'
    )
    seen = CrawlMemory().observe(Page(html, "https://tee.example/k"))
    assert seen.metadata == {
        "type": "Product", "name": "Kanne", "brand": "Ton", "price": "12.5", "priceCurrency": "EUR",
        "image": ["https://tee.example/a.jpg", "https://tee.example/b.jpg"],
        "headline": "Teekanne", "inLanguage": "de",
    }  # fmt: skip
    assert CrawlMemory().observe(Page("<p>Tee", "https://tee.example/")).metadata == {}


def test_what_was_not_asked_for_is_none_and_what_nothing_says_is_no_attribute() -> None:
    observation = Observation(Separation(Page("<p>tea", ""), []), said={"page_kind": "article"})
    assert (observation.page_kind, observation.changed, observation.relevance) == ("article", None, None)
    with pytest.raises(AttributeError, match="no attribute 'page_knid'"):
        observation.page_knid  # noqa: B018
    assert copy(observation).page_kind == "article"
