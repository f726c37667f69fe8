"""DuckDB as an engine: groups are handed out whole, and nothing is left behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

from templcrawl.errors import TemporaryFilesFull
from templcrawl.tools.engines import Columns, EngineFailed, Groups
from templcrawl.tools.engines.duckdb import DuckDBEngine
from tests.tools.engines.whole_groups import joined


@pytest.mark.parametrize("batch_rows", [1, 7, 1_000_000])
def test_a_function_gets_each_group_once_and_whole(batch_rows: int) -> None:
    sizes = []

    def largest(pieces: Iterator[Columns]) -> Iterator[Columns]:
        group = joined(pieces)
        sizes.append(len(group["number"]))
        assert len(set(group["key"].tolist())) == 1
        yield {"key": group["key"][:1], "largest": np.array([group["number"].max()])}

    columns = {"largest": "bigint", "key": "bigint"}
    with DuckDBEngine() as engine:
        engine.define("numbers", "SELECT range % 10 AS key, range AS number FROM range(5000)")
        groups = Groups("SELECT * FROM numbers", "key", batch_rows=batch_rows)
        engine.apply("answer", groups, largest, columns)
        assert sorted(engine.rows("SELECT key, largest FROM answer")) == [(n, 4990 + n) for n in range(10)]
        groups = Groups("SELECT * FROM numbers WHERE key > 99", "key")
        engine.apply("answer", groups, largest, columns)
        assert engine.rows("SELECT * FROM answer") == []
    assert sizes == [500] * 10


def test_what_it_put_aside_is_removed(tmp_path: Path) -> None:
    with DuckDBEngine(folder=str(tmp_path)) as engine:
        engine.define("numbers", "SELECT * FROM range(100000)")
        assert list(tmp_path.iterdir())
    assert not list(tmp_path.iterdir())


def test_a_table_may_lie_behind_a_uri(tmp_path: Path) -> None:
    path = tmp_path / "it's.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"page": [1, 2]}), path)
    with DuckDBEngine() as engine:
        for number, address in enumerate((str(path), f"file://{path}")):
            engine.read(f"pages{number}", [address])
            assert engine.rows(f"SELECT sum(page) FROM pages{number}") == [(3,)]
        engine.save("pages0", f"file://{tmp_path}/out")
    assert pyarrow.parquet.read_table(tmp_path / "out")["page"].to_pylist() == [1, 2]


def test_what_fails_is_said_in_a_line(tmp_path: Path) -> None:
    path = tmp_path / "pages.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"page": list(range(10_000))}), path)
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + bytes(200) + whole[300:])
    with DuckDBEngine() as engine:
        engine.read("pages", [str(path)])
        with pytest.raises(EngineFailed, match=r"the engine duckdb failed: [^\n]+\Z"):
            engine.rows("SELECT sum(page) FROM pages")
        engine.define("numbers", "SELECT * FROM range(9)")
        (tmp_path / "file").touch()
        with pytest.raises(EngineFailed, match="the engine duckdb failed"):
            engine.save("numbers", str(tmp_path / "file" / "out"))
        assert engine.rows("SELECT count(*) FROM numbers") == [(9,)]


def test_too_little_memory_is_said(tmp_path: Path) -> None:
    with DuckDBEngine(memory="1MB") as engine, pytest.raises(EngineFailed, match=r"(?i)memory"):
        engine.define("numbers", "SELECT range, list(range) OVER () AS all FROM range(1000000)")


def test_temporary_files_take_no_more_than_they_may(tmp_path: Path) -> None:
    large = "SELECT range, hash(range) AS number FROM range(20000000) ORDER BY number"
    with DuckDBEngine(memory="60MB", folder=str(tmp_path), most="20MB") as engine:
        with pytest.raises(TemporaryFilesFull, match=r"would take more than 20MB: allow them more"):
            engine.define("numbers", large)
        engine.define("numbers", "SELECT * FROM range(9)")
        assert engine.rows("SELECT count(*) FROM numbers") == [(9,)]
    assert not list(tmp_path.iterdir())


def test_tables_count_among_temporary_files(tmp_path: Path) -> None:
    with DuckDBEngine(folder=str(tmp_path), most="5MB") as engine:
        engine.define("numbers", "SELECT hash(range) AS number FROM range(1000000)")
        with pytest.raises(TemporaryFilesFull, match="more than 5MB"):
            engine.define("others", "SELECT 1")


def test_joins_are_done_as_written_where_that_is_asked_for() -> None:
    join = """SELECT few.k FROM many JOIN same AS few ON many.a = few.k
        JOIN same ON many.b = same.k AND same.g = few.g"""
    with DuckDBEngine() as engine:
        engine.define("many", "SELECT range % 100 AS a, range % 77 AS b FROM range(2000)")
        engine.define("same", "SELECT range % 100 AS k, range // 1000 AS g FROM range(3000)")
        engine.define("written", join, as_written=True)
        setting = "SELECT current_setting('disabled_optimizers')"
        assert engine.rows(setting) == [("join_order",)]
        engine.define("free", join)
        assert engine.rows(setting) == [("",)]
        assert engine.rows("SELECT count(*) FROM written") == engine.rows("SELECT count(*) FROM free")


@pytest.mark.parametrize("name", ["x*y", "x?y", "x[z]y", "x[!a]y", "**"])
def test_a_name_is_no_pattern(name: str, tmp_path: Path) -> None:
    """``xzy`` would match each of them."""
    for number, other in enumerate((name, "xzy")):
        (tmp_path / other).mkdir()
        pyarrow.parquet.write_table(pyarrow.table({"page": [number]}), tmp_path / other / f"{other}.parquet")
    with DuckDBEngine() as engine:
        engine.read("pages", [str(tmp_path / name / f"{name}.parquet")])
        assert engine.rows("SELECT * FROM pages") == [(0,)]
