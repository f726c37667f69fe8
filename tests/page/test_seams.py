"""What stands between runs that style alone sets apart, in text, HTML and Markdown, by both readers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.page.markdown import markdown_of
from templcrawl.page.page import Page
from templcrawl.page.render import html_of, text_of, visible_text
from tests.page_readers import checked, needs_kernel
from tests.strategies import noises

pytestmark = pytest.mark.usefixtures("reader")

URL = "http://tea.example/kinds/green"
# Pieces of which runs and elements meet in all ways, with what each rule reads.
PIECES = st.sampled_from(
    [
        *"a A ab AB Ab 1 12 123 4.50 $ zł : . , ! ( ) (3) #x -1 é É 茶 &amp; &nbsp; &#8203; ¶ / x:".split(),
        "Ft",
        *(" ", "\n", "<wbr>", "<img>", "<br>", "<!-- -->", "<p>", "<h2>", "<h2><a class=headerlink href=#x>"),
    ]
)
NAMES = st.sampled_from("a b i em span sup sub small label code button div li p rt ruby".split())
TREES = st.recursive(
    PIECES,
    lambda inner: st.builds(
        lambda name, parts: f"<{name}>{''.join(parts)}</{name}>", NAMES, st.lists(inner, max_size=4)
    ),
    max_leaves=24,
)


def page_of(html: str) -> Page:
    return Page(html, URL)


def markdown(html: str) -> str:
    pytest.importorskip("turbohtml")
    page = page_of(html)
    return markdown_of(html_of(page, bytes(len(page.tokens)), 0), page.base_url).text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>$7<sup>25</sup> each", "$7.25 each"),
        ("<p><sup>£</sup>12<sup>05</sup>", "£12.05"),
        ("<b>1,250</b><small>90</small> zł", "1,250.90 zł"),
        ("<div><span>€</span><span>8</span><span>40</span></div>", "€8.40"),
        ("<p>8<i>40</i> EUR", "8.40 EUR"),
        ("<p>$7<sup>.25</sup>, $7.25<sup>12</sup>, $7<sup>125</sup>", "$7.25, $7.25^12, $7^125"),
        ("<p>7<sup>25</sup> each", "7^25 each"),
        ("<p>$7<span>2<b>5</b></span>", "$725"),
        (
            "<p>10<sup>4</sup>, 10<sup>-4</sup>, 10<sup>\u22124</sup>, 2<sup><b>8</b></sup>",
            "10^4, 10^-4, 10^\u22124, 2^8",
        ),
        (
            "<p>101<sub>2</sub> H<sub>2</sub>O <sup>14</sup>C 3<sup>rd</sup> m<sup>2</sup>",
            "101_2 H2O 14C 3rd m^2",
        ),
        ("<p>2<sup>1</sup>/<sub>3</sub> cups, 2<sup>1</sup>\u2044<sub>3</sub>", "2 1/3 cups, 2 1\u20443"),
        ("<p>in 1911<sup><a href=#n>4</a></sup>, 1912<a href=#m><sup>5</sup></a>", "in 1911(4), 1912(5)"),
        ("<p>in 1911<sup>[4]</sup>", "in 1911[4]"),
        ("<p>4<sup>k</sup>, y<sup>3</sup>, (b<sup>-2</sup>), 5<sup>m-1</sup>", "4^k, y^3, (b^-2), 5^(m-1)"),
        ("<p>2<sup>e</sup> 4<sup>th</sup> D<sup>r</sup> M<sup>c</sup>Coy", "2e 4th Dr McCoy"),
        ("<p>km<sup>n</sup> a<sup>N</sup>b 3<sup>k<i>m</i></sup> 3<i>k</i>", "kmn aNb 3km 3k"),
        ("<p>y<sup><a href=#n>3</a></sup> <code>4<sup>k</sup></code> 4<sub>k</sub>", "y3 4k 4k"),
        ("<pre>10<sup>4</sup></pre><p><code>10<sup>4</sup></code>", "104\n104"),
    ],
)
def test_digits_are_told_from_those_before_them(html: str, text: str) -> None:
    assert visible_text(page_of(html)) == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<div><span>green</span><span>black</span></div>", "green black"),
        ("<li><span>Oolong</span><span>3</span><b>Kyoto</b><i>Uji</i></li>", "Oolong 3 Kyoto Uji"),
        ("<a href=x><span>Oolong</span><em>3</em></a>", "Oolong 3"),
        ("<p>Kinds: <a href=g>green</a><a href=b>black</a>", "Kinds: green black"),
        ("<p><a href=#>green</a><a href=#>black</a>", "green black"),
        ("<div><a href=1>1</a><b>2</b><a href=3>3</a></div>", "1 2 3"),
        ("<p><label>green</label><label>black</label>", "green black"),
        ("<div>Kinds: <span>green</span><span>black</span></div>", "Kinds: green black"),
        ("<a href=a>A</a><a href=b>B</a>", "A B"),
        ("<div><span>Cups</span><span>(4)</span><span>Pots</span></div>", "Cups (4) Pots"),
        ("<div><span>Cup</span><span>$4</span></div>", "Cup $4"),
        ("<div><span>Price:</span><span>4</span><span>12:</span><span>30</span></div>", "Price: 4 12:30"),
        ("<div><span>#green</span><span>#black</span></div>", "#green #black"),
        ("<div><i class=icon></i><span>green</span><i></i><span>black</span></div>", "green black"),
        ("<div><span>M</span><span>Mei</span></div>", "M Mei"),
        ("<div><span>2</span><span>0</span></div>", "2 0"),
        ("<dl><dt><span>Leaf</span><span>whole</span></dt></dl>", "Leaf whole"),
        ("<div><span>緑茶</span><span>紅茶</span></div>", "緑茶 紅茶"),
        ("<p><label>T++</label><label>T#</label><label>Kyoto</label>", "T++ T# Kyoto"),
        ("<div><span>Is it green?</span><span>+</span></div>", "Is it green? +"),
        ("<div><span>cups</span><span>\u2192 pots</span></div>", "cups \u2192 pots"),
        # parts of words
        ("<div><span>tea</span><span>+pot</span></div>", "tea+pot"),
        ("<p>A <b>re</b>turn, <i>re</i><b>turn</b>", "A return, return"),
        ("<p><span>T</span><span>ea is made</span>", "Tea is made"),
        ("<h1><span>T</span><span>e</span><span>a</span></h1>", "Tea"),
        ("<div><span>T</span><span>EA is made</span></div>", "TEA is made"),
        ("<div><b>H</b><b>2</b><b>O</b></div>", "H2O"),
        ("<p><span>un</span><span>fermented</span> leaves", "unfermented leaves"),
        ("<p><span>un</span><span>fermented</span>", "unfermented"),
        ("<p>an <span><span>un</span><span>fermented</span></span> leaf", "an unfermented leaf"),
        ("<div><span>the un</span><span>fermented</span><span> leaf</span></div>", "the unfermented leaf"),
        ("<div><i>un</i><b>fermented</b></div>", "unfermented"),
        ("<p><a href=t>tea</a><a href=t>pot</a>", "teapot"),
        ("<div><span>tea</span><wbr><span>pot</span></div>", "teapot"),
        ("<p><a href=t>tea</a><a href=t class=x>pot</a>", "teapot"),
        ("<p><code>make</code><code>tea</code>", "maketea"),
        ("<p>the <b>OS_</b><b>NAME</b>, <b>OS_</b><b>NAME</b>", "the OS_NAME, OS_NAME"),
        ("<div><b>19</b><b>84</b></div>", "1984"),
        ("<code><span>make</span><span>tea</span></code>", "maketea"),
        ("<math><mi>tea</mi><mn>12</mn></math>", "tea12"),
        ("<div><span>$</span><span>4</span><span>.</span><span>50</span></div>", "$4.50"),
        (
            "<dt><span>tea.</span><span>pot</span><span>(</span><em>lid</em><span>)</span></dt>",
            "tea.pot(lid)",
        ),
        ("<p><span>緑</span><span>茶を</span>", "緑茶を"),
    ],
)
def test_neighbours_are_apart_and_parts_of_words_together(html: str, text: str) -> None:
    page = page_of(html)
    assert visible_text(page) == text
    again = page_of(html_of(page, bytes(len(page.tokens)), 0))
    assert visible_text(again) == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<h2>Tea<a class=headerlink href=#t>¶</a></h2>", "Tea"),
        ("<h2><a href=#t>#</a> Tea</h2>", "Tea"),
        ("<h3>Tea <a href='http://tea.example/kinds/green#t'><span>§</span></a></h3>", "Tea"),
        ("<h3>Tea <a href=#t>🔗</a></h3>", "Tea"),
        ("<dl><dt>pour()<a class='x hash-link' href=#p>&#182;</a></dl>", "pour()"),
        ("<h2>Tea <a href=/next>»</a></h2><p>A ¶, a # and <a href=#t>§</a>", "Tea »\nA ¶, a # and §"),
        ("<h2><a class=anchor href=#t># Tea</a></h2>", "# Tea"),
    ],
)
def test_signs_of_links_to_headings_are_no_text(html: str, text: str) -> None:
    assert visible_text(page_of(html)) == text


@pytest.mark.parametrize(
    ("html", "written"),
    [
        ("<p>$7<sup>25</sup>, <b>7</b><sup>25</sup> €", "$7.25, **7**.25 €"),
        ("<p>10<sup>4</sup> and 7<small>25</small> €", "10<sup>4</sup> and 7.25 €"),
        ("<div><span>Oolong</span><span>3</span><b>Kyoto</b></div>", "Oolong 3 **Kyoto**"),
        (
            "<a href=g>green</a><a href=b>black</a>",
            "[green](http://tea.example/kinds/g) [black](http://tea.example/kinds/b)",
        ),
        ("<p>a</p><xmp>if a < b:\n  <i>&lt;</i></xmp>", "a\n\n```\nif a < b:\n  <i>&lt;</i>\n```"),
    ],
)
def test_markdown_has_them_as_the_text(html: str, written: str) -> None:
    assert markdown(html) == written


def test_a_sign_of_a_number_stands_where_a_side_has_both() -> None:
    page = page_of("<b>10</b><sup>4</sup>")
    assert text_of(page, bytes([1, 1, 1, 1, 1, 1]), 1) == "10^4"
    assert text_of(page, bytes([1, 1, 1, 0, 0, 0]), 1) == "10"
    assert text_of(page, bytes([1, 1, 1, 0, 0, 0]), 0) == "4"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<svg><desc>made by x</desc><g><metadata><x:y>z</x:y></metadata></g><text>tea</text></svg>", "tea"),
        ("<desc>tea</desc> <metadata>pot</metadata>", "tea pot"),
        ("a<xmp>b <i>&lt;\n  c</i></xmp>d<xmp hidden>e</xmp>", "a\nb <i>&lt;\n  c</i>\nd"),
    ],
)
def test_what_is_shown_of_drawings_and_of_raw_text(html: str, text: str) -> None:
    assert visible_text(page_of(html)) == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<pre><i class=lineno>7</i>a\n<i class=lineno>8</i>b 9</pre>", "a\nb 9"),
        ("<td class='linenos x'><pre><b>1</b>\n<b> 2 </b></pre><td><pre>a 1</pre>", "a 1"),
        ("<pre><i class=lineno>x7</i>a</pre>", "x7a"),
        ("<pre><i>7</i>a</pre>", "7a"),
        ("<pre>a</pre><ol><li class=lineno>7</ol>", "a\n7"),
    ],
)
def test_numbers_of_lines_of_code_are_no_text(html: str, text: str) -> None:
    assert visible_text(page_of(html)) == text


FORMULAS = st.recursive(
    st.sampled_from(["<mi>x</mi>", "<mn>12</mn>", "<mo>+</mo>", "<mi hidden>y</mi>", "<mrow></mrow>"]),
    lambda inner: st.builds(
        lambda name, parts: f"<{name}>{''.join(parts)}</{name}>",
        st.sampled_from("math mfrac mrow msub msubsup msup munderover p".split()),
        st.lists(inner, max_size=4),
    ),
    max_leaves=16,
)
LINES = st.builds(
    lambda name, of, number, text: f"<{name}><i class='{of}'>{number}</i>{text}</{name}>",
    st.sampled_from(["pre", "code", "p", "td"]),
    st.sampled_from(["lineno", "x ln", "line"]),
    st.sampled_from(["1", " 23\n", "\u0663", "4a", "&#49;", ""]),
    st.sampled_from(["a", "<b>5</b>", "x<sup>n</sup>", "4<sup>n+1</sup>"]),
)


@needs_kernel
@given(st.lists(FORMULAS | LINES, max_size=5).map("".join), noises)
def test_both_readers_write_formulas_and_code_alike(html: str, noise: bytes) -> None:
    checked(html, noise=noise)


@needs_kernel
@given(st.lists(TREES, max_size=6).map("".join), noises)
def test_both_readers_part_alike(html: str, noise: bytes) -> None:
    checked(html, noise=noise)
