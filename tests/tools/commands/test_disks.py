"""Commands on a disk without room, or in a folder that nobody may write to: a sentence, and all stays.

What was there before is there, byte for byte; nothing that was begun is left; with room, the command works.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pytest

from templcrawl import files as files_of_ours
from templcrawl.page.page import Page
from tests.outputs.archive.dying import room
from tests.tools.commands.running import Run, run
from tests.tools.detection.archived_sites import site_pages, write_site_archive
from tests.tools.readers.archives import demo_pages, write_folder

pytestmark = pytest.mark.exhaustive

COMMANDS = {
    "strip to lines": "strip saved -o out.jsonl",
    "strip to Parquet": "strip saved -o out.parquet",
    "strip to a folder": "strip saved -o out",
    "cluster": "cluster saved --json out.json --pages",
    "detect local": "detect crawl --json out.json",
    "detect global": "detect crawl --method global -o tables",
    "detect text": "detect crawl --method text",
    "detect text of a folder": "detect saved --method text -o tables --json out.json",
    "rank": "rank saved --query page --json out.json",
    "report": "report saved -o out.html",
    "changes": "changes saved saved --json out.json -o out.html",
}
_NOBODY = 65_534


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a folder of saved pages and an archive."""
    folder = tmp_path_factory.mktemp("crawls")
    pages = islice(demo_pages().items(), 12)
    write_folder(folder / "saved" / "tea.example", {name: html for name, (_, html) in pages})
    write_site_archive(folder / "crawl", site_pages())
    return folder


@pytest.fixture
def folder(crawls: Path, tmp_path: Path, monkeypatch) -> Path:
    shutil.copytree(crawls, tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path / "work"


def files(folder: Path) -> dict[str, bytes]:
    """Return path -> bytes of all files but those of locks."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".lock"
    }


@pytest.mark.parametrize("size", [0, *(pytest.param(size, marks=pytest.mark.long) for size in (300, 3_000))])
@pytest.mark.parametrize("name", COMMANDS)
def test_on_a_full_disk(name: str, size: int, folder: Path, capsys) -> None:
    command = COMMANDS[name].split()
    for target in ("out.jsonl", "out.parquet", "out.json", "out.html"):
        (folder / target).write_text("what was whole before")
    before = files(folder.parent)
    with room(size):
        found = run(capsys, *command)
    if found.code:
        assert (found.code, files(folder.parent)) == (2, before)
        said(found)
    assert found.code or size
    assert run(capsys, *command).code == 0


@pytest.mark.parametrize("name", [name for name in COMMANDS if " -o " in COMMANDS[name] or "--json" in name])
def test_a_target_that_cannot_be_written_is_found_out_before_a_page_is_read(
    name: str, folder: Path, capsys, monkeypatch
) -> None:
    def read(*_: object, **__: object) -> None:
        raise AssertionError("a page was read")

    def refuse(part: Path) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Page, "from_html", read)
    monkeypatch.setattr(files_of_ours, "_try", refuse)
    found = run(capsys, *COMMANDS[name].split())
    assert found.code == 2
    said(found)
    assert "(Read-only file system)" in found.err
    assert "a page was read" not in found.err


def said(found: Run) -> None:
    """Check that a command has ended with one sentence."""
    assert "Traceback" not in found.err
    assert [line for line in found.err.splitlines() if line], found


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Let nobody, nor root, write into a folder."""
    user, paths = os.geteuid(), [folder, *folder.rglob("*")]
    rights = [path.stat().st_mode for path in paths]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        if user == 0:
            os.seteuid(_NOBODY)
        yield
    finally:
        os.seteuid(user)
        for path, mode in zip(paths, rights):
            path.chmod(mode)


@pytest.fixture
def reachable(folder: Path, monkeypatch) -> Iterator[Path]:
    """Return the folder where everybody may look into it."""
    with tempfile.TemporaryDirectory(dir="/tmp") as here:
        Path(here).chmod(0o777)
        work = Path(shutil.copytree(folder, Path(here, "work")))
        monkeypatch.chdir(work)
        monkeypatch.setattr(tempfile, "tempdir", here)
        yield work


@pytest.mark.parametrize("name", COMMANDS)
def test_in_a_folder_that_cannot_be_written_to(name: str, reachable: Path, capsys) -> None:
    command = COMMANDS[name].split()
    (reachable / "out.json").write_text("what was whole before")
    before = files(reachable)
    with read_only(reachable):
        found = run(capsys, *command)
    assert (found.code, "ermission denied" in found.err) == (2, True), found.err
    assert files(reachable) == before
    assert [path.name for path in reachable.parent.iterdir()] == ["work"]
    said(found)
    assert run(capsys, *command).code == 0
