"""Markdown has no heading whose list is template, and every other one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, content_spans, without_bare_headings
from tests.strategies import soups

BASE = "https://tea.example/"


def separation_of(html: str) -> Separation:
    """Return a page of which the texts that begin with "t" are template."""
    page = Page(html, BASE)
    texts = [
        page.tokens.forms[page.tokens.form_of[position]] for position in page.text_runs.positions.tolist()
    ]
    return Separation(
        page, content_spans(page, np.array([text.startswith("t") for text in texts], dtype=bool))
    )


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<h2>A</h2><ul><li>t<li>t</ul><p>b", "b"),
        ("<h2>A</h2><ul><li>t<li>c</ul><p>b", "## A\n\n- c\n\nb"),
        ("<h2>A</h2>c<ul><li>t</ul><p>b", "## A\n\nc\n\nb"),
        ("<h2>A</h2><h3>t</h3><ul><li>t</ul><p>b", "b"),
        ("<h2>A</h2><h3>B</h3><ul><li>t</ul><p>b", "## A\n\nb"),
        ("<h2>A</h2><form><input><button>t</button></form><p>b", "b"),
        ("<h2>A</h2><p>t</p><p>b", "## A\n\nb"),
        ("<h2>A</h2><ul><li><img src=i alt=c></ul>", "## A\n\n- ![c](https://tea.example/i)"),
        ("<div><h2>A</h2></div><ul><li>t</ul>", "## A"),
        ("<h2>A</h2>", "## A"),
    ],
)
def test_a_heading_goes_with_its_list(html: str, markdown: str) -> None:
    pytest.importorskip("turbohtml")
    separation = separation_of(html)
    assert separation.content_markdown == markdown
    assert ("A" in separation.content_text) is True


@given(soups)
def test_of_a_page_that_is_content_nothing_goes_but_headings_of_forms(html: str) -> None:
    page = Page(html, BASE)
    mask = bytes([1]) * len(page.tokens)
    changed = without_bare_headings(page, mask)
    assert len(changed) == len(mask)
    assert changed == mask or {"form", "select"} & {*page.elements.names}
    assert without_bare_headings(page, bytes(len(mask))) == bytes(len(mask))
