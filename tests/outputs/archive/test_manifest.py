"""Tables are replaced together, whatever happens meanwhile."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from templcrawl.outputs.archive import location
from templcrawl.outputs.archive.location import Location, locate, read_manifest, replacing_tables
from tests.outputs.archive.dying import Dying, Killed

TABLES = ("left", "right")


def write(folder: Path, value: int, files: int = 1, tables: tuple[str, ...] = TABLES) -> None:
    """Replace tables by rows that say who wrote them."""
    with replacing_tables(str(folder), tables) as output:
        for table in tables:
            aside = Path(output.address(table))
            aside.mkdir(parents=True)
            for number in range(files):
                rows = pa.table({"writer": [value] * 3})
                pyarrow.parquet.write_table(rows, aside / f"part-{number}.parquet")
        if value == FAILING:
            raise RuntimeError


FAILING = 7


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


def test_a_later_run_takes_the_place_of_all_that_was_there(tmp_path: Path) -> None:
    (tmp_path / "left").mkdir()
    pyarrow.parquet.write_table(pa.table({"writer": [0]}), tmp_path / "left" / "part-00000.parquet")
    for value in (1, 2):
        write(tmp_path, value, files=3 - value)
        assert committed(tmp_path) == plain(tmp_path) == {"left": {value}, "right": {value}}
        about = json.loads((tmp_path / "manifest.json").read_text())["tables"]["left"]
        assert about["rows"] == 3 * (3 - value)
    write(tmp_path, 3, tables=("left",))
    assert committed(tmp_path) == {"left": {3}, "right": {2}}, "tables of other names stay"


def test_a_run_that_fails_leaves_all_as_it_was(tmp_path: Path) -> None:
    write(tmp_path, 1)
    before = sorted(tmp_path.rglob("*"))
    with suppress(RuntimeError):
        write(tmp_path, FAILING)
    assert committed(tmp_path) == plain(tmp_path) == {"left": {1}, "right": {1}}
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("after", range(7))
def test_a_kill_at_any_step_leaves_one_run_for_who_reads_by_the_manifest(
    after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, 1)
    dying = Dying(after)
    with monkeypatch.context() as patched:
        patched.setattr(location, "locate", lambda uri: Location(dying, uri))
        with suppress(Killed):
            write(tmp_path, 2)
    assert (dying.steps > after) == (after < 5)
    expected = {1} if after < 3 else {2}
    assert committed(tmp_path) == {"left": expected, "right": expected}
    write(tmp_path, 3)
    assert committed(tmp_path) == plain(tmp_path) == {"left": {3}, "right": {3}}
