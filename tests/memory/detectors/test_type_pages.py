"""Pages of a site by their page types: which of them are asked, which one is evicted, and their snapshot."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from templcrawl.memory.detectors.type_pages import TypePages

from templcrawl.errors import BrokenInvariant, InvalidSnapshot
from templcrawl.memory.detectors.page_sample import PageSample, SampledPage

READER = PageSample(size=16)


def read(*runs: int) -> SampledPage:
    return READER.read(np.array(runs, dtype=np.uint64))


def stored(*pages: tuple[int, SampledPage], size: int = 16, limit: int = 64) -> TypePages:
    known = TypePages(size=size, template_of=lambda leaf: leaf // 10, limit=limit)
    for leaf, page in pages:
        known.insert(page, leaf)
    return known


def test_pages_of_the_same_template_are_asked_and_not_the_page_itself() -> None:
    known = stored((10, read(1, 2, 3)), (11, read(1, 2, 4)), (20, read(5, 6)))
    shares, pages = known.shares(read(2, 1, 9, 1), 12)
    assert (shares.tolist(), pages) == ([1.0, 1.0, 0.0, 1.0], 2)
    shares, pages = known.shares(read(1, 2, 3), 10)
    assert (shares.tolist(), pages) == ([1.0, 1.0, 0.0], 1)
    assert known.shares(read(1), 30).pages == 0


def test_of_many_pages_the_largest_template_loses_the_largest_hash() -> None:
    pages = sorted((read(number, 100 + number) for number in range(4)), key=lambda page: page.hash)
    known = stored((20, pages[0]), (10, pages[3]), (11, pages[1]), (12, pages[2]), limit=3)
    assert len(known) == 3
    assert known.shares(read(7), 10).pages == 2
    assert known.shares(pages[1], 10).pages == 1
    assert known.shares(read(7), 20).pages == 1


RUNS = st.lists(st.integers(0, 30), min_size=1, max_size=8)


@given(st.lists(st.tuples(st.integers(0, 39), RUNS), max_size=20), RUNS, st.integers(1, 5))
def test_shares_are_those_of_the_pages_with_the_smallest_hashes(
    pages: list[tuple[int, list[int]]], asked: list[int], size: int
) -> None:
    pages_of = {read(*runs).hash: (leaf, set(runs)) for leaf, runs in pages}
    page = read(*asked)
    alike = sorted(one for one, (leaf, _) in pages_of.items() if leaf // 10 == 1 and one != page.hash)[:size]
    found = stored(*((leaf, read(*runs)) for leaf, runs in pages), size=size).shares(page, 15)
    assert found.pages == len(alike)
    expected = [sum(run in pages_of[one][1] for one in alike) / max(len(alike), 1) for run in asked]
    assert found.shares.tolist() == pytest.approx(expected)


def test_a_snapshot_gives_the_same_answers() -> None:
    known = stored((10, read(1, 2, 3)), (11, read(1, 2, 4)), (20, read(5, 6)))
    again = stored()
    again.restore(json.loads(json.dumps(known.snapshot())))
    assert again.snapshot() == known.snapshot()
    assert again.nbytes == known.nbytes > 0
    assert again.shares(read(1, 4), 13).shares.tolist() == known.shares(read(1, 4), 13).shares.tolist()


@pytest.mark.parametrize(
    "pages",
    [
        None,
        [{}],
        [{"hash": 1, "leaf": "a", "leaves": ""}],
        [{"hash": 1, "leaf": 2, "leaves": "?"}],
        [{}] * 65,
    ],
)
def test_a_damaged_snapshot_is_told(pages: Any) -> None:
    with pytest.raises(InvalidSnapshot):
        stored().restore({"pages": pages})


def test_too_many_pages_are_told() -> None:
    known = stored((10, read(1)), (10, read(2)))
    known.validate()
    known.limit = 1
    with pytest.raises(BrokenInvariant, match="2 pages"):
        known.validate()
