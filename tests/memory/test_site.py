"""What a site's memory learns, page by page."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.errors import InvalidOption
from templcrawl.memory.detectors import ARRIVING
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.snapshots import written
from templcrawl.memory.states import pack
from templcrawl.page.addresses import url_key
from templcrawl.page.page import Page
from tests.memory.invariants import check
from tests.memory.pages import article, listing, prose

LINKS = MemoryOptions(link_evidence=True)


def observed(*pages: Page, options: MemoryOptions | None = None) -> SiteMemory:
    site = SiteMemory("example.org", options)
    for page in pages:
        site.observe(page)
        check(site)
    return site


def test_the_first_page_is_kept_whole_and_the_second_loses_what_both_share() -> None:
    site = SiteMemory("example.org")
    first, second = article(1), article(2)
    assert "Made by hand" in site.observe(first).content_text
    separation = site.observe(second)
    assert separation.content_text == f"Title 2\n{prose(2)}"
    assert separation.template_text.splitlines()[0] == "Home"
    assert separation.template_text.splitlines()[-1] == "Made by hand, all rights reserved"


def test_a_menu_becomes_template_on_the_second_page_and_its_links_say_so() -> None:
    site = SiteMemory("example.org", LINKS)
    assert site.observe(article(1)).template_links == ()
    assert site.links.pagelet_counts(url_key("https://example.org/news")) == (0, 1)
    observation = site.observe(article(2))
    link = observation.template_links[1]
    assert (link.url, link.text) == ("https://example.org/news", "News")
    assert {*filter(None, observation.link_pages)} == {2}
    assert len(observation.template_links) == 4
    assert site.links.pagelet_counts(url_key("https://example.org/news#team")) == (1, 0)
    assert site.links.pagelet_counts(url_key("https://example.org/unknown")) == (0, 0)


def test_a_link_that_content_also_has_is_content() -> None:
    site = observed(
        article(1), article(2), article(3, extra="<p>see <a href='/news'>the news</a></p>"), options=LINKS
    )
    assert site.links.pagelet_counts(url_key("https://example.org/news")) == (1, 1)


def value(site: SiteMemory, url: str) -> float:
    return site.links.value(site.links.classes(url))


def test_links_of_a_kind_that_led_to_nothing_new_have_a_low_yield() -> None:
    site = SiteMemory("example.org", LINKS)
    rich = "".join(f"<li><a href='/articles/{n}.html'>{n}</a>" for n in range(20))
    poor = "".join(f"<li><a href='/empty/{n}.html'>{n}</a>" for n in range(20))
    hub = f"<ul class=rich>{rich}</ul><ol class=poor>{poor}</ol>"
    site.observe(Page(hub, "https://example.org/"))
    for number in range(6):
        site.observe(article(number))
        site.observe(Page(f"<p>Nothing here<i>{number}</i>", f"https://example.org/empty/{number}.html"))
    assert value(site, "https://example.org/articles/19.html") > 1
    assert value(site, "https://example.org/empty/19.html") < 0.5
    check(site)


def test_a_near_duplicate_is_recognised_and_counts_for_nothing() -> None:
    text = prose("same", 400)
    site = observed(article(1, text=text))
    copy = Page(article(1, text=f"{text} printed").text, "https://example.org/print/1.html")
    separation = site.observe(copy)
    assert separation.repeats == article(1).key
    assert text in separation.content_text


def test_a_leaf_keeps_its_id() -> None:
    site = SiteMemory("example.org")
    pages = [article(number, extra="<hr>" * (number % 3)) for number in range(12)]
    seen = [site.observe(page) for page in pages]
    again = [site.observe(page) for page in pages]
    assert [found.leaf_id for found in again] == [found.leaf_id for found in seen]
    assert all(found.leaf_id.startswith("example.org#") for found in seen)


def test_a_page_seen_again_does_not_count_for_its_page_type() -> None:
    site = observed(*(article(number) for number in range(5)), *(article(number) for number in range(5)))
    assert [row.pages for row in site.page_types()] == [5]


def test_every_table_is_bounded() -> None:
    options = MemoryOptions(
        max_pages=7,
        max_fingerprints=2,
        max_siblings=2,
        max_sketches=3,
        max_pagelets=4,
        max_links=5,
        link_evidence=True,
    )
    site = SiteMemory("example.org", options)
    for number in range(40):
        site.observe(article(number, extra=f"<a href=/x{number}>x</a>" + "<br>" * (number % 5)))
        site.observe(listing(number))
        check(site)
    assert site.pages == 80
    size = len(pack(site.snapshot()))
    for number in range(40, 80):
        site.observe(article(number, extra=f"<a href=/x{number}>x</a>"))
    assert len(pack(site.snapshot())) < 1.2 * size


def test_a_page_judged_again_gets_the_answer_of_what_is_known_by_then() -> None:
    site = SiteMemory("example.org")
    first = site.observe(article(1))
    assert "Made by hand" in first.content_text
    site.observe(article(2))
    before = site.snapshot()
    again = site.reclassify(first)
    assert again.content_text == f"Title 1\n{prose(1)}"
    assert (again.leaf_id, again.cluster_id) == (first.leaf_id, first.cluster_id)
    assert (first.pages_known, again.pages_known) == (0, 2)
    assert site.snapshot() == before


@given(st.integers(0, 25))
@settings(deadline=None, max_examples=10)
def test_a_page_judged_twice_gets_the_same_answer(known: int) -> None:
    site = observed(*(article(number) for number in range(known)))
    page = article(99)
    first = site.observe(page)
    assert site.reclassify(first).content_spans == first.content_spans
    assert site.observe(page).content_spans == first.content_spans


@pytest.mark.parametrize("page", ["", " ", "no tags at all", "<", "<!--", "<html></html>", "\0" * 100])
def test_a_page_that_cannot_be_judged_is_an_ordinary_answer(page: str) -> None:
    site = SiteMemory("")
    for url in ("", "https://[bad", "mailto:x", "https://example.org/a"):
        separation = site.observe(Page(page, url))
        assert separation.template_links == ()
        check(site)


def test_an_option_that_is_not_accepted_is_named() -> None:
    with pytest.raises(
        InvalidOption, match="max_links = 0 is not accepted: give a whole number of 1 or more"
    ):
        MemoryOptions(max_links=0)
    with pytest.raises(InvalidOption, match="sandwich-lines"):
        MemoryOptions(detector="toast")


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("sample_salt", 0, 2**64 - 1), ("fingerprint_split", 1, 24), ("sample_pages", 1, 31)],
)
def test_an_option_takes_its_bounds_and_nothing_beyond(name: str, least: int, most: int) -> None:
    for value in (least, most):
        assert getattr(MemoryOptions(**{name: value}), name) == value
    for value in (least - 1, most + 1):
        with pytest.raises(InvalidOption, match=f"from {least} to {most}"):
            MemoryOptions(**{name: value})


def test_a_comparison_that_was_cut_short_is_reported_as_truncation() -> None:
    chance = random.Random(1)
    first, second = ("".join(f"<p>{chance.randrange(40)}" for _ in range(9_000)) for _ in range(2))
    site = observed(Page(first, "https://example.org/1"), options=MemoryOptions(detector="sandwich"))
    assert site.observe(Page(second, "https://example.org/2")).truncated == ("max_cells",)


@pytest.mark.parametrize("detector", sorted(ARRIVING))
def test_what_was_frozen_is_the_site_as_it_was_whatever_is_learned_since(detector: str) -> None:
    options = MemoryOptions(detector=detector)
    site = observed(*map(article, range(12)), *map(listing, range(6)), options=options)
    frozen, expected = site.freeze(), site.snapshot()
    other = SiteMemory.from_snapshot(written(frozen), options)
    for number in range(40, 80):
        site.observe(article(number))
        other.observe(listing(number))
    assert written(frozen) == expected != site.snapshot()
