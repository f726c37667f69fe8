"""DuckDB as an engine: groups are handed out whole, and nothing is left behind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

from templcrawl.engines import duckdb as module
from templcrawl.engines.duckdb import DuckDBEngine
from templcrawl.engines.shape import Columns, EngineFailed


@pytest.mark.parametrize("at_once", [1, 7, 1_000_000])
def test_a_function_gets_each_group_once_and_whole(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_AT_ONCE", at_once)
    sizes = []

    def largest(group: Columns) -> Columns:
        sizes.append(len(group["number"]))
        assert len(set(group["key"].tolist())) == 1
        return {"key": group["key"][:1], "largest": np.array([group["number"].max()])}

    with DuckDBEngine() as engine:
        engine.define("numbers", "SELECT range % 10 AS key, range AS number FROM range(5000)")
        engine.apply("answer", "numbers", "key", largest, ["largest", "key"])
        assert sorted(engine.rows("SELECT key, largest FROM answer")) == [(n, 4990 + n) for n in range(10)]
        engine.define("numbers", "SELECT * FROM numbers WHERE key > 99")
        engine.apply("answer", "numbers", "key", largest, ["largest", "key"])
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
