"""The sandwich over tokens and over lines, against the paper and plain oracles."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.algorithms.extraction.sandwich import cut_lines, filling, sandwich, token_spans
from templcrawl.page.tokens import Limits, read_tokens
from tests.oracles import lcs_length
from tests.strategies import mask_of, noises, soups, spans_of


def pair_of_few_terms(page: bytes, sibling: bytes, distinct: int) -> tuple[bytes, bytes]:
    return bytes(token % distinct for token in page), bytes(token % distinct for token in sibling)


siblings = st.builds(pair_of_few_terms, st.binary(max_size=30), st.binary(max_size=30), st.integers(1, 5))
"""Two sequences of up to 30 tokens with 1 to 5 distinct terms: many ties."""


def is_subsequence(part: bytes, whole: bytes) -> bool:
    rest = iter(whole)
    return all(token in rest for token in part)


def bread_of(page: bytes, spans: tuple[tuple[int, int], ...]) -> bytes:
    within = {position for start, stop in spans for position in range(start, stop)}
    return bytes(token for position, token in enumerate(page) if position not in within)


def test_the_lines_of_a_page_between_its_template() -> None:
    """Content is split in two by a template line, as in section 3 of the paper."""
    page = ["<nav>", "Tea", "Milk", "<ad>", "Sugar", "<foot>"]
    sibling = ["<nav>", "Coffee", "<ad>", "<foot>"]
    assert sandwich(page, sibling) == ((1, 3), (4, 5))
    assert sandwich(sibling, page) == ((1, 2),)


@given(siblings)
@settings(max_examples=1_000, deadline=None)
def test_all_but_a_longest_common_subsequence_is_filling(pair: tuple[bytes, bytes]) -> None:
    page, sibling = pair
    spans = sandwich(page, sibling)
    covered = sum(stop - start for start, stop in spans)
    assert len(page) - covered == lcs_length(page, sibling)
    assert is_subsequence(bread_of(page, spans), sibling)


@given(siblings, st.sampled_from([1, 5, 20, 100, 1000]))
@settings(max_examples=500, deadline=None)
def test_under_any_cap_spans_are_apart_and_the_bread_is_in_the_sibling(
    pair: tuple[bytes, bytes], max_cells: int
) -> None:
    page, sibling = pair
    spans, exact = filling(page, sibling, max_cells=max_cells)
    assert all(0 <= start < stop <= len(page) for start, stop in spans)
    assert all(left_stop < right_start for (_, left_stop), (right_start, _) in pairwise(spans))
    bread = bread_of(page, spans)
    assert is_subsequence(bread, sibling)
    if exact:
        assert len(bread) == lcs_length(page, sibling)
    assert sandwich(page, sibling, max_cells=max_cells) == spans


def test_a_filling_cut_by_the_cap_says_so() -> None:
    assert filling("ab", "ba", max_cells=4).exact
    assert not filling("ab", "ba", max_cells=3).exact


broken_soups = st.lists(soups | st.sampled_from(["\n", "\r\n", "\n \n", "\r"]), max_size=8).map("".join)


@pytest.mark.parametrize(
    ("text", "lines", "starts"),
    [
        ("", [], []),
        ("tea", ["tea"], [0]),
        ("tea\n", ["tea"], [0]),
        (" tea \r\n\tmilk", [" tea ", "\tmilk"], [0, 7]),
        ("tea\rmilk\n\n\n \t\nsugar", ["tea", "milk", "sugar"], [0, 4, 14]),
        ("\n\n", [], []),
        ("tea\x0bmilk\x85\u2028sugar", ["tea\x0bmilk\x85\u2028sugar"], [0]),
    ],
)
def test_the_lines_of_a_text(text: str, lines: list[str], starts: list[int]) -> None:
    assert cut_lines(text) == (lines, starts)


@given(broken_soups)
def test_lines_are_all_that_is_not_a_blank_line_or_a_line_end(text: str) -> None:
    lines, starts = cut_lines(text)
    assert lines == [line for line in text.replace("\r", "\n").split("\n") if line.strip()]
    assert [text[start : start + len(line)] for line, start in zip(lines, starts)] == lines
    assert starts == sorted(set(starts))


@given(broken_soups, noises)
def test_the_spans_are_the_tokens_that_touch_the_kept_lines(text: str, noise: bytes) -> None:
    lines, starts = cut_lines(text)
    tokens = read_tokens(text, Limits())
    kept = spans_of(mask_of(noise, len(lines)))
    spans = token_spans(tokens, lines, starts, kept)
    ranges = [(starts[first], starts[last - 1] + len(lines[last - 1])) for first, last in kept]
    touched = bytes(
        any(begin < stop and start < end for begin, end in ranges)
        for start, stop in zip(tokens.starts, tokens.starts[1:])
    )
    assert list(spans) == spans_of(touched)
