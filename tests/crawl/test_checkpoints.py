"""What was learned is written by a thread, in order, whole, while the crawl goes on."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Semaphore, Thread
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy.utils.test import get_crawler

from lab.sites.server import LocalSite
from templcrawl.crawl.checkpoints import _AHEAD, _MAX_PENDING, BackgroundStore, Checkpoints
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.snapshot_parts import Frozen
from templcrawl.memory.snapshot_values import Snapshot
from templcrawl.memory.store import FolderStore
from templcrawl.outputs.archive.parts import Archive
from templcrawl.page.page import Page
from tests.crawl.crawls import ADDON, DEMO_SITE, ONE_BY_ONE, SMALL_PARTS, run_crawl


class SlowStore:
    """A store in memory that writes once it may; fails for the hosts that it is told."""

    def __init__(self, *, is_open: bool = False) -> None:
        self.gate = Event()
        if is_open:
            self.gate.set()
        self.kept: dict[str, Snapshot] = {}
        self.order: list[str] = []
        self.failing: set[str] = set()

    def load(self, host: str) -> Snapshot | None:
        return self.kept.get(host)

    def save(self, host: str, snapshot: Frozen) -> None:
        assert self.gate.wait(20)
        self.order.append(host)
        if host in self.failing:
            raise OSError("no room")
        self.kept[host] = snapshot()


def numbered(number: int) -> Frozen:
    return lambda: {"number": number}


def test_what_waits_is_read_back_and_written_in_the_order_in_which_it_came() -> None:
    slow, written = SlowStore(), list[tuple[str, BaseException | None]]()
    store = BackgroundStore(slow)
    store.on_written = lambda host, error: written.append((host, error))
    for number, host in enumerate("aba"):
        store.save(host, numbered(number))
    store.collect()
    assert (slow.kept, written, store.pending) == ({}, [], 3)
    assert [store.load(host) for host in "abc"] == [{"number": 2}, {"number": 1}, None]
    slow.gate.set()
    store.close()
    assert slow.order == ["a", "b", "a"]
    assert slow.kept == {"a": {"number": 2}, "b": {"number": 1}}
    assert written == [("a", None), ("b", None), ("a", None)]


def test_an_older_snapshot_that_was_written_does_not_hide_the_newer_one_that_waits() -> None:
    slow, may_write = SlowStore(), Semaphore(0)
    slow.gate = SimpleNamespace(wait=lambda seconds: may_write.acquire(timeout=seconds))  # type: ignore[assignment]
    store = BackgroundStore(slow)
    for number in range(2):
        store.save("a", numbered(number))
    may_write.release()
    store._queue[0].written.result()
    store.collect()
    found = store.pending, store.load("a"), slow.kept["a"]
    may_write.release()
    store.close()
    assert found == (1, {"number": 1}, {"number": 0})
    assert store.load("a") == {"number": 1}


def test_where_writing_is_slow_the_loop_waits_for_the_oldest() -> None:
    slow = SlowStore()
    store = BackgroundStore(slow)
    for number in range(_MAX_PENDING):
        store.save(f"{number}", numbered(number))
    assert store.pending == _MAX_PENDING == 32
    one_more = Thread(target=store.save, args=("one more", numbered(0)))
    one_more.start()
    one_more.join(0.05)
    waits = one_more.is_alive()
    slow.gate.set()
    one_more.join()
    assert waits
    assert store.pending <= _MAX_PENDING
    store.close()
    assert slow.order == [*map(str, range(_MAX_PENDING)), "one more"]


def test_a_failure_is_told_and_the_next_is_written() -> None:
    slow, told = SlowStore(is_open=True), dict[str, BaseException | None]()
    slow.failing.add("a")
    store = BackgroundStore(slow)
    store.on_written = told.__setitem__
    store.save("a", numbered(1))
    store.save("b", numbered(2))
    store.close()
    assert isinstance(told["a"], OSError)
    assert told["b"] is None
    assert store.load("a") is None
    assert store.load("b") == {"number": 2}


STEPS = st.lists(st.tuples(st.sampled_from(["save", "load", "settle"]), st.sampled_from("abc")), max_size=150)


@given(STEPS)
@settings(deadline=None, max_examples=50)
def test_to_its_user_it_is_as_if_each_were_written_at_once(steps: list[tuple[str, str]]) -> None:
    store, oracle = BackgroundStore(SlowStore(is_open=True)), dict[str, Snapshot]()
    for number, (step, host) in enumerate(steps):
        if step == "save":
            store.save(host, numbered(number))
            oracle[host] = {"number": number}
        elif step == "load":
            assert store.load(host) == oracle.get(host)
        else:
            store.collect()
        assert store.pending <= 32
    store.close()
    assert {host: store.load(host) for host in oracle} == oracle


VISITS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9)), max_size=30)


@given(VISITS)
@settings(deadline=None, max_examples=20)
def test_sites_that_leave_come_back_as_from_a_store_that_writes_at_once(
    visits: list[tuple[str, int]],
) -> None:
    with TemporaryDirectory() as one, TemporaryDirectory() as other:
        store = BackgroundStore(FolderStore(one))
        ours = CrawlMemory(store=store, max_sites=1)
        oracle = CrawlMemory(store=FolderStore(other), max_sites=1)
        for host, number in visits:
            html = f"<title>x</title><nav>Menu and more</nav><p>Page {number} of {host}</p>"
            url = f"https://{host}.example/{number}"
            found, expected = (memory.observe(Page.from_html(html, url)) for memory in (ours, oracle))
            assert (found.content_text, found.pages_known) == (expected.content_text, expected.pages_known)
        ours.save()
        oracle.save()
        store.close()
        for host in "abc":
            assert FolderStore(one).load(f"{host}.example") == FolderStore(other).load(f"{host}.example")


class Written:
    """The checkpoints of a memory of some sites, over a slow store."""

    def __init__(self, sites: int) -> None:
        self.slow = SlowStore(is_open=True)
        crawler = get_crawler()
        assert crawler.stats is not None
        self.stats = crawler.stats.get_stats()
        store = BackgroundStore(self.slow)
        self.memory = CrawlMemory(store=store)
        self.hosts = [f"{number}.example" for number in range(sites)]
        for host in self.hosts:
            self.memory.observe(Page.from_html("<p>Text", f"https://{host}/"))
        self.checkpoints = Checkpoints(crawler, self.memory, store)

    async def until(self, *hosts: str) -> None:
        """Wait until a checkpoint has come to these sites."""
        while not set(hosts) <= set(self.slow.order):
            await asyncio.sleep(0.005)


def test_a_checkpoint_freezes_few_sites_ahead_of_the_thread_that_writes() -> None:
    async def run() -> list[int]:
        written = Written(3 * _AHEAD)
        written.slow.gate.clear()
        written.checkpoints.open(1_000.0)
        written.checkpoints._begin()
        pending = []
        for _ in range(3 * _AHEAD):
            written.checkpoints._write_slice()
            pending.append(written.checkpoints._store.pending)
        written.slow.gate.set()
        written.checkpoints.close()
        assert sorted(set(written.slow.order) - {"*"}) == sorted(written.hosts)
        return pending

    pending = asyncio.run(run())
    assert max(pending) == pending[-1] == _AHEAD == 4


def test_a_checkpoint_writes_every_site_and_the_next_what_has_changed_since() -> None:
    async def run() -> Written:
        written = Written(40)
        written.checkpoints.open(0.02)
        await written.until(*written.hosts)
        written.memory.observe(Page.from_html("<p>More", "https://7.example/more"))
        written.checkpoints.close()
        return written

    written = asyncio.run(run())
    assert sorted(host for host in written.slow.order if host != "*") == sorted([*written.hosts, "7.example"])
    assert written.stats == {"templcrawl/sites/saved": 41}
    assert SiteMemory.from_snapshot(written.slow.kept["7.example"]).pages == 2


def test_what_cannot_be_written_is_said_once_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> Written:
        written = Written(3)
        written.slow.failing.update(written.hosts, "*")
        written.checkpoints.open(0.02)
        await written.until(*written.hosts)
        written.slow.failing.clear()
        written.checkpoints.close()
        return written

    written = asyncio.run(run())
    (record,) = [record for record in caplog.records if record.name == "templcrawl.guard"]
    assert "while saving" in record.getMessage()
    assert "no room" in caplog.text
    assert set(written.hosts) <= written.slow.kept.keys()
    assert written.stats["templcrawl/sites/saved"] == 3


def test_without_a_start_there_is_an_end() -> None:
    written = Written(2)
    written.checkpoints.close()
    assert set(written.hosts) <= written.slow.kept.keys()


REACTORS: dict[str, dict[str, object]] = {
    "asyncio": {},
    "select": {"TWISTED_REACTOR": "twisted.internet.selectreactor.SelectReactor"},
    "no reactor": {"TWISTED_REACTOR_ENABLED": False},
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("reactor", REACTORS)
def test_the_event_loop_writes_nothing_and_nothing_is_lost(reactor: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    job, archive, database = tmp_path / "job", tmp_path / "archive", tmp_path / "pages.sqlite"
    recorders = "lab.sites.shop.recorders"
    more = {
        **REACTORS[reactor],
        "JOBDIR": str(job),
        "TEMPLCRAWL_CHECKPOINT_SECONDS": 0.25,
        "TEMPLCRAWL_ARCHIVE": str(archive),
        **SMALL_PARTS,
        "SHOP_PART_PAGES": 30,
        "SHOP_BATCH_ITEMS": 20,
        "TEMPLCRAWL_SQLITE_PATH": str(database),
        "TEMPLCRAWL_DROP_NEAR_DUPLICATES": True,
        "ITEM_PIPELINES": {
            f"{recorders}.RecordItems": 300,
            "templcrawl.outputs.sqlite.SqlitePagesPipeline": 900,
        },
        "EXTENSIONS": {"lab.sites.shop.disks.Threads": 1, f"{recorders}.RecordStats": 100},
    }
    with LocalSite(DEMO_SITE.html, delay=0.002) as site:
        crawl = run_crawl("plain", site.url, tmp_path / "out", {**ADDON, **ONE_BY_ONE, **more})
        host = site.url.split("/")[2]
    assert " ERROR: " not in crawl.log
    stats = crawl.stats
    for what in ("store", "archive", "sqlite"):
        assert stats[f"threads/{what}/other"] > 0 == stats[f"threads/{what}/loop"]
    snapshot = FolderStore(job / "templcrawl").load(host)
    assert snapshot is not None
    pages = SiteMemory.from_snapshot(snapshot).pages
    assert pages == Archive(str(archive)).read("pages", ["url"]).num_rows > 140
    assert stats["templcrawl/archive/pages"] == pages
    assert stats["templcrawl/pages"] == pages + stats["templcrawl/archive/repeated"]
    with closing(sqlite3.connect(database)) as connection:
        ((stored,),) = connection.execute("SELECT count(*) FROM items").fetchall()
    assert stored == stats["templcrawl/sqlite/stored"] > 100
    assert stats["templcrawl/sites/saved"] > 1
    assert (job / "templcrawl" / "items").is_dir()


def salt_of(url: str, folder: Path, job: Path) -> int:
    """Crawl a few pages of a job; return the salt that is in its folder, and nowhere in its log or stats."""
    drawing = {"EXTENSIONS": {"lab.sites.shop.recorders.RecordStats": 100}}
    settings: dict[str, Any] = {**ADDON, **drawing, "JOBDIR": str(job)}
    crawl = run_crawl("plain", url, folder, {"CLOSESPIDER_PAGECOUNT": 3, "LOG_LEVEL": "DEBUG", **settings})
    assert crawl.stats["templcrawl/pages"] > 0
    kept = CrawlMemory(store=FolderStore(job / "templcrawl")).options.sample_salt
    assert kept is not None
    assert str(kept) not in crawl.log + str(crawl.stats)
    return kept


@pytest.mark.exhaustive
def test_a_job_keeps_the_salt_that_it_drew(tmp_path: Path) -> None:
    with LocalSite(DEMO_SITE.html) as site:
        drawn = salt_of(site.url, tmp_path / "a", tmp_path / "job")
        assert salt_of(site.url, tmp_path / "b", tmp_path / "job") == drawn > 10**9
        assert salt_of(site.url, tmp_path / "c", tmp_path / "other") != drawn
