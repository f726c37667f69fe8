"""A crawl has its JOBDIR to itself, and says what stands against it."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from queuelib import FifoDiskQueue
from scrapy import Request, Spider
from scrapy.core.scheduler import Scheduler
from scrapy.squeues import MarshalFifoDiskQueue, PickleFifoDiskQueue
from scrapy.utils.test import get_crawler

from templcrawl.crawl.jobs import jobs
from templcrawl.crawl.jobs.jobs import Job
from templcrawl.errors import InvalidOption
from templcrawl.files import FileLock
from templcrawl.outputs.archive.writer import ArchiveWriter
from tests.crawl.crawls import ONE_LINE, run_crawl
from tests.outputs.archive.tables import some_rows

OTHER_SCHEDULER = "scrapy.core.scheduler.BaseScheduler"


def test_a_second_crawl_on_a_job_is_refused_until_the_first_is_closed(tmp_path: Path) -> None:
    crawler = get_crawler(Spider)
    crawler.crawling = True
    job = Job(crawler, str(tmp_path))
    with pytest.raises(InvalidOption, match=r"JOBDIR = .*another crawl \(process \d+\) is at work in it"):
        Job(crawler, str(tmp_path))
    job.close()
    Job(crawler, str(tmp_path)).close()


def test_a_crawl_of_this_process_that_never_began_holds_nobody_back(tmp_path: Path) -> None:
    never_begun = Job(get_crawler(Spider), str(tmp_path))
    Job(get_crawler(Spider), str(tmp_path)).close()
    never_begun.close()


def test_a_job_that_cannot_be_written_to_is_refused(tmp_path: Path) -> None:
    (tmp_path / "templcrawl").write_text("a file")
    with pytest.raises(InvalidOption, match=r"JOBDIR = .*a folder that can be written to"):
        Job(get_crawler(Spider), str(tmp_path))


def test_a_queue_that_cannot_be_rebuilt_is_an_error_that_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: str, **options: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr(jobs, "repair_queues", fail)
    crawler = get_crawler(Spider)
    Job(crawler, str(tmp_path)).close()
    assert crawler.stats is not None
    assert crawler.stats.get_value("templcrawl/errors/OSError") == 1


def test_it_is_said_that_a_queue_was_rebuilt(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    queue = FifoDiskQueue(tmp_path / "requests.queue" / "0")
    queue.push(b"one")
    queue.headf.close()
    queue.tailf.close()
    with caplog.at_level(logging.WARNING):
        Job(get_crawler(Spider), str(tmp_path)).close()
    assert "was killed: its queue was rebuilt, 1 request waits" in caplog.text


@pytest.mark.parametrize("disk_queue", [PickleFifoDiskQueue, MarshalFifoDiskQueue])
def test_the_dupefilter_is_told_what_waits_but_for_what_it_lets_pass(disk_queue: Any, tmp_path: Path) -> None:
    crawler = get_crawler(Spider, {"JOBDIR": str(tmp_path)})
    crawler.spider = Spider("any")
    queue = disk_queue.from_crawler(crawler, str(tmp_path / "requests.queue" / "0"))
    for name in ("once", "again"):
        queue.push(Request(f"http://a.example/{name}", dont_filter=name == "again"))
    queue.push(Request("http://a.example/gone"))
    queue.headf.close()
    queue.tailf.close()
    job = Job(crawler, str(tmp_path))
    scheduler = Scheduler.from_crawler(crawler)
    crawler.engine = Mock(_slot=Mock(scheduler=scheduler))
    job.open()
    seen = {
        name: scheduler.df.request_seen(Request(f"http://a.example/{name}"))
        for name in ("once", "again", "gone", "new")
    }
    assert seen == {"once": True, "again": False, "gone": True, "new": False}
    assert crawler.stats is not None
    assert crawler.stats.get_value("templcrawl/queue/rebuilt") == 3
    scheduler.df.close("finished")
    job.close()


@pytest.mark.parametrize(
    ("settings", "rebuilds"),
    [
        ({}, False),
        ({"SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleLifoDiskQueue"}, True),
        ({"SCHEDULER_DISK_QUEUE": "tests.crawl.killed_crawls.LinesQueue"}, False),
        ({"SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleLifoDiskQueue", "SCHEDULER": OTHER_SCHEDULER}, False),
    ],
)
def test_a_file_is_taken_for_a_queue_by_the_classes_of_the_project(
    settings: dict[str, Any], rebuilds: bool, tmp_path: Path
) -> None:
    queue = tmp_path / "requests.queue" / "0"
    queue.parent.mkdir()
    queue.write_bytes(b"\0\0\0\3")
    fifo = {"SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue"}
    Job(get_crawler(Spider, {**fifo, **settings}), str(tmp_path)).close()
    assert queue.exists() != rebuilds


def archive_of_another_schema(folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer = ArchiveWriter(str(folder))
    writer.add(some_rows(1)[0])
    writer.close()
    path = next(folder.glob("pages/*.parquet"))
    table = pq.read_table(path)
    pq.write_table(table.set_column(0, "page", pa.array(["x"])), path)


@pytest.mark.parametrize("what", ["job", "archive"])
def test_a_crawl_is_refused_at_the_start_with_a_sentence(what: str, tmp_path: Path) -> None:
    job, archive = tmp_path / "job", tmp_path / "archive"
    (job / "templcrawl").mkdir(parents=True)
    settings: dict[str, Any] = {**ONE_LINE, "JOBDIR": str(job), "TEMPLCRAWL_ARCHIVE": str(archive)}
    if what == "job":
        lock = FileLock(job / "templcrawl" / "lock")
        said = "another crawl"
    else:
        archive_of_another_schema(archive)
        said = "its column page holds string, not int64"
    crawl = run_crawl("plain", "http://127.0.0.1:9/", tmp_path / "out", settings)
    assert said in crawl.log
    assert "downloader/request_count" not in crawl.stats
    if what == "job":
        lock.release()
