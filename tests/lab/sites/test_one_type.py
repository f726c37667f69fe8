"""Crawls of one page type: whole things stay whole, and a list of other titles is no content."""

from __future__ import annotations

from statistics import fmean

import pytest

from lab.bench.measures import score
from lab.bench.saved_sites import words_of
from lab.sites.one_type import THINGS, OneTypePage, generate_articles_with_list, generate_whole_things
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.page.page import Page

STRIPS = ("site", "page type")


def texts_of(pages: list[OneTypePage], strip: str) -> list[str]:
    """Return the content of each page, as a crawl sees it."""
    memory = CrawlMemory(sample_salt=0, strip=strip)
    return [
        memory.observe(Page(page.html, f"https://norvik.example{page.path}")).content_text for page in pages
    ]


@pytest.mark.parametrize("strip", STRIPS)
@pytest.mark.parametrize("share", [1.0, pytest.param(0.9, marks=pytest.mark.exhaustive), 0.8])
@pytest.mark.parametrize("thing", THINGS)
def test_no_page_has_a_thing_torn(thing: str, share: float, strip: str) -> None:
    pages = generate_whole_things(thing, share)
    for page, text in zip(pages, texts_of(pages, strip)):
        folded = " ".join(text.split())
        assert [whole for whole in page.wholes if whole not in folded] == []


@pytest.mark.parametrize(("strip", "least"), [("site", 0.8), ("page type", 0.9)])
@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("kind", ["links", "dates", "teasers"])
@pytest.mark.parametrize("share", [0.4, pytest.param(0.5, marks=pytest.mark.exhaustive), 0.75, 0.9])
def test_a_list_of_other_titles_below_articles_is_no_content(
    kind: str, share: float, times: int, strip: str, least: float
) -> None:
    """Teasers that two of five pages have are told from articles by their page type alone."""
    pages = generate_articles_with_list(kind, share, times)
    scores = [
        score(words_of(text), words_of(page.content)).f1 for text, page in zip(texts_of(pages, strip), pages)
    ]
    assert fmean(scores[4:]) >= least
