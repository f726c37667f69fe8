"""``python -m benchmarks.conformance``, on a suite of its own making."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import conformance
from benchmarks.conformance import context_of, judge_tokens, judge_tree
from benchmarks.suite_trees import TreeCase, read_cases

pytestmark = pytest.mark.exhaustive

TREES = """#data
<p>tea<a href="/x">milk
and "cup"
#errors
(1,3): no doctype
#document
| <html>
|   <head>
|   <body>
|     <p>
|       "tea"
|       <a>
|         href="/x"
|         "milk
and "cup""

#data
tea</td>
#errors
#document-fragment
td
#document
| "tea"

#data
<table>tea
#errors
#script-off
#document
| <html>
|   <head>
|     <title>
|       "not seen"
|   <body>
|     "tea"
|     <table>
|     <template>
|       content
|         "nor this"
|     <svg g>
|       <svg title>
|         "nor that"
"""

TOKENS = {
    "tests": [
        {
            "input": "<a b='c'>tea</a>",
            "output": [["StartTag", "a", {"b": "c"}], ["Character", "tea"], ["EndTag", "a"]],
        },
        {"input": "x\\u0041", "output": [["Character", "x\\u0041"]], "doubleEscaped": True},
        {
            "input": "&amp;</xmp>",
            "output": [["Character", "&amp;"], ["EndTag", "xmp"]],
            "initialStates": ["RAWTEXT state", "RCDATA state"],
            "lastStartTag": "xmp",
        },
        {"input": "<b", "output": [["Character", "b"]]},
    ]
}


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A folder like the suite's."""
    for name in ("tokenizer", "tree-construction/more"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "tokenizer" / "a.test").write_text(json.dumps(TOKENS), encoding="utf-8")
    (tmp_path / "tree-construction" / "more" / "b.dat").write_text(TREES, encoding="utf-8")
    return tmp_path


def test_the_cases_of_a_tree_file() -> None:
    first, second, third = read_cases(TREES)
    assert first.html == '<p>tea<a href="/x">milk\nand "cup"'
    assert first.runs == [(("html", "body", "p"), "tea"), (("html", "body", "p", "a"), 'milk\nand "cup"')]
    assert (first.links, first.context) == (["/x"], "")
    assert second == TreeCase("tea</td>", "td", [((), "tea")], [])
    assert third.runs == [(("html", "body"), "tea")]


def test_what_is_right_of_a_tree() -> None:
    right = TreeCase("<p>tea <a href=/x>milk", "", [(("p",), "tea"), (("p", "a"), "milk")], ["/x"])
    assert set(judge_tree(right).values()) == {True}
    assert judge_tree(right._replace(links=[])) == {
        "text": True,
        "order": True,
        "paths": True,
        "links": False,
    }
    moved = right._replace(runs=[(("p", "a"), "milk"), (("p",), "tea")])
    assert judge_tree(moved) == {"text": True, "order": False, "paths": False, "links": True}
    assert not judge_tree(right._replace(runs=[(("p",), "tea")]))["text"]
    assert judge_tree(TreeCase("a<b>", "title", [((), "a<b>")], []))["text"]


def test_what_is_right_of_tokens() -> None:
    answer = judge_tokens(
        "<a b=c>tea", "Data state", "", [["StartTag", "a", {"b": "d"}], ["Character", "tea"]]
    )
    assert answer == {"text": True, "order": True, "paths": True, "links": False}
    assert not judge_tokens("<a>", "Data state", "", [["EndTag", "a"]])["paths"]
    assert not judge_tokens("tea", "Data state", "", [["Character", "te"]])["text"]
    assert judge_tokens("a\0\ufffe b", "Data state", "", [["Character", "ab"]])["order"]


def test_start_tags_that_lead_to_the_context_of_a_fragment() -> None:
    contexts = ("td", "div", "svg path", "math math", "html")
    assert [context_of(name) for name in contexts] == [
        "<table><tr><td>",
        "<div>",
        "<svg><path>",
        "<math>",
        "",
    ]


def test_the_counts_of_a_suite(suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = tmp_path / "figures.json"
    conformance.main([str(suite), "--json", str(raw), "--differing", "text"])
    shown = capsys.readouterr()
    figures = json.loads(raw.read_text(encoding="utf-8"))
    assert figures == {
        "tokenizer/a.test": {"cases": 5, "text": 3, "order": 3, "paths": 5, "links": 5},
        "tree-construction/more/b.dat": {"cases": 3, "text": 3, "order": 3, "paths": 2, "links": 3},
    }
    assert "share" in shown.out
    assert shown.err.splitlines() == ["tokenizer/a.test:3 '&amp;</xmp>'", "tokenizer/a.test:4 '<b'"]
    figures["tokenizer/a.test"]["text"] = 1
    raw.write_text(json.dumps(figures), encoding="utf-8")
    conformance.main([str(suite), "--before", str(raw)])
    assert "1 > 3" in capsys.readouterr().out


def test_a_folder_without_a_suite_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        conformance.main([str(tmp_path)])
    assert "no suite in" in capsys.readouterr().err
