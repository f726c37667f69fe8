"""Every detector of a whole site counts a page once."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.memory.detectors import WHOLE_SITE, load_detector
from templcrawl.page.page import Page
from templcrawl.tools.whole_site import site_detector
from templcrawl.tools.whole_site.site_detector import SiteVote
from templcrawl.tools.whole_site.two_pass_dom import TwoPassDom
from tests.memory.pages import article, listing
from tests.strategies import soups

ALL = pytest.mark.parametrize("make", [*map(load_detector, WHOLE_SITE), SiteVote])


@ALL
@settings(deadline=None)
@given(st.lists(soups, min_size=1, max_size=4), st.lists(st.integers(0, 3), max_size=6))
def test_pages_learned_again_change_nothing(make, htmls, again) -> None:
    pages = [Page(html, f"http://a.example/{number}") for number, html in enumerate(htmls)]
    once, often = make(), make()
    for page in pages:
        once.learn(page)
        often.learn(page)
    for number in again:
        often.learn(Page("<p>another text under the same address", pages[number % len(pages)].url))
    for page in pages:
        assert often.separate(page).content_spans == once.separate(page).content_spans
        assert often.observe(page).pages_known == once.observe(page).pages_known


@ALL
def test_a_page_that_is_separated_is_not_learned(make) -> None:
    site, other = make(), make()
    for number in range(3):
        for one in (site, other):
            one.learn(article(number))
    other.observe(listing(0))
    for number in range(40):
        site.observe(listing(number))
    assert len(pickle.dumps(site)) == len(pickle.dumps(other))
    assert site.observe(article(0)).leaf_id == other.observe(article(0)).leaf_id


def test_what_is_known_of_pages_is_bounded(monkeypatch) -> None:
    monkeypatch.setattr(site_detector, "MAX_KEYS", 2)
    site = TwoPassDom()
    for number in (0, 1, 2, 1, 2):
        site.learn(article(number))
    assert site.counts.pages == 4
