"""Which elements a reader sees text in: names, what the page hides, pages that would be empty, formulas."""

from __future__ import annotations

import pytest
from hypothesis import given

from templcrawl.page.page import Page
from templcrawl.page.render import html_of, text_of
from templcrawl.page.tokens import attributes
from templcrawl.page.vocabulary import INVISIBLE, SKELETON
from tests.strategies import soups

pytestmark = pytest.mark.usefixtures("reader")


def seen(html: str) -> str:
    """Return the text of a page."""
    page = Page(html, "")
    return text_of(page, bytes(len(page.tokens)), 0)


@given(soups)
def test_an_element_is_seen_unless_something_around_it_hides_it(text: str) -> None:
    page = Page(text.replace("math", "mark"), "")
    elements, tokens = page.elements, page.tokens
    visible, shown = [True], [True]
    for name, parent, opened in list(zip(elements.names, elements.parents, elements.opens))[1:]:
        has = attributes(tokens.forms[tokens.form_of[opened]])
        is_plain = name not in INVISIBLE or (name == "template" and "shadowrootmode" in has)
        hides = name not in SKELETON and (
            name == "dialog" or not {"hidden", "style", "popover"}.isdisjoint(has)
        )
        visible.append(visible[parent] and is_plain)
        shown.append(shown[parent] and is_plain and not hides)
    assert (elements.visible, elements.shown) == (visible, shown)


@pytest.mark.parametrize(
    ("tag", "is_hidden"),
    [
        ("<p hidden>", True),
        ("<p HIDDEN=''>", True),
        ("<p hidden=until-found>", False),
        ("<p data-hidden class=hidden>", False),
        ("<p style='display:none'>", True),
        ("<p style='color: red;DISPLAY :\tNone ! important ; width:0'>", True),
        ("<p style=display&colon;none>", True),
        ("<p style='display:block;x-display:none'>", False),
        ("<p style='background:url(display:none)'>", False),
        ("<p style='visibility: collapse'>", True),
        ("<p style='Visibility:hidden'>", True),
        ("<p style='visibility:visible'>", False),
        ("<p style='display'>", False),
        ("<p popover=auto>", True),
        ("<dialog>", True),
        ("<dialog open>", False),
        ("<dialog open hidden>", True),
        ("<datalist>", True),
        ("<details>", False),
        ("<body hidden>", False),
        ("<p aria-hidden=true>", False),
        ("<template>", True),
        ("<template shadowrootmode=Closed>", False),
        ("<template shadowrootmode=x>", True),
        ("<video>", True),
        ("<canvas>", True),
        ("<object data=x>", False),
    ],
)
def test_what_hides(tag: str, is_hidden: bool) -> None:
    assert ("milk" not in seen(f"<section>tea {tag}milk</section>")) == is_hidden


@pytest.mark.parametrize("tag", ["<noscript>", "<div hidden id=S:0>", "<div style=display:none>", "<dialog>"])
@pytest.mark.parametrize(("words", "is_read"), [(30, False), (60, True)])
@pytest.mark.parametrize("beside", ["", "<p>tea</p>"])
def test_what_is_not_shown_is_read_where_it_is_the_page(
    tag: str, words: int, is_read: bool, beside: str
) -> None:
    """Sixty words of four letters and a space are 300 characters."""
    assert ("word" in seen(f"{beside}{tag}<i>{'word ' * words}</i></{tag[1:].split()[0]}")) == is_read


def test_what_is_not_shown_is_not_read_beside_a_page_of_its_length() -> None:
    text = "word " * 100
    assert "milk" not in seen(f"<p>{text}</p><noscript>milk {text[:300]}</noscript><p hidden>{text[:190]}")


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<math><semantics><mi>a</mi><annotation>\\a</annotation></semantics></math>", "a"),
        ("<i><b><math>a=1</math></b><b aria-hidden=true>a=1</b></i> so", "a=1 so"),
        ("<i><nobr aria-hidden=true>a=1</nobr><b><math>a=1</math></b></i> so", "a=1 so"),
        ("<i><b aria-hidden=true>a=1</b></i> so", "a=1 so"),
        ("<i><b><math>a</math></b></i><i><b aria-hidden=true>b</b></i>", "ab"),
        ("<i><b hidden>x<math>a</math></b><b aria-hidden=true>b</b></i>", "a"),
        ("<p>The <b style=display:none><math>a</math></b><img alt=a> is", "The a is"),
        ("<p>The <b style=display:none><u><math>a</math></u></b><img alt=a> is", "The is"),
        ("<math>a</math><p aria-hidden=true>b", "a\nb"),
        ("<x hidden><math>a<x hidden><math>b</math></x></math></x>", "a"),
    ],
)
def test_a_formula_is_seen_once(html: str, text: str) -> None:
    assert seen(html) == text


def test_the_html_of_a_formula_behind_its_picture_is_the_formula() -> None:
    page = Page("<p>The <b style=display:none><math alttext=x>a</math></b><img alt=x> is", "")
    assert html_of(page, bytes(len(page.tokens)), 0) == "<p>The <math alttext=x>a</math> is</p>"


@pytest.mark.parametrize(
    ("html", "written"),
    [
        ("<p><img data-x=a><noscript> <img src=b> </noscript>", "<p>  <img src=b>  </p>"),
        ("<picture><source srcset=c><img></picture><noscript><img src=b></noscript>", "<img src=b>"),
        ("<img src=a><noscript><img src=b> and</noscript>", "<img src=a>"),
        ("<img src=a><noscript><img src=b><img src=c></noscript>", "<img src=a>"),
        ("<img src=a><p>tea</p><noscript><img src=b></noscript>", "<img src=a><p>tea</p>"),
        ("<p hidden><img src=a><noscript><img src=b></noscript>", ""),
        ("<noscript><img src=b></noscript>", ""),
    ],
)
def test_a_picture_that_loads_late_is_that_of_its_noscript(html: str, written: str) -> None:
    page = Page(html, "")
    assert html_of(page, bytes(len(page.tokens)), 0).split() == written.split()
