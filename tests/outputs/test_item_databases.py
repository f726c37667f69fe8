"""Items in SQLite and in PostgreSQL: each once, whatever the batch, and a refused one costs no other."""

from __future__ import annotations

import json
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from templcrawl.errors import InvalidOption
from templcrawl.outputs import item_databases
from templcrawl.outputs.item_databases import ItemDatabase, item_database
from templcrawl.outputs.item_values import json_text, plain_json
from templcrawl.outputs.items import PageItem
from tests.outputs.postgresql_server import PostgresqlServer


def query(url: str, sql: str = "SELECT item FROM items ORDER BY key") -> list[Any]:
    """Return the rows of a query, values of rows that have one."""
    if url.startswith("postgresql"):
        return PostgresqlServer.query(None, sql.replace("item FROM", "item::text FROM"), url)  # type: ignore[arg-type]
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
        found = connection.execute(sql).fetchall()
        connection.commit()
    return [row[0] if len(row) == 1 else row for row in found]


def insert(url: str, *items: Any) -> tuple[int, dict[int, str]]:
    database = item_database(url)
    try:
        return database.insert([*map(json_text, items)])
    finally:
        database.close()


def test_an_item_becomes_a_row(url: str) -> None:
    page = PageItem(url="https://a.example/", leaf_id="t1", content_text="Café")
    assert insert(url, page) == (1, {})
    columns = "url, leaf_id, content_text, content_html, item"
    assert query(url, f"SELECT {columns} FROM items") == [
        ("https://a.example/", "t1", "Café", None, json_text(page))
    ]
    assert query(url, "SELECT length(digest) FROM items") == [16]
    assert str(query(url, "SELECT stored_at FROM items")[0]).startswith("20")


def test_a_field_that_is_no_text_is_in_the_json_alone(url: str) -> None:
    insert(url, {"url": 7, "content_text": ["a"]}, {"url": None}, {1: "a", "1": "b"})
    assert query(url, "SELECT url, content_text FROM items") == [(None, None)] * 3
    assert query(url) == ['{"content_text":["a"],"url":7}', '{"url":null}', '[["1","a"],["1","b"]]']


def test_items_that_share_a_url_are_all_there_and_equal_ones_once(url: str) -> None:
    long = "https://a.example/" + "x" * 9_000
    assert insert(url, {"url": long, "n": 1}, {"url": long, "n": 2}, {"n": 2, "url": long})[0] == 2
    assert insert(url, {"url": long, "n": 2}, {"url": long, "n": 3})[0] == 1
    assert query(url, "SELECT url FROM items") == [long] * 3


fields = st.dictionaries(
    st.sampled_from(["url", "content_text", "tags"]),
    st.none() | st.text(st.sampled_from('aé\x00\ud800\\"\n'), max_size=3) | st.lists(st.text("ab")),
)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(fields, max_size=9), st.integers(1, 5))
def test_every_item_is_there_once_in_order_whatever_the_batch(url: str, items: list[Any], batch: int) -> None:
    insert(url)
    query(url, "DELETE FROM items")
    texts = [*dict.fromkeys(map(json_text, items))]
    stored = sum(insert(url, *items[n : n + batch])[0] for n in range(0, len(items), batch))
    held = texts if url.startswith("sqlite") else [*map(plain_json, texts)]
    assert query(url) == held
    assert stored == len(texts)


def test_an_item_that_is_refused_costs_no_other(url: str) -> None:
    insert(url)
    if url.startswith("sqlite"):
        query(
            url,
            "CREATE TRIGGER t BEFORE INSERT ON items WHEN length(new.url) > 1 "
            "BEGIN SELECT RAISE(ABORT, 'too long'); END",
        )
    else:
        query(url, "ALTER TABLE items ALTER COLUMN url TYPE varchar(1)")
    done = insert(url, *({"url": "xx" if n in (3, 6) else str(n)} for n in range(8)))
    assert (done[0], [*done[1]]) == (6, [3, 6])
    assert "too long" in done[1][3]
    assert len(query(url)) == 6


POISONS = {
    "sqlite": "CREATE INDEX counts ON items (abs(json_extract(json_extract(item, '$.n'), '$')))",
    "raised": "RAISE EXCEPTION 'no' USING ERRCODE = '45000'",
    "no row": "SELECT url INTO STRICT new.url FROM items WHERE false",
    "timeout": "PERFORM pg_sleep(9)",
    "no table": "PERFORM * FROM elsewhere",
}
"""What the owner of a database has -> how it fails on the items whose n is no number."""


def poisoned(request: pytest.FixtureRequest, tmp_path: Path, poison: str) -> str:
    """Return a database whose owner has something that fails on some items, by an error of any class."""
    if poison == "sqlite":
        url = f"sqlite:///{tmp_path / 'pages.sqlite'}"
        insert(url)
        with closing(sqlite3.connect(tmp_path / "pages.sqlite")) as connection:
            connection.execute(POISONS[poison])
        return url
    server: PostgresqlServer = request.getfixturevalue("server")
    insert(server.url)
    server.query(
        "CREATE OR REPLACE FUNCTION judge() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"IF new.item->>'n' = '4x' THEN {POISONS[poison]}; END IF; RETURN new; END $$"
    )
    server.query("CREATE TRIGGER judge BEFORE INSERT ON items FOR EACH ROW EXECUTE FUNCTION judge()")
    return server.url


@pytest.mark.parametrize("poison", POISONS)
def test_sent_apart_an_item_is_refused_for_whatever_error_and_costs_no_other(
    poison: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(item_databases, "_SESSION", "SET statement_timeout = '200ms'")
    url = poisoned(request, tmp_path, poison)
    database = item_database(url)
    items = [json_text({"url": str(n), "n": "4x" if n in (2, 5) else "7"}) for n in range(8)]
    with pytest.raises(Exception, match=r".") as failed:
        database.insert(items)
    assert not isinstance(failed.value, database._refusals)
    stored, refused = database.insert(items, apart=True)
    assert (stored, sorted(refused), "" in refused.values()) == (6, [2, 5], False)
    assert database.insert(items[2:3], apart=True)[1].keys() == {0}, "another one would be taken"
    database.close()
    assert len(query(url)) == 6


def test_sent_apart_nothing_is_refused_where_nothing_is_taken(url: str) -> None:
    database = item_database(url)
    database.insert([])
    if url.startswith("sqlite"):
        query(url, "CREATE INDEX every ON items (json_extract(url, '$'))")
    else:
        query(
            url,
            "CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql "
            "AS $$ BEGIN PERFORM * FROM elsewhere; END $$",
        )
        query(url, "CREATE TRIGGER fail BEFORE INSERT ON items FOR EACH ROW EXECUTE FUNCTION fail()")
    items = [json_text({"url": f"page {n}"}) for n in range(5)]
    with pytest.raises(Exception, match=r"malformed|elsewhere"):
        database.insert(items, apart=True)
    database.close()
    assert query(url) == []


def test_sent_apart_nothing_is_refused_for_what_may_pass(tmp_path: Path) -> None:
    database = item_database(str(tmp_path / "pages.sqlite"))
    database.insert(["1"])
    pages = database._connection.execute("PRAGMA page_count").fetchone()[0]
    database._connection.execute(f"PRAGMA max_page_count = {pages}")
    items = ["2", json_text("x" * 200_000), "3"]
    with pytest.raises(sqlite3.OperationalError, match="full"):
        database.insert(items, apart=True)
    assert database.insert(items, apart=True) == (3, {}), "it connects anew"
    database.close()


@pytest.mark.skipif(sys.version_info < (3, 11), reason="sqlite3 cannot set limits before 3.11")
def test_an_item_too_large_for_sqlite_costs_no_other(tmp_path: Path) -> None:
    database = item_database(f"sqlite:///{tmp_path / 'pages.sqlite'}")
    database.check()
    database._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1_000)
    done = database.insert(["1", f'"{"x" * 2_000}"', "2"])
    assert (done[0], [*done[1]]) == (2, [1])
    database.close()


@pytest.mark.parametrize("columns", ["url text", "digest text, url text, leaf_id text"])
def test_a_table_of_another_kind_is_refused(url: str, columns: str) -> None:
    query(url, f"CREATE TABLE items ({columns})")
    with pytest.raises(InvalidOption, match="TEMPLCRAWL_DATABASE"):
        item_database(url).check()


@pytest.mark.parametrize(
    "wrong",
    [
        "sqlite://pages.sqlite",
        "sqlite:///",
        "sqlite:///:memory:",
        ":memory:",
        "me:pass@db/crawl",
        "mysql://me:pass@db/crawl",
        "postgresql://me:pass@[::1/db",
        "postgresql://me:pa%ss@db/crawl",
    ],
)
def test_a_url_that_names_no_database_is_refused_without_a_password(wrong: str) -> None:
    with pytest.raises(
        InvalidOption, match="give sqlite:FILE or the path of a file, or postgresql://"
    ) as refused:
        item_database(wrong)
    said = str(refused.value).replace("the path of a file", "").replace("pages", "")
    assert "pa" not in said.lower().replace("password", "")


# -- SQLite


def test_a_file_is_made_with_its_folder_and_read_while_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "new" / "folder" / "pages.sqlite"
    url = f"sqlite:///{path}"
    insert(url, {"n": 1})
    assert query(url, "PRAGMA journal_mode") == ["wal"]
    assert query(url, "SELECT name FROM pragma_index_info('items_url')") == ["url"]


def test_a_folder_outside_of_the_working_directory_is_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    for address in (f"{tmp_path}/elsewhere/pages.sqlite", "sqlite:../elsewhere/pages.sqlite"):
        with pytest.raises(InvalidOption, match="and is not created"):
            item_database(address).check()
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("occupy", [Path.mkdir, lambda path: path.write_bytes(b"x" * 5_000)])
def test_a_path_that_is_no_database_is_refused(tmp_path: Path, occupy: Callable[[Path], None]) -> None:
    occupy(tmp_path / "pages.sqlite")
    with pytest.raises(InvalidOption, match="TEMPLCRAWL_DATABASE = 'sqlite:/"):
        item_database(f"sqlite:///{tmp_path / 'pages.sqlite'}").check()


@pytest.mark.parametrize("replace", [Path.touch, lambda path: None])
def test_what_goes_to_a_file_that_was_removed_does_not_count_as_stored(
    tmp_path: Path, replace: Callable[[Path], None]
) -> None:
    path = tmp_path / "pages.sqlite"
    database = item_database(f"sqlite:///{path}")
    database.insert(["1"])
    for file in tmp_path.glob("pages.sqlite*"):
        file.unlink()
    replace(path)
    with pytest.raises(sqlite3.Error):
        database.insert(["2"])
    assert database.insert(["2"]) == (1, {})
    database.close()
    assert query(f"sqlite:///{path}") == ["2"]


# -- PostgreSQL


def held_up(database: ItemDatabase, items: list[str]) -> tuple[float, Exception | None]:
    """Return how long an insertion takes, and the error that it ends with."""
    began = time.monotonic()
    error = None
    try:
        database.insert(items)
    except Exception as raised:
        error = raised
    return time.monotonic() - began, error


@pytest.mark.exhaustive
def test_a_server_that_freezes_is_given_up_in_time(
    server: PostgresqlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(item_databases, "_SILENCE", 0.5)
    monkeypatch.setitem(item_databases._CONNECTION, "connect_timeout", 2)
    database = item_database(server.url)
    database.insert(["1"])
    server.freeze()
    try:
        for items in (["2"], [json_text("x" * 100_000 + str(n)) for n in range(50)]):
            seconds, error = held_up(database, items)
            assert seconds < 5
            assert isinstance(error, database._psycopg.OperationalError)  # type: ignore[attr-defined]
    finally:
        server.thaw()
    assert database.insert(["2"])[1] == {}
    assert sorted(query(server.url)) == ["1", "2"]
    database.close()


@pytest.mark.exhaustive
def test_a_slow_batch_is_not_taken_for_a_frozen_server(
    server: PostgresqlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each row comes in time; all of them take longer than one may."""
    insert(server.url)
    server.query(
        "CREATE OR REPLACE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql "
        "AS $$ BEGIN PERFORM pg_sleep(0.3); RETURN new; END $$"
    )
    server.query("CREATE TRIGGER slow BEFORE INSERT ON items FOR EACH ROW EXECUTE FUNCTION slowly()")
    monkeypatch.setattr(item_databases, "_SILENCE", 1.0)
    large = "x" * 20_000  # so that what a row is answered with does not wait for that of the next
    assert insert(server.url, *({"n": n, "large": large} for n in range(6)))[0] == 6


def test_a_connection_is_closed_after_a_silence_and_not_while_something_moves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    psycopg = pytest.importorskip("psycopg")
    monkeypatch.setattr(item_databases, "_SILENCE", 0.2)
    connection = Mock()
    watched = item_database("postgresql://db/crawl")._watched._watch(connection, iter_forever())  # type: ignore[attr-defined]
    next(watched)
    for _ in range(4):
        time.sleep(0.1)
        watched.send(1)
    watched.send(0)
    time.sleep(0.3)
    with pytest.raises(psycopg.OperationalError, match="does not answer"):
        watched.send(0)
    connection.pgconn.finish.assert_called_once_with()


def iter_forever() -> Generator[str, int, None]:
    """Wait for ever, as a query of a frozen server does."""
    while True:
        yield "wait"


def test_a_server_that_is_away_or_read_only_is_no_wrong_setting(
    server: PostgresqlServer, tmp_path: Path
) -> None:
    away = item_database(f"postgresql://me:secret@/crawl?host={tmp_path}")
    assert isinstance(away.check(), Exception)
    assert (away.name, str(away.outbox)) == ("PostgreSQL's database crawl", "templcrawl-crawl.outbox")
    insert(server.url)
    reader = item_database(f"{server.url}&options=-cdefault_transaction_read_only%3Don")
    assert "read-only" in str(reader.check())
    reader.close()


def test_a_table_that_is_dropped_is_made_again_by_the_next_attempt(server: PostgresqlServer) -> None:
    database = item_database(server.url)
    database.insert(["1"])
    server.query("DROP TABLE items")
    assert held_up(database, ["2"])[1] is not None
    assert database.insert(["2"])[0] == 1
    database.close()


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_letter_that_a_database_does_not_have_costs_its_own_item(
    server: PostgresqlServer, encoding: str
) -> None:
    server.query(f"CREATE DATABASE other ENCODING '{encoding}' TEMPLATE template0")
    url = server.url.replace("/postgres?", "/other?")
    letters = [chr(0x20AC) if n == 7 else "é" for n in range(19)]
    try:
        done = insert(url, *({"url": str(n), "content_text": letter} for n, letter in enumerate(letters)))
        rows = query(url, "SELECT url, content_text FROM items")
    finally:
        server.query("DROP DATABASE other WITH (FORCE)")
    refused = [7] if encoding == "LATIN1" else []
    assert [*done[1]] == refused
    assert sorted(rows) == sorted((str(n), letters[n]) for n in range(19) if n not in refused)


def test_several_crawls_may_make_the_table_at_once(url: str) -> None:
    errors: list[BaseException] = []

    def begin(number: int) -> None:
        try:
            insert(url, {"n": number})
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=begin, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert query(url, "SELECT count(*) FROM items") == [6]


def test_json_in_postgresql_can_be_asked(server: PostgresqlServer) -> None:
    insert(server.url, {"url": "a\0", "leaf_id": "\ud800", "content_text": "\\u0000"})
    found = server.query(
        "SELECT url, leaf_id, content_text, item ->> 'url', item ->> 'content_text' FROM items"
    )
    assert found == [("a\ufffd", "\ufffd", "\\u0000", "a\ufffd", "\\u0000")]
    assert json.loads(server.query("SELECT item::text FROM items")[0])["leaf_id"] == "\ufffd"
