"""A lock holds others back while its process lives, and no longer."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from templcrawl.files import FileLock, holder

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


def test_a_lock_that_nobody_refers_to_is_free(tmp_path: Path) -> None:
    FileLock(tmp_path / "lock")
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


def test_who_holds_a_lock_is_not_known_of_a_file_that_says_something_else(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    assert holder(path) == ""
    path.write_bytes(b"\xffnobody")
    assert holder(path) == ""


def test_what_cannot_be_opened_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        FileLock(tmp_path / "missing" / "lock")
