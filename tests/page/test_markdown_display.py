"""Markdown without what a page has for display alone: tags of emphasis, permalinks, line numbers, spacing."""

from __future__ import annotations

import re
from html import escape, unescape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from templcrawl.page.markdown import markdown_of
from templcrawl.page.markdown_emphasis import delimit

pytest.importorskip("turbohtml")
BASE = "https://tea.example/a"
CRAYON = (
    "<table class=crayon-table><tr><td class=crayon-nums><div><div>1</div><div>2</div></div>"
    "<td class=crayon-code><div class=crayon-pre><div class=crayon-line>a&nbsp;= 1</div>"
    "<div class=crayon-line>b</div></div></table>"
)
PYGMENTS = (
    "<div class=highlight-py><table class=highlighttable><tr><td class=linenos><div><pre>9\n10</pre></div>"
    "<td class=code><div class=highlight><pre>a\nb</pre></div></table></div>"
)
ROUGE = (
    "<div class=language-c><table class=rouge-table><tbody><tr><td class=gutter><pre>1\n2\n</pre>"
    "<td class=code><pre>a\nb</pre></table></div>"
)


def test_lines_of_code_inside_a_line_are_lines() -> None:
    fragment = "<div class=fragment><div class=line>a = 1</div><div class=line>b</div></div>"
    for html in (fragment, f"<div class=line>{fragment}</div>"):
        assert markdown_of(html, BASE).text == "```\na = 1\nb\n```"


def text_of(html: str) -> str:
    return markdown_of(html, BASE).text


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("x<strong>y:</strong>z", "x**y**:z"),
        ("x <b>Re&nbsp;:</b>12", "x **Re** :12"),
        ("<b>茶</b>碗", "**茶**碗"),
        ("<b>a</b><b>b</b>", "**ab**"),
        ("<b>a<strong>b</strong></b>", "**ab**"),
        ("<i>a<b>b</b></i>c", "a**b**c"),
        ("<b>a</b><i>b</i>", "**a**b"),
        ("<i>a</i><span><i>b</i></span>c", "*ab*c"),
        ("<b>a</b><span><b>b</b></span><span><b>c</b> <b>d</b></span>", "**abc** **d**"),
        ("<b>a</b><span><b>b:</b></span>c", "**ab**:c"),
        ("<b>a</b> <i>b</i>", "**a** *b*"),
        ("x<s>y.</s>z", "x~~y~~.z"),
        ("x<b>(y)</b>z", "x(y)z"),
        ("x<b><a href=/b>y</a></b>z", "x[y](https://tea.example/b)z"),
        ("<h2>A<b>b:</b>c</h2>", "## A**b**:c"),
        ("1<b>. x</b>y", "1\\. **x**y"),
        ("<b># x:</b>y", "**# x**:y"),
        ("&am<b>p;(</b>y", "\\&amp;(y"),
        ("<code>&lt;strong></code> <i title='<em>'>x</i>", "`<strong>` *x*"),
        ("<a href=/b title='<em>x.</em>y'>z</a>", '[z](https://tea.example/b "<em>x.</em>y")'),
        ("<p>a&nbsp;b<p>&nbsp;<p>c", "a b\n\nc"),
        ("<img src=/i alt='a&nbsp;b'>", "![a b](https://tea.example/i)"),
        ("a<br><br> <br>b<br>c", "a\n\nb  \nc"),
        ("<b>a<br>&nbsp;<br>b</b>", "**a**\n\n**b**"),
        ("<div><br>a</div><span></span><br>b", "a\n\nb"),
        ("<pre>a<br><br>b</pre>", "```\na\n\nb\n```"),
        ("<h2>Tea<a class=headerlink href=#t>¶</a></h2>", "## Tea"),
        ("<h2><a href=#t><svg></svg></a>Tea</h2>", "## Tea"),
        ("<h2>C<a href=#c>#</a> 2</h2>", "## C 2"),
        ("<h2><a href=#t>Tea</a></h2>", f"## [Tea]({BASE}#t)"),
        ("<h2><a href=/b>#</a>1</h2>", "## [#](https://tea.example/b)1"),
        ("<dl><dt>f()<a class=headerlink href=#f>¶</a></dl>", "f()"),
        ("<p>see <a href=#f>§</a>", f"see [§]({BASE}#f)"),
        (CRAYON, "```\na = 1\nb\n```"),
        (PYGMENTS, "```py\na\nb\n```"),
        (ROUGE, "```c\na\nb\n```"),
        ("<pre><span class=linenos>1</span>a\n<span class=linenos>2</span>b</pre>", "```\na\nb\n```"),
        ("<table><tr><td>1<td>x</table>", "| 1 | x |\n| --- | --- |"),
        ("<table><tr><td><pre>1\n3</pre><td><pre>a\nb</pre></table>", "```\n1\n3\n```\n\n```\na\nb\n```"),
    ],
)
def test_what_is_for_display_alone_is_left_out(html: str, markdown: str) -> None:
    assert text_of(html) == markdown


def test_a_break_in_emphasis_is_no_tag() -> None:
    """From 1.15.3 on, the library writes one before a line's end as ``<br>``; before, as two spaces."""
    assert " ".join(text_of("<em>a,<br>\nb,<br>\nc</em>").split()) == "*a, b, c*"


_words = st.sampled_from(
    ["tea", "Zoë", "茶", " ", "\xa0", ":", "(", ")", ".", "1", "#", "-", "&", "<", "*", "«", "a_b", "!", ";"]
)
_inline = st.recursive(
    _words.map(escape),
    lambda inside: st.builds(
        "<{0}>{1}</{0}>".format,
        st.sampled_from(["b", "strong", "em", "i", "span"]),
        st.lists(inside, min_size=1, max_size=4).map("".join),
    ),
    max_leaves=12,
)
_blocks = st.builds(
    "<{0}>{1}</{0}>".format,
    st.sampled_from(["p", "h2", "div", "blockquote"]),
    st.lists(_inline | st.just("<br>"), min_size=1, max_size=6).map("".join),
)


@given(st.lists(_blocks, max_size=4).map("".join))
@example("<p>1<b>. x:</b>y")
@example("<p>&am<b>p;:</b>y")
@example("<p>&lt;<b>b>(</b>y")
@example("<p>a<br><b>-:</b>y")
@example("<p><em>tea</em><span><em>tea</em></span>")
@example("<p><span><b>&am</b></span><span><b>p;</b></span>")
def test_a_reader_of_the_markdown_sees_the_words_of_the_page_and_no_delimiter(html: str) -> None:
    reader = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("strikethrough")
    shown = "".join(map(unescape, re.split("<[^>]*>", reader.render(text_of(html)))))
    seen = "".join(map(unescape, re.split("</?(?:b|strong|em|i|s|span|del|p|h2|div|blockquote|br)>", html)))
    assert "".join(shown.split()) == "".join(seen.split())


@given(
    st.lists(
        st.sampled_from(["<strong>", "</strong>", "<em>", "</em>", "<s>", "\\", "x", ":", "\n", " ", "1."])
    )
)
def test_no_tag_is_left(parts: list[str]) -> None:
    markdown = "".join(parts)
    left = delimit(markdown)
    assert not re.search(r"(?<!\\)</?(?:strong|em|s)>", left.replace("\\\\", ""))
    assert re.sub(r"[*~\\]|</?(?:strong|em|s)>", "", left) == re.sub(
        r"[\\]|</?(?:strong|em|s)>", "", markdown
    )
