"""Both compressions answer the calls of lzma's decompressor, which is the oracle of what these mean."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.readers.compression import GZIP, ZSTD_LIBRARY, Compression, Decompressor, zstd_with
from tests.readers.archives import zstd_with_checksum

pytest.importorskip(ZSTD_LIBRARY)
ZSTD = zstd_with(None)


class Case(NamedTuple):
    compress: Callable[[bytes], bytes]
    decompressor: Callable[[], Decompressor]


CASES = {
    "gzip": Case(gzip.compress, GZIP.decompressor),
    "zstd": Case(zstd_with_checksum, ZSTD.decompressor),
    "lzma": Case(lzma.compress, lzma.LZMADecompressor),
}
every_compression = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
contents = st.binary(max_size=2_000) | st.integers(0, 300_000).map(bytes)


@every_compression
@given(content=contents, sizes=st.lists(st.integers(1, 300)), most=st.integers(1, 70_000))
def test_a_member_is_read_in_any_portions(case: Case, content: bytes, sizes: list[int], most: int) -> None:
    waiting = case.compress(content) + b"behind it"
    decompressor, found = case.decompressor(), []
    portions = iter([*sizes, len(waiting)])
    while not decompressor.eof:
        size = next(portions) if decompressor.needs_input else 0
        data, waiting = waiting[:size], waiting[size:]
        found.append(decompressor.decompress(data, most))
        assert len(found[-1]) <= most
    assert b"".join(found) == content
    assert decompressor.unused_data + waiting == b"behind it"
    assert not decompressor.needs_input


@every_compression
def test_what_follows_a_member_is_handed_back(case: Case) -> None:
    one, two = case.compress(b"one"), case.compress(b"two")
    decompressor = case.decompressor()
    assert decompressor.needs_input
    assert decompressor.decompress(one + two, 99) == b"one"
    assert (decompressor.eof, decompressor.needs_input, decompressor.unused_data) == (True, False, two)


@every_compression
def test_a_member_that_inflates_to_much_does_so_by_and_by(case: Case) -> None:
    decompressor, bomb, size = case.decompressor(), case.compress(bytes(2**24)), 0
    while not decompressor.eof:
        chunk = decompressor.decompress(bomb if decompressor.needs_input else b"", 2**16)
        assert len(chunk) <= 2**16
        size += len(chunk)
    assert size == 2**24


@pytest.mark.parametrize("compression", [GZIP, ZSTD], ids=["gzip", "zstd"])
def test_damage_raises_the_error_that_is_named(compression: Compression) -> None:
    decompressor = compression.decompressor()
    with pytest.raises(compression.error):
        decompressor.decompress(compression.magic + b"\xff" * 99, 10)
