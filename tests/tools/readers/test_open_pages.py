from __future__ import annotations

from pathlib import Path

from templcrawl.page.saved_pages import Record
from templcrawl.tools.readers import open_pages
from tests.tools.readers.archives import answers, html, write_folder, write_warc


def test_a_folder_and_a_warc_file_of_the_same_pages_are_read_alike(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "saved", {f"example.org/{n}.html": html(n) for n in range(3)})
    write_warc(tmp_path / "A.WARC.gz", answers(3))
    urls = [[record.url for record in open_pages(path)] for path in (folder, str(tmp_path / "A.WARC.gz"))]
    assert urls[0] == urls[1]


def test_a_record_becomes_a_page_with_its_encoding() -> None:
    page = Record("http://x.org/", "<p>caf\xe9".encode("latin-1"), "text/html; charset=latin-1").page()
    assert (page.url, page.text) == ("http://x.org/", "<p>caf\xe9")
