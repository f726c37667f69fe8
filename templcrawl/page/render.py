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
from collections.abc import Iterator, Sequence
from html import escape
from itertools import zip_longest

import numpy as np
import numpy.typing as npt

from templcrawl.page.columns import Task
from templcrawl.page.entities import unescape
from templcrawl.page.memo import Memo
from templcrawl.page.native import native
from templcrawl.page.page import Page
from templcrawl.page.scan import is_closed
from templcrawl.page.tags import SPACE, START, TEXT, UNREAD, VOID
from templcrawl.page.vocabulary import INLINE, SKELETON

Flags = npt.NDArray[np.bool_]

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
        first, *rest = run.split("\n")
        self.runs.append(first)
        for line in rest:
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
    for position in _text_positions(page, edges):
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


def _written(page: Page, edges: bytearray, wanted: bytearray) -> Flags:
    """Return token -> whether it may be written as HTML, or keeps words apart."""
    kinds = page.tokens.kind_array
    is_wanted = np.frombuffer(wanted, dtype=bool)[page.elements.owner_array]
    written: Flags = (kinds == TEXT) | (kinds == SPACE) | (kinds == UNREAD)
    written |= ((kinds == START) | (kinds == VOID)) & is_wanted
    written |= np.frombuffer(edges, dtype=bool)[: len(kinds)]
    return written


def _text_positions(page: Page, edges: bytes | bytearray) -> list[int]:
    """Return the positions of tokens that matter to the text: runs, white space, ends of lines."""
    kinds = page.tokens.kind_array
    is_text = (kinds == TEXT) | (kinds == SPACE) | (kinds == UNREAD)
    is_text |= np.frombuffer(edges, dtype=bool)[: len(kinds)]
    positions: list[int] = np.flatnonzero(is_text).tolist()
    return positions


@native(Task.HTML, ask=_asked, answer=_text)
def html_of(page: Page, mask: bytes, side: int) -> str:
    """Return the HTML of one side: well nested, with the elements that enclose what a reader sees."""
    elements = page.elements
    names, visible = elements.names, elements.visible
    wanted = enclosing(page, mask, side)
    edges = _line_edges(page, selected=wanted)
    html = _Html()
    open_elements: list[int] = []
    pre_stop = 0
    for position, kind, form, owner, ended in walk(page, _written(page, edges, wanted), open_elements):
        for element in ended:
            html.write(f"</{names[element]}>")
        html.in_pre = position < pre_stop
        if kind == SPACE:
            html.space(form)
            continue
        is_text, on_side = kind == TEXT and visible[owner], mask[position] == side
        if edges[position] or (is_text and not on_side):
            html.space(_gap(form))
        if kind == START and wanted[owner]:
            html.write(form)
            open_elements.append(owner)
            if names[owner] == "pre":
                pre_stop = max(pre_stop, elements.closes[owner])
        elif on_side and (is_text or kind == UNREAD or (kind == VOID and wanted[owner])):
            html.write(_ended(form) if is_text else form)
    html.parts += [f"</{names[element]}>" for element in reversed(open_elements)]
    return "".join(html.parts).strip()


def walk(
    page: Page, is_visited: Flags, open_elements: list[int]
) -> Iterator[tuple[int, int, str, int, Sequence[int]]]:
    """Yield (position, kind, text, innermost element, elements that end before it) for some tokens.

    is_visited     token -> whether it is one of them
    open_elements  those that are open, outermost first: the caller adds each that it writes the start of
    """
    tokens, closes = page.tokens, page.elements.closes
    positions = np.flatnonzero(is_visited)
    kinds = tokens.kind_array[positions].tobytes()
    forms = map(tokens.forms.__getitem__, tokens.form_array[positions].tolist())
    owners = page.elements.owner_array[positions].tolist()
    for position, kind, form, owner in zip(positions.tolist(), kinds, forms, owners):
        if open_elements and closes[open_elements[-1]] <= position:
            ended = [open_elements.pop()]
            while open_elements and closes[open_elements[-1]] <= position:
                ended.append(open_elements.pop())
            yield position, kind, form, owner, ended
        else:
            yield position, kind, form, owner, ()


class _Html:
    """HTML that grows piece by piece; white space beside white space is left out, except in ``pre``."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.in_pre = False
        self._is_spaced = True

    def write(self, piece: str) -> None:
        self.parts.append(piece)
        self._is_spaced = False

    def space(self, white: str) -> None:
        if self.in_pre or not self._is_spaced:
            self.parts.append(white)
            self._is_spaced = True


def _gap(left_out: str) -> str:
    return "\n" if "\n" in left_out else " "


def _ended(run: str) -> str:
    """Return a text run written so that nothing behind it can change how it reads."""
    if "&" in run or "<" in run:
        return _OPEN_END.sub(lambda end: escape(unescape(end[0]), quote=False), run)
    return run


def _line_edges(page: Page, selected: bytes | bytearray = b"") -> bytearray:
    """Return token -> 1 if a line ends before it: where an element begins or ends that is not inline.

    Elements that are ``selected`` do not count.
    """
    elements = page.elements
    edges = bytearray(len(page.tokens) + 1)
    for name, opened, closed, is_selected in zip_longest(
        elements.names, elements.opens, elements.closes, selected, fillvalue=0
    ):
        if not is_selected and (name not in INLINE or name == "br"):
            edges[opened] = edges[closed] = 1
    return edges


def enclosing(page: Page, mask: bytes, side: int) -> bytearray:
    """Return element -> 1 if a side has it: it is seen on the side or has inside what is.

    Never ``html``, ``head``, ``body``, nor what a start tag opens that is cut off by the end of the page.
    """
    elements, tokens = page.elements, page.tokens
    parents, names, kinds = elements.parents, elements.names, tokens.kind_array
    seen = (kinds == TEXT) | (kinds == VOID) | (kinds == UNREAD)
    seen &= elements.visible_array[elements.owner_array] & (np.frombuffer(mask, dtype=np.uint8) == side)
    wanted = bytearray(len(elements))
    for element in elements.owner_array[seen].tolist():
        while element >= 0 and not wanted[element]:
            wanted[element] = 1
            element = parents[element]
    for element, name in enumerate(names):
        if name in SKELETON:
            wanted[element] = 0
    if len(names) > 1 and not is_closed(tokens.forms[tokens.form_of[elements.opens[-1]]]):
        wanted[-1] = 0
    return wanted
