"""Write one side of a separated page, its content or its template, as text, as HTML, or as a page.

What a reader sees are visible text runs, empty elements (images, line breaks), frames and players.

*Text*: the text runs of the side, entities decoded, soft hyphens and zero-width spaces left out, white space
folded except in ``pre``, a new line
wherever a block begins or ends.  *HTML*: what a reader sees inside the elements of
the page that enclose them, each opened as written and closed once; elements that hold nothing of the
side, comments, scripts and styles are left out.  What is left out keeps the words around it apart.

*The template as a page* of its own opens in a browser like any other.  It is written as it is, less its
content: the head but for a title that is content, and of the body every element that is template or has
template in it.  Comments are left out, elements are closed where the page ends them.

Its first lines in the head say that it is UTF-8 and what its relative links start from (the page's base).
Scripts are left out unless asked for, and a content security policy lets a browser load nothing but what is
shown (styles, fonts, pictures, sounds) and run nothing: no event handlers, frames, plug-ins, prefetched
pages.  A refresh to another page is left out in any case, and without scripts so are links that fetch ahead,
which Chromium does whatever the policy says.  A browser takes the policy from a head alone, so that it stands
before whatever would open the body.  What no policy stops is renamed wherever it is written like an
attribute, since a browser may read a tag where there is none for us: the documents of frames (``srcdoc``),
and in any case what a page tells the browser by ``http-equiv``.

mask  token -> 1 for content, 0 for template;  side  the value of the mask that is wanted
Cost: O(tokens of the page) each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from itertools import zip_longest

import numpy as np

from templcrawl.page.arrays import Flags
from templcrawl.page.columns import Task
from templcrawl.page.page import Page, native
from templcrawl.page.scan import is_closed
from templcrawl.page.text import Memo, unescape, without_zero_width
from templcrawl.page.tokens import COMMENT, END, SPACE, START, TEXT, UNREAD, VOID, attribute
from templcrawl.page.vocabulary import BLOCKS, FRAMES, PLAYERS, SKELETON, SPACED

_CELLS = frozenset({"td", "th"})
_LINE, _GAP = 1, 2
_EDGES = {**dict.fromkeys(BLOCKS, _LINE), **dict.fromkeys(SPACED, _GAP)}  # name -> what its bounds part
_DECODED = Memo(lambda run: without_zero_width(unescape(run)))
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

    def write_gap(self) -> None:
        if not self.in_pre:
            self.runs.append(" ")

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
    forms, names, closes, shown = tokens.forms, elements.names, elements.closes, elements.shown
    edges = _line_edges(page)
    page_text = _Lines()
    pre_stop = 0
    kinds, form_of, owners = tokens.kinds, tokens.form_of, elements.owners
    for position in np.flatnonzero(_is_text(page, edges)).tolist():
        owner = owners[position]
        if edges[position] == _GAP:
            page_text.write_gap()
        elif edges[position]:
            page_text.end_line()
            if names[owner] == "pre":
                pre_stop = max(pre_stop, closes[owner])
            page_text.in_pre = position < pre_stop
        kind, form = kinds[position], form_of[position]
        if kind == TEXT:
            if shown[owner]:
                page_text.write(_DECODED[forms[form]] if mask[position] == side else _gap(forms[form]))
        elif kind == SPACE:
            page_text.write(forms[form])
        elif kind == UNREAD and mask[position] == side:
            page_text.end_line()
            page_text.write(without_zero_width(unescape(_TAG.sub(" ", forms[form]))))
    page_text.end_line()
    return "\n".join(page_text.lines)


def _is_text(page: Page, edges: bytearray) -> Flags:
    """Return token -> whether it matters to the text: runs, white space, ends of lines."""
    kinds = page.tokens.kind_array
    is_text: Flags = (kinds == TEXT) | (kinds == SPACE) | (kinds == UNREAD)
    is_text |= np.frombuffer(edges, dtype=np.uint8)[: len(kinds)] > 0
    return is_text


@native(Task.HTML, ask=_asked, answer=_text)
def html_of(page: Page, mask: bytes, side: int) -> str:
    """Return the HTML of one side: well nested, with the elements that enclose what a reader sees."""
    elements = page.elements
    names, shown = elements.names, elements.shown
    wanted = enclosing(page, mask, side)
    edges = _line_edges(page, selected=wanted)
    kinds = page.tokens.kind_array
    is_tag = ((kinds == START) | (kinds == VOID)) & np.frombuffer(wanted, dtype=bool)[elements.owner_array]
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
        if edges[position] or (is_text and not on_side):
            html.space(_gap(form))
        if kind == START and wanted[owner]:
            html.write(form)
            open_elements.append(owner)
            if names[owner] == "pre":
                pre_stop = max(pre_stop, elements.closes[owner])
        elif on_side and (is_text or kind == UNREAD or (kind == VOID and wanted[owner])):
            if is_text and ("&" in form or "<" in form):  # nothing behind it may change how it reads
                form = _OPEN_END.sub(lambda end: escape(unescape(end[0]), quote=False), form)
            html.write(form)
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


def _line_edges(page: Page, selected: bytes | bytearray = b"") -> bytearray:
    """Return token -> ``_LINE`` if a line ends before it, where a block begins or ends; ``_GAP`` where a word does.

    Elements that are ``selected`` do not count.
    """
    elements = page.elements
    edges = bytearray(len(page.tokens) + 1)
    for name, opened, closed, is_selected in zip_longest(
        elements.names, elements.opens, elements.closes, selected, fillvalue=0
    ):
        edge = not is_selected and _EDGES.get(name, 0)
        if edge:
            edges[opened] |= edge
            edges[closed] |= edge
    return edges


def enclosing(page: Page, mask: bytes, side: int) -> bytearray:
    """Return element -> 1 if a side has it: it is seen on the side or has inside what is.

    A row of a table has all of its cells.  What is not shown itself is never there, nor ``html``, ``head``, ``body``, nor what a start tag opens that is cut off by the end of the page.
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
        if name in SKELETON:
            wanted[element] = 0
        elif name in _CELLS and names[parent] == "tr" and wanted[parent]:
            wanted[element] = elements.shown[element]
        elif not elements.shown[element] and element not in embedded:
            wanted[element] = 0
    if len(names) > 1 and not is_closed(tokens.forms[tokens.form_of[elements.opens[-1]]]):
        wanted[-1] = 0
    return wanted


def _embedded(page: Page) -> frozenset[int]:
    """Return the elements that show a film, a sound or a document, and what a player plays."""
    names, parents, shown = page.elements.names, page.elements.parents, page.elements.shown
    return frozenset(
        element
        for element, (name, parent) in enumerate(zip(names, parents))
        if (name in FRAMES and shown[element])
        or (name in PLAYERS and shown[parent])
        or (name == "source" and names[parent] in PLAYERS and shown[parents[parent]])
    )


_SHOWN_FROM = "* data: blob: file:"
_POLICY = (
    f"default-src 'none'; style-src {_SHOWN_FROM} 'unsafe-inline'; font-src {_SHOWN_FROM}; "
    f"img-src {_SHOWN_FROM}; media-src {_SHOWN_FROM}"
)
_NO_SCRIPTS = re.compile(r"""(?<=[\s/"'])(?:http-equiv|srcdoc)(?=\s*=)""", re.IGNORECASE)
_SCRIPTS = re.compile(r"""(?<=[\s/"'])http-equiv(?=\s*=)""", re.IGNORECASE)
_TAGS = (START, VOID)
_KEPT = (START, VOID, SPACE)
_SHOWN = (TEXT, START, VOID)
_AHEAD = frozenset("prefetch prerender preload modulepreload preconnect dns-prefetch".split())
_WHITE = " \t\n\f\r"


def template_page(page: Page, content: bytes, *, base: str | None = None, scripts: bool = False) -> str:
    """Return the HTML of the template of a page.

    content  token -> 1 if it is content, else 0 (``Separation.content_mask``)
    base     what relative links start from; by default the page's own base
    scripts  whether scripts stay

    >>> page = Page("<title>t</title><nav>Menu</nav><p>Text</p>", "http://e.org/a")
    >>> print(template_page(page, bytes([0, 0, 0, 0, 0, 1, 1, 1]), scripts=True))
    <head><meta charset="utf-8"><base href="http://e.org/a"></head><title>t</title><nav>Menu</nav>
    """
    names = page.elements.names
    selected = _selected(page, content, scripts=scripts)
    policy = "" if scripts else f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    start = escape(page.base_url if base is None else base)
    position_of_head, head = _placed(page, f'<meta charset="utf-8">{policy}<base href="{start}">')
    is_visited = page.tokens.kind_array != END
    is_visited[position_of_head : position_of_head + 1] = True
    renamed = _SCRIPTS if scripts else _NO_SCRIPTS
    parts: list[str] = []
    open_elements: list[int] = []
    is_apart = True
    for position, kind, piece, owner, ended in walk(page, is_visited, open_elements):
        parts += [f"</{names[element]}>" for element in ended]
        if position == position_of_head:
            parts.append(head)
        is_written = selected[owner] and (kind in _KEPT or (kind == TEXT and not content[position]))
        if is_written or (kind == COMMENT and piece[:9].lower() == "<!doctype"):
            parts.append(renamed.sub(r"data-\g<0>", piece) if kind in _TAGS else piece)
            is_apart = False
            if kind == START:
                open_elements.append(owner)
        elif kind in _SHOWN and not is_apart:
            parts.append(" ")
            is_apart = True
    if position_of_head >= len(page.tokens):
        parts.append(head)
    parts += [f"</{names[element]}>" for element in reversed(open_elements)]
    return "".join(parts).strip()


def _selected(page: Page, content: bytes, *, scripts: bool) -> bytearray:
    elements, tokens = page.elements, page.tokens
    selected = bytearray(len(elements))
    selected[0] = 1
    in_head = bytearray(len(elements))
    for element, (parent, name) in enumerate(zip(elements.parents, elements.names)):
        in_head[element] = name == "head" or (parent >= 0 and in_head[parent])
    for position, (kind, owner) in enumerate(zip(tokens.kinds, elements.owners)):
        is_template = kind in _SHOWN and not content[position]
        if is_template or (in_head[owner] and elements.names[owner] != "title"):
            selected[owner] = 1
    for element in range(len(elements) - 1, 0, -1):
        name, form = elements.names[element], tokens.form_of[elements.opens[element]]
        fetches = name == "link" and not _AHEAD.isdisjoint(tokens.form_tags[form].rel.split())
        acts = name == "script" or fetches
        asks = attribute(tokens.forms[form], "http-equiv") if name == "meta" else ""
        if (acts and not scripts) or asks.strip().lower() == "refresh":
            selected[element] = 0
        elif selected[element] or name in SKELETON:
            selected[element] = selected[elements.parents[element]] = 1
    return selected


def _placed(page: Page, head: str) -> tuple[int, str]:
    """Return the position of the token that the head's first lines are put before, and what is put there."""
    tokens = page.tokens
    position = 0
    for kind, form in zip(tokens.kinds, tokens.form_of):
        piece, name = tokens.forms[form], tokens.form_names[form]
        is_opened = kind == START and is_closed(piece)
        if is_opened and name == "head":
            return position + 1, head
        if kind != COMMENT and piece.strip(_WHITE) and not (is_opened and name == "html"):
            break
        position += 1
    return position, f"<head>{head}</head>"
