"""Crawls of one page type: whole things stay whole, and a list of other titles is no content."""

from __future__ import annotations

from itertools import product
from statistics import fmean

import pytest

from lab.bench.measures import score
from lab.bench.saved_sites import words_of
from lab.sites.one_type import THINGS, OneTypePage, generate_articles_with_list, generate_whole_things
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.page.page import Page
from tests.parts import exhaustive_but

SHARES = (1.0, 0.9, 0.8)
STRIPS = {"site": 0.8, "page type": 0.9}
"""Way to strip -> the least mean F1 of articles with a list of other titles."""


def texts_of(pages: list[OneTypePage], strip: str) -> list[str]:
    """Return the content of each page, as a crawl sees it."""
    memory = CrawlMemory(sample_salt=0, strip=strip)
    return [
        memory.observe(Page(page.html, f"https://norvik.example{page.path}")).content_text for page in pages
    ]


@pytest.mark.parametrize(
    ("thing", "share", "strip"),
    exhaustive_but(
        [("code", 0.8, "page type"), ("line score", 1.0, "site")], product(THINGS, SHARES, STRIPS)
    ),
)
def test_no_page_has_a_thing_torn(thing: str, share: float, strip: str) -> None:
    pages = generate_whole_things(thing, share)
    for page, text in zip(pages, texts_of(pages, strip)):
        folded = " ".join(text.split())
        assert [whole for whole in page.wholes if whole not in folded] == []


@pytest.mark.parametrize(
    ("kind", "share", "times", "strip"),
    exhaustive_but(
        [("teasers", 0.4, 1, "page type"), ("dates", 0.75, 2, "site")],
        product(("links", "dates", "teasers"), (0.4, 0.5, 0.75, 0.9), (1, 2), STRIPS),
    ),
)
def test_a_list_of_other_titles_below_articles_is_no_content(
    kind: str, share: float, times: int, strip: str
) -> None:
    """Teasers that two of five pages have are told from articles by their page type alone."""
    pages = generate_articles_with_list(kind, share, times)
    scores = [
        score(words_of(text), words_of(page.content)).f1 for text, page in zip(texts_of(pages, strip), pages)
    ]
    is_rare = kind == "teasers" and share < 0.5 and strip == "site"
    assert fmean(scores[4:]) >= (0.6 if is_rare else STRIPS[strip])
