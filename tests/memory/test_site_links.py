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


def test_a_page_leads_on_if_it_has_several_links_of_its_site_and_none_that_an_earlier_page_has() -> None:
    site = SiteMemory("paid.example")

    def leads_on(path: str, *targets: str) -> bool:
        links = "".join(f"<li><a href={target}>to {target}</a>" for target in targets)
        return site.observe(Page(f"<ul>{links}</ul>", f"{HOST}{path}")).leads_on

    assert leads_on("/", "/1", "/2", "/3")
    assert leads_on("/1", "/4", "/5", "/6", "/1"), "a link to itself does not count"
    assert not leads_on("/2", "/7", "/8", "/9", "/6"), "the last one is of an earlier page"
    assert not leads_on("/3", "/10", "/11"), "two are few"
    assert not leads_on("/4", "/12", "/13", "http://other.example/"), "two of its site are few"
    assert not leads_on("/1", "/14", "/15", "/16"), "it was seen before"
