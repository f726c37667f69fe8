"""The texts that a printed spider reads are those of the tables: by hand, and on pages of any shape."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.http import HtmlResponse

from templcrawl.algorithms.columns.cells import read_cells
from templcrawl.page.page import Page
from templcrawl.tools.commands.spider_texts import Texts, records, texts_of

_WORDS = [
    "tea",
    "of Wells",
    "12",
    "Weight:",
    "one two three four five six",
    "·",
    "<img src=a.png>",
    "<!-- x -->",
    "<script>x</script>",
]


def inside(tags: str, parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return elements with these tags around some parts."""
    return st.builds(
        lambda tag, inner: f"<{tag}>{' '.join(inner)}</{tag.split()[0]}>",
        st.sampled_from(tags.split(",")),
        st.lists(parts, max_size=4),
    )


_INLINE = st.recursive(
    st.sampled_from(_WORDS),
    lambda parts: inside("b,em,span,i class=x,span class=currency,del", parts),
    max_leaves=6,
)
_LINES = inside("p,h2,a href=/x,h3 class=x", _INLINE)
_PARTS = st.recursive(_INLINE | _LINES, lambda parts: inside("div,li,section,ul", parts), max_leaves=8)


def response_of(body: str) -> HtmlResponse:
    return HtmlResponse("http://h.example/x/", body=f"<html><body>{body}".encode(), encoding="utf-8")


@given(st.lists(_PARTS, max_size=5))
def test_they_are_the_cells_of_the_page(parts: list[str]) -> None:
    body = f"<div>{'</div><div>'.join(parts)}</div>"
    page = Page(f"<html><body>{body}", "http://h.example/")
    cells = [(cell.tag, cell.text) for cell in read_cells(page, bytes(len(page.tokens)))]
    assert [(element.tag, text) for element, text in texts_of(response_of(body).selector.root)] == cells


FACTS = """<dl><dt>Weight:</dt><dd>3 g</dd><dd>4 g</dd><dt>Size</dt><dd>5 cm</dd></dl><p>Weight: none</p>
<p>Colour:red</p><p>Closes 12:30</p><p><del>£9</del> <ins>£7</ins></p><a href=../b><b>More</b></a>"""


@pytest.mark.parametrize(
    ("xpath", "label", "texts"),
    [
        ("//dd", "Weight", ["3 g", "4 g"]),
        ("//dd", "Size", ["5 cm"]),
        ("//dd", None, ["3 g", "4 g", "5 cm"]),
        ("//dd", "", []),
        ("//p", "Colour:", ["red"]),
        ("//p", "", ["Weight: none", "Closes 12:30"]),
        ("//p/ins", None, ["£7"]),
    ],
)
def test_a_label_stands_before_the_text_or_in_it(xpath: str, label: str | None, texts: list[str]) -> None:
    response = response_of(FACTS)
    page = Texts(response.selector, response, ["Weight", "Size", "Colour:"])
    assert page.get(xpath, label) == texts


def test_links_are_absolute_and_fixed_texts_are_none() -> None:
    response = response_of(FACTS + "<a href=/c><b>Home</b></a><img data-src=/p.png src=data:x>")
    page = Texts(response.selector, response)
    assert page.links("//a", fixed=["Home"]) == ["http://h.example/b"]
    assert page.pictures("//img") == ["http://h.example/p.png"]


def test_records_are_the_outermost() -> None:
    response = response_of("<ul><li>a<ul><li>b</li></ul></li></ul>")
    assert [len(each) for each in records(response, {"a": "//li", "b": "//li/ul"}).values()] == [1, 0]
