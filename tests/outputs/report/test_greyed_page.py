"""A greyed page: what is grey, what is left of the page, and that nothing of it can act."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from lxml import etree

from lab.sites import hostile
from templcrawl.outputs.report.greyed_page import MAX_BYTES, greyed_page, picture_of
from templcrawl.page.page import Page
from templcrawl.page.render import text_of
from templcrawl.page.separation import Separation
from templcrawl.page.tokens import Limits
from tests.outputs.report.reading import assert_page_is_inert
from tests.outputs.report.sites import separated
from tests.strategies import mask_of, noises, soups, spans_of, trees, written


def body(html: str) -> str:
    picture = picture_of(separated(html, "http://a/"))
    return picture.removeprefix('<div class="picture">').removesuffix("</div>")


def of_html(html: str | bytes) -> str:
    page = Page.from_html(html, "http://a/")
    return greyed_page(Separation(page, [(0, len(page.tokens) // 2)]))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<nav>Menu</nav>[<p>Text</p>]", '<div class="t">Menu</div><div class="p">Text</div>'),
        (
            "<div><ul><li>a</ul>[<p>c</p>]</div>",
            '<div><div class="ul t"><div class="li">a</div></div><div class="p">c</div></div>',
        ),
        (
            "<p>Menu [<b>Text</b>]</p>",
            '<div class="p"><span class="t">Menu </span><span class="b">Text</span></div>',
        ),
        (
            "[<p>a<br>b<hr>&lt;i&gt; &amp;]",
            '<div class="p">a<br>b</div><div class="hr"></div>&lt;i&gt; &amp;',
        ),
        ("[<form action=/x><button onclick=y()>Go</button></form>]", "<div><span>Go</span></div>"),
        ("[<img src=x alt='a &quot;<b>'>]", '<span class="box">a "&lt;b&gt;</span>'),
        (
            "[<input value=v><input type=hidden value=w><link href=x><source src=y>]",
            '<span class="box">v</span>',
        ),
        (
            "[<table><tr><td colspan=2 style=x class=t>a</table>]",
            '<div class="table"><div class="tr"><div class="td">a</div></div></div>',
        ),
        ("[<a href=javascript:x() dir=RTL>a</a>]", '<span class="a" dir="rtl">a</span>'),
        ("[<p dir='rtl x'>a</p>]", '<div class="p">a</div>'),
        ("[<script>x</script><style>y</style><p>a</p>]", '<div class="p">a</div>'),
        (
            "[<iframe src=x>z</iframe>]<video><p>z</video>",
            '<span class="box">iframe</span><span class="box">video</span> ',
        ),
        ("[<p>a<script type=math/tex>b<c</script></p>]", '<div class="p">ab&lt;c</div>'),
        (
            "[<svg><path d=x /><text>a</text></svg><x-y>b</x-y>]",
            "<span><span>a</span></span><span>b</span>",
        ),
    ],
)
def test_what_is_written(html: str, expected: str) -> None:
    assert body(html) == expected


def test_a_page_from_right_to_left_stays_so() -> None:
    assert '<div class="picture" dir="rtl">' in greyed_page(separated("<html dir=RTL><p>a", "http://a/"))


@given(soups, noises)
def test_it_is_inert_and_well_nested(html: str, noise: bytes) -> None:
    page = Page(html, "http://a/")
    mask = mask_of(noise, len(page.tokens))
    assert_page_is_inert(greyed_page(Separation(page, spans_of(mask))))


def words(text: str) -> str:
    """Return a text without white space, and without the signs of what the picture shows small."""
    return re.sub(r"[\s_]", "", text)


@given(trees, noises)
@example(("1 > 0", ("sub", "1 > 0")), b"\1")
def test_it_has_the_words_of_the_page_and_greys_those_of_the_template(tree, noise: bytes) -> None:  # type: ignore[no-untyped-def]
    page = Page(written(tree, optional_ends=False), "http://a/")
    mask = mask_of(noise, len(page.tokens))
    greyed = Page(greyed_page(Separation(page, spans_of(mask))), "")
    elements, tokens = greyed.elements, greyed.tokens
    is_grey = [False] * len(elements)
    for element in range(1, len(elements)):
        tag = tokens.forms[tokens.form_of[elements.opens[element]]]
        is_grey[element] = is_grey[elements.parents[element]] or ' t"' in tag or '"t"' in tag
    content = bytes(not is_grey[owner] for owner in elements.owners)
    everything = bytes(b"\1" * len(page.tokens))
    assert words(text_of(greyed, b"\1" * len(tokens), 1)) == words(text_of(page, everything, 1))
    assert words(text_of(greyed, content, 1)) == words(text_of(page, mask, 1))


def test_no_page_leaves_the_element_around_it() -> None:
    html = (
        "<li><div><li></li></div></li></div></div><table><tr><td><div><td></td></div></table><p><div></p>" * 3
    )
    picture = picture_of(Separation(Page(html, ""), []))
    parsed = etree.HTML(f"<div id=a>{picture}<p id=b>after</p></div>")
    (after,) = parsed.xpath("//p[@id='b']")
    assert after.getparent().get("id") == "a"
    assert after.getprevious().get("class") == "picture"


def test_a_large_page_is_cut_and_says_so() -> None:
    found = greyed_page(separated("[<div><p>" + "<b>words</b> " * 20_000, "http://a/"))
    assert len(found) < MAX_BYTES + 10_000
    assert found.endswith("The picture ends here: the page is larger.</div></div></body></html>")
    assert_page_is_inert(found)


@pytest.mark.parametrize("text", ["words ", "\u0436\u0436 ", "\u6f22\u5b57 ", "\U0001f600 ", "&lt; "])
@pytest.mark.parametrize("html", ["<b>{}</b>", "<ul><li>{}</ul>", "<img alt='{}'>", "<x-y>{}</x-y>"])
def test_what_a_page_takes_is_bounded_in_bytes(text: str, html: str) -> None:
    page = separated("[" + html.format(text) * 3_000, "http://a/")
    for room in (0, 500, 5_000):
        found = picture_of(page, most=room)
        cut, notice, _ = found.partition('<div class="cut">')
        assert notice
        assert len(cut.encode()) <= room + 100
        assert len(cut.encode()) >= room - 200
    assert "cut" not in picture_of(page, most=10**6)


def test_a_page_that_was_not_read_to_its_end_says_so() -> None:
    page = Page("<p>some words</p>" * 10, "http://a/", Limits(max_tags=4))
    found = greyed_page(Separation(page, [(0, len(page.tokens))]))
    assert "was not read" in found
    assert_page_is_inert(found)


@pytest.mark.parametrize(
    "html",
    [
        "</iframe><script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "<p \"'><svg/onload=alert(1)><math><mtext><table><mglyph><style><img src=x>",
        "<a href='javascript:alert(1)'>x</a><base href=http://e.org><meta http-equiv=refresh content=0>",
        "&lt;script&gt;alert(1)&lt;/script&gt;<textarea></textarea><script>alert(1)</script>",
        "<p>\ud800\udfff half\0",
        "<div>" * 50_000 + "deep",
        hostile.attributes_on_one_tag(2_000),
        hostile.unclosed_comments(2_000),
        hostile.unclosed_formatting(2_000),
        hostile.stray_less_than(2_000),
        hostile.nul_bytes(100),
    ],
    ids=range(12),
)
def test_hostile_pages(html: str | bytes) -> None:
    found = of_html(html)
    assert "<script" not in found.lower()
    assert_page_is_inert(found)
