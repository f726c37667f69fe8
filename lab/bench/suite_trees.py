"""The tree-construction cases of the HTML standard's suite, as runs of text on paths.

A file holds cases of sections: ``#data``, then others, then ``#document`` with the tree, a node a line, two
spaces a level: ``<name>`` or ``<svg name>``, ``name="value"`` of the element above, ``"text"``, ``content``
(what a template holds), comments and declarations.  Text may run over several lines.

Cost: O(length of the file).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from templcrawl.page.vocabulary import INVISIBLE, RAW_TEXT_NAMES

Runs = list[tuple[tuple[str, ...], str]]

_SECTIONS = frozenset("#data #errors #new-errors #document-fragment #script-off #script-on #document".split())


class TreeCase(NamedTuple):
    """A case: a page and what the standard makes of it.

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
    """Yield the cases of a file."""
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
            if _is_seen(inside):
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


def _is_seen(path: list[str]) -> bool:
    return not any(name in RAW_TEXT_NAMES or name.rpartition(" ")[2] in INVISIBLE for name in path)


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
