"""The hard sites are what the floors take them for: their truth and their order.

What makes each hard is pinned by the digests of tests/quality_floors.json and tests/answers.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
from lxml import html

from lab.sites.areas import words_of
from lab.sites.generated import GeneratedPage
from lab.sites.hard.sheets import Sheet, in_link_order
from lab.sites.hard_sites import HARD_SITES, generate_hard_site
from tests.lab.sites.reader import INLINE

UNSEEN = {"head", "script", "style", "noscript", "template"}


@cache
def pages_of(name: str) -> tuple[GeneratedPage, ...]:
    return generate_hard_site(name).pages


@cache
def tree_of(page: GeneratedPage) -> html.HtmlElement:
    return html.document_fromstring(page.html)


def visible_text(element: html.HtmlElement) -> str:
    """Return the text of an element as lxml reads it; inline elements do not divide a word."""
    inside = [element.text or ""]
    for child in element:
        seen = isinstance(child.tag, str) and child.tag not in UNSEEN
        inside += [visible_text(child) if seen else "", child.tail or ""]
    gap = "" if element.tag in INLINE | {"small"} else " "
    return gap + "".join(inside) + gap


@pytest.mark.parametrize("name", HARD_SITES)
def test_the_words_and_links_of_content_and_template_are_all_that_a_page_shows(name: str) -> None:
    for page in pages_of(name):
        seen = Counter(words_of(visible_text(tree_of(page))))
        assert seen == Counter(page.content_words + page.template_words), page.path
        assert min(len(page.content_words), len(page.template_words)) > 20, page.path
        targets = Counter(tree_of(page).xpath("//body//a/@href[not(starts-with(., '#'))]"))
        assert targets == Counter(page.content_links + page.template_links), page.path


@pytest.mark.parametrize("name", HARD_SITES)
def test_a_site_has_about_20_pages_in_the_order_of_their_links(name: str) -> None:
    pages = pages_of(name)
    assert 19 <= len(pages) <= 21
    assert pages[0].path == "/"
    linked = {"/"}
    for page in pages:
        assert page.path in linked
        linked |= page.links
    assert len({page.path for page in pages}) == len({page.html for page in pages}) == len(pages)


def test_a_page_that_no_link_leads_to_is_refused() -> None:
    with pytest.raises(ValueError, match="/lost"):
        in_link_order([Sheet("/", "home").press("x"), Sheet("/lost", "page").press("x")])
