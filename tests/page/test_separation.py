"""A separation: which tokens are content, and what is told of both sides.

From text runs to spans of tokens.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, content_spans, drop_bare_headings
from templcrawl.page.tokens import TEXT, Limits
from tests.strategies import mask_of, noises, soups, spans_of

pytestmark = pytest.mark.usefixtures("reader")

HTML = (
    "<ul><li><a href=/>Home</a><li><a href=/tea>All teas</a></ul>"
    "<h1>Green tea</h1><p>Steep &lt; 3 min<a href=x>x</a>"
)
PAGE = Page(HTML, "https://example.org/green")


def test_both_sides_of_a_page_by_an_example() -> None:
    separation = Separation(PAGE, [(9, 18)])
    assert separation.content_text == "Green tea\nSteep < 3 minx"
    assert separation.template_text == "Home\nAll teas"
    assert separation.content_html == "<h1>Green tea</h1><p>Steep &lt; 3 min<a href=x>x</a></p>"
    assert (
        separation.template_html == "<ul><li><a href=/>Home</a></li><li><a href=/tea>All teas</a></li></ul>"
    )
    assert separation.content_mask == bytes([0] * 9 + [1] * 9)
    assert separation.template_spans == ((0, 9),)
    assert separation.text_lengths == (26, 38)
    assert repr(separation) == (
        "<Separation of https://example.org/green: 26 of 38 characters of text are content>"
    )


def test_running_words_stand_in_long_runs_outside_links_and_furniture() -> None:
    ten = "one two three four five six seven eight nine ten"
    html = f"<p>{ten}</p><p>{ten} more</p><nav>{ten}</nav><a href=/>{ten}</a><p>one two</p><h1>{ten}</h1>"
    page = Page(html, "https://example.org/")
    assert Separation(page, [(4, 5)]).running_words == (11, 31)
    assert Separation(page, []).running_words == (0, 31)
    assert Separation(Page("", ""), []).running_words == (0, 0)


def test_words_are_lost_if_they_are_template_and_no_earlier_page_has_them() -> None:
    page = Page("<p>one two</p><p>three</p><nav>four</nav><a href=/>five</a><h1>six</h1>", "")
    shares = np.array([0.0, 0.1, 0.0, 0.0, 0.0])
    assert Separation(page, [], run_shares=shares, voters=4).lost_words == 3
    assert Separation(page, [(1, 2)], run_shares=shares, voters=4).lost_words == 1
    assert Separation(page, [], run_shares=shares, voters=3).lost_words == 0
    assert Separation(page, []).lost_words == 0


@pytest.mark.parametrize(
    ("max_tags", "exact", "truncated"),
    [
        (99, True, ()),
        (99, False, ("max_cells",)),
        (2, True, ("max_tags",)),
        (2, False, ("max_tags", "max_cells")),
    ],
)
def test_what_was_cut_short_is_told(max_tags: int, exact: bool, truncated: tuple[str, ...]) -> None:
    page = Page(HTML, "", Limits(max_tags=max_tags))
    assert Separation(page, [(0, 1)], exact=exact).truncated == truncated


def test_the_unread_rest_of_a_page_counts_as_text() -> None:
    page = Page("<p>tea<p>milk</p>", "", Limits(max_tags=1))
    separation = Separation(page, [(1, 2)])
    assert separation.content_text == "tea milk"
    assert separation.text_lengths == (len("tea<p>milk</p>"),) * 2


@given(soups, noises)
def test_the_sides_are_the_same_but_for_their_names(html: str, noise: bytes) -> None:
    page = Page(html, "")
    mask = mask_of(noise, len(page.tokens))
    one = Separation(page, spans_of(mask))
    other = Separation(page, one.template_spans)
    assert (one.content_text, one.template_text) == (other.template_text, other.content_text)
    assert (one.content_html, one.template_html) == (other.template_html, other.content_html)


@given(soups, noises)
def test_text_lengths_are_those_of_the_visible_runs(html: str, noise: bytes) -> None:
    page = Page(html, "")
    mask = mask_of(noise, len(page.tokens))
    lengths = {0: 0, 1: 0}
    for form, kind, owner, side in zip(page.tokens.form_of, page.tokens.kinds, page.elements.owners, mask):
        if kind == TEXT and page.elements.visible[owner]:
            lengths[side] += len(page.tokens.forms[form])
    assert Separation(page, spans_of(mask)).text_lengths == (lengths[1], lengths[0] + lengths[1])


@settings(deadline=None)
@given(soups, noises)
def test_every_run_is_what_it_was_said_to_be(html, noise) -> None:
    page = Page(html, "")
    is_template = np.frombuffer(mask_of(noise, len(page.text_runs)), dtype=bool)
    spans = content_spans(page, is_template)
    separation = Separation(page, spans)
    mask = separation.content_mask
    assert [mask[position] == 0 for position in page.text_runs.positions.tolist()] == is_template.tolist()
    covered = sorted((*separation.content_spans, *separation.template_spans))
    edges = [edge for span in covered for edge in span]
    assert edges[1:-1:2] == edges[2::2]
    assert not len(page.tokens) or (edges[0], edges[-1]) == (0, len(page.tokens))


def test_an_image_is_what_is_around_it() -> None:
    page = Page("<div>menu<img src=a></div><div><p>words</p><img src=b></div>", "")
    separation = Separation(page, content_spans(page, np.array([True, False])))
    assert separation.content_html == "<div><p>words</p><img src=b></div>"
    assert "<img src=a>" in separation.template_html


def separation_of(html: str) -> Separation:
    """Return a page of which the texts that begin with "t" are template."""
    page = Page(html, "https://tea.example/")
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
    page = Page(html, "https://tea.example/")
    mask = bytes([1]) * len(page.tokens)
    changed = drop_bare_headings(page, mask)
    assert len(changed) == len(mask)
    assert changed == mask or {"form", "select"} & {*page.elements.names}
    assert drop_bare_headings(page, bytes(len(mask))) == bytes(len(mask))
