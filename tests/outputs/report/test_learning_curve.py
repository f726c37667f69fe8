"""The learning curve against sums of all pages so far."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.outputs.report.figures import LearningCurve

_pages = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda two: (min(two), max(two))), max_size=80
)


@given(_pages, st.sampled_from([2, 4, 10]))
def test_it_is_what_the_pages_so_far_sum_up_to(pages: list[tuple[int, int]], most: int) -> None:
    curve = LearningCurve(most=most)
    for kept, whole in pages:
        curve.update(kept, whole)
    assert len(curve.points()) <= most
    assert len(pages) <= curve.width * most
    assert curve.width == 1 or len(pages) > curve.width * most // 2
    expected = []
    for start in range(0, len(pages), curve.width):
        so_far = pages[: start + curve.width]
        whole = sum(whole for _, whole in so_far)
        if whole:
            expected.append((len(so_far), 1 - sum(kept for kept, _ in so_far) / whole))
    assert [point.pages for point in curve.points()] == [pages for pages, _ in expected]
    assert [point.share for point in curve.points()] == pytest.approx([share for _, share in expected])
