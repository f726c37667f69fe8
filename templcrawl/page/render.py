"""Write one side of a separated page, its content or its template, as text or as HTML.

What a reader sees are visible text runs and empty elements (images, line breaks).

Text: the text runs of the side, entities decoded, white space folded except in ``pre``, a new line
wherever an element that is not inline begins or ends.  HTML: what a reader sees inside the elements of
the page that enclose them, each opened as written and closed once; elements that hold nothing of the
side, comments, scripts and styles are left out.  What is left out keeps the words around it apart.

mask  token -> 1 for content, 0 for template;  side  the value of the mask that is wanted
Cost: O(tokens of the page) each.
"""

from __future__ import annotations

import re
from html import escape
from itertools import zip_longest

import numpy as np

from templcrawl.page.columns import Task
from templcrawl.page.entities import unescape
from templcrawl.page.memo import Memo
from templcrawl.page.native import native
from templcrawl.page.page import Page
from templcrawl.page.scan import is_closed
from templcrawl.page.tags import SPACE, START, TEXT, UNREAD, VOID
from templcrawl.page.vocabulary import INLINE, SKELETON

_DECODED = Memo(unescape)
_TAG = re.compile(r"<[^<>]*>")
_OPEN_END = re.compile(r"(?:<|&#?\w*)\Z")


def _asked(page: Page, mask: bytes, side: int) -> tuple[bytes, bytes, str]:
    """Return what the kernel takes to write a side: the rest that it has not read, where the side has it."""
    rest = page.text[page.limits.max_characters :] if mask[-1:] == bytes((side,)) else ""
    return mask, bytes((side,)), rest


def _text(written: bytes) -> str:
    return written.decode("utf-8", "surrogatepass")


class _Lines:
    """Text that grows run by run and breaks into lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.runs: list[str] = []
        self.in_pre = False

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
        if not self.runs:
            return
        line = "".join(self.runs)
        line = line.rstrip() if self.in_pre else " ".join(line.split())
        if line:
            self.lines.append(line)
        self.runs.clear()


@native(Task.TEXT, ask=_asked, answer=_text)
def text_of(page: Page, mask: bytes, side: int) -> str:
    """Return the visible text of one side, a line for each line that a reader sees."""
    tokens, elements = page.tokens, page.elements
    forms, names, closes, visible = tokens.forms, elements.names, elements.closes, elements.visible
    edges = _line_edges(page)
    page_text = _Lines()
    pre_stop = 0
    kinds, form_of, owners = tokens.kinds, tokens.form_of, elements.owners
    for position in _telling(page, edges):
        owner = owners[position]
        if edges[position]:
            page_text.end_line()
            if names[owner] == "pre":
                pre_stop = max(pre_stop, closes[owner])
            page_text.in_pre = position < pre_stop
        kind, form = kinds[position], form_of[position]
        if kind == TEXT:
            if visible[owner]:
                page_text.write(_DECODED[forms[form]] if mask[position] == side else _gap(forms[form]))
        elif kind == SPACE:
            page_text.write(forms[form])
        elif kind == UNREAD and mask[position] == side:
            page_text.end_line()
            page_text.write(unescape(_TAG.sub(" ", forms[form])))
    page_text.end_line()
    return "\n".join(page_text.lines)


def _telling(page: Page, edges: bytes | bytearray) -> list[int]:
    """Return the positions of tokens that say something in the text: runs, white space, ends of lines."""
    kinds = page.tokens.kind_array
    says = (kinds == TEXT) | (kinds == SPACE) | (kinds == UNREAD)
    says |= np.frombuffer(edges, dtype=bool)[: len(kinds)]
    positions: list[int] = np.flatnonzero(says).tolist()
    return positions


@native(Task.HTML, ask=_asked, answer=_text)
def html_of(page: Page, mask: bytes, side: int) -> str:
    """Return the HTML of one side: well nested, with the elements that enclose what a reader sees."""
    tokens, elements = page.tokens, page.elements
    forms, names, closes, visible = tokens.forms, elements.names, elements.closes, elements.visible
    wanted = enclosing(page, mask, side)
    edges = _line_edges(page, kept=wanted)
    parts: list[str] = []
    open_elements: list[int] = []
    spaced = True
    pre_stop = 0
    for position, (edge, kind, form, owner, on_side) in enumerate(
        zip(edges, tokens.kinds, tokens.form_of, elements.owners, mask)
    ):
        while open_elements and closes[open_elements[-1]] <= position:
            parts.append(f"</{names[open_elements.pop()]}>")
            spaced = False
        if kind == SPACE:
            if not spaced or position < pre_stop:
                parts.append(forms[form])
                spaced = True
            continue
        is_text = kind == TEXT and visible[owner]
        if (edge or (is_text and on_side != side)) and (not spaced or position < pre_stop):
            parts.append(_gap(forms[form]))
            spaced = True
        if kind == START:
            if wanted[owner]:
                parts.append(forms[form])
                open_elements.append(owner)
                spaced = False
                if names[owner] == "pre":
                    pre_stop = max(pre_stop, closes[owner])
        elif on_side == side and (is_text or (kind == VOID and wanted[owner]) or kind == UNREAD):
            parts.append(_ended(forms[form]) if is_text else forms[form])
            spaced = False
    parts += [f"</{names[element]}>" for element in reversed(open_elements)]
    return "".join(parts).strip()


def _gap(left_out: str) -> str:
    return "\n" if "\n" in left_out else " "


def _ended(run: str) -> str:
    """Return a text run written so that nothing behind it can change how it reads."""
    if "&" in run or "<" in run:
        return _OPEN_END.sub(lambda end: escape(unescape(end[0]), quote=False), run)
    return run


def _line_edges(page: Page, kept: bytes | bytearray = b"") -> bytearray:
    """Return token -> 1 if a line ends before it: where an element begins or ends that is not inline.

    Elements that are ``kept`` do not count.
    """
    elements = page.elements
    edges = bytearray(len(page.tokens) + 1)
    for name, opened, closed, is_kept in zip_longest(
        elements.names, elements.opens, elements.closes, kept, fillvalue=0
    ):
        if not is_kept and (name not in INLINE or name == "br"):
            edges[opened] = edges[closed] = 1
    return edges


def enclosing(page: Page, mask: bytes, side: int) -> bytearray:
    """Return element -> 1 if a side has it: it is seen on the side or has inside what is.

    Never ``html``, ``head``, ``body``, nor what a start tag opens that is cut off by the end of the page.
    """
    elements, tokens = page.elements, page.tokens
    parents, names, visible = elements.parents, elements.names, elements.visible
    wanted = bytearray(len(elements))
    for kind, owner, on_side in zip(tokens.kinds, elements.owners, mask):
        if on_side == side and kind in (TEXT, VOID, UNREAD) and visible[owner]:
            element = owner
            while element >= 0 and not wanted[element]:
                wanted[element] = 1
                element = parents[element]
    for element, name in enumerate(names):
        if name in SKELETON:
            wanted[element] = 0
    if len(names) > 1 and not is_closed(tokens.forms[tokens.form_of[elements.opens[-1]]]):
        wanted[-1] = 0
    return wanted
