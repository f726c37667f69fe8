"""What the kernel says of where links stand, and of what pages through a list, is what Python says."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.sites.generated import generate_demo_site
from lab.sites.mutated import damaged_pages
from templcrawl.algorithms.pagelets.partition import LinkPlaces, Pagelet, link_places, partition_pagelets
from templcrawl.errors import InvalidOption
from templcrawl.page import kernel
from templcrawl.page.page import Page
from templcrawl.page.tokens import Limits
from tests.page.test_kernel import COUNTS, PAGES, PIECES, SEED
from tests.page_readers import by_both, needs_kernel, using

URL = "https://h.org/list/page/2/?a=1"
ANCHORS = [
    *("2", "[12]", "21 – 40", "| 3 |", "·4·", "0000007", "٣", "³", "¼", "»", "<<", "…", "&raquo;", "&nbsp;"),
    *("Older&nbsp;Posts", "N\u00c4CHSTE \u00bb", "\u017feite 2", "\u212a", "pre\u0301c", "\u0130leri"),
    *("STRA\u00dfE", "\u1e9e", "\ufb01rst", "x" * 61, "next\x1cpage", "\u3000next\u2003", "next " + " " * 80),
    *("tea", "next tea", "\ud83dnext", "to the", "", "&#110;ext", "&foo\u00a0bar;", "pager 3", "2<br>"),
    *("<b>2</b>", "<b>next</b> <i>page</i>", "<first>", "a<b>b</b>" * 7),
]
TAGS = [
    *("<ul>", "</ul>", "<li>", "<li class='x9 y'>", "<div class=pager>", "<td>", "<p>", "<tr class=odd>"),
    *("</div>", "<ul class='next-10'>", "<section id=PAGING>", "<table class=x>", "<nav class='spage'>"),
    *("tea ", "<title>pag"),
]
HREFS = [
    *("/list/page/3/?a=1", "?page=3", "?page=3&sid=1", "?sid=2&page=9&page=1", "?&&=x&é=1", "x", "#top"),
    *("//o.org/2", "?" + "&".join(f"n{number}" for number in range(200)), "?茶" + "é" * 500, "?=&?"),
    "/2026/05/?a=1?b&c",
]
ATTRIBUTES = [
    "",
    " rel=next",
    " rel='x PREV'",
    " class=paging",
    " class='next9' id=a",
    " title=pag",
    " id='Previous'",
]


def linked(chance: Random) -> str:
    """Return a link."""
    anchor = chance.choice(ANCHORS)
    name, end = chance.choice(["a", "a", "a", "area"]), chance.choice(["</a>", ""])
    return f"<{name} href='{chance.choice(HREFS)}'{chance.choice(ATTRIBUTES)}>{anchor}{end}"


linked_pages = st.builds(
    lambda chance, size: "".join(
        linked(chance) if chance.random() < 0.6 else chance.choice(TAGS + PIECES) for _ in range(size)
    ),
    st.randoms(use_true_random=False),
    st.integers(0, 30),
)


def found(page: Page, min_links: int) -> tuple[list[Pagelet], LinkPlaces]:
    places = link_places(page, min_links=min_links)
    return partition_pagelets(page, min_links=min_links), places


def assert_equal(html: str, url: str = URL, min_links: int = 3) -> None:
    before = dict(kernel.REFUSED)
    by_both(lambda page: found(page, min_links), html, url)
    page = Page(html, url, Limits(kernel="on"))
    assert page.native or kernel.REFUSED["read"] > before.get("read", 0)
    assert kernel.REFUSED["pagelets"] == before.get("pagelets", 0)


@needs_kernel
@settings(max_examples=600)
@given(linked_pages | PAGES, st.integers(1, 5))
def test_both_readers_find_the_same_of_the_links_of_any_page(html: str, min_links: int) -> None:
    assert_equal(html, min_links=min_links)


@needs_kernel
@pytest.mark.parametrize("count", COUNTS)
def test_both_readers_find_the_same_of_links_among_awkward_pieces(count: int) -> None:
    chance = Random(SEED)
    for _ in range(4 * count):
        pieces = chance.choices(TAGS + PIECES, k=chance.randint(1, 20)) + [linked(chance) for _ in range(12)]
        chance.shuffle(pieces)
        assert_equal("".join(pieces), min_links=chance.randint(1, 6))


@needs_kernel
@pytest.mark.parametrize("count", COUNTS)
def test_both_readers_find_the_same_of_the_links_of_damaged_pages_and_of_a_site(count: int) -> None:
    for html in damaged_pages(count, f"{SEED} links"):
        assert_equal(html)
    for page in islice(generate_demo_site().pages.values(), 40):
        assert_equal(page.html, f"https://site.example{page.path}")


@needs_kernel
def test_the_number_of_links_of_a_pagelet_is_one_or_more_and_may_be_any() -> None:
    with using("on"):
        page = Page("<p><a href=x>tea</a>", URL)
        assert [pagelet.links for pagelet in partition_pagelets(page, min_links=10**12)] == [1]
        for ask in (partition_pagelets, link_places):
            with pytest.raises(InvalidOption, match="min_links"):
                ask(page, min_links=0)
