"""Copies in an article go: print versions, hidden ones; records, steps, code stay.  What asks for consent."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.extraction.article import article_text
from templcrawl.algorithms.extraction.article_parts import asks_consent, without_copies
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
    unshared = np.full(len(page.text_runs), 1e-9)
    separation = Separation(page, ((0, len(page.tokens)),), run_shares=unshared, voters=9)
    return article_text(separation).split("\n")


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


def test_a_short_line_is_a_copy_only_beside_one() -> None:
    page = Page(f"<p>{SHORT}</p><div>{SHORT}</div><p>{SHORT} here</p><div>{SHORT} here</div>", "")
    assert without_copies(page, np.ones(4, dtype=bool)).tolist() == [True, True, True, False]
    copied = Page(f"<h2>{SHORT}</h2><p>{TEXT}</p><div>{SHORT}</div><div>{TEXT}</div>", "")
    assert without_copies(copied, np.ones(4, dtype=bool)).tolist() == [True, True, False, False]


pieces = st.lists(
    st.tuples(st.sampled_from(("p", "li", "pre")), st.integers(1, 3), st.sampled_from((3, 8, 9)))
)


@given(pieces)
def test_what_goes_stands_earlier_under_another_path(lines: list[tuple[str, int, int]]) -> None:
    texts = [" ".join([f"word{text}"] * words) for _, text, words in lines]
    page = Page("".join(f"<{name}>{text}</{name}>" for (name, _, _), text in zip(lines, texts)), "")
    stays = without_copies(page, np.ones(len(page.text_runs), dtype=bool))
    first: dict[str, str] = {}
    again = [first.setdefault(text, name) != name != "pre" for (name, _, _), text in zip(lines, texts)]
    expected = [True] * len(lines)
    for is_again, row in groupby(range(len(lines)), again.__getitem__):
        row = list(row)
        if is_again and any(lines[line][2] >= 8 for line in row):
            expected[row[0] : row[-1] + 1] = [False] * len(row)
    assert stays.tolist() == expected


@pytest.mark.parametrize(
    ("names", "body", "asks"),
    [
        ("id=cookie-banner", "<p>{}</p>", True),
        ("class='bar gdprPopup'", "<p>{}</p>", True),
        ("id=onetrust-consent-sdk", "<div><p>{}</p></div>", True),
        ("class=consent_wall", "<p>{}</p>", True),
        ("class=cookie-recipes", "<p>{}</p>", False),
        ("class=cookie-policy", "<p>{}</p>", False),
        ("class=informed-consent", "<p>{}</p>", False),
        ("class=cookie-notice", "<h1>About us</h1><p>{}</p>", False),
        ("class=cookie-notice", "<article><p>{}</p></article>", False),
    ],
)
def test_what_asks_for_consent(names: str, body: str, asks: bool) -> None:
    page = Page(f"<body><p>{SHORT}</p><div {names}>{body.format(TEXT)}</div></body>", "")
    assert asks_consent(page).tolist() == [False, *[asks] * (len(page.text_runs) - 1)]


@pytest.mark.parametrize("name", ["html", "body"])
def test_a_page_that_says_that_it_has_asked_is_no_notice(name: str) -> None:
    page = Page(f"<{name} class=cookie-consent><p>{TEXT}</p></{name}>", "")
    assert not asks_consent(page).any()
