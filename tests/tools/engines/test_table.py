"""Engines are chosen by an option."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.commands.running import run
from tests.tools.detection.archived_sites import site_pages, write_site_archive


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return write_site_archive(tmp_path / "crawl", site_pages())


@pytest.mark.parametrize("option", ["memory", "max-temp"])
def test_limits_of_duckdb_are_not_for_spark(
    option: str, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run(capsys, "detect", archive, "--engine", "spark", f"--{option}", "4GB")
    named = f"{option.replace('-', '_')} = '4GB'"
    assert (found.code, named in found.err, "its own configuration" in found.err) == (2, True, True)
