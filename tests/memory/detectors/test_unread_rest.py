"""What all detectors of a page as it arrives have in common: nobody reads past a cap."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.extraction import sandwich
from templcrawl.algorithms.extraction.sandwich import LINES, TOKENS
from templcrawl.algorithms.page_types.fingerprint import page_fingerprint, template_fingerprint
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.detectors import ARRIVING
from templcrawl.page.page import Page
from templcrawl.page.tokens import Limits
from tests.memory.pages import article
from tests.strategies import soups

LIMITS = [Limits(max_characters=900), Limits(max_tags=40)]
REST = "<p>the rest of it</p>\n" * 50


def truncated(number: int, limits: Limits) -> Page:
    page = article(number, extra=f"\n<p>a shared line</p>\n{REST}")
    return Page(page.text, page.url, limits)


@pytest.mark.parametrize("limits", LIMITS, ids=["max_characters", "max_tags"])
@pytest.mark.parametrize("detector", ARRIVING)
def test_the_unread_rest_of_a_page_is_content_though_its_siblings_have_the_same(detector, limits) -> None:
    memory = CrawlMemory(detector=detector)
    for number in range(4):
        separation = memory.observe(truncated(number, limits))
    assert len(separation.truncated) == 1
    assert separation.content_spans[-1][1] == len(separation.page.tokens)
    assert separation.template_text
    unread = separation.page.text.removeprefix(separation.page.tokens.read_text)
    assert separation.content_html.count("the rest of it") >= unread.count("the rest of it") > 20


@given(soups, soups, st.integers(1, 60), st.integers(1, 12))
def test_a_separation_is_that_of_the_part_that_was_read(html, other, characters, tags) -> None:
    limits = Limits(characters, tags)
    page, sibling = Page(html, "", limits), Page(other, "", limits)
    read = Page(page.tokens.read_text, "")
    for view in (TOKENS, LINES):
        keys = view.keys(page)
        assert keys == view.keys(read)
        found = view.filling(page, keys, view.keys(sibling))
        of_read = view.filling(read, keys, view.keys(sibling))
        is_kept = [
            any(start <= position < stop for start, stop in found.spans)
            for position in range(len(page.tokens))
        ]
        assert is_kept[len(read.tokens) :] == [True] * bool(page.truncated)
        for position in range(len(read.tokens)):
            assert is_kept[position] == any(start <= position < stop for start, stop in of_read.spans)
    assert page_fingerprint(page) == template_fingerprint(read.text)


def test_lines_beyond_the_cap_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    cut_lines = sandwich.cut_lines
    monkeypatch.setattr(sandwich, "cut_lines", lambda text: seen.append(len(text)) or cut_lines(text))
    page = Page("x\n" * 2_000_000, "", Limits(max_characters=1_000))
    keys = LINES.keys(page)
    LINES.filling(page, keys, [])
    assert len(keys) == 500
    assert seen == [1_000, 1_000]


def test_the_fingerprint_ends_where_the_reading_of_the_page_ends() -> None:
    tags = "<p></p><b></b><i></i><u></u>"
    page = Page("<!---->" * 20 + tags, "", Limits(max_tags=22))
    assert page_fingerprint(page) == template_fingerprint("<p></p>")
    page = Page("x" * 100 + tags, "", Limits(max_characters=107))
    assert page_fingerprint(page) == template_fingerprint("<p></p>")
