"""The program of the sandwich paper's experiments: lines by hand, and all of it on small sites."""

from __future__ import annotations

import doctest
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("rich")

from lab.bench.saved_sites import SavedPage
from lab.papers import diet
from lab.papers.diet import WAYS, line_scores, lines_with
from templcrawl import Page, Separation
from tests.lab.bench.saved import save_sites

HTML = "<ul>\n<li>Home\n</ul>\n\n<main>\n<h1>Tea</h1>\n<p>green\nand black</p>\n</main>\n<footer>Us</footer>"


def kept(page: Page, *texts: str) -> Separation:
    """Return a separation that keeps the tokens with some texts alone."""
    forms = [page.tokens.forms[form] for form in page.tokens.form_array.tolist()]
    return Separation(page, tuple((at, at + 1) for at, form in enumerate(forms) if form.strip() in texts))


def test_their_examples_hold() -> None:
    assert doctest.testmod(diet).failed == 0


def test_lines_are_kept_and_belong_to_the_content_by_hand() -> None:
    saved = SavedPage("http://tea.example/", HTML.encode(), content=("//main",))
    # of ten lines, five are of the container: <main>, <h1>, <p>green, and black</p>, </main>
    assert line_scores(saved, kept(saved.page, "Tea", "Us")) == (1 / 2, 1 / 5)
    assert line_scores(saved, kept(saved.page, "green\nand black")) == (1.0, 2 / 5)
    assert line_scores(saved, kept(saved.page)) == (0.0, 0.0)
    assert (
        line_scores(SavedPage("http://tea.example/", HTML.encode(), content=("//article",)), kept(saved.page))
        is None
    )


@given(
    st.lists(st.sampled_from(["<p>", "a", "\n", " ", "b\nc", "</p>", "<br>\n"]), max_size=12), st.randoms()
)
def test_lines_with_a_mark_are_those_of_a_plain_search(parts: list[str], chance) -> None:
    page = Page("".join(parts), "")
    tokens = page.tokens
    marked = np.array([chance.random() < 0.4 for _ in range(len(tokens))], dtype=bool)
    expected, offset = [], 0
    for line in page.text.split("\n"):
        stop = offset + len(line)
        if line.strip():
            expected.append(
                any(
                    is_marked and key and tokens.starts[at] < stop and tokens.starts[at + 1] > offset
                    for at, (is_marked, key) in enumerate(zip(marked, tokens.keys))
                )
            )
        offset = stop + 1
    assert lines_with(page, marked).tolist() == expected


@pytest.mark.exhaustive
def test_all_ways_have_a_row(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch) -> None:
    monkeypatch.setattr(sys, "argv", ["lab/papers/diet.py"])
    diet.main(["--corpora", str(save_sites(tmp_path)), "--pages", "20"])
    printed = capfd.readouterr().out
    assert all(f"│ {way} " in printed for way in WAYS)
