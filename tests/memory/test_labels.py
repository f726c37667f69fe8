"""Labels: the last word on all of them, those that a crawl has given before, and those in a JOBDIR."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from templcrawl.memory.labels import TemplateLabels

from lab.sites.generated import generate_demo_site
from templcrawl.errors import InvalidOption, InvalidSnapshot
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.learned_site import LearnedLabels
from templcrawl.memory.observation import Observation
from templcrawl.memory.store import FolderStore, SiteFolder
from templcrawl.page.page import Page

PAGES = [
    (f"http://{host}{path}", page.html)
    for path, page in [*generate_demo_site().pages.items()][:70]
    for host in ("a.example", "b.example")
]


NO_NAMES = ("f" * 13, "f" * 40, "-00000000005", "0x00000000ff", "1_0000000000", " 00000000001", "5", "")


def observed(memory: CrawlMemory, pages: Iterable[tuple[str, str]] = PAGES) -> list[Observation]:
    return [memory.observe(Page(html, url)) for url, html in pages]


def test_the_last_words_are_what_resolve_says_of_every_label() -> None:
    memory = CrawlMemory(sample_salt=0)
    pages = observed(memory)
    words = {label: current for site in memory for label, current in site.final_labels().items()}
    given = {label for page in pages for label in (page.leaf_id, page.template_id)}
    assert given <= {*words}
    assert words == {label: memory.resolve(label) for label in words}
    assert any(words[page.leaf_id] != page.template_id for page in pages)


def test_there_are_none_of_nothing() -> None:
    assert TemplateLabels("a.example").final_labels() == {}


def test_a_template_that_was_given_stays_and_names_what_is_found_with_most_of_its_pages() -> None:
    labels = TemplateLabels("a.example")
    pages = [Page(html, url) for url, html in PAGES if "a.example" in url]
    types = [labels.label(page, learn=True).leaf_id for page in pages]
    found = {leaf: labels.resolve(leaf) for leaf in types}
    names = {template: f"a.example#{number:012x}" for number, template in enumerate(found.values(), 1)}
    largest, again = Counter(found[leaf] for leaf in types).most_common(1)[0][0], TemplateLabels("a.example")
    without = [found[leaf] for leaf in types].index(largest)
    for number, (page, leaf) in enumerate(zip(pages, types)):
        page.assigned_label = names[found[leaf]] if number != without else ""
        told = again.label(page, learn=True)
        assert told.leaf_id == leaf
        assert told.template_id == page.assigned_label or number == without
    assert {leaf: again.resolve(leaf) for leaf in types} == {leaf: names[found[leaf]] for leaf in types}
    assert {again.resolve(name) for name in names.values()} == {*names.values()}


def test_what_is_no_label_names_nothing() -> None:
    labels, page = TemplateLabels("a.example"), Page(PAGES[0][1], PAGES[0][0])
    page.assigned_label = "no label"
    leaf = labels.label(page, learn=True).leaf_id
    assert labels.resolve(leaf) == TemplateLabels("a.example").label(Page(page.text, page.url), learn=True)[2]


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """A JOBDIR, but for the queues."""
    memory = CrawlMemory(sample_salt=0, store=FolderStore(tmp_path / "templcrawl"))
    observed(memory)
    memory.save()
    return tmp_path


def test_a_jobdir_knows_the_template_of_a_page_in_any_order(job: Path) -> None:
    memory = CrawlMemory(sample_salt=0)
    pages = observed(memory)
    words = {page.page.url: memory.resolve(page.leaf_id) for page in pages}
    learned = LearnedLabels(str(job))
    assert {url: learned.template_of(Page(html, url)) for url, html in reversed(PAGES)} == words
    assert len({*words.values()}) > 6


@pytest.mark.exhaustive
@pytest.mark.parametrize(("budget", "loads"), [(2**26, 120), (0, 240)])
def test_each_site_is_read_once_as_long_as_there_is_room(
    budget: int, loads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = CrawlMemory(sample_salt=0, store=FolderStore(tmp_path / "templcrawl"))
    pages = [(f"http://{number}.example/", "<p>tea") for number in range(120)]
    observed(memory, pages)
    memory.save()
    read: list[str] = []
    load = SiteFolder.load
    monkeypatch.setattr(SiteFolder, "load", lambda store, host: read.append(host) or load(store, host))
    learned = LearnedLabels(str(tmp_path), budget=budget)
    for url, html in pages * 2:
        assert learned.template_of(Page(html, url))
    assert len(read) == loads


def test_a_jobdir_knows_nothing_of_other_sites_and_writes_nothing(job: Path) -> None:
    before = sorted(path.stat().st_mtime_ns for path in job.rglob("*"))
    learned = LearnedLabels(str(job))
    assert learned.template_of(Page(PAGES[0][1], "http://c.example/")) == ""
    assert learned.resolve(["c.example#0123456789ab"]) == {"c.example#0123456789ab": None}
    assert sorted(path.stat().st_mtime_ns for path in job.rglob("*")) == before


def test_a_damaged_memory_and_no_memory_are_refused(job: Path, tmp_path: Path) -> None:
    path = FolderStore(job / "templcrawl").path("a.example")
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InvalidSnapshot):
        LearnedLabels(str(job)).template_of(Page(PAGES[0][1], PAGES[0][0]))
    with pytest.raises(InvalidOption, match="JOBDIR"):
        LearnedLabels(str(tmp_path / "none"))


@pytest.mark.parametrize("name", NO_NAMES)
def test_what_is_no_label_names_nothing_and_the_memory_can_be_saved(name: str, tmp_path: Path) -> None:
    memory = CrawlMemory(store=FolderStore(tmp_path), sample_salt=0)
    plain = TemplateLabels("a.example")
    for url, html in PAGES[:20:2]:
        page = Page(html, url)
        page.assigned_label = f"a.example#{name}"
        seen = memory.observe(page)
        assert seen.template_id == page.assigned_label
        page.assigned_label = ""
        plain.label(page, learn=True)
    assert memory.save() == 1
    assert memory.site("a.example").templates() == plain.templates()
    CrawlMemory(store=FolderStore(tmp_path)).site("a.example").validate()
