"""Parts appear whole, once, whatever happens while they are written."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.fs
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.errors import InvalidOption
from templcrawl.memory.page_types import TypedLeaf
from templcrawl.outputs.archive import archive_parts
from templcrawl.outputs.archive import writer as writer_module
from templcrawl.outputs.archive.archive_parts import Archive, ArchiveReader
from templcrawl.outputs.archive.location import Location, locate
from templcrawl.outputs.archive.tables import FORMAT, FORMAT_KEY, TABLES
from templcrawl.outputs.archive.writer import ArchiveWriter, PageKeys
from templcrawl.tools.readers import open_pages
from tests.outputs.archive.dying import Dying, Killed, room
from tests.outputs.archive.tables import row_groups, some_rows, unfinished

ROWS = some_rows(9)
LEAF = TypedLeaf("tea.example#0", "/*", 3)


def written(folder: Path) -> list[str]:
    urls: list[str] = Archive(str(folder)).read("pages", ["url"])["url"].to_pylist()
    return urls


def test_what_is_added_is_there_in_parts_of_the_size_asked_for(tmp_path: Path) -> None:
    writer = ArchiveWriter(str(tmp_path), part_pages=3)
    assert all(writer.add(one) for one in ROWS[:7])
    assert (writer.parts, writer.buffered) == (2, 1)
    writer.close()
    archive = Archive(str(tmp_path))
    assert len(archive.parts) == writer.parts == 3
    for table in ("pages", "links", "pagelets"):
        expected = [list(row) for one in ROWS[:7] for row in one[table]]
        found = archive.read(table, list(TABLES[table])).to_pylist()
        assert [list(row.values()) for row in found] == expected
        assert writer.counts[table] == len(expected)
    assert unfinished(tmp_path) == []
    assert not (tmp_path / "bodies").exists()
    for path in tmp_path.glob("*/*.parquet"):
        schema = pyarrow.parquet.read_schema(path)
        assert schema.metadata[FORMAT_KEY] == str(FORMAT).encode()
        assert schema.names == list(TABLES[path.parent.name])


def test_a_page_is_written_once_also_by_a_later_run(tmp_path: Path) -> None:
    first = ArchiveWriter(str(tmp_path), part_pages=2)
    assert [first.add(one, n) for n, one in enumerate((*ROWS[:3], ROWS[0]))] == [True, True, True, False]
    assert [*first.settled] == [0, 1, 3], "the third is not yet in a part"
    first.close()
    assert [*first.settled] == [0, 1, 3, 2]
    second = ArchiveWriter(str(tmp_path))
    assert [second.add(one) for one in ROWS[:4]] == [False, False, False, True]
    second.close()
    assert sorted(written(tmp_path)) == [f"http://tea.example/{number}" for number in range(4)]


def test_nothing_is_written_of_nothing(tmp_path: Path) -> None:
    ArchiveWriter(str(tmp_path)).close([LEAF])
    assert not list(tmp_path.glob("*/*.parquet"))
    with pytest.raises(InvalidOption, match="a crawl archive"):
        Archive(str(tmp_path))


KEYS = st.sets(st.integers(-(2**63), 2**63 - 1) | st.integers(-9, 9), max_size=20)


@given(st.lists(KEYS, max_size=30))
def test_a_key_is_known_once_it_was_added(parts: list[set[int]]) -> None:
    known, expected = PageKeys(), set[int]()
    for part in parts:
        fresh = part - expected
        known.add(np.array(list(fresh), dtype=np.int64))
        expected |= fresh
        assert len(known) == len(expected)
    for key in expected | {0, 9, -(2**63), 2**63 - 1}:
        assert (key in known) == (key in expected)


def test_parts_cost_no_more_where_many_pages_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each key is sorted a few times, however many parts there are."""
    sort, sizes = np.sort, list[int]()

    def counting(keys: Any) -> Any:
        sizes.append(len(keys))
        return sort(keys)

    monkeypatch.setattr(np, "sort", counting)
    known = PageKeys()
    for part in range(1_000):
        known.add(np.arange(part * 10, part * 10 + 10))
    assert len(known) == 10_000
    assert sum(sizes) < 12 * 10_000


def fill_disk(monkeypatch: pytest.MonkeyPatch, *, after: int = 0) -> None:
    """Let writes fail for lack of room, but for the first files."""
    writer, count = pyarrow.parquet.ParquetWriter, [0]

    def full(*arguments: Any, **options: Any) -> Any:
        count[0] += 1
        if count[0] > after:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return writer(*arguments, **options)

    monkeypatch.setattr(pyarrow.parquet, "ParquetWriter", full)


@pytest.mark.parametrize("files", range(3))
def test_on_a_full_disk_what_was_written_stays_and_what_waits_is_tried_again(
    files: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = ArchiveWriter(str(tmp_path), part_pages=2)
    for one in ROWS[:2]:
        writer.add(one)
    with monkeypatch.context() as patch:
        fill_disk(patch, after=files)
        for count, (first, second) in enumerate((ROWS[2:4], ROWS[4:6]), 1):
            writer.add(first)
            with pytest.raises(OSError, match="No space left"):
                writer.add(second)
            assert (writer.buffered, len(written(tmp_path)), unfinished(tmp_path)) == (2 * count, 2, [])
    writer.close()
    assert (writer.lost, len(written(tmp_path)), writer.parts) == (0, 6, 2)


def test_on_a_disk_that_is_full_indeed_nothing_unfinished_is_left(tmp_path: Path) -> None:
    writer = ArchiveWriter(str(tmp_path), part_pages=2, bodies=True)
    for one in ROWS[:2]:
        writer.add(one)
    with room(100):
        writer.add(ROWS[2])
        with pytest.raises(OSError, match="File too large"):
            writer.add(ROWS[3])
        assert unfinished(tmp_path) == []
        with pytest.raises(OSError, match="File too large"):
            writer.close([LEAF])
    assert (writer.lost, len(written(tmp_path)), unfinished(tmp_path)) == (2, 2, [])
    again = ArchiveWriter(str(tmp_path))
    assert [again.add(one) for one in ROWS[:6]] == [False] * 2 + [True] * 4
    again.close([LEAF])
    assert len(written(tmp_path)) == 6


class Unwritable:
    """What PyArrow has no type for."""


def test_after_four_failures_of_any_kind_what_waits_is_given_up(tmp_path: Path) -> None:
    writer = ArchiveWriter(str(tmp_path), part_pages=1)
    ((key, _, *rest),) = ROWS[0]["pages"]
    poisoned = {**ROWS[0], "pages": [(key, Unwritable(), *rest)]}
    for one in (poisoned, *ROWS[1:4]):
        with pytest.raises(Exception, match="Unwritable"):
            writer.add(one, one)
    assert (writer.buffered, writer.lost, len(writer.settled)) == (0, 4, 0)
    assert key not in writer
    writer.add(ROWS[4])
    writer.close()
    assert (writer.lost, written(tmp_path)) == (4, [ROWS[4]["pages"][0][1]])


@pytest.mark.parametrize("after", range(5))
def test_a_kill_between_two_files_of_a_part_leaves_no_page_without_its_rows(
    after: int, tmp_path: Path
) -> None:
    writer = ArchiveWriter(str(tmp_path), part_pages=2, bodies=True)
    for one in ROWS[:3]:
        writer.add(one)
    writer._location = Location(Dying(after), str(tmp_path))
    with suppress(Killed):
        writer.add(ROWS[3])
    archive = Archive(str(tmp_path))
    assert not archive.unreadable
    assert len(archive.parts) == 1 + (after == 4)
    count = 2 * len(archive.parts)
    expected = [one["pages"][0][1] for one in ROWS[:count]]
    assert [record.url for record in ArchiveReader(str(tmp_path))] == written(tmp_path) == expected
    assert archive.read("links", ["source"]).num_rows == sum(len(one["links"]) for one in ROWS[:count])
    again = ArchiveWriter(str(tmp_path))
    assert [again.add(one) for one in ROWS[:4]] == [False] * count + [True] * (4 - count)


def test_a_part_and_a_row_group_are_full_at_so_many_characters(tmp_path: Path) -> None:
    """A long page has a row group of its own, so that it costs no other where it is too long to be read."""
    writer = ArchiveWriter(str(tmp_path), bodies=True)
    for number, one in enumerate(some_rows(66), 1):
        size = 2**24 if number == 66 else 2**20
        writer.add({**one, "bodies": [(one["pages"][0][0], "x" * size)]})
        assert (writer.parts, writer.buffered) == divmod(number, 64)
    writer.add({**ROWS[0], "pages": [(7, *ROWS[0]["pages"][0][1:])]})
    writer.close()
    first, last = Archive(str(tmp_path)).parts
    assert row_groups(tmp_path / "bodies" / first) == [7] * 9 + [1]
    assert row_groups(tmp_path / "bodies" / last) == [1, 1, 1]


@pytest.mark.skipif(sys.platform != "linux", reason="a folder that root cannot write into either")
def test_a_folder_that_cannot_be_written_into_is_found_out_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "pages").symlink_to("/proc")
    with pytest.raises(OSError, match="/pages/"):
        ArchiveWriter(str(tmp_path))
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".lock"]


def test_another_writer_is_noticed(tmp_path: Path) -> None:
    first, second = ArchiveWriter(str(tmp_path)), ArchiveWriter(str(tmp_path))
    assert (first.is_alone, second.is_alone) == (True, False)
    first.close()
    second.close()
    assert ArchiveWriter(str(tmp_path)).is_alone


def test_an_archive_may_lie_on_any_file_system(tmp_path: Path) -> None:
    writer = ArchiveWriter(f"file://{tmp_path}/crawl")
    writer.add(ROWS[0])
    writer.close()
    assert written(tmp_path / "crawl") == ["http://tea.example/0"]
    with pytest.raises(InvalidOption, match="PyArrow's file systems"):
        locate("gopher://bucket/crawl")


def test_nothing_of_an_archive_with_a_scheme_is_sought_on_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bucket").mkdir()
    elsewhere = pyarrow.fs.SubTreeFileSystem(str(tmp_path / "bucket"), pyarrow.fs.LocalFileSystem())
    for module in (archive_parts, writer_module):
        monkeypatch.setattr(module, "locate", lambda uri: Location(elsewhere, "crawl", "store"))
    for count, new in ((3, 3), (5, 2)):
        writer = ArchiveWriter("store://crawl", part_pages=2, bodies=True)
        assert sum(writer.add(one) for one in ROWS[:count]) == new
        writer.close()
    reader = open_pages("store://crawl")
    assert isinstance(reader, ArchiveReader)
    assert sorted(record.url for record in reader) == [one["pages"][0][1] for one in ROWS[:5]]
    assert [path.name for path in tmp_path.iterdir()] == ["bucket"]
