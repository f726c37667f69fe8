"""A page judged by the memory that a crawl has left."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.sites.menu_site import MENU, TEMPLATE, page, path_of
from templcrawl.errors import InvalidOption, InvalidSnapshot
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.learned_site import separate_by_memory, separate_by_pages
from templcrawl.memory.options import MemoryOptions
from templcrawl.page.page import Page
from templcrawl.state_file import JOB_FILE
from tests.memory.stores import put_state, store_in, stored_state


def learned(folder: Path, detector: str = "vote") -> Path:
    """Leave the memory of a crawl of the site."""
    store = store_in(folder)
    memory = CrawlMemory(detector=detector, store=store)
    for name in (*MENU, "one", "two", "three"):
        memory.observe(Page(page(name), f"http://tea.example{path_of(name)}"))
    memory.save()
    store._file.close()
    return folder


@pytest.mark.parametrize("detector", ["vote", "sandwich"])
def test_the_memory_judges_by_the_detector_that_it_learned_with(detector: str, tmp_path: Path) -> None:
    key = Page(page("article"), "http://tea.example/article.html")
    separation = separate_by_memory(key, str(learned(tmp_path, detector)), MemoryOptions())
    assert tuple(separation.template_text.split("\n")) == TEMPLATE


def test_a_memory_without_the_site_is_refused(tmp_path: Path) -> None:
    key = Page("<p>x", "http://other.example/")
    for job in (tmp_path / "none", learned(tmp_path / "job")):
        with pytest.raises(InvalidOption, match=r"seen other\.example"):
            separate_by_memory(key, str(job), MemoryOptions())
    assert not (tmp_path / "none").exists()


def test_a_damaged_memory_is_reported(tmp_path: Path) -> None:
    job = learned(tmp_path)
    put_state(job, "tea.example", stored_state(job, "tea.example")[:-5])
    with pytest.raises(InvalidSnapshot, match="damaged"):
        separate_by_memory(Page("<p>x", "http://tea.example/"), str(job), MemoryOptions())


def test_a_running_crawl_is_not_kept_waiting_and_one_at_rest_is_left_as_it_is(tmp_path: Path) -> None:
    key = Page("<p>x", "http://tea.example/")
    store = store_in(learned(tmp_path))
    state = stored_state(tmp_path, "tea.example")
    store.write("tea.example", b"half of a transaction")
    separate_by_memory(key, str(tmp_path), MemoryOptions())
    store.write("tea.example", state)
    store.commit()
    store._file.close()
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    separate_by_memory(key, str(tmp_path), MemoryOptions())
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert [*before] == [JOB_FILE]


def test_the_sample_that_a_crawl_drew_by_its_own_salt_is_asked(tmp_path: Path) -> None:
    memory = CrawlMemory(store=store_in(tmp_path), sample_salt=2**62 + 1)
    for name in (*MENU, "one", "two", "three"):
        memory.observe(Page(page(name), f"http://tea.example{path_of(name)}"))
    memory.save()
    key = Page(page("article"), "http://tea.example/article.html")
    shares = separate_by_memory(key, str(tmp_path), MemoryOptions()).run_shares
    assert shares is not None
    assert shares.max() == 1


def test_a_page_is_separated_by_a_few_others() -> None:
    key = Page(page("article"), "http://tea.example/article.html")
    siblings = [Page(page(name), f"http://tea.example{path_of(name)}") for name in MENU]
    separation = separate_by_pages(key, siblings, MemoryOptions())
    assert tuple(separation.template_text.split("\n")) == TEMPLATE
