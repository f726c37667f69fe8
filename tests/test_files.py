"""Locks among processes, and files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from templcrawl.files import (
    FileLock,
    holder,
    make_folder_of,
    sqlite_file,
    sync,
    try_file,
    try_folder,
    whole_file,
    whole_folder,
)


def test_a_file_is_there_once_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_bytes(b"before")
    with whole_file(target) as file:
        file.write(b"after")
        file.flush()
        assert target.read_bytes() == b"before"
        assert [path.suffix for path in tmp_path.iterdir() if path != target] == [".part"]
    assert target.read_bytes() == b"after"
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_is_there_once_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "pages"
    target.mkdir()
    with whole_folder(target) as folder:
        (folder / "a.html").write_bytes(b"a")
        assert not list(target.iterdir())
    assert [path.name for path in target.iterdir()] == ["a.html"]
    assert list(tmp_path.iterdir()) == [target]


def fail(path: Path, error: type[BaseException]) -> None:
    path.write_bytes(b"after")
    raise error


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_a_failure_leaves_what_was_there(tmp_path: Path, error: type[BaseException]) -> None:
    target = tmp_path / "a.txt"
    target.write_bytes(b"before")
    with pytest.raises(error), whole_file(target) as file:
        fail(Path(file.name), error)
    with pytest.raises(error), whole_folder(tmp_path / "pages") as folder:
        fail(folder / "a.html", error)
    assert target.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_that_is_taken_stays_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    other = tmp_path / "pages" / "other.html"
    with pytest.raises(OSError, match="not empty"), whole_folder(tmp_path / "pages"):
        other.write_bytes(b"b")
    assert other.read_bytes() == b"b"
    assert list(tmp_path.iterdir()) == [tmp_path / "pages"]


def test_what_is_tried_stays_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"before")
    try_file(tmp_path / "a.txt")
    try_file(tmp_path / "new.txt")
    try_file(Path(os.devnull))
    try_folder(tmp_path)
    try_folder(tmp_path / "new" / "folder")
    for target, attempt in (("", try_file), ("none/a.txt", try_file), ("a.txt/b", try_folder)):
        with pytest.raises(OSError, match=r"."):
            attempt(tmp_path / target)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_bytes() == b"before"


@pytest.mark.parametrize("attempt", [try_file, try_folder])
def test_a_full_disk_is_found_out_by_trying(attempt: Any, tmp_path: Path, monkeypatch) -> None:
    def full(path: Path, content: bytes) -> None:
        path.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        attempt(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="rights of files")
def test_the_rights_are_those_of_any_new_file_and_folder(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    with whole_file(Path("new file")), whole_folder(Path("new folder")):
        pass
    for kind in ("file", "folder"):
        assert (tmp_path / f"new {kind}").stat().st_mode == (tmp_path / kind).stat().st_mode


_HOLD = """
import sys
from pathlib import Path
from templcrawl.files import FileLock
lock = FileLock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_a_lock_that_is_held_is_refused_until_it_is_released(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "lock")
    assert lock.is_exclusive
    with pytest.raises(BlockingIOError):
        FileLock(tmp_path / "lock")
    lock.release()
    lock.release()
    FileLock(tmp_path / "lock").release()


def test_a_lock_dies_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(BlockingIOError):
            FileLock(path)
        assert holder(path) == str(process.pid)
        process.kill()
    FileLock(path).release()


def test_a_file_system_without_locks_holds_nobody_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr("fcntl.flock", refuse)
    assert not FileLock(tmp_path / "lock").is_exclusive


def test_of_a_file_that_is_no_lock_nobody_is_the_holder(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    assert holder(path) == ""
    path.write_bytes(b"\xffnobody")
    assert holder(path) == ""
    with pytest.raises(FileNotFoundError):
        FileLock(tmp_path / "missing" / "lock")


def test_addresses_of_files_of_sqlite() -> None:
    relative = ["sqlite:a/b.sqlite", "sqlite:///a/b.sqlite", "a/b.sqlite"]
    assert [*map(sqlite_file, relative)] == [Path("a/b.sqlite")] * 3
    absolute = ["sqlite:////data/b", "sqlite:/data/b", "/data/b"]
    assert [*map(sqlite_file, absolute)] == [Path("/data/b")] * 3
    assert str(sqlite_file("C:\\b")) == str(sqlite_file("sqlite:///C:\\b")) == "C:\\b"
    none = [
        "",
        ".",
        "sqlite:",
        "sqlite:///",
        "sqlite://b",
        "redis://b",
        "sqlite:///:memory:",
        "a\0b",
        "//b/c",
    ]
    assert [address for address in none if sqlite_file(address) is not None] == []


def test_a_folder_is_made_within_the_working_directory_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for path in (Path("new/a"), tmp_path / "here" / "other" / "a", tmp_path / "a"):
        make_folder_of(path)
        assert path.parent.is_dir()
    for path in (Path("../new/a"), tmp_path / "new" / "a"):
        with pytest.raises(FileNotFoundError, match="is not created"):
            make_folder_of(path)
    assert not (tmp_path / "new").exists()


def test_a_file_and_its_name_are_synced_and_what_is_no_file_needs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = list[int]()
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_ino))
    (tmp_path / "a").touch()
    for name in ("a", "gone", "."):
        sync(tmp_path / name)
    assert synced[0] == (tmp_path / "a").stat().st_ino
    assert synced[1:] == ([] if sys.platform == "win32" else [tmp_path.stat().st_ino])
