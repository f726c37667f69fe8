"""What is kept of the pages is what one gets by hand, comes back as it was, and stays within its bounds."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from templcrawl.outputs.report import figures as module
from templcrawl.outputs.report.figures import (
    MAX_BYTES,
    MAX_CHARACTERS,
    MAX_OF_LEAF,
    MAX_SAMPLED,
    OTHERS,
    CrawlFigures,
    LearningCurve,
    ListedPage,
    SiteFigures,
    Tally,
)
from tests.outputs.report.sites import separated, tiny_site
from tests.strategies import soups


def figures_of(hosts: list[str], **limits: int) -> CrawlFigures:
    figures = CrawlFigures(**limits)
    for number, host in enumerate(hosts):
        figures.count_page(separated("[<p>x</p>]", f"http://{host}/{number}", leaf_id="l"))
    return figures


def test_a_tiny_site_by_hand() -> None:
    figures = CrawlFigures()
    for separation in tiny_site():
        figures.count_page(separation)
    assert figures.total == Tally(
        pages=3,
        content=9,
        whole=20,
        shares=0.6 + 0.5,
        template_links=3,
        links=4,
        near_duplicates=1,
        truncated=1,
    )
    assert figures.total.template_share == pytest.approx(11 / 20)
    assert figures.total.mean_share == pytest.approx(1.1 / 3)
    assert figures.total.link_share == 3 / 4
    assert {host: tally.pages for host, tally in figures.sites().items()} == {
        "tiny.example": 2,
        "other.example": 1,
    }
    site = figures.details["tiny.example"]
    assert [round(share, 3) for _, share in site.curve.points()] == [0.6, 0.55]
    (group,) = site.page_types(lambda leaf: "/*").values()
    assert (group.tally.pages, group.example) == (2, "http://tiny.example/1")
    assert [group.tally.pages for group in site.page_types(str).values()] == [1, 1]


@given(st.lists(st.sampled_from("abcdefgh"), max_size=60))
def test_with_room_every_site_is_told_apart(hosts: list[str]) -> None:
    figures = figures_of(hosts)
    assert {host: tally.pages for host, tally in figures.sites().items()} == Counter(hosts)
    assert figures.rest_sites == 0
    assert set(figures.details) == set(hosts)


@given(st.lists(st.sampled_from("abcdefgh"), max_size=60), st.integers(1, 5), st.integers(1, 3))
def test_without_room_no_page_is_lost(hosts: list[str], most_sites: int, most_detailed: int) -> None:
    figures = figures_of(hosts, sites=most_sites, detailed=most_detailed)
    sites = figures.sites()
    assert len(sites) <= most_sites
    assert set(figures.details) <= set(sites)
    assert sum(tally.pages for tally in sites.values()) + figures.rest.pages == len(hosts)
    assert len(figures.details) <= most_detailed
    assert list(sites.values()) == sorted(sites.values(), key=lambda tally: -tally.pages)


def test_the_smaller_half_of_the_sites_becomes_the_rest() -> None:
    figures = figures_of(["a", "a", "b", "c", "c", "d", "e"], sites=4)
    assert (list(figures.sites()), figures.rest_sites, figures.rest.pages) == (["a", "c", "e"], 2, 2)


def test_a_site_that_outgrows_another_gets_its_details() -> None:
    figures = figures_of(["a", "b", "b"], detailed=1)
    assert list(figures.details) == ["b"]
    assert len(figures.details["b"].curve.points()) == 1


def test_a_site_with_too_many_leaves_loses_the_names_of_small_ones_and_no_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_LEAVES", 64)
    site = SiteFigures()
    for number in range(192):
        for leaf in ("large", str(number)):
            site.count_page(separated("x", f"http://a/{leaf}/{number}", leaf_id=leaf))
        assert len(site._leaves) <= 64
        assert_bounded(site)
    assert sum(page.leaf_id == "large" for page in site.sample()) == MAX_OF_LEAF
    found = site.page_types(lambda leaf: f"type of {leaf}")
    assert sum(group.tally.pages for group in found.values()) == 384
    assert found["type of large"].tally.pages == 192
    assert found[OTHERS].tally.pages > 64


_pages = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda two: (min(two), max(two))), max_size=80
)


@given(_pages, st.sampled_from([2, 4, 10]))
def test_it_is_what_the_pages_so_far_sum_up_to(pages: list[tuple[int, int]], most: int) -> None:
    curve = LearningCurve(most=most)
    for kept, whole in pages:
        curve.count_page(kept, whole)
    assert len(curve.points()) <= most
    assert len(pages) <= curve.width * most
    assert curve.width == 1 or len(pages) > curve.width * most // 2
    expected = []
    for start in range(0, len(pages), curve.width):
        so_far = pages[: start + curve.width]
        whole = sum(whole for _, whole in so_far)
        if whole:
            expected.append((len(so_far), 1 - sum(kept for kept, _ in so_far) / whole))
    assert [pages for pages, _ in curve.points()] == [pages for pages, _ in expected]
    assert [share for _, share in curve.points()] == pytest.approx([share for _, share in expected])


def test_a_listed_page_by_hand() -> None:
    figures = CrawlFigures()
    figures.count_page(separated("<nav>Menu12</nav>[<p>four</p>]", "http://a.org/1", leaf_id="a.org#l"))
    (page,) = figures.pages()
    assert page == ListedPage("http://a.org/1", "a.org", "a.org#l", 4, 10)
    assert page.share == 0.6


def test_a_page_that_was_read_twice_is_listed_once_as_it_was_judged_last() -> None:
    figures = CrawlFigures()
    for html in ("[<p>four</p>]", "<p>four</p>"):
        figures.count_page(separated(html, "http://a.org/1"))
    assert [page.content for page in figures.pages()] == [0]


@given(st.lists(st.integers(0, 60), max_size=80), st.integers(1, 9))
def test_those_with_the_smallest_keys_are_listed(numbers: list[int], most: int) -> None:
    figures, urls = CrawlFigures(listed=most), {}
    for number in numbers:
        page = separated("x", f"http://a/{number}")
        figures.count_page(page)
        urls[page.page.key] = page.page.url
        assert len(figures._listed) <= 2 * most
    expected = [urls[key] for key in sorted(urls)[:most]]
    assert [page.url for page in figures.pages()] == sorted(expected)


def assert_bounded(site: SiteFigures, most_bytes: int = MAX_BYTES) -> None:
    """Assert that no more is kept than may be."""
    pages = site.sample()
    assert sum(page.size for page in pages) <= most_bytes
    assert len(pages) <= MAX_SAMPLED
    assert max(Counter(page.leaf_id for page in pages).values(), default=0) <= MAX_OF_LEAF
    assert all(site._sampled.values())


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 30)), max_size=60))
def test_of_a_leaf_the_pages_with_the_smallest_keys_are_kept(pages: list[tuple[str, int]]) -> None:
    site, keys = SiteFigures(), {}
    for leaf, number in pages:
        page = separated("x", f"http://a/{leaf}/{number}", leaf_id=leaf)
        site.count_page(page)
        keys[page.page.key] = leaf
    assert_bounded(site)
    for leaf in "abc":
        expected = sorted(key for key, its in keys.items() if its == leaf)[:MAX_OF_LEAF]
        assert [page.key for page in site.sample() if page.leaf_id == leaf] == expected


def test_the_smallest_leaves_go_first() -> None:
    site = SiteFigures()
    for number in range(3 * MAX_SAMPLED):
        site.count_page(separated("x", f"http://a/{number}", leaf_id=str(number)))
        site.count_page(separated("x", f"http://a/large/{number}", leaf_id="large"))
        assert_bounded(site)
    assert Counter(page.leaf_id for page in site.sample())["large"] == MAX_OF_LEAF


@given(soups, st.booleans())
@example("a\ud800b", False)
def test_a_page_comes_back_as_it_was(html: str, is_content: bool) -> None:
    before = separated(f"[{html}" if is_content else html, "http://a/\ud800", leaf_id="l")
    site = SiteFigures()
    site.count_page(before)
    ((after,),) = [[page.observation() for page in site.sample()]]
    assert after.page.text == before.page.text
    assert after.content_mask == before.content_mask
    assert after.leaf_id == "l"


def test_very_large_pages_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    site = SiteFigures()
    site.count_page(separated("x" * (MAX_CHARACTERS + 1), "http://a/"))
    monkeypatch.setattr(module, "MAX_OF_PAGE", 10)
    site.count_page(separated("one two three", "http://a/"))
    assert not site.sample()


def test_the_bytes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 300)
    site = SiteFigures()
    for number in range(40):
        site.count_page(separated(f"page {number} " * 3, f"http://a/{number}", leaf_id=str(number % 9)))
        assert_bounded(site, most_bytes=300)
    assert site.sample()
