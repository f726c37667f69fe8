"""What the sandwich compares of two pages: sequences of 64-bit keys, and the spans that a sibling lacks.

- ``TOKENS``: tags with their attributes and text runs, white space left out; siblings of any directory serve
- ``LINES``: lines, as printed in the paper; siblings of the same directory serve

The unread rest of a page is in no view, and is content.

Source: Rowlands, Thomas, Wan (ADCS 2009), section 3 and its first footnote.
Cost: O(length of the page), and that of the alignment.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from templcrawl.algorithms.detectors.sandwich import Filling, filling
from templcrawl.page.encoding import text_key
from templcrawl.page.lines import cut_lines, token_spans
from templcrawl.page.page import Page
from templcrawl.page.spans import with_unread


class PageView(Protocol):
    """A way to compare two pages.

    any_directory  whether a page of another directory may serve as the sibling
    """

    any_directory: bool

    def keys(self, page: Page) -> array[int]:
        """Return what is remembered of a page, so that later pages can be compared with it."""

    def filling(self, page: Page, keys: Sequence[int], sibling: Sequence[int]) -> Filling:
        """Return the spans of the page's tokens that its sibling lacks."""


class _Tokens:
    """The token stream."""

    any_directory = True

    def keys(self, page: Page) -> array[int]:
        """Return the keys of the page's tokens, white space and the unread rest left out."""
        keys = page.tokens.keys
        return array("Q", keys[keys != 0].tobytes())

    def filling(self, page: Page, keys: Sequence[int], sibling: Sequence[int]) -> Filling:
        """Return the spans of tokens that the sibling's token stream lacks."""
        lacking = filling(keys, sibling)
        positions = np.flatnonzero(page.tokens.keys).tolist()
        spans = tuple((positions[start], positions[stop - 1] + 1) for start, stop in lacking.spans)
        return Filling(with_unread(page.tokens, spans), lacking.exact)


class _Lines:
    """The lines, exactly as printed."""

    any_directory = False

    def keys(self, page: Page) -> array[int]:
        """Return the keys of the page's lines, blank lines left out."""
        lines, _ = cut_lines(page.tokens.read_text)
        return array("Q", list(map(text_key, lines)))

    def filling(self, page: Page, keys: Sequence[int], sibling: Sequence[int]) -> Filling:
        """Return the spans of tokens that touch a line that the sibling lacks."""
        lines, starts = cut_lines(page.tokens.read_text)
        lacking = filling(keys, sibling)
        spans = token_spans(page.tokens, lines, starts, lacking.spans)
        return Filling(with_unread(page.tokens, spans), lacking.exact)


TOKENS, LINES = _Tokens(), _Lines()
