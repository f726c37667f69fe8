"""What was learned is packed by a thread and written in order, whole, while the crawl goes on."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path
from threading import Event, Timer, get_ident
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy.utils.test import get_crawler

from lab.sites.server import LocalSite
from templcrawl.crawl.extension import CrawlExtension
from templcrawl.crawl.job.checkpoints import _AHEAD, _MAX_PENDING, BackgroundStore, Checkpoints
from templcrawl.memory.crawl_memory import CrawlMemory, MemoryListener
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.snapshots import Frozen, Numbers, Snapshot, StoredColumn
from templcrawl.outputs.archive.archive_parts import Archive
from templcrawl.page.page import Page
from tests.crawl.crawls import ADDON, DEMO_SITE, NO_REACTOR, ONE_BY_ONE, SMALL_PARTS, run_crawl
from tests.memory.stores import plain, saved_in, store_in


class NoFile:
    """A state file without rows, which counts its commits; used by the thread of the loop alone."""

    path, lost = "memory", None

    def __init__(self, order: list[str]) -> None:
        self._order = order
        self.commits: list[int] = []
        self._thread = get_ident()

    def make(self, table: str) -> None:
        pass

    def read(self, query: str) -> list[tuple[int]]:
        return [(0,)]

    def commit(self) -> None:
        assert get_ident() == self._thread
        self.commits.append(len(self._order))


class KeptStore(BackgroundStore):
    """A store in memory; it fails for the hosts that it is told, and never outside the thread of the loop."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.order: list[str] = []
        self.failing: set[str] = set()
        self._loop = get_ident()
        file = NoFile(self.order)
        self.commits = file.commits
        super().__init__(file)  # type: ignore[arg-type]

    def read(self, host: str) -> bytes | None:
        return self.kept.get(host)

    def write(self, host: str, state: bytes) -> None:
        assert get_ident() == self._loop
        self.order.append(host)
        if host in self.failing:
            raise ValueError("no room")
        self.kept[host] = state


class GatedNumber:
    """A column that takes as long as a gate is closed, for the thread that packs it."""

    def __init__(self, number: int, gate: Event | None) -> None:
        self._number = number
        self._gate = gate
        self._loop = get_ident()

    def write(self, name: str) -> Iterable[tuple[str, StoredColumn]]:
        assert get_ident() == self._loop or self._gate is None or self._gate.wait(20)
        return Numbers([self._number]).write(name)


def numbered(number: int, gate: Event | None = None) -> Frozen:
    """Return what is frozen of a number."""
    return {"number": GatedNumber(number, gate)}  # type: ignore[dict-item]


def settled(store: BackgroundStore) -> None:
    """Wait until all that is queued is packed."""
    for _, packed in store._queue.values():
        packed.exception(20)


def test_what_waits_is_read_back_and_written_in_the_order_in_which_it_came() -> None:
    store, gate = KeptStore(), Event()
    kept = store
    for number, host in enumerate("abac"):
        store.save(host, numbered(number, gate))
    store.collect()
    assert (kept.kept, store.outcomes(), store.pending, kept.commits) == ({}, [], 3, [])
    assert [store.load(host) for host in "abd"] == [plain(number=2), plain(number=1), None]
    gate.set()
    store.close()
    assert kept.order == ["b", "a", "c"], "of two snapshots of a site that wait the later one is written"
    assert [kept.load(host) for host in "abc"] == [plain(number=2), plain(number=1), plain(number=3)]
    assert store.outcomes() == [("b", None), ("a", None), ("c", None)]
    assert kept.commits == [3]


def test_a_slice_writes_for_a_while_and_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    store = kept = KeptStore()
    for number in range(6):
        store.save(f"{number}", numbered(number))
    settled(store)
    monkeypatch.setattr(
        "templcrawl.crawl.job.checkpoints.time", SimpleNamespace(perf_counter=count(0, 0.004).__next__)
    )
    counts = []
    for _ in range(6):
        store.collect()
        counts.append(len(kept.order))
    assert not store.is_busy
    store.close()
    assert counts == [2, 2, 4, 4, 6, 6], "a write takes 4 ms, and a slice begins none after 10"
    assert kept.commits == [2, 4, 6, 6], "a slice that has written leaves the commit to the next one"


def test_where_packing_is_slow_the_loop_waits_for_the_oldest() -> None:
    store, gate = KeptStore(), Event()
    kept = store
    for number in range(_MAX_PENDING):
        store.save(f"{number}", numbered(number, gate))
    assert (store.pending, kept.order) == (_MAX_PENDING, []) == (32, [])
    timer = Timer(0.05, gate.set)
    timer.start()
    store.save("one more", numbered(0, gate))
    assert gate.is_set()
    assert kept.order == ["0"]
    store.close()
    assert kept.order == [*map(str, range(_MAX_PENDING)), "one more"]


def test_a_failure_is_told_and_the_next_is_written() -> None:
    kept = KeptStore()
    kept.failing.add("a")
    store = kept
    store.save("a", numbered(1))
    store.save("b", numbered(2**64))
    store.save("c", numbered(2))
    store.close()
    told = dict(store.outcomes())
    assert [type(told[host]) for host in "abc"] == [ValueError, OverflowError, type(None)]
    assert [store.load(host) for host in "abc"] == [None, None, plain(number=2)]


STEPS = st.lists(st.tuples(st.sampled_from(["save", "load", "settle"]), st.sampled_from("abc")), max_size=150)


@given(STEPS)
@settings(deadline=None, max_examples=50)
def test_to_its_user_it_is_as_if_each_were_written_at_once(steps: list[tuple[str, str]]) -> None:
    store, oracle = KeptStore(), dict[str, Snapshot]()
    for number, (step, host) in enumerate(steps):
        if step == "save":
            store.save(host, numbered(number))
            oracle[host] = plain(number=number)
        elif step == "load":
            assert store.load(host) == oracle.get(host)
        else:
            store.collect()
        assert store.pending <= 32
    store.close()
    assert {host: store.load(host) for host in oracle} == oracle


class Written(MemoryListener):
    """The checkpoints of a memory of some sites, over a store in memory."""

    def __init__(self, sites: int) -> None:
        self.kept = KeptStore()
        crawler = get_crawler()
        assert crawler.stats is not None
        self.stats = crawler.stats.get_stats()
        self.store = self.kept
        self.memory = CrawlMemory(store=self.store, listener=self)
        self.hosts = [f"{number}.example" for number in range(sites)]
        for host in self.hosts:
            self.memory.observe(Page.from_html("<p>Text", f"https://{host}/"))
        self.checkpoints = Checkpoints(crawler, self.memory, self.store)

    def site_evicted(self, site: SiteMemory) -> None:
        self.checkpoints.begin_slices()

    async def until(self, *hosts: str) -> None:
        """Wait until a checkpoint has come to these sites."""
        end = time.monotonic() + 20
        while not set(hosts) <= set(self.kept.order):
            assert time.monotonic() < end
            await asyncio.sleep(0.005)


def test_a_checkpoint_freezes_few_sites_ahead_of_the_thread_that_packs() -> None:
    async def run() -> list[int]:
        written, gate = Written(3 * _AHEAD), Event()
        written.store._thread.submit(gate.wait, 20)
        written.checkpoints.open(1_000.0)
        written.checkpoints._begin()
        pending = []
        for _ in range(3 * _AHEAD):
            written.checkpoints._write_slice()
            pending.append(written.store.pending)
        gate.set()
        written.checkpoints.close()
        assert sorted(set(written.kept.order) - {"*"}) == sorted(written.hosts)
        return pending

    pending = asyncio.run(run())
    assert max(pending) == pending[-1] == _AHEAD == 4


def test_a_checkpoint_writes_every_site_and_the_next_what_has_changed_since() -> None:
    async def run() -> Written:
        written = Written(40)
        written.checkpoints.open(0.02)
        await written.until(*written.hosts)
        await asyncio.sleep(0.05)
        assert written.kept.commits[-1] == len(written.kept.order)
        written.memory.observe(Page.from_html("<p>More", "https://7.example/more"))
        written.checkpoints.close()
        return written

    written = asyncio.run(run())
    assert sorted(host for host in written.kept.order if host != "*") == sorted([*written.hosts, "7.example"])
    assert written.stats == {"templcrawl/sites/saved": 41}
    assert SiteMemory.from_snapshot(written.kept.load("7.example") or Snapshot()).pages == 2


def test_a_site_that_leaves_the_memory_is_written_before_the_next_checkpoint() -> None:
    async def run() -> Written:
        written = Written(1)
        written.memory.options = replace(written.memory.options, max_sites=1)
        written.memory._sites.limit = 1
        written.checkpoints.open(1_000.0)
        written.memory.observe(Page.from_html("<p>Text", "https://another.example/"))
        await written.until(*written.hosts)
        await asyncio.sleep(0.05)
        assert written.kept.commits == [1]
        written.checkpoints.close()
        return written

    assert asyncio.run(run()).kept.kept.keys() == {"0.example", "another.example", "*"}


def test_what_cannot_be_written_is_said_once_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> Written:
        written = Written(3)
        written.kept.failing.update(written.hosts[:2])
        written.checkpoints.open(0.02)
        await written.until(*written.hosts)
        written.checkpoints.close()
        return written

    written = asyncio.run(run())
    (record,) = [record for record in caplog.records if record.name == "templcrawl.guard"]
    assert "while saving" in record.getMessage()
    assert "no room" in caplog.text
    assert written.stats == {"templcrawl/sites/saved": 1, "templcrawl/errors/ValueError": 2}


def test_a_file_that_is_lost_is_counted_here_and_said_by_its_owner(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    extension = CrawlExtension(get_crawler(settings_dict={"JOBDIR": str(tmp_path)}))
    for host in ("a.example", "b.example"):
        extension.memory.observe(Page.from_html("<p>Text", f"https://{host}/"))
    assert extension.file is not None
    extension.file._lose(sqlite3.OperationalError("database or disk is full"))
    extension.close()
    assert caplog.text.count("OperationalError: database or disk is full") == 1
    assert extension.stats.get_value("templcrawl/errors/StateLost") == 3
    assert extension.stats.get_value("templcrawl/errors/OperationalError") == 1


SELECT = {"TWISTED_REACTOR": "twisted.internet.selectreactor.SelectReactor"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("reactor", [SELECT, NO_REACTOR], ids=["select", "no reactor"])
def test_the_event_loop_writes_its_file_alone_and_nothing_is_lost(
    reactor: dict[str, object], tmp_path: Path
) -> None:
    pytest.importorskip("pyarrow")
    job, archive, database = tmp_path / "job", tmp_path / "archive", tmp_path / "pages.sqlite"
    recorders = "lab.sites.shop.recorders"
    more = {
        **reactor,
        "JOBDIR": str(job),
        "SHOP_CHECKPOINT_SECONDS": 0.25,
        "TEMPLCRAWL_ARCHIVE": str(archive),
        **SMALL_PARTS,
        "SHOP_PART_PAGES": 30,
        "SHOP_BATCH_ITEMS": 20,
        "TEMPLCRAWL_DATABASE": f"sqlite:///{database}",
        "ITEM_PIPELINES": {f"{recorders}.RecordItems": 300},
        "EXTENSIONS": {"lab.sites.shop.disks.Threads": 1, f"{recorders}.RecordStats": 100},
    }
    with LocalSite(DEMO_SITE.html, delay=0.002) as site:
        crawl = run_crawl("plain", site.url, tmp_path / "out", {**ADDON, **ONE_BY_ONE, **more})
        host = site.url.split("/")[2]
    assert " ERROR: " not in crawl.log
    stats = crawl.stats
    assert stats["threads/store/loop"] > 0 == stats["threads/store/other"], "a file has one writer"
    for what in ("archive", "database"):
        assert stats[f"threads/{what}/other"] > 0 == stats[f"threads/{what}/loop"]
    snapshot = saved_in(job, host)
    assert snapshot is not None
    pages = SiteMemory.from_snapshot(snapshot).pages
    assert pages == Archive(str(archive)).read("pages", ["url"]).num_rows > 140
    assert stats["templcrawl/archive/pages"] == pages
    assert stats["templcrawl/pages"] == pages + stats["templcrawl/archive/repeated"]
    with closing(sqlite3.connect(database)) as connection:
        ((stored,),) = connection.execute("SELECT count(*) FROM items").fetchall()
    assert stored == stats["templcrawl/database/stored"] > 100
    assert stats["templcrawl/sites/saved"] > 1


def salt_of(url: str, folder: Path, job: Path) -> int:
    """Crawl a few pages of a job; return the salt that is in its folder, and nowhere in its log or stats."""
    drawing = {"EXTENSIONS": {"lab.sites.shop.recorders.RecordStats": 100}}
    settings: dict[str, Any] = {**ADDON, **drawing, "JOBDIR": str(job)}
    crawl = run_crawl("plain", url, folder, {"CLOSESPIDER_PAGECOUNT": 3, "LOG_LEVEL": "DEBUG", **settings})
    assert crawl.stats["templcrawl/pages"] > 0
    kept = CrawlMemory(store=store_in(job)).options.sample_salt
    assert kept is not None
    assert str(kept) not in crawl.log + str(crawl.stats)
    return kept


@pytest.mark.exhaustive
def test_a_job_keeps_the_salt_that_it_drew(tmp_path: Path) -> None:
    with LocalSite(DEMO_SITE.html) as site:
        drawn = salt_of(site.url, tmp_path / "a", tmp_path / "job")
        assert salt_of(site.url, tmp_path / "b", tmp_path / "job") == drawn > 10**9
        assert salt_of(site.url, tmp_path / "c", tmp_path / "other") != drawn
