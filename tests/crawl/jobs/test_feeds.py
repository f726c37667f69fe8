"""A page is done once the target of the feed has its items: in a local file early, in others at their end."""

from __future__ import annotations

import json
import time
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import scrapy
from scrapy.exporters import BaseItemExporter, JsonLinesItemExporter
from scrapy.extensions.feedexport import FileFeedStorage
from scrapy.utils.test import get_crawler

from templcrawl.crawl.jobs.feeds import TABLE, Feeds
from templcrawl.crawl.jobs.taken_requests import TakenRequests
from templcrawl.outputs.parquet_exporter import ParquetItemExporter
from templcrawl.state_file import StateFile
from tests.crawl.fed_crawls import FEEDS
from tests.crawl.small_crawls import URLS, in_new_process

EARLY = {"jsonlines", "json", "csv", "xml", "in batches"}
"""Some versions of Scrapy before 2.18 store all batches at the end."""


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    names = [name for name in FEEDS if name != "parquet" or find_spec("pyarrow")]
    found: dict[str, dict[str, Any]] = in_new_process(
        "crawl.fed_crawls", str(tmp_path_factory.mktemp("feeds")), json.dumps(names)
    )
    return found


@pytest.mark.parametrize("name", FEEDS)
def test_no_page_is_done_before_its_items_are_in_the_feed(
    name: str, crawls: dict[str, dict[str, Any]]
) -> None:
    if name == "parquet":
        pytest.importorskip("pyarrow")
    crawl = crawls[name]
    assert (crawl["reason"], {*crawl["fetched"]}, crawl["errors"]) == ("finished", {*URLS}, {})
    for done, fed in crawl["commits"]:
        assert {*done} <= {*fed}
    was_early = any(0 < len(done) < len(URLS) for done, _ in crawl["commits"])
    assert was_early == (name in EARLY) or (name == "in batches" and scrapy.version_info < (2, 18))
    assert {*crawl["left"]} == ({*URLS} if name == "failing" else set())


def opened(
    path: Path, folder: Path, row: tuple[int, int] | None, *, overwrite: bool = False, ago: float = 0
) -> None:
    """Open the feed of a job that was killed; ``row`` is what its file has: inode and length."""
    crawler = get_crawler(scrapy.Spider)
    crawler.spider = scrapy.Spider("any")
    storage = FileFeedStorage(str(path), feed_options={"overwrite": overwrite})
    feed = SimpleNamespace(storage=storage, format="jsonlines", feed_options={}, file=None)
    crawler.get_extension = lambda _: SimpleNamespace(slots=[feed], exporters=EXPORTERS)  # type: ignore[assignment]
    file = StateFile(folder / "state.sqlite")
    file.make(TABLE, "CREATE TABLE IF NOT EXISTS seen (fingerprint BLOB)")
    file.write("INSERT INTO seen VALUES (?)", (b"seen",))
    if row is not None:
        file.write("INSERT OR REPLACE INTO feeds VALUES (?, ?, ?, ?)", (str(path), *row, time.time() - ago))
    Feeds(crawler, TakenRequests(crawler, set), file).open()
    file.close()


EXPORTERS = {"jsonlines": JsonLinesItemExporter}
WRITTEN = b'{"url": "a"}\n{"url": "b"}\n{"ur'


@pytest.mark.parametrize(
    ("is_same", "length", "left"),
    [
        (True, 13, b'{"url": "a"}\n'),
        (True, len(WRITTEN), WRITTEN),
        (True, 1_000, WRITTEN),  # it was cut by somebody else
        (False, 13, WRITTEN),  # another file has taken its place
        (None, 0, b'{"url": "a"}\n{"url": "b"}\n'),  # there was no file when the crawl began
    ],
)
def test_after_a_kill_a_feed_is_cut_to_what_was_safe(
    is_same: bool | None, length: int, left: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "items.jsonl"
    path.write_bytes(WRITTEN)
    inode = 0 if is_same is None else path.stat().st_ino + (not is_same)
    opened(path, tmp_path, (inode, length))
    assert path.read_bytes() == left
    opened(path, tmp_path, None)
    assert path.read_bytes() == left


def test_a_feed_whose_length_is_not_known_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_bytes(WRITTEN)
    opened(path, tmp_path, None)
    assert path.read_bytes() == WRITTEN


def test_a_feed_that_is_overwritten_though_its_job_goes_on_is_warned_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "items.jsonl"
    opened(path, tmp_path, None, overwrite=True)
    assert "is overwritten" not in caplog.text
    path.write_bytes(WRITTEN)
    opened(path, tmp_path, (path.stat().st_ino, 13), overwrite=True)
    assert f"The feed {path} is overwritten, though its job goes on" in caplog.text
    assert path.read_bytes() == WRITTEN


@pytest.mark.parametrize("inode", [None, 0])
def test_what_another_crawl_has_written_to_the_feed_since_is_not_cut(
    inode: int | None, tmp_path: Path
) -> None:
    path = tmp_path / "items.jsonl"
    path.write_bytes(WRITTEN)
    opened(path, tmp_path, (path.stat().st_ino if inode is None else inode, 13), ago=60)
    assert path.read_bytes() == WRITTEN


class Renamed(FileFeedStorage):
    """A storage of the project, which might write to another file until the end."""


class Workbook(BaseItemExporter):
    """An exporter of the project, which might write at the end."""


class Upper(JsonLinesItemExporter):
    """An exporter of the project that writes as Scrapy's does."""


@pytest.mark.parametrize(
    ("storage", "exporter", "is_early"),
    [
        (FileFeedStorage, Upper, True),
        (Renamed, Upper, False),
        (FileFeedStorage, Workbook, False),
        (FileFeedStorage, ParquetItemExporter, False),
    ],
)
def test_only_what_is_written_item_by_item_to_the_file_itself_is_safe_early(
    storage: Any, exporter: Any, is_early: bool, tmp_path: Path
) -> None:
    target = storage(str(tmp_path / "items")).open(scrapy.Spider("any"))
    feed = SimpleNamespace(storage=storage(str(tmp_path / "items")), format="any", feed_options={})
    feed.file = target
    crawler = get_crawler(scrapy.Spider)
    fed = SimpleNamespace(slots=[feed], exporters={"any": exporter})
    crawler.get_extension = lambda _: fed  # type: ignore[assignment]
    file = StateFile(tmp_path / "state.sqlite")
    file.make(TABLE)
    feeds = Feeds(crawler, TakenRequests(crawler, set), file)
    feeds.open()
    target.write(b"item")
    assert feeds.flush()
    assert (tmp_path / "items").stat().st_size == (4 if is_early else 0)
    target.close()
    file.close()
