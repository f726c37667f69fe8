"""The table of page types of an archive: who writes it and when, and what is damaged of it."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pyarrow.parquet
import pytest

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.page_types import TypedLeaf
from templcrawl.memory.sections import UnreadPage
from templcrawl.outputs.archive.archive_parts import Archive, ArchiveReader
from templcrawl.outputs.archive.tables import (
    CRAWL_TABLES,
    FORMAT,
    FORMAT_KEY,
    PAGE_TYPES,
    PAGES,
    UNREAD,
)
from templcrawl.outputs.archive.writer import ArchiveWriter
from tests.outputs.archive.tables import some_rows, unfinished, write_archive
from tests.outputs.archive.test_format_document import TEXT

EARLY = [
    TypedLeaf("a.example#01", "/tea/*", 7, "product"),
    TypedLeaf("a.example#02", "/", 1),
    TypedLeaf("b.example#01", "/*", 2),
]
LATE = [TypedLeaf("a.example#01", "/teas/*", 9, "listing")]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive of six pages in three parts, without page types."""
    folder = write_archive(tmp_path / "crawl", some_rows(6), bodies=True)
    assert not (folder / PAGE_TYPES).exists()
    return folder


def write(archive: Path, *leaves: TypedLeaf) -> None:
    ArchiveWriter(str(archive)).close(leaves)


def rows(archive: Path) -> list[tuple[str, str, int, str]]:
    """Return the newest row of each leaf."""
    newest = ", ".join(f"arg_max({column}, written_at)" for column in ("page_type", "pages", "kind"))
    query = f"""SELECT leaf, {newest}
        FROM read_parquet('{archive}/page_types/*.parquet') GROUP BY leaf ORDER BY leaf"""
    with duckdb.connect() as connection:
        return connection.execute(query).fetchall()


def test_a_crawl_writes_them_when_it_closes_the_archive(archive: Path) -> None:
    write(archive, *EARLY)
    write(archive, *LATE)
    assert rows(archive) == [
        ("a.example#01", "/teas/*", 9, "listing"),
        ("a.example#02", "/", 1, ""),
        ("b.example#01", "/*", 2, ""),
    ]
    files = sorted((archive / PAGE_TYPES).iterdir())
    assert len(files) == 2
    for file in files:
        schema = pyarrow.parquet.read_schema(file)
        assert schema.names == list(CRAWL_TABLES[PAGE_TYPES])
        assert schema.metadata[FORMAT_KEY] == str(FORMAT).encode()
    assert not unfinished(archive)


def test_where_there_are_very_many_some_are_written_before_the_crawl_ends(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("templcrawl.outputs.archive.writer.MAX_LEAVES", 3)
    writer = ArchiveWriter(str(archive))
    writer.add_page_types(EARLY[:2])
    assert not (archive / PAGE_TYPES).exists()
    writer.add_page_types(LATE)
    assert not (archive / PAGE_TYPES).exists()
    writer.add_page_types(EARLY[2:])
    assert [row[:2] for row in rows(archive)] == [
        ("a.example#01", "/teas/*"),
        ("a.example#02", "/"),
        ("b.example#01", "/*"),
    ]
    writer.close([TypedLeaf("c.example#01", "/*", 1)])
    assert len(rows(archive)) == 4
    assert len([*(archive / PAGE_TYPES).iterdir()]) == 2


def test_what_cannot_be_written_leaves_nothing(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = ArchiveWriter(str(archive))

    def fail(*_: object, **__: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(pyarrow.parquet, "ParquetWriter", fail)
    with pytest.raises(OSError, match="full"):
        writer.close(LATE)
    assert not list((archive / PAGE_TYPES).iterdir())
    assert not unfinished(archive)


def test_a_name_that_is_no_text_is_made_one(archive: Path) -> None:
    write(archive, TypedLeaf("a.example#01", "/\ud800/*", 1))
    assert rows(archive)[0][1] == "/\ufffd/*"


def test_a_damaged_file_is_named_and_left_out(archive: Path) -> None:
    write(archive, *EARLY)
    (good,) = (archive / PAGE_TYPES).iterdir()
    (archive / PAGE_TYPES / "20260104T030405-00000000-000000.parquet").write_bytes(b"PAR1 no more")
    opened = Archive(str(archive))
    assert opened.page_type_files == [good.name]
    assert [name for name, _ in opened.unreadable] == ["page_types/20260104T030405-00000000-000000.parquet"]
    reader = ArchiveReader(str(archive))
    assert len(list(reader)) == 6
    assert reader.unreadable.first[0][0] == "page_types/20260104T030405-00000000-000000.parquet"


def test_a_file_of_another_format_is_refused(archive: Path) -> None:
    write(archive, *EARLY)
    (file,) = (archive / PAGE_TYPES).iterdir()
    table = pyarrow.parquet.read_table(file, partitioning=None)
    newer = table.replace_schema_metadata({FORMAT_KEY: str(FORMAT + 1).encode()})
    pyarrow.parquet.write_table(newer, file)
    with pytest.raises(InvalidSnapshot, match="another version of templcrawl"):
        Archive(str(archive))


def test_the_query_of_the_document_gives_the_page_type_of_each_page(archive: Path) -> None:
    pages = Archive(str(archive)).read(PAGES, ["url", "leaf"]).to_pylist()
    write(archive, *(TypedLeaf(page["leaf"], "/old", 1) for page in pages))
    write(archive, *(TypedLeaf(page["leaf"], "/new", 6) for page in pages))
    query = next(sql for sql in re.findall(r"```sql\n(.*?)```", TEXT, re.DOTALL) if "page_type" in sql)
    with duckdb.connect() as connection:
        found = connection.execute(query.replace("crawl/", f"{archive}/")).fetchall()
    assert dict(found) == {page["url"]: "/new" for page in pages}


def test_pages_that_a_crawl_has_left_are_named(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("templcrawl.outputs.archive.writer.MAX_LEAVES", 2)
    writer = ArchiveWriter(str(archive))
    writer.add_unread(
        [UnreadPage("http://a.example/\ud800", False, 9), UnreadPage("http://a.example/b", True, 9)]
    )
    assert len([*(archive / UNREAD).iterdir()]) == 1
    writer.add_unread([UnreadPage("http://a.example/c", False, 9)])
    writer.close()
    (archive / UNREAD / "20260104T030405-00000000-000009.parquet").write_bytes(b"PAR1 no more")
    reader = ArchiveReader(str(archive))
    assert {*reader.unread()} == {
        ("http://a.example/\ufffd", False),
        ("http://a.example/b", True),
        ("http://a.example/c", False),
    }
    assert [*reader]
    assert [name for name, _ in reader.unreadable.first] == ["unread/20260104T030405-00000000-000009.parquet"]
