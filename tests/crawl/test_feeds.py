"""A page is done once the target of the feed has its items: in a local file early, in others at their end.

Run as a program,

    python -m tests.crawl.test_feeds FOLDER FEEDS

crawls a small site with each of some ``FEEDS`` (a JSON list of their names), looks at each commit which pages
are done and which the target of the feed has, and prints a JSON object: name -> what the crawl did, what was
seen at its commits, and which pages are left in its job.
"""

from __future__ import annotations

import asyncio
import csv
import gzip
import json
import os
import re
import sqlite3
import sys
import time
from contextlib import closing, nullcontext
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO
from xml.etree import ElementTree as ET

import pytest
import scrapy
from scrapy import Request
from scrapy.exporters import (
    BaseItemExporter,
    CsvItemExporter,
    JsonItemExporter,
    JsonLinesItemExporter,
    XmlItemExporter,
)
from scrapy.extensions.feedexport import BlockingFeedStorage, FileFeedStorage, FTPFeedStorage
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from templcrawl.crawl.job import job
from templcrawl.crawl.job.feed_documents import cut_half_an_item
from templcrawl.crawl.job.feed_files import OPEN, TABLE, Length, refuse, restore
from templcrawl.crawl.job.feeds import Feeds
from templcrawl.crawl.job.requests import TakenRequests
from templcrawl.errors import InvalidOption
from templcrawl.log import CrawlLogger
from templcrawl.outputs.parquet_exporter import ParquetItemExporter
from templcrawl.state_file import JOB_FILE, StateFile
from tests.crawl.crawls import ONE_LINE
from tests.crawl.small_crawls import URLS, Answers, Follow, crawl, in_new_process, in_this_process

HERE = "tests.crawl.test_feeds"
GZIP = {"postprocessing": ["scrapy.extensions.postprocessing.GzipPlugin"]}
FEEDS: dict[str, dict[str, Any]] = {
    "jsonlines": {"format": "jsonlines"},
    "json": {"format": "json"},
    "csv": {"format": "csv"},
    "xml": {"format": "xml"},
    "compressed": {"format": "jsonlines", **GZIP},
    "parquet": {"format": "parquet"},
    "stored": {"format": "jsonlines"},
    "in batches": {"format": "jsonlines", "batch_item_count": 4},
    "failing": {"format": "jsonlines"},
}


class Storage(BlockingFeedStorage):
    """Stores a file at the end, or fails to, as the address says."""

    def __init__(self, uri: str, *, feed_options: object = None) -> None:
        self._path = uri.partition("://")[2]

    def _store_in_thread(self, file: BinaryIO) -> None:
        if "failing" in self._path:
            raise OSError("the store is away")
        file.seek(0)
        Path(self._path).write_bytes(file.read())


class SlowAnswers(Answers):
    async def process_request(self, request: Request) -> Response:  # type: ignore[override]
        await asyncio.sleep(0.005)
        return super().process_request(request)


def in_feed(folder: Path) -> set[str]:
    """Return the pages that the target of a feed has."""
    found: set[str] = set()
    for path in folder.glob("items*"):
        content = path.read_bytes()
        if path.suffix == ".parquet" and content[-4:] == b"PAR1":
            import pyarrow.parquet as pq

            found.update(pq.read_table(path)["url"].to_pylist())
        elif content[:2] == b"\x1f\x8b":
            try:
                content = gzip.decompress(content)
            except EOFError:
                content = b""
        found.update(url for url in URLS if re.search(rf"{url}\b", content.decode(errors="replace")))
    return found


async def run_case(folder: Path, name: str) -> dict[str, Any]:
    """Crawl, and look at each commit."""
    folder.mkdir()
    commits: list[Any] = []
    file_name = {"compressed": "items.gz", "parquet": "items.parquet"}.get(name, "items-%(batch_id)d")
    is_stored = name in ("stored", "in batches", "failing")
    target = f"own://{folder}/{file_name}" if is_stored else str(folder / file_name)
    settings = {
        **ONE_LINE,
        "JOBDIR": str(folder / "job"),
        "CONCURRENT_REQUESTS": 2,
        "DOWNLOADER_MIDDLEWARES": {SlowAnswers: 940},
        "FEED_STORAGES": {"own": f"{HERE}.Storage"},
        "FEEDS": {target: {**FEEDS[name], "fields": ["url"]}},
    }
    commit = StateFile.commit

    def look(file: StateFile) -> bool:
        is_committed = commit(file)
        with closing(file.reader()) as reader:
            rows = {url for (url,) in reader.execute("SELECT url FROM requests")}
        commits.append([sorted({*Follow.fetched} - rows), sorted(in_feed(folder))])
        return is_committed

    StateFile.commit = look  # type: ignore[method-assign]
    try:
        done = await crawl(settings)
    finally:
        StateFile.commit = commit  # type: ignore[method-assign]
    with closing(sqlite3.connect(folder / "job" / JOB_FILE)) as file:
        left = [url for (url,) in file.execute("SELECT url FROM requests")]
    return {**done, "commits": commits, "left": left}


async def run_all(folder: Path, names: list[str]) -> dict[str, Any]:
    """Return name -> what was done and seen."""
    job._COMMIT_SECONDS = 0.001
    return {name: await run_case(folder / name, name) for name in names}


EARLY = {"jsonlines", "json", "csv", "xml", "in batches"}
"""Some versions of Scrapy before 2.18 store all batches at the end."""


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    names = [name for name in FEEDS if name != "parquet" or find_spec("pyarrow")]
    found: dict[str, dict[str, Any]] = in_new_process(
        "crawl.test_feeds", str(tmp_path_factory.mktemp("feeds")), json.dumps(names)
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


class Feed(SimpleNamespace):
    """A feed as Scrapy has it."""

    __hash__ = object.__hash__


def opened(
    path: Path, folder: Path, row: tuple[int, int] | None, *, overwrite: bool = False, ago: float = 0
) -> None:
    """Open the feed of a job that was killed; ``row`` is what its file has: inode and length."""
    crawler = get_crawler(scrapy.Spider)
    crawler.spider = scrapy.Spider("any")
    storage = FileFeedStorage(str(path), feed_options={"overwrite": overwrite})
    options = {"overwrite": overwrite}
    feed = Feed(storage=storage, format="jsonlines", feed_options=options, file=None)
    crawler.get_extension = lambda _: SimpleNamespace(slots=[feed], exporters=EXPORTERS)  # type: ignore[assignment]
    file = StateFile(folder / "state.sqlite")
    file.make(TABLE, "CREATE TABLE IF NOT EXISTS seen (fingerprint BLOB)")
    file.write("INSERT INTO seen VALUES (?)", (b"seen",))
    if row is not None:
        written = str(path), *row, time.time() - ago, "open", b""
        file.write("INSERT OR REPLACE INTO feeds VALUES (?, ?, ?, ?, ?, ?)", written)
    Feeds(crawler, TakenRequests(crawler), file).open()
    file.close()


EXPORTERS: dict[str, Any] = {
    "jsonlines": JsonLinesItemExporter,
    "json": JsonItemExporter,
    "csv": CsvItemExporter,
    "xml": XmlItemExporter,
}
WRITTEN = b'{"url": "a"}\n{"url": "b"}\n{"ur'


@pytest.mark.parametrize(
    ("is_same", "length", "ago", "left"),
    [
        (True, 13, 0, b'{"url": "a"}\n'),
        (True, len(WRITTEN), 0, WRITTEN),
        (True, 1_000, 0, b'{"url": "a"}\n{"url": "b"}\n'),  # the end of it is lost, by half an item
        (
            True,
            13,
            60,
            b'{"url": "a"}\n{"url": "b"}\n',
        ),  # the power failed long after, or another crawl wrote
        (False, 13, 0, WRITTEN),  # another file has taken its place
        (None, 0, 0, b'{"url": "a"}\n{"url": "b"}\n'),  # there was no file when the crawl began
        (None, 0, 60, b'{"url": "a"}\n{"url": "b"}\n'),
    ],
)
def test_after_a_kill_a_feed_is_cut_to_what_was_safe(
    is_same: bool | None, length: int, ago: float, left: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "items.jsonl"
    path.write_bytes(WRITTEN)
    inode = 0 if is_same is None else path.stat().st_ino + (not is_same)
    opened(path, tmp_path, (inode, length), ago=ago)
    assert path.read_bytes() == left
    opened(path, tmp_path, None)
    assert path.read_bytes() == left


@pytest.mark.parametrize(("written", "left"), [(WRITTEN, b'{"url": "a"}\n{"url": "b"}\n'), (b'{"ur', None)])
def test_a_feed_of_an_earlier_run_alone_keeps_its_whole_lines(
    written: bytes, left: bytes | None, tmp_path: Path
) -> None:
    """The run was killed before it had noted a length, and this run writes to another file."""
    path = tmp_path / "items.jsonl"
    path.write_bytes(written)
    crawler = get_crawler(scrapy.Spider)
    crawler.spider = scrapy.Spider("any")
    restore(str(path), Length(0, 0, time.time(), OPEN, b""), CrawlLogger("templcrawl.test", crawler))
    assert (path.read_bytes() if path.exists() else None) == left


HALVES: list[tuple[type, dict[str, Any], bytes, bytes, bool]] = [
    (JsonLinesItemExporter, {}, b'{"a": 1}\n{"a', b'{"a": 1}\n', False),
    (JsonLinesItemExporter, {}, b'{"a": 1}\n\0\0\0', b'{"a": 1}\n', False),
    (JsonItemExporter, {}, b'[\n{"a": 1},\n{"a', b'[\n{"a": 1}', False),
    (JsonItemExporter, {}, b'[\n{"a": 1', b"", False),
    (JsonItemExporter, {}, b'[\n{"a": 1},\n{"a": 2}\n]', b'[\n{"a": 1},\n{"a": 2}\n]', True),
    (JsonItemExporter, {"indent": 4}, b'[\n    {\n        "a": 1,\n', b'[\n    {\n        "a": 1,\n', False),
    (
        XmlItemExporter,
        {},
        b"<items>\n<item><a>1</a></item>\n<item><a>",
        b"<items>\n<item><a>1</a></item>",
        False,
    ),
    (
        XmlItemExporter,
        {"item_export_kwargs": {"item_element": "row"}},
        b"<row/></row><row>",
        b"<row/></row>",
        False,
    ),
    (XmlItemExporter, {}, b"<items><item></item></items>\n", b"<items><item></item></items>\n", True),
]


@pytest.mark.parametrize(("exporter", "options", "written", "left", "is_ended"), HALVES)
@pytest.mark.parametrize("more", [0, 4_080, 4_090, 9_000])
def test_half_an_item_is_cut(
    exporter: type,
    options: dict[str, Any],
    written: bytes,
    left: bytes,
    is_ended: bool,
    more: int,
    tmp_path: Path,
) -> None:
    """However long it is."""
    path = tmp_path / "items"
    half = b"" if is_ended or left == written else b"x" * more
    path.write_bytes(written + half)
    assert cut_half_an_item(path, exporter, options) == is_ended
    assert path.read_bytes() == left


class OpenedFeed(Feed):
    """A feed that is opened as Scrapy opens it."""

    def start_exporting(self) -> None:
        if self.file is None:
            self.file = self.storage.open(None)
            self.exporter = EXPORTERS[self.format](self.file, **self.feed_options)
            self.exporter.start_exporting()


@pytest.mark.parametrize("name", ["json", "xml", "csv", "jsonlines"])
def test_a_job_that_lost_its_power_goes_on_in_one_document(name: str, tmp_path: Path) -> None:
    """The disk has half an item of the feed, long after what it has of the job."""
    path = tmp_path / "items"
    storage = FileFeedStorage(str(path))
    for row, half in (([], b"x"), ([(str(path), 0, 0, time.time() - 60, "open", b"")], b"")):
        options = {"indent": 0} if name == "json" else {}
        feed = OpenedFeed(storage=storage, format=name, feed_options=options, file=None)
        reopened(tmp_path / half.hex(), row, feed).close()
        feed.start_exporting()
        for number in range(3):
            feed.exporter.export_item({"url": f"http://a.example/{number}"})
        if not half:
            feed.exporter.finish_exporting()
        feed.file.close()
        path.write_bytes(path.read_bytes().rstrip()[: -3 if half else None])
    assert addresses_in(path, name) == [f"http://a.example/{number}" for number in (0, 1, 0, 1, 2)]


def addresses_in(path: Path, name: str) -> list[str]:
    """Return the addresses in a feed, which is one document."""
    with path.open(newline="", encoding="utf-8") as file:
        if name == "xml":
            return [str(item.findtext("url")) for item in ET.parse(file).getroot()]
        rows = {"csv": csv.DictReader, "json": json.load}.get(name, lambda file: map(json.loads, file))(file)
        return [row["url"] for row in rows]


def test_a_feed_that_ends_in_zeros_is_cut_though_it_is_as_long_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_bytes(WRITTEN[:13] + bytes(13))
    opened(path, tmp_path, (path.stat().st_ino, 26))
    assert path.read_bytes() == WRITTEN[:13]


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


def reopened(tmp_path: Path, rows: list[tuple[object, ...]], *slots: Feed) -> StateFile:
    """Open the feeds of a job that goes on, whose file has these rows."""
    crawler = get_crawler(scrapy.Spider)
    crawler.spider = scrapy.Spider("any")
    crawler.get_extension = lambda _: SimpleNamespace(slots=[*slots], exporters=EXPORTERS)  # type: ignore[assignment]
    file = StateFile(tmp_path / "state.sqlite")
    file.make(TABLE, "CREATE TABLE IF NOT EXISTS seen (fingerprint BLOB)")
    for row in rows:
        file.write("INSERT INTO feeds VALUES (?, ?, ?, ?, ?, ?)", row)
    Feeds(crawler, TakenRequests(crawler), file).open()
    return file


@pytest.mark.parametrize(
    ("left", "state", "said"),
    [
        (None, "open", "is gone, and had 26 bytes"),
        (None, "whole", ""),  # somebody has taken it, as is right
        (WRITTEN[:20], "open", "has 20 bytes, and had 26 bytes"),
        (WRITTEN[:13] + bytes(13), "open", "ends in zeros, and had 26 bytes"),
        (WRITTEN[:26], "open", ""),
        (WRITTEN[:20], "stored at its end", ""),  # its pages are fetched again
    ],
)
def test_a_feed_that_has_lost_items_is_named(
    left: bytes | None, state: str, said: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Also that of a run that had another name."""
    path = tmp_path / "items.jsonl"
    path.write_bytes(left or b"")
    inode = path.stat().st_ino
    if left is None:
        path.unlink()
    size = 0 if state == "stored at its end" else 26
    reopened(tmp_path, [(str(path), inode, size, time.time(), state, b"")]).close()
    errors = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert [said in error and str(path) in error for error in errors] == ([True] if said else [])


def test_after_a_kill_what_a_run_of_another_name_has_left_is_cut_closed_or_removed(tmp_path: Path) -> None:
    contents = {
        "lines": (b'{"a": 1}\n{"a"', 9, "open", b"", b'{"a": 1}\n'),
        "array": (b'[\n{"a": 1},\n{', 10, "open", b"\n]", b'[\n{"a": 1}\n]'),
        "whole": (b"[\n{}\n]", 6, "whole", b"\n]", b"[\n{}\n]"),
        "parquet": (b"PAR1 and more", 0, "stored at its end", b"", None),
        "appended": (b"gzip, whole; and more", 11, "stored at its end", b"", b"gzip, whole"),
    }
    rows = []
    for name, (content, size, state, end, _) in contents.items():
        (tmp_path / name).write_bytes(content)
        length = len(content) if state == "whole" else size
        rows.append((str(tmp_path / name), (tmp_path / name).stat().st_ino, length, time.time(), state, end))
    for _ in range(2):
        file = reopened(tmp_path, rows)
        assert file.read("SELECT * FROM feeds") == []
        file.close()
        rows = []
        for name, (*_, left) in contents.items():
            path = tmp_path / name
            assert (path.read_bytes() if path.exists() else None) == left, name


@pytest.mark.parametrize("ahead", [-3_600, 3_600])
def test_the_clock_of_the_file_system_may_be_another(ahead: int, tmp_path: Path) -> None:
    """A share has the clock of its server: what a kill has left is cut all the same."""
    path = tmp_path / "items.jsonl"
    path.write_bytes(WRITTEN[:13])

    def touch() -> None:
        os.utime(path, (time.time() + ahead, time.time() + ahead))

    with path.open("ab") as target:
        feed = Feed(storage=FileFeedStorage(str(path)), format="jsonlines", feed_options={}, file=None)
        crawler = get_crawler(scrapy.Spider)
        fed = SimpleNamespace(slots=[feed], exporters=EXPORTERS)
        crawler.get_extension = lambda _: fed  # type: ignore[assignment]
        file = StateFile(tmp_path / "state.sqlite")
        file.make(TABLE, "CREATE TABLE IF NOT EXISTS seen (fingerprint BLOB)")
        feeds = Feeds(crawler, TakenRequests(crawler), file)
        feeds.open()
        feed.file = target
        target.write(WRITTEN[13:26])
        target.flush()
        touch()
        assert feeds.flush()
        file.close()
        target.write(WRITTEN[26:])
    touch()
    reopened(tmp_path, [], feed).close()
    assert path.read_bytes() == WRITTEN[:26]


BATCHES = "batch-%(batch_id)d"


@pytest.mark.parametrize(
    ("uri", "options", "said"),
    [
        (f"{BATCHES}.parquet", {"format": "parquet", "batch_item_count": 5}, "give a name with %(time)s"),
        (f"{BATCHES}.jsonl", {"format": "jsonlines", "batch_item_count": 5, "overwrite": True}, "%(time)s"),
        (f"{BATCHES}.jsonl", {"format": "jsonlines", "batch_item_count": 5}, ""),
        (f"%(time)s-{BATCHES}.parquet", {"format": "parquet", "batch_item_count": 5}, ""),
        (f"%(run)s-{BATCHES}.parquet", {"format": "parquet", "batch_item_count": 5}, ""),
        ("there.parquet", {"format": "parquet"}, "give another name, or one with %(time)s"),
        ("killed.parquet", {"format": "parquet"}, ""),
        ("there.parquet", {"format": "parquet", "overwrite": True}, ""),
        ("new.parquet", {"format": "parquet"}, ""),
        ("s3://bucket/there.parquet", {"format": "parquet"}, ""),
    ],
)
def test_a_feed_that_would_lose_items_of_a_job_that_goes_on_is_refused(
    uri: str, options: Any, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("there", "killed"):
        (tmp_path / f"{name}.parquet").write_bytes(b"PAR1")
    file = StateFile(tmp_path / "state.sqlite")
    file.make(TABLE)
    row = str(tmp_path / "killed.parquet"), 1, 0, 0, "stored at its end", b""
    file.write("INSERT INTO feeds VALUES (?, ?, ?, ?, ?, ?)", row)
    formats = {"parquet": "templcrawl.outputs.parquet_exporter.ParquetItemExporter"}
    crawler = get_crawler(scrapy.Spider, {"FEEDS": {uri: options}, "FEED_EXPORTERS": formats})
    with pytest.raises(InvalidOption, match=re.escape(said)) if said else nullcontext():
        refuse(crawler, file)
    file.close()


def test_a_feed_elsewhere_that_an_earlier_run_has_stored_is_warned_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    uri = "ftp://host/items.jsonl"
    for overwrite in (False, True):
        storage = FTPFeedStorage(uri, feed_options={"overwrite": overwrite})
        feed = Feed(storage=storage, format="jsonlines", feed_options={"overwrite": overwrite}, uri=uri)
        feed.file = None
        file = reopened(tmp_path, [] if overwrite else [(uri, 0, 0, 0, "elsewhere", b"")], feed)
        assert (f"The feed {uri} is overwritten" in caplog.text) == overwrite
        file.close()


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
    feed = Feed(storage=storage(str(tmp_path / "items")), format="any", feed_options={}, uri="any")
    feed.file = target
    crawler = get_crawler(scrapy.Spider)
    fed = SimpleNamespace(slots=[feed], exporters={"any": exporter})
    crawler.get_extension = lambda _: fed  # type: ignore[assignment]
    file = StateFile(tmp_path / "state.sqlite")
    file.make(TABLE)
    feeds = Feeds(crawler, TakenRequests(crawler), file)
    feeds.open()
    target.write(b"item")
    assert feeds.flush()
    assert (tmp_path / "items").stat().st_size == (4 if is_early else 0)
    target.close()
    file.close()


if __name__ == "__main__":
    in_this_process(lambda: run_all(Path(sys.argv[1]), json.loads(sys.argv[2])))
