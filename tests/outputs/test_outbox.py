"""The outbox: no item is lost while a database is away, stuck or full, or a crawl is killed."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from templcrawl.outputs import item_databases, outbox
from templcrawl.outputs.item_databases import ItemDatabase, item_database
from templcrawl.outputs.item_values import json_text
from templcrawl.outputs.outbox import Outbox
from templcrawl.state_file import StateFile
from tests.outputs.postgresql_server import PostgresqlServer
from tests.outputs.test_item_databases import query
from tests.parts import exhaustive_but, long_but


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "_RETRY_SECONDS", 0.1)
    monkeypatch.setattr(outbox, "_PAUSE", 0.02)
    monkeypatch.setattr(outbox, "_PATIENCE", 0.5)


class Held(ItemDatabase):
    """A database in memory, which fails, waits or refuses as it is told."""

    def __init__(self, folder: Path) -> None:
        self.name, self.outbox = "the database", folder / "items.outbox"
        self.items: list[str] = []
        self.batches: list[int] = []
        self.is_away = False
        self.refuses: Callable[[str], bool] = lambda item: False
        self.may_go = threading.Event()
        self.may_go.set()

    def insert(self, items: Sequence[str], *, apart: bool = False) -> tuple[int, dict[int, str]]:
        """Store items."""
        self.may_go.wait()
        if self.is_away:
            raise ConnectionError("no route")
        refused = {n: "too large" for n, item in enumerate(items) if self.refuses(item)}
        before = len(self.items)
        self.items = [*dict.fromkeys([*self.items, *(i for n, i in enumerate(items) if n not in refused)])]
        self.batches.append(len(items))
        return len(self.items) - before, refused


class Crawl:
    """An outbox that is opened, given items, and closed."""

    def __init__(self, database: ItemDatabase, job: StateFile | None = None) -> None:
        self.stats: Counter[str] = Counter()
        self.outbox = Outbox(database, job, lambda stat, number: self.stats.update({stat: number}))

    def put(self, *items: object) -> None:
        for item in items:
            self.outbox.put(json_text(item))

    def until_stat(self, stat: str, number: int) -> None:
        """Wait for a stat, as the event loop does that looks each second."""
        end = time.monotonic() + 20
        while self.stats[stat] < number:
            assert time.monotonic() < end, dict(self.stats)
            self.outbox.commit()
            time.sleep(0.01)

    def close(self) -> dict[str, int]:
        """Close, and return the stats that are not 0."""
        asyncio.run(self.outbox.close())
        return {name: count for name, count in self.stats.items() if count}


def numbers(start: int, stop: int) -> list[dict[str, object]]:
    return [{"url": f"http://a.example/{n}"} for n in range(start, stop)]


def texts(start: int, stop: int) -> list[str]:
    return [*map(json_text, numbers(start, stop))]


def waiting(path: Path) -> list[tuple[str, str | None]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT item, refused FROM outbox ORDER BY id").fetchall()


def messages(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name.startswith("templcrawl")]


def test_items_come_in_order_in_batches_and_nothing_is_left(tmp_path: Path, caplog: Any) -> None:
    database = Held(tmp_path)
    crawl = Crawl(database)
    crawl.put(*numbers(0, 450))
    assert crawl.close() == {"stored": 450}
    assert database.items == texts(0, 450)
    assert max(database.batches) <= outbox.BATCH_ITEMS
    assert [*tmp_path.iterdir()] == []
    assert messages(caplog) == []


def test_a_batch_ends_at_much_text(tmp_path: Path) -> None:
    database = Held(tmp_path)
    crawl = Crawl(database)
    database.may_go.clear()
    crawl.put(*({"n": n, "text": "x" * 3_000_000} for n in range(7)))
    crawl.outbox.commit()
    database.may_go.set()
    assert crawl.close() == {"stored": 7}
    assert max(database.batches) == 3


def test_the_loop_waits_for_no_database_and_the_close_only_for_a_while(tmp_path: Path, caplog: Any) -> None:
    database = Held(tmp_path)
    database.may_go.clear()
    crawl = Crawl(database)
    began = time.monotonic()
    crawl.put(*numbers(0, 900))
    assert crawl.close() == {"waiting": 900}
    assert time.monotonic() - began < 5
    assert "900 items wait in" in messages(caplog)[-1]
    assert [item for item, _ in waiting(database.outbox)] == texts(0, 900)
    database.may_go.set()


def test_what_a_database_that_is_away_has_not_taken_is_sent_at_the_next_start(
    tmp_path: Path, caplog: Any
) -> None:
    database = Held(tmp_path)
    database.is_away = True
    first = Crawl(database)
    first.put(*numbers(0, 3))
    first.until_stat("errors", 3)
    stats = first.close()
    assert (stats["waiting"], "stored" in stats) == (3, False)
    assert [message.split(" (")[0] for message in messages(caplog)] == [
        "Cannot write to the database",
        f"3 items wait in {database.outbox} for the database: the next crawl sends them",
    ]
    database.is_away = False
    second = Crawl(database)
    second.put(*numbers(2, 5))
    assert second.close() == {"stored": 5, "duplicates": 1}
    assert [*tmp_path.iterdir()] == []


def test_one_that_comes_back_gets_what_has_waited_and_later_failures_are_said_again(
    tmp_path: Path, caplog: Any
) -> None:
    database = Held(tmp_path)
    crawl = Crawl(database)
    for n in range(2):
        database.is_away = True
        crawl.put(*numbers(3 * n, 3 * n + 3))
        crawl.until_stat("errors", crawl.stats["errors"] + 2)
        database.is_away = False
        crawl.until_stat("stored", 3 * n + 3)
    crawl.close()
    assert database.items == texts(0, 6)
    assert len(messages(caplog)) == 2


def test_an_item_that_is_refused_is_named_and_stays_marked(tmp_path: Path, caplog: Any) -> None:
    database = Held(tmp_path)
    database.refuses = lambda item: item.endswith('/7"}')
    for _ in range(2):
        crawl = Crawl(database)
        crawl.put(*numbers(0, 10))
        assert crawl.close()["refused"] == 1
    assert len(database.items) == 9
    assert waiting(database.outbox) == [(*texts(7, 8), "too large")] * 2
    assert [message for message in messages(caplog) if "does not take the item" in message] == [
        "the database does not take the item of http://a.example/7: too large"
    ] * 2


@pytest.mark.parametrize("first", [0, 205])
def test_an_item_that_fails_by_whatever_error_holds_up_no_other(
    first: int, tmp_path: Path, caplog: Any
) -> None:
    """It, or a whole batch of such items, fails where the owner's index reads JSON in its field."""
    url = f"sqlite:///{tmp_path / 'pages.sqlite'}"
    item_database(url).insert([])
    query(url, "CREATE INDEX counts ON items (json_extract(json_extract(item, '$.n'), '$'))")
    database = item_database(url)
    crawl = Crawl(database)
    poisoned = {*range(first), 210}
    crawl.put(*({"url": str(n), "n": "{" if n in poisoned else "7"} for n in range(300)))
    stats = crawl.close()
    assert (stats["stored"], stats["refused"]) == (300 - len(poisoned), len(poisoned))
    assert "waiting" not in stats
    assert [json.loads(item)["url"] for item, why in waiting(database.outbox) if why] == [
        str(n) for n in sorted(poisoned)
    ]
    assert "does not take the item of 210: malformed JSON" in caplog.text
    assert Crawl(item_database(url)).close() == {}, "a refused item is not sent again"


# -- where there is no file


@pytest.mark.parametrize("lose", ["removed", "full"])
def test_items_go_on_through_memory_where_the_file_is_lost(tmp_path: Path, lose: str, caplog: Any) -> None:
    database = Held(tmp_path)
    database.may_go.clear()
    crawl = Crawl(database)
    crawl.put(*numbers(0, 5))
    crawl.outbox.commit()
    crawl.put(*numbers(5, 10))
    file = crawl.outbox._file
    assert file is not None
    if lose == "removed":
        database.outbox.unlink()
    else:
        file.read("PRAGMA max_page_count = 1")
    crawl.put({"url": "large", "text": "x" * 100_000})
    crawl.outbox.commit()
    crawl.put(*numbers(10, 15))
    database.may_go.set()
    crawl.until_stat("stored", 16)
    stats = crawl.close()
    assert sorted({json.loads(item)["url"] for item in database.items}) == sorted(
        {"large", *(item["url"] for item in numbers(0, 15))}
    )
    assert "lost" not in stats
    assert "wait in memory now" in caplog.text


def test_memory_is_bounded_and_what_is_lost_is_counted(tmp_path: Path, caplog: Any) -> None:
    database = Held(tmp_path / "no" / "folder")
    (tmp_path / "no").touch()
    database.is_away = True
    crawl = Crawl(database)
    crawl.put(*numbers(0, 2_300))
    assert 100 <= crawl.stats["lost"] <= 300  # the thread may hold a batch
    assert crawl.close()["lost"] == 2_300
    assert messages(caplog)[0].startswith(
        "Items for the database wait in memory, since they cannot in a file"
    )
    assert len([message for message in messages(caplog) if " lost: " in message]) == 1


def test_without_a_file_items_are_stored_all_the_same(tmp_path: Path) -> None:
    database = Held(tmp_path)
    database.outbox.mkdir()
    database.refuses = lambda item: item.endswith('/7"}')
    crawl = Crawl(database)
    crawl.put(*numbers(0, 700))
    assert crawl.close() == {"stored": 699, "refused": 1, "lost": 1}


def test_an_item_that_is_too_large_for_the_file_loses_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "_LARGEST_ITEM", 1_000)
    database = Held(tmp_path)
    database.may_go.clear()
    crawl = Crawl(database)
    for n in range(4):
        crawl.put({"n": n, "text": "x" * 2_000}, *numbers(10 * n, 10 * n + 10))
    crawl.put({"n": 4, "text": "x" * 2_000})
    crawl.outbox.commit()
    assert [item for item, _ in waiting(database.outbox)] == texts(0, 40)
    database.may_go.set()
    assert crawl.close() == {"stored": 45}


# -- of several crawls, and of a job


def test_two_crawls_at_once_have_an_outbox_each_and_one_that_was_left_is_taken(tmp_path: Path) -> None:
    database = Held(tmp_path)
    database.is_away = True
    both = [Crawl(database), Crawl(database)]
    for n, crawl in enumerate(both):
        crawl.put(*numbers(n, n + 1))
        assert crawl.close()["waiting"] == 1
    database.is_away = False
    assert Crawl(database).close() == {"stored": 1}
    assert Crawl(database).close() == {"stored": 1}
    assert sorted(database.items) == texts(0, 2)
    assert [*tmp_path.iterdir()] == []


def test_in_the_file_of_a_job_items_are_committed_with_it_and_taken_out(tmp_path: Path) -> None:
    database, job = Held(tmp_path), StateFile(tmp_path / "job.sqlite")
    crawl = Crawl(database, job)
    crawl.put(*numbers(0, 500))
    crawl.outbox.commit()
    time.sleep(0.1)
    assert database.items == []
    job.commit()
    crawl.until_stat("stored", 500)
    crawl.put(*numbers(500, 501))
    assert crawl.close() == {"stored": 501}
    assert job.read("SELECT count(*) FROM outbox") == [(0,)]
    job.close()
    assert not database.outbox.exists()


KILLED = """
import os, signal, sys
from templcrawl.outputs.item_databases import item_database
from templcrawl.outputs.item_values import json_text
from templcrawl.outputs.outbox import Outbox

crawl = Outbox(item_database(sys.argv[1]), None, lambda stat, number: None)
for n in range(int(sys.argv[2])):
    crawl.put(json_text({"url": str(n)}))
    if n % 10 == 0:
        crawl.commit()
        print(n, flush=True)
while True:
    crawl.commit()
"""


@pytest.mark.parametrize("url", exhaustive_but(["sqlite"], ["sqlite", "postgresql"]), indirect=True)
@pytest.mark.parametrize("seed", long_but([0], range(3)))
def test_a_kill_loses_nothing_that_was_committed_and_doubles_nothing(
    url: str, seed: int, tmp_path: Path
) -> None:
    chance = random.Random(seed)
    command = [sys.executable, "-c", KILLED, url, "2000"]
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=environment)
    assert process.stdout is not None
    for _ in range(chance.randrange(20, 190)):
        committed = int(process.stdout.readline())
    process.send_signal(signal.SIGKILL)
    process.communicate()
    database = item_database(url)
    if not url.startswith("sqlite"):
        database.outbox = tmp_path / database.outbox
    assert Crawl(database).close().keys() <= {"stored", "duplicates"}
    urls = query(url, "SELECT url FROM items")
    assert len(urls) == len({*urls})
    assert {*urls} >= {str(n) for n in range(committed + 1)}


@pytest.mark.exhaustive
def test_no_item_is_lost_while_a_server_freezes_and_is_restarted(
    server: PostgresqlServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(item_databases, "_SILENCE", 0.5)
    monkeypatch.setattr(outbox, "BATCH_ITEMS", 20)
    monkeypatch.setattr(outbox, "_PATIENCE", 10.0)
    monkeypatch.chdir(tmp_path)
    crawl = Crawl(item_database(server.url))
    trouble = {50: server.freeze, 120: server.thaw, 180: server.stop, 240: server.start}
    for n in range(300):
        crawl.put(*numbers(n, n + 1))
        if n in trouble:
            trouble[n]()
        if n % 3 == 0:
            crawl.outbox.commit()
            time.sleep(0.01)
    stats = crawl.close()
    assert (stats["stored"] + stats.get("duplicates", 0), stats.get("lost", 0)) == (300, 0)
    assert sorted(query(server.url, "SELECT url FROM items")) == sorted(
        str(item["url"]) for item in numbers(0, 300)
    )
    assert [*tmp_path.iterdir()] == []
