"""What is SQLite's own about the store in a file: names of workers, damage, locks, and crawls in turn."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Thread

import pytest
from scrapy.utils.test import get_crawler

from lab.sites.server import LocalSite
from templcrawl.crawl.extension import TemplateMemory
from templcrawl.crawl.workers import sqlite_store
from templcrawl.crawl.workers.shared_sites import SharedSites
from templcrawl.crawl.workers.sqlite_store import SharedSqliteStore
from templcrawl.errors import InvalidOption, InvalidSnapshot, StoreUnavailable
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.store import ACROSS, ALL_SITES
from tests.crawl.crawls import ONE_BY_ONE, ONE_LINE, run_crawl
from tests.crawl.workers.shared_store_contract import HOST, polled, state
from tests.crawl.workers.test_shared_crawls import crawls, no_errors
from tests.memory import stores
from tests.memory.stores import store_in

Open = Callable[..., SharedSqliteStore]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "deeper").mkdir(exist_ok=True)
    return tmp_path / "deeper" / "memory.sqlite"


@pytest.fixture
def open_store(path: Path) -> Iterator[Open]:
    with ExitStack() as opened:
        yield lambda *name: opened.enter_context(closing(SharedSqliteStore(path, *name)))


def test_workers_without_a_name_take_the_first_number_that_is_free_and_what_it_has_learned(
    open_store: Open,
) -> None:
    first, second = open_store(), open_store()
    assert (first.worker, second.worker) == ("0", "1")
    first.push(HOST, state(1))
    second.push(HOST, state(2))
    assert (second.reload(HOST), first.reload("other.org")) == (state(2), None)
    first.close()
    third = open_store()
    assert (third.worker, third.reload(HOST), polled(third)) == ("0", state(1), [state(2)])
    third.push(HOST, state(3))
    assert polled(second) == [state(3)]
    assert open_store().worker == "2"


def test_in_all_the_sites_that_were_written_longest_ago_leave(
    open_store: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_store, "_MOST_ROWS", 3)
    store = open_store("a")
    for host in (ALL_SITES, "one.org", "two.org", "three.org"):
        store.push(host, state(1))
    kept = [host for host in (ALL_SITES, "one.org", "two.org", "three.org") if store.reload(host)]
    assert kept == [ALL_SITES, "two.org", "three.org"]


def test_what_of_others_is_too_large_or_no_bytes_is_not_taken(
    open_store: Open, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a = open_store("a")
    with closing(sqlite3.connect(path)) as connection, connection:
        for worker, text in (("b", "x" * 2_000), ("c", "text")):
            connection.execute(
                "INSERT INTO states (host, worker, state) VALUES (?, ?, ?)", (HOST, worker, text)
            )
    monkeypatch.setattr(sqlite_store, "MOST_BYTES", 1_000)
    assert (polled(a), a.unreadable) == ([b"text"], 1)


def damaged(path: Path) -> None:
    path.write_bytes(b"no database, but something else" * 300)


def of_something_else(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE items (url)")


def of_another_format(path: Path) -> None:
    SharedSqliteStore(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")


def a_folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (damaged, "file is not a database"),
        (of_something_else, "database of something else"),
        (of_another_format, "format 99, of another templcrawl"),
        (a_folder, "unable to open"),
    ],
)
def test_a_file_that_cannot_be_used_stops_the_start_by_one_sentence(
    make: Callable[[Path], None], reason: str, path: Path
) -> None:
    make(path)
    crawler = get_crawler(settings_dict={"TEMPLCRAWL_STORE": f"sqlite:{path}"})
    with pytest.raises((InvalidOption, InvalidSnapshot), match=reason) as raised:
        TemplateMemory.from_crawler(crawler)
    assert str(path) in str(raised.value)


def test_a_file_that_is_locked_is_away_and_comes_back_and_nothing_in_it_is_written_over(
    open_store: Open, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_store, "_SECONDS", 0.05)
    open_store().push(HOST, state(1))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        store = open_store()
        assert store.reload(HOST) is None
        for ask in (lambda: store.push(HOST, state(2)), lambda: store.negotiate(7)):
            with pytest.raises(StoreUnavailable, match="locked"):
                ask()
        other.execute("ROLLBACK")
    store.push(HOST, state(2))
    assert polled(store) == [state(1)]


def test_a_reload_that_fails_leaves_what_is_there_to_another_name(open_store: Open, path: Path) -> None:
    store = open_store()
    store.push(HOST, state(1))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE states RENAME TO away")
        with pytest.raises(InvalidSnapshot, match="cannot be read"):
            store.reload(HOST)
        connection.execute("ALTER TABLE away RENAME TO states")
    store.push(HOST, state(2))
    assert polled(open_store("reader")) == sorted([state(1), state(2)])


def test_a_file_that_was_replaced_is_opened_and_read_anew(open_store: Open, path: Path) -> None:
    a, b = open_store("a"), open_store("b")
    for number in (1, 2):
        a.push(HOST, state(number))
        assert (polled(b), polled(b)) == ([state(number)], None)
        for end in ("", "-wal", "-shm"):
            path.with_name(f"{path.name}{end}").unlink()


def test_texts_of_items_and_the_name_of_a_worker_are_not_exchanged(tmp_path: Path, path: Path) -> None:
    own, shared = store_in(tmp_path), SharedSqliteStore(path)
    sites = SharedSites(own, shared, MemoryOptions())
    for host in (*ACROSS, HOST):
        sites.write(host, state(1))
        assert sites.read(host) == state(1)
    sites.commit()
    assert sites.close() == 0
    with closing(SharedSqliteStore(path, "reader")) as reader:
        assert [host for host in (*ACROSS, HOST) if polled(reader, host)] == [ALL_SITES, HOST]


def test_many_workers_make_the_file_and_write_at_a_time_and_nothing_is_lost(path: Path) -> None:
    def work(name: str) -> None:
        with closing(SharedSqliteStore(path, name)) as store:
            for number in range(20):
                store.negotiate(number)
                store.push(f"{number}.org", stores.state(**{name: number}))

    threads = [Thread(target=work, args=(name,)) for name in "abcdef"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    with closing(SharedSqliteStore(path, "reader")) as store:
        found = {number: polled(store, f"{number}.org") for number in range(20)}
    assert found == {
        number: sorted(stores.state(**{name: number}) for name in "abcdef") for number in range(20)
    }


def test_two_workers_share_a_file_and_a_later_one_goes_on_from_it(path: Path) -> None:
    settings = {"TEMPLCRAWL_STORE": str(path)}
    shared = crawls(settings, 2)
    assert len({stats["salt"] for _, stats in shared}) == 1
    assert all(stats["templcrawl/store/exchanges"] > 3 for _, stats in shared)
    ((items, later),) = crawls(settings, 1)
    assert "Page 7" not in items[0]["content_text"]
    assert later["salt"] == shared[0][1]["salt"]
    assert all(map(no_errors, (shared[0][1], shared[1][1], later)))


PAGES = {f"/{number}.html": f"Pot {number}, of red clay, holds {number + 2} cups" for number in range(12)}


def test_of_one_crawl_after_the_other_only_what_has_changed_is_an_item(path: Path, tmp_path: Path) -> None:
    texts = dict(PAGES)

    def answer(url: str) -> str | None:
        menu = "".join(f"<li><a href='{page}'>{page}</a>" for page in PAGES)
        text = texts.get(url, "All pots" if url == "/" else None)
        return text and f"<title>{url}</title><ul>{menu}</ul><h1>{url}</h1><p>{text}</p>"

    settings = {
        **ONE_LINE,
        **ONE_BY_ONE,
        "TEMPLCRAWL_STORE": f"sqlite:{path}",
        "TEMPLCRAWL_ITEM_FIELDS": ["content_text", "changed"],
        "TEMPLCRAWL_SKIP_UNCHANGED": True,
    }

    def items(site: LocalSite, day: int) -> set[tuple[str, str]]:
        found = run_crawl("plain", site.url, tmp_path / f"{day}", settings)
        assert " ERROR: " not in found.log
        assert " WARNING: " not in found.log
        made = [item for kind, item in found.items if kind == "dict"]
        return {(item["url"].removeprefix(site.url.rstrip("/")), item["changed"]) for item in made}

    with LocalSite(answer) as site:
        first = items(site, 1)
        texts["/3.html"] = "Pot 3, of blue clay, is sold out"
        second, third = items(site, 2), items(site, 3)
    assert {page for page, _ in first} >= {*PAGES}
    assert second == {("/3.html", "changed")}
    assert third == set()
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT worker, count(*) FROM states GROUP BY worker").fetchall()
    assert rows == [("0", 2)]
