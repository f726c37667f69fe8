"""A crawl on a disk without room, or on snapshots that are not its own or cut: it goes on, and says so."""

from __future__ import annotations

import os
import resource
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from lab.bench.poisoning import paragraphs
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.store import ALL_SITES, FolderStore
from templcrawl.page.page import Page
from tests.crawl.crawls import ONE_LINE
from tests.crawl.small_crawls import PAGES, URLS, crawl, in_new_process, in_this_process
from tests.parts import exhaustive_but

HOST = "small.example"
ROOM = 8_000
"""Bytes that a file may have on a full disk."""


def settings_of(folder: Path) -> dict[str, Any]:
    """Return settings of a crawl that keeps what it learns."""
    return {**ONE_LINE, "JOBDIR": str(folder / "job"), "TEMPLCRAWL_CHECKPOINT_SECONDS": 1}


async def run_all(way: str, folder: Path) -> dict[str, Any]:
    """Crawl once: "full", where files have room for Scrapy's queue, but not for what was learned; "usual"."""
    if way == "full":
        resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))
    return await crawl(settings_of(folder))


def saved(folder: Path) -> FolderStore:
    return FolderStore(folder / "job" / "templcrawl")


def other_site(folder: Path) -> None:
    """Put the snapshot of another site into the place of the crawled one's."""
    memory = CrawlMemory(store=saved(folder))
    memory.observe(Page("<p>words of another", "http://other.example/"))
    memory.save()
    store = saved(folder)
    store.path("other.example").rename(store.path(HOST))


def other_bytes(folder: Path) -> None:
    """Put what is nothing of ours into all places."""
    for host in (HOST, ALL_SITES):
        saved(folder).path(host).write_bytes(os.urandom(5_000))


def cut(folder: Path) -> None:
    """Cut what a crawl has written in half."""
    in_new_process("crawl.test_disks", "usual", str(folder))
    path = saved(folder).path(HOST)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    shutil.rmtree(folder / "job" / "requests.queue")
    (folder / "job" / "requests.seen").unlink()


@pytest.mark.exhaustive
def test_on_a_full_disk_every_page_is_crawled_and_what_was_saved_stays(tmp_path: Path) -> None:
    memory = CrawlMemory(store=saved(tmp_path))
    for number in range(40):
        memory.observe(Page(f"<p>{paragraphs(number)}", f"http://{HOST}/first/{number}"))
    memory.save()
    assert saved(tmp_path).path(HOST).stat().st_size > ROOM
    found = in_new_process("crawl.test_disks", "full", str(tmp_path))
    assert (found["failure"], found["reason"]) == ("", "finished")
    assert set(found["items"]) == {*URLS}
    assert found["errors"].keys() == {"templcrawl/errors/OSError"}
    assert sum("File too large" in text for text in found["log"]) == 1
    site = CrawlMemory(store=saved(tmp_path)).get_site(HOST)
    assert site is not None
    assert site.pages == 40
    assert not [*(tmp_path / "job" / "templcrawl").glob("*.part")]


@pytest.mark.parametrize(
    "damage",
    exhaustive_but([other_bytes], [other_site, other_bytes, cut]),
    ids=lambda damage: damage.__name__,
)
def test_a_snapshot_that_is_foreign_or_cut_is_said_and_learned_anew(damage: Any, tmp_path: Path) -> None:
    damage(tmp_path)
    found = in_new_process("crawl.test_disks", "usual", str(tmp_path))
    assert (found["failure"], found["reason"], found["errors"]) == ("", "finished", {})
    assert set(found["items"]) == {*URLS}
    site = CrawlMemory(store=saved(tmp_path)).get_site(HOST)
    assert site is not None
    assert (site.host, site.pages) == (HOST, PAGES)


if __name__ == "__main__":
    in_this_process(lambda: run_all(sys.argv[1], Path(sys.argv[2])))
