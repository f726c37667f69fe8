"""Parts in Redis: each worker's own comes back, the others' are read once they are new, all is bounded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest

from templcrawl.errors import InvalidOption, MissingExtra, StoreAway
from templcrawl.memory import redis_store
from templcrawl.memory.redis_store import RedisStore
from tests.redis_server import RedisServer, running_redis

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
    return {worker: open_store(server.url, worker, prefix=request.node.name) for worker in "abc"}


def test_a_worker_reads_its_own_part_back_and_those_of_the_others_once_they_are_new(
    stores: dict[str, RedisStore],
) -> None:
    a, b, c = stores.values()
    assert a.load(HOST) is None
    assert a.others(HOST) is None
    a.save(HOST, {"n": 1})
    b.save(HOST, lambda: {"n": 2})
    assert (a.load(HOST), b.load(HOST)) == ({"n": 1}, {"n": 2})
    assert c.others(HOST) == [{"n": 1}, {"n": 2}]
    assert c.others(HOST) is None
    assert a.others(HOST) == [{"n": 2}]
    b.save(HOST, {"n": 3})
    assert a.others(HOST) == [{"n": 3}]
    assert a.others("other.org") is None
    a.forget(HOST)
    assert a.others(HOST) == [{"n": 3}]


def test_a_late_write_takes_the_place_of_the_worker_s_own_part_and_of_no_other(
    stores: dict[str, RedisStore],
) -> None:
    a, b, c = stores.values()
    for number, store in enumerate((a, b, a, b, b)):
        store.save(HOST, {"n": number})
    assert c.others(HOST) == [{"n": 2}, {"n": 4}]


def test_what_was_lost_is_told_of(stores: dict[str, RedisStore]) -> None:
    a, b, _ = stores.values()
    salt, since = a.agree(7)
    assert salt == 7
    assert (b.agree(8), a.agree(9)) == ((7, since), (7, since))
    a.save(HOST, {"n": 1})
    assert b.others(HOST) == [{"n": 1}]
    a._client.flushdb()
    assert b.others(HOST) == []
    salt, anew = b.agree(8)
    assert salt == 8
    assert a.agree(7) == (8, anew)
    assert anew != since


def test_of_too_many_parts_those_written_longest_ago_leave(
    stores: dict[str, RedisStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_store, "MOST_PARTS", 2)
    a, b, c = stores.values()
    for number, store in enumerate((b, a, c)):
        store.save(HOST, {"n": number})
    assert a.others(HOST) == [{"n": 2}]
    assert a._client.hlen(a._keys(HOST)[0]) == a._client.hlen(a._keys(HOST)[1]) == 2


def test_a_part_that_is_too_large_is_counted_and_the_one_before_it_stays(
    stores: dict[str, RedisStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b, _ = stores.values()
    a.save(HOST, {"n": 1})
    monkeypatch.setattr(redis_store, "MOST_BYTES", 10)
    a.save(HOST, {"n": 2})
    assert (a.refused, b.others(HOST)) == (1, [{"n": 1}])


def test_a_part_that_cannot_be_read_is_counted_and_the_others_are_read(stores: dict[str, RedisStore]) -> None:
    a, b, c = stores.values()
    a.save(HOST, {"n": 1})
    b.save(HOST, {"n": 2})
    a._client.hset(a._keys(HOST)[0], "a", b"nothing")
    assert (c.others(HOST), c.unreadable) == ([{"n": 2}], 1)


def test_all_keys_begin_with_the_prefix_and_go_in_time(server: RedisServer, open_store: Open) -> None:
    store = open_store(server.url, "a", prefix="mine", seconds=100)
    store.agree(1)
    store.save(HOST, {})
    keys = sorted(store._client.keys("mine*"))
    assert keys == [b"mine:salt", b"mine:{example.org}:parts", b"mine:{example.org}:written"]
    assert all(0 < store._client.pttl(key) <= 100_000 for key in keys)


def test_a_server_that_is_away_is_told_of_and_found_again(open_store: Open) -> None:
    with running_redis() as server:
        store = open_store(server.url, "a")
        store.save(HOST, {"n": 1})
        server.stop()
        for ask in (lambda: store.save(HOST, {}), lambda: store.others(HOST), lambda: store.agree(1)):
            with pytest.raises(StoreAway, match="does not answer"):
                ask()
        server.start()
        assert store.load(HOST) is None
        store.save(HOST, {"n": 2})
        assert store.load(HOST) == {"n": 2}


def test_a_value_that_redis_will_not_take_is_told_of(server: RedisServer, open_store: Open) -> None:
    store = open_store(server.url, "a", prefix="wrong")
    store._client.set("wrong:{example.org}:parts", "no hash")
    with pytest.raises(StoreAway, match="WRONGTYPE"):
        store.save(HOST, {})


@pytest.mark.parametrize("url", ["redis://127.0.0.1:port/0", "ftp://127.0.0.1", "127.0.0.1"])
def test_an_address_that_is_none_is_refused(server: RedisServer, url: str) -> None:
    with pytest.raises(InvalidOption, match="redis://host:port/db"):
        RedisStore(url, "a")


def test_valkey_is_spoken_to_in_the_same_way(server: RedisServer, open_store: Open) -> None:
    store = open_store(server.url.replace("redis://", "valkey://"), "a", prefix="valkey")
    store.save(HOST, {"n": 1})
    assert store.load(HOST) == {"n": 1}


def test_without_the_client_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "redis", None)
    with pytest.raises(MissingExtra, match=r"templcrawl\[redis\]"):
        RedisStore("redis://127.0.0.1/0", "a")
