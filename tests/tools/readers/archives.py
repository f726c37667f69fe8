"""Saved crawls for the tests: pages as a folder, and as a WARC file by warcio."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable, Iterable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from lab.sites.generated import generate_demo_site

ZSTD_LIBRARY = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
HOST = "example.org"


class Answer(NamedTuple):
    url: str
    body: bytes
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html; charset=utf-8"),)
    status: str = "200 OK"


def html(number: int, words: int = 200) -> bytes:
    text = " ".join(f"w{number * 7919 + word * 104729}" for word in range(words))
    return f"<!doctype html><html><body><p>Page {number}: {text}</p></body></html>".encode()


def answers(count: int) -> list[Answer]:
    return [Answer(f"http://{HOST}/{number}.html", html(number)) for number in range(count)]


def write_warc(
    path: Path,
    records: Iterable[Answer],
    *,
    one_member: bool = False,
    compress: Callable[[bytes], bytes] | None = None,
) -> list[int]:
    """Write a WARC file, compressed where its name says so; return where each record starts.

    one_member  whether it is compressed as a whole
    compress    compresses a record; by default what the name of the file says
    """
    pytest.importorskip("fastwarc")
    pytest.importorskip("warcio")
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    compress = compress or _compressor(path)
    file, starts = bytearray(), []
    writer = WARCWriter(BytesIO(), gzip=False)
    made = [writer.create_warcinfo_record(path.name, {"software": "tests"})]
    for answer in records:
        headers = StatusAndHeaders(answer.status, list(answer.headers), protocol="HTTP/1.1")
        made.append(
            writer.create_warc_record(
                answer.url, "response", payload=BytesIO(answer.body), http_headers=headers
            )
        )
    for record in made:
        starts.append(len(file))
        writer.out = BytesIO()
        writer.write_record(record)
        record.raw_stream.close()
        file += writer.out.getvalue() if one_member else compress(writer.out.getvalue())
    path.write_bytes(compress(bytes(file)) if one_member else file)
    return starts[1:]


def zstd_with_checksum(content: bytes, dictionary: Any = None) -> bytes:
    """Return one frame; ``dictionary`` is the library's ZstdDict."""
    zstd = pytest.importorskip(ZSTD_LIBRARY)
    options = {zstd.CompressionParameter.checksum_flag: True}
    frame: bytes = zstd.compress(content, options=options, zstd_dict=dictionary)
    return frame


def _compressor(path: Path) -> Callable[[bytes], bytes]:
    """Return how the members of a file of this name are compressed."""
    if path.suffix == ".zst":
        return zstd_with_checksum
    return gzip.compress if path.suffix.lower() == ".gz" else bytes


def demo_pages() -> Mapping[str, tuple[str, str]]:
    """Return path of each page of the demo site -> (its template, its HTML)."""
    return {
        path.lstrip("/") + "index.html" * path.endswith("/"): (page.template, page.html)
        for path, page in generate_demo_site(articles=30, products=20, chapters=15).pages.items()
    }


def write_folder(folder: Path, pages: Mapping[str, str | bytes]) -> Path:
    for name, page in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(page.encode() if isinstance(page, str) else page)
    return folder
