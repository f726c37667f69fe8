"""Crawls that share what they learn: each hears of the other, and goes on alone where Redis is away."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from scrapy.settings import BaseSettings

from templcrawl.components.settings import TemplcrawlSettings
from templcrawl.components.shared_sites import SharedSites, worker_name
from templcrawl.errors import InvalidOption, StoreAway
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.redis_store import RedisStore
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.site_store import ALL_SITES
from templcrawl.memory.store import FolderStore
from tests.components.shared_crawls import HOST, PAGES
from tests.components.small_crawls import in_new_process
from tests.memory.pages import article
from tests.redis_server import RedisServer, running_redis

SALTED = {"TEMPLCRAWL_SAMPLE_SALT": 0}


@pytest.fixture
def server() -> Iterator[RedisServer]:
    with running_redis() as running:
        yield running


def crawls(settings: dict[str, Any], number: int) -> list[tuple[list[dict[str, Any]], dict[str, Any]]]:
    done: list[Any] = in_new_process("shared_crawls", json.dumps(settings), str(number))
    return [(items, stats) for items, stats in done]


def no_errors(stats: dict[str, Any]) -> bool:
    return not any(name.startswith("templcrawl/errors") or "ERROR" in name for name in stats)


@pytest.mark.exhaustive
def test_two_crawls_at_once_learn_as_one_and_by_one_salt(server: RedisServer) -> None:
    shared = crawls({"TEMPLCRAWL_STORE": server.url}, 2)
    store = RedisStore(server.url, "reader")
    parts = store.others(HOST) or []
    sites = [SiteMemory.from_snapshot(part) for part in parts]
    total, reader = SiteMemory(HOST), SiteMemory(HOST)
    total.unite(sites)
    reader.hear(total)
    store.close()
    assert sorted(site.pages for site in sites) == [PAGES // 2] * 2
    assert reader.pages_known == PAGES
    salts = {stats["templcrawl/sample_salt"] for _, stats in shared}
    assert len(salts) == 1
    assert all(no_errors(stats) and stats["templcrawl/store/exchanges"] > 3 for _, stats in shared)
    names: dict[bool, set[str]] = {True: set(), False: set()}
    for items, _ in shared:
        for item in items:
            kind = int(item["url"].rpartition("/")[2]) // 2 % 2 == 1
            names[kind].add(reader.resolve(item["template_id"]))
            assert len(items) == PAGES // 2
    assert all(len(of_kind) == 1 for of_kind in names.values())
    assert names[True] != names[False]


@pytest.mark.exhaustive
def test_a_crawl_that_begins_later_knows_what_an_earlier_one_has_learned(server: RedisServer) -> None:
    settings = {"TEMPLCRAWL_STORE": server.url, "TEMPLCRAWL_STORE_PREFIX": "mine"}
    crawls(settings, 1)
    ((items, stats),) = crawls(settings, 1)
    assert "Page 7" not in items[0]["content_text"]
    assert len({item["template_id"] for item in items}) == 2
    ((alone, _),) = crawls({**settings, "TEMPLCRAWL_STORE_PREFIX": "another"}, 1)
    assert "Page 7" in alone[0]["content_text"]
    assert no_errors(stats)


@pytest.mark.exhaustive
def test_a_crawl_goes_on_alone_while_redis_is_away_and_gives_what_it_has_when_it_is_back(
    server: RedisServer,
) -> None:
    ((expected, _),) = crawls(SALTED, 1)
    server.stop()
    settings = {**SALTED, "TEMPLCRAWL_STORE": server.url, "TEMPLCRAWL_CHECKPOINT_SECONDS": 0.5}
    ((items, stats),) = crawls(settings, 1)
    assert items == expected
    assert stats["templcrawl/store/away"] >= 1
    assert stats["log_count/WARNING"] == 1
    assert no_errors(stats)


class AwayStore(RedisStore):
    """A store that is away when it is told so; it forgets all when it is told so."""

    is_away = False

    def _execute(self) -> None:
        if self.is_away:
            raise StoreAway("Redis", "stopped")

    def agree(self, salt: int) -> tuple[int, str]:
        self._execute()
        return super().agree(salt)


def worker(server: RedisServer, folder: Path, name: str) -> tuple[CrawlMemory, SharedSites, AwayStore]:
    redis = AwayStore(server.url, name)
    options = MemoryOptions()
    sites = SharedSites(FolderStore(folder / name), redis, options)
    memory = CrawlMemory(options, store=sites)
    sites.agree(memory.options.sample_salt or 0)
    take_up(memory, sites)
    return memory, sites, redis


def take_up(memory: CrawlMemory, sites: SharedSites) -> None:
    while sites.heard:
        sites.heard.popleft()(memory)


def test_nothing_is_lost_or_counted_twice_where_redis_stops_or_is_flushed(
    server: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("templcrawl.components.shared_sites._PATIENCE", 0.0)
    workers = [worker(server, tmp_path, name) for name in "ab"]

    def exchange() -> None:
        for memory, sites, _ in workers:
            memory.save_again("example.org")
            memory.save()
            sites.resend()
            take_up(memory, sites)

    def observe(numbers: range) -> None:
        for number in numbers:
            workers[number % 2][0].observe(article(number))

    def known() -> list[int]:
        return [memory.pages_to_go_by("example.org") for memory, _, _ in workers]

    observe(range(8))
    exchange()
    exchange()
    workers[0][2].is_away = True
    observe(range(8, 16))
    exchange()
    assert workers[0][1].failures >= 1
    assert known() == [12, 12]
    assert workers[0][1].away is not None
    workers[0][2].is_away = False
    for _ in range(3):
        observe(range(16, 18))
        exchange()
    assert workers[0][1].away is None
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
        memory.check()
        assert sorted(host for host in (ALL_SITES, "example.org") if redis.load(host)) == sorted(sites._sent)
        sites.close()


def test_at_the_close_a_store_that_was_away_just_now_is_asked_once_more(
    server: RedisServer, tmp_path: Path
) -> None:
    memory, sites, redis = worker(server, tmp_path, "a")
    redis.is_away = True
    memory.observe(article(1))
    memory.save()
    assert sites.away is not None
    redis.is_away = False
    memory.observe(article(2))
    memory.save()
    assert sites.exchanges == 0
    sites.close()
    assert sites.exchanges == 2
    part = redis.load("example.org")
    redis.close()
    assert part is not None
    assert SiteMemory.from_snapshot(part).pages == 2


def test_a_worker_that_resumes_its_job_has_the_name_that_it_had(tmp_path: Path) -> None:
    first = worker_name(tmp_path / "job")
    assert worker_name(tmp_path / "job") == first
    assert worker_name(tmp_path / "other") != first


@pytest.mark.parametrize("value", ["somewhere", "http://127.0.0.1", 7])
def test_an_address_of_no_store_stops_the_start(value: object) -> None:
    with pytest.raises(InvalidOption, match="TEMPLCRAWL_STORE"):
        TemplcrawlSettings.from_settings(BaseSettings({"TEMPLCRAWL_STORE": value}))


@pytest.mark.exhaustive
def test_redis_may_stop_and_begin_anew_while_a_crawl_runs(server: RedisServer) -> None:
    def blink() -> None:
        server.stop()
        time.sleep(1)
        server.start()

    timer = Timer(4, blink)
    timer.start()
    settings = {"TEMPLCRAWL_STORE": server.url, "DOWNLOAD_DELAY": 0.3, "TEMPLCRAWL_CHECKPOINT_SECONDS": 0.5}
    done = crawls(settings, 2)
    timer.join()
    assert [len(items) for items, _ in done] == [PAGES // 2] * 2
    assert all(no_errors(stats) for _, stats in done)
