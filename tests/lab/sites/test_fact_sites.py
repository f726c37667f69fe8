"""The generated sites of records: their truth stands in their HTML; the vote keeps facts, not counters."""

from __future__ import annotations

from itertools import product

import pytest
from lxml import html

from lab.sites.areas import words_of
from lab.sites.fact_sites import KINDS, LAYOUTS, RECORDS, FactPage, generate_fact_site
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.page.page import Page
from tests.parts import exhaustive_but

CASES = list(product(KINDS, LAYOUTS))
QUICK = [("shop", "table"), ("forum", "block"), ("catalogue", "items")]
LISTED = exhaustive_but(
    [("shop", "table", True), ("forum", "paragraphs", True), ("catalogue", "box", False)],
    product(KINDS, LAYOUTS, (True, False)),
)
"""The cases of a vote: kind, layout, and whether there are listings beside the records."""
LEARNING = 5
"""Pages of which the first are not asked: a vote needs four others."""


def separated(site: list[FactPage]) -> list[tuple[FactPage, str]]:
    """Return each page with its content, word by word."""
    memory = CrawlMemory(detector="vote", sample_salt=3)
    texts = [memory.observe(Page(page.html, f"http://h.example{page.path}")) for page in site]
    return list(zip(site, (f" {' '.join(words_of(text.separation.content_text))} " for text in texts)))


def share(phrases: list[tuple[str, str]]) -> float:
    """Return the share of pairs (text, phrase) where the text has the phrase."""
    return sum(f" {' '.join(words_of(phrase))} " in text for text, phrase in phrases) / len(phrases)


@pytest.mark.parametrize(("kind", "layout"), exhaustive_but(QUICK, CASES))
def test_facts_and_counters_stand_on_their_page_and_differ_from_page_to_page(kind: str, layout: str) -> None:
    site = generate_fact_site(kind, layout)
    assert len([page for page in site if page.facts]) == RECORDS
    values = [row for page in site for row in page.facts if row[0] != "Colour"]
    assert len(values) - len(set(values)) < RECORDS / 10
    for page in site:
        text = f" {' '.join(words_of(' '.join(html.fromstring(page.html).body.itertext())))} "
        for phrase in (*(value for _, value in page.facts), *page.counters):
            assert f" {' '.join(words_of(phrase))} " in text
    assert site == generate_fact_site(kind, layout)
    assert site != generate_fact_site(kind, layout, 2)


@pytest.mark.parametrize(("kind", "layout", "listings"), LISTED)
def test_the_vote_keeps_each_fact_with_its_label(kind: str, layout: str, listings: bool) -> None:
    answers = separated(generate_fact_site(kind, layout, listings=listings))[LEARNING:]
    facts = [(text, f"{label} {value}") for page, text in answers for label, value in page.facts]
    assert share(facts) >= 0.98


@pytest.mark.parametrize(("kind", "layout", "listings"), LISTED)
def test_what_a_footer_counts_stays_out(kind: str, layout: str, listings: bool) -> None:
    """A shop of nothing but records in paragraphs has too few words: there the page alone is asked."""
    if (kind, layout, listings) == ("shop", "paragraphs", False):
        pytest.skip("fewer than 20 words are new, and no label stands apart from its value")
    answers = separated(generate_fact_site(kind, layout, listings=listings))[LEARNING:]
    assert share([(text, counter) for page, text in answers for counter in page.counters]) <= 0.02
