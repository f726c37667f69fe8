"""Lines and the tokens that touch them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.detectors.sandwich import cut_lines, token_spans
from templcrawl.page.tokens import Limits, read_tokens
from tests.strategies import mask_of, noises, soups, spans_of

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


def test_tokens_that_touch_a_line_by_an_example() -> None:
    text = "<ul>\n<li>tea</li>\n<li>milk\nand sugar</li>\n</ul>"
    lines, starts = cut_lines(text)
    tokens = read_tokens(text, Limits())
    assert token_spans(tokens, lines, starts, [(1, 2)]) == ((2, 5),)
    assert token_spans(tokens, lines, starts, [(2, 3)]) == ((6, 8),)
    assert token_spans(tokens, lines, starts, [(3, 4)]) == ((7, 9),)
    assert token_spans(tokens, lines, starts, [(2, 3), (3, 4)]) == ((6, 9),)
    assert token_spans(tokens, lines, starts, [(0, 1), (4, 5)]) == ((0, 1), (10, 11))
    assert token_spans(tokens, lines, starts, [(0, 5)]) == ((0, 11),)
    assert token_spans(tokens, lines, starts, []) == ()


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


def test_a_page_of_two_hundred_thousand_lines_inside_one_token() -> None:
    text = "<p>" + "tea\nmilk\n" * 100_000 + "</p>"
    lines, starts = cut_lines(text)
    kept = [(line, line + 1) for line in range(1, 200_000, 2)]
    assert token_spans(read_tokens(text, Limits()), lines, starts, kept) == ((1, 2),)
