"""A generated site that is edited each week is the same as HTML as in a simulation."""

from __future__ import annotations

import pytest

from lab.sites.weekly import LAYOUTS, PATTERNS, WeeklySite, html_pages, is_listing
from templcrawl.page.page import Page


@pytest.mark.parametrize("layout", LAYOUTS)
def test_pages_link_to_what_the_state_says(layout: str) -> None:
    state = WeeklySite(60, 0.3, "listing", layout, 1).state()
    start = next(iter(state))
    menu = {start, *state[start][1]}
    for url, html in html_pages(state, 1).items():
        assert {*Page(html, url).links.urls} == menu | {*state[url][1]}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_page_is_another_where_its_content_is_and_only_there(pattern: str) -> None:
    site = WeeklySite(60, 0.3, pattern, "areas", 2)
    before = site.state()
    site.live()
    after = site.state()
    old, new = html_pages(before, 2), html_pages(after, 2)
    both = [url for url in before if url in after and before[url][1] == after[url][1]]
    changed = {url for url in both if before[url][0] != after[url][0]}
    assert {url for url in both if old[url] != new[url]} == changed
    assert {url for url in changed if not is_listing(url)}
    banners = html_pages(after, 2, banner=1)
    assert all(banners[url] != new[url] for url in after)
