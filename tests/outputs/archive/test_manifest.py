"""Tables are replaced together, whatever happens meanwhile and whoever else writes them."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, TimeoutError
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet
import pytest

from templcrawl.files import FileLock
from templcrawl.outputs.archive.location import Location, locate
from templcrawl.outputs.archive.manifest import TablesOutput, read_manifest
from tests.outputs.archive.dying import Dying, Killed

TABLES = ("left", "right")


def write(output: TablesOutput, value: int, files: int = 1) -> None:
    """Write rows that say who wrote them."""
    for table in TABLES:
        folder = Path(output.address(table))
        folder.mkdir(parents=True)
        for number in range(files):
            pyarrow.parquet.write_table(pa.table({"writer": [value] * 3}), folder / f"part-{number}.parquet")


def committed(folder: Path) -> dict[str, set[int]]:
    """Return table -> the writers of its rows, read by the manifest."""
    found = {}
    for table, about in read_manifest(locate(str(folder))).items():
        rows = pa.concat_tables(pyarrow.parquet.read_table(folder / table / name) for name in about["files"])
        assert rows.num_rows == about["rows"]
        found[table] = set(rows["writer"].to_pylist())
    return found


def plain(folder: Path) -> dict[str, set[int]]:
    """Return table -> the writers of the rows in its folder."""
    return {table: set(pyarrow.parquet.read_table(folder / table)["writer"].to_pylist()) for table in TABLES}


def test_tables_are_there_once_they_are_committed(tmp_path: Path) -> None:
    with TablesOutput(str(tmp_path), TABLES) as output:
        write(output, 1, files=2)
        assert committed(tmp_path) == {}
        output.commit()
    assert committed(tmp_path) == plain(tmp_path) == {"left": {1}, "right": {1}}
    assert json.loads((tmp_path / "manifest.json").read_text())["tables"]["left"]["rows"] == 6


def test_a_later_run_takes_the_place_of_all_that_was_there(tmp_path: Path) -> None:
    (tmp_path / "left").mkdir()
    pyarrow.parquet.write_table(pa.table({"writer": [0]}), tmp_path / "left" / "part-00000.parquet")
    for value in (1, 2):
        with TablesOutput(str(tmp_path), TABLES) as output:
            write(output, value, files=3 - value)
            output.commit()
    assert committed(tmp_path) == plain(tmp_path) == {"left": {2}, "right": {2}}


def test_tables_of_other_names_stay(tmp_path: Path) -> None:
    for tables, value in ((TABLES, 1), (("left",), 2)):
        with TablesOutput(str(tmp_path), tables) as output:
            write(output, value)
            output.commit()
    assert committed(tmp_path) == {"left": {2}, "right": {1}}


def test_a_run_that_fails_leaves_all_as_it_was(tmp_path: Path) -> None:
    with TablesOutput(str(tmp_path), TABLES) as output:
        write(output, 1)
        output.commit()
    before = sorted(tmp_path.rglob("*"))
    with suppress(RuntimeError), TablesOutput(str(tmp_path), TABLES) as output:
        write(output, 2)
        raise RuntimeError
    assert committed(tmp_path) == plain(tmp_path) == {"left": {1}, "right": {1}}
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("after", range(7))
def test_a_kill_at_any_step_leaves_one_run_for_who_reads_by_the_manifest(after: int, tmp_path: Path) -> None:
    with TablesOutput(str(tmp_path), TABLES) as output:
        write(output, 1)
        output.commit()
    output = TablesOutput(str(tmp_path), TABLES)
    write(output, 2)
    dying = Dying(after)
    location = output._location
    output._location = Location(dying, location.path)
    with suppress(Killed):
        output.commit()
    assert (dying.steps > after) == (after < 5)
    expected = {1} if after < 3 else {2}
    assert committed(tmp_path) == {"left": expected, "right": expected}
    with TablesOutput(str(tmp_path), TABLES) as output:
        write(output, 3)
        output.commit()
    assert committed(tmp_path) == plain(tmp_path) == {"left": {3}, "right": {3}}


WRITER = """
import sys
from contextlib import suppress
from pathlib import Path
from templcrawl.outputs.archive.manifest import TablesOutput
from tests.outputs.archive.test_manifest import TABLES, write
for _ in range(20):
    with TablesOutput(sys.argv[1], TABLES) as output:
        write(output, int(sys.argv[2]))
        output.commit()
"""


def test_two_writers_never_mix(tmp_path: Path) -> None:
    commands = [[sys.executable, "-c", WRITER, str(tmp_path), str(value)] for value in (1, 2)]
    writers = [subprocess.Popen(command) for command in commands]
    assert [writer.wait() for writer in writers] == [0, 0]
    found = committed(tmp_path)
    assert found == plain(tmp_path)
    assert found["left"] == found["right"]
    assert len(found["left"]) == 1


def test_a_commit_waits_for_another(tmp_path: Path) -> None:
    with TablesOutput(str(tmp_path), TABLES) as output:
        write(output, 1)
        other = FileLock(tmp_path / "_aside" / "commit.lock")
        with ThreadPoolExecutor(1) as pool:
            done = pool.submit(output.commit)
            with pytest.raises(TimeoutError):
                done.result(0.5)
            assert committed(tmp_path) == {}
            other.release()
            done.result()
    assert committed(tmp_path) == {"left": {1}, "right": {1}}
