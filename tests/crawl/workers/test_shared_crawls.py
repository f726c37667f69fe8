"""Crawls that share what they learn: each hears of the other, and goes on alone where Redis is away."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from scrapy.settings import BaseSettings

from lab.sites.fixed_salt import FIXED_SALT
from lab.sites.redis_server import RedisServer, running_redis
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.crawl.workers import worker_name
from templcrawl.crawl.workers.redis_store import RedisStore
from templcrawl.crawl.workers.shared_sites import SharedSites
from templcrawl.errors import InvalidOption, StoreUnavailable
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.snapshots import unpack
from templcrawl.memory.store import ALL_SITES, SqliteStore
from templcrawl.state_file import StateLost
from tests.crawl.small_crawls import in_new_process
from tests.crawl.workers.shared_crawls import HOST, PAGES
from tests.crawl.workers.test_redis_store import own
from tests.memory.invariants import check
from tests.memory.pages import article
from tests.memory.stores import plain, state, store_in


@pytest.fixture
def server() -> Iterator[RedisServer]:
    with running_redis() as running:
        yield running


def crawls(
    settings: dict[str, Any], number: int, *how: str
) -> list[tuple[list[dict[str, Any]], dict[str, Any]]]:
    done: list[Any] = in_new_process("crawl.workers.shared_crawls", json.dumps(settings), str(number), *how)
    return [(items, stats) for items, stats in done]


def no_errors(stats: dict[str, Any]) -> bool:
    return not any(name.startswith("templcrawl/errors") or "ERROR" in name for name in stats)


@pytest.mark.exhaustive
def test_two_crawls_at_once_learn_as_one_and_by_one_salt(server: RedisServer) -> None:
    shared = crawls({"TEMPLCRAWL_STORE": server.url}, 2)
    store = RedisStore(server.url, "reader")
    sites = [SiteMemory.from_snapshot(unpack(HOST, state)) for state in store.poll(HOST) or ()]
    total, reader = SiteMemory(HOST), SiteMemory(HOST)
    total.merge(sites)
    reader.set_remote(total)
    store.close()
    assert sorted(site.pages for site in sites) == [PAGES // 2] * 2
    assert reader.pages_known == PAGES
    salts = {stats["salt"] for _, stats in shared}
    assert len(salts) == 1
    assert all(no_errors(stats) and stats["templcrawl/store/exchanges"] > 3 for _, stats in shared)
    type_of = {row.leaf_id: row.page_type for row in reader.page_types()}
    names: dict[bool, set[str]] = {True: set(), False: set()}
    for items, _ in shared:
        for item in items:
            kind = int(item["url"].rpartition("/")[2]) // 2 % 2 == 1
            names[kind].add(type_of[item["leaf_id"]])
            assert len(items) == PAGES // 2
    assert all(len(of_kind) == 1 for of_kind in names.values())
    assert names[True] != names[False]


@pytest.mark.exhaustive
def test_a_crawl_goes_on_alone_while_redis_is_away_and_gives_what_it_has_when_it_is_back(
    server: RedisServer,
) -> None:
    ((expected, _),) = crawls(FIXED_SALT, 1)
    server.stop()
    settings = {**FIXED_SALT, "TEMPLCRAWL_STORE": server.url, "TEMPLCRAWL_CHECKPOINT_SECONDS": 0.5}
    ((items, stats),) = crawls(settings, 1)
    assert items == expected
    assert stats["templcrawl/store/unavailable"] >= 1
    assert stats["log_count/WARNING"] == 1
    assert no_errors(stats)


@pytest.mark.exhaustive
def test_while_redis_is_frozen_sites_come_and_leave_and_the_crawl_ends(server: RedisServer) -> None:
    """More sites leave than may wait for a disk: one that waits for an answer of Redis waits for ever."""
    server.freeze()
    settings = {
        "TEMPLCRAWL_STORE": server.url,
        "TEMPLCRAWL_MAX_SITES": 2,
        "TEMPLCRAWL_CHECKPOINT_SECONDS": 0.1,
    }
    ((items, stats),) = crawls(settings, 1, "patient")
    assert len(items) == PAGES
    assert stats["templcrawl/store/exchanges"] == 0
    assert stats["templcrawl/store/not_given"] == PAGES + 1
    assert stats["templcrawl/sites/saved"] >= PAGES
    assert no_errors(stats)


@pytest.mark.exhaustive
def test_a_key_of_another_type_is_the_matter_of_one_site_and_said_once(server: RedisServer) -> None:
    store = RedisStore(server.url, "a")
    store._client.lpush("templcrawl:{site3.example}:states", "a list")
    store.close()
    ((items, stats),) = crawls({"TEMPLCRAWL_STORE": server.url}, 1, "patient")
    assert len(items) == PAGES
    assert stats["templcrawl/store/unavailable"] == 0
    assert stats["templcrawl/store/unreadable"] >= 1
    assert stats["templcrawl/store/exchanges"] >= PAGES - 1
    assert stats["log_count/WARNING"] == 1
    assert no_errors(stats)
    reader = RedisStore(server.url, "reader")
    shared = [number for number in range(PAGES) if number != 3 and reader.poll(f"site{number}.example")]
    reader.close()
    assert len(shared) == PAGES - 1


class AwayStore(RedisStore):
    """A store that is away when it is told so, and answers once the gate is open."""

    is_away = False

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.gate = Event()
        self.gate.set()
        self.given: list[str] = []

    def _execute(self) -> None:
        assert self.gate.wait(60)
        if self.is_away:
            raise StoreUnavailable("Redis", "stopped")

    def negotiate(self, salt: int) -> tuple[int, str]:
        self._execute()
        return super().negotiate(salt)

    def push(self, host: str, state: bytes) -> None:
        self.given.append(host)
        super().push(host, state)

    def poll(self, host: str) -> Any:
        self._execute()
        self.given.append(f"? {host}")
        return super().poll(host)


def worker(server: RedisServer, folder: Path, name: str) -> tuple[CrawlMemory, SharedSites, AwayStore]:
    redis = AwayStore(server.url, name)
    options = MemoryOptions()
    sites = SharedSites(store_in(folder / name), redis, options)
    memory = CrawlMemory(options, store=sites)
    sites.negotiate(memory.options.sample_salt or 0)
    take_up(memory, sites)
    return memory, sites, redis


def take_up(memory: CrawlMemory, sites: SharedSites) -> None:
    sites.wait()
    while sites.updates:
        sites.updates.popleft()(memory)


def test_nothing_is_lost_or_counted_twice_where_redis_stops_or_is_flushed(
    server: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("templcrawl.crawl.workers.shared_sites._PATIENCE", 0.0)
    workers = [worker(server, tmp_path, name) for name in "ab"]

    def exchange() -> None:
        for memory, sites, _ in workers:
            memory._unsaved.add("example.org")
            memory.save()
            sites.resend()
            take_up(memory, sites)

    def observe(numbers: range) -> None:
        for number in numbers:
            workers[number % 2][0].observe(article(number))

    def known() -> list[int]:
        return [memory.page_count("example.org") for memory, _, _ in workers]

    def is_away() -> bool:
        return workers[0][1].unavailable is not None

    observe(range(8))
    exchange()
    exchange()
    workers[0][2].is_away = True
    observe(range(8, 16))
    exchange()
    assert workers[0][1].failures >= 1
    assert known() == [12, 12]
    assert is_away()
    workers[0][2].is_away = False
    for _ in range(3):
        observe(range(16, 18))
        exchange()
    assert not is_away()
    assert known() == [18, 18]
    workers[0][2]._client.flushall()
    observe(range(18, 19))
    for number in range(20, 24):
        observe(range(number, number + 1))
        exchange()
    exchange()
    assert known() == [23, 23]
    salts = {memory.options.sample_salt for memory, _, _ in workers}
    assert len(salts) == 1
    for memory, sites, redis in workers:
        check(memory)
        assert sorted(host for host in (ALL_SITES, "example.org") if own(redis, host)) == sorted(
            sites._pushed
        )
        sites.close()


def test_sites_that_are_due_wait_by_name_and_one_that_is_asked_for_goes_first(
    server: RedisServer, tmp_path: Path
) -> None:
    _, sites, redis = worker(server, tmp_path, "a")
    redis.gate.clear()
    sites.negotiate(0)
    for number in range(3):
        for host in ("one.org", "two.org"):
            sites.write(host, state(n=number))
    sites.commit()
    sites.fetch("three.org")
    assert (redis.given, sites.exchanges, sites.is_busy) == ([], 0, True)
    redis.gate.set()
    sites.wait()
    assert redis.given == ["? three.org", "one.org", "? one.org", "two.org", "? two.org"]
    assert own(redis, "one.org") == plain(n=2)
    assert (sites.exchanges, sites.is_busy) == (2, False)
    assert sites.close() == 0


def test_where_redis_is_away_nobody_asks_for_sites_again_and_it_is_asked_in_a_while(
    server: RedisServer, tmp_path: Path
) -> None:
    _, sites, redis = worker(server, tmp_path, "a")
    redis.is_away = True
    for host in ("one.org", "two.org"):
        sites.write(host, state(n=1))
        sites.commit()
        sites.wait()
        sites.fetch(host)
        sites.wait()
    assert (redis.given, sites.failures) == ([], 1)
    redis.is_away = False
    sites.resend()
    sites.wait()
    assert redis.given == []
    assert sites.close() == 0
    assert redis.given == ["one.org", "? one.org", "two.org", "? two.org"]


def test_what_the_disk_does_not_take_is_not_exchanged(server: RedisServer, tmp_path: Path) -> None:
    _, sites, redis = worker(server, tmp_path, "a")
    sites.write("one.org", state(n=1))
    sites.commit()
    sites.wait()
    sites._own._file._lose(sqlite3.OperationalError("database or disk is full"))
    with pytest.raises(StateLost):
        sites.write("one.org", state(n=2))
    sites.commit()
    sites.wait()
    assert own(redis, "one.org") == plain(n=1)
    assert sites.close() == 0


def test_an_error_of_ours_costs_one_site_and_is_told_of(
    server: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, sites, redis = worker(server, tmp_path, "a")
    redis.gate.clear()
    sites.negotiate(0)
    for host in ("one.org", "two.org"):
        sites.write(host, state(n=1))
    sites.commit()
    broken = SqliteStore.read_committed
    monkeypatch.setattr(
        SqliteStore, "read_committed", lambda self, host: 1 / 0 if "one" in host else broken(self, host)
    )
    redis.gate.set()
    sites.wait()
    assert [*map(repr, sites.errors)] == ["ZeroDivisionError('division by zero')"]
    assert (redis.given, sites.exchanges) == (["two.org", "? two.org"], 1)
    assert sites.close() == 0


def test_at_the_close_a_store_that_takes_nothing_is_given_up(
    server: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("templcrawl.crawl.workers.shared_sites._SECONDS_AT_CLOSE", 0.1)
    _, sites, redis = worker(server, tmp_path, "a")
    sites.wait()
    redis.gate.clear()
    for host in ("one.org", "two.org"):
        sites.write(host, state(n=1))
    sites.commit()
    assert sites.close() == 2
    redis.gate.set()
    sites.wait()
    assert (redis.given, sites.is_busy) == (["one.org", "? one.org"], False)


def test_a_worker_that_resumes_its_job_has_the_name_that_it_had(tmp_path: Path) -> None:
    first = worker_name(store_in(tmp_path / "job"))
    assert worker_name(store_in(tmp_path / "job")) == first
    assert worker_name(store_in(tmp_path / "other")) != first


@pytest.mark.parametrize(
    "value",
    [
        "sqlite:",
        "sqlite://host/memory.sqlite",
        "memory\0.sqlite",
        "http://127.0.0.1",
        7,
        "redis://h/0?prefix=",
        "redis://h/0?prefix=%00",
        "redis://h/0?seconds=0",
        "redis://h/0?seconds=nan",
        "redis://h/0?seconds=1e10",
        "redis://h/0?seconds=soon",
    ],
)
def test_an_address_of_no_store_stops_the_start(value: object) -> None:
    with pytest.raises(InvalidOption, match="TEMPLCRAWL_STORE"):
        TemplcrawlSettings.from_settings(BaseSettings({"TEMPLCRAWL_STORE": value}))
