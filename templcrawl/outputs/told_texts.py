"""Which text nodes of an element tell a running text.

They are looked for in reading order: each may be the next part of the text, or be none.  Of all ways that
tell the whole text that with the fewest gaps counts, or else each node counts that the text contains.

Source: our own.  n text nodes, d their depth.  Cost: O(n (``_MAX_WAYS`` + d)) a text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from lxml.etree import _Element as Element
from lxml.etree import iterwalk

from templcrawl.outputs.spider_texts import SILENT
from templcrawl.outputs.tried_pages import bare

_MAX_WAYS = 8  # in which nodes may tell a text

Node = tuple[Element, int]  # an element, and the number of its own text: 0 the first, n behind child n


class _Way(NamedTuple):
    """A way to tell the first part of a text: gaps between its nodes, the last node, the way before it."""

    gaps: int
    last: int
    before: _Way | None


@dataclass
class Told:
    """The text nodes in an element, and which of these tell a text.

    nodes   those that do
    total   element -> text nodes in it
    inside  element -> those in it that tell the text
    """

    root: Element
    text: str
    nodes: set[Node] = field(init=False)
    total: Counter[Element] = field(init=False)
    inside: Counter[Element] = field(init=False)

    def __post_init__(self) -> None:
        """Look for the text."""
        found = [(node, said) for node, text in _text_nodes(self.root) if (said := bare(text))]
        self.nodes = {found[at][0] for at in _way([said for _, said in found], self.text)}
        self.total, self.inside = Counter(), Counter()
        for node, _ in found:
            self.total[node[0]] += 1
            self.inside[node[0]] += node in self.nodes
        for element in reversed(list(self.root.iter())):
            if element is not self.root:
                for counts in (self.total, self.inside):
                    counts[element.getparent()] += counts[element]

    def is_whole(self, element: Element) -> bool:
        """Return whether all that an element says is of the text."""
        return self.inside[element] == self.total[element]


def _text_nodes(root: Element) -> Iterator[tuple[Node, str]]:
    """Yield the text nodes in an element, in reading order."""
    children = Counter[Element]()
    for event, one in iterwalk(root, events=("start", "end", "comment", "pi")):
        if event == "start" and one.tag not in SILENT:
            yield (one, 0), one.text or ""
        elif event != "start" and one is not root:
            parent = one.getparent()
            children[parent] += 1
            yield (parent, children[parent]), one.tail or ""


def _way(texts: Sequence[str], whole: str) -> list[int]:
    """Return the numbers of the texts that tell a whole one; of all that it contains if no way tells it.

    >>> _way(["tea", "May", "tea", "is", "May", "ok"], "teaisok")
    [2, 3, 5]
    """
    ways = {0: _Way(0, -1, None)}  # characters that are told -> the best way
    for at, text in enumerate(texts):
        for told in sorted(ways, reverse=True):
            if whole.startswith(text, told):
                before = ways[told]
                way = _Way(before.gaps + (before.last != at - 1), at, before)
                end = told + len(text)
                known = ways.get(end)
                if known is None or way.gaps <= known.gaps + (end < len(whole)):  # a gap is behind the known
                    ways[end] = way
        if len(ways) > _MAX_WAYS:
            ways = {told: ways[told] for told in sorted(ways)[-_MAX_WAYS:]}
    if len(whole) not in ways:
        return [at for at, text in enumerate(texts) if text in whole]
    numbers, way = [], ways[len(whole)]
    while way.before:
        numbers.append(way.last)
        way = way.before
    return numbers[::-1]
