from __future__ import annotations

import os
from pathlib import Path

import pytest

from templcrawl.files import whole_file, whole_folder


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


@pytest.mark.skipif(os.name != "posix", reason="rights of files")
def test_the_rights_are_those_of_any_new_file_and_folder(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    with whole_file(Path("new file")), whole_folder(Path("new folder")):
        pass
    for kind in ("file", "folder"):
        assert (tmp_path / f"new {kind}").stat().st_mode == (tmp_path / kind).stat().st_mode
