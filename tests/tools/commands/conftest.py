"""The demo site as a folder of saved pages, and as a WARC file; commands run beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.readers.archives import HOST, Answer, demo_pages, write_folder, write_warc


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_folder(
        tmp_path / "saved", {f"{HOST}/{path}": html for path, (_, html) in demo_pages().items()}
    )


@pytest.fixture
def warc(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "crawl.warc.gz"
    write_warc(path, [Answer(f"http://{HOST}/{at}", html.encode()) for at, (_, html) in demo_pages().items()])
    return path
