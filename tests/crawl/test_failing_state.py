"""A job whose file fails: the crawl goes on in memory and says so once, or it does not start and says why.

Run as a program,

    python -m tests.crawl.test_failing_state FOLDER

crawls a small site once for each of ``HARMS``, done at its first and at its fourth page, and once for each of
``STARTS``, and prints a JSON object: name -> what that crawl did.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import Response

from templcrawl.crawl.extension import CrawlExtension
from templcrawl.crawl.job import job
from templcrawl.state_file import JOB_FILE, StateFile
from tests.crawl.crawls import ONE_LINE, run_crawl
from tests.crawl.small_crawls import URLS, Answers, crawl, in_new_process, in_this_process
from tests.test_state_file import WRITES_FAIL

_OPEN: list[sqlite3.Connection] = []


def _lock(file: StateFile) -> None:
    file.commit()
    _OPEN.append(sqlite3.connect(file.path))
    _OPEN[-1].execute("BEGIN IMMEDIATE")


def _damage(file: StateFile) -> None:
    file.read("PRAGMA shrink_memory")
    for path in file.path.parent.glob(f"{file.path.name}*"):
        if not path.name.endswith("-shm"):
            with path.open("r+b") as damaged:
                damaged.write(b"\xff" * path.stat().st_size)


HARMS: dict[str, Callable[[StateFile], object]] = {**WRITES_FAIL, "locked": _lock, "damaged": _damage}


class HarmingAnswers(Answers):
    """Answers every request, and does harm at one of them."""

    @classmethod
    def from_crawler(cls, crawler: Any) -> HarmingAnswers:
        answers = cls()
        answers.crawler, answers.answered = crawler, 0
        return answers

    def process_request(self, request: Request) -> Response:
        self.answered += 1
        if self.answered == self.crawler.settings.getint("HARMED_AT"):
            opened = CrawlExtension.running_in(self.crawler).job
            HARMS[self.crawler.settings["HARM"]](opened.file)
        return super().process_request(request)


def _make_and_lock(path: Path) -> None:
    file = StateFile(path)
    _lock(file)
    file.close()


STARTS: dict[str, Callable[[Path], object]] = {
    "no database": lambda path: path.write_bytes(b"text " * 999),
    "locked at the start": _make_and_lock,
}


async def run_all(folder: Path) -> dict[str, Any]:
    """Return name -> what the crawl did whose file fails in this way."""
    job._COMMIT_SECONDS = 0.001
    results = {}
    harms = {f"{name} at page {page}": (name, page) for name in HARMS for page in (1, 4)}
    for name in (*harms, *STARTS):
        harm, page = harms.get(name, ("", 0))
        state = folder / name / "job" / JOB_FILE
        state.parent.mkdir(parents=True)
        if name in STARTS:
            STARTS[name](state)
        settings = {
            **ONE_LINE,
            "JOBDIR": str(state.parent),
            "HARM": harm,
            "HARMED_AT": page,
            "DOWNLOADER_MIDDLEWARES": {HarmingAnswers: 940},
            "FEEDS": {str(folder / name / "items.jsonl"): {"format": "jsonlines", "fields": ["url"]}},
        }
        results[name] = await crawl(settings)
        while _OPEN:
            _OPEN.pop().close()
        feed = folder / name / "items.jsonl"
        results[name]["feed"] = (
            sorted(json.loads(line)["url"] for line in feed.read_text().splitlines()) if feed.exists() else []
        )
    return results


UNNOTICED = {"full at page 4", "damaged at page 1"}
"""What the file still had room for; what lies in the file and nobody had to read again."""


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = in_new_process(
        "crawl.test_failing_state", str(tmp_path_factory.mktemp("jobs"))
    )
    return found


@pytest.mark.parametrize("name", [f"{harm} at page {page}" for harm in HARMS for page in (1, 4)])
def test_whatever_happens_to_the_file_all_pages_are_fetched_and_it_is_said_once(
    name: str, crawls: dict[str, dict[str, Any]]
) -> None:
    crawl = crawls[name]
    assert (crawl["failure"], crawl["reason"]) == ("", "finished")
    assert crawl["fetched"] == crawl["items"] == crawl["feed"] == sorted([*URLS, URLS[0]])
    if name not in UNNOTICED:
        errors = {name: count for name, count in crawl["errors"].items() if "StateLost" not in name}
        assert (sum(errors.values()), len(crawl["log"])) == (1, 1)
        assert "from which the job cannot go on now" in crawl["log"][0]
    assert not any("Traceback" in text for text in crawl["log"])


@pytest.mark.parametrize("name", STARTS)
def test_with_a_file_that_cannot_be_used_no_crawl_starts(
    name: str, crawls: dict[str, dict[str, Any]]
) -> None:
    crawl = crawls[name]
    assert (crawl["reason"], crawl["fetched"], crawl["log"]) == (None, [], [])
    assert "InvalidSnapshot" in crawl["failure"]
    assert ("what has locked it has to end" in crawl["failure"]) == ("locked" in name)
    assert ("all begins anew" in crawl["failure"]) != ("locked" in name)


def test_the_log_has_one_sentence_and_no_traceback(tmp_path: Path) -> None:
    job = tmp_path / "job"
    job.mkdir()
    (job / JOB_FILE).write_text("no database " * 99)
    settings = {**ONE_LINE, "JOBDIR": str(job)}
    crawl = run_crawl("plain", "http://127.0.0.1:9/", tmp_path / "out", settings)
    assert crawl.log.count("file is not a database); if it is removed, all begins anew") == 1
    assert "Traceback" not in crawl.log
    assert "downloader/request_count" not in crawl.stats


if __name__ == "__main__":
    in_this_process(lambda: run_all(Path(sys.argv[1])))
