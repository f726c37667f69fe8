"""A page with its template greyed out, as inert elements: nothing in it runs, loads or leads away.

It is written anew from the token stream of the page, with nothing but what is listed here: ``div``, ``span``,
line breaks, class words of ours, ``dir``, words.  So there are no scripts, styles, event handlers, addresses,
forms or frames, and a content security policy forbids them besides.  No start tag of these ends another
element, so every browser reads the tree that was written, and no page leaves the element around it.  Images
and fields are boxes with their alternative text.

Elements that hold template alone have the class ``t``, the outermost ones, and so have words of the template
that stand beside content; the style greys that.  Elements deeper than 100 are left out, their words stay.

Cost: O(tokens of the page).  Size: at most ``most`` bytes of UTF-8, what closes the open elements, and a
notice.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from importlib import resources

import numpy as np

from templcrawl.page.separation import Separation
from templcrawl.page.sides import enclosing, walk
from templcrawl.page.text import unescape
from templcrawl.page.tokens import SPACE, START, TEXT, UNREAD, VOID, attribute, raw_text
from templcrawl.page.vocabulary import BLOCKS, FRAMES, PLAYERS


def own_file(name: str) -> str:
    """Return the text of a file of this folder with line ends as browsers have them."""
    text = resources.files("templcrawl.outputs.report").joinpath(name).read_text("utf-8")
    return "\n".join(text.splitlines())


MAX_BYTES = 200_000
MAX_DEPTH = 100
_LONGEST_LABEL = 80

# Name of an element -> the class that makes it look like one.
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
_EMPTY = {"br": "<br>", "wbr": "<wbr>", "hr": '<div class="hr"></div>'}
_LABELS = {"img": "alt", "input": "value", "embed": "title"}
_DIRECTIONS = frozenset({"ltr", "rtl", "auto"})
_CONTENT, _TEMPLATE = 1, 0

# The style of a picture; all of its rules are for what stands in one.
STYLE = own_file("greyed_page.css") + "\n"

_HEAD = f"""<!DOCTYPE html><html><head><meta charset="utf-8">\
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">\
<title>A page with its template greyed out</title><style>body {{ margin: 0 }}
{STYLE}</style></head>"""
_CUT = '<div class="cut">The picture ends here: the page is larger.</div>'
_UNREAD = '<div class="cut">The rest of the page was not read: it is beyond the limits.</div>'


def greyed_page(separation: Separation) -> str:
    """Return the picture of a page as a document of its own."""
    return f"{_HEAD}<body>{picture_of(separation)}</body></html>"


def picture_of(separation: Separation, *, most: int = MAX_BYTES) -> str:
    """Return the picture of a page, one element, for a document that has the ``STYLE``.

    >>> from templcrawl.page.page import Page
    >>> page = Page("<nav onclick=x()>Menu</nav><p>Text<script>y()</script>", "")
    >>> picture_of(Separation(page, [(3, len(page.tokens))]))
    '<div class="picture"><div class="t">Menu</div><div class="p">Text</div></div>'
    """
    picture, page = _Picture(separation), separation.page
    is_from_right = any(
        name in ("html", "body")
        and attribute(page.tokens.forms[page.tokens.form_of[opened]], "dir").lower() == "rtl"
        for name, opened in zip(page.elements.names, page.elements.opens)
    )
    parts = ['<div class="picture" dir="rtl">' if is_from_right else '<div class="picture">']
    room = most
    for position, kind, form, owner, ended in walk(
        page, np.ones(len(page.tokens), bool), picture.open_elements
    ):
        closing = picture.ends(ended)
        piece = picture.piece(position, kind, form, owner)
        parts.append(closing)
        room -= len(closing) + len(piece.encode("utf-8", "replace"))
        if room < 0 and kind != START:
            parts += picture.ends(reversed(picture.open_elements)), _CUT
            picture.open_elements.clear()
            break
        parts.append(piece)
    return "".join((*parts, picture.ends(reversed(picture.open_elements)), "</div>"))


class _Picture:
    """The writer of a greyed page: its output, and the open elements, outermost first."""

    def __init__(self, separation: Separation) -> None:
        self._elements = separation.page.elements
        self._mask = separation.content_mask
        self._with_content, self._with_template = (
            enclosing(separation.page, self._mask, side) for side in (_CONTENT, _TEMPLATE)
        )
        self._grey_stop = 0
        self.open_elements: list[int] = []

    def ends(self, ended: Iterable[int]) -> str:
        return "".join([f"</{_shown_name(self._elements.names[element])}>" for element in ended])

    def piece(self, position: int, kind: int, form: str, owner: int) -> str:
        name = self._elements.names[owner]
        if kind == START:
            return self._start(position, name, form, owner)
        if kind == TEXT and self._elements.shown[owner]:
            text = escape(unescape(form), quote=False)
            is_grey = self._mask[position] == _TEMPLATE and position >= self._grey_stop
            return f'<span class="t">{text}</span>' if is_grey else text
        if kind == SPACE:
            return form
        if kind == UNREAD:
            return _UNREAD
        if kind != VOID:
            return ""
        if name in _LABELS and attribute(form, "type").lower() != "hidden":
            label = attribute(form, _LABELS[name]).strip()[:_LONGEST_LABEL]
            return f'<span class="box">{escape(label, quote=False)}</span>'
        return _EMPTY.get(name, _instead_of(name))

    def _start(self, position: int, name: str, tag: str, owner: int) -> str:
        with_content = self._with_content[owner]
        if len(self.open_elements) >= MAX_DEPTH or not (with_content or self._with_template[owner]):
            return _instead_of(name)
        if name in FRAMES | PLAYERS:
            return f'<span class="box">{name}</span>'
        if name == "script":
            return escape(raw_text(tag), quote=False)
        self.open_elements.append(owner)
        looks = _LOOKS.get(name, "")
        if position >= self._grey_stop and not with_content:
            self._grey_stop = self._elements.closes[owner]
            looks = f"{looks} t".strip()
        attributes = f' class="{looks}"' if looks else ""
        direction = attribute(tag, "dir").lower() if "dir" in tag.lower() else ""
        if direction in _DIRECTIONS:
            attributes += f' dir="{direction}"'
        return f"<{_shown_name(name)}{attributes}>"


def _instead_of(name: str) -> str:
    """Return the separator of the words around an element that is left out."""
    return " " if name in BLOCKS else ""


def _shown_name(name: str) -> str:
    return "div" if name in BLOCKS else "span"
