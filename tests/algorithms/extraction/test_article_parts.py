"""Copies of lines in an article: print versions and hidden copies go; records, steps and code stay."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.extraction.article import article_text
from templcrawl.algorithms.extraction.article_parts import without_copies
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation

LINE = "The band of the village played in the <b>rain</b> until nightfall"
TEXT = LINE.replace("<b>", "").replace("</b>", "")
SHORT = "Seven words are not enough for this"
OTHERS = "".join(
    f"<p>Paragraph {n} tells what nobody else on this page has told before</p>" for n in range(4)
)


def lines_of(html: str) -> list[str]:
    page = Page(f"<body>{html}</body>", "https://example.org/")
    return article_text(Separation(page, ((0, len(page.tokens)),))).split("\n")


@pytest.mark.parametrize(
    ("html", "times"),
    [
        (f"<div><p>{LINE}</p>{OTHERS}</div><div class=print><p>{LINE}</p></div>", 1),
        (f"<div id=wide><p>{LINE}</p></div>{OTHERS}<div id=small><p>{LINE}</p></div>", 1),
        (f"<p>{LINE}<br>{LINE}</p>{OTHERS}<div>{LINE}</div>", 2),
        (f"<ol><li>{LINE}</li></ol>{OTHERS}<ol><li>{LINE}</li></ol>", 2),
        (f"<p>{LINE}</p>{OTHERS}<div><pre>{TEXT}</pre></div>", 2),
        (f"<p>{LINE}</p>{OTHERS}<div>{LINE} again</div>", 1),
    ],
)
def test_a_line_of_another_path_is_a_copy(html: str, times: int) -> None:
    found = lines_of(html)
    assert found.count(TEXT) == times
    assert len([line for line in found if line.startswith("Paragraph")]) == 4


def test_a_short_line_is_no_copy() -> None:
    page = Page(f"<p>{SHORT}</p><div>{SHORT}</div><p>{SHORT} here</p><div>{SHORT} here</div>", "")
    assert without_copies(page, np.ones(4, dtype=bool)).tolist() == [True, True, True, False]


pieces = st.lists(
    st.tuples(st.sampled_from(("p", "li", "pre")), st.integers(1, 3), st.sampled_from((3, 8, 9)))
)


@given(pieces)
def test_what_goes_stands_earlier_under_another_path(lines: list[tuple[str, int, int]]) -> None:
    texts = [" ".join([f"word{text}"] * words) for _, text, words in lines]
    page = Page("".join(f"<{name}>{text}</{name}>" for (name, _, _), text in zip(lines, texts)), "")
    stays = without_copies(page, np.ones(len(page.text_runs), dtype=bool))
    first: dict[str, str] = {}
    expected = []
    for (name, _, words), text in zip(lines, texts):
        expected.append(words < 8 or name == "pre" or first.setdefault(text, name) == name)
        first.setdefault(text, name)
    assert stays.tolist() == expected
