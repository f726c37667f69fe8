"""The range of blocks that is worth most, by brute force."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.extraction.best_range import Range, best_range


def reference(values: list[float], owners: list[int], parents: list[int], price: float) -> float:
    """The worth of the best range: every range, every choice of elements to pass over, by recursion."""

    def inside(element: int, ancestor: int) -> bool:
        while element > ancestor:
            element = parents[element]
        return element == ancestor

    def worth(element: int, start: int, stop: int) -> float:
        total = sum(values[block] for block in range(start, stop) if owners[block] == element)
        for child in (e for e, parent in enumerate(parents) if parent == element):
            blocks = [block for block in range(len(values)) if inside(owners[block], child)]
            covered = [block for block in blocks if start <= block < stop]
            if not covered:
                continue
            whole = worth(child, start, stop)
            total += max(whole, -price) if covered == blocks else whole
        return total

    ranges = [(start, stop) for start in range(len(values)) for stop in range(start + 1, len(values) + 1)]
    return max([0.0, *(worth(0, start, stop) for start, stop in ranges)])


@st.composite
def blocks(draw: st.DrawFn) -> tuple[list[float], list[int], list[int]]:
    """Blocks in the document order of a small tree."""
    parents, owners = [-1], []
    path = [0]
    for _ in range(draw(st.integers(1, 7))):
        for _ in range(draw(st.integers(0, len(path) - 1))):
            path.pop()
        for _ in range(draw(st.integers(0, 2))):
            parents.append(path[-1])
            path.append(len(parents) - 1)
        owners.append(path[-1])
    values = [float(draw(st.integers(-30, 30))) for _ in owners]
    return values, owners, parents


def worth_of(found: Range, values: list[float], price: float) -> float:
    """The worth of a range: its blocks outside what is passed over, less the price of passing over it."""
    outermost = [
        one
        for one in found.passed
        if not any(other != one and other[0] <= one[0] and one[1] <= other[1] for other in found.passed)
    ]
    passed = {block for start, stop in outermost for block in range(start, stop)}
    kept = sum(
        value
        for block, value in enumerate(values)
        if found.start <= block < found.stop and block not in passed
    )
    return kept - price * len(outermost)


@given(blocks(), st.integers(1, 25).map(float))
def test_no_range_is_worth_more(tree: tuple[list[float], list[int], list[int]], price: float) -> None:
    values, owners, parents = tree
    found = best_range(values, owners, parents, price)
    assert worth_of(found, values, price) == pytest.approx(reference(values, owners, parents, price))


def test_blocks_of_a_range_are_those_that_are_not_passed_over() -> None:
    found = best_range([9.0, -50.0, 9.0, -1.0], [0, 1, 0, 0], [-1, 0], 5.0)
    assert found.block_flags(4).tolist() == [True, False, True, False]
