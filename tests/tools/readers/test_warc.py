from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from templcrawl.tools.readers.payload import undo_encodings
from templcrawl.tools.readers.warc import WarcReader, _Stream
from tests.tools.readers.archives import ZSTD_LIBRARY, Answer, answers, html, write_warc

pytest.importorskip("fastwarc")

zstd = pytest.importorskip(ZSTD_LIBRARY)

NAMES = ["crawl.warc", "crawl.warc.gz", "crawl.warc.zst"]
PACKED = NAMES[1:]


def read(path: Path) -> tuple[list[str], WarcReader]:
    reader = WarcReader(path)
    return [record.url for record in reader], reader


@pytest.mark.parametrize("one_member", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_every_page_comes_back_as_it_was_saved(tmp_path: Path, name: str, one_member: bool) -> None:
    saved = answers(5)
    write_warc(tmp_path / name, saved, one_member=one_member)
    reader = WarcReader(tmp_path / name)
    assert [(record.url, record.html) for record in reader] == [(one.url, one.body) for one in saved]
    assert reader.done == reader.total == (tmp_path / name).stat().st_size
    assert not reader.unreadable
    assert reader.unit == "bytes"


def chunked(body: bytes) -> bytes:
    return (
        b"".join(
            b"%x\r\n%s\r\n" % (len(body[at : at + 100]), body[at : at + 100])
            for at in range(0, len(body), 100)
        )
        + b"0\r\n\r\n"
    )


def raw_deflate(body: bytes) -> bytes:
    deflate = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return deflate.compress(body) + deflate.flush()


@pytest.mark.parametrize(
    ("headers", "encode"),
    [
        ({"Transfer-Encoding": "chunked"}, chunked),
        ({"Transfer-Encoding": "chunked"}, lambda body: body),
        ({"Content-Encoding": "gzip"}, gzip.compress),
        ({"Content-Encoding": "gzip"}, lambda body: body),
        ({"Content-Encoding": "deflate"}, zlib.compress),
        ({"Content-Encoding": "deflate"}, raw_deflate),
        ({"Content-Encoding": "zstd"}, zstd.compress),
        (
            {"Content-Encoding": "zstd"},
            lambda body: zstd.compress(body[:99]) + zstd.compress(body[99:]),
        ),
        ({"Content-Encoding": "zstd"}, lambda body: body),
        ({"Content-Encoding": "identity"}, lambda body: body),
        ({"Content-Encoding": "gzip, gzip"}, lambda body: gzip.compress(gzip.compress(body))),
        (
            {"Content-Encoding": "GZIP", "Transfer-Encoding": "chunked"},
            lambda body: chunked(gzip.compress(body)),
        ),
    ],
)
def test_transfer_and_content_encodings_are_undone(tmp_path, headers, encode) -> None:
    given_headers = (("Content-Type", "text/html"), *headers.items())
    write_warc(tmp_path / "a.warc", [Answer("http://x.org/", encode(html(1)), given_headers)])
    assert [record.html for record in WarcReader(tmp_path / "a.warc")] == [html(1)]


@given(st.lists(st.binary(min_size=1, max_size=50)), st.integers(0, 200))
def test_of_chunks_that_are_cut_there_is_what_there_is(chunks: list[bytes], end: int) -> None:
    body = b"".join(b"%x;name=value\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)[:end]
    found = undo_encodings(body, transfer="chunked", content="", max_bytes=999)
    whole = b"".join(chunks)
    assert whole.startswith(found) or found.startswith(whole[: max(0, len(found) - 15)])
    assert undo_encodings(body, transfer="", content="", max_bytes=999) == body


def test_three_encodings_are_undone_and_a_record_with_more_is_named(tmp_path: Path) -> None:
    """Those that stand for none do not count."""
    body, page = html(7), ("Content-Type", "text/html")
    for _ in range(3):
        body = raw_deflate(body)
    names = [", ".join(["deflate"] * most + ["identity"] * 50) for most in (3, 4)]
    saved = [Answer("http://x.org/", body, (page, ("Content-Encoding", each))) for each in names]
    write_warc(tmp_path / "a.warc", [*saved, *answers(1)])
    reader = WarcReader(tmp_path / "a.warc")
    assert [record.html for record in reader] == [html(7), html(0)]
    assert [reason for _, reason in reader.unreadable.first] == ["4 content encodings; at most 3 are decoded"]


def test_brotli_is_undone(tmp_path: Path) -> None:
    brotli = pytest.importorskip("brotli")
    headers = (("Content-Type", "text/html"), ("Content-Encoding", "br"))
    write_warc(tmp_path / "a.warc", [Answer("http://x.org/", brotli.compress(html(1)), headers)])
    assert [record.html for record in WarcReader(tmp_path / "a.warc")] == [html(1)]


def test_an_unknown_encoding_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    headers = (("Content-Type", "text/html"), ("Content-Encoding", "lzma"))
    write_warc(tmp_path / "a.warc", [Answer("http://x.org/", b"?", headers), *answers(2)])
    urls, reader = read(tmp_path / "a.warc")
    assert len(urls) == 2
    assert "unknown content encoding 'lzma'" in reader.unreadable.first[0][1]


@pytest.mark.parametrize(
    ("answer", "is_page"),
    [
        (Answer("http://x.org/", b"<p>", (("Content-Type", "application/xhtml+xml"),)), True),
        (Answer("http://x.org/", b"<p>", (("content-type", "TEXT/HTML;charset=x"),)), True),
        (Answer("http://x.org/", b"<html>", ()), True),
        (Answer("http://x.org/", b"GIF89a", ()), False),
        (Answer("http://x.org/", b"<p>", (("Content-Type", "image/png"),)), False),
        (Answer("http://x.org/", b"<p>", status="404 Not Found"), False),
        (Answer("http://x.org/", b"<p>", status="206 Partial Content"), False),
        (Answer("http://x.org/", b"<p>", status="301 Moved"), False),
        (Answer("http://x.org/", b""), True),
    ],
)
def test_pages_are_answers_of_status_200_that_are_html(tmp_path: Path, answer: Answer, is_page: bool) -> None:
    write_warc(tmp_path / "a.warc.gz", [answer, *answers(1)])
    urls, reader = read(tmp_path / "a.warc.gz")
    assert urls == ["http://x.org/"] * is_page + ["http://example.org/0.html"]
    assert not reader.unreadable


@pytest.mark.parametrize("name", NAMES)
def test_of_a_truncated_file_every_whole_page_is_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    starts = write_warc(path, answers(4))
    whole = path.read_bytes()
    for end in range(starts[1] + 1, starts[2] - 4, 97):
        path.write_bytes(whole[:end])
        urls, reader = read(path)
        assert len(urls) == 1
        assert len(reader.unreadable) == 1
    assert reader.unreadable.first[0][0] == f"{name}, byte {starts[1]}"
    assert reader.unreadable.first[0][1] in ("the file ends inside it", "incomplete frame")


@pytest.mark.parametrize("name", PACKED)
def test_a_damaged_member_costs_its_own_page_only(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    starts = write_warc(path, answers(6))
    for offset in range(0, starts[3] - starts[2], 13):
        damaged = bytearray(path.read_bytes())
        damaged[starts[2] + offset] ^= 0xFF
        (tmp_path / f"b-{name}").write_bytes(damaged)
        urls, reader = read(tmp_path / f"b-{name}")
        assert [url for url in urls if not url.endswith("/2.html")] == [
            f"http://example.org/{number}.html" for number in (0, 1, 3, 4, 5)
        ]
        assert len(reader.unreadable) + len(urls) in (6, 7)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_record_costs_no_page(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    starts = write_warc(path, answers(4))
    whole = path.read_bytes()
    for size in (1, 512, 2**16 - 1, 2**16, 2**17 + 1):
        path.write_bytes(whole[: starts[2]] + bytes(size) + whole[starts[2] :])
        urls, reader = read(path)
        assert (len(urls), len(reader.unreadable)) == (4, 1)
        assert reader.unreadable.first[0][0] == f"{name}, byte {starts[2] + size}"


@pytest.mark.parametrize("before", range(6))
def test_a_record_is_found_over_the_border_of_what_is_read_at_once(tmp_path: Path, before: int) -> None:
    for name in NAMES:
        path = tmp_path / name
        write_warc(path, answers(1))
        magic = path.read_bytes()[:3]
        path.write_bytes(magic + bytes([0xFF]) * (2**16 + 1 - 3 - before) + path.read_bytes())
        urls, reader = read(path)
        assert (len(urls), len(reader.unreadable)) == (1, 1)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstd.compress])
def test_a_file_is_read_a_little_at_a_time(
    tmp_path: Path, pack: Callable[[bytes], bytes], monkeypatch
) -> None:
    sizes: list[int] = []
    plain = _Stream.read

    def watched(self: _Stream, size: int = -1) -> bytes:
        sizes.append(size)
        return plain(self, size)

    monkeypatch.setattr(_Stream, "read", watched)
    write_warc(tmp_path / "a.warc", [Answer("http://x.org/", os.urandom(2**20))], compress=pack)
    assert len(read(tmp_path / "a.warc")[0]) == 1
    assert 0 < min(sizes) <= max(sizes) <= 2**18


def test_a_wrong_length_costs_its_own_page_only(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    starts = write_warc(path, answers(4))
    damaged = path.read_bytes()
    at = damaged.index(b"Content-Length: ", starts[1]) + len("Content-Length: ")
    for length in (b"0009", b"what"):
        path.write_bytes(damaged[:at] + length + damaged[damaged.index(b"\r\n", at) :])
        urls, reader = read(path)
        assert urls == [f"http://example.org/{number}.html" for number in (0, 2, 3)]
        assert 1 <= len(reader.unreadable) <= 2


@pytest.mark.parametrize("name", PACKED)
def test_no_file_is_fatal_whatever_it_holds(tmp_path: Path, name: str) -> None:
    whole = tmp_path / name
    write_warc(whole, answers(3))
    for number, content in enumerate(
        (
            b"",
            b"\x1f\x8b\x08",
            b"\x28\xb5\x2f\xfd",
            b"\x5d\x2a\x4d\x18",
            b"\x5d\x2a\x4d\x18\xff\xff\xff\xff no dictionary",
            b"no archive\n" * 999,
            b"WARC/1.0\r\n",
            bytes(99_999),
            os.urandom(9_999),
            b"WARC/1.0\r\n" + b"a: b\r\n" * 300_000,
        )
    ):
        path = tmp_path / f"{number}.warc"
        path.write_bytes(content)
        urls, reader = read(path)
        assert urls == []
        assert bool(reader.unreadable) == bool(content)
        path.write_bytes(whole.read_bytes() + content)
        assert len(read(path)[0]) == 3


def test_headers_have_an_end_after_a_megabyte(tmp_path: Path) -> None:
    """A page that follows in the same piece is found by its start, not behind all that looks like headers."""
    write_warc(tmp_path / "a.warc", answers(1))
    whole = (tmp_path / "a.warc").read_bytes()
    (tmp_path / "a.warc").write_bytes(b"WARC/1.0\r\n" + b"a: b\r\n" * 180_000 + b"\r\n" + whole)
    urls, reader = read(tmp_path / "a.warc")
    assert (len(urls), reader.unreadable.first[0][1]) == (1, "Maximum header length exceeded.")


def _gzip_in_gzip(starts: int) -> bytes:
    """Return a member of gzip in whose blocks other members start, none of which ends."""
    start = gzip.compress(b"")[:10]
    sizes = len(start).to_bytes(2, "little") + (65_535 - len(start)).to_bytes(2, "little")
    return start + (b"\0" + sizes + start) * starts + b"\x07"


@pytest.mark.parametrize(
    ("name", "make"),
    [("a.warc", lambda starts: b"WARC/1.1\n" * starts), ("a.warc.gz", _gzip_in_gzip)],
)
def test_no_byte_is_read_more_than_some_times_and_what_is_skipped_is_named(
    tmp_path: Path, monkeypatch, name: str, make: Callable[[int], bytes]
) -> None:
    sizes: list[int] = []
    plain = _Stream.read

    def watched(self: _Stream, size: int = -1) -> bytes:
        sizes.append(len(chunk := plain(self, size)))
        return chunk

    monkeypatch.setattr(_Stream, "read", watched)
    path = tmp_path / name
    path.write_bytes(make(200_000))
    urls, reader = read(path)
    assert urls == []
    assert sum(sizes) <= 20 * path.stat().st_size
    assert any("not searched for records again" in reason for _, reason in reader.unreadable.first)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(at=st.integers(0, 999), removed=st.integers(0, 200), inserted=st.binary(max_size=50))
@pytest.mark.parametrize("name", PACKED)
def test_damage_never_brings_up_what_was_not_saved(
    tmp_path: Path, name: str, at: int, removed: int, inserted: bytes
) -> None:
    path = tmp_path / name
    saved = {one.url: one.body for one in answers(4)}
    write_warc(path, answers(4))
    damaged = bytearray(path.read_bytes())
    at = at * len(damaged) // 1_000
    damaged[at : at + removed] = inserted
    path.write_bytes(damaged)
    assert all(saved[record.url] == record.html for record in WarcReader(path))


@pytest.mark.parametrize(("coding", "compress"), [("gzip", gzip.compress), ("zstd", zstd.compress)])
@pytest.mark.parametrize("name", PACKED)
def test_large_pages_are_cut_and_counted_before_and_after_decoding(
    tmp_path: Path, name: str, coding: str, compress: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / name
    packed = (("Content-Type", "text/html"), ("Content-Encoding", coding))
    bomb = compress(b"x" * 5_000_000)
    large = [Answer("http://x.org/1", bomb, packed), Answer("http://x.org/2", b"y" * 20_000)]
    write_warc(path, [*large, *answers(1)])
    reader = WarcReader(path, max_bytes=10_000)
    assert [len(record.html) for record in reader] == [10_000, 10_000, len(html(0))]
    assert reader.capped == 2


@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_a_page_of_exactly_the_most_bytes_is_whole(tmp_path: Path, coding: str) -> None:
    pack = gzip.compress if coding == "gzip" else bytes
    headers = (("Content-Type", "text/html"), ("Content-Encoding", coding))
    bodies = [os.urandom(size) if coding == "identity" else bytes(size) for size in (9_999, 10_000, 10_001)]
    write_warc(tmp_path / "a.warc", [Answer("http://x.org/", pack(body), headers) for body in bodies])
    reader = WarcReader(tmp_path / "a.warc", max_bytes=10_000)
    assert [record.html for record in reader] == [body[:10_000] for body in bodies]
    assert (reader.capped, len(reader.unreadable)) == (1, 0)


@pytest.mark.parametrize("at", [0, 2, -30, -3])
def test_a_damaged_member_that_continues_a_record_costs_that_record(tmp_path: Path, at: int) -> None:
    """The second record lies in two members, of which the second is damaged."""
    path = tmp_path / "a.warc.gz"
    saved = answers(3)

    def split(record: bytes) -> bytes:
        if b"/1.html" not in record:
            return gzip.compress(record)
        half = len(record) // 2
        further = bytearray(gzip.compress(record[half:]))
        further[at] ^= 0xFF
        return gzip.compress(record[:half]) + further

    starts = write_warc(path, saved, compress=split)
    urls, reader = read(path)
    assert urls == [saved[0].url, saved[2].url]
    assert [name for name, _ in reader.unreadable.first] == [f"a.warc.gz, byte {starts[1]}"]
