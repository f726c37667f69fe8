"""How near are tokens and elements to the HTML standard, by the standard's own test suite?

How many cases of the suite are right.  White space and characters that show nothing
(controls, noncharacters) aside:

    text   the visible text: nothing lost, nothing invented
    order  the visible text, in the order of the standard's tree
    paths  the path of tag names of each text run; for tokenizer files the tags, in their order
    links  the addresses of the links; for tokenizer files the attributes of the start tags

Left out on both sides: what this project shows no text of (``INVISIBLE`` elements, what raw-text elements
hold), and elements that the standard makes up where nobody wrote them (``html``, ``head``, ``body``,
``tbody``, ``colgroup``).  A fragment is read inside start tags that lead to its context.

Cost: some 10,000 small pages, a few seconds.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table

from lab.bench.options import new_parser
from lab.bench.tables import report, table_of
from templcrawl.page.page import Page
from templcrawl.page.scan import is_closed
from templcrawl.page.text import unescape
from templcrawl.page.tokens import END, START, TEXT, attribute
from templcrawl.page.vocabulary import INVISIBLE, RAW_TEXT_NAMES

COLUMNS = ("text", "order", "paths", "links")
MADE_UP = frozenset({"html", "head", "body", "tbody", "colgroup"})
_CONTEXTS = {
    "html": "",
    "head": "<head>",
    "tr": "<table><tr>",
    "td": "<table><tr><td>",
    "th": "<table><tr><th>",
    **{name: f"<table><{name}>" for name in ("caption", "colgroup", "tbody", "tfoot", "thead")},
}
_STATES = {
    "Data state": "",
    "PLAINTEXT state": "<plaintext>",
    "RCDATA state": "<{}>",
    "RAWTEXT state": "<{}>",
    "Script data state": "<script>",
    "CDATA section state": "<svg><![CDATA[",
}
_LAST_TAGS = {"RCDATA state": "title", "RAWTEXT state": "style"}

Answer = dict[str, bool]
Runs = list[tuple[tuple[str, ...], str]]
_SECTIONS = frozenset("#data #errors #new-errors #document-fragment #script-off #script-on #document".split())


class TreeCase(NamedTuple):
    """A case of tree construction: a page and what the standard makes of it.

    html     the page, or the fragment
    context  the element that a fragment is read in, "" for a page
    runs     (path of tag names, text) of each visible text run, in the order of the tree
    links    href of each ``a`` and ``area``
    """

    html: str
    context: str
    runs: Runs
    links: list[str]


def read_cases(text: str) -> Iterator[TreeCase]:
    """Yield the cases of a file of sections: ``#data``, then others, then ``#document`` with the tree.

    The tree has a node a line, two spaces a level: ``<name>`` or ``<svg name>``, ``name="value"`` of the
    element above, ``"text"``, ``content`` (what a template holds), comments and declarations.  Text may run
    over several lines.
    """
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in [*text.split("\n"), "#data"]:
        if line in _SECTIONS:
            if line == "#data" and sections:
                yield _case(sections)
                sections = {}
            lines = sections.setdefault(line, [])
        else:
            lines.append(line)


def _case(sections: dict[str, list[str]]) -> TreeCase:
    runs: Runs = []
    links: list[str] = []
    path: list[str] = []
    for depth, node in _nodes(sections["#document"]):
        if node[0] == '"':
            inside = path[:depth]
            hidden = (name in RAW_TEXT_NAMES or name.rpartition(" ")[2] in INVISIBLE for name in inside)
            if not any(hidden):
                runs.append((tuple(name.rpartition(" ")[2].lower() for name in inside if name), node[1:-1]))
        elif node[0] == "<" and node[1] not in "!?":
            path[depth:] = [node[1:-1]]
        elif node == "content":
            path[depth:] = [""]
        elif node.startswith(('href="', 'xlink href="')) and path[depth - 1].rpartition(" ")[2] in (
            "a",
            "area",
        ):
            links.append(node.partition('"')[2][:-1])
    context = "".join(sections.get("#document-fragment", []))
    return TreeCase("\n".join(sections["#data"]), context, runs, links)


def _nodes(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield level and text of each node; a line that begins none goes on with the one before."""
    node = ""
    for line in [*lines, "| "]:
        if not line.startswith("| "):
            node += "\n" + line
            continue
        if node:
            inside = node[2:].lstrip(" ")
            yield (len(node) - 2 - len(inside)) // 2, inside.rstrip("\n")
        node = line


def _squeezed(text: str) -> str:
    return "".join(character for character in text if character.isprintable() and character != " ")


def _told(runs: Runs) -> Runs:
    """Return runs without white space and elements made up; neighbours of one path are one run."""
    told: Runs = []
    for path, text in runs:
        text = _squeezed(text)
        path = tuple(name for name in path if name not in MADE_UP)
        if told and told[-1][0] == path:
            told[-1] = (path, told[-1][1] + text)
        elif text:
            told.append((path, text))
    return told


def runs_of(page: Page, wrapper: str, *, is_decoded: bool) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield path and text of the text runs of a page that are visible inside its wrapper.

    is_decoded  whether there are character references in what the wrapper holds as raw text
    """
    tokens, elements = page.tokens, page.elements
    outer = wrapper.count("<")
    for position, (kind, owner) in enumerate(zip(tokens.kinds, elements.owners)):
        run = tokens.forms[tokens.form_of[position]]
        path: list[str] = []
        element = owner
        while element > outer:
            path.insert(0, elements.names[element])
            element = elements.parents[element]
        if kind == TEXT and not INVISIBLE & {*path}:
            yield tuple(path), unescape(run)
        elif kind == START and owner == outer and elements.names[owner] in RAW_TEXT_NAMES:
            text = run.partition(">")[2]
            yield (), unescape(text) if is_decoded else text


def context_of(name: str) -> str:
    """Return start tags that lead to the context of a fragment."""
    space, _, local = name.rpartition(" ")
    if space and local != space:
        return f"<{space}><{local}>"
    return _CONTEXTS.get(local, f"<{local}>")


def judge_tree(case: TreeCase) -> Answer:
    """Compare the elements of a page with a tree of the suite."""
    wrapper = context_of(case.context) if case.context else ""
    page = Page(wrapper + case.html, "")
    is_decoded = case.context in ("title", "textarea")
    ours, theirs = _told(list(runs_of(page, wrapper, is_decoded=is_decoded))), _told(case.runs)
    tokens = page.tokens
    tags = (tokens.forms[tokens.form_of[position]] for position in page.elements.anchors)
    links = [attribute(tag, "href") for tag in tags if is_closed(tag)]
    return {
        **_judge_text("".join(text for _, text in ours), "".join(text for _, text in theirs)),
        "paths": ours == theirs,
        "links": list(dict.fromkeys(filter(None, links))) == list(dict.fromkeys(filter(None, case.links))),
    }


def _judge_text(ours: str, theirs: str) -> Answer:
    return {"text": Counter(ours) == Counter(theirs), "order": ours == theirs}


def judge_tokens(html: str, state: str, last_tag: str, expected: Sequence[Sequence[Any]]) -> Answer:
    """Compare the tokens of a page with those of the suite."""
    wrapper = _STATES[state].format(last_tag or _LAST_TAGS.get(state))
    page = Page(wrapper + html, "")
    tokens = page.tokens
    tags = [
        tokens.forms[form]
        for form in tokens.form_of[bool(wrapper) :]
        if tokens.form_names[form] and is_closed(tokens.forms[form])
    ]
    wanted = [token for token in expected if token[0] in ("StartTag", "EndTag")]
    runs = runs_of(page, wrapper, is_decoded=state == "RCDATA state")
    ours = "".join(text for _, text in runs)
    theirs = "".join(token[1] for token in expected if token[0] == "Character")
    return {
        **_judge_text(_squeezed(ours), _squeezed(theirs)),
        "paths": list(map(_named, tags)) == [(token[0] == "EndTag", token[1]) for token in wanted],
        "links": all(
            attribute(tag, name) == value
            for tag, token in zip(tags, wanted)
            if token[0] == "StartTag"
            for name, value in token[2].items()
        ),
    }


def _named(tag: str) -> tuple[bool, str]:
    stream = Page(tag, "").tokens
    return tag.startswith("</") or stream.form_kinds[0] == END, stream.form_names[0]


def token_answers(path: Path) -> Iterator[Answer]:
    """Yield the answers of the cases of a tokenizer file."""
    suite = json.loads(path.read_text(encoding="utf-8"))
    for case in suite.get("tests", suite.get("xmlViolationTests")):
        html, output = case["input"], case["output"]
        if case.get("doubleEscaped"):
            html, output = (_unescaped(each) for each in (html, output))
        for state in case.get("initialStates", ["Data state"]):
            yield judge_tokens(html, state, case.get("lastStartTag", ""), output)


def _unescaped(value: Any) -> Any:
    if isinstance(value, str):
        head, *others = value.split("\\u")
        return head + "".join(chr(int(other[:4], 16)) + other[4:] for other in others)
    return [_unescaped(each) for each in value] if isinstance(value, list) else value


def tree_answers(path: Path) -> Iterator[Answer]:
    """Yield the answers of the cases of a tree-construction file."""
    return map(judge_tree, read_cases(path.read_text(encoding="utf-8")))


READERS: dict[str, tuple[str, Callable[[Path], Iterator[Answer]]]] = {
    "tokenizer": ("*.test", token_answers),
    "tree-construction": ("**/*.dat", tree_answers),
}


def suite_table(suite: Path) -> Table:
    """Return how many cases of each folder of the suite are right, of all, and their share."""
    counts: dict[str, Counter[str]] = {}
    for folder, (pattern, answers_of) in READERS.items():
        answers = [answer for path in sorted((suite / folder).glob(pattern)) for answer in answers_of(path)]
        counts[folder] = sum(map(Counter, answers), Counter(cases=len(answers)))
    counts["all"] = every = sum(counts.values(), Counter[str]())
    rows = [(name, *(row[column] for column in ("cases", *COLUMNS))) for name, row in counts.items()]
    shares = (f"{100 * every[column] / max(1, every['cases']):.1f} %" for column in COLUMNS)
    title = "Cases of the HTML standard's suite that are right"
    return table_of(title, ("file", "cases", *COLUMNS), [*rows, ("share", "", *shares)])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.conformance", __doc__, "--figures")
    parser.add_argument("suite", type=Path, metavar="FOLDER", help="tokenizer/, tree-construction/")
    options = parser.parse_args(arguments)
    if not any((options.suite / folder).is_dir() for folder in READERS):
        parser.error(f"no suite in {options.suite}")
    report({"suite": suite_table(options.suite)}, options.figures)


if __name__ == "__main__":
    main()
