"""Frames, dictionaries, and WARC files made of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from templcrawl.tools.readers.payload import DamagedRecord, undo_encodings
from templcrawl.tools.readers.warc import WarcReader
from tests.tools.readers.archives import ZSTD_LIBRARY, answers, html, write_warc
from tests.tools.readers.archives import zstd_with_checksum as compress

zstd = pytest.importorskip(ZSTD_LIBRARY)


def skippable(content: bytes, magic: int) -> bytes:
    return magic.to_bytes(4, "little") + len(content).to_bytes(4, "little") + content


def dictionary_frame(content: bytes) -> bytes:
    return skippable(content, 0x184D2A5D)


def trained(seed: int) -> bytes:
    """Return a dictionary."""
    samples = [b"WARC/1.0 %d" % number + html(number + seed, words=40) for number in range(300)]
    dictionary: bytes = zstd.train_dict(samples, 4_096).dict_content
    return dictionary


DICTIONARY, OTHER = trained(0), trained(1_000)


def with_dictionary(record: bytes) -> bytes:
    return compress(record, zstd.ZstdDict(DICTIONARY))


def read(path: Path) -> tuple[list[bytes], WarcReader]:
    reader = WarcReader(path)
    return [record.html for record in reader], reader


def unzstd(body: bytes, most: int) -> bytes:
    return undo_encodings(body, transfer="", content="zstd", max_bytes=most)


@given(contents=st.lists(st.binary(max_size=2_000), max_size=9), most=st.integers(0, 9_999))
def test_a_body_of_several_frames_is_one(contents: list[bytes], most: int) -> None:
    frames = [frame for content in contents for frame in (compress(content), skippable(content, 0x184D2A50))]
    assert unzstd(b"".join(frames), most) == b"".join(contents)[:most]


def test_what_follows_the_frames_of_a_body_is_damage() -> None:
    with pytest.raises(DamagedRecord):
        unzstd(compress(b"one") + b"behind", 99)


def test_a_frame_that_claims_a_huge_window_is_refused() -> None:
    claim = b"\x28\xb5\x2f\xfd\x00" + bytes([(31 - 10) << 3]) + b"\x01\x00\x00"
    with pytest.raises(DamagedRecord, match="damaged content encoding"):
        undo_encodings(claim, transfer="", content="zstd", max_bytes=10)


def test_of_a_cut_answer_there_is_what_there_is() -> None:
    body = b"".join(html(number) for number in range(500))
    cut = compress(body)[:-5_000]
    found = undo_encodings(cut, transfer="", content="zstd", max_bytes=10**7)
    assert 0 < len(found) < len(body)
    assert body.startswith(found)


def by_frame(size: int) -> Callable[[bytes], bytes]:
    return lambda record: b"".join(compress(record[at : at + size]) for at in range(0, len(record), size))


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(size=st.integers(5, 3_000))
@example(size=len(b"WARC/1.0"))
@example(size=len(b"WARC/1.0\r"))
def test_a_record_may_be_several_frames(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a.warc.zst"
    write_warc(path, answers(3), compress=by_frame(size))
    pages, reader = read(path)
    assert pages == [html(number) for number in range(3)]
    assert not reader.unreadable


def test_damage_in_one_of_several_frames_costs_that_record_only(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.zst"
    starts = write_warc(path, answers(4), compress=by_frame(500))
    for offset in range(0, starts[2] - starts[1], 7):
        damaged = bytearray(path.read_bytes())
        damaged[starts[1] + offset] ^= 0xFF
        other = tmp_path / "b.warc.zst"
        other.write_bytes(damaged)
        pages, reader = read(other)
        assert [page for page in pages if page != html(1)] == [html(0), html(2), html(3)]
        assert len(reader.unreadable) + len(pages) >= 4


@pytest.mark.parametrize("frame", [dictionary_frame(DICTIONARY), dictionary_frame(compress(DICTIONARY))])
def test_records_are_read_with_the_dictionary_of_the_file(tmp_path: Path, frame: bytes) -> None:
    path = tmp_path / "a.warc.zst"
    starts = write_warc(path, answers(3), compress=with_dictionary)
    path.write_bytes(frame + path.read_bytes())
    pages, reader = read(path)
    assert pages == [html(number) for number in range(3)]
    assert not reader.unreadable
    for number, start in enumerate(starts):
        damaged = bytearray(path.read_bytes())
        damaged[len(frame) + start + 100] ^= 0xFF
        (tmp_path / "b.warc.zst").write_bytes(damaged)
        pages, reader = read(tmp_path / "b.warc.zst")
        assert pages == [html(other) for other in range(3) if other != number]
        names = [name for name, _ in reader.unreadable.first]
        assert names == [f"b.warc.zst, byte {len(frame) + start}"]


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (b"", "Dictionary mismatch"),
        (dictionary_frame(OTHER), "Dictionary mismatch"),
        (dictionary_frame(b"no dictionary"), "damaged zstd dictionary"),
        (dictionary_frame(b""), "damaged zstd dictionary"),
        (dictionary_frame(DICTIONARY[:60]), "damaged zstd dictionary"),
        (dictionary_frame(compress(DICTIONARY)[:-9]), "damaged zstd dictionary"),
        (dictionary_frame(compress(bytes(2**25))), "larger than 8,388,608 bytes"),
        (dictionary_frame(DICTIONARY)[:6] + b"\xff\xff" + DICTIONARY, "larger than 8,388,608 bytes"),
    ],
)
def test_a_wrong_dictionary_is_counted_and_named(tmp_path: Path, frame: bytes, reason: str) -> None:
    path = tmp_path / "a.warc.zst"
    write_warc(path, answers(3), compress=with_dictionary)
    path.write_bytes(frame + path.read_bytes())
    pages, reader = read(path)
    assert pages == []
    assert 1 <= len(reader.unreadable) <= 2
    assert reason in reader.unreadable.first[0][1]


def test_a_damaged_dictionary_costs_only_what_needs_it(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.zst"
    write_warc(path, answers(3))
    path.write_bytes(dictionary_frame(b"no dictionary") + path.read_bytes())
    pages, reader = read(path)
    assert len(pages) == 3
    assert [name for name, _ in reader.unreadable.first] == ["a.warc.zst, byte 0"]
