"""Text and HTML of both sides: every visible word is on one side, and what is written is well nested.

The template of a page as a page: what is in it, its base, its scripts.
"""

from __future__ import annotations

import re
from collections import Counter
from html import escape, unescape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from templcrawl.page.page import Page
from templcrawl.page.render import html_of, text_of
from templcrawl.page.template_page import template_page
from templcrawl.page.text import remove_zero_width
from templcrawl.page.tokens import END, START, TEXT, VOID, Limits, raw_text
from templcrawl.page.vocabulary import INVISIBLE
from tests.strategies import Tree, mask_of, noises, soups, trees, word_soups, written

pytestmark = pytest.mark.usefixtures("reader")

UNWRITTEN = INVISIBLE - {"video"} | {"html", "body"}
sides = st.sampled_from([0, 1])


def whole(html: str) -> Page:
    return Page(html, "http://example.org/")


def text(html: str) -> str:
    """Return the visible text of a page."""
    page = whole(html)
    return text_of(page, bytes([1]) * len(page.tokens), 1)


def split(html: str) -> tuple[Page, bytes]:
    """Return a page and a mask that makes template of the text runs and empty elements between [ and ]."""
    page = whole(html.replace("[", "<!--[-->").replace("]", "<!--]-->"))
    side, mask = 1, bytearray()
    for form in page.tokens.form_of:
        side = {"<!--[-->": 0, "<!--]-->": 1}.get(page.tokens.forms[form], side)
        mask.append(side)
    return page, bytes(mask)


def visible_runs(page: Page, mask: bytes, side: int) -> list[str]:
    """Return the text runs of a side, entities decoded, that are visible."""
    elements = page.elements
    runs = []
    for position, element in enumerate(elements.owners):
        if page.tokens.kinds[position] == TEXT and mask[position] == side:
            if elements.shown[element]:
                runs.append(remove_zero_width(unescape(page.tokens.forms[page.tokens.form_of[position]])))
        elif page.tokens.kinds[position] == START and mask[position] == side:
            form = page.tokens.forms[page.tokens.form_of[position]]
            if form.startswith("<script type=math/tex>") and elements.shown[elements.parents[element]]:
                runs.append(form[len("<script type=math/tex>") :])
            elif page.tokens.form_names[page.tokens.form_of[position]] == "xmp" and elements.shown[element]:
                runs.append(raw_text(form))
    return runs


def letters(string: str) -> str:
    return "".join(string.split())


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("", ""),
        ("tea", "tea"),
        (" black \n tea ", "black tea"),
        ("<p>tea</p><p>milk</p>", "tea\nmilk"),
        ("<p>tea<p>milk<div>sugar</div>cup", "tea\nmilk\nsugar\ncup"),
        ("<p>black <b>tea</b>, <i>hot</i></p>", "black tea, hot"),
        ("<b>te</b>a", "tea"),
        ("te<!-- -->a", "tea"),
        ("te<script>x</script>a<style>y</style>pot<link>s<meta>", "teapots"),
        ("tea<br>milk<br/>sugar</br>cup", "tea\nmilk\nsugar\ncup"),
        ("tea<hr>milk", "tea\nmilk"),
        ("<ul><li>tea<li>milk</ul>", "tea\nmilk"),
        ("<table><tr><td>tea<td>milk<tr><td>cup</table>", "tea\nmilk\ncup"),
        ("<select><option>tea<option>milk</select>", "tea\nmilk"),
        ("<button><div>tea</button>milk", "tea\nmilk"),
        ("tea</div>time", "teatime"),
        ("Buy <a>tea<svg><title>icon</title><path/></svg></a> now", "Buy tea now"),
        ("<math><mi>x</mi><mo>=</mo><mn>1</mn></math>", "x=1"),
        ("<p>See <x-y>tea</x-y>, <o:p></o:p>the <nobr>pot</nobr><blink>!</blink></p>", "See tea, the pot!"),
        ("<x-y>tea<p>milk</p>cup</x-y>", "tea\nmilk\ncup"),
        ("A <math><mfrac><mi>a</mi><msqrt><mn>2</mn></msqrt></mfrac></math> of it", "A a/2 of it"),
        ("<math><mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><mi>b</mi></mfrac></math>", "(a+1)/b"),
        ("<math><munderover><mo>S</mo><mi>k</mi><mi>n</mi></munderover></math>", "S_k^n"),
        ("<math><mover><mi>c</mi><mo>-</mo></mover><msub><mi>b</mi><mrow></mrow></msub></math>", "c-b"),
        ("<mtable><mtr><mtd>1</mtd><mtd>2</mtd></mtr></mtable>", "1 2"),
        ("<svg><g><text>Jan</text><text>F<tspan>eb</tspan></text></g></svg>", "Jan Feb"),
        ("<button>Save</button><button>Print</button>now", "Save Print now"),
        ("<pre>a<button>Copy</button>\n  b</pre>", "aCopy\n  b"),
        ("tea<input>cup<select><option>milk</select>", "tea cup\nmilk"),
        ("tea &amp; milk&nbsp;&lt; sugar&#33;", "tea & milk < sugar!"),
        ("&am<b>p;</b>", "&amp;"),
        ("Do\u00adnau&shy;dampf\u200bschiff&#xFEFF; a\u200db", "Donaudampfschiff a\u200db"),
        ("1 < 2 > 1", "1 < 2 > 1"),
        ("<head><title>t</title>h</head>tea", "htea"),
        ("<head><title>t</title></head><noscript>no</noscript><template><p>no</p></template>tea", "tea"),
        (
            "<script>no</script><style>no</style><!-- no --><!doctype no><?no?><textarea>no</textarea>tea",
            "tea",
        ),
        ("<noscript>no<div>no</div></noscript><div>tea</div>", "tea"),
        (
            "<p><ruby>東京<rt>とうきょう</rt></ruby>の<ruby>塔<rt>とう</ruby></p>",
            "東京(とうきょう)の塔(とう)",
        ),
        ("<ruby>塔<rp>[</rp><rt>とう</rt><rp>]</rp></ruby>", "塔[とう]"),
        ("<ruby><rb>東<rb>京<rt>と<rt>きょ</ruby><rt> </rt><rt hidden>no</rt>", "東京(と)(きょ)"),
        ("<ruby>塔<rt>とう", "塔(とう)"),
        ("See <script type=math/tex>a<b &amp;</script>, <script>no</script>so", "See a<b &amp;, so"),
        ("<b class=MathJax><i>a</i></b><script type='Math/TeX; mode=display'>a</script>", "a"),
        ("<b class=MathJax_Preview></b> <script type=math/tex>a</script>", "a"),
        ("<b class='x MathJax_SVG'><svg><path/></svg></b><p>b</p><script type=math/tex>a</script>", "b\na"),
        ("<b class=MathJax>a</b> and <script type=math/tex>b</script>", "a and b"),
        ("<script>type=math/tex</script><p hidden><script type=math/tex>a</script>", ""),
        ("<pre>a\n  b\n\n\tc  \n</pre>d  e", "a\n  b\n\tc\nd e"),
        ("<pre><b>a</b>\n<i></i>  <b>b</b></pre>", "a\n  b"),
        ("<pre>a\r\n  b</pre>", "a\n  b"),
        ("<div><pre>a\n  b</div>c\n  d", "a\n  b\nc d"),
        ("<pre>a<pre>  b</pre>  c</pre>  d", "a\n  b\n  c\nd"),
        ("<pre>a</div>  b</pre>", "a  b"),
        ("<pre>a&#10;&#32; b</pre>", "a\n  b"),
    ],
)
def test_the_text_of_a_page(html: str, lines: str) -> None:
    assert text(html) == lines


@pytest.mark.parametrize(
    ("html", "content", "template"),
    [
        ("<p>[tea]</p><p>milk</p>", "<p>milk</p>", "<p>tea</p>"),
        ("<p class=x>tea<p>[milk]", "<p class=x>tea</p>", "<p>milk</p>"),
        ("<div><p>[tea]</p><p>milk</p></div>", "<div> <p>milk</p></div>", "<div><p>tea</p> </div>"),
        ("<html><head><meta></head><body>[tea]<b>milk</b></body></html>", "<b>milk</b>", "tea"),
        ("<b>te</b>[a]m", "<b>te</b> m", "a"),
        ("<b>tea</b>[<b>milk</b>]cup", "<b>tea</b> cup", "<b>milk</b>"),
        ("tea<div>[milk]</div>cup", "tea cup", "<div>milk</div>"),
        ("tea[<br>]cup", "tea cup", "<br>"),
        ("tea[<img src=x>]cup", "teacup", "<img src=x>"),
        ("tea<br>[milk]<br>cup", "tea<br> <br>cup", "milk"),
        ("<ul>\n<li>tea</li>\n[<li>milk</li>\n<li>sugar</li>\n]</ul>", "<ul>\n<li>tea</li>\n</ul>", None),
        ("tea<script>x</script>[milk]<!-- c --><style>y</style>cup", "tea cup", "milk"),
        (
            "<figure><iframe src=x>z</iframe></figure>[<object data=y></object>]",
            "<figure><iframe src=x>z</iframe></figure>",
            "<object data=y></object>",
        ),
        (
            "<video><source src=x><p>z</p></video><audio src=y></audio>",
            "<video><source src=x> </video><audio src=y></audio>",
            "",
        ),
        ("<p hidden><iframe></iframe><audio></audio></p>tea", "tea", ""),
        (
            "<tr><th></th><td>[1]</td><td>2</td></tr>",
            "<tr><th></th><td> </td><td>2</td></tr>",
            "<tr><th></th><td>1</td><td> </td></tr>",
        ),
        (
            "<tr><td><i></i><td> <td><b>3</b></tr><tr><td></tr>",
            "<tr><td></td><td> </td><td><b>3</b></td></tr>",
            "",
        ),
        (
            "<table>[<tr><td>1</td><td></td></tr>]<tr><td>2</table>",
            "<table> <tr><td>2</td></tr></table>",
            None,
        ),
        ("<tr><td hidden>1</td><td>2</td></tr>", "<tr> <td>2</td></tr>", ""),
        ("<i>[<script type=math/tex>a<b</script>]is</i>", "<i> is</i>", "<i>a&lt;b </i>"),
        ("<ruby>塔<rt>とう</rt></ruby>", "<ruby>塔<rt>とう</rt></ruby>", ""),
        ("<x-y><template shadowrootmode=open><b>1</b></template>2</x-y>", "<x-y><b>1</b>2</x-y>", ""),
        ("<noscript><img><p>no</p></noscript>tea", "tea", ""),
        ("<div><span>tea</div>[milk]", "<div><span>tea</span></div>", "milk"),
        ("</p>tea</div><a href='/x>'>[milk]", "tea", "<a href='/x>'>milk</a>"),
        ("<pre><a></a>  tea\n<a></a>  [milk]\n</pre>", "<pre>  tea\n   \n</pre>", "<pre>\n  milk\n</pre>"),
        ("<svg><path d=x /></svg>tea", "<svg><path d=x /></svg>tea", ""),
        ("1 <<!-- -->b>[2 &am]<i></i>[p;]", "1 &lt;b>", "2 &amp;amp;"),
        ("tea &amp; milk &copy<!-- -->2 [x]", "tea &amp; milk ©2", "x"),
        ("<a>tea</", "<a>tea&lt;/</a>", ""),
        ("tea<br", "tea", ""),
        ("<div>tea<img alt='>", "<div>tea</div>", ""),
        ("", "", ""),
    ],
)
def test_the_html_of_both_sides(html: str, content: str, template: str | None) -> None:
    page, mask = split(html)
    assert html_of(page, mask, 1) == content
    assert template is None or html_of(page, mask, 0) == template


@given(soups, noises, sides)
@example("&am<b>p;</b>", b"", 1)
def test_the_text_of_a_side_is_its_visible_runs_in_order(html: str, noise: bytes, side: int) -> None:
    page = whole(html)
    mask = mask_of(noise, len(page.tokens))
    assert letters(text_of(page, mask, side)) == letters("".join(visible_runs(page, mask, side)))


@given(word_soups, noises)
def test_every_visible_word_is_on_one_side(html: str, noise: bytes) -> None:
    page = whole(html)
    mask = mask_of(noise, len(page.tokens))
    content, template = (text_of(page, mask, side).split() for side in (1, 0))
    everything = bytes(len(page.tokens))
    assert Counter(content) + Counter(template) == Counter(text_of(page, everything, 0).split())
    assert Counter(content) == Counter(" ".join(visible_runs(page, mask, 1)).split())


@given(soups, noises, sides)
@example("a<b> </b>c", b"", 1)
@example("a<div></div>c", b"", 1)
@example("a<b>c</b>d", b"\1\1\0\1\1", 1)
@example("a<br>c", b"\1\0\1", 1)
@example("<button><div>a</button>b", b"", 1)
@example("1 <<!-- -->b>", b"", 1)
@example("&no<!-- -->t", b"", 1)
@example("<div>a<img alt='>", b"", 1)
def test_the_html_of_a_side_read_again_has_the_same_words(html: str, noise: bytes, side: int) -> None:
    page = whole(html)
    mask = mask_of(noise, len(page.tokens))
    assert text(html_of(page, mask, side)).split() == text_of(page, mask, side).split()


@given(soups, noises, sides)
@example("<a></", b"", 1)
def test_the_html_of_a_side_is_well_nested(html: str, noise: bytes, side: int) -> None:
    page = whole(html)
    tokens = whole(html_of(page, mask_of(noise, len(page.tokens)), side)).tokens
    open_names = []
    for form in tokens.form_of:
        kind, name = tokens.form_kinds[form], tokens.form_names[form]
        assert name not in UNWRITTEN
        if kind == START:
            open_names.append(name)
        elif kind == END:
            assert open_names.pop() == name
        else:
            assert kind == VOID or not tokens.forms[form].startswith("<!")
    assert open_names == []


@given(trees)
def test_what_was_written_is_written_the_same_again(tree: Tree) -> None:
    html = written(tree, optional_ends=False)
    page = whole(html)
    once = whole(html_of(page, bytes(len(page.tokens)), 0))
    assert html_of(once, bytes(len(once.tokens)), 0) == once.text
    assert text(once.text).split() == text(html).split()


@given(
    st.lists(
        st.sampled_from(["tea", "milk", "\n", "    ", "\t", "<b>", "</b>", "<a name=x></a>", "<i>[</i>"])
    )
)
def test_pre_keeps_its_lines_and_their_indentation(parts: list[str]) -> None:
    html = f"<p>x</p><pre>{''.join(parts)}</pre>y"
    raw = "".join({"<i>[</i>": "["}.get(part, "" if part[0] == "<" else part) for part in parts)
    expected = ["x", *(line.rstrip() for line in raw.split("\n") if line.strip()), "y"]
    page = whole(html)
    mask = bytes(len(page.tokens))
    assert text_of(page, mask, 0).split("\n") == expected
    assert text(html_of(page, mask, 0)).split("\n") == expected


def test_the_unread_rest_of_a_page_is_on_its_side() -> None:
    page = Page("<template><p>tea</p><p>milk</p>", "", Limits(max_tags=3))
    assert text_of(page, bytes([0, 0, 0, 0, 1]), 1) == "milk"
    assert text_of(page, bytes([0, 0, 0, 0, 1]), 0) == ""
    assert html_of(page, bytes([0, 0, 0, 0, 1]), 1) == "<p>milk</p>"
    page = Page("<pre>a\n b<p>c\n  d &amp; e", "", Limits(max_tags=1))
    assert text_of(page, b"\1\1", 1) == "a b c d & e"
    page = Page("a b<i>c", "", Limits(max_characters=2))
    assert text_of(page, b"\1\1", 1) == "a\nb c"


URL = "http://example.org/a/b"


def write(html: str, url: str = URL, **options: object) -> str:
    """Write the template of a page; what stands between [ and ] is content."""
    page = Page(html.replace("[", "<!--[-->").replace("]", "<!--]-->"), url)
    mask, side = bytearray(), 0
    for form in page.tokens.form_of:
        side = {"<!--[-->": 1, "<!--]-->": 0}.get(page.tokens.forms[form], side)
        mask.append(side)
    return template_page(page, bytes(mask), **options)  # type: ignore[arg-type]


def test_the_body_is_written_less_its_content() -> None:
    found = write(
        "<!DOCTYPE html><html lang=en><head><title>x</title></head><body class=b><!-- c -->"
        "<nav>Menu</nav>[<div><p>Text</p></div>]<i id=i></i><p>Foot [note] er</p></body></html>"
    )
    assert found.startswith("<!DOCTYPE html><html lang=en><head><meta charset")
    assert found.endswith(
        "<title>x</title></head><body class=b><nav>Menu</nav> <i id=i></i><p>Foot   er</p></body></html>"
    )


@pytest.mark.parametrize("end", ["</", "&am"])
def test_what_a_page_ends_with_stays_text_in_its_template(end: str) -> None:
    assert write(f"<nav><b>Menu</b> {end}").endswith(f"<nav><b>Menu</b> {escape(end)}</nav>")


def test_the_skeleton_of_a_page_stays_that_is_all_content() -> None:
    found = write("[<html lang=en><head><title>x</title></head><body class=b><p>Text</p></body></html>]")
    assert found.startswith("<html lang=en><head>")
    assert found.endswith("</head><body class=b> </body></html>")


def test_a_title_that_is_content_goes_and_the_rest_of_the_head_stays() -> None:
    found = write("<head>[<title>x</title><link href=s.css><style>p {}</style>]</head>")
    assert "<title>" not in found
    assert found.endswith("<link href=s.css><style>p {}</style></head>")


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("", "http://example.org/a/b"),
        ("<base href='/c/'>", "http://example.org/c/"),
        ("<base href='http://cdn.example.org/'>", "http://cdn.example.org/"),
    ],
)
def test_relative_links_start_from_where_they_did(base: str, expected: str) -> None:
    assert f'<base href="{expected}">' in write(f"<head>{base}</head><a href=x>x</a>")


def test_the_base_can_be_given_and_is_escaped() -> None:
    assert '<base href="file:///x?a=1&amp;b=&quot;">' in write("<p>x", base='file:///x?a=1&b="')


def test_scripts_are_off_unless_asked_for() -> None:
    html = "<head><script>a()</script></head><body onload='b()'>Menu<script src=x></script></body>"
    off, on = write(html), write(html, scripts=True)
    assert "<script" not in off
    assert "default-src 'none'; style-src" in off
    assert "script-src" not in off
    assert "<script>a()</script>" in on
    assert "<script src=x></script>" in on
    assert "Content-Security-Policy" not in on


def test_links_that_fetch_ahead_go_with_the_scripts() -> None:
    html = (
        "<head><link rel='icon PREFETCH' href=x><link href=y rel=preload><link rel=stylesheet href=z></head>"
    )
    assert re.findall("<link.*?>", write(html)) == ["<link rel=stylesheet href=z>"]
    assert len(re.findall("<link.*?>", write(html, scripts=True))) == 3


@pytest.mark.parametrize("scripts", [False, True])
def test_nobody_is_sent_elsewhere(scripts: bool) -> None:
    html = "<head><meta http-equiv=Refresh content='0; url=/x'><meta name=y></head>Menu"
    found = write(html, scripts=scripts)
    assert "efresh" not in found
    assert "<meta name=y>" in found


@pytest.mark.parametrize("html", ["", "Menu", "<!doctype html>Menu", "<html><p>Menu", "<head></head>Menu"])
def test_the_head_is_first_whatever_the_page_has(html: str) -> None:
    found = write(html)
    assert found.count('<meta charset="utf-8">') == 1
    assert found.index("<meta charset") < (found.find("Menu") + 1 or len(found))


@pytest.mark.parametrize(
    "before", ["", "<!-- c -->", "<!doctype html>", "<html lang=en>", " \n<!doctype html>\n<html>\n"]
)
def test_the_policy_stands_in_the_head_of_the_page_where_browsers_open_one(before: str) -> None:
    found = write(f"{before}<head class=a><title>x</title></head><p>Menu")
    assert "<head class=a><meta charset" in found
    assert found.count("<head") == 1


@pytest.mark.parametrize(
    "before",
    [
        "<p>x</p>",
        "<body onload=a()>",
        "x",
        "\N{NO-BREAK SPACE}",
        "\v",
        "\ufeff",
        "<html><br>",
        "<svg>",
        "</br>",
        "\0",
    ],
)
def test_the_policy_stands_before_what_opens_the_body(before: str) -> None:
    found = write(f"<!doctype html><!-- c -->{before}<html><head><title>x</title></head><p>Menu")
    policy = found.index("Content-Security-Policy")
    assert found[:policy].removeprefix("<!doctype html>").removeprefix("<html>").startswith("<head><meta")


@pytest.mark.parametrize(
    "html",
    [
        "<iframe srcdoc='<img src=/x>'></iframe>",
        "<iframe a SRCDOC = '<img src=/x>'></iframe>",
        "<iframe/srcdoc='<img src=/x>'></iframe>",
        "<iframe id='a'srcdoc='<img src=/x>'></iframe>",
        "<svg><title><iframe srcdoc='<img src=/x>'></iframe></title></svg>",
        "<noscript><p title=\"</noscript><iframe srcdoc='<img src=/x>'>\">x</p></noscript>",
    ],
)
def test_no_frame_brings_a_document_of_its_own_unless_scripts_may_run(html: str) -> None:
    of_its_own = re.compile(r"""(?<![\w-])srcdoc\s*=""", re.IGNORECASE).search
    assert not of_its_own(write(f"<body>Menu {html}"))
    assert of_its_own(write(f"<body>Menu {html}", scripts=True))


@pytest.mark.parametrize("scripts", [False, True])
@pytest.mark.parametrize(
    "html",
    [
        "<svg><title><meta http-equiv=refresh content='0; url=/x'></title></svg>",
        "<noscript><p title=\"</noscript><meta http-equiv='refresh' content='0; url=/x'>\">x</p></noscript>",
        "<meta HTTP-EQUIV='refre&#115;h' content='0; url=/x'>",
    ],
)
def test_nobody_is_sent_elsewhere_by_what_browsers_read_otherwise(html: str, scripts: bool) -> None:
    found = write(f"<body>Menu {html}", scripts=scripts).replace('<meta http-equiv="Content-Sec', "")
    assert not re.search(r"""(?<![\w-])http-equiv""", found, re.IGNORECASE)


def text_without_space(page: Page, mask: bytes, side: int) -> str:
    return "".join(text_of(page, mask, side).split())


@given(word_soups | trees.map(lambda tree: written(tree, optional_ends=False)), noises)
def test_it_says_what_the_template_says(html: str, noise: bytes) -> None:
    page = Page(html, URL)
    mask = mask_of(noise, len(page.tokens))
    again = Page(template_page(page, mask), URL)
    assert text_without_space(again, bytes([1]) * len(again.tokens), 1) == text_without_space(page, mask, 0)
