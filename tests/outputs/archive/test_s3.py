"""An archive on S3, as moto (``pip install 'moto[server]'``) answers for it: written, resumed, read."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

import pyarrow.fs
import pytest

from templcrawl.errors import InvalidOption
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.outputs.archive.archive_parts import Archive
from templcrawl.outputs.archive.tables import page_rows
from templcrawl.outputs.archive.writer import ArchiveWriter
from templcrawl.page.page import Page
from tests.tools.commands.running import run
from tests.tools.readers.archives import HOST, demo_pages

pytest.importorskip("moto")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

ARCHIVE = "s3://tea/crawl"


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[pyarrow.fs.FileSystem]:
    """Serve S3 with a bucket; return its file system."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    try:
        address = "http://{}:{}".format(*server.get_host_and_port())
        monkeypatch.setenv("AWS_ENDPOINT_URL", address)
        monkeypatch.setenv("AWS_REGION", "us-east-1")
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.setenv(name, "any")
        filesystem = pyarrow.fs.S3FileSystem(endpoint_override=address, allow_bucket_creation=True)
        filesystem.create_dir("tea")
        yield filesystem
    finally:
        server.stop()


def test_it_is_written_resumed_and_read(bucket: pyarrow.fs.FileSystem, tmp_path: Path, capsys) -> None:
    memory, now = CrawlMemory(), datetime.now(timezone.utc)
    pages = {f"http://{HOST}/{path}": html for path, (_, html) in demo_pages().items()}
    rows = [page_rows(memory.observe(Page.from_html(html, url)), now) for url, html in pages.items()]
    for count, new in ((30, 30), (len(rows), len(rows) - 30)):
        writer = ArchiveWriter(ARCHIVE, part_pages=20, bodies=True)
        assert sum(writer.add(one) for one in rows[:count]) == new
        writer.close()
    archive = Archive(ARCHIVE)
    assert sorted(archive.read("pages", ["url"])["url"].to_pylist()) == sorted(pages)
    assert not archive.unreadable
    files = bucket.get_file_info(pyarrow.fs.FileSelector("tea/crawl", recursive=True))
    assert all(file.path.endswith(".parquet") for file in files if file.is_file)
    assert run(capsys, "strip", ARCHIVE, "-o", tmp_path / "out.jsonl").code == 0
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == len(pages)
    assert run(capsys, "cluster", ARCHIVE, "--json", "-").json["pages"] == len(pages)
    pytest.importorskip("duckdb")
    assert run(capsys, "detect", ARCHIVE, "--json", "-").json["overall"]["template_pages"] > 0
    for table in ("templates", "template_pagelets"):
        folder = f"tea/crawl/detected/local/{table}"
        assert pyarrow.parquet.read_table(folder, filesystem=bucket).num_rows > 0


def test_a_bucket_that_is_missing_is_said(bucket: pyarrow.fs.FileSystem) -> None:
    with pytest.raises(InvalidOption, match="a crawl archive"):
        Archive("s3://none/crawl")
    with pytest.raises(OSError, match="Bucket 'none' not found"):
        ArchiveWriter("s3://none/crawl")
