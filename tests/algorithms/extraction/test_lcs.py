from __future__ import annotations

import random
from array import array
from collections.abc import Hashable, Sequence
from itertools import pairwise, takewhile
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from templcrawl.algorithms.extraction.lcs import Alignment, Match, longest_common_subsequence
from templcrawl.errors import InvalidOption
from tests.oracles import lcs_length

FAR_APART = [0, 2**61 - 1, 2**61, 2**64 - 1]
"""64-bit values, of which Python hashes the first two alike."""

words = st.text("abcd", max_size=30)
tokens = st.text("abcdefghijkl", max_size=40)


def matched(alignment: Alignment) -> int:
    return sum(match.length for match in alignment.matches)


def agreement(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """Return how many elements are equal from the start on."""
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False))))


def assert_common_subsequence(
    alignment: Alignment, page: Sequence[Hashable], sibling: Sequence[Hashable]
) -> None:
    """Every match matches, and matches rise strictly in both sequences without adjoining in both."""
    for start, sibling_start, length in alignment.matches:
        assert length > 0
        assert page[start : start + length] == sibling[sibling_start : sibling_start + length]
        assert start + length <= len(page)
        assert sibling_start + length <= len(sibling)
    for left, right in pairwise(alignment.matches):
        gap = right.start - (left.start + left.length)
        sibling_gap = right.sibling_start - (left.sibling_start + left.length)
        assert gap >= 0
        assert sibling_gap >= 0
        assert gap or sibling_gap


@given(words, words)
@settings(max_examples=400, deadline=None)
def test_the_alignment_is_a_longest_common_subsequence(page: str, sibling: str) -> None:
    alignment = longest_common_subsequence(page, sibling)
    assert_common_subsequence(alignment, page, sibling)
    assert matched(alignment) == lcs_length(page, sibling)
    assert alignment.exact


@given(st.lists(st.sampled_from(FAR_APART), max_size=12), st.lists(st.sampled_from(FAR_APART), max_size=12))
@example([2**61 - 1], [0])
@settings(deadline=None)
def test_values_of_equal_hash_are_told_apart(page: list[int], sibling: list[int]) -> None:
    alignment = longest_common_subsequence(page, sibling)
    assert_common_subsequence(alignment, page, sibling)
    assert matched(alignment) == lcs_length(page, sibling)


@given(words | tokens, words | tokens, st.integers(1, 60))
@example("ab", "ba", 1)
@settings(max_examples=400, deadline=None)
def test_under_a_tiny_cap_the_result_is_valid_and_never_claims_too_much(
    page: str, sibling: str, max_cells: int
) -> None:
    alignment = longest_common_subsequence(page, sibling, max_cells=max_cells)
    assert_common_subsequence(alignment, page, sibling)
    if alignment.exact:
        assert matched(alignment) == lcs_length(page, sibling)
    if len(page) * len(sibling) <= max_cells:
        assert alignment.exact


@given(st.permutations(range(12)), st.permutations(range(12)), st.integers(1, 40))
@settings(deadline=None)
def test_an_alignment_that_was_cut_does_not_claim_to_be_exact(
    page: list[int], sibling: list[int], max_cells: int
) -> None:
    """The core keeps all of 14 by 14 cells, since neither end is common."""
    page, sibling = [0, *page, 1], [1, *sibling, 0]
    alignment = longest_common_subsequence(page, sibling, max_cells=max_cells)
    assert_common_subsequence(alignment, page, sibling)
    assert not alignment.exact


def test_the_cap_counts_the_core_only() -> None:
    """Without the terms of one side and the ends "aa" and "dd", "bc" beside "cb" is left: 4 cells."""
    page, sibling = "PaabXcddQ", "RaacbddS"
    assert longest_common_subsequence(page, sibling, max_cells=4).exact
    assert not longest_common_subsequence(page, sibling, max_cells=3).exact


@given(tokens, tokens, st.integers(1, 100))
@settings(max_examples=500, deadline=None)
def test_no_alignment_exceeds_the_cap(page: str, sibling: str, max_cells: int) -> None:
    """Cells are counted without common ends: rapidfuzz takes them off before it fills its table."""
    with patch.object(LCSseq, "opcodes", wraps=LCSseq.opcodes) as opcodes:
        longest_common_subsequence(page, sibling, max_cells=max_cells)
    assert opcodes.called
    for a, b in (call.args for call in opcodes.call_args_list):
        prefix = agreement(a, b)
        suffix = agreement(a[prefix:][::-1], b[prefix:][::-1])
        assert (len(a) - prefix - suffix) * (len(b) - prefix - suffix) <= max_cells


def test_most_of_the_longest_is_still_found() -> None:
    rng = random.Random(7)
    page, sibling = ("".join(rng.choices("abcd", k=600)) for _ in range(2))
    alignment = longest_common_subsequence(page, sibling, max_cells=10_000)
    assert_common_subsequence(alignment, page, sibling)
    assert not alignment.exact
    longest = lcs_length(page, sibling)
    assert 0.9 * longest < matched(alignment) <= longest


@pytest.mark.parametrize("distinct", [3, 10**6])
def test_long_sequences_are_cut_as_far_as_one_cell(distinct: int) -> None:
    rng = random.Random(distinct)
    page, sibling = ([rng.randrange(distinct) for _ in range(3000)] for _ in range(2))
    sibling[100:2000] = page[300:2200]
    alignment = longest_common_subsequence(page, sibling, max_cells=1)
    assert_common_subsequence(alignment, page, sibling)
    assert not alignment.exact


def test_the_default_cap_cuts_a_hostile_pair_at_little_loss() -> None:
    rng = random.Random(11)
    page, sibling = ([rng.randrange(5) for _ in range(20_000)] for _ in range(2))
    alignment = longest_common_subsequence(page, sibling)
    assert_common_subsequence(alignment, page, sibling)
    assert not alignment.exact
    assert matched(alignment) > 0.98 * LCSseq.similarity(page, sibling)


def test_any_sequence_of_hashables_is_accepted() -> None:
    page, sibling = [5, 2**64 - 1, 7, 2**61 - 1], [2**64 - 1, 0, 2**61 - 1]
    expected = longest_common_subsequence(page, sibling)
    assert expected.matches == (Match(1, 0, 1), Match(3, 2, 1))
    assert longest_common_subsequence(tuple(page), sibling) == expected
    assert longest_common_subsequence(array("Q", page), array("Q", sibling)) == expected
    assert longest_common_subsequence([1, ("a", 2), None], [None, 1.0, ("a", 2)]).matches == (Match(0, 1, 2),)


@pytest.mark.parametrize("max_cells", [0, -1])
def test_a_cap_below_one_cell_is_refused(max_cells: int) -> None:
    with pytest.raises(InvalidOption, match="max_cells"):
        longest_common_subsequence("ab", "ba", max_cells=max_cells)
