"""Snapshots in a state file: whole or not at all, and never misread."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from random import randbytes
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.clusters import ALL_SITES
from templcrawl.memory.snapshots import Numbers
from templcrawl.state_file import JOB_FILE
from tests.memory.stores import plain, saved_in, saved_snapshots, state, store_in


def test_what_was_saved_is_loaded_and_other_hosts_are_unknown(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    store = store_in(folder)
    store.write("example.org:8080", state(pages=3))
    store.write("example.org_8080", state(pages=4))
    assert store.load("example.org:8080") == plain(pages=3)
    store.commit()
    again = store_in(folder)
    assert again.load("example.org_8080") == plain(pages=4)
    assert again.load("unknown.org") is None
    assert dict(saved_snapshots(folder / JOB_FILE)) == {
        "example.org:8080": plain(pages=3),
        "example.org_8080": plain(pages=4),
    }
    assert [*saved_snapshots(folder / JOB_FILE, "unknown.org")] == []
    assert [*saved_snapshots(tmp_path / JOB_FILE)] == []


def test_a_frozen_snapshot_is_saved_and_the_last_one_counts(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    for number in (1, 2, 3):
        store.save("example.org", {"pages": Numbers([number])})
    assert store.read("example.org") == state(pages=3)
    assert store.read("other.org") is None


def test_until_a_commit_others_see_what_was_there_and_a_kill_leaves_it(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.write("example.org", state(pages=1))
    store.commit()
    store.write("example.org", state(pages=2))
    seen = [saved_in(tmp_path, "example.org")]
    store.commit()
    seen.append(saved_in(tmp_path, "example.org"))
    assert seen == [plain(pages=1), plain(pages=2)]
    store.write("example.org", state(pages=3))
    store._file._connection.rollback()  # what a kill does
    assert store_in(tmp_path).load("example.org") == plain(pages=2)


def test_a_table_that_is_gone_is_our_error(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    with closing(sqlite3.connect(tmp_path / JOB_FILE)) as connection:
        connection.execute("DROP TABLE sites")
    with pytest.raises(InvalidSnapshot, match="cannot be read"):
        store.load("example.org")


@settings(max_examples=25)
@given(st.lists(st.sampled_from(["a", "b", "c", "d", "e", ALL_SITES]), max_size=40), st.integers(1, 4))
def test_rows_written_longest_ago_are_evicted_but_never_what_is_of_no_single_site(
    hosts: list[str], limit: int
) -> None:
    with TemporaryDirectory() as folder:
        store, kept, evicted = store_in(Path(folder), limit=limit), dict[str, int](), 0
        for number, host in enumerate(hosts):
            store.write(host, state(number=number))
            kept.pop(host, None)
            kept[host] = number
            sites = [host for host in kept if host != ALL_SITES]
            if len(sites) > limit:
                del kept[sites[0]]
                evicted += 1
        store.commit()
        found = dict(saved_snapshots(Path(folder, JOB_FILE)))
        assert found == {host: plain(number=number) for host, number in kept.items()}
        assert store.evicted == evicted
        store._file.close()


def test_the_log_of_what_is_written_is_moved_into_the_file_and_stays_short(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    log, lengths = tmp_path / f"{JOB_FILE}-wal", []
    for number in range(30):
        store.write(f"{number % 3}.org", randbytes(2**20))
        store.commit()
        if store._file._mover is not None:
            store._file._mover.join()
        lengths.append(log.stat().st_size)
    assert 2**22 < max(lengths) < 2**23
    assert lengths[-1] < max(lengths)
    assert min(lengths[lengths.index(max(lengths)) :]) <= 2**22, "a log that was moved is cut"
    assert store_in(tmp_path).read("2.org") == store.read("2.org")
