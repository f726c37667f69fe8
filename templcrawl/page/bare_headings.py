"""Headings of the content whose list is template: "Tags" over links that every page has.

Such a heading is *bare*: what follows it in the same parent, headings of template left out, is a list, a
table or a form, and no text between the heading and the end of that is content.  A list without text may be
one of images, and counts for nothing.  An index has no use for a heading of what it does not have.

mask  token -> 1 for content, 0 for template.  Cost: O(elements of the page).
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from templcrawl.page.page import Page

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_FORMS = frozenset({"form", "select"})
_LISTS = frozenset({"ul", "ol", "dl", "nav", "menu", "table"})
_MOST_BETWEEN = 8


def without_bare_headings(page: Page, mask: bytes) -> bytes:
    """Return a mask in which bare headings are template.

    >>> page = Page("<h2>Tags</h2><ul><li>Tea</ul><p>Some words", "")
    >>> without_bare_headings(page, bytes([1, 1, 1, 0, 0, 0, 0, 1, 1])).hex(" ", 1)
    '00 00 00 00 00 00 00 01 01'
    """
    elements = page.elements
    names, parents, opens, closes = elements.names, elements.parents, elements.opens, elements.closes
    headings = [number for number, name in enumerate(names) if name in _HEADINGS]
    if not headings:
        return mask
    positions = page.text_runs.positions
    is_content = np.frombuffer(mask, dtype=np.uint8)[positions] == 1
    content_before = np.concatenate(([0], np.cumsum(is_content)))
    changed = bytearray(mask)
    for heading in headings:
        behind = heading
        for _ in range(_MOST_BETWEEN):
            behind = bisect_left(opens, closes[behind], behind + 1)
            if behind == len(names) or names[behind] not in _HEADINGS:
                break
        if behind == len(names) or parents[behind] != parents[heading]:
            continue
        first, opened, closed = np.searchsorted(positions, (closes[heading], opens[behind], closes[behind]))
        is_list = names[behind] in _FORMS or (names[behind] in _LISTS and opened < closed)
        if is_list and content_before[first] == content_before[closed]:
            changed[opens[heading] : closes[heading]] = bytes(closes[heading] - opens[heading])
    return bytes(changed)
