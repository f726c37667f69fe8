"""What the markup around a text claims of it: bits that a start tag gives to all text in its element.

``LINKED``     it leads somewhere
``FURNITURE``  the HTML standard means the element for furniture: ``nav``, ``aside``, ``menu``, ARIA roles
``NAMED``      a word of its class or id is that of a header, a footer or a navigation bar
``DIALOG``     it is a dialog or a control by its role
``ARTICLE``    it is the ``article`` or ``main``
``TITLE``      it names the page: it is an ``h1``

For those who gather them over a page there are two more: ``PAGE_PART``, a ``header`` or ``footer``, furniture
unless it is inside an article, and ``LISTED``, an item of a list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from templcrawl.page.scan import RAW_TEXT_NAMES

LINKED, FURNITURE, NAMED, DIALOG, ARTICLE, TITLE, PAGE_PART, LISTED = (1 << bit for bit in range(8))
"""Bits of hints."""

ALL_HINTS = PAGE_PART
"""One more than the largest sum of the hints that a text can have."""

OF_NAME = {
    "a": LINKED,
    **dict.fromkeys(("nav", "aside", "menu"), FURNITURE),
    **dict.fromkeys(("header", "footer"), PAGE_PART),
    **dict.fromkeys(("article", "main"), ARTICLE),
    "h1": TITLE,
    **dict.fromkeys(("li", "option"), LISTED),
}
OF_ROLE = {
    **dict.fromkeys("navigation contentinfo complementary banner menu menubar".split(), FURNITURE),
    **dict.fromkeys("dialog alert search toolbar tooltip tablist button status".split(), DIALOG),
    "main": ARTICLE,
}
NEVER_NAMED = frozenset({"html", "body"}) | RAW_TEXT_NAMES
MAY_NAME = ("nav", "header", "footer")
_NAMED_SO = re.compile(
    r"(?<![a-zA-Z])(?:(?i:header|footer"
    r"|nav(?:area|bar|bit|block|box|col|cont|elem|foot|head|igat|item|link|list|main|menu|path|side|tab|top|wrap))"
    r"|(?i:nav[is]?)(?![a-z]|(?<=[A-Z])[A-Z]))"
).search


def hints_of(name: str, attributes: Mapping[str, str]) -> int:
    """Return the bits that a start tag gives.

    >>> hints_of("a", {"href": "/"}) == LINKED, hints_of("div", {"class": "navbar"}) == NAMED
    (True, True)
    """
    hints = OF_NAME.get(name, 0)
    if hints == LINKED and "href" not in attributes:
        hints = 0
    if not attributes or name in RAW_TEXT_NAMES:
        return hints
    roles = attributes.get("role", "").lower().split()
    hints |= next((OF_ROLE[role] for role in roles if role in OF_ROLE), 0)
    names = f"{attributes.get('class', '')} {attributes.get('id', '')}"
    return hints | NAMED if name not in NEVER_NAMED and names_furniture(names) else hints


def names_furniture(names: str) -> bool:
    """Say whether words of a class or an id are those of a header, a footer or a navigation bar."""
    return any(part in names.lower() for part in MAY_NAME) and _NAMED_SO(names) is not None
