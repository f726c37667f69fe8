"""A crawl has its JOBDIR to itself, says what stands against it, and leaves nothing there of what is done."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, nullcontext
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request, Spider
from scrapy.pqueues import DownloaderAwarePriorityQueue, ScrapyPriorityQueue
from scrapy.squeues import FifoMemoryQueue
from scrapy.utils.test import get_crawler

from templcrawl import state_file
from templcrawl.crawl.job.job import Job
from templcrawl.crawl.job.job_owner import has_ended, is_ours
from templcrawl.errors import InvalidOption, InvalidSnapshot
from templcrawl.state_file import JOB_FILE

INSERT = "INSERT INTO requests (number) VALUES (?)"
COUNT = "SELECT count(*) FROM requests"


def crawler_with(*in_progress: Request) -> Any:
    crawler: Any = get_crawler(Spider)
    crawler.engine = SimpleNamespace(_slot=SimpleNamespace(inprogress={*in_progress}))
    crawler.crawling = True
    return crawler


def test_a_second_crawl_on_a_job_is_refused_until_the_first_is_closed(tmp_path: Path) -> None:
    crawler = crawler_with()
    job = Job(crawler, str(tmp_path))
    with pytest.raises(InvalidOption, match=r"JOBDIR = .*another crawl \(process \d+\) is at work in it"):
        Job(crawler, str(tmp_path))
    job.close()
    Job(crawler, str(tmp_path)).close()


def test_a_job_that_cannot_be_written_to_is_refused(tmp_path: Path) -> None:
    (tmp_path / "job").write_text("a file")
    with pytest.raises(InvalidOption, match=r"JOBDIR = .*a folder that can be written to"):
        Job(get_crawler(Spider), str(tmp_path / "job"))


def test_a_job_whose_file_cannot_be_used_is_free_again(tmp_path: Path) -> None:
    (tmp_path / JOB_FILE).write_text("no database " * 99)
    with pytest.raises(InvalidSnapshot):
        Job(crawler_with(), str(tmp_path))
    (tmp_path / JOB_FILE).unlink()
    Job(crawler_with(), str(tmp_path)).close()


@pytest.mark.parametrize(
    ("content", "ours"),
    [("1", True), ("0", True), ("{}", False), ('{"a": [0]}', False), ("2", False), ("", True)],
)
def test_a_job_is_ours_if_its_mark_says_so(content: str, ours: bool, tmp_path: Path) -> None:
    assert is_ours(str(tmp_path)) is None
    (tmp_path / "requests.queue").mkdir()
    assert is_ours(str(tmp_path)) is None
    (tmp_path / "requests.queue" / "active.json").write_text(content)
    assert is_ours(str(tmp_path)) is ours


def test_a_mark_that_was_cut_is_whole_again(tmp_path: Path) -> None:
    """Scrapy empties it before it writes it anew; a queue of its own has other files beside it."""
    mark = tmp_path / "requests.queue" / "active.json"
    mark.parent.mkdir()
    mark.touch()
    job = Job(crawler_with(), str(tmp_path))
    assert mark.read_text() == "1"
    job.close()
    mark.write_text("")
    (mark.parent / "0").mkdir()
    assert is_ours(str(tmp_path)) is False


@pytest.mark.parametrize("waiting", [0, 1])
def test_scrapys_queue_takes_the_mark_of_a_job_that_has_ended_and_of_no_other(
    waiting: int, tmp_path: Path
) -> None:
    job = Job(crawler_with(), str(tmp_path))
    job.mark()
    job.file.write(INSERT, *((number,) for number in range(waiting)))
    job.close()
    mark = json.loads((tmp_path / "requests.queue" / "active.json").read_text())
    assert (is_ours(str(tmp_path)), has_ended(str(tmp_path))) == (True, not waiting)
    crawler: Any = get_crawler(Spider)
    crawler.engine = SimpleNamespace(downloader=None)
    for queue in (DownloaderAwarePriorityQueue, ScrapyPriorityQueue):
        with nullcontext() if not waiting else pytest.raises((TypeError, ValueError)):
            assert not len(queue(crawler, FifoMemoryQueue, "", mark))
    Job(crawler_with(), str(tmp_path)).file.close()
    assert not has_ended(str(tmp_path)), "it goes on"


@pytest.mark.parametrize("left", ["requests.seen", "requests.queue/0"])
def test_a_job_that_scrapys_queue_began_and_was_killed_is_not_ours(left: str, tmp_path: Path) -> None:
    (tmp_path / left).mkdir(parents=True)
    assert is_ours(str(tmp_path)) is False


def test_what_is_done_is_deleted_at_the_commit_behind_it(tmp_path: Path) -> None:
    requests = [Request(f"http://a.example/{number}") for number in (1, 2, 3)]
    crawler = crawler_with(*requests)
    job = Job(crawler, str(tmp_path))
    job.mark()
    for number, request in enumerate(requests, 1):
        job.file.write(INSERT, (number,))
        job.taken.note_taken(request, number)
    kept = job.taken.keep(requests[0])
    for ended, left in ((requests[1], 2), (requests[0], 2), (None, 1)):
        crawler.engine._slot.inprogress.discard(ended)
        if ended is None:
            job.taken.release(kept)
        job.commit()
        assert job.file.read(COUNT) == [(left,)]
    job.close()
    again = Job(crawler_with(), str(tmp_path))
    assert again.file.read("SELECT number FROM requests") == [(3,)]
    again.close()


def test_feeds_are_synced_before_the_log_moves_and_nothing_is_done_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the thread may take along has to be on the disk: deletions wait until it has ended."""
    job = Job(crawler_with(), str(tmp_path))
    may_go, synced = Event(), list[str]()

    def sync(path: str) -> None:
        with closing(sqlite3.connect(f"file:{job.file.path}?mode=ro", uri=True)) as reader:
            synced.append(path)
            assert reader.execute(COUNT).fetchone() in ((1,), (2,))
        may_go.wait(20)

    monkeypatch.setattr(state_file, "sync", sync)
    monkeypatch.setattr(state_file, "_LOG_BYTES", 0)
    for number in (1, 2):
        job.file.write(INSERT, (number,))
        job.taken.note_taken(Request(f"http://a.example/{number}"), number)
        if number == 1:
            job.taken.collect()
            job.file.unsynced.add("items.jsonl")
            job.file.commit()
    job.commit()
    assert (job.file.is_moving, job.file.read(COUNT)) == (True, [(2,)])
    may_go.set()
    job.file.wait()
    job.commit()
    assert (job.file.read(COUNT), synced) == ([(0,)], ["items.jsonl"])
    job.close()


def test_what_a_feed_has_not_taken_is_not_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job(crawler_with(), str(tmp_path))
    job.file.write(INSERT, (1,))
    job.taken.note_taken(Request("http://a.example/"), 1)
    monkeypatch.setattr(job._feeds, "flush", lambda: False)
    job.commit()
    assert job.file.read(COUNT) == [(1,)]
    monkeypatch.undo()
    job.commit()
    assert job.file.read(COUNT) == [(0,)]
    job.close()
