"""Write one side of a separated page, its content or its template, as text or as HTML, in Python.

This is the specification of the kernel's writers (:mod:`templcrawl.page.render`).  What a reader sees are
visible text runs, empty elements (images, line breaks), frames and players.

*Text*: the text runs of the side, entities decoded, soft hyphens and zero-width spaces left out, white space
folded except in ``pre``, a new line wherever a block begins or ends, the reading of a ruby in brackets, signs
between runs that style alone sets apart (:mod:`templcrawl.page.seams`), none of a link to a heading.
*HTML*: what a reader sees inside the elements of the page that enclose it, each opened as written and closed
once, with a space, or the point of a price, where style alone sets apart; elements that hold nothing of the
side, comments, scripts and styles are left out.  In both, what is left out keeps the words around it apart,
and TeX that a script would draw is a text, as is what stands in ``xmp``.  Both are storable.

mask  token -> 1 for content, 0 for template;  side  the value of the mask that is wanted
Cost: O(tokens of the page) each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape

import numpy as np

from templcrawl.page.arrays import Flags
from templcrawl.page.lines import Lines
from templcrawl.page.page import Page
from templcrawl.page.raw_texts import raw_html, raw_texts
from templcrawl.page.scan import is_closed
from templcrawl.page.seams import APART, CENTS, INDEX, NOTE, POWER, SUM, Seams
from templcrawl.page.text import DECODED, remove_zero_width, storable, unescape
from templcrawl.page.tokens import SPACE, START, TEXT, UNREAD, VOID, raw_text
from templcrawl.page.unwritten import line_numbers_of, permalinks_of
from templcrawl.page.vocabulary import BLOCKS, FRAMES, PLAYERS, SKELETON, SPACED

_UNWRITTEN = SKELETON | {"template"}  # what is shown of a template is a shadow root, which few programs know
_CELLS = frozenset({"td", "th"})
_PRE = frozenset({"pre", "xmp"})
# What stands before a token: an end of a line, a space, brackets of a reading or a note, signs of numbers.
_LINE, _GAP, _OPENED, _CLOSED, _POWER, _INDEX, _CENTS, _OVER = (1 << bit for bit in range(8))
_SIGNS = {_POWER: "^", _INDEX: "_", _CENTS: ".", _OVER: "/", _OPENED: "("}
# Element of MathML -> what stands before its parts from the second on.
_PARTS = {
    "mfrac": (_OVER,),
    **dict.fromkeys(("msub", "munder"), (_INDEX,)),
    "msup": (_POWER,),
    **dict.fromkeys(("msubsup", "munderover"), (_INDEX, _POWER)),
}
_OF_SEAM = {NOTE: _OPENED, POWER: _POWER, SUM: _POWER | _OPENED, INDEX: _INDEX, CENTS: _CENTS}
_EDGES = {**dict.fromkeys(BLOCKS, _LINE), **dict.fromkeys(SPACED, _GAP)}  # name -> what its bounds part
_TAG = re.compile(r"<[^<>]*>")
_OPEN_END = re.compile(r"(?:</?|&#?\w*)\Z")


def write_text(page: Page, mask: bytes, side: int) -> str:
    """Return the visible text of one side, a line for each line that a reader sees."""
    tokens, elements = page.tokens, page.elements
    forms, shown = tokens.forms, elements.shown
    edges = _line_edges(page)
    _add_seams(page, edges, mask, side)
    _add_brackets(page, edges, mask, side)
    _add_formulas(page, edges, mask, side)
    raw = raw_texts(page)
    read_page = (page.tokens, page.elements, page.text_runs)
    unwritten = permalinks_of(*read_page) | line_numbers_of(*read_page)
    page_text = Lines()
    in_pre = _in_pre(page)
    is_visited = _is_text(page, edges)
    is_visited[[elements.opens[element] for element in raw]] = True
    visited = np.flatnonzero(is_visited)
    columns = (tokens.kind_array, tokens.form_array, elements.owner_array, np.frombuffer(edges, np.uint8))
    rows = zip(visited.tolist(), *(column[visited].tolist() for column in columns))
    for position, kind, form, owner, edge in rows:
        if edge & _CLOSED:
            page_text.write(")")
        if edge & _LINE:
            page_text.end_line()
            page_text.in_pre = in_pre[position] > 0
        elif edge & _GAP:
            page_text.write_gap()
        if edge >= _OPENED:
            page_text.write("".join(sign for bit, sign in _SIGNS.items() if edge & bit))
        if kind == TEXT:
            if shown[owner] and position not in unwritten:
                page_text.write(DECODED[forms[form]] if mask[position] == side else _gap(forms[form]))
        elif kind == SPACE:
            page_text.write(forms[form])
        elif kind == UNREAD and mask[position] == side:
            page_text.end_line()
            page_text.write(remove_zero_width(unescape(_TAG.sub(" ", forms[form]))))
        elif kind == START and owner in raw:
            page_text.write(raw_text(forms[form]) if mask[position] == side else _gap(forms[form]))
    page_text.write(")" * (edges[-1] & _CLOSED > 0))
    page_text.end_line()
    return storable("\n".join(page_text.lines))


def _in_pre(page: Page) -> bytearray:
    """Return token -> 1 in what keeps its white space."""
    elements, in_pre, stop = page.elements, bytearray(len(page.tokens)), 0
    if not _PRE.isdisjoint(elements.names):
        for name, opened, closed in zip(elements.names, elements.opens, elements.closes):
            if name in _PRE and opened >= stop:
                in_pre[opened:closed] = b"\1" * (closed - opened)
                stop = closed
    return in_pre


def _add_seams(page: Page, edges: bytearray, mask: bytes, side: int) -> None:
    """Mark the signs between runs that only style sets apart; those of numbers if the side has both runs."""
    for behind, opened, run, sign in Seams(page.tokens, page.elements, edges).signed():
        if sign == APART:
            edges[opened] |= _GAP
        elif mask[behind] == mask[run] == side:
            edges[run] |= _OF_SEAM[sign]
            edges[run + 1] |= _CLOSED * (sign in (NOTE, SUM))


def _add_brackets(page: Page, edges: bytearray, mask: bytes, side: int) -> None:
    """Mark where the reading of a ruby begins and ends, if its author has not put it in brackets (``rp``)."""
    elements, names = page.elements, page.elements.names
    for element, name in enumerate(names):
        if name != "rt" or names[element - 1] == "rp" or not elements.shown[element]:
            continue
        opened, closed = elements.opens[element], elements.closes[element]
        before = elements.characters_before
        if mask[opened] == side and before[opened] < before[closed]:
            edges[opened] |= _OPENED
            edges[closed] |= _CLOSED


def _add_formulas(page: Page, edges: bytearray, mask: bytes, side: int) -> None:
    """Mark the parts of formulas: powers, indices, what stands under a line; several runs are in brackets."""
    elements, positions = page.elements, page.text_runs.positions
    names, shown = elements.names, elements.shown
    if _PARTS.keys().isdisjoint(names):
        return
    counted = Counter[int]()
    for element, parent in enumerate(elements.parents):
        signs = _PARTS.get(names[parent], ()) if element else ()
        if not signs or not shown[element]:
            continue
        number = counted[parent]
        counted[parent] += 1
        opened, closed = elements.opens[element], elements.closes[element]
        first, last = positions.searchsorted((opened, closed))
        if first == last or number > len(signs) or mask[opened] != side:
            continue
        edges[opened] |= signs[number - 1] if number else 0
        if last - first > 1 and (number or signs[0] == _OVER):
            edges[opened] |= _OPENED
            edges[closed] |= _CLOSED


def _is_text(page: Page, edges: bytearray) -> Flags:
    """Return token -> whether it matters to the text: runs, white space, ends of lines."""
    kinds = page.tokens.kind_array
    is_text: Flags = (kinds == TEXT) | (kinds == SPACE) | (kinds == UNREAD)
    is_text |= np.frombuffer(edges, dtype=np.uint8)[: len(kinds)] > 0
    return is_text


def write_html(page: Page, mask: bytes, side: int) -> str:
    """Return the HTML of one side: well nested, with the elements that enclose what a reader sees."""
    elements = page.elements
    names, shown = elements.names, elements.shown
    wanted = enclosing(page, mask, side)
    edges = _html_edges(page, wanted, mask, side)
    kinds = page.tokens.kind_array
    raw = raw_texts(page)
    is_tag = ((kinds == START) | (kinds == VOID)) & np.frombuffer(wanted, dtype=bool)[elements.owner_array]
    is_tag[[elements.opens[element] for element in raw]] = True
    html = _Html()
    open_elements: list[int] = []
    pre_stop = 0
    for position, kind, form, owner, ended in walk(page, _is_text(page, edges) | is_tag, open_elements):
        for element in ended:
            html.write(f"</{names[element]}>")
        html.in_pre = position < pre_stop
        if kind == SPACE:
            html.space(form)
            continue
        is_text, on_side = kind == TEXT and shown[owner], mask[position] == side
        if edges[position] & _CENTS:
            html.write(".")
        elif edges[position] or ((is_text or (kind == START and owner in raw)) and not on_side):
            html.space(_gap(form))
        if kind == START and wanted[owner] and owner in raw:
            html.write(raw_html(names[owner], form))
        elif kind == START and wanted[owner]:
            html.write(form)
            open_elements.append(owner)
            if names[owner] == "pre":
                pre_stop = max(pre_stop, elements.closes[owner])
        elif on_side and (is_text or kind == UNREAD or (kind == VOID and wanted[owner])):
            html.write(ended_text(form) if is_text else form)
    html.parts += [f"</{names[element]}>" for element in reversed(open_elements)]
    return storable("".join(html.parts).strip())


def ended_text(text: str) -> str:
    """Return a text as it is written, so that nothing behind it may change how it reads.

    >>> ended_text("tea </"), ended_text("tea & cup")
    ('tea &lt;/', 'tea & cup')
    """
    if "&" in text or "<" in text:
        return _OPEN_END.sub(lambda end: escape(unescape(end[0]), quote=False), text)
    return text


def _html_edges(page: Page, wanted: bytearray, mask: bytes, side: int) -> bytearray:
    """Return token -> what stands before it in the HTML of a side that has some elements."""
    edges = _line_edges(page, selected=wanted)
    for behind, opened, run, sign in Seams(page.tokens, page.elements, _line_edges(page)).signed():
        if sign == APART:
            edges[opened] |= _GAP
        elif sign == CENTS and mask[behind] == mask[run] == side:
            edges[opened] |= _CENTS
    return edges


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


def _line_edges(page: Page, selected: bytes | bytearray = b"") -> bytearray:
    """Return token -> ``_LINE`` where a block begins or ends before it, ``_GAP`` where what is spaced does.

    Elements that are ``selected`` do not count.
    """
    elements = page.elements
    edges = bytearray(len(page.tokens) + 1)
    bounds = zip(elements.opens, elements.closes, selected or bytes(len(elements)))
    for name, (opened, closed, is_selected) in zip(elements.names, bounds):
        edge = _EDGES.get(name, 0)
        if edge and not is_selected:
            edges[opened] |= edge
            edges[closed] |= edge
    return edges


def enclosing(page: Page, mask: bytes, side: int) -> bytearray:
    """Return element -> 1 if a side has it: it is seen on the side or has inside what is.

    A row of a table has all of its cells.  Never ``html``, ``head``, ``body``, ``template``, nor what is not
    shown itself, nor what a start tag opens that is cut off by the end of the page.
    """
    elements, tokens = page.elements, page.tokens
    parents, names, kinds = elements.parents, elements.names, tokens.kind_array
    seen = (kinds == TEXT) | (kinds == VOID) | (kinds == UNREAD)
    seen &= elements.shown_array[elements.owner_array]
    embedded = _embedded(page)
    seen[[elements.opens[element] for element in embedded]] = True
    seen &= np.frombuffer(mask, dtype=np.uint8) == side
    wanted = bytearray(len(elements))
    for element in elements.owner_array[seen].tolist():
        while element >= 0 and not wanted[element]:
            wanted[element] = 1
            element = parents[element]
    for element, (name, parent) in enumerate(zip(names, parents)):
        if name in _UNWRITTEN:
            wanted[element] = 0
        elif name in _CELLS and names[parent] == "tr" and wanted[parent]:
            wanted[element] = elements.shown[element]
        elif not elements.shown[element] and element not in embedded:
            wanted[element] = 0
    if len(names) > 1 and not is_closed(tokens.forms[tokens.form_of[elements.opens[-1]]]):
        wanted[-1] = 0
    return wanted


def _embedded(page: Page) -> frozenset[int]:
    """Return the elements that show a film, a sound, a document or raw text, and what a player plays."""
    names, parents, shown = page.elements.names, page.elements.parents, page.elements.shown
    return raw_texts(page).union(
        element
        for element, (name, parent) in enumerate(zip(names, parents))
        if (name in FRAMES and shown[element])
        or (name in PLAYERS and shown[parent])
        or (name == "source" and names[parent] in PLAYERS and shown[parents[parent]])
    )
