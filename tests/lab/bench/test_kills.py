"""A crawl that is killed again and again loses no item of any sink."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import pytest

from lab.bench import kills
from lab.bench.killed_crawl import url_of

pytestmark = pytest.mark.exhaustive

PAGES = 200


def test_a_job_that_is_killed_loses_nothing_in_any_sink(tmp_path: Path) -> None:
    played = kills.play(tmp_path / "job", PAGES, kills.SQLITE, Random(1), 3, sys.executable)
    every = {url_of(number) for number in range(PAGES)}
    assert (played.never, played.failure) == (0, "")
    assert played.kills > 0
    assert [*played.sinks] == ["JSON lines", "CSV", "Parquet", "sent elsewhere", "archive", "SQLite"]
    assert {sink for sink, urls in played.sinks.items() if every - set(urls)} == set()
    of_database = played.sinks["SQLite"]
    assert len(of_database) == len(set(of_database)), "an item is in the transaction of its page"


def test_scrapy_alone_loses_pages(tmp_path: Path) -> None:
    played = kills.play(tmp_path / "job", PAGES, "none", Random(1), 3, sys.executable)
    assert played.never > 0
