from __future__ import annotations

from pathlib import Path

import pytest

from templcrawl.errors import InvalidOption
from templcrawl.page.records import Record
from templcrawl.tools.readers.sources import open_pages
from tests.tools.readers.archives import answers, html, write_folder, write_warc


def test_a_folder_and_a_warc_file_of_the_same_pages_are_read_alike(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "saved", {f"example.org/{n}.html": html(n) for n in range(3)})
    write_warc(tmp_path / "A.WARC.gz", answers(3))
    urls = [[record.url for record in open_pages(path)] for path in (folder, str(tmp_path / "A.WARC.gz"))]
    assert urls[0] == urls[1]


def test_what_is_missing_or_not_known_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match="there is no such file"):
        open_pages(tmp_path / "none.warc")
    (tmp_path / "pages.zip").write_bytes(b"")
    with pytest.raises(InvalidOption, match=r"a file that ends in \.warc, \.warc\.gz or \.warc\.zst"):
        open_pages(tmp_path / "pages.zip")


def test_pages_of_an_archive_are_unpacked_one_at_a_time(tmp_path: Path) -> None:
    """A file of a few kilobytes may hold many large pages; a URL of any length is no page."""
    arrow = pytest.importorskip("pyarrow")
    from templcrawl.outputs.archive.writer import ArchiveWriter
    from tests.outputs.archive.tables import some_rows

    writer = ArchiveWriter(str(tmp_path), bodies=True)
    for rows in some_rows(20):
        writer.add(rows)
    writer.close()
    for table, column, cells in (
        ("bodies", "html", ["<p>" + "tea " * 2**20] * 20),
        ("pages", "url", [f"http://tea.example/{'x' * 2**17 if n == 7 else n}" for n in range(20)]),
    ):
        (path,) = tmp_path.glob(f"{table}/*.parquet")
        whole = arrow.parquet.read_table(path)
        at = whole.column_names.index(column)
        large = whole.set_column(at, whole.schema.field(column), arrow.array(cells))
        arrow.parquet.write_table(large, path, compression="zstd")
        del whole, large
    before, most = arrow.total_allocated_bytes(), 0
    reader = open_pages(tmp_path, max_bytes=1_000)
    for record in reader:
        assert len(record.html) == 1_000
        most = max(most, arrow.total_allocated_bytes() - before)
    assert (reader.capped, reader.unreadable.count) == (19, 1)
    assert most < 8 * 2**22


def test_a_record_becomes_a_page_with_its_encoding() -> None:
    page = Record("http://x.org/", "<p>caf\xe9".encode("latin-1"), "text/html; charset=latin-1").page()
    assert (page.url, page.text) == ("http://x.org/", "<p>caf\xe9")
