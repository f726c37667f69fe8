"""Find visible text in elements whose content is not markup: TeX in scripts, and ``xmp``.

m elements.  Cost: O(m).
"""

from __future__ import annotations

from html import escape

from templcrawl.page.page import Page
from templcrawl.page.tokens import SPACE, attribute, raw_text

_SPACE = bytes([SPACE])


def raw_texts(page: Page) -> frozenset[int]:
    """Return the elements of raw text that a reader sees: formulas, and ``xmp``."""
    shown = page.elements.shown
    code = [element for element, name in enumerate(page.elements.names) if name == "xmp" and shown[element]]
    return _formulas(page).union(code)


def raw_html(name: str, form: str) -> str:
    """Return the HTML that is written for an element of raw text: a formula, or code."""
    text = escape(raw_text(form), quote=False)
    return f"<pre>{text}</pre>" if name == "xmp" else text


def _formulas(page: Page) -> frozenset[int]:
    """Return the TeX scripts that MathJax has not drawn: no element before them holds their picture."""
    elements, tokens = page.elements, page.tokens
    parents, opens, closes = elements.parents, elements.opens, elements.closes
    found = []
    for element, name in enumerate(elements.names):
        if name != "script" or not elements.shown[parents[element]]:
            continue
        form = tokens.form_of[opens[element]]
        if not attribute(tokens.forms[form], "type").strip(" \t\n\f\r").lower().startswith("math/tex"):
            continue
        before = element - 1
        while parents[before] > parents[element]:
            before = parents[before]
        between = tokens.kinds[closes[before] : opens[element]]
        is_beside = parents[before] == parents[element] and between in (b"", _SPACE)
        classes = tokens.form_tags[tokens.form_of[opens[before]]].classes if is_beside else ()
        is_drawn = any("mathjax" in word.lower() for word in classes) and closes[before] > opens[before] + 2
        if not is_drawn:
            found.append(element)
    return frozenset(found)
