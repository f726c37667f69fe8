"""What the links of a site's pages are credited with."""

from __future__ import annotations

import pytest

from lab.sites.words import prose
from templcrawl.errors import InvalidOption
from templcrawl.memory import site_links
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.memory_options import SECTIONS, MemoryOptions
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.visit_table import VisitTable
from templcrawl.page.page import Page

HOST = "http://paid.example"
LINKS = MemoryOptions(link_evidence=True)


def test_a_page_that_repeats_another_pays_the_role_of_its_links_nothing() -> None:
    """Two pages of one list: the second has the words of the first but for two, in blocks that are new."""
    first = prose("first", 400)
    words = first.split()
    second = " ".join(["other", *words[1:-1], "end"])
    site = SiteMemory("paid.example", LINKS)
    site.observe(
        Page("<ul><li><a href=/1>One</a><li><a href=/2>Two</a><li><a href=/3>Three</a></ul>", f"{HOST}/")
    )
    site.observe(Page(f"<p>{first}</p>", f"{HOST}/1"))
    paid = [(role.pages, role.words) for role in site.links.largest_roles(9)]
    separation = site.observe(Page(f"<p>{second}</p>", f"{HOST}/2"))
    assert separation.near_duplicate
    assert paid == [(1, 380)]
    assert [(role.pages, role.words) for role in site.links.largest_roles(9)] == [(2, 380)]
    site.observe(Page(f"<p>{prose('third', 300)}</p>", f"{HOST}/3"))
    assert [(role.pages, role.words) for role in site.links.largest_roles(9)] == [(3, 660)]


def test_a_page_leads_on_if_it_has_several_links_of_its_site_and_none_that_an_earlier_page_has() -> None:
    site = SiteMemory("paid.example", LINKS)

    def leads_on(path: str, *targets: str) -> bool:
        links = "".join(f"<li><a href={target}>to {target}</a>" for target in targets)
        return site.observe(Page(f"<ul>{links}</ul>", f"{HOST}{path}")).leads_on

    assert leads_on("/", "/1", "/2", "/3")
    assert leads_on("/1", "/4", "/5", "/6", "/1"), "a link to itself does not count"
    assert not leads_on("/2", "/7", "/8", "/9", "/6"), "the last one is of an earlier page"
    assert not leads_on("/3", "/10", "/11"), "two are few"
    assert not leads_on("/4", "/12", "/13", "http://other.example/"), "two of its site are few"
    assert not leads_on("/1", "/14", "/15", "/16"), "it was seen before"


def test_links_of_a_class_that_looks_generated_are_worth_nothing_and_its_pages_that_lead_on_pay_nothing() -> (
    None
):
    """A maze beside a page with one link; then a page of the maze that links back is paid."""
    site = SiteMemory("paid.example", LINKS)
    site.observe(Page(f"<ul>{_items('/maze/0', '/maze/1', '/maze/2', '/tea')}</ul>", f"{HOST}/"))

    def pay(path: str, *targets: str) -> int | None:
        page = Page(f"<p>{prose(path, 120)}</p><ul>{_items(*targets)}</ul>", f"{HOST}{path}")
        return site.observe(page).pay

    pays = [pay(f"/maze/{at}", *(f"/maze/{10 * at + n}" for n in (3, 4, 5))) for at in range(100, 112)]
    assert pays == [109] * 10 + [0] * 2, "the first is not counted, as nothing had paid before"
    maze, tea = site.links.classes(f"{HOST}/maze/1003"), site.links.classes(f"{HOST}/tea")
    assert site.links.value(maze) == 0 < 0.8 < site.links.value(tea)
    assert site.links.generated_classes(Page("", f"{HOST}/maze/7")) == [maze.directory]
    assert [pay(f"/maze/{at}", "/tea") for at in (300, 301)] == [100, 100]
    assert site.links.value(maze) > 0.5, "11 of 13 lead on"


def _items(*targets: str) -> str:
    return "".join(f"<li><a href={target}>to {target}</a>" for target in targets)


def test_links_are_no_evidence_unless_that_is_asked_for() -> None:
    site, page = SiteMemory("paid.example"), Page(f"<ul>{_items('/1', '/2', '/3')}</ul>", f"{HOST}/")
    for _ in range(3):
        observation = site.observe(page)
        assert (observation.leads_on, observation.pay, observation.template_links) == (False, None, ())


def test_without_evidence_about_links_few_targets_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_links, "MAX_REACHED", 4)
    pages = [Page(f"<ul>{_items(*(f'/{page}/{n}' for n in range(9)))}</ul>", HOST) for page in range(5)]
    targets = [target for page in pages for target in page.links.keys]
    for has_evidence in (True, False):
        site = SiteMemory("paid.example", MemoryOptions(link_evidence=has_evidence))
        for page in pages:
            site.observe(page)
        kept = sum(target in site.links._links for target in targets)
        assert (kept == len(targets)) == has_evidence


OWN = {"targets": {"names": ("tea",)}, "topic": {"names": lambda text: "2" in text}, "visits": {"began": 1}}


@pytest.mark.parametrize("section", SECTIONS)
def test_what_a_section_learns_is_restored_and_the_site_has_it_no_more_where_nothing_asks_for_it(
    section: str,
) -> None:
    options = MemoryOptions(sections={section: OWN.get(section, {})}, sample_salt=0)
    site = SiteMemory("paid.example", options)
    for number in range(4):
        page = Page(f"<ul>{_items('/a/1', '/a/2', '/a/3')}</ul><p>{number}", f"{HOST}/a/{number}")
        site.observe(page, {"relevance": 0.5, "page_type": "tea"})
        site.observe_elsewhere(page, {"relevance": 0.5})
        if (visits := site.get(VisitTable)) is not None:
            visits.count(page.key, 0, number, 2)
    again = SiteMemory.from_snapshot(site.snapshot(), options)
    assert again.snapshot() == site.snapshot()
    other = SiteMemory.from_snapshot(site.snapshot(), MemoryOptions(sample_salt=0))
    assert not [name for name in other.snapshot() if name.startswith(f"{section}/")]
    assert SiteMemory.from_snapshot(other.snapshot(), options).snapshot() != site.snapshot()


def test_options_that_a_section_has_not_are_refused() -> None:
    with pytest.raises(InvalidOption, match=r"sections\['changes'\].*limt"):
        CrawlMemory(sections={"changes": {"limt": 7}})
    with pytest.raises(InvalidOption, match="is 'changes' meant"):
        MemoryOptions(sections={"change": {}})
