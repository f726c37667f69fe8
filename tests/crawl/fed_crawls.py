"""Crawls with a JOBDIR and a feed of each kind; run as a program of its own.

    python -m tests.crawl.fed_crawls FOLDER FEEDS

crawls a small site with each of some ``FEEDS`` (a JSON list of their names), looks at each commit which pages
are done and which the target of the feed has, and prints a JSON object: name -> what the crawl did, what was
seen at its commits, and which pages are left in its job.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO

from scrapy import Request
from scrapy.extensions.feedexport import BlockingFeedStorage
from scrapy.http import Response

from templcrawl.crawl.jobs import job
from templcrawl.state_file import JOB_FILE, StateFile
from tests.crawl.crawls import ONE_LINE
from tests.crawl.small_crawls import URLS, Answers, Follow, crawl, in_this_process

HERE = "tests.crawl.fed_crawls"
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


if __name__ == "__main__":
    in_this_process(lambda: run_all(Path(sys.argv[1]), json.loads(sys.argv[2])))
