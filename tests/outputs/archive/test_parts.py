"""What is read of an archive, some files of which are damaged, of another version, or hostile."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from templcrawl.errors import InvalidOption, InvalidSnapshot
from templcrawl.outputs.archive.archive_parts import MAX_UNPACKED, Archive, ArchiveReader
from templcrawl.outputs.archive.tables import FORMAT, FORMAT_KEY
from templcrawl.outputs.archive.writer import ArchiveWriter
from templcrawl.tools.readers import open_pages
from tests.outputs.archive.tables import some_rows, write_archive

ROWS = some_rows(5)
URLS = [one["pages"][0][1] for one in ROWS]

Change = Callable[[pyarrow.Table], pyarrow.Table]


def crawled(folder: Path, part_pages: int = 2, *, bodies: bool = True) -> Path:
    """Write an archive of five pages."""
    return write_archive(folder, ROWS, part_pages, bodies=bodies)


def changed(folder: Path, table: str, change: Change) -> Path:
    """Write an archive of a part, and change the file of a table."""
    (path,) = crawled(folder, part_pages=5).glob(f"{table}/*.parquet")
    pyarrow.parquet.write_table(change(pyarrow.parquet.read_table(path)), path, compression="zstd")
    return folder


def with_cells(column: str, cells: pyarrow.Array) -> Change:
    def change(table: pyarrow.Table) -> pyarrow.Table:
        at = table.schema.get_field_index(column)
        return table.set_column(
            at, column, pyarrow.concat_arrays([cells, *table[column][len(cells) :].chunks])
        )

    return change


def test_bodies_are_read_back_as_they_were(tmp_path: Path) -> None:
    reader = open_pages(crawled(tmp_path))
    assert isinstance(reader, ArchiveReader)
    for _ in range(2):
        assert [(record.url, record.html.decode()) for record in reader] == [
            (one["pages"][0][1], one["bodies"][0][1]) for one in ROWS
        ]
        assert (reader.done, reader.total, len(reader.unreadable)) == (3, 3, 0)
    size = len(ROWS[0]["bodies"][0][1])
    for most, read in ((size - 1, []), (size, URLS)):
        reader = ArchiveReader(str(tmp_path), max_bytes=most)
        assert [record.url for record in reader] == read
        assert len(reader.unreadable) == 5 - len(read)


def test_an_archive_without_bodies_is_refused_as_a_crawl(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match="an archive with bodies"):
        open_pages(crawled(tmp_path, bodies=False))


@pytest.mark.parametrize("table", ["pages", "links", "pagelets", "bodies"])
def test_a_truncated_file_leaves_its_part_out_and_is_named(table: str, tmp_path: Path) -> None:
    path = min((crawled(tmp_path) / table).iterdir())
    path.write_bytes(path.read_bytes()[:-20])
    archive, reader = Archive(str(tmp_path)), ArchiveReader(str(tmp_path))
    assert [record.url for record in reader] == URLS[2:]
    assert [name for name, _ in reader.unreadable.first] == [f"{table}/{path.name}"]
    if table != "bodies":
        assert archive.unreadable == reader.unreadable.first
        assert archive.read("pages", ["url"])["url"].to_pylist() == URLS[2:]
    else:
        assert archive.read("pages", ["url"])["url"].to_pylist() == URLS


@pytest.mark.exhaustive
def test_of_200_damaged_archives_no_page_of_an_undamaged_part_is_lost(tmp_path: Path) -> None:
    whole = crawled(tmp_path / "whole", part_pages=1)
    files = [path.relative_to(whole) for path in sorted(whole.glob("*/*.parquet"))]
    for seed in range(200):
        chance, damaged = random.Random(seed), tmp_path / str(seed)
        hit = chance.sample(files, chance.randint(1, 6))
        for file in files:
            content = bytearray((whole / file).read_bytes())
            if file in hit:
                at = chance.randrange(len(content))
                if chance.random() < 0.5:
                    del content[at:]
                else:
                    content[at : at + 20] = chance.randbytes(20)
            (damaged / file).parent.mkdir(parents=True, exist_ok=True)
            (damaged / file).write_bytes(content)
        sound = [url for url, name in zip(URLS, names(whole)) if name not in {file.name for file in hit}]
        try:
            found = [record.url for record in open_pages(damaged)]
        except InvalidSnapshot:  # the number of the format was hit
            continue
        assert set(sound) <= set(found), seed


def names(archive: Path) -> list[str]:
    return sorted(path.name for path in (archive / "pages").iterdir())


@pytest.mark.parametrize(
    ("table", "column", "cells", "read", "named"),
    [
        ("bodies", "html", [b"a", b"<p>\xff\xfe"], [0, 2, 3, 4], ", http://tea.example/1"),
        ("bodies", "html", [b"a", None], [0, 2, 3, 4], ", http://tea.example/1"),
        ("bodies", "page", [77], [1, 2, 3, 4], ", 77"),
        ("pages", "url", [b"a", b"http://\xff/"], [], ""),
    ],
)
def test_a_damaged_cell_is_named_and_the_other_pages_are_read(
    table: str, column: str, cells: list[Any], read: list[int], named: str, tmp_path: Path
) -> None:
    array = pyarrow.array(cells)
    new = array if column == "page" else array.view(pyarrow.string())
    reader = ArchiveReader(str(changed(tmp_path, table, with_cells(column, new))))
    assert [record.url for record in reader] == [URLS[number] for number in read]
    assert [name for name, _ in reader.unreadable.first] == [f"bodies/{names(tmp_path)[0]}{named}"]


LARGE = "<p>" + "tea " * 2**22


def peak(code: str, *arguments: str) -> int:
    """Return the megabytes that a program has had in memory at most, without those of its parent."""
    tell = (
        "import re; print(int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]) // 1024)"
    )
    command = [sys.executable, "-c", f"{code}\n{tell}", *arguments]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1])


READ = """
import sys
from templcrawl.tools.readers import open_pages
reader = open_pages(sys.argv[1], max_bytes=1000)
print([record.url for record in reader], *reader.unreadable.first, sep="\\n")
"""


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="tells no memory")
def test_what_unpacks_to_much_is_named_and_not_loaded(tmp_path: Path) -> None:
    """Files of a few kilobytes: pages that are too long one by one, and too much in a row group."""
    start = peak("import pyarrow.parquet, pyarrow.fs, templcrawl.tools.readers")
    one, all_of_them = tmp_path / "one", tmp_path / "all"
    changed(one, "bodies", with_cells("html", pyarrow.array([LARGE] * 4)))
    changed(
        all_of_them,
        "bodies",
        with_cells("html", pyarrow.array([3 * LARGE, f"{3 * LARGE} ", f"{3 * LARGE}."])),
    )
    urls = pyarrow.array([f"http://tea.example/{'x' * 2**17}"])
    changed(tmp_path / "url", "pages", with_cells("url", urls))
    for folder, read, count, why in (
        (one, URLS[4:], 4, "its page has 16,777,219 bytes; 1,000 are the most"),
        (all_of_them, [], 1, "5 rows are too large: they unpack to "),
        (tmp_path / "url", URLS[1:], 1, "a damaged row"),
    ):
        assert sum(path.stat().st_size for path in folder.glob("bodies/*")) < 2**17
        reader = ArchiveReader(str(folder), max_bytes=1_000)
        assert [record.url for record in reader] == read
        assert (len(reader.unreadable), reader.unreadable.first[0][1].startswith(why)) == (count, True)
        assert peak(READ, str(folder)) < start + 100
    assert 9 * len(LARGE) > MAX_UNPACKED


@pytest.mark.exhaustive
def test_a_row_group_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    """A part of 2**26 characters, and the page with which it was full, were one row group of bodies."""
    pages = pyarrow.array([f"<p>{'tea ' * (2**22 - 8)}{number}" for number in range(5)])
    reader = ArchiveReader(str(changed(tmp_path, "bodies", with_cells("html", pages))))
    assert [record.url for record in reader] == URLS[:5]
    assert not len(reader.unreadable)


def test_addresses_of_a_part_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("templcrawl.outputs.archive.archive_parts._MAX_URLS", 2 * len(URLS[0]) + 1)
    reader = ArchiveReader(str(crawled(tmp_path, part_pages=5)))
    assert [record.url for record in reader] == URLS[:2]
    assert len(reader.unreadable) == 3


@pytest.mark.parametrize("number", [1, 99])
def test_an_archive_of_another_format_is_refused(number: int, tmp_path: Path) -> None:
    changed(tmp_path, "links", lambda table: table.replace_schema_metadata({FORMAT_KEY: b"%d" % number}))
    for open_it in (Archive, ArchiveWriter):
        with pytest.raises(
            InvalidSnapshot,
            match=f"format {number}, of another version of templcrawl; this one reads {FORMAT}",
        ):
            open_it(str(tmp_path))


def test_a_folder_of_other_parquet_is_refused(tmp_path: Path) -> None:
    for table in ("pages", "links", "pagelets"):
        (tmp_path / table).mkdir(exist_ok=True)
        pyarrow.parquet.write_table(pyarrow.table({"page": [1]}), tmp_path / table / "a.parquet")
    with pytest.raises(InvalidSnapshot, match="not a part of a crawl archive"):
        Archive(str(tmp_path))


def as_text(column: str) -> Change:
    return lambda table: with_cells(column, pyarrow.array(["x"] * len(table)))(
        table.set_column(table.schema.get_field_index(column), column, [["x"] * len(table)])
    )


@pytest.mark.parametrize(
    ("table", "change", "reason"),
    [
        ("pages", as_text("page"), "its column page holds string, not int64"),
        ("pages", as_text("sketch"), "its column sketch holds string, not list"),
        ("pages", lambda table: table.drop_columns(["url"]), "it has no columns url, not one"),
        ("links", as_text("source"), "its column source holds string, not int64"),
        ("pagelets", lambda table: table.drop_columns(["shingle"]), "it has no columns shingle, not one"),
        ("bodies", lambda table: table.drop_columns(["html"]), "it has no columns html, not one"),
        ("bodies", lambda table: table.replace_schema_metadata({}), "it is not a part of a crawl archive"),
    ],
)
def test_an_archive_of_another_schema_is_refused(
    table: str, change: Change, reason: str, tmp_path: Path
) -> None:
    changed(tmp_path, table, change)
    for open_it in (Archive, ArchiveWriter, ArchiveReader):
        with pytest.raises(InvalidSnapshot, match=reason):
            open_it(str(tmp_path))


def test_further_columns_and_another_order_are_no_error(tmp_path: Path) -> None:
    def change(table: pyarrow.Table) -> pyarrow.Table:
        return table.select(reversed(table.column_names)).append_column("more", [[1] * len(table)])

    archive = Archive(str(changed(tmp_path, "pages", change)))
    assert archive.read("pages", ["url"])["url"].to_pylist() == URLS


def test_a_file_in_the_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pages").write_text("x")
    with pytest.raises(InvalidOption, match="a crawl archive"):
        Archive(str(tmp_path))
