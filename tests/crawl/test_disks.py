"""A crawl on a disk without room, or on snapshots that are not its own or cut: it goes on, and says so."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lab.bench.poisoning import paragraphs
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.snapshots import Snapshot
from templcrawl.memory.store import ALL_SITES
from templcrawl.page.page import Page
from templcrawl.state_file import JOB_FILE
from tests.crawl.crawls import ONE_LINE
from tests.crawl.small_crawls import PAGES, URLS, crawl, in_new_process, in_this_process
from tests.memory.stores import put_state, saved_in, store_in, stored_state
from tests.parts import exhaustive_but

HOST = "small.example"
ROOM = 150_000
"""Bytes that a file may have on a full disk."""


def settings_of(folder: Path) -> dict[str, Any]:
    """Return settings of a crawl that keeps what it learns."""
    return {**ONE_LINE, "JOBDIR": str(folder / "job"), "TEMPLCRAWL_CHECKPOINT_SECONDS": 1}


async def run_all(way: str, folder: Path) -> dict[str, Any]:
    """Crawl once: "full", where files have room for Scrapy's queue, but not for what was learned; "usual"."""
    if way == "full":
        resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))
    return await crawl(settings_of(folder))


def other_site(folder: Path) -> None:
    """Put the snapshot of another site into the place of the crawled one's."""
    memory = CrawlMemory(store=store_in(folder / "job"))
    memory.observe(Page("<p>words of another", "http://other.example/"))
    memory.save()
    put_state(folder / "job", HOST, stored_state(folder / "job", "other.example"))


def other_bytes(folder: Path) -> None:
    """Put what is nothing of ours into all places."""
    store_in(folder / "job")
    for host in (HOST, ALL_SITES):
        put_state(folder / "job", host, os.urandom(5_000))


def cut(folder: Path) -> None:
    """Cut what a crawl has written in half."""
    in_new_process("crawl.test_disks", "usual", str(folder))
    state = stored_state(folder / "job", HOST)
    put_state(folder / "job", HOST, state[: len(state) // 2])
    shutil.rmtree(folder / "job" / "requests.queue")
    with closing(sqlite3.connect(folder / "job" / JOB_FILE)) as connection, connection:
        connection.execute("DELETE FROM seen")


def learned(folder: Path) -> SiteMemory:
    return SiteMemory.from_snapshot(saved_in(folder / "job", HOST) or Snapshot())


@pytest.mark.exhaustive
def test_on_a_full_disk_every_page_is_crawled_and_what_was_saved_stays(tmp_path: Path) -> None:
    store = store_in(tmp_path / "job")
    memory = CrawlMemory(store=store)
    for number in range(400):
        memory.observe(Page(f"<p>{paragraphs(number)}", f"http://{HOST}/first/{number}"))
    memory.save()
    store._file.close()
    assert len(stored_state(tmp_path / "job", HOST)) > ROOM
    found = in_new_process("crawl.test_disks", "full", str(tmp_path))
    assert (found["failure"], found["reason"]) == ("", "finished")
    assert set(found["items"]) == {*URLS}
    assert found["errors"] == {"templcrawl/errors/OperationalError": 1}
    assert learned(tmp_path).pages == 400


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
    site = learned(tmp_path)
    assert (site.host, site.pages) == (HOST, PAGES)


if __name__ == "__main__":
    in_this_process(lambda: run_all(sys.argv[1], Path(sys.argv[2])))
