"""What the links of a site's pages are credited with."""

from __future__ import annotations

from sites.words import prose
from templcrawl.memory.site import SiteMemory
from templcrawl.page.page import Page

HOST = "http://paid.example"


def test_a_page_that_repeats_another_pays_the_role_of_its_links_nothing() -> None:
    """Two pages of one list: the second has the words of the first but for two, in blocks that are new."""
    first = prose("first", 400)
    words = first.split()
    second = " ".join(["other", *words[1:-1], "end"])
    site = SiteMemory("paid.example")
    site.observe(
        Page("<ul><li><a href=/1>One</a><li><a href=/2>Two</a><li><a href=/3>Three</a></ul>", f"{HOST}/")
    )
    site.observe(Page(f"<p>{first}</p>", f"{HOST}/1"))
    paid = [(role.pages, role.words) for role in site.links.largest_roles(9)]
    separation = site.observe(Page(f"<p>{second}</p>", f"{HOST}/2"))
    assert separation.near_duplicate is not None
    assert paid == [(1, 380)]
    assert [(role.pages, role.words) for role in site.links.largest_roles(9)] == [(2, 380)]
    site.observe(Page(f"<p>{prose('third', 300)}</p>", f"{HOST}/3"))
    assert [(role.pages, role.words) for role in site.links.largest_roles(9)] == [(3, 660)]
