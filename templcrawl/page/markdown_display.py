"""Remove display-only markup from a tree before it becomes Markdown: permalinks, line numbers, spacing.

permalinks    links to a heading that show a sign (``¶``, ``#``, ``§``) or an icon, inside that heading; links
              with such a sign whose class says that they are one, anywhere
line numbers  tables of highlighted code, numbers | code, become the code: Pygments, Rouge, Crayon,
              SyntaxHighlighter.  Elements of a block of code whose class names line numbers and that hold
              digits alone are left out
spacing       no-break spaces are spaces; several line breaks in a row end a paragraph; a line break at the
              start of a block is none

Cost: O(length of the HTML): of what encloses an element the nearest ``_ABOVE`` are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from templcrawl.page.markdown_emphasis import STRONG, WEAK
from templcrawl.page.markdown_tree import HEADINGS, outermost
from templcrawl.page.vocabulary import BLOCKS

if TYPE_CHECKING:
    from turbohtml import Element

_ABOVE = 64
_MOST_CELLS = 3
_EMPTY_INLINE = frozenset("a b button em font i iframe object small span strong u video".split())
_PERMALINKS = ",".join(
    f"a.{name}"
    for name in (
        "headerlink anchor permalink header-anchor anchor-link heading-anchor anchorjs-link hash-link".split()
    )
)
_HAS_WORDS = re.compile(r"\w").search
_NUMBER = re.compile(r"[0-9]{1,9}\Z").match
_NUMBER_CLASSES = frozenset({"lineno", "linenos", "linenumber", "line-number", "line-numbers", "lno"})
_PLAIN = str.maketrans({"\xa0": " ", STRONG: None, WEAK: None})
_REPLACED = re.compile(f"[\xa0{STRONG}{WEAK}]").search


def remove_display(library: Any, tree: Element) -> None:
    """Take the permalinks, the line numbers and the spacing out of a tree."""
    _remove_permalinks(tree)
    for table in tree.find_all("table"):
        _remove_number_column(library, table)
    _remove_numbers_of_lines(library, tree)
    _plain_spaces(library, tree)
    _end_paragraphs(library, tree)


def _remove_permalinks(tree: Element) -> None:
    for heading in list(outermost(tree, HEADINGS)):
        for anchor in heading.find_all("a"):
            leads_here = "#" in (anchor.attr("href") or "#") and anchor.find("img") is None
            if leads_here and not _HAS_WORDS(anchor.text):
                anchor.extract()
    for anchor in tree.select(_PERMALINKS):
        if not _HAS_WORDS(anchor.text):
            anchor.extract()


def _classes(element: Element) -> Sequence[str]:
    return (element.attr("class") or "").split()


def _remove_number_column(library: Any, table: Element) -> None:
    """Turn a table of one row, line numbers | code, into its code."""
    cells = table.find_all(["td", "th"], limit=_MOST_CELLS) if table.parent is not None else []
    if len(cells) != 2:
        return
    numbers = cells[0].to_text().split()
    first = int(numbers[0]) if numbers and _NUMBER(numbers[0]) else -1
    if first < 0 or numbers != [str(first + line) for line in range(len(numbers))]:
        return
    block = cells[1].find("pre")
    if block is not None:
        table.replace_with(block.extract())
    elif lines := _code_lines(library, cells[1], len(numbers)):
        block = library.Element("pre")
        block.append(library.Text("\n".join(lines)))
        table.replace_with(block)


def _code_lines(library: Any, cell: Element, number: int) -> list[str]:
    """Return the lines of a cell that has an element for each, where a class there names code; [] if not."""
    children = [cell]
    is_code = False
    for _ in range(_ABOVE):
        if len(children) != 1:
            break
        is_code = is_code or any("code" in name.lower() for name in _classes(children[0]))
        children = [child for child in children[0] if isinstance(child, library.Element)]
    if number == 1:
        children = [cell]
    return [child.text for child in children] if is_code and len(children) == number else []


def _remove_numbers_of_lines(library: Any, tree: Element) -> None:
    for block in list(outermost(tree, ["pre"])):
        for element in block.find_all("span", attrs={"class": True}):
            if _NUMBER_CLASSES.isdisjoint(_classes(element)):
                continue
            children = list(islice(element.children, 2))
            is_text = len(children) == 1 and isinstance(children[0], library.Text)
            if is_text and children[0].data.strip().isdecimal():
                element.extract()


def _plain_spaces(library: Any, tree: Element) -> None:
    """Replace no-break spaces, and the marks of emphasis, in text and in attributes that are written."""
    if _REPLACED(tree.text):
        for text in [node for node in tree.descendants if isinstance(node, library.Text)]:
            if _REPLACED(text.data):
                text.data = text.data.translate(_PLAIN)
    for name in ("alt", "title"):
        for element in tree.find_all(attrs={name: True}):
            if _REPLACED(value := element.attr(name) or ""):
                element.attrs[name] = value.translate(_PLAIN)


def _end_paragraphs(library: Any, tree: Element) -> None:
    for first in tree.find_all("br"):
        if first.parent is None or first.closest("pre") is not None:
            continue
        follows, number = _beside(library, first, after=True), 1
        while isinstance(follows, library.Element) and follows.tag == "br":
            beyond = _beside(library, follows, after=True)
            follows.extract()
            follows, number = beyond, number + 1
        if _begins_line(library, first):
            first.extract()
        elif number > 1:
            first.replace_with(library.Element("div"))


def _beside(library: Any, node: Any, *, after: bool) -> Any:
    """Return the next or the previous sibling of a node that is seen; None at the end."""
    while True:
        node = node.next_sibling if after else node.previous_sibling
        if node is None or (isinstance(node, library.Text) and node.data.strip()):
            return node
        if isinstance(node, library.Element) and (
            node.tag not in _EMPTY_INLINE or node.text.strip() or node.find("img") is not None
        ):
            return node


def _begins_line(library: Any, node: Any) -> bool:
    """Return whether nothing that is seen stands before a node on its line."""
    for _ in range(_ABOVE):
        before = _beside(library, node, after=False)
        if before is not None:
            return isinstance(before, library.Element) and before.tag in BLOCKS
        node = node.parent
        if node.tag in BLOCKS or node.parent is None:
            return True
    return False
