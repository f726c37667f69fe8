"""Which start tags end what is open, how far an end tag reaches, and what is read of many open elements.

The lists are those of section 13.2 of the HTML standard, written out here once more; an element is asked for
by the elements around the last text run of a small page, outermost first.
"""

from __future__ import annotations

import pytest

from templcrawl.page.page import Page
from templcrawl.page.tokens import TEXT

pytestmark = pytest.mark.usefixtures("reader")

HEADINGS = "h1 h2 h3 h4 h5 h6".split()
BLOCKS = """address article aside blockquote center details dialog dir div dl fieldset figcaption figure
    footer header hgroup listing main menu nav ol pre search section summary ul""".split()
SCOPES = "applet caption marquee object td template th".split()
SPECIAL = """article aside blockquote center details dir dl fieldset figcaption figure footer header hgroup
    listing main menu nav ol pre section summary ul""".split()
CELLS = ["td", "th"]
PARTS = ["tbody", "thead", "tfoot"]


def around(html: str) -> str:
    """Return the elements around the last text run of a page, outermost first."""
    page = Page(html, "https://example.org/")
    elements = page.elements
    element = elements.owners[page.tokens.kinds.rindex(TEXT)]
    names: list[str] = []
    while element > 0:
        names.append(elements.names[element])
        element = elements.parents[element]
    return " ".join(reversed(names))


@pytest.mark.parametrize("name", [*BLOCKS, *HEADINGS, "form", "p", "li", "dd", "dt", "table"])
def test_a_block_ends_an_open_paragraph(name: str) -> None:
    assert around(f"<p>a<b>b<{name}>c") == name


def test_a_rule_ends_an_open_paragraph() -> None:
    assert around("<p>a<hr>b") == ""


@pytest.mark.parametrize("name", ["span", "b", "ins", "label", "button", "object", "td"])
def test_any_other_start_tag_does_not(name: str) -> None:
    assert around(f"<p>a<{name}>b") == f"p {name}"


@pytest.mark.parametrize("name", [*SCOPES, "button"])
def test_a_paragraph_is_not_ended_out_of_a_scope_of_its_own(name: str) -> None:
    assert around(f"<p>a<{name}>b<div>c") == f"p {name} div"
    assert around(f"<p>a<{name}>b</p>c") == f"p {name}"


@pytest.mark.parametrize(("open_name", "name"), [("li", "li"), ("dd", "dt"), ("dt", "dd"), ("dd", "dd")])
def test_an_item_ends_an_open_item_but_not_out_of_a_special_element(open_name: str, name: str) -> None:
    assert around(f"<{open_name}>a<{name}>b") == name
    for between in ("address", "div", "p", "span", "b"):
        assert around(f"<{open_name}>a<{between}>b<{name}>c") == name
    for special in [*SPECIAL, *HEADINGS, *SCOPES, "form", "button"]:
        assert around(f"<{open_name}>a<{special}>b<{name}>c") == f"{open_name} {special} {name}"


@pytest.mark.parametrize("open_name", CELLS)
def test_a_cell_ends_at_the_next_cell_row_or_part(open_name: str) -> None:
    for name in CELLS:
        assert around(f"<table><tr><{open_name}>a<b>b<{name}>c") == f"table tr {name}"
    for name in ("tr", *PARTS):
        assert around(f"<table><tbody><tr><{open_name}>a<b>b<{name}><i>c") == (
            f"table {name} i" if name != "tr" else "table tbody tr i"
        )


@pytest.mark.parametrize("open_name", [*CELLS, "caption", "colgroup"])
def test_a_row_ends_a_cell_without_a_row_and_what_stands_before_the_rows(open_name: str) -> None:
    assert around(f"<table><{open_name}><b>a<tr><i>b") == "table tr i"


@pytest.mark.parametrize("open_name", ["caption", "colgroup", *PARTS])
@pytest.mark.parametrize("name", PARTS)
def test_a_part_of_a_table_ends_at_the_next_part(open_name: str, name: str) -> None:
    assert around(f"<table><{open_name}><b>a<{name}><i>b") == f"table {name} i"


@pytest.mark.parametrize("name", [*CELLS, "tr", "tbody", "caption"])
@pytest.mark.parametrize("inner", ["table", "template"])
def test_no_part_of_an_inner_table_ends_one_of_the_outer(inner: str, name: str) -> None:
    assert around(f"<table><tr><td>a<{inner}><{name}>b") == f"table tr td {inner} {name}"
    assert around(f"<table><tr><td>a<{inner}>b</td>c</tr>d") == f"table tr td {inner}"


@pytest.mark.parametrize(
    ("html", "path"),
    [
        ("<ruby>a<rt>b<rp>c", "ruby rp"),
        ("<ruby>a<rb>b<rt>c", "ruby rt"),
        ("<ruby>a<rt>b<rb>c", "ruby rb"),
        ("<ruby>a<rp>b<rtc>c", "ruby rtc"),
        ("<ruby>a<rtc>b<rb>c", "ruby rb"),
        ("<ruby>a<rtc>b<rt>c", "ruby rtc rt"),
        ("<ruby>a<rtc>b<rt>c<rp>d", "ruby rtc rp"),
        ("<ruby>a<rt>b<ruby>c<rt>d", "ruby rt ruby rt"),
        ("<select><option>a<optgroup>b", "select optgroup"),
        ("<datalist><option>a<option>b", "datalist option"),
        ("<button>a<b>b<button>c", "button"),
        ("<nobr>a<b>b<nobr>c", "nobr"),
    ],
)
def test_what_else_ends_by_itself(html: str, path: str) -> None:
    assert around(html) == path


@pytest.mark.parametrize("name", [*BLOCKS, *HEADINGS, "dd", "dt", "form", "button", "select", "li"])
def test_the_end_tag_of_a_block_closes_what_is_open_in_it_but_a_scope(name: str) -> None:
    assert around(f"<{name}>a<b>b<p>c</{name}>d") == ""
    for scope in SCOPES:
        assert around(f"<{name}>a<{scope}>b</{name}>c") == f"{name} {scope}"


@pytest.mark.parametrize("name", ["applet", "marquee", "object"])
def test_the_end_tag_of_a_scope_closes_what_is_open_in_it(name: str) -> None:
    assert around(f"<{name}>a<div>b</{name}>c") == ""


@pytest.mark.parametrize("special", [*SPECIAL, *SCOPES, "address", "div", "p", "li", "form", "button"])
def test_the_end_tag_of_an_inline_element_stays_within_a_special_one(special: str) -> None:
    assert around(f"<span>a<{special}>b</span>c") == f"span {special}"


@pytest.mark.parametrize("between", ["ol", "ul"])
def test_the_end_tag_of_an_item_stays_within_an_inner_list(between: str) -> None:
    assert around(f"<li>a<{between}>b</li>c") == f"li {between}"


def test_tags_end_what_they_do_though_forty_others_are_open_in_it() -> None:
    inline = "<b>" * 40
    assert around(f"<main><div>{inline}tea</div>milk") == "main"
    assert around(f"<ul><li>{inline}tea<li>milk") == "ul li"
