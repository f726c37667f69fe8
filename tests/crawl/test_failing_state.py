"""A job whose file fails: the crawl goes on in memory and says so once, or it does not start and says why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from templcrawl.state_file import JOB_FILE
from tests.crawl.crawls import ONE_LINE, run_crawl
from tests.crawl.failing_states import HARMS, STARTS
from tests.crawl.small_crawls import URLS, in_new_process

UNNOTICED = {"full at page 4", "damaged at page 1"}
"""What the file still had room for; what lies in the file and nobody had to read again."""


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = in_new_process(
        "crawl.failing_states", str(tmp_path_factory.mktemp("jobs"))
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
