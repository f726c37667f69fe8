"""Records as rows of a state file: a dict is the oracle, whatever is committed, closed, or too much."""

from __future__ import annotations

import sqlite3
import tracemalloc
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from templcrawl import CrawlMemory, Page
from templcrawl.algorithms.similarity.alterations import MAX_RUNS, RunSketch
from templcrawl.memory.change_kinds import CHANGED, NEW, SAME
from templcrawl.memory.change_table import ChangeTable, PageRecord, PageRecords
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.memory.record_rows import TABLE, RecordRows
from templcrawl.memory.store import SqliteStore
from templcrawl.state_file import JOB_FILE, StateFile
from tests.memory.stores import store_in

KEYS = st.sampled_from([0, 1, 2**63 - 1, 2**63, 2**64 - 1])
STEPS = st.lists(st.tuples(KEYS, st.one_of(st.none(), st.binary(max_size=5))), max_size=20)
OPTIONS = MemoryOptions(sample_salt=0, sections={"changes": {}})


@given(STEPS, st.booleans())
def test_rows_are_what_a_table_in_memory_is(
    steps: list[tuple[int, bytes | None]], is_read_again: bool
) -> None:
    with TemporaryDirectory() as folder:
        store, oracle = store_in(Path(folder)), PageRecords(99)
        rows, other = store.rows("x.org\n", 99), store.rows("y.org\n", 99)
        other[1] = b"of another site"
        for key, record in steps:
            for table in (oracle, rows):
                table.pop(key)
                if record is not None:
                    table[key] = record
        if is_read_again:
            rows = store.rows("x.org\n", 99)
        assert [*rows._keys] == [*oracle]
        assert all(rows.get(key) == record for key, record in oracle.items())
        assert other.get(1) == b"of another site"


def page(number: int, words: str) -> Page:
    return Page.from_html(
        f"<title>x</title><nav>Menu</nav><p>Page {number} {words}</p>", f"http://x.org/{number}"
    )


def crawled(folder: Path, words: str, at: int, *, is_killed: bool = False) -> list[str | None]:
    """Crawl three pages; return how they have changed."""
    store = store_in(folder)
    memory = CrawlMemory(OPTIONS, store=store)
    kinds = [memory.observe(page(number, words), at=at).changed for number in range(3)]
    if not is_killed:
        memory.save()
    store._file._connection.close()
    return kinds


def test_the_pages_of_a_site_are_rows_and_not_in_its_state(tmp_path: Path) -> None:
    assert crawled(tmp_path, "of tea", 1) == [NEW] * 3
    assert crawled(tmp_path, "of cups", 2, is_killed=True) == [CHANGED] * 3
    assert crawled(tmp_path, "of tea", 3) == [SAME] * 3  # what was not committed is not known
    assert crawled(tmp_path, "of pots", 4) == [CHANGED] * 3
    with closing(sqlite3.connect(tmp_path / JOB_FILE)) as connection:
        owners = connection.execute(f"SELECT owner, count(*) FROM {TABLE} GROUP BY owner").fetchall()
        states = connection.execute("SELECT length(state) FROM sites WHERE host LIKE 'x.org\n%'").fetchall()
    assert owners == [("x.org\n", 3)]
    assert states[0][0] < 200


def test_rows_leave_with_their_site_and_with_their_format(tmp_path: Path) -> None:
    store = store_in(tmp_path, limit=2)
    memory = CrawlMemory(OPTIONS, store=store)
    for host in ("a.org", "b.org"):
        memory.observe(Page.from_html("<p>words of a page</p>", f"http://{host}/"), at=1)
        memory.save()
    with closing(sqlite3.connect(tmp_path / JOB_FILE)) as connection, connection:
        assert connection.execute(f"SELECT owner FROM {TABLE}").fetchall() == [("b.org\n",)]
        connection.execute("CREATE TABLE records_1 (owner TEXT)")
    store_in(tmp_path)
    with closing(sqlite3.connect(tmp_path / JOB_FILE)) as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE name LIKE 'records%'").fetchall()
    assert (TABLE,) in names
    assert ("records_1",) not in names


def test_a_damaged_row_and_a_lost_file_leave_pages_unknown(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    memory = CrawlMemory(OPTIONS, store=store)
    memory.observe(page(1, "of tea"), at=1)
    memory.observe(page(2, "of tea"), at=1)
    memory.save()
    store._file.write(f"UPDATE {TABLE} SET record = x'00' WHERE written = 1", ())
    store._file.commit()
    store._file._connection.close()
    file = StateFile(tmp_path / JOB_FILE)
    memory = CrawlMemory(OPTIONS, store=SqliteStore(file))
    assert memory.observe(page(1, "of tea"), at=2).changed == NEW
    file._lose(OSError("the disk is full"))
    assert memory.observe(page(2, "of cups"), at=2).changed == CHANGED
    assert memory.observe(page(3, "of cups"), at=2).changed == NEW


def test_of_a_site_of_long_pages_memory_holds_the_keys_alone(tmp_path: Path) -> None:
    """2,000 pages of as many runs as are kept of a page: 36 MB of rows, a tenth of a MB in memory."""
    sketch = RunSketch(1, 2, np.arange(MAX_RUNS, dtype=np.uint32), np.ones(MAX_RUNS, dtype=bool), {})
    record = PageRecord(sketch, f"{7:016x}", 1, 2, 3).packed()
    store = store_in(tmp_path)
    table = ChangeTable(MemoryOptions())
    tracemalloc.start()
    try:
        table.use_rows(lambda limit: store.rows("x.org\n", limit))
        for key in range(1, 2_001):
            table._put(key, record)
        store.commit()
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (len(table), table.refused) == (2_000, 0)
    assert isinstance(table._records, RecordRows)
    assert table.record(2_000) is not None
    assert held < 500_000
    assert len(str(table.freeze())) < 200
