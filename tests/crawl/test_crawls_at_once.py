"""A second crawl on a JOBDIR or an archive says so and does the first one no harm; a kill gives both free.

Run as a program,

    python -m tests.crawl.test_crawls_at_once FOLDER SETTING HOW

begins a crawl with SETTING at a place in FOLDER, lets it wait at its third page, and runs a second one with
the same SETTING meanwhile.  Then the first goes on to its end (HOW is ``ended``), or is killed (``killed``),
and a third crawl is run.  Prints what each of them did (null if it was killed), and which files of the first
one the second has changed.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import Response

from tests.crawl.crawls import ONE_LINE
from tests.crawl.small_crawls import crawl, in_new_process, in_this_process
from tests.crawl.test_killed_crawls import AGAIN, URLS, KillingAnswers, Links


class WaitingAnswers(KillingAnswers):
    """Lets the first crawl wait at its third page until there is a file that says that it may go on."""

    async def process_request(self, request: Request) -> Response:
        response = await super().process_request(request)
        while self._notes.name == "first" and self._left == -3 and not self._notes.with_name("go").exists():
            time.sleep(0.01)
        return response


def _begin(folder: Path, name: str, setting: str) -> int:
    """Crawl in a process of its own; return its id."""
    process = os.fork()
    if not process:
        settings: dict[str, Any] = {
            **ONE_LINE,
            "DOWNLOADER_MIDDLEWARES": {WaitingAnswers: 940},
            "NOTES": str(folder / name),
            "CONCURRENT_REQUESTS": 1,
            setting: str(folder / "place"),
        }
        with (folder / f"{name}.json").open("w") as said:
            os.dup2(said.fileno(), 1)
        in_this_process(lambda: crawl(settings, Links))
    return process


def _end(folder: Path, name: str, process: int) -> Any:
    is_killed = os.waitpid(process, 0)[1] == signal.SIGKILL
    return None if is_killed else json.loads((folder / f"{name}.json").read_text())


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def run_all(folder: Path, setting: str, how: str) -> dict[str, Any]:
    """Return crawl -> what it did; ``harm``: which files of the first the second has changed."""
    first = _begin(folder, "first", setting)
    while not (folder / "first").exists() or len((folder / "first").read_text().split()) < 3:
        time.sleep(0.01)
    before = _files(folder / "place")
    second = _end(folder, "second", _begin(folder, "second", setting))
    after = _files(folder / "place")
    if how == "killed":
        os.kill(first, signal.SIGKILL)
    (folder / "go").touch()
    return {
        "first": _end(folder, "first", first),
        "second": second,
        "third": _end(folder, "third", _begin(folder, "third", setting)),
        "harm": [path for path, content in before.items() if after.get(path) != content],
    }


pytestmark = pytest.mark.exhaustive

EVERY_PAGE = Counter([*URLS, AGAIN])


@pytest.mark.parametrize("how", ["ended", "killed"])
def test_a_second_crawl_on_a_job_is_refused_and_the_first_goes_on(how: str, tmp_path: Path) -> None:
    done = in_new_process("crawl.test_crawls_at_once", str(tmp_path), "JOBDIR", how)
    first, second, third = done["first"], done["second"], done["third"]
    assert "a folder of its own for each crawl: another crawl (process " in second["failure"]
    assert (second["fetched"], second["reason"], second["log"], done["harm"]) == ([], None, [], [])
    assert (third["reason"], third["failure"], third["log"]) == ("finished", "", [])
    if how == "ended":
        assert (first["reason"], first["log"], first["warnings"]) == ("finished", [], [])
        assert Counter(first["fetched"]) == EVERY_PAGE
        assert third["warnings"] == []
    else:
        assert {URLS[0], URLS[1], *third["fetched"]} == set(URLS)
        assert third["warnings"] == []


@pytest.mark.parametrize("how", ["ended", "killed"])
def test_a_second_crawl_on_an_archive_is_warned_and_none_loses_a_page(how: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    from templcrawl.outputs.archive.archive_parts import Archive

    done = in_new_process("crawl.test_crawls_at_once", str(tmp_path), "TEMPLCRAWL_ARCHIVE", how)
    ended = [done[name] for name in ("first", "second", "third") if done[name] is not None]
    assert len(ended) == (3 if how == "ended" else 2)
    for run in ended:
        assert (run["reason"], run["failure"], run["log"], run["errors"]) == ("finished", "", [], {})
        assert Counter(run["fetched"]) == EVERY_PAGE
        is_warned = "Another crawl is writing to the archive" in " ".join(run["warnings"])
        assert is_warned == (run is done["second"])
    assert done["harm"] == []
    archived = Counter(Archive(str(tmp_path / "place")).read("pages", ["url"])["url"].to_pylist())
    assert archived == dict.fromkeys(URLS, 2 if how == "ended" else 1)
    assert {path.name for path in (tmp_path / "place").glob("_*")} == {"_first.lock"}


if __name__ == "__main__":
    print(json.dumps(run_all(Path(sys.argv[1]), *sys.argv[2:4])))
