"""Figures are the sums that one gets by hand, and stay within their bounds."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.outputs.report.figures import MOST_LEAVES, OTHERS, CrawlFigures, SiteFigures, Tally
from tests.outputs.report.sites import separated, tiny_site


def figures_of(hosts: list[str], **limits: int) -> CrawlFigures:
    figures = CrawlFigures(**limits)
    for number, host in enumerate(hosts):
        figures.update(separated("[<p>x</p>]", f"http://{host}/{number}", leaf_id="l"))
    return figures


def test_a_tiny_site_by_hand() -> None:
    figures = CrawlFigures()
    for separation in tiny_site():
        figures.update(separation)
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
    site = figures.details("tiny.example")
    assert site is not None
    assert [round(point.share, 3) for point in site.curve.points()] == [0.6, 0.55]
    (group,) = site.page_types(lambda leaf: "/*").values()
    assert (group.tally.pages, group.example) == (2, "http://tiny.example/1")
    assert [group.tally.pages for group in site.page_types(str).values()] == [1, 1]


def test_nothing_was_seen() -> None:
    assert Tally().template_share == Tally().mean_share == Tally().link_share == 0


@given(st.lists(st.sampled_from("abcdefgh"), max_size=60))
def test_with_room_every_site_is_told_apart(hosts: list[str]) -> None:
    figures = figures_of(hosts)
    assert {host: tally.pages for host, tally in figures.sites().items()} == Counter(hosts)
    assert figures.rest_sites == 0
    assert all(figures.details(host) for host in hosts)


@given(st.lists(st.sampled_from("abcdefgh"), max_size=60), st.integers(1, 5), st.integers(1, 3))
def test_without_room_no_page_is_lost(hosts: list[str], most_sites: int, most_detailed: int) -> None:
    figures = figures_of(hosts, most_sites=most_sites, most_detailed=most_detailed)
    sites = figures.sites()
    assert len(sites) <= most_sites
    assert sum(tally.pages for tally in sites.values()) + figures.rest.pages == len(hosts)
    assert sum(figures.details(host) is not None for host in "abcdefgh") <= most_detailed
    assert list(sites.values()) == sorted(sites.values(), key=lambda tally: -tally.pages)


def test_a_site_that_outgrows_another_gets_its_details() -> None:
    figures = figures_of(["a", "b", "b"], most_detailed=1)
    assert figures.details("a") is None
    found = figures.details("b")
    assert found is not None
    assert len(found.curve.points()) == 1


def test_a_site_with_too_many_leaves_loses_the_names_of_small_ones_and_no_page() -> None:
    site = SiteFigures()
    for number in range(3 * MOST_LEAVES):
        for leaf in ("large", str(number)):
            site.update(separated("x", f"http://a/{leaf}", leaf_id=leaf))
        assert len(site._leaves) <= MOST_LEAVES
    found = site.page_types(lambda leaf: f"type of {leaf}")
    assert sum(group.tally.pages for group in found.values()) == 6 * MOST_LEAVES
    assert found["type of large"].tally.pages == 3 * MOST_LEAVES
    assert found[OTHERS].tally.pages > MOST_LEAVES
