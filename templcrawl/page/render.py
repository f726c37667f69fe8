"""Write one side of a separated page, its content or its template, as text or as HTML.

Leaves are what a reader sees: visible text runs and empty elements (images, line breaks).

Text: the leaves of the side, entities decoded, white space folded except in ``pre``, a new line
wherever an element that is not inline begins or ends.  HTML: the same leaves inside the elements of
the page that enclose them, each opened as written and closed once; elements that hold no leaf of the
side, comments, scripts and styles are left out.

mask  token -> 1 for content, 0 for template;  side  the value of the mask that is wanted
Cost: O(tokens of the page) each.
"""

from __future__ import annotations

import re
from html import unescape

from templcrawl.page.page import Page
from templcrawl.page.tokens import SPACE, START, TEXT, UNREAD, VOID
from templcrawl.page.vocabulary import INLINE

_SKELETON = frozenset({"html", "head", "body"})
_TAG = re.compile(r"<[^<>]*>")


class _Lines:
    """Text that grows run by run and breaks into lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.runs: list[str] = []
        self.in_pre = 0

    def write(self, run: str) -> None:
        if not self.in_pre:
            self.runs.append(run)
            return
        first, *others = run.split("\n")
        self.runs.append(first)
        for line in others:
            self.end_line()
            self.runs.append(line)

    def end_line(self) -> None:
        line = unescape("".join(self.runs))
        line = line.rstrip() if self.in_pre else " ".join(line.split())
        if line:
            self.lines.append(line)
        self.runs.clear()


def text_of(page: Page, mask: bytes, side: int) -> str:
    """Return the visible text of one side, a line for each line that a reader sees."""
    tokens, elements = page.tokens, page.elements
    forms, form_names, visible = tokens.forms, tokens.form_names, elements.visible
    page_text = _Lines()
    for kind, form, owner, on_side in zip(tokens.kinds, tokens.form_of, elements.owners, mask):
        if kind == TEXT:
            if visible[owner]:
                page_text.runs.append(" ") if on_side != side else page_text.write(forms[form])
        elif kind == SPACE:
            page_text.write(forms[form])
        elif kind == UNREAD:
            if on_side == side:
                page_text.end_line()
                page_text.write(_TAG.sub(" ", forms[form]))
        else:
            name = form_names[form]
            if name == "br" or (name and name not in INLINE):
                page_text.end_line()
            if name == "pre":
                page_text.in_pre = int(kind == START)
    page_text.end_line()
    return "\n".join(page_text.lines)


def html_of(page: Page, mask: bytes, side: int) -> str:
    """Return the HTML of one side: well nested, with the elements that enclose its leaves."""
    tokens, elements = page.tokens, page.elements
    forms, names, closes = tokens.forms, elements.names, elements.closes
    wanted = _enclosing(page, mask, side)
    parts: list[str] = []
    open_elements: list[int] = []
    spaced = True
    for place, (kind, form, owner, on_side) in enumerate(
        zip(tokens.kinds, tokens.form_of, elements.owners, mask)
    ):
        while open_elements and closes[open_elements[-1]] <= place:
            parts.append(f"</{names[open_elements.pop()]}>")
            spaced = False
        if kind == SPACE:
            if not spaced and wanted[owner]:
                parts.append(forms[form])
                spaced = True
        elif kind == START:
            if wanted[owner] and names[owner] not in _SKELETON:
                parts.append(forms[form])
                open_elements.append(owner)
                spaced = False
        elif on_side == side and kind in (TEXT, VOID, UNREAD) and elements.visible[owner]:
            parts.append(forms[form])
            spaced = False
    parts += [f"</{names[element]}>" for element in reversed(open_elements)]
    return "".join(parts).strip()


def _enclosing(page: Page, mask: bytes, side: int) -> bytearray:
    """Return element -> 1 if a leaf of this side is inside it."""
    elements = page.elements
    parents, visible = elements.parents, elements.visible
    wanted = bytearray(len(elements))
    for kind, owner, on_side in zip(page.tokens.kinds, elements.owners, mask):
        if on_side == side and kind in (TEXT, VOID, UNREAD) and visible[owner]:
            element = owner
            while element >= 0 and not wanted[element]:
                wanted[element] = 1
                element = parents[element]
    return wanted
