"""Parts appear whole, once, whatever happens while they are written."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pyarrow.fs
import pyarrow.parquet
import pytest

from templcrawl.errors import InvalidOption, InvalidSnapshot, MissingExtra
from templcrawl.memory.page_types import TypedLeaf
from templcrawl.outputs.archive import parts
from templcrawl.outputs.archive import writer as writer_module
from templcrawl.outputs.archive.location import Location, locate
from templcrawl.outputs.archive.parts import Archive
from templcrawl.outputs.archive.rows import PageRows
from templcrawl.outputs.archive.schema import FORMAT, FORMAT_KEY, TABLES
from templcrawl.outputs.archive.writer import ArchiveWriter
from templcrawl.tools.readers.sources import ArchiveReader, open_pages
from tests.outputs.archive.dying import Dying, Killed, room
from tests.outputs.archive.tables import row_groups, some_rows


def written(folder: Path) -> list[str]:
    urls: list[str] = Archive(str(folder)).read("pages", ["url"])["url"].to_pylist()
    return urls


def test_what_is_added_is_there_in_parts_of_the_size_asked_for(tmp_path: Path) -> None:
    writer = ArchiveWriter(str(tmp_path), part_pages=3)
    rows = some_rows(7)
    assert all(writer.add(one) for one in rows)
    assert (writer.parts, writer.buffered) == (2, 1)
    writer.close()
    archive = Archive(str(tmp_path))
    assert len(archive.parts) == writer.parts == 3
    for table in ("pages", "links", "pagelets"):
        expected = [list(row) for one in rows for row in one.of(table)]
        found = archive.read(table, list(TABLES[table])).to_pylist()
        assert [list(row.values()) for row in found] == expected
        assert writer.counts[table] == len(expected)
    assert left_aside(tmp_path) == []
    assert not (tmp_path / "bodies").exists()


def test_every_file_says_its_format(tmp_path: Path) -> None:
    writer = ArchiveWriter(str(tmp_path), bodies=True)
    writer.add(some_rows(1)[0])
    writer.close()
    for path in tmp_path.glob("*/*.parquet"):
        assert pyarrow.parquet.read_schema(path).metadata[FORMAT_KEY] == str(FORMAT).encode()
        assert pyarrow.parquet.read_schema(path).names == list(TABLES[path.parent.name])


def test_a_page_is_written_once_also_by_a_later_run(tmp_path: Path) -> None:
    rows = some_rows(4)
    first = ArchiveWriter(str(tmp_path), part_pages=2)
    assert [first.add(one) for one in (*rows[:3], rows[0])] == [True, True, True, False]
    first.close()
    second = ArchiveWriter(str(tmp_path))
    assert [second.add(one) for one in rows] == [False, False, False, True]
    second.close()
    assert sorted(written(tmp_path)) == [f"http://tea.example/{number}" for number in range(4)]


def test_nothing_is_written_of_nothing(tmp_path: Path) -> None:
    ArchiveWriter(str(tmp_path)).close()
    assert not list(tmp_path.glob("*/*.parquet"))
    with pytest.raises(InvalidOption, match="a crawl archive"):
        Archive(str(tmp_path))


def test_bodies_are_read_back_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = ArchiveWriter(str(tmp_path), part_pages=2, bodies=True)
    rows = some_rows(5)
    for one in rows:
        writer.add(one)
    writer.close()
    reader = open_pages(tmp_path)
    assert isinstance(reader, ArchiveReader)
    assert [(record.url, record.html.decode()) for record in reader] == [
        (one.pages[1], one.bodies[1]) for one in rows
    ]
    assert (reader.done, reader.total, reader.capped) == (3, 3, 0)
    asked: list[int] = []
    batches = Archive.batches

    def watched(archive: Archive, table: str, name: str, columns: Any, rows: int) -> Any:
        asked.append(rows)
        return batches(archive, table, name, columns, rows)

    monkeypatch.setattr(Archive, "batches", watched)
    size = len(rows[0].bodies[1])
    for most, capped in ((9, 5), (size - 1, 5), (size, 0)):
        reader = ArchiveReader(str(tmp_path), max_bytes=most)
        assert ({len(record.html) for record in reader}, reader.capped) == ({most}, capped)
    assert 0 < max(asked) <= 128


def test_an_archive_without_bodies_is_refused_as_a_crawl(tmp_path: Path) -> None:
    writer = ArchiveWriter(str(tmp_path))
    writer.add(some_rows(1)[0])
    writer.close()
    with pytest.raises(InvalidOption, match="TEMPLCRAWL_ARCHIVE_BODIES"):
        open_pages(tmp_path)


def fill_disk(monkeypatch: pytest.MonkeyPatch, *, after: int = 0) -> None:
    """Let writes fail for lack of room, but for the first ones."""
    write, count = pyarrow.parquet.write_table, [0]

    def full(*arguments: Any, **options: Any) -> None:
        count[0] += 1
        if count[0] > after:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(*arguments, **options)

    monkeypatch.setattr(pyarrow.parquet, "write_table", full)


@pytest.mark.parametrize("files", range(3))
def test_on_a_full_disk_what_was_written_stays_and_what_waits_is_tried_again(
    files: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = some_rows(9)
    writer = ArchiveWriter(str(tmp_path), part_pages=2)
    for one in rows[:2]:
        writer.add(one)
    with monkeypatch.context() as patch:
        fill_disk(patch, after=files)
        writer.add(rows[2])
        with pytest.raises(OSError, match="No space left"):
            writer.add(rows[3])
        assert writer.buffered == 2
        assert len(written(tmp_path)) == 2
        writer.add(rows[4])
        with pytest.raises(OSError, match="No space left"):
            writer.add(rows[5])
        assert not list((tmp_path / "_aside").glob("*.parquet"))
    writer.close()
    assert (writer.lost, len(written(tmp_path)), writer.parts) == (0, 6, 2)


def test_on_a_disk_that_is_full_indeed_nothing_is_left_aside(tmp_path: Path) -> None:
    rows = some_rows(6)
    writer = ArchiveWriter(str(tmp_path), part_pages=2, bodies=True)
    for one in rows[:2]:
        writer.add(one)
    with room(100):
        writer.add(rows[2])
        with pytest.raises(OSError, match="File too large"):
            writer.add(rows[3])
        assert left_aside(tmp_path) == []
        with pytest.raises(OSError, match="File too large"):
            writer.close([TypedLeaf("tea.example#0", "/*", 3)])
    assert (writer.lost, len(written(tmp_path)), left_aside(tmp_path)) == (2, 2, [])
    again = ArchiveWriter(str(tmp_path))
    assert [again.add(one) for one in rows] == [False] * 2 + [True] * 4
    again.close([TypedLeaf("tea.example#0", "/*", 3)])
    assert len(written(tmp_path)) == 6


def test_a_part_of_much_text_that_cannot_be_written_waits_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = some_rows(4)
    writer = ArchiveWriter(str(tmp_path))
    with monkeypatch.context() as patch:
        fill_disk(patch)
        with pytest.raises(OSError, match="No space left"):
            writer.add(rows[0]._replace(bodies=(rows[0].key, "x" * 2**26)))
        for one in rows[1:]:
            writer.add(one)
    assert (writer.buffered, writer.lost) == (4, 0)
    writer.close()
    assert (writer.parts, len(written(tmp_path))) == (1, 4)


def test_after_four_failures_what_waits_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = some_rows(5)
    writer = ArchiveWriter(str(tmp_path), part_pages=1)
    with monkeypatch.context() as patch:
        fill_disk(patch)
        for one in rows[:4]:
            with pytest.raises(OSError, match="No space left"):
                writer.add(one)
    assert (writer.buffered, writer.lost) == (0, 4)
    assert rows[0].key not in writer
    writer.add(rows[4])
    writer.close()
    assert written(tmp_path) == [rows[4].pages[1]]


def test_files_without_their_pages_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = some_rows(4)
    writer = ArchiveWriter(str(tmp_path), part_pages=2)
    for one in rows:
        writer.add(one)
    (tmp_path / "pages" / Archive(str(tmp_path)).parts[1]).unlink()
    archive = Archive(str(tmp_path))
    assert archive.read("links", ["source"]).num_rows == sum(len(one.links) for one in rows[:2])
    assert [ArchiveWriter(str(tmp_path)).add(one) for one in rows] == [False, False, True, True]


_WRITE = """
import sys
from templcrawl.outputs.archive.writer import ArchiveWriter
from tests.outputs.archive.dying import Dying, Killed, room
from tests.outputs.archive.tables import NOW, row_groups, some_rows
writer = ArchiveWriter(sys.argv[1], part_pages=2)
for one in some_rows(400):
    writer.add(one)
"""


@pytest.mark.exhaustive
def test_a_writer_that_is_killed_leaves_whole_parts(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", _WRITE, str(tmp_path)])
    while process.poll() is None and len(list(tmp_path.glob("pages/*.parquet"))) < 5:
        time.sleep(0.005)
    process.kill()
    process.wait()
    archive = Archive(str(tmp_path))
    assert not archive.unreadable
    assert len(written(tmp_path)) == 2 * len(archive.parts) >= 10
    again = ArchiveWriter(str(tmp_path))
    assert sum(again.add(one) for one in some_rows(400)) == 400 - 2 * len(archive.parts)


@pytest.mark.parametrize("after", range(5))
def test_a_kill_between_two_files_of_a_part_leaves_no_page_without_its_rows(
    after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = some_rows(4)
    writer = ArchiveWriter(str(tmp_path), part_pages=2, bodies=True)
    for one in rows[:3]:
        writer.add(one)
    writer._location = Location(Dying(after), str(tmp_path))
    with suppress(Killed):
        writer.add(rows[3])
    archive = Archive(str(tmp_path))
    assert not archive.unreadable
    assert len(archive.parts) == 1 + (after == 4)
    expected = [one.pages[1] for one in rows[: 2 * len(archive.parts)]]
    assert [record.url for record in ArchiveReader(str(tmp_path))] == written(tmp_path) == expected


def test_a_part_is_full_at_64_million_characters(tmp_path: Path) -> None:
    text = "x" * 2**20
    writer = ArchiveWriter(str(tmp_path))
    for number, one in enumerate(some_rows(130), 1):
        writer.add(one._replace(bodies=(one.key, text)))
        assert (writer.parts, writer.buffered) == divmod(number, 64)


def test_row_groups_bound_what_a_reader_has_in_memory(tmp_path: Path) -> None:
    (one,) = some_rows(1)
    writer = ArchiveWriter(str(tmp_path), part_pages=2**14 + 1, bodies=True)
    writer.add(one._replace(links=one.links[:1] * (2**18 + 1), pagelets=one.pagelets[:1] * (2**16 + 1)))
    for key in range(2**14):
        writer.add(PageRows((key, *one.pages[1:]), [], [], (key, "")))
    (name,) = Archive(str(tmp_path)).parts
    assert {table: row_groups(tmp_path / table / name)[0] for table in TABLES} == {
        "pages": 2**14,
        "links": 2**18,
        "pagelets": 2**16,
        "bodies": 2**7,
    }


def damaged(tmp_path: Path, table: str) -> tuple[Archive, str]:
    """Return an archive of two parts, with a file of the first cut short, and the part's name."""
    writer = ArchiveWriter(str(tmp_path), part_pages=2, bodies=True)
    for one in some_rows(4):
        writer.add(one)
    name = Archive(str(tmp_path)).parts[0]
    path = tmp_path / table / name
    path.write_bytes(path.read_bytes()[:-20])
    return Archive(str(tmp_path)), name


@pytest.mark.parametrize("table", ["pages", "links", "pagelets"])
def test_a_truncated_file_leaves_its_part_out_and_is_named(table: str, tmp_path: Path) -> None:
    archive, name = damaged(tmp_path, table)
    assert [found for found, _ in archive.unreadable] == [f"{table}/{name}"]
    assert len(archive.parts) == 1
    assert archive.read("pages", ["page"]).num_rows == 2


def test_truncated_bodies_are_named_and_the_others_are_read(tmp_path: Path) -> None:
    _, name = damaged(tmp_path, "bodies")
    reader = ArchiveReader(str(tmp_path))
    assert len(list(reader)) == 2
    assert [found for found, _ in reader.unreadable.first] == [f"bodies/{name}"]


def as_utf8(cells: list[bytes]) -> pyarrow.Array:
    """Return texts as a damaged file may hold them."""
    return pyarrow.array(cells, pyarrow.binary()).view(pyarrow.string())


@pytest.mark.parametrize(
    ("table", "column", "cells", "read", "named"),
    [
        ("bodies", "html", [b"a", b"<p>\xff\xfe", b"c"], [0, 2], "bodies/{part}, http://tea.example/1"),
        ("bodies", "html", [b"a", None, b"c"], [0, 2], "bodies/{part}, http://tea.example/1"),
        ("bodies", "page", [77], [1, 2], "bodies/{part}, 77"),
        ("pages", "url", [b"a", b"http://\xff/", b"c"], [], "bodies/{part}"),
    ],
)
def test_a_damaged_cell_is_named_and_the_other_pages_are_read(
    table: str, column: str, cells: list[Any], read: list[int], named: str, tmp_path: Path
) -> None:
    def change(rows: pyarrow.Table) -> pyarrow.Table:
        at = rows.schema.get_field_index(column)
        new = [*cells, *rows[column].to_pylist()[1:]] if column == "page" else as_utf8(cells)
        return rows.set_column(at, column, pyarrow.array(new) if column == "page" else new)

    one_part(tmp_path, table, change)
    reader = ArchiveReader(str(tmp_path))
    assert [record.url for record in reader] == [f"http://tea.example/{number}" for number in read]
    part = Archive(str(tmp_path)).parts[0]
    assert [name for name, _ in reader.unreadable.first] == [named.format(part=part)]


def test_an_archive_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    writer = ArchiveWriter(str(tmp_path))
    writer.add(some_rows(1)[0])
    writer.close()
    path = next(tmp_path.glob("links/*.parquet"))
    table = pyarrow.parquet.read_table(path)
    newer = table.replace_schema_metadata({FORMAT_KEY: b"99"})
    pyarrow.parquet.write_table(newer, path)
    for open_it in (Archive, ArchiveWriter):
        with pytest.raises(InvalidSnapshot, match="format 99, of a newer templcrawl; this one reads 2"):
            open_it(str(tmp_path))


def test_an_archive_of_format_1_is_read_and_added_to_by_none(tmp_path: Path) -> None:
    writer = ArchiveWriter(str(tmp_path))
    writer.add(some_rows(1)[0])
    writer.close()
    path = next(tmp_path.glob("pages/*.parquet"))
    table = pyarrow.parquet.read_table(path)
    pyarrow.parquet.write_table(table.replace_schema_metadata({FORMAT_KEY: b"1"}), path)
    assert len(Archive(str(tmp_path)).parts) == 1
    with pytest.raises(
        InvalidOption, match="give a new folder; the pages of this archive have keys of format 1"
    ):
        ArchiveWriter(str(tmp_path))


@pytest.mark.skipif(sys.platform != "linux", reason="a folder that root cannot write into either")
def test_a_folder_that_cannot_be_written_into_is_found_out_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "pages").symlink_to("/proc")
    with pytest.raises(OSError, match="/pages/"):
        ArchiveWriter(str(tmp_path))
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".lock"]


def test_a_folder_of_other_parquet_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    for table in ("pages", "links", "pagelets"):
        (tmp_path / table).mkdir(exist_ok=True)
        pyarrow.parquet.write_table(pyarrow.table({"page": [1]}), tmp_path / table / "a.parquet")
    with pytest.raises(InvalidSnapshot, match="no part of a crawl archive"):
        Archive(str(tmp_path))


def one_part(folder: Path, table: str, change: Callable[[pyarrow.Table], pyarrow.Table]) -> None:
    """Write an archive of a part, and change the file of a table."""
    writer = ArchiveWriter(str(folder), bodies=True)
    for rows in some_rows(3):
        writer.add(rows)
    writer.close()
    path = next(folder.glob(f"{table}/*.parquet"))
    pyarrow.parquet.write_table(change(pyarrow.parquet.read_table(path)), path)


def as_text(column: str) -> Callable[[pyarrow.Table], pyarrow.Table]:
    def change(table: pyarrow.Table) -> pyarrow.Table:
        at = table.schema.get_field_index(column)
        return table.set_column(at, column, pyarrow.array(["x"] * len(table)))

    return change


@pytest.mark.parametrize(
    ("table", "change", "reason"),
    [
        ("pages", as_text("page"), "its column page holds string, not int64"),
        ("pages", as_text("sketch"), "its column sketch holds string, not list"),
        ("pages", lambda table: table.drop_columns(["url"]), "it has no columns url, not one"),
        ("links", as_text("source"), "its column source holds string, not int64"),
        ("pagelets", lambda table: table.drop_columns(["shingle"]), "it has no columns shingle, not one"),
        ("bodies", lambda table: table.drop_columns(["html"]), "it has no columns html, not one"),
        ("bodies", lambda table: table.replace_schema_metadata({}), "it is no part of a crawl archive"),
    ],
)
def test_an_archive_of_another_schema_is_refused(
    table: str, change: Callable[[pyarrow.Table], pyarrow.Table], reason: str, tmp_path: Path
) -> None:
    one_part(tmp_path, table, change)
    for open_it in (Archive, ArchiveWriter, ArchiveReader):
        with pytest.raises(InvalidSnapshot, match=reason):
            open_it(str(tmp_path))


def test_further_columns_and_another_order_are_no_error(tmp_path: Path) -> None:
    def change(table: pyarrow.Table) -> pyarrow.Table:
        return table.select(reversed(table.column_names)).append_column("more", [[1] * len(table)])

    one_part(tmp_path, "pages", change)
    assert len(written(tmp_path)) == 3


def test_a_file_in_the_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pages").write_text("x")
    with pytest.raises(InvalidOption, match="a crawl archive"):
        Archive(str(tmp_path))


class Unwritable:
    """What PyArrow has no type for."""


def test_a_part_that_fails_in_any_way_is_given_up_and_counted(tmp_path: Path) -> None:
    rows = some_rows(5)
    writer = ArchiveWriter(str(tmp_path), part_pages=1)
    poisoned = rows[0]._replace(pages=(*rows[0].pages[:1], Unwritable(), *rows[0].pages[2:]))
    for one in (poisoned, *rows[1:4]):
        with pytest.raises(Exception, match="Unwritable"):
            writer.add(one)
    assert (writer.buffered, writer.lost) == (0, 4)
    writer.add(rows[4])
    writer.close()
    assert (writer.lost, written(tmp_path)) == (4, [rows[4].pages[1]])


def test_what_cannot_be_written_at_the_close_is_counted_whatever_the_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = ArchiveWriter(str(tmp_path))
    writer.add(some_rows(1)[0])
    monkeypatch.setattr(writer, "_write", Mock(side_effect=MemoryError))
    with pytest.raises(MemoryError):
        writer.close()
    assert (writer.buffered, writer.lost) == (0, 1)
    assert left_aside(tmp_path) == []


def left_aside(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "_aside").glob("*.parquet"))


def test_another_writer_is_noticed(tmp_path: Path) -> None:
    first, second = ArchiveWriter(str(tmp_path)), ArchiveWriter(str(tmp_path))
    assert (first.is_alone, second.is_alone) == (True, False)
    first.close()
    second.close()
    assert ArchiveWriter(str(tmp_path)).is_alone


def test_what_is_left_aside_is_removed_a_day_after_it_was_written(tmp_path: Path) -> None:
    ArchiveWriter(str(tmp_path)).close()
    aside = tmp_path / "_aside"
    names = [f"pages-20260101T000000-0123456{number}-000001.parquet" for number in (7, 8)]
    for name, hours in zip(names, (25, 23)):
        (aside / name).touch()
        then = time.time() - 3600 * hours
        os.utime(aside / name, (then, then))
    ArchiveWriter(str(tmp_path)).close()
    assert left_aside(tmp_path) == [names[1]]


def test_an_archive_may_lie_on_any_file_system(tmp_path: Path) -> None:
    uri = f"file://{tmp_path}/crawl"
    writer = ArchiveWriter(uri)
    writer.add(some_rows(1)[0])
    writer.close()
    assert written(tmp_path / "crawl") == ["http://tea.example/0"]
    with pytest.raises(InvalidOption, match="PyArrow's file systems"):
        locate("gopher://bucket/crawl")


def test_nothing_of_an_archive_with_a_scheme_is_sought_on_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bucket").mkdir()
    elsewhere = pyarrow.fs.SubTreeFileSystem(str(tmp_path / "bucket"), pyarrow.fs.LocalFileSystem())
    for module in (parts, writer_module):
        monkeypatch.setattr(module, "locate", lambda uri: Location(elsewhere, "crawl", "store"))
    rows = some_rows(5)
    for count in (3, 5):
        writer = ArchiveWriter("store://crawl", part_pages=2, bodies=True)
        assert sum(writer.add(one) for one in rows[:count]) == (3 if count == 3 else 2)
        writer.close()
    reader = open_pages("store://crawl")
    assert isinstance(reader, ArchiveReader)
    assert sorted(record.url for record in reader) == [one.pages[1] for one in rows]
    assert [path.name for path in tmp_path.iterdir()] == ["bucket"]


def test_without_pyarrow_it_is_said_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"templcrawl\[parquet\]"):
        ArchiveWriter(str(tmp_path))
