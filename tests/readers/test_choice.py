from __future__ import annotations

from pathlib import Path

import pytest

from templcrawl.errors import InvalidOption
from templcrawl.readers.choice import open_pages
from templcrawl.readers.examples import ExampleReader
from templcrawl.readers.shape import Record
from tests.readers.archives import answers, html, write_folder, write_warc


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


def test_a_record_becomes_a_page_with_its_encoding() -> None:
    page = Record("http://x.org/", "<p>caf\xe9".encode("latin-1"), "text/html; charset=latin-1").page()
    assert (page.url, page.text) == ("http://x.org/", "<p>caf\xe9")


def test_examples_come_type_by_type(tmp_path: Path) -> None:
    write_folder(
        tmp_path,
        {"list/a.html": html(1), "article/b.html": html(2), "article/x/a.html": html(3), "c.html": html(4)},
    )
    reader = ExampleReader(tmp_path)
    assert reader.types == ["article", "list"]
    found = [(name, page.text.encode()) for name, page in reader]
    assert found == [("article", html(2)), ("article", html(3)), ("list", html(1))]
    assert not reader.unreadable


def test_examples_need_a_folder_a_type(tmp_path: Path) -> None:
    write_folder(tmp_path, {"a.html": html(1)})
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(InvalidOption, match="a folder of pages for each page type"):
            ExampleReader(folder)
