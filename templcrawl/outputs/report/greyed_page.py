"""A page with its template greyed out, as inert elements: nothing in it runs, loads or leads away.

It is written anew from the token stream of the page, with nothing but what is listed here: ``div``, ``span``,
line breaks, class words of ours, ``dir``, words.  So there are no scripts, styles, event handlers, addresses,
forms or frames, and a content security policy forbids them besides.  No start tag of these ends another
element, so every browser reads the tree that was written, and no page leaves the element around it. Images
and fields are boxes with their alternative text.

Elements that hold template alone have the class ``t``, the outermost ones, and so have words of the template
that stand beside content; the style greys that.  Elements deeper than 100 are left out, their words stay.

Cost: O(tokens of the page).  Size: at most ``most`` bytes, what closes the open elements, and a notice.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import numpy as np

from templcrawl.page.page import Page
from templcrawl.page.render import enclosing, walk
from templcrawl.page.separation import Separation
from templcrawl.page.text import unescape
from templcrawl.page.tokens import SPACE, START, TEXT, UNREAD, VOID, attribute
from templcrawl.page.vocabulary import INLINE

MOST_BYTES = 200_000
MOST_DEPTH = 100
_LONGEST_LABEL = 80

_LOOKS = {
    **{
        name: name for name in "h1 h2 h3 h4 h5 h6 p ul ol li dl dt dd pre table tr td th a b i code s".split()
    },
    **dict.fromkeys(("menu", "dir"), "ul"),
    **dict.fromkeys(("thead", "tbody", "tfoot"), "rows"),
    **dict.fromkeys(("blockquote", "figure", "fieldset"), "dd"),
    **dict.fromkeys(("strong", "mark"), "b"),
    **dict.fromkeys(("em", "cite", "dfn", "var"), "i"),
    **dict.fromkeys(("kbd", "samp", "tt"), "code"),
    **dict.fromkeys(("small", "sub", "sup", "rt"), "small"),
    **dict.fromkeys(("del", "strike"), "s"),
    **dict.fromkeys(("ins", "u"), "u"),
}
"""Name of an element -> the class that makes it look like one."""
_EMPTY = {"br": "<br>", "wbr": "<wbr>", "hr": '<div class="hr"></div>'}
_LABELS = {"img": "alt", "input": "value", "embed": "title"}
_DIRECTIONS = frozenset({"ltr", "rtl", "auto"})
_CONTENT, _TEMPLATE = 1, 0

STYLE = """.picture { padding: 24px; font: 16px/1.45 system-ui, sans-serif; color-scheme: light; color: #111;
  background: #fff; overflow-wrap: anywhere }
.picture :is(.h1, .h2, .h3, .h4, .h5, .h6) { font-weight: 700; margin: .8em 0 }
.picture .h1 { font-size: 1.7em } .picture .h2 { font-size: 1.35em } .picture .h3 { font-size: 1.15em }
.picture :is(.p, .ul, .ol, .dl, .pre) { margin: 1em 0 } .picture :is(.ul, .ol) { padding-left: 40px }
.picture .ol { counter-reset: list-item } .picture .li { display: list-item; list-style: disc }
.picture .ol > .li { list-style: decimal } .picture .dd { margin-left: 40px }
.picture .pre { white-space: pre-wrap } .picture :is(.pre, .code) { font-family: monospace }
.picture .table { display: table; border-spacing: 8px 2px } .picture .rows { display: table-row-group }
.picture .tr { display: table-row } .picture :is(.td, .th) { display: table-cell; vertical-align: top }
.picture :is(.b, .th, .dt) { font-weight: 700 } .picture .i { font-style: italic }
.picture .small { font-size: .8em } .picture .s { text-decoration: line-through }
.picture .u { text-decoration: underline } .picture .a { color: #0645ad; text-decoration: underline }
.picture .hr { border-top: 1px solid #bbb; margin: .5em 0 }
.picture .t { color: #8a8a8a; background: repeating-linear-gradient(135deg, #f4f4f4 0 6px, #e4e4e4 6px 12px) }
.picture .t .a, .picture .a.t { color: inherit }
.picture .t :is(.h1, .h2, .h3, .h4, .h5, .h6) { font-size: 1em; margin: .3em 0 }
.picture .t :is(.ul, .ol, .dl, .p), .picture .t:is(.ul, .ol, .dl) { margin: .2em 0; padding-left: .6em }
.picture .t :is(.li, .dt, .dd) { display: inline; margin: 0 .5em 0 0 }
.picture .box { display: inline-block; min-width: 24px; min-height: 16px; padding: 0 4px;
  border: 1px solid #bbb; color: #777; font-size: .8em }
.picture .cut { border: 2px solid #b00020; padding: 8px; color: #b00020 }
"""
"""The style of a picture; all of its rules are for what stands in one."""

_HEAD = f"""<!DOCTYPE html><html><head><meta charset="utf-8">\
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">\
<title>A page with its template greyed out</title><style>body {{ margin: 0 }}
{STYLE}</style></head>"""
_CUT = '<div class="cut">The picture ends here: the page is larger.</div>'
_UNREAD = '<div class="cut">The rest of the page was not read: it is beyond the limits.</div>'


def greyed_page(separation: Separation, *, most: int = MOST_BYTES) -> str:
    """Return the picture of a page as a document of its own.

    most  bytes of UTF-8 after which it is cut, and says so
    """
    return f"{_HEAD}<body>{picture_of(separation, most=most)}</body></html>"


def picture_of(separation: Separation, *, most: int = MOST_BYTES) -> str:
    """Return the picture of a page, one element, for a document that has the ``STYLE``.

    most  bytes of UTF-8 after which it is cut, and says so

    >>> page = Page("<nav onclick=x()>Menu</nav><p>Text<script>y()</script>", "")
    >>> picture_of(Separation(page, [(3, len(page.tokens))]))
    '<div class="picture"><div class="t">Menu</div><div class="p">Text</div></div>'
    """
    picture = _Picture(separation)
    parts = [f'<div class="picture"{_direction(separation.page)}>']
    room = most
    is_visited = np.ones(len(separation.page.tokens), dtype=bool)
    for position, kind, form, owner, ended in walk(separation.page, is_visited, picture.open_elements):
        closing = picture.ends(ended) if ended else ""
        piece = picture.piece(position, kind, form, owner)
        parts.append(closing)
        room -= len(closing) + len(piece.encode("utf-8", "replace"))
        if room < 0 and kind != START:
            return "".join((*parts, picture.close(), _CUT, "</div>"))
        parts.append(piece)
    return "".join((*parts, picture.close(), "</div>"))


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


def _instead_of(name: str) -> str:
    """Return what keeps the words around an element apart where it is not written."""
    return "" if name in INLINE else " "


def _written_name(name: str) -> str:
    """Return the name under which an element is written."""
    return "span" if name in INLINE else "div"


def _start(name: str, tag: str, *, is_grey: bool) -> str:
    words = " ".join(filter(None, (_LOOKS.get(name), "t" if is_grey else None)))
    attributes = f' class="{words}"' if words else ""
    direction = attribute(tag, "dir").lower() if "dir" in tag.lower() else ""
    if direction in _DIRECTIONS:
        attributes += f' dir="{direction}"'
    return f"<{_written_name(name)}{attributes}>"


def _end(name: str) -> str:
    return f"</{_written_name(name)}>"


def _empty(name: str, form: str) -> str:
    """Return what is written for an element without content."""
    if name in _EMPTY:
        return _EMPTY[name]
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
