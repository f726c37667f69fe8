"""The file of a crawl's state: what is committed stays, and whatever happens to it ends in one clear way."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.errors import InvalidSnapshot
from templcrawl.state_file import FORMAT, StateFile, StateLost

TABLE = "CREATE TABLE IF NOT EXISTS numbers (number INTEGER)"
INSERT = "INSERT INTO numbers VALUES (?)"
SELECT = "SELECT number FROM numbers ORDER BY number"


@pytest.fixture
def file(tmp_path: Path) -> Iterator[StateFile]:
    opened = StateFile(tmp_path / "folder" / "state.sqlite")
    opened.make(TABLE)
    yield opened
    opened.close()


def numbers(path: Path) -> list[int]:
    """Return what another process would find."""
    with closing(sqlite3.connect(path)) as connection:
        return [number for (number,) in connection.execute(SELECT)]


def test_what_was_written_is_there_for_others_once_it_is_committed(file: StateFile) -> None:
    commits: list[int] = []
    file.on_commit.append(lambda: commits.append(1))
    file.write(INSERT, (1,), (2,))
    file.write(INSERT, (3,))
    file.write(INSERT)
    assert ([*file.scan(SELECT)], numbers(file.path)) == (file.read(SELECT), [])
    assert file.commit()
    assert (numbers(file.path), commits) == ([1, 2, 3], [1])
    file.close()
    again = StateFile(file.path)
    assert again.read(SELECT) == [(1,), (2,), (3,)]
    again.close()


def test_another_thread_reads_what_is_committed_and_writes_nothing(file: StateFile) -> None:
    file.write(INSERT, (1,))
    file.commit()
    file.write(INSERT, (2,))

    def look() -> list[tuple[int]]:
        with closing(file.reader()) as reader:
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                reader.execute(INSERT, (3,))
            return reader.execute(SELECT).fetchall()

    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(look).result() == [(1,)]


@given(st.lists(st.sampled_from(["write", "commit", "kill"]), max_size=30))
def test_a_kill_leaves_what_the_last_commit_has_left(steps: list[str]) -> None:
    """A kill is a copy of the files as they lie there."""
    with TemporaryDirectory() as folder:
        file = StateFile(Path(folder, "0", "state.sqlite"))
        file.make(TABLE)
        written, committed = 0, 0
        for number, step in enumerate(steps, 1):
            if step == "write":
                written += 1
                file.write(INSERT, (written,))
            elif step == "commit":
                assert file.commit()
                committed = written
            else:
                copy = Path(folder, str(number))
                copy.mkdir()
                for path in file.path.parent.iterdir():
                    (copy / path.name).write_bytes(path.read_bytes())
                assert numbers(copy / file.path.name) == [*range(1, committed + 1)]
        file.close()
        assert numbers(file.path) == [*range(1, written + 1)]


def fill(file: StateFile) -> None:
    pages = file.read("PRAGMA page_count")[0][0]
    file.read(f"PRAGMA max_page_count = {pages}")


def replace(file: StateFile) -> None:
    file.path.rename(file.path.with_suffix(".old"))
    file.path.touch()


WRITES_FAIL: dict[str, Callable[[StateFile], object]] = {
    "full": fill,
    "read-only": lambda file: file.read("PRAGMA query_only = 1"),
    "removed": lambda file: file.path.unlink(),
    "replaced": replace,
}


@pytest.mark.parametrize("harm", WRITES_FAIL)
def test_a_file_that_cannot_be_written_to_is_lost_once_and_what_was_committed_can_be_read(
    harm: str, file: StateFile
) -> None:
    errors: list[Exception] = []
    commits: list[int] = []
    file.on_lost.append(errors.append)
    file.write(INSERT, (1,))
    file.commit()
    file.on_commit.append(lambda: commits.append(1))
    WRITES_FAIL[harm](file)
    try:
        for _ in range(100):
            file.write(INSERT, *((number,) for number in range(2, 100)))
        file.commit()
    except StateLost:
        pass
    assert errors == [file.lost]
    assert isinstance(file.lost, (OSError, sqlite3.Error))
    assert file.read(SELECT) == [(1,)]
    with pytest.raises(StateLost):
        file.write(INSERT, (3,))
    assert not file.commit()
    assert (len(errors), commits) == (1, [])


def test_a_file_that_another_process_has_locked_is_lost_after_a_moment(file: StateFile) -> None:
    with closing(sqlite3.connect(file.path)) as other:
        other.execute("BEGIN IMMEDIATE")
        began = time.perf_counter()
        with pytest.raises(StateLost) as lost:
            file.write(INSERT, (1,))
        assert "locked" in str(lost.value.__cause__)
        with pytest.raises(
            InvalidSnapshot, match=r"cannot be used \(database is locked\); what has locked it"
        ):
            StateFile(file.path)
        assert time.perf_counter() - began < 1
        began = time.perf_counter()
        assert not file.commit()
        assert time.perf_counter() - began < 0.04, "nobody is waited for any more"


@pytest.mark.parametrize("number", [FORMAT + 1, -1])
def test_a_file_of_another_format_is_refused_and_stays(number: int, tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {number}")
    before = path.read_bytes()
    with pytest.raises(InvalidSnapshot, match=f"format {number}, of another version of templcrawl"):
        StateFile(path)
    assert path.read_bytes() == before


def test_a_file_that_is_damaged_or_is_none_is_refused_and_stays(file: StateFile, tmp_path: Path) -> None:
    file.close()
    whole = file.path.read_bytes()
    for name, content in {
        "text": b"no database " * 1_000,
        "head": b"\0" * 100 + whole[100:],
        "pages": whole[:100] + b"\xff" * (len(whole) - 100),
    }.items():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(InvalidSnapshot, match="all begins anew"):
            StateFile(path).make(TABLE)
        assert path.read_bytes() == content
    (tmp_path / "folder of this name").mkdir()
    with pytest.raises(InvalidSnapshot, match=r"unable to open|exists|Not a directory"):
        StateFile(tmp_path / "folder of this name")
    with pytest.raises(InvalidSnapshot, match=r"unable to open|exists|Not a directory"):
        StateFile(tmp_path / "text" / "state.sqlite")


def test_tables_of_another_kind_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE numbers (other)")
    file = StateFile(path)
    with pytest.raises(InvalidSnapshot, match="no such column"):
        file.make(TABLE, "CREATE INDEX IF NOT EXISTS by_number ON numbers (number)")
    file.close()


def test_a_file_that_cannot_be_read_is_lost_once(tmp_path: Path) -> None:
    file, told = StateFile(tmp_path / "state.sqlite"), list[Exception]()
    file.on_lost.append(told.append)
    for _ in range(2):
        with pytest.raises(sqlite3.Error):
            file.read("SELECT * FROM requests")
    assert len(told) == 1
    assert file.lost is told[0]
    file.close()
