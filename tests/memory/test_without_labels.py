"""A memory that labels no pages, or stores no evidence about links: the rest of its answers are the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.sites.generated import generate_demo_site
from templcrawl.errors import InvalidOption
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.learned_site import LearnedLabels
from templcrawl.memory.learned_site import separate_by_memory
from templcrawl.memory.observation import Observation
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.store import FolderStore
from templcrawl.page.page import Page

HOST = "a.example"
PAGES = [(f"http://{HOST}{path}", page.html) for path, page in [*generate_demo_site().pages.items()][:60]]


def observe(memory: CrawlMemory) -> list[Observation]:
    return [memory.observe(Page(html, url)) for url, html in PAGES]


@pytest.fixture(scope="module")
def labelled() -> list[Observation]:
    return observe(CrawlMemory(sample_salt=0))


def answers(page: Observation) -> tuple[object, ...]:
    return page.content_spans, page.link_pages, page.near_duplicate, page.cluster_id, page.pay


def test_pages_without_labels_are_separated_as_with_them(
    labelled: list[Observation], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("structure", "anchor_paths"):
        monkeypatch.setattr(Page, name, property(lambda page: pytest.fail("it is not needed")))
    memory = CrawlMemory(sample_salt=0, labels="off")
    pages = observe(memory)
    assert list(map(answers, pages)) == list(map(answers, labelled))
    assert {(page.template_id, page.leaf_id) for page in pages} == {("", "")}
    site = memory.site(HOST)
    assert (site.templates(), site.final_labels()) == ({}, {})
    assert memory.resolve(f"{HOST}#0123456789ab") == f"{HOST}#0123456789ab"
    again = memory.reclassify(pages[0])
    assert (again.pages_known, again.leaf_id, again.template_id) == (60, "", "")
    assert again.separation is not pages[0].separation
    assert CrawlMemory(labels="off").reclassify(pages[0]) is pages[0]


def test_a_label_that_a_page_was_assigned_stays() -> None:
    page = Page("<p>tea", f"http://{HOST}/")
    page.assigned_label = "news"
    assert CrawlMemory(labels="off").observe(page).template_id == "news"


@pytest.mark.parametrize(("before", "after"), [("on", "off"), ("off", "on"), ("off", "off")])
def test_labels_can_be_switched_between_two_runs_of_a_job(
    before: str, after: str, labelled: list[Observation], tmp_path: Path
) -> None:
    memory = CrawlMemory(labels=before, store=FolderStore(tmp_path))
    observe(memory)
    memory.save()
    errors: list[object] = []
    again = CrawlMemory(labels=after, store=FolderStore(tmp_path), on_unreadable=errors.append)
    url, html = PAGES[30]
    page = again.observe(Page(html, url))
    assert not errors
    assert page.pages_known == 60
    assert bool(page.leaf_id) is bool(again.site(HOST).templates()) is (after == "on")
    again.site(HOST).validate()
    if after == "off":
        assert page.content_text == memory.observe(Page(html, url)).content_text


def test_a_finished_crawl_without_labels_separates_pages_and_names_none(tmp_path: Path) -> None:
    memory = CrawlMemory(labels="off", store=FolderStore(tmp_path / "templcrawl"))
    observe(memory)
    memory.save()
    url, html = PAGES[30]
    seen = separate_by_memory(Page(html, url), str(tmp_path), MemoryOptions())
    assert seen.content_text == memory.observe(Page(html, url)).content_text
    labels = LearnedLabels(str(tmp_path))
    assert labels.resolve([f"{HOST}#0123456789ab"]) == {f"{HOST}#0123456789ab": None}
    assert labels.template_of(Page(html, url)) == ""


def test_a_memory_without_evidence_about_links_counts_pagelets_and_files_nothing(
    labelled: list[Observation],
) -> None:
    memory = CrawlMemory(sample_salt=0, link_evidence=False)
    assert list(map(answers, observe(memory))) == list(map(answers, labelled))
    snapshot = memory.site(HOST).links.snapshot()
    assert snapshot["pagelets"] == _site_of(labelled).links.snapshot()["pagelets"]
    assert not memory.link_evidence(HOST, PAGES[30][0]).is_known
    assert not len(memory.site(HOST).links._links)


def _site_of(pages: list[Observation]) -> SiteMemory:
    site = SiteMemory(HOST, MemoryOptions(sample_salt=0))
    for page in pages:
        site.observe(page.page)
    return site


def test_other_values_are_refused() -> None:
    with pytest.raises(InvalidOption, match="labels = 'maybe' is not accepted: give one of on, off"):
        MemoryOptions(labels="maybe")
    with pytest.raises(InvalidOption, match="link_evidence"):
        MemoryOptions(link_evidence=1)  # type: ignore[arg-type]


def test_an_example_is_refused_as_every_page_would_be_like_it() -> None:
    memory = CrawlMemory(labels="off")
    example = memory.observe(Page.from_html("<title>x</title><p>tea", "http://a.example/1"))
    with pytest.raises(
        InvalidOption, match="labels = 'off' is not accepted: give 'on', which add_target needs"
    ):
        memory.add_target(example)
