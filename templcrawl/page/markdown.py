"""Write HTML as Markdown, and find its sections.

A library (turbohtml) reads the tree and writes it; what it would lose is first rewritten in the tree
(:mod:`templcrawl.page.markdown_tree`).

Headings are found again in what was written by a mark in front of their words, which is taken out: the digest
of the whole HTML, which nothing in that HTML can know (:mod:`templcrawl.page.markdown_sections`).

Cost: O(length of the HTML).  The library neither recurses nor indents deeper than a bound.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from xxhash import xxh3_128_hexdigest

from templcrawl.errors import MissingExtra
from templcrawl.page.markdown_display import remove_display
from templcrawl.page.markdown_emphasis import STRONG, WEAK, delimit, simplify_emphasis
from templcrawl.page.markdown_sections import Heading, MarkdownSection, sections_at
from templcrawl.page.markdown_tree import HEADINGS, near_ancestors, outermost, rewrite

if TYPE_CHECKING:
    from turbohtml import Element

_HEAD = re.compile(r"(?:[>*+-] |\d+[.)] | )*#{1,6} ").fullmatch
_CODE = frozenset({"pre", "code", "kbd", "samp", "tt"})
_LONGEST_HEAD = 400
_LONGEST_TEXT = 200


class Markdown(NamedTuple):
    """HTML as Markdown.

    text      the Markdown
    sections  its sections in order; one begins where the one before it ends
    """

    text: str
    sections: list[MarkdownSection]


def load() -> Any:
    """Return the library; raises MissingExtra."""
    try:
        import turbohtml
    except ImportError as error:
        raise MissingExtra("Markdown", "markdown") from error
    return turbohtml


def markdown_of(html: str, base: str) -> Markdown:
    """Return HTML as Markdown, links resolved against an address; raises MissingExtra."""
    library = load()
    tree = library.parse_fragment(html, positions=False)
    remove_display(library, tree)
    rewrite(library, tree, base)
    simplify_emphasis(library, tree)
    mark = xxh3_128_hexdigest(html.encode("utf-8", "surrogatepass"))
    headings = _mark_headings(library, tree, mark)
    _protect_tags(library, tree, mark)
    options = library.Markdown(
        tables=library.Markdown.Tables(cell_blocks="text"),
        links=library.Markdown.Links(autolink=False),
        inline=library.Markdown.Inline(strong=STRONG, emphasis=WEAK),
    )
    return _cut(tree.to_markdown(options), mark, headings)


def _mark_headings(library: Any, tree: Element, mark: str) -> list[Heading]:
    """Put a mark with its number in front of each heading that has words."""
    headings: list[Heading] = []
    for element in outermost(tree, HEADINGS):
        text = " ".join(element.to_text().split())
        if text:
            element.insert(0, library.Text(f"{mark}{len(headings)}q"))
            headings.append(Heading(int(element.tag[1]), text[:_LONGEST_TEXT]))
    return headings


def _protect_tags(library: Any, tree: Element, mark: str) -> None:
    """Mark what reads as a tag of emphasis in code and in titles: it is written there as it stands."""
    replaced = f"<{mark}c"
    for node in tree.descendants:
        if isinstance(node, library.Text) and "<" in node.data and _is_code(node):
            node.data = node.data.replace("<", replaced)
    for element in tree.find_all(attrs={"title": True}):
        element.attrs["title"] = (element.attr("title") or "").replace("<", replaced)


def _is_code(node: Any) -> bool:
    return any(above.tag in _CODE for above in near_ancestors(node))


def _cut(marked: str, mark: str, headings: list[Heading]) -> Markdown:
    """Take the marks out, and cut the text at the lines that they stood at the head of."""
    written = f"<{mark}c"
    first, *pieces = re.split(f"{mark}([0-9]+)q", marked)
    parts = [delimit(first).replace(written, "<")]
    marks: list[tuple[int, Heading]] = []
    length = len(parts[0])
    for number, words in zip(pieces[::2], pieces[1::2]):
        marks.append((length, headings[int(number)]))
        parts.append(delimit(words.lstrip(" "), in_heading=True).replace(written, "<"))
        length += len(parts[-1])
    text = "".join(parts)
    starts = ((_line_of_heading(text, position), heading) for position, heading in marks)
    return Markdown(text, sections_at([start for start in starts if start[0] >= 0], length))


def _line_of_heading(text: str, position: int) -> int:
    """Return where the line begins whose heading has its words at a position, -1 if there is none."""
    searched = max(position - _LONGEST_HEAD, 0)
    start = text.rfind("\n", searched, position) + 1 or searched
    return start if _HEAD(text, start, position) else -1
