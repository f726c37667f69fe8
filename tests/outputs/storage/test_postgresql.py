"""Items in PostgreSQL: one a URL, none lost while the server is stopped, killed or full of others."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings

from lab.sites.server import LocalSite
from templcrawl.errors import InvalidOption
from templcrawl.outputs import postgresql
from templcrawl.outputs.item_batches import BATCH_ITEMS, BatchedItems
from templcrawl.outputs.items import PageItem, json_text
from templcrawl.outputs.postgresql import PostgresqlPagesPipeline, PostgresqlTable, plain_json
from tests.crawl.crawls import ADDON, DEMO_SITE, SMALL_PARTS, run_crawl
from tests.outputs.storage.postgresql_server import PostgresqlServer, binaries
from tests.outputs.storage.test_sqlite import Clock

psycopg = pytest.importorskip("psycopg")


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresqlServer]:
    programs = binaries()
    if programs is None:
        pytest.skip("without PostgreSQL's programs (Debian: apt install postgresql)")
    server = PostgresqlServer(programs)
    yield server
    server.remove()


@pytest.fixture
def database(server: PostgresqlServer) -> Iterator[PostgresqlServer]:
    query(server, "DROP TABLE IF EXISTS items")
    yield server
    server.start_again()


def query(server: PostgresqlServer, sql: str) -> list[Any]:
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        cursor = connection.execute(sql)
        rows = cursor.fetchall() if cursor.description else []
    return [row[0] if len(row) == 1 else row for row in rows]


class Stats(dict[str, int]):
    def inc_value(self, key: str, count: int = 1) -> None:
        name = key.removeprefix("templcrawl/postgresql/")
        self[name] = self.get(name, 0) + count


class Crawl:
    """A pipeline on its own: opened, given items, closed."""

    def __init__(self, server: PostgresqlServer, folder: Path, batch: int = 200) -> None:
        self.stats, self.clock = Stats(), Clock()
        self.store = str(folder / "postgresql-crawl")
        self.pipeline = PostgresqlPagesPipeline(
            self.store,
            batch=batch,
            stats=self.stats,  # type: ignore[arg-type]
            clock=self.clock,
        )
        self.pipeline.dsn = server.dsn

    def __enter__(self) -> Crawl:
        asyncio.run(self.pipeline.open_spider())
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run(self.pipeline.close_spider())

    def take(self, *items: Any) -> None:
        for item in items:
            assert asyncio.run(self.pipeline.process_item(item)) is item

    def unstored(self) -> list[Any]:
        path = Path(f"{self.store}.unstored.jsonl")
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_a_page_item_becomes_a_row(database: PostgresqlServer, tmp_path: Path) -> None:
    page = PageItem(url="https://a.example/", leaf_id="t1", content_text="Café\0")
    with Crawl(database, tmp_path) as crawl:
        crawl.take(page)
    columns = "url, leaf_id, content_text, content_html, item::text, length(key), length(digest)"
    assert query(database, f"SELECT {columns} FROM items") == [
        ("https://a.example/", "t1", "Café\ufffd", None, plain_json(json_text(page)), 16, 16)
    ]
    assert query(database, "SELECT now() - stored_at < interval '1 hour' FROM items") == [True]
    assert query(database, "SELECT item ->> 'leaf_id' FROM items") == ["t1"]
    assert crawl.stats == {"stored": 1}


def test_a_later_item_of_a_url_takes_the_place_of_an_earlier_one(
    database: PostgresqlServer, tmp_path: Path
) -> None:
    long = "https://a.example/" + "x" * 9_000
    with Crawl(database, tmp_path, batch=2) as crawl:
        crawl.take({"url": "a", "n": 1}, {"url": long, "n": 1})
        crawl.take({"url": "a", "n": 2}, {"url": "a", "n": 3})
        crawl.take({"url": "a", "n": 3}, {"url": long, "n": 1})
    assert sorted(query(database, "SELECT item ->> 'n' FROM items")) == ["1", "3"]
    assert crawl.stats == {"stored": 2, "replaced": 2, "duplicates": 2}


def test_items_without_a_url_are_all_kept_and_a_second_run_adds_none(
    database: PostgresqlServer, tmp_path: Path
) -> None:
    for expected in ({"stored": 2}, {"duplicates": 2}):
        with Crawl(database, tmp_path) as crawl:
            crawl.take({"n": 1}, {"n": 2, "url": 7})
        assert crawl.stats == expected


values = st.none() | st.text(st.sampled_from('aé\x00\ud800\\"\n'), max_size=3)


@settings(max_examples=15)
@given(
    st.lists(st.fixed_dictionaries({"url": st.sampled_from("abc")}, optional={"content_text": values})),
    st.integers(1, 5),
)
def test_the_last_item_of_each_url_is_there_whatever_the_batch(
    server: PostgresqlServer, tmp_path_factory: pytest.TempPathFactory, items: list[Any], batch: int
) -> None:
    query(server, "DROP TABLE IF EXISTS items")
    with Crawl(server, tmp_path_factory.mktemp("crawl"), batch) as crawl:
        crawl.take(*items)
    assert query(server, "SELECT count(item ->> 'content_text') >= 0 FROM items") == [True]
    rows = query(server, "SELECT item::text FROM items")
    last = {item["url"]: plain_json(json_text(item)) for item in items}
    assert sorted(rows) == sorted(last.values())
    assert sum(crawl.stats.values()) == len(items)
    assert crawl.stats.get("stored", 0) == len(rows)


def test_an_item_that_is_refused_costs_no_other(
    database: PostgresqlServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Crawl(database, tmp_path) as crawl:
        query(database, "ALTER TABLE items ALTER COLUMN content_text TYPE varchar(9)")
        crawl.take(*({"url": str(n), "content_text": "x" * (10 if n == 3 else 9)} for n in range(8)))
    assert crawl.stats == {"stored": 7, "unstored": 1}
    assert [item["url"] for item in crawl.unstored()] == ["3"]
    assert "does not take the item of 3" in caplog.text


def test_items_wait_while_the_server_is_away(
    database: PostgresqlServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Crawl(database, tmp_path, batch=2) as crawl:
        crawl.take({"n": 0}, {"n": 1})
        database.stop()
        crawl.take(*({"n": n} for n in range(2, 9)))
        assert crawl.stats == {"stored": 2, "errors": 1}
        database.start()
        crawl.clock.now = 5.0
        crawl.take({"n": 9})
        assert crawl.stats == {"stored": 10, "errors": 1}
    ours = [record for record in caplog.records if record.name.startswith("templcrawl")]
    assert [record.levelname for record in ours] == ["ERROR"]


def test_what_waits_is_bounded_and_the_rest_is_in_a_file(database: PostgresqlServer, tmp_path: Path) -> None:
    with Crawl(database, tmp_path, batch=2) as crawl:
        database.stop()
        crawl.take(*({"n": n} for n in range(50)))
        database.start()
    there = {int(n) for n in query(database, "SELECT item ->> 'n' FROM items")}
    kept = [item["n"] for item in crawl.unstored()]
    assert 10 <= len(there) <= 20
    assert sorted([*there, *kept]) == list(range(50))
    assert crawl.stats == {"errors": 1, "unstored": len(kept), "stored": len(there)}


def test_a_server_that_comes_back_during_the_close_is_waited_for(
    database: PostgresqlServer, tmp_path: Path
) -> None:
    with Crawl(database, tmp_path) as crawl:
        database.stop()
        crawl.take({"n": 1})
        back = threading.Timer(1.0, database.start)
        back.start()
    back.join()
    assert crawl.stats == {"stored": 1}


def test_one_that_does_not_come_back_leaves_the_items_in_a_file(
    database: PostgresqlServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "_PATIENCE_AT_END", 0.1)
    with Crawl(database, tmp_path) as crawl:
        database.stop()
        crawl.take({"n": 1}, {"n": 2})
    assert crawl.stats == {"errors": 1, "unstored": 2}
    assert crawl.unstored() == [{"n": 1}, {"n": 2}]


@pytest.mark.exhaustive
def test_a_server_stopped_and_started_under_load_loses_nothing(
    database: PostgresqlServer, tmp_path: Path
) -> None:
    """Two crawls write the same URLs, one its own besides; the server is killed three times meanwhile."""
    done = threading.Event()
    crawls = [Crawl(database, tmp_path / str(number), batch=20) for number in range(2)]
    counts = [0, 0]

    def load(number: int) -> None:
        with crawls[number] as crawl:
            while not done.is_set():
                count = counts[number]
                crawl.clock.now += 0.5
                crawl.take({"url": f"shared/{count}"}, {"url": f"own/{number}/{count}"})
                counts[number] += 1

    threads = [threading.Thread(target=load, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        time.sleep(0.5)
        database.stop()
        time.sleep(0.2)
        database.start()
    restarted = list(counts)
    time.sleep(0.5)
    done.set()
    for thread in threads:
        thread.join()
    there = set(query(database, "SELECT url FROM items"))
    in_files = {item["url"] for crawl in crawls for item in crawl.unstored()}
    expected = {f"own/{number}/{count}" for number in range(2) for count in range(counts[number])}
    expected |= {f"shared/{count}" for count in range(max(counts))}
    assert there | in_files == expected
    assert any(
        f"own/{number}/{count}" in there
        for number in range(2)
        for count in range(restarted[number], counts[number])
    )
    assert sum(crawl.stats.get("errors", 0) for crawl in crawls) >= 1
    assert all("lost" not in crawl.stats for crawl in crawls)
    for crawl, count in zip(crawls, counts):
        done_with = ("stored", "duplicates", "replaced", "unstored")
        assert sum(crawl.stats.get(what, 0) for what in done_with) == 2 * count


def test_a_server_that_freezes_is_given_up_and_no_item_is_lost(
    database: PostgresqlServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The crawl ends while the server is frozen still; what it did not take is in the file."""
    monkeypatch.setattr(postgresql, "_SILENCE", 0.5)
    monkeypatch.setattr(postgresql, "_PATIENCE_AT_END", 0.1)
    monkeypatch.setitem(postgresql._CONNECTION, "connect_timeout", 2)
    crawl = Crawl(database, tmp_path, batch=2)

    def run() -> None:
        with crawl:
            crawl.take({"n": 0}, {"n": 1})
            database.freeze()
            crawl.take(*({"n": n} for n in range(2, 9)))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(60)
    is_over = not thread.is_alive()
    database.thaw()
    assert is_over
    assert crawl.stats == {"stored": 2, "errors": 2, "unstored": 7}
    there = [int(n) for n in query(database, "SELECT item ->> 'n' FROM items")]
    assert sorted([*there, *(item["n"] for item in crawl.unstored())]) == list(range(9))


def test_a_failure_that_takes_long_is_not_repeated_at_once(
    database: PostgresqlServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An item waits for one attempt, however long that takes; the next is made for a later item."""
    with Crawl(database, tmp_path, batch=1) as crawl:
        attempts = []

        def fail(rows: Any, *, at_end: bool) -> Any:
            attempts.append(len(rows))
            assert len(attempts) < 5
            crawl.clock.now += 100.0
            raise psycopg.OperationalError("connection timeout expired")

        with monkeypatch.context() as broken:
            broken.setattr(crawl.pipeline._table, "insert", fail)
            crawl.take({"n": 1}, {"n": 2})
            assert attempts == [1]
            crawl.clock.now += 5.0
            crawl.take({"n": 3})
            assert attempts == [1, 3]
    assert crawl.stats == {"stored": 3, "errors": 2}


def test_a_server_that_thaws_gets_what_has_waited(
    database: PostgresqlServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "_SILENCE", 0.5)
    with Crawl(database, tmp_path, batch=2) as crawl:
        database.freeze()
        crawl.take({"url": "a"}, {"url": "b"})
        database.thaw()
        crawl.clock.now = 5.0
        crawl.take({"url": "c"})
    assert sorted(query(database, "SELECT url FROM items")) == ["a", "b", "c"]
    assert crawl.unstored() == []
    assert crawl.stats["errors"] == 1
    assert "lost" not in crawl.stats


def test_a_slow_batch_is_not_taken_for_a_frozen_server(
    database: PostgresqlServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each row comes in time; all of them take longer than one may."""
    monkeypatch.setattr(postgresql, "_SILENCE", 1.0)
    plain = postgresql.plain_json

    def slowly(text: str) -> str:
        time.sleep(0.3)
        return plain(text)

    monkeypatch.setattr(postgresql, "plain_json", slowly)
    with Crawl(database, tmp_path, batch=8) as crawl:
        crawl.take(*({"n": n} for n in range(8)))
    assert crawl.stats == {"stored": 8}


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_letter_that_a_database_does_not_have_costs_its_own_item(
    database: PostgresqlServer, tmp_path: Path, encoding: str, caplog: pytest.LogCaptureFixture
) -> None:
    query(database, f"CREATE DATABASE other ENCODING '{encoding}' TEMPLATE template0")
    other = SimpleNamespace(dsn=database.dsn.replace("dbname=postgres", "dbname=other"))
    try:
        with Crawl(other, tmp_path) as crawl:  # type: ignore[arg-type]
            letters = [chr(0x20AC) if n == 7 else "é" for n in range(19)]
            crawl.take(*({"url": str(n), "content_text": letter} for n, letter in enumerate(letters)))
        with psycopg.connect(other.dsn, client_encoding="utf8") as connection:
            rows = connection.execute("SELECT url, content_text FROM items").fetchall()
    finally:
        query(database, "DROP DATABASE other WITH (FORCE)")
    refused = [7] if encoding == "LATIN1" else []
    assert sorted(rows) == sorted((str(n), letters[n]) for n in range(19) if n not in refused)
    assert [int(item["url"]) for item in crawl.unstored()] == refused
    assert crawl.stats == {"stored": 19 - len(refused), **({"unstored": 1} if refused else {})}
    assert ("does not take the item of 7" in caplog.text) == bool(refused)


@pytest.mark.parametrize("is_at_end", [False, True])
def test_a_table_that_is_dropped_is_made_again_and_said(
    database: PostgresqlServer, tmp_path: Path, caplog: pytest.LogCaptureFixture, *, is_at_end: bool
) -> None:
    with Crawl(database, tmp_path, batch=2) as crawl:
        crawl.take({"n": 0}, {"n": 1})
        query(database, "DROP TABLE items")
        crawl.take(*({"n": n} for n in range(2, 3 if is_at_end else 6)))
    numbers = sorted(int(n) for n in query(database, "SELECT item ->> 'n' FROM items"))
    assert numbers == ([2] if is_at_end else [2, 3, 4, 5])
    assert "lost" not in crawl.stats
    assert crawl.unstored() == []
    assert "the table items was dropped" in caplog.text


def test_a_table_that_cannot_be_made_again_leaves_the_items_in_the_file(
    database: PostgresqlServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "_COPY", "COPY nowhere FROM STDIN (FORMAT BINARY)")
    with Crawl(database, tmp_path) as crawl:
        crawl.take({"n": 1})
    assert crawl.stats == {"errors": 1, "unstored": 1}


def test_a_server_that_takes_nothing_for_a_while_is_asked_on_a_new_connection(
    database: PostgresqlServer, tmp_path: Path
) -> None:
    """As a replica that was promoted, or a pool whose server has changed, a session may be of no more use."""
    with Crawl(database, tmp_path, batch=1) as crawl:
        crawl.take({"n": 0})
        table = crawl.pipeline._table
        assert isinstance(table, PostgresqlTable)
        table._connection.execute("SET default_transaction_read_only = on")
        crawl.take({"n": 1})
        crawl.clock.now = 5.0
        crawl.take({"n": 2})
    assert crawl.stats == {"stored": 3, "errors": 1}


def test_several_crawls_may_make_the_table_at_once(database: PostgresqlServer, tmp_path: Path) -> None:
    errors: list[BaseException] = []

    def begin(number: int) -> None:
        try:
            with Crawl(database, tmp_path) as crawl:
                crawl.take({"n": number})
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=begin, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert query(database, "SELECT count(*) FROM items") == [6]


@pytest.mark.parametrize("columns", ["url text", "key bytea, digest bytea, url text, leaf_id text"])
def test_a_table_of_another_kind_is_refused(columns: str, database: PostgresqlServer, tmp_path: Path) -> None:
    query(database, f"CREATE TABLE items ({columns})")
    with pytest.raises(InvalidOption, match="TEMPLCRAWL_POSTGRESQL_DSN"):
        Crawl(database, tmp_path).__enter__()


def test_a_server_that_is_away_at_the_start_stops_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    crawl = Crawl(SimpleNamespace(dsn=f"host={tmp_path} password=secret"), tmp_path)  # type: ignore[arg-type]
    with pytest.raises(InvalidOption, match="can keep the table items") as raised:
        crawl.__enter__()
    assert str(raised.value).startswith("TEMPLCRAWL_POSTGRESQL_DSN = … is not accepted")
    assert "secret" not in str(raised.value) + caplog.text


def crawler(**values: object) -> Any:
    return SimpleNamespace(
        settings=Settings({f"TEMPLCRAWL_{k}": v for k, v in values.items()}), stats=Stats()
    )


def test_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PostgresqlPagesPipeline, "_open_table", Mock())
    dsn = "postgresql://me:secret@db.example/shop%20a"
    asked = crawler(POSTGRESQL_DSN=dsn)
    asked.settings.set("JOBDIR", str(tmp_path))
    pipeline = PostgresqlPagesPipeline.from_crawler(asked)
    assert isinstance(pipeline, BatchedItems)
    assert (pipeline.dsn, pipeline._batch) == (dsn, BATCH_ITEMS)
    assert pipeline._store == str(tmp_path / "postgresql-shop_a")
    begins = r"TEMPLCRAWL_POSTGRESQL_DSN = … is not accepted: give a connection string .*\(\w+ "
    for wrong in ("no such thing", "host=db password=my pass", "postgresql://me:pass@[::1/db", "pass=x"):
        with pytest.raises(InvalidOption, match=begins) as refused:
            PostgresqlPagesPipeline.from_crawler(crawler(POSTGRESQL_DSN=wrong))
        assert "thing" not in str(refused.value)
        assert "pass" not in str(refused.value)
    with pytest.raises(NotConfigured) as caught:
        PostgresqlPagesPipeline.from_crawler(crawler())
    assert caught.value.args == ()


def test_nothing_of_it_is_logged_where_all_is_well(
    database: PostgresqlServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO), Crawl(database, tmp_path) as crawl:
        crawl.take({"n": 1})
    assert caplog.records == []


def test_a_crawl_stores_its_items_by_the_one_line(database: PostgresqlServer, tmp_path: Path) -> None:
    settings = {**ADDON, **SMALL_PARTS, "TEMPLCRAWL_POSTGRESQL_DSN": database.dsn, "SHOP_BATCH_ITEMS": 3}
    with LocalSite(DEMO_SITE.html) as site:
        crawl = run_crawl("plain", site.url, tmp_path, settings)
    assert len(crawl.items) > 10
    urls = {item["url"] for _, item in crawl.items}
    assert sorted(query(database, "SELECT url FROM items")) == sorted(urls)
    assert crawl.stats["templcrawl/postgresql/stored"] == len(urls)
    assert "log_count/ERROR" not in crawl.stats
