"""What is Redis's own about the store in Redis: sizes, time limits, addresses, foreign values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from urllib.parse import quote

import pytest

from lab.sites.redis_server import RedisServer, running_redis
from templcrawl.crawl.workers import redis_store
from templcrawl.crawl.workers.redis_store import RedisStore, store_address
from templcrawl.errors import InvalidOption, InvalidSnapshot, MissingExtra, StoreUnavailable
from templcrawl.memory.snapshots import Snapshot, unpack
from tests.memory.stores import plain, state

HOST = "example.org"

Open = Callable[..., RedisStore]


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    with running_redis() as running:
        yield running


@pytest.fixture
def open_store() -> Iterator[Open]:
    with ExitStack() as opened:
        yield lambda *given, **options: opened.enter_context(closing(RedisStore(*given, **options)))


@pytest.fixture
def stores(server: RedisServer, open_store: Open, request: pytest.FixtureRequest) -> dict[str, RedisStore]:
    return {worker: open_store(f"{server.url}?prefix={quote(request.node.name)}", worker) for worker in "abc"}


def polled(store: RedisStore, host: str) -> list[Snapshot] | None:
    """Return the snapshots of the other workers, None if they are the same as before."""
    states = store.poll(host)
    return None if states is None else [unpack(host, state) for state in states]


def own(store: RedisStore, host: str) -> Snapshot | None:
    """Return what the server has of this worker."""
    state = store._client.hget(store._keys(host)[0], store.worker)
    return None if state is None else unpack(host, state)


def test_of_too_many_states_those_written_longest_ago_leave_both_hashes(
    stores: dict[str, RedisStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_store, "MOST_STATES", 2)
    a, b, c = stores.values()
    for number, store in enumerate((b, a, c)):
        store.push(HOST, state(n=number))
    assert polled(a, HOST) == [plain(n=2)]
    assert a._client.hlen(a._keys(HOST)[0]) == a._client.hlen(a._keys(HOST)[1]) == 2


def test_a_part_that_is_far_too_large_is_never_sent_for(stores: dict[str, RedisStore]) -> None:
    a, b, c = stores.values()
    b.push(HOST, state(n=2))
    a.push(HOST, state(n=1))
    a._client.hset(a._keys(HOST)[0], "a", b"x" * (redis_store.MOST_BYTES + 1))
    before = c._client.info("stats")["total_net_output_bytes"]
    assert (polled(c, HOST), c.unreadable) == ([plain(n=2)], 1)
    assert c._client.info("stats")["total_net_output_bytes"] - before < redis_store.MOST_BYTES


def test_who_has_written_is_not_read_where_that_is_large(stores: dict[str, RedisStore]) -> None:
    a, b, _ = stores.values()
    a.push(HOST, state(n=1))
    a._client.hset(a._keys(HOST)[1], "a", b"x" * 2**21)
    a._client.hset(a._keys(HOST)[1], mapping={f"other{number}": "1" for number in range(200)})
    with pytest.raises(InvalidSnapshot, match="no more than 1048576 are read"):
        polled(b, HOST)


def test_where_a_size_may_not_be_asked_for_what_is_written_is_read(
    server: RedisServer, open_store: Open
) -> None:
    store, reader = (open_store(f"{server.url}?prefix=acl", worker) for worker in "ab")
    store.push(HOST, state(n=1))
    user = {"enabled": True, "nopass": True, "keys": ["*"], "commands": ["+@all", "-memory"]}
    store._client.acl_setuser("frugal", **user)
    reader._client.execute_command("AUTH", "frugal", "")
    assert polled(reader, HOST) == [plain(n=1)]


def test_an_answer_that_does_not_come_is_waited_for_once(
    monkeypatch: pytest.MonkeyPatch, open_store: Open
) -> None:
    monkeypatch.setattr(redis_store, "_TIMEOUT", 0.2)
    with running_redis() as server:
        store, observer = open_store(server.url, "a"), open_store(server.url, "b")
        store.push(HOST, state(n=1))
        assert polled(observer, "other.org") is None
        server.freeze()
        with pytest.raises(StoreUnavailable, match="Timeout"):
            polled(observer, HOST)
        server.thaw()
        monkeypatch.undo()
        again = open_store(server.url, "c")
        assert again._client.info("commandstats")["cmdstat_memory|usage"]["calls"] == 2
        assert polled(observer, HOST) == [plain(n=1)]
        store._client.client_kill_filter(_type="normal", skipme=True)
        observer.invalidate(HOST)
        assert polled(observer, HOST) == [plain(n=1)]


def test_all_keys_begin_with_the_prefix_and_go_in_time(server: RedisServer, open_store: Open) -> None:
    store = open_store(f"{server.url}?prefix=mine&seconds=100", "a")
    store.negotiate(1)
    store.push(HOST, state(n=0))
    keys = sorted(store._client.keys("mine*"))
    assert keys == [b"mine:salt", b"mine:{example.org}:states", b"mine:{example.org}:written"]
    assert all(0 < store._client.pttl(key) <= 100_000 for key in keys)


def test_a_server_that_is_away_is_told_of_and_found_again(open_store: Open) -> None:
    with running_redis() as server:
        store = open_store(server.url, "a")
        store.push(HOST, state(n=1))
        server.stop()
        for ask in (
            lambda: store.push(HOST, state(n=0)),
            lambda: polled(store, HOST),
            lambda: store.negotiate(1),
        ):
            with pytest.raises(StoreUnavailable, match="does not answer"):
                ask()
        server.start()
        assert own(store, HOST) is None
        store.push(HOST, state(n=2))
        assert own(store, HOST) == plain(n=2)


def test_a_value_that_redis_will_not_take_is_told_of(server: RedisServer, open_store: Open) -> None:
    store = open_store(f"{server.url}?prefix=wrong", "a")
    store._client.set("wrong:{example.org}:states", "no hash")
    store._client.set("wrong:{other.org}:written", "no hash")
    store._client.lpush("wrong:salt", "no text")
    for ask in (
        lambda: store.push(HOST, state(n=0)),
        lambda: store.push("other.org", state(n=0)),
        lambda: polled(store, "other.org"),
        lambda: store.negotiate(1),
    ):
        with pytest.raises(InvalidSnapshot, match="WRONGTYPE"):
            ask()
    store.push("third.org", state(n=1))
    assert own(store, "third.org") == plain(n=1)
    assert store._client.get("wrong:{example.org}:states") == b"no hash"
    store._client.config_set("maxmemory", 1)
    try:
        with pytest.raises(StoreUnavailable, match="OutOfMemory"):
            store.push("third.org", state(n=2))
    finally:
        store._client.config_set("maxmemory", 0)


@pytest.mark.parametrize("query", ["prefx=mine", "db=none"])
def test_an_option_of_an_address_that_there_is_not_is_refused(query: str) -> None:
    with pytest.raises(InvalidOption, match=r"url = 'redis://127\.0\.0\.1/0"):
        RedisStore(f"redis://127.0.0.1/0?prefix=a&{query}", "a")


def test_what_the_address_says_else_is_the_client_s() -> None:
    assert store_address("unix:///tmp/a%20b.sock?db=1&prefix=my%26crawl&password=p%25") == (
        "unix:///tmp/a%20b.sock?db=1&password=p%25",
        "my&crawl",
        604_800.0,
    )
    assert store_address("redis://h/0") == ("redis://h/0", "templcrawl", 604_800.0)
    assert store_address("redis://h/0?seconds=1e9").seconds == 1e9


@pytest.mark.parametrize("url", ["redis://127.0.0.1:port/0", "ftp://127.0.0.1", "127.0.0.1"])
def test_an_address_that_is_none_is_refused(server: RedisServer, url: str) -> None:
    with pytest.raises(InvalidOption, match="redis://host:port/db"):
        RedisStore(url, "a")


def test_valkey_is_spoken_to_in_the_same_way(server: RedisServer, open_store: Open) -> None:
    store = open_store(server.url.replace("redis://", "valkey://") + "?prefix=valkey", "a")
    store.push(HOST, state(n=1))
    assert own(store, HOST) == plain(n=1)


def test_without_the_client_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "redis", None)
    with pytest.raises(MissingExtra, match=r"templcrawl\[redis\]"):
        RedisStore("redis://127.0.0.1/0", "a")
