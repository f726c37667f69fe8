"""Write the template of a page as a page of its own, which opens in a browser like any other.

It is written as it is, less its content: the head but for a title that is content, and of the body every
element that is template or has template in it.  Comments are left out, elements are closed where the page
ends them.  Scripts are left out unless asked for, and a content security policy lets a browser load nothing
but what is shown (styles, fonts, pictures, sounds) and run nothing.

Cost: O(tokens of the page).
"""

from __future__ import annotations

import re
from html import escape

from templcrawl.page.page import Page
from templcrawl.page.scan import is_closed
from templcrawl.page.sides import ended_text, walk
from templcrawl.page.tokens import COMMENT, END, SPACE, START, TEXT, VOID, attribute
from templcrawl.page.vocabulary import SKELETON

_SHOWN_FROM = "* data: blob: file:"
# No event handlers, frames, plug-ins, prefetched pages are run. A refresh to another page is left out in any
# case, and without scripts so are links that fetch ahead, which Chromium does whatever the policy says.
_POLICY = (
    f"default-src 'none'; style-src {_SHOWN_FROM} 'unsafe-inline'; font-src {_SHOWN_FROM}; "
    f"img-src {_SHOWN_FROM}; media-src {_SHOWN_FROM}"
)
# What no policy stops is renamed wherever it is written like an attribute, since a browser may read a tag
# where there is none for us: the documents of frames (``srcdoc``), and in any case what a page tells the
# browser by ``http-equiv``.
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
            as_text = ended_text(piece) if kind == TEXT else piece
            parts.append(renamed.sub(r"data-\g<0>", piece) if kind in _TAGS else as_text)
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
    """Return the position of the token that the head's first lines are put before, and what is put there.

    The first lines in the head say that the page is UTF-8 and what its relative links start from (the page's
    base). A browser takes the policy from a head alone, so that it stands before whatever would open the
    body.
    """
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
