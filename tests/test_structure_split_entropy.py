"""The cut at which both parts say equally much."""

from __future__ import annotations

import itertools
from collections import Counter
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.structure.split_entropy import balanced_split, entropy_by_split

pytestmark = pytest.mark.exhaustive


def test_by_hand() -> None:
    prints = [bytes([0, 0, 1]), bytes([0, 1, 1]), bytes([0, 1, 2]), bytes([0, 1, 2])]
    cuts = entropy_by_split(prints, length=3)
    assert cuts[0].head == 0
    assert cuts[0].tail == pytest.approx(1.5)  # two tails of a quarter, one of a half
    assert cuts[1].head == pytest.approx(0.25 * log2(4) + 0.75 * log2(4 / 3))
    assert cuts[1].tail == pytest.approx(1.0)
    assert balanced_split(cuts) == 2


@given(st.lists(st.binary(max_size=25), min_size=1, max_size=30))
def test_entropies_are_those_of_the_parts_and_grow_with_their_length(prints: list[bytes]) -> None:
    cuts = entropy_by_split(prints)
    assert [cut.split for cut in cuts] == list(range(1, 25))
    for cut in cuts:
        heads = Counter(fingerprint[: cut.split] for fingerprint in prints)
        assert cut.head == pytest.approx(
            -sum(n / len(prints) * log2(n / len(prints)) for n in heads.values())
        )
    for before, after in itertools.pairwise(cuts):
        assert after.head >= before.head - 1e-9
        assert after.tail <= before.tail + 1e-9
    assert 1 <= balanced_split(cuts) < 25
