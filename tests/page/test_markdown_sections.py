"""Sections of Markdown are no longer than asked for, and are cut where a reader would cut them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.page.markdown import MarkdownSection, cut_long


def pieces(markdown: str, longest: int, path: tuple[str, ...] = ("A",)) -> list[str]:
    section = MarkdownSection(path=[*path], start=0, stop=len(markdown))
    cut = cut_long(markdown, [section], longest)
    assert all(piece["path"] == [*path] for piece in cut)
    return [markdown[piece["start"] : piece["stop"]] for piece in cut]


@pytest.mark.parametrize(
    ("markdown", "longest", "expected"),
    [
        ("# A\n\nbb\n\ncc\n\ndd", 13, ["# A\n\nbb\n\ncc\n\n", "dd"]),
        ("# A\n\n- b\n- c\n- d", 10, ["# A\n\n- b\n", "- c\n- d"]),
        ("# A\n\nb c d e", 9, ["# A\n\nb c ", "d e"]),
        ("# A\n\nbcdefg", 9, ["# A\n\n", "bcdefg"]),
        ("abcdefg", 3, ["abc", "def", "g"]),
        ("```\nb\n\nc\n```", 8, ["```\nb\n\n", "c\n```"]),
        ("````\n```\n\nb\n````\n\nc", 18, ["````\n```\n\nb\n````\n\n", "c"]),
        ("- ```\n  b\n\n  c\n  ```\n\nd", 22, ["- ```\n  b\n\n  c\n  ```\n\n", "d"]),
        ("# A\n\nb", 6, ["# A\n\nb"]),
    ],
)
def test_a_long_section_is_cut_behind_paragraphs(markdown: str, longest: int, expected: list[str]) -> None:
    assert pieces(markdown, longest) == expected


def test_before_the_first_heading_there_is_no_heading_to_keep() -> None:
    assert pieces("a\n\n```\nb\n\nc\n```\n\nd", 16, ()) == ["a\n\n", "```\nb\n\nc\n```\n\nd"]
    assert pieces("b\n\n- c\n- d\n- e", 9, ()) == ["b\n\n", "- c\n- d\n", "- e"]


_texts = st.text(st.sampled_from("ab \n`#->1."), max_size=60)


@given(_texts, st.lists(st.integers(0, 60), max_size=4), st.integers(1, 20))
def test_pieces_part_the_text_and_are_no_longer_than_asked_for(
    markdown: str, edges: list[int], longest: int
) -> None:
    edges = sorted({0, len(markdown), *(edge for edge in edges if edge < len(markdown))})
    sections = [MarkdownSection(path=[str(start)], start=start, stop=stop) for start, stop in pairwise(edges)]
    cut = cut_long(markdown, sections, longest)
    assert all(0 < piece["stop"] - piece["start"] <= longest for piece in cut)
    assert "".join(markdown[piece["start"] : piece["stop"]] for piece in cut) == markdown
    assert {piece["start"] for piece in cut} >= {section["start"] for section in sections}
    assert [piece["path"] for piece in cut] == sorted(
        (piece["path"] for piece in cut), key=lambda p: int(p[0])
    )
