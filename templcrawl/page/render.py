"""One side of a separated page, its content or its template, as text or as HTML.

What each of them says: :mod:`templcrawl.page.sides`, which is loaded where the kernel does not answer.

mask  token -> 1 for content, 0 for template;  side  the value of the mask that is wanted
Cost: O(tokens of the page) each.
"""

from __future__ import annotations

from templcrawl.page.kernel_columns import Task
from templcrawl.page.page import Page, native


def _asked(page: Page, mask: bytes, side: int) -> tuple[bytes, bytes, str]:
    """Return the arguments of the kernel for writing a side, with the unread rest where the side has it."""
    rest = page.text[page.limits.max_characters :] if mask[-1:] == bytes((side,)) else ""
    return mask, bytes((side,)), rest


@native(Task.TEXT, ask=_asked, answer=bytes.decode)
def text_of(page: Page, mask: bytes, side: int) -> str:
    """Return the visible text of one side, a line for each line that a reader sees."""
    from templcrawl.page.sides import write_text

    return write_text(page, mask, side)


@native(Task.HTML, ask=_asked, answer=bytes.decode)
def html_of(page: Page, mask: bytes, side: int) -> str:
    """Return the HTML of one side: well nested, with the elements that enclose what a reader sees."""
    from templcrawl.page.sides import write_html

    return write_html(page, mask, side)


def visible_text(page: Page) -> str:
    """Return all visible text of a page."""
    return text_of(page, bytes(len(page.tokens)), 0)
