from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.readers.members import DamagedRecord, Piece, pieces

chunk_lists = st.lists(st.binary(min_size=1, max_size=20))


@given(chunk_lists, st.lists(st.tuples(st.sampled_from(["read", "readline", "skip"]), st.integers(0, 30))))
def test_a_piece_reads_like_a_file(chunks: list[bytes], calls: list[tuple[str, int]]) -> None:
    piece, file = Piece(0, iter(chunks)), BytesIO(b"".join(chunks))
    for call, size in calls:
        if call == "skip":
            assert piece.skip(size) == len(file.read(size))
        else:
            assert getattr(piece, call)(size) == getattr(file, call)(size)


@given(st.lists(st.binary(min_size=1, max_size=9).map(lambda chunk: chunk.replace(b"\xff", b"\nab"))))
def test_a_line_is_sought_over_the_borders_of_chunks(chunks: list[bytes]) -> None:
    text = b"".join(chunks)
    lines = text.split(b"\n")
    at = next((number for number, line in enumerate(lines) if line.startswith(b"ab")), None)
    piece = Piece(0, iter(chunks))
    assert piece.seek_line(b"ab") == (at is not None)
    assert piece.read(len(text)) == (b"" if at is None else b"\n".join(lines[at:]))


@given(st.lists(st.sampled_from([b" ", b"\r\n", b"a", b"\n \t", b"b "]), max_size=8))
def test_white_space_is_passed_over_up_to_what_is_none(chunks: list[bytes]) -> None:
    piece = Piece(0, iter(chunks))
    piece.skip_space()
    assert piece.read(100) == b"".join(chunks).lstrip()


@pytest.mark.parametrize("call", ["skip_space", "seek_line"])
def test_blank_lines_cost_a_call_a_chunk(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fills, fill = [], Piece._fill

    def count(piece: Piece) -> bool:
        fills.append(piece)
        return fill(piece)

    monkeypatch.setattr(Piece, "_fill", count)
    piece = Piece(0, iter([b"\r\n" * 2**15] * 50))
    getattr(piece, call)(*([b"WARC/"] if call == "seek_line" else []))
    assert len(fills) == 51
    assert piece.readline() == b""


def test_a_line_has_an_end_even_where_the_file_has_none() -> None:
    piece = Piece(0, iter([b"x" * 50_000] * 4))
    assert len(piece.readline()) == 2**16


def test_pieces_are_members_and_know_where_they_start() -> None:
    members = [gzip.compress(text) for text in (b"one", b"", b"three" * 50_000)]
    found = [(piece.offset, piece.read(10**6)) for piece in pieces(BytesIO(b"".join(members)))]
    assert found == [
        (0, b"one"),
        (len(members[0]), b""),
        (len(members[0]) + len(members[1]), b"three" * 50_000),
    ]


def test_after_damage_reading_goes_on_where_a_record_starts() -> None:
    good = gzip.compress(b"WARC/1.0 good")
    decoy = gzip.compress(b"no record")
    read = []
    for piece in pieces(BytesIO(good + b"\x1f\x8b\x08 damage" + decoy + b"\x1f\x8b" + good)):
        try:
            read.append(piece.read(100))
        except DamagedRecord:
            read.append(b"damaged")
    assert read == [b"WARC/1.0 good", b"damaged", b"WARC/1.0 good"]


@pytest.mark.parametrize("before", range(3))
def test_a_member_is_found_over_the_border_of_what_is_read_at_once(before: int) -> None:
    damage = b"\x1f\x8b\x08" + bytes([0xFF]) * (2**16 + 1 - 3 - before)
    good = []
    for piece in pieces(BytesIO(damage + gzip.compress(b"WARC/1.0 good"))):
        with suppress(DamagedRecord):
            good.append(piece.read(100))
    assert good == [b"WARC/1.0 good"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_file_is_read_a_little_at_a_time(pack: Callable[[bytes], bytes]) -> None:
    sizes: list[int] = []

    class Watched(BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            sizes.append(-1 if size is None else size)
            return super().read(size)

    for piece in pieces(Watched(pack(os.urandom(2**20)))):
        assert piece.skip(2**21) == 2**20
    assert 0 < min(sizes) <= max(sizes) <= 2**18


@pytest.mark.parametrize("chunks", [[b"x\n", b"ab"], [b"x\na", b"b"], [b"x", b"\n", b"a", b"b"]])
def test_a_line_that_starts_between_two_chunks_is_found(chunks: list[bytes]) -> None:
    piece = Piece(0, iter(chunks))
    assert piece.seek_line(b"ab")
    assert piece.read(9) == b"ab"


def test_a_piece_that_was_damaged_is_at_its_end() -> None:
    piece = next(pieces(BytesIO(gzip.compress(b"abc")[:-4])))
    with pytest.raises(DamagedRecord, match="ends inside"):
        piece.read(10)
    assert piece.read(10) == piece.readline() == b""
