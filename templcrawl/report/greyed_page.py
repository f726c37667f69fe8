"""A page with its template greyed out, as an inert document: nothing in it runs, loads or leads away.

Written anew from the token stream of the page, and only of what is listed here: elements of text, lists and
tables by their names (others become a ``span``, or a ``div`` where they end a paragraph), ``colspan``,
``rowspan`` and ``dir``, words.  So there are no scripts, styles, event handlers, addresses, forms or frames,
and a content security policy forbids them besides.  Images and fields are boxes with their alternative text.

Elements that hold template alone have the class ``t``, the outermost ones, and so have words of the template
that stand beside content; the style greys that.  Elements deeper than 100 are left out, their words stay.

Cost: O(tokens of the page).  Size: at most ``most`` bytes, what closes the open elements, and a notice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

import numpy as np

from templcrawl.page.entities import unescape
from templcrawl.page.page import Page
from templcrawl.page.render import enclosing, walk
from templcrawl.page.separation import Separation
from templcrawl.page.tags import SPACE, START, TEXT, UNREAD, VOID, attribute
from templcrawl.page.vocabulary import INLINE

MOST_BYTES = 200_000
MOST_DEPTH = 100
_LONGEST_LABEL = 80

_NAMES = frozenset(
    """a abbr address article aside b bdi bdo big blockquote caption center cite code dd del dfn div dl dt em
    figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup i ins kbd li main mark nav ol p pre q rp rt ruby
    s samp section small span strike strong sub sup table tbody td tfoot th thead time tr tt u ul
    var""".split()
)
_AS_DIV = frozenset("details dialog dir fieldset form menu search summary".split())
_EMPTY = frozenset({"br", "hr", "wbr"})
_LABELS = {"img": "alt", "input": "value", "embed": "title"}
_ATTRIBUTES = {
    "colspan": re.compile(r"[1-9]\d?"),
    "rowspan": re.compile(r"[1-9]\d?"),
    "dir": re.compile(r"ltr|rtl|auto"),
}
_CONTENT, _TEMPLATE = 1, 0

_HEAD = """<!DOCTYPE html><html><head><meta charset="utf-8">\
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><style>
:root { color-scheme: light }
body { margin: 24px; font: 16px/1.45 system-ui, sans-serif; color: #111; background: #fff }
body { overflow-wrap: anywhere }
h1 { font-size: 1.7em } h2 { font-size: 1.35em } pre { white-space: pre-wrap }
table { border-spacing: 8px 2px } td, th { text-align: left; vertical-align: top }
a { color: #0645ad; text-decoration: underline }
.t { color: #8a8a8a; background: repeating-linear-gradient(135deg, #f4f4f4 0 6px, #e4e4e4 6px 12px) }
.t a { color: inherit } .t :is(h1, h2, h3, h4, h5, h6) { font-size: 1em; margin: .3em 0 }
.t :is(ul, ol, dl, p), ul.t, ol.t, dl.t { margin: .2em 0; padding-left: .6em }
.t :is(li, dt, dd), li.t { list-style: none } .t :is(li, dt, dd) { display: inline; margin: 0 .5em 0 0 }
.box { display: inline-block; min-width: 24px; min-height: 16px; padding: 0 4px }
.box { border: 1px solid #bbb; color: #777; font-size: .8em }
.cut { border: 2px solid #b00020; padding: 8px; color: #b00020 }
</style></head>"""
_CUT = '<p class="cut">The picture ends here: the page is larger.</p>'
_UNREAD = '<p class="cut">The rest of the page was not read: it is beyond the limits.</p>'


def greyed_page(separation: Separation, *, most: int = MOST_BYTES) -> str:
    """Return the document of a page.

    most  bytes of UTF-8 after which it is cut, and says so

    >>> page = Page("<nav onclick=x()>Menu</nav><p>Text<script>y()</script>", "")
    >>> greyed_page(Separation(page, [(3, len(page.tokens))])).partition("<body>")[2]
    '<nav class="t">Menu</nav><p>Text</p></body></html>'
    """
    picture = _Picture(separation)
    parts = [_HEAD, f"<body{_direction(separation.page)}>"]
    room = most - len(_HEAD)
    is_visited = np.ones(len(separation.page.tokens), dtype=bool)
    for position, kind, form, owner, ended in walk(separation.page, is_visited, picture.open_elements):
        closing = picture.ends(ended) if ended else ""
        piece = picture.piece(position, kind, form, owner)
        parts.append(closing)
        room -= len(closing) + len(piece.encode("utf-8", "replace"))
        if room < 0 and kind != START:
            return "".join((*parts, picture.close(), _CUT, "</body></html>"))
        parts.append(piece)
    return "".join((*parts, picture.close(), "</body></html>"))


class _Picture:
    """What is written of each token, and which elements are open.

    open_elements  those whose start was written, outermost first
    """

    def __init__(self, separation: Separation) -> None:
        page = separation.page
        self._elements = page.elements
        self._mask = separation.content_mask
        self._with_content, self._with_template = (
            enclosing(page, self._mask, side) for side in (_CONTENT, _TEMPLATE)
        )
        self._grey_stop = 0
        self.open_elements: list[int] = []

    def piece(self, position: int, kind: int, form: str, owner: int) -> str:
        """Return what is written for a token."""
        name = self._elements.names[owner]
        if kind == START:
            return self._open(position, name, form, owner)
        if kind == TEXT and self._elements.visible[owner]:
            text = escape(unescape(form), quote=False)
            is_grey = self._mask[position] == _TEMPLATE and position >= self._grey_stop
            return f'<span class="t">{text}</span>' if is_grey else text
        if kind == SPACE:
            return form
        if kind == UNREAD:
            return _UNREAD
        return _empty(name, form) if kind == VOID else ""

    def _open(self, position: int, name: str, form: str, owner: int) -> str:
        with_content = self._with_content[owner]
        if len(self.open_elements) >= MOST_DEPTH or not (with_content or self._with_template[owner]):
            return _instead_of(name)
        is_grey = position >= self._grey_stop and not with_content
        if is_grey:
            self._grey_stop = self._elements.closes[owner]
        self.open_elements.append(owner)
        return _start(name, form, is_grey=is_grey)

    def ends(self, ended: Iterable[int]) -> str:
        """Return the end tags of elements."""
        return "".join([_end(self._elements.names[element]) for element in ended])

    def close(self) -> str:
        """Return the end tags of the elements that are open."""
        return self.ends(reversed(self.open_elements))


def _written_name(name: str) -> str:
    """Return the name under which an element is written."""
    if name in _NAMES:
        return name
    return "div" if name in _AS_DIV else "span"


def _instead_of(name: str) -> str:
    """Return what keeps the words around an element apart where it is not written."""
    return "" if name in INLINE else " "


def _gap(name: str) -> str:
    """Return what keeps the words around an edge of an element apart where its written name does not."""
    return _instead_of(name) if _written_name(name) == "span" else ""


def _start(name: str, tag: str, *, is_grey: bool) -> str:
    attributes = ' class="t"' if is_grey else ""
    for allowed, values in _ATTRIBUTES.items():
        value = attribute(tag, allowed) if allowed in tag else ""
        if values.fullmatch(value):
            attributes += f' {allowed}="{value}"'
    return f"{_gap(name)}<{_written_name(name)}{attributes}>"


def _end(name: str) -> str:
    return f"</{_written_name(name)}>{_gap(name)}"


def _empty(name: str, form: str) -> str:
    """Return what is written for an element without content."""
    if name in _EMPTY:
        return f"<{name}>"
    if name in _LABELS and attribute(form, "type").lower() != "hidden":
        label = attribute(form, _LABELS[name]).strip()[:_LONGEST_LABEL]
        return f'<span class="box">{escape(label, quote=False)}</span>'
    return _instead_of(name)


def _direction(page: Page) -> str:
    """Return the attribute that says that a page is written from right to left, if it says so."""
    elements, tokens = page.elements, page.tokens
    for name, opened in zip(elements.names, elements.opens):
        if name in ("html", "body"):
            tag = tokens.forms[tokens.form_of[opened]]
            if attribute(tag, "dir").lower() == "rtl":
                return ' dir="rtl"'
    return ""
