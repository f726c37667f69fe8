"""The vote for the kind of pages: an example by hand, bounds, and its order."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.page_kinds.kind_chances import ERROR, KINDS, LEAST, KindChances, kind_of

CHANCES = st.lists(st.floats(1e-9, 1.0), min_size=len(KINDS), max_size=len(KINDS)).map(
    lambda values: np.log(np.array(values) / sum(values))
)


def chances(**of_kinds: float) -> np.ndarray:
    """Return logarithms of chances; what is left is shared by the other kinds."""
    left = (1 - sum(of_kinds.values())) / (len(KINDS) - len(of_kinds))
    return np.log([of_kinds.get(kind, left) for kind in KINDS])


def test_three_pages_vote_by_hand() -> None:
    pages = [chances(article=0.6, listing=0.3), chances(article=0.2, listing=0.7), chances(article=0.5)]
    total = sum(KindChances(logs).votes for logs in pages)
    left = 0.5 / 9
    assert total[KINDS.index("article")] == pytest.approx(math.log(0.6 * 0.2 * 0.5))
    assert total[KINDS.index("listing")] == pytest.approx(math.log(0.3 * 0.7 * left))
    assert kind_of(total, 3).name == "article"


def test_no_page_outvotes_many() -> None:
    certain = KindChances(chances(product=1 - 1e-12)).votes
    doubtful = KindChances(chances(article=0.9)).votes
    assert certain.min() == LEAST
    assert kind_of(certain + 3 * doubtful, 4).name == "article"


def test_an_error_votes_for_nobody() -> None:
    assert not KindChances(chances(error=0.97), is_error=True).votes.any()
    assert KINDS[ERROR] == "error"


@given(st.lists(CHANCES, min_size=1, max_size=6))
def test_confidence_is_a_chance_and_the_best_kind_has_the_largest_sum(pages: list[np.ndarray]) -> None:
    total = sum(KindChances(logs).votes for logs in pages)
    kind = kind_of(total, len(pages))
    assert 1 / len(KINDS) - 1e-9 <= kind.confidence <= 1
    assert total[KINDS.index(kind.name)] == max(total)
