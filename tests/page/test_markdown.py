"""Markdown of a separated tree: what survives, where links lead, where sections are; on hostile pages too."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.sites.hostile import HOSTILE_PAGES
from templcrawl.memory.observation import Observation
from templcrawl.page.markdown import Markdown, MarkdownSection, cut_long, markdown_of
from templcrawl.page.markdown_tree import MARKS
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, whole
from tests.parts import exhaustive_but
from tests.strategies import closed_soups

needs_library = pytest.mark.usefixtures("library")
SMALL = ["empty_page", "no_declared_encoding", "unclosed_formatting", "unclosed_quote", "wrong_encoding_page"]
BASE = "https://tea.example/shop/green.html"
WORDS = ["tea", "milk*", "a_b", "1. Zoë", "# no", "`x`", "[y]", "<b>"]


@pytest.fixture(scope="module")
def library() -> None:
    pytest.importorskip("turbohtml")


def text_of(html: str) -> str:
    return markdown_of(html, BASE).text


def cut(markdown: Markdown) -> list[tuple[list[str], str]]:
    return [
        (section["path"], markdown.text[section["start"] : section["stop"]]) for section in markdown.sections
    ]


def check_partition(markdown: Markdown) -> None:
    sections = markdown.sections
    assert all(section["start"] < section["stop"] for section in sections)
    assert all(left["stop"] == right["start"] for left, right in pairwise(sections))
    edges = (sections[0]["start"], sections[-1]["stop"]) if sections else (0, 0)
    assert edges == (0, len(markdown.text))
    # Pieces of a long text before the first heading have no path, either.
    assert all(right["path"] or not left["path"] for left, right in pairwise(sections))


@needs_library
@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>A <em>fine</em> <strong>tea</strong>.", "A *fine* **tea**."),
        ("<pre><code>if a &lt; b:\n\n    c  \n</code></pre>", "```\nif a < b:\n\n    c  \n```"),
        ("<pre class='lang-py'>a<br>b</pre>", "```py\na\nb\n```"),
        ("<div class='highlight-rust notranslate'><div><pre>a</pre></div></div>", "```rust\na\n```"),
        ("<div class='highlight-default'><pre>a</pre></div>", "```\na\n```"),
        ("<pre>```</pre>", "````\n```\n````"),
        ("<ol start=3><li>a<ul><li>b</ul><li>c</ol>", "3. a\n   - b\n4. c"),
        ("<table><tr><th>A<th>B<tr><td>1|2<td>x</table>", "| A | B |\n| --- | --- |\n| 1\\|2 | x |"),
        ("<a href='../b c?d#e' title=t>x</a>", '[x](https://tea.example/b%20c?d#e "t")'),
        ("<a href='\n/b '>x</a> <a href=#c>y</a>", f"[x](https://tea.example/b) [y]({BASE}#c)"),
        ("<a href='https://a.example/'>https://a.example/</a>", "[https://a.example/](https://a.example/)"),
        ("<img src=i.png alt=x>", "![x](https://tea.example/shop/i.png)"),
        ("<a href=' JavaScript:x()'>x</a> <a href='data:y'>y</a>", "x y"),
        ("<a href='http://[bad'>x</a>", "[x](http://[bad)"),
        ("<a href=/b><h3>Card</h3><p>y</p></a>", "### [Card](https://tea.example/b)\n\ny"),
        ("<a href=/b><h3>A</h3><h3>B</h3></a>", "### [A](https://tea.example/b)\n\n### B"),
        ("<code>L&lt;<a href=/s>S</a>&gt;</code>", "`L<`[`S`](https://tea.example/s)`>`"),
        ("<pre><a href=/s>S</a></pre>", "```\nS\n```"),
        ("<table><tr><td><h2>A</h2><td>x</table>", "## A\n\nx"),
        ("<table><tr><td colspan=2><h2>A</h2><tr><td>x<td>y</table>", "## A\n\n| x | y |\n| --- | --- |"),
        ("<table><tr><td>a<td>b<tr><td>c</table>", "| a | b |\n| --- | --- |\n| c |  |"),
        ("<table><tr>" + "<td>a" * 9 + "<tr><td>b" * 9 + "</table>", "a\n\n" * 9 + "b\n\n" * 8 + "b"),
        ("<table><tr><td><pre>x\n2</pre><td><pre>a\nb</pre></table>", "```\nx\n2\n```\n\n```\na\nb\n```"),
        ("<table><tr><td><table><tr><td>a<td>b</table></table>", "| a | b |\n| --- | --- |"),
        ("<table><tr><td><pre>a</pre><td>b</table>", "| `a` | b |\n| --- | --- |"),
    ],
)
def test_what_a_page_has_survives(html: str, markdown: str) -> None:
    assert text_of(html) == markdown


@needs_library
def test_cells_stand_in_their_columns_where_others_span() -> None:
    spanned = "<tr><td rowspan=2>a<td colspan=2>b<tr><td>c<td>d"
    html = f"<table><tr><th>A<th>B<th>C{spanned}<tr><td>e<td>f<td>g</table>"
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text_of(html).splitlines()]
    assert rows[2:] == [["a", "b", ""], ["", "c", "d"], ["e", "f", "g"]]


@needs_library
def test_spans_that_no_table_has_room_for_are_left_out() -> None:
    html = (
        "<table><tr><td colspan=900 rowspan=900>a<td colspan=x rowspan=-1>b<tr><td colspan=0>c<td>d</table>"
    )
    assert text_of(html) == "| a | b |\n| --- | --- |\n| c | d |"


@needs_library
def test_a_section_is_a_heading_and_what_follows_up_to_the_next() -> None:
    html = (
        "<p>Before<h1> A  <em>b</em></h1>x<h3>C_d</h3><pre># <i>no</i></pre><h2>E</h2>"
        "<ul><li><h3>F</h3>f</ul><blockquote><h4>G</h4></blockquote><h1>H</h1>"
    )
    assert cut(markdown_of(html, BASE)) == [
        ([], "Before\n\n"),
        (["A b"], "# A *b*\n\nx\n\n"),
        (["A b", "C_d"], "### C\\_d\n\n```\n# no\n```\n\n"),
        (["A b", "E"], "## E\n\n"),
        (["A b", "E", "F"], "- ### F\n  f\n\n"),
        (["A b", "E", "F", "G"], "> #### G\n\n"),
        (["H"], "# H"),
    ]


@needs_library
def test_what_is_written_as_no_heading_begins_no_section() -> None:
    for html in ("<pre># <h2>no</h2></pre>", "<h2><img src=x></h2>", "<h2></h2>y", "<a><b># </b></a>x"):
        assert [path for path, _ in cut(markdown_of(html, BASE))] == [[]]
    assert markdown_of("", BASE) == Markdown("", [])


@needs_library
def test_a_long_heading_is_cut_short_in_the_paths() -> None:
    markdown = markdown_of(f"<h1>{'tea ' * 100}</h1><h2>a</h2>", BASE)
    assert [list(map(len, section["path"])) for section in markdown.sections] == [[200], [200, 1]]
    assert len(markdown.text) > 400


_texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
_blocks = st.lists(st.tuples(st.integers(0, 6), _texts), max_size=12)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


@needs_library
@given(_blocks)
def test_sections_are_those_that_a_reader_of_markdown_finds(blocks: list[tuple[int, str]]) -> None:
    reader = pytest.importorskip("markdown_it").MarkdownIt("commonmark")
    named = [(f"h{level}" if level else "p", text) for level, text in blocks]
    html = "".join(f"<{name}>{_escaped(text)}</{name}>" for name, text in named)
    markdown = markdown_of(html, BASE)
    tokens = reader.parse(markdown.text)
    found = [
        (int(token.tag[1]), token.map[0], "".join(child.content for child in inline.children))
        for token, inline in pairwise(tokens)
        if token.type == "heading_open"
    ]
    assert [level for level, _, _ in found] == [level for level, _ in blocks if level]
    path: list[tuple[int, str]] = []
    expected: list[tuple[int, list[str]]] = []
    line_starts = [0, *(match.end() for match in re.finditer("\n", markdown.text))]
    for level, line, text in found:
        path = [*(above for above in path if above[0] < level), (level, text)]
        expected.append((line_starts[line], [text for _, text in path]))
    sections = [(section["start"], section["path"]) for section in markdown.sections if section["path"]]
    assert sections == expected
    check_partition(markdown)


@needs_library
@given(st.lists(closed_soups | _texts.map("<h2>{}</h2>".format), max_size=5).map("".join))
def test_sections_part_the_markdown_of_any_page(html: str) -> None:
    page = Page(html, BASE)
    separation = Separation(page, whole(page.tokens))
    markdown = Markdown(separation.content_markdown, separation.content_headings)
    check_partition(markdown)
    assert not re.search("[0-9a-f]{32}", markdown.text)


@needs_library
@pytest.mark.parametrize("name", exhaustive_but(SMALL, sorted(HOSTILE_PAGES)))
def test_hostile_pages_are_written(name: str) -> None:
    page = Page.from_html(HOSTILE_PAGES[name](), BASE)
    separation = Separation(page, whole(page.tokens))
    check_partition(Markdown(separation.content_markdown, separation.content_headings))


@needs_library
@pytest.mark.parametrize(
    "nested",
    exhaustive_but(
        ["<div>"], ["<div>", "<ul><li>", "<b>", "<table><tr><td>", "<h2><div>", "<a href=x><object>"]
    ),
)
def test_no_depth_of_nesting_ends_the_process(nested: str) -> None:
    assert "some words" in text_of(nested * 100_000 + "some words")


@needs_library
def test_a_page_cannot_write_the_marks_of_what_is_written() -> None:
    html = f"<h2>a{MARKS}0</h2><p title='{MARKS}'>{MARKS}b<code>{MARKS}c</code><pre>{MARKS}d</pre>"
    markdown = markdown_of(f"{html}<math alttext='e{MARKS}'></math><math alttext='`{MARKS}'></math>", BASE)
    check_partition(markdown)
    assert markdown.text == "## a0\n\nb`c`\n\n```\nd\n```\n\n$e$$\\`$"
    assert [section["path"] for section in markdown.sections] == [["a0"]]


@needs_library
@pytest.mark.parametrize("base", ["", "http://[bad", "mailto:x", "\ud800"])
def test_a_page_without_an_address_is_written(base: str) -> None:
    assert markdown_of("<a href=b>x</a>\ud800", base).text.startswith("[x](")


@needs_library
def test_links_start_from_the_base_of_the_page_and_the_template_is_left_out() -> None:
    html = "<base href=/other/><ul><li>menu</ul><h1>T</h1><a href=x>y</a>"
    page = Page(html, BASE)
    start = page.tokens.form_of.index(page.tokens.form_names.index("h1"))
    separation = Separation(page, ((start, len(page.tokens)),))
    expected = "# T\n\n[y](https://tea.example/other/x)"
    observation = Observation(separation)
    assert observation.content_markdown == separation.content_markdown == expected
    assert observation.content_headings == [MarkdownSection(path=["T"], start=0, stop=len(expected))]
    assert separation.content_headings is separation.content_headings


def pieces(markdown: str, longest: int, path: tuple[str, ...] = ("A",)) -> list[str]:
    section = MarkdownSection(path=[*path], start=0, stop=len(markdown))
    cut = cut_long(markdown, [section], longest)
    assert all(piece["path"] == [*path] for piece in cut)
    return [markdown[piece["start"] : piece["stop"]] for piece in cut]


@pytest.mark.parametrize(
    ("markdown", "longest", "expected"),
    [
        ("# A\n\nbb\n\ncc\n\ndd", 13, ["# A\n\nbb\n\ncc\n\n", "dd"]),
        ("# A\n\n- b\n- c\n- d", 10, ["# A\n\n- b\n", "- c\n- d"]),
        ("# A\n\nb c d e", 9, ["# A\n\nb c ", "d e"]),
        ("# A\n\nbcdefg", 9, ["# A\n\n", "bcdefg"]),
        ("abcdefg", 3, ["abc", "def", "g"]),
        ("```\nb\n\nc\n```", 8, ["```\nb\n\n", "c\n```"]),
        ("````\n```\n\nb\n````\n\nc", 18, ["````\n```\n\nb\n````\n\n", "c"]),
        ("- ```\n  b\n\n  c\n  ```\n\nd", 22, ["- ```\n  b\n\n  c\n  ```\n\n", "d"]),
        ("# A\n\nb", 6, ["# A\n\nb"]),
    ],
)
def test_a_long_section_is_cut_behind_paragraphs(markdown: str, longest: int, expected: list[str]) -> None:
    assert pieces(markdown, longest) == expected


def test_before_the_first_heading_there_is_no_heading_to_keep() -> None:
    assert pieces("a\n\n```\nb\n\nc\n```\n\nd", 16, ()) == ["a\n\n", "```\nb\n\nc\n```\n\nd"]
    assert pieces("b\n\n- c\n- d\n- e", 9, ()) == ["b\n\n", "- c\n- d\n", "- e"]


_texts = st.text(st.sampled_from("ab \n`#->1."), max_size=60)


@given(_texts, st.lists(st.integers(0, 60), max_size=4), st.integers(1, 20))
def test_pieces_part_the_text_and_are_no_longer_than_asked_for(
    markdown: str, edges: list[int], longest: int
) -> None:
    edges = sorted({0, len(markdown), *(edge for edge in edges if edge < len(markdown))})
    sections = [MarkdownSection(path=[str(start)], start=start, stop=stop) for start, stop in pairwise(edges)]
    cut = cut_long(markdown, sections, longest)
    assert all(0 < piece["stop"] - piece["start"] <= longest for piece in cut)
    assert "".join(markdown[piece["start"] : piece["stop"]] for piece in cut) == markdown
    assert {piece["start"] for piece in cut} >= {section["start"] for section in sections}
    assert [piece["path"] for piece in cut] == sorted(
        (piece["path"] for piece in cut), key=lambda p: int(p[0])
    )
