"""A crawl that is killed and resumed keeps what is promised; the benchmark kills at random moments."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.bench import kills
from lab.bench.killed_crawl import PAGES, URLS
from tests.parts import long_but

pytestmark = pytest.mark.exhaustive


@pytest.mark.parametrize("after", long_but([30], [0, 30, PAGES - 1]))
def test_a_killed_crawl_loses_no_page_and_no_more_than_its_batches(after: int, tmp_path: Path) -> None:
    result = kills.play(tmp_path / "round", after, 0.02)
    assert result.broken == []
    assert result.never == 0


def test_what_is_broken_is_found(tmp_path: Path) -> None:
    assert "SQLite lacks 1 pages" in kills._after(tmp_path, {URLS[0]})
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "left.part").touch()
    assert "stray file: job/left.part" in kills._after(tmp_path, set())
    line = kills.Line(0.0, URLS[0])
    broken, lost = kills._left(tmp_path, [line] * 50, 100.0)
    assert broken == ["50 pages were learned an interval before the kill, 0 are saved"]
    assert lost == (0, 1, 50)
