from __future__ import annotations

import asyncio
import enum
import json
import logging
import math
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import attrs
import numpy as np
import pydantic
import pytest
import scrapy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings

from templcrawl.errors import InvalidOption
from templcrawl.outputs import sqlite
from templcrawl.outputs.items import PageItem, json_text
from templcrawl.outputs.sqlite import ItemsTable, SqlitePagesPipeline
from tests.parts import exhaustive_but

# -- items as JSON text


class Color(enum.Enum):
    RED = "red"


def test_values_that_json_lacks_are_written_as_told():
    item = {
        "bytes": b"\x00\xff",
        "date": date(2024, 5, 1),
        "decimal": Decimal("1.50"),
        "enum": Color.RED,
        "nan": math.nan,
        "nested": [PageItem(url="u"), ("a", 1)],
        "numpy": np.arange(2),
        "set": {"b", "a", 1},
        1: "a number for a name",
    }
    assert json.loads(json_text(item)) == {
        "bytes": {"base64": "AP8="},
        "date": "2024-05-01",
        "decimal": "1.50",
        "enum": "red",
        "nan": "nan",
        "nested": [
            json.loads(json_text(PageItem(url="u"))),
            ["a", 1],
        ],
        "numpy": [0, 1],
        "set": ["a", "b", 1],
        "1": "a number for a name",
    }


def test_names_that_read_alike_are_both_kept():
    assert json_text({1: "a", "1": "b"}) == '[["1","a"],["1","b"]]'


def test_a_lone_surrogate_is_kept_as_an_escape():
    assert json_text({"é": "\ud800"}) == '{"\\u00e9":"\\ud800"}'


def test_a_value_that_contains_itself_is_refused():
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(RecursionError):
        json_text(loop)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    # every character, lone surrogates included
    | st.text(st.characters(), max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.text(max_size=3), json_values, max_size=4))
def test_json_text_is_read_back_and_does_not_depend_on_the_order_of_fields(item):
    text = json_text(item)
    assert json.loads(text) == item
    assert text.encode().decode() == text
    assert json_text(dict(reversed(item.items()))) == text


# -- the pipeline


class Stats(dict):
    def inc_value(self, key, count=1):
        name = key.removeprefix("templcrawl/sqlite/")
        self[name] = self.get(name, 0) + count


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class Crawl:
    """A pipeline on its own: opened, given items, closed."""

    def __init__(self, path, batch=200):
        self.stats = Stats()
        self.clock = Clock()
        self.path = path
        self.pipeline = SqlitePagesPipeline(str(path), batch=batch, stats=self.stats, clock=self.clock)

    def __enter__(self):
        asyncio.run(self.pipeline.open_spider())
        return self

    def __exit__(self, *_):
        asyncio.run(self.pipeline.close_spider())

    def take(self, *items):
        for item in items:
            assert asyncio.run(self.pipeline.process_item(item)) is item


def query(path, sql="SELECT item FROM items ORDER BY key"):
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute(sql).fetchall()
        connection.commit()
    return [row[0] if len(row) == 1 else row for row in found]


def break_disk(path):
    query(path, "CREATE TRIGGER broken BEFORE INSERT ON items BEGIN SELECT RAISE(ABORT, 'x'); END")


def repair_disk(path):
    query(path, "DROP TRIGGER broken")


def unstored(path):
    """Return the items that are kept beside a database."""
    lines = path.with_name(f"{path.name}.unstored.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "pages.sqlite"


def test_a_page_item_becomes_a_row(path):
    page = PageItem(url="https://a.example/", leaf_id="t1", content_text="Café")
    with Crawl(path) as crawl:
        crawl.take(page)
    columns = "url, leaf_id, content_text, content_html, item, length(digest)"
    assert query(path, f"SELECT {columns} FROM items") == [
        ("https://a.example/", "t1", "Café", None, json_text(page), 16)
    ]
    assert query(path, "SELECT stored_at LIKE '20__-__-__T__:__:__.___Z' FROM items") == [1]
    assert crawl.stats == {"stored": 1}


@dataclass
class DataclassItem:
    url: str


@attrs.define
class AttrsItem:
    url: str


class PydanticItem(pydantic.BaseModel):
    url: str


class ScrapyItem(scrapy.Item):
    url = scrapy.Field()
    unset = scrapy.Field()


@pytest.mark.parametrize("kind", [dict, DataclassItem, AttrsItem, PydanticItem, ScrapyItem])
def test_items_of_every_kind_are_stored(kind, path):
    with Crawl(path) as crawl:
        crawl.take(kind(url="u"))
    assert query(path, "SELECT url, item FROM items") == [("u", '{"url":"u"}')]


def test_a_field_that_is_no_text_stays_in_the_json_alone(path):
    with Crawl(path) as crawl:
        crawl.take({"url": 7, "content_text": ["a"], "leaf_id": "\ud800"})
    assert query(path, "SELECT url, content_text, leaf_id FROM items") == [(None, None, "\ufffd")]
    assert json.loads(query(path)[0]) == {"url": 7, "content_text": ["a"], "leaf_id": "\ud800"}


def test_items_that_share_a_url_are_all_kept(path):
    with Crawl(path) as crawl:
        crawl.take({"url": "list", "n": 1}, {"url": "list", "n": 2})
    assert len(query(path)) == 2


def test_a_second_run_adds_only_what_is_new(path):
    with Crawl(path) as first:
        first.take({"url": "a", "n": 1}, {"url": "b", "n": 1})
    with Crawl(path) as second:
        second.take({"n": 1, "url": "a"}, {"url": "b", "n": 2}, {"url": "c", "n": 1})
    assert second.stats == {"stored": 2, "duplicates": 1}
    assert len(query(path)) == 4


fields = st.dictionaries(
    st.sampled_from(["url", "content_text", "tags"]),
    st.none() | st.text(st.sampled_from("aé\x00\ud800"), max_size=2) | st.lists(st.text("ab")),
)


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(fields, max_size=12), st.integers(1, 5))
def test_every_item_is_stored_once_in_order_whatever_the_batch(tmp_path_factory, items, batch):
    path = tmp_path_factory.mktemp("db") / "pages.sqlite"
    distinct = []
    for item in items:
        if item not in distinct:
            distinct.append(item)
    with Crawl(path, batch) as crawl:
        crawl.take(*items)
    assert [json.loads(text) for text in query(path)] == distinct
    assert crawl.stats.get("stored", 0) == len(distinct)
    assert crawl.stats.get("duplicates", 0) == len(items) - len(distinct)


def test_a_full_batch_is_committed_at_once(path):
    with Crawl(path, batch=3) as crawl:
        crawl.take(*({"n": n} for n in range(7)))
        assert len(query(path)) == 6
    assert len(query(path)) == 7


def together(crawl, items):
    """Let items come at once, as the items of a page do."""

    async def come():
        await asyncio.gather(*map(crawl.pipeline.process_item, items))

    asyncio.run(come())


@pytest.mark.parametrize("batch", [1, 7, 200])
def test_items_that_come_while_a_batch_is_written_are_stored_in_order(batch, path):
    items = [{"n": n} for n in range(100)]
    with Crawl(path, batch) as crawl:
        together(crawl, items)
    assert [json.loads(text) for text in query(path)] == items
    assert crawl.stats == {"stored": 100}


def test_items_that_come_while_a_batch_fails_wait_behind_it(path):
    items = [{"n": n} for n in range(10)]
    with Crawl(path, batch=2) as crawl:
        break_disk(path)
        together(crawl, items)
        assert crawl.stats == {"errors": 1}
        repair_disk(path)
    assert [json.loads(text) for text in query(path)] == items
    assert crawl.stats == {"errors": 1, "stored": 10}


def test_much_text_is_committed_before_the_batch_is_full(path):
    with Crawl(path) as crawl:
        crawl.take({"body": "x" * 7_900_000})
        assert query(path) == []
        crawl.take({"body": "x" * 100_000})
        assert len(query(path)) == 2


def test_no_item_waits_longer_than_five_seconds_for_the_next(path):
    with Crawl(path) as crawl:
        crawl.clock.now = 100.0
        crawl.take({"n": 1})
        crawl.clock.now = 104.9
        crawl.take({"n": 2})
        assert query(path) == []
        crawl.clock.now = 105.0
        crawl.take({"n": 3})
        assert len(query(path)) == 3
        crawl.clock.now = 109.0
        crawl.take({"n": 4})
        assert len(query(path)) == 3


def test_an_item_is_stored_as_it_was_when_it_came(path):
    item = {"n": 1}
    with Crawl(path) as crawl:
        crawl.take(item)
        item["n"] = 2
    assert query(path) == ['{"n":1}']


def ours(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    """Return what templcrawl has logged; others may log what they like."""
    return [record for record in caplog.records if record.name.startswith("templcrawl")]


def test_a_locked_database_delays_a_batch_and_loses_nothing(path, caplog):
    with Crawl(path, batch=2) as crawl:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            crawl.take({"n": 1}, {"n": 2}, {"n": 3}, {"n": 4})
            assert crawl.stats == {"errors": 1}
            other.execute("ROLLBACK")
        crawl.clock.now = 5.0
        crawl.take({"n": 5})
        assert crawl.stats == {"errors": 1, "stored": 5}
    assert len(query(path)) == 5
    assert [record.levelname for record in ours(caplog)] == ["ERROR"]


def test_after_a_failure_nothing_is_tried_again_for_five_seconds(path):
    with Crawl(path) as crawl:
        break_disk(path)
        crawl.take({"n": 1})
        crawl.clock.now = 5.0
        crawl.take({"n": 2})
        assert crawl.stats == {"errors": 1}
        crawl.clock.now = 9.9
        crawl.take({"n": 3})
        assert crawl.stats == {"errors": 1}
        repair_disk(path)
        crawl.clock.now = 10.0
        crawl.take({"n": 4})
        assert crawl.stats == {"errors": 1, "stored": 4}


def test_after_a_recovery_batches_are_committed_at_once_again(path):
    with Crawl(path, batch=2) as crawl:
        break_disk(path)
        crawl.take({"n": 1}, {"n": 2})
        repair_disk(path)
        crawl.clock.now = 5.0
        crawl.take({"n": 3}, {"n": 4}, {"n": 5})
        assert len(query(path)) == 5


def test_what_waits_for_a_broken_disk_is_bounded_and_the_newest_is_kept(path):
    with Crawl(path, batch=2) as crawl:
        break_disk(path)
        crawl.take(*({"n": n} for n in range(50)))
        repair_disk(path)
    kept = [json.loads(text)["n"] for text in query(path)]
    assert 10 <= len(kept) <= 20
    assert kept == list(range(50 - len(kept), 50))
    assert [item["n"] for item in unstored(path)] == list(range(50 - len(kept)))
    assert crawl.stats == {"errors": 1, "unstored": 50 - len(kept), "stored": len(kept)}


def test_what_waits_is_bounded_in_characters_too(path):
    with Crawl(path) as crawl:
        break_disk(path)
        crawl.take(*({"n": n, "body": "x" * 15_000_000} for n in range(7)))
        repair_disk(path)
    assert crawl.stats == {"errors": 1, "unstored": 3, "stored": 4}


def test_a_disk_still_broken_at_the_close_is_an_error_with_the_number_of_items(path, caplog):
    with Crawl(path) as crawl:
        break_disk(path)
        crawl.take({"n": 1}, {"n": 2}, {"n": 3})
    assert crawl.stats == {"errors": 1, "unstored": 3}
    assert unstored(path) == [{"n": 1}, {"n": 2}, {"n": 3}]
    assert ours(caplog)[-1].levelname == "ERROR"
    assert ours(caplog)[-1].getMessage().startswith("3 items not stored: ")


def test_an_item_without_a_json_form_costs_no_other_item(path):
    loop: dict[str, object] = {}
    loop["itself"] = loop
    with Crawl(path) as crawl:
        crawl.take({"n": 1}, loop, {"n": 2})
    assert len(query(path)) == 2
    assert crawl.stats == {"stored": 2, "errors": 1, "lost": 1}


@pytest.mark.skipif(sys.version_info < (3, 11), reason="sqlite3 cannot set limits before 3.11")
def test_an_item_too_large_for_sqlite_costs_no_other_item(path, caplog):
    with Crawl(path) as crawl:
        crawl.pipeline._table.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1_000)
        crawl.take({"n": 1}, {"url": "big", "body": "x" * 2_000}, {"n": 2})
    assert query(path) == ['{"n":1}', '{"n":2}']
    assert crawl.stats == {"stored": 2, "unstored": 1}
    assert [item["url"] for item in unstored(path)] == ["big"]
    assert "big" in caplog.text


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("x"), sqlite3.ProgrammingError("x")])
def test_an_error_of_any_kind_costs_no_item_uncounted(error, path, monkeypatch, caplog):
    with Crawl(path, batch=2) as crawl:
        with monkeypatch.context() as patch:
            patch.setattr(ItemsTable, "insert", Mock(side_effect=error))
            crawl.take({"n": 1}, {"n": 2})
            assert crawl.stats == {"errors": 1}
        crawl.clock.now = 5.0
        crawl.take({"n": 3})
        assert crawl.stats == {"errors": 1, "stored": 3}
        monkeypatch.setattr(ItemsTable, "insert", Mock(side_effect=error))
        crawl.take({"n": 4})
    assert crawl.stats == {"errors": 2, "stored": 3, "unstored": 1}
    assert unstored(path) == [{"n": 4}]
    assert {record.levelname for record in ours(caplog)} == {"ERROR"}


def test_a_connection_that_fails_at_the_close_keeps_the_items_beside_it(path):
    with Crawl(path) as crawl:
        crawl.take({"n": 1})
        crawl.pipeline._table.connection.close()
    assert crawl.stats == {"errors": 1, "unstored": 1}
    assert unstored(path) == [{"n": 1}]


def test_without_a_database_all_items_are_kept_beside_it(path):
    crawl = Crawl(path, batch=1)
    crawl.take({"n": 1}, {"n": 2})
    crawl.__exit__()
    assert crawl.stats == {"unstored": 2}
    assert unstored(path) == [{"n": 1}, {"n": 2}]


def test_items_are_lost_and_counted_where_nothing_can_be_written_at_all(path):
    with Crawl(path) as crawl:
        break_disk(path)
        path.with_name(f"{path.name}.unstored.jsonl").mkdir()
        crawl.take({"n": 1}, {"n": 2})
    assert crawl.stats == {"errors": 1, "lost": 2}


def test_a_database_that_is_locked_until_after_the_close_keeps_the_items_beside_it(path, monkeypatch):
    monkeypatch.setattr(sqlite, "BUSY_MILLISECONDS_AT_ENDS", 10)
    with Crawl(path) as crawl, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        crawl.take(*({"n": n} for n in range(78)))
        asyncio.run(crawl.pipeline.close_spider())
        other.execute("ROLLBACK")
    assert crawl.stats == {"errors": 1, "unstored": 78}
    assert [item["n"] for item in unstored(path)] == list(range(78))


@pytest.mark.parametrize("replace", [Path.touch, lambda path: None])
def test_what_goes_to_a_database_that_was_removed_does_not_count_as_stored(replace, path, caplog):
    with Crawl(path, batch=2) as crawl:
        crawl.take({"n": 1}, {"n": 2})
        for file in path.parent.glob(f"{path.name}*"):
            file.unlink()
        replace(path)
        crawl.take({"n": 3}, {"n": 4})
        assert crawl.stats == {"stored": 4}
        assert len(query(path)) == 2
    assert "was removed or replaced" in caplog.text


def test_a_database_that_is_removed_while_a_batch_is_written_gets_that_again(path, monkeypatch):
    with Crawl(path, batch=1) as crawl:
        table = crawl.pipeline._table
        table.connection.create_function("gone", 0, lambda: path.unlink(missing_ok=True))
        table.connection.execute("CREATE TEMP TRIGGER t BEFORE INSERT ON items BEGIN SELECT gone(); END")
        crawl.take({"n": 1})
        assert crawl.stats == {"errors": 1}
    assert query(path) == ['{"n":1}']
    assert crawl.stats == {"errors": 1, "stored": 1}


def test_the_folder_of_the_database_is_made(tmp_path):
    path = tmp_path / "new" / "folder" / "pages.sqlite"
    with Crawl(path):
        pass
    assert query(path) == []


def test_one_may_read_while_the_crawl_writes(path):
    with Crawl(path):
        assert query(path, "PRAGMA journal_mode") == ["wal"]
    assert query(path, "SELECT name FROM pragma_index_info('items_url')") == ["url"]


def foreign_table(path):
    query(path, "CREATE TABLE items (url TEXT, name TEXT)")


@pytest.mark.parametrize("occupy", [Path.mkdir, lambda path: path.write_bytes(b"x" * 5_000), foreign_table])
def test_a_path_that_cannot_hold_the_table_is_an_invalid_option(path, occupy):
    occupy(path)
    crawl = Crawl(path)
    with pytest.raises(InvalidOption, match="TEMPLCRAWL_SQLITE_PATH"):
        crawl.__enter__()
    crawl.__exit__()


def test_without_a_path_the_pipeline_is_left_out_and_nothing_warns():
    with pytest.raises(NotConfigured) as caught:
        SqlitePagesPipeline.from_crawler(SimpleNamespace(settings=Settings()))
    assert caught.value.args == ()  # Scrapy logs a warning for a reason


# -- in other processes


def run(folder: Path, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "script.py").write_text(script)
    path = os.pathsep.join([str(Path.cwd()), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-W", "error", "script.py", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Warning" not in done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done


KILLED = """
import asyncio, os, signal
from collections import Counter
from templcrawl.outputs.sqlite import SqlitePagesPipeline

async def crawl():
    stats = Counter()
    stats.inc_value = lambda key, count: stats.update({key: count})
    pipeline = SqlitePagesPipeline("pages.sqlite", batch=10, stats=stats)
    await pipeline.open_spider()
    for n in range(25):
        await pipeline.process_item({"n": n})
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(crawl())
"""


def test_a_kill_loses_only_what_was_waiting(tmp_path):
    assert run(tmp_path, KILLED).returncode == -9
    path = tmp_path / "pages.sqlite"
    assert [json.loads(text)["n"] for text in query(path)] == list(range(20))
    with Crawl(path) as resumed:
        resumed.take(*({"n": n} for n in range(25)))
    assert resumed.stats == {"stored": 5, "duplicates": 20}


CRAWL = """
import json, sys
from pathlib import Path
import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from templcrawl.outputs.items import PageItem
from templcrawl.outputs import sqlite

sqlite.BATCH_ITEMS = 2


class Pages(scrapy.Spider):
    name = "pages"
    start_urls = [path.as_uri() for path in sorted(Path.cwd().glob("*.html"))]

    def parse(self, response):
        url = Path(response.url).stem
        yield PageItem(url=url, title=response.css("title::text").get())
        for link in response.css("a::attr(href)").getall():
            yield {"url": url, "link": link}


process = AsyncCrawlerProcess({
    "ITEM_PIPELINES": {"templcrawl.outputs.sqlite.SqlitePagesPipeline": 900},
    "TEMPLCRAWL_SQLITE_PATH": "pages.sqlite",
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "TWISTED_REACTOR_ENABLED": sys.argv[1] == "reactor",
    "LOG_LEVEL": "INFO",
})
crawler = process.create_crawler(Pages)
process.crawl(crawler)
process.start()
Path("stats.json").write_text(json.dumps(crawler.stats.get_stats(), default=str))
"""


@pytest.mark.parametrize("reactor", exhaustive_but(["no reactor"], ["reactor", "no reactor"]))
def test_a_crawl_stores_its_items_and_a_second_crawl_adds_none(tmp_path, reactor):
    for number in range(3):
        html = f"<title>Page {number}</title><a href='/a'></a><a href='/b'></a>"
        (tmp_path / f"{number}.html").write_text(html)
    for expected in [{"stored": 9}, {"duplicates": 9}]:
        assert run(tmp_path, CRAWL, reactor).returncode == 0
        stats = json.loads((tmp_path / "stats.json").read_text())
        prefix = "templcrawl/sqlite/"
        ours = {k.removeprefix(prefix): v for k, v in stats.items() if k.startswith(prefix)}
        assert ours == expected
        assert "log_count/ERROR" not in stats
        assert len(query(tmp_path / "pages.sqlite")) == 9
    urls = query(tmp_path / "pages.sqlite", "SELECT url FROM items ORDER BY url")
    assert urls == ["0", "0", "0", "1", "1", "1", "2", "2", "2"]


UNCLOSED = """
import asyncio, sys
from unittest.mock import Mock
from templcrawl.outputs.sqlite import ItemsTable
from templcrawl.outputs.sqlite import SqlitePagesPipeline

class Slow(ItemsTable):
    def insert(self, rows, *, at_end=False):
        done = super().insert(rows, at_end=at_end)
        release.wait(10)
        return done

import threading
release = threading.Event()
pipeline = SqlitePagesPipeline(sys.argv[1], batch=2, stats=Mock())

async def main():
    await pipeline.open_spider()
    pipeline._table = Slow(sys.argv[1])
    asyncio.get_running_loop().call_later(0.5, lambda: (release.set(), None))
    tasks = [asyncio.create_task(pipeline.process_item({"n": n})) for n in range(3)]
    await asyncio.sleep(0)

asyncio.run(main())
"""


def test_what_waits_as_a_process_ends_without_a_close_is_in_the_file(tmp_path):
    path = tmp_path / "pages.sqlite"
    subprocess.run([sys.executable, "-c", UNCLOSED, str(path)], check=True, capture_output=True)
    with closing(sqlite3.connect(path)) as connection:
        stored = [json.loads(item)["n"] for (item,) in connection.execute("SELECT item FROM items")]
    kept = [json.loads(line)["n"] for line in Path(f"{path}.unstored.jsonl").read_text().splitlines()]
    assert sorted([*stored, *kept]) == [0, 1, 2]


FULL = """
import resource, sys
from templcrawl.outputs.item_batches import save_unstored

def room(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

kept = []
for round, (size, room_left) in enumerate([(30_000, 20_000), (3_000, 5_000), (3_000, 5_500)]):
    for n, size in enumerate((10, size, 20)):
        room(room_left if n < 2 else resource.RLIM_INFINITY)
        item = '"%d.%d' % (round, n) + "x" * size + '"'
        try:
            save_unstored(sys.argv[1], [item, item])
        except OSError:
            continue
        kept.append(item[1:4])
print(*kept)
"""


def test_a_full_disk_leaves_whole_lines_in_the_file_of_what_is_not_stored(tmp_path):
    """What has no room is said to be lost by its caller; what is kept behind it stays readable."""
    store = tmp_path / "pages.sqlite"
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(store)], check=True, capture_output=True, text=True
    )
    lines = Path(f"{store}.unstored.jsonl").read_text().splitlines()
    kept = done.stdout.split()
    assert kept == ["0.0", "0.2", "1.0", "1.2", "2.0", "2.2"]
    assert [json.loads(line)[:3] for line in lines] == [name for name in kept for _ in range(2)]


WRITER = """
import asyncio, sys
from unittest.mock import Mock
from templcrawl.outputs.sqlite import SqlitePagesPipeline

async def main():
    pipeline = SqlitePagesPipeline(sys.argv[1], batch=3, stats=Mock())
    await pipeline.open_spider()
    for n in range(100):
        await pipeline.process_item({"url": f"shared/{n}"})
        await pipeline.process_item({"url": f"own/{sys.argv[2]}/{n}"})
    await pipeline.close_spider()

asyncio.run(main())
"""


@pytest.mark.exhaustive
def test_two_crawls_write_the_same_database_at_once_and_lose_nothing(tmp_path):
    path = tmp_path / "pages.sqlite"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), name]) for name in "ab"]
    assert [writer.wait() for writer in writers] == [0, 0]
    with closing(sqlite3.connect(path)) as connection:
        urls = [url for (url,) in connection.execute("SELECT url FROM items")]
    beside = Path(f"{path}.unstored.jsonl")
    kept = [json.loads(line)["url"] for line in beside.read_text().splitlines()] if beside.exists() else []
    expected = {f"{whose}/{n}" for whose in ("shared", "own/a", "own/b") for n in range(100)}
    assert {*urls, *kept} == expected
    assert len(urls) == len({*urls})
