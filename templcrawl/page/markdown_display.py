"""Remove display-only markup from a tree before it becomes Markdown: permalinks, spacing.

permalinks  links to a heading that show a sign (``¶``, ``#``, ``§``) or an icon, inside that heading; links
            with such a sign whose class says that they are one, anywhere
spacing     no-break spaces are spaces; soft hyphens and spaces without width are left out, but of code; several
            line breaks in a row end a paragraph; a line break at the start of a block is none

Cost: O(length of the HTML): of what encloses an element the nearest ``_ABOVE`` are looked at.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from templcrawl.page.markdown_emphasis import STRONG, WEAK
from templcrawl.page.markdown_tree import FORMULA, HEADINGS, ITEM, LESS, POWERS, is_code, outermost
from templcrawl.page.vocabulary import INLINE

if TYPE_CHECKING:
    from turbohtml import Element

_ABOVE = 64
_EMPTY_INLINE = frozenset("a b button em font i iframe object small span strong u video".split())
_PERMALINKS = ",".join(
    f"a.{name}"
    for name in (
        "headerlink anchor permalink header-anchor anchor-link heading-anchor anchorjs-link hash-link".split()
    )
)
_HAS_WORDS = re.compile(r"\w").search
_MARKS = f"{STRONG}{WEAK}{ITEM}{LESS}{FORMULA}{''.join(POWERS.values())}"
_IN_CODE = {**dict.fromkeys(_MARKS), "\xa0": " "}
_IN_WORDS = {**_IN_CODE, "\xad": None, "\u200b": None, "\ufeff": None}
_CODE, _WORDS = str.maketrans(_IN_CODE), str.maketrans(_IN_WORDS)
_REPLACED = re.compile(f"[{''.join(_IN_WORDS)}]").search


def remove_display(library: Any, tree: Element) -> None:
    """Take the permalinks and the spacing out of a tree."""
    _remove_permalinks(tree)
    _plain_spaces(library, tree)
    _end_paragraphs(library, tree)


def _remove_permalinks(tree: Element) -> None:
    for heading in list(outermost(tree, ",".join(HEADINGS))):
        for anchor in heading.find_all("a"):
            leads_here = "#" in (anchor.attr("href") or "#") and anchor.find("img") is None
            if leads_here and not _HAS_WORDS(anchor.text):
                anchor.extract()
    for anchor in tree.select(_PERMALINKS):
        if not _HAS_WORDS(anchor.text):
            anchor.extract()


def _plain_spaces(library: Any, tree: Element) -> None:
    """Replace spaces, and the marks of what is written here, in text and in attributes that are written."""
    if _REPLACED(tree.text):
        for text in [node for node in tree.descendants if isinstance(node, library.Text)]:
            if _REPLACED(text.data):
                text.data = text.data.translate(_CODE if is_code(text) else _WORDS)
    for name in ("alt", "title"):
        for element in tree.find_all(attrs={name: True}):
            if _REPLACED(value := element.attr(name) or ""):
                element.attrs[name] = value.translate(_WORDS)


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
            return isinstance(before, library.Element) and before.tag not in INLINE
        node = node.parent
        if node.tag not in INLINE or node.parent is None:
            return True
    return False
