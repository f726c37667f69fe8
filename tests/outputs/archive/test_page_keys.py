"""The keys of an archive's pages: found again, each once, at a cost that the pages before do not raise."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from time import thread_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.outputs.archive.rows import PageRows
from templcrawl.outputs.archive.writer import PART_PAGES, ArchiveWriter, PageKeys

KEYS = st.sets(st.integers(-(2**63), 2**63 - 1) | st.integers(-9, 9), max_size=20)
TRIES = 3


@given(st.lists(KEYS, max_size=30))
def test_a_key_is_known_once_it_was_added(parts: list[set[int]]) -> None:
    known, expected = PageKeys(), set[int]()
    for part in parts:
        fresh = part - expected
        known.add(np.array(list(fresh), dtype=np.int64))
        expected |= fresh
        assert len(known) == len(expected)
    for key in expected | {0, 9, -(2**63), 2**63 - 1}:
        assert (key in known) == (key in expected)


@pytest.mark.parametrize("first", [0, 1, 100_000])
def test_few_runs_are_searched_however_many_parts_there_were(first: int) -> None:
    known = PageKeys()
    known.add(np.arange(first, dtype=np.int64))
    for part in range(1_000):
        known.add(np.arange(part * 10, part * 10 + 10, dtype=np.int64) + 10**9)
        sizes = [len(run) for run in known.runs]
        assert all(before > 2 * after for before, after in zip(sizes, islice(sizes, 1, None)))
    assert sum(sizes) == len(known) == first + 10_000


def seconds(folder: Path, parts: int) -> float:
    """Return the CPU time of so many parts, without what it takes to write them."""
    rng = np.random.default_rng(parts)
    keys = rng.integers(-(2**63), 2**63 - 1, parts * PART_PAGES).tolist()
    writer = ArchiveWriter(str(folder))
    started = thread_time()
    for key in keys:
        writer.add(PageRows((key,), [], [], (key, "")))
    assert writer.parts == parts
    return thread_time() - started


@pytest.mark.exhaustive
def test_a_part_costs_no_more_where_many_pages_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four times as many parts cost four times as much; merging all pages at each part, 16 times."""
    monkeypatch.setattr(ArchiveWriter, "_write", lambda writer, name, tables: None)
    assert any(seconds(tmp_path, 120) < 8 * seconds(tmp_path, 30) for _ in range(TRIES))
