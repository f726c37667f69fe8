"""What ``benchmarks.markdown`` compares, by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import lxml.html
import pytest

pytest.importorskip("markdown_it", reason="rich brings it, but not the oldest one")

from benchmarks.markdown_parts import ReadBack, by_kind, parts_of

pytestmark = pytest.mark.exhaustive

BASE = "http://tea.example/a/b.html"
HTML = (
    "<div><h2>A <b>tea</b>\u00b6</h2><pre>x\n  y \n</pre><ul><li>one<ul><li><a href=../c>two</a></ul></ul>"
    "<table><tr><th>A<th>B<tr><td>1<td></table><table><tr><td>alone</table><a href=javascript:x>z</a>"
    "<pre><pre>z</pre></pre><h3> </h3></div>"
)
PARTS = {
    ("h1-h6", ("h2", "Atea")): 1,
    ("pre", ("x", "  y")): 1,
    ("pre", ("z",)): 1,
    ("li", "one"): 1,
    ("li", "two"): 1,
    ("a", ("two", "http://tea.example/c")): 1,
    ("table", (("A", "B"), ("1",))): 1,
}


def test_the_elements_of_a_page_that_are_compared() -> None:
    parts = parts_of([lxml.html.fromstring(HTML)], BASE)
    assert parts == Counter(PARTS)
    assert by_kind(parts) == {"h1-h6": 1, "pre": 2, "li": 2, "a": 1, "table": 1}


def test_markdown_has_the_same_elements() -> None:
    markdown = (
        "## A **tea**\n\n```py\nx\n  y\n```\n\n- one\n  - [two](/c)\n\n"
        "| A | B |\n| --- | --- |\n| 1 | |\n\n<pre>z</pre>\n"
    )
    assert ReadBack().parts(markdown, BASE) == Counter(PARTS)
    assert ReadBack().parts("", BASE) == Counter()


def test_a_site_is_put_before_ours(tmp_path: Path) -> None:
    pytest.importorskip("turbohtml")
    from benchmarks.markdown import figures_of, run_site
    from benchmarks.saved_sites import SavedSite

    menu = "<ul>" + "".join(f"<li><a href={name}.html>Page {name}</a>" for name in "abcdefgh") + "</ul>"
    for name in "abcdefgh":
        words = f"Words of {name} that no other page has, and some more of them for {name}."
        content = f"<div id=main><h1>Title {name}</h1><p>{words}<pre>code {name}</pre></div>"
        (tmp_path / f"{name}.html").write_text(f"<html><body>{menu}{content}", encoding="utf-8")
    site = SavedSite("tea", "", tmp_path, "a.html", ("tea.example",), ("//*[@id='main']",))
    scores = run_site(site, 8, ["templcrawl"])
    assert list(scores) == ["templcrawl", "templcrawl, of gold"]
    figures = {name: figures_of([score]) for name, score in scores.items()}
    assert all(figure["all kept"] == 1.0 for figure in figures.values())
    assert figures["templcrawl"]["right"] > 0.5
    assert scores["templcrawl"].pages == 7
