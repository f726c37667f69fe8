"""The sandwich: what a page adds to the template it shares with a sibling page.

Sibling pages are cut from one template, so the longest common subsequence of page and sibling is taken for
the template, the *bread*.  The rest of the page, the *filling*, is its content.

Source: Rowlands, Thomas & Wan, "Web Indexing on a Diet: Template Removal with the Sandwich Algorithm" (ADCS
2009).  Any hashable elements serve.  Of pages two *views* are compared, as 64-bit keys:

- ``TOKENS``: tags with their attributes and text runs, white space left out, as the first footnote of the
  paper suggests; siblings of any directory serve
- ``LINES``: lines, as printed in section 3; siblings of the same directory serve.  A line ends at a line
  feed, a carriage return or both; its end is not part of it

The unread rest of a page is in no view, and is content.  A page without a sibling, or with an empty one, is
all filling.

Departure: an alignment is capped in time and memory (:mod:`templcrawl.algorithms.extraction.lcs`).  Above the
cap the bread may come out too small, never wrong: all bread is also in the sibling, in the same order.

Cost: that of ``longest_common_subsequence``, and O(length of the page) for a view.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from templcrawl.algorithms.extraction.lcs import MAX_CELLS, longest_common_subsequence
from templcrawl.page.page import Page
from templcrawl.page.separation import with_unread
from templcrawl.page.text import text_key
from templcrawl.page.tokens import TokenStream

_LINE = re.compile(r"[^\r\n]+")


class Filling(NamedTuple):
    """What a page has and its sibling lacks.

    spans  half-open (start, stop) positions in the page, in order; none is empty, bread lies between any two
    exact  False when the cap was hit: then some bread may have been taken for filling
    """

    spans: tuple[tuple[int, int], ...]
    exact: bool


def filling(page: Sequence[Hashable], sibling: Sequence[Hashable], *, max_cells: int = MAX_CELLS) -> Filling:
    """Return the part of ``page`` outside its longest common subsequence with another; raises InvalidOption.

    >>> filling("<nav>A</nav>", "<nav>BB</nav>")
    Filling(spans=((5, 6),), exact=True)
    """
    alignment = longest_common_subsequence(page, sibling, max_cells=max_cells)
    spans, reached = [], 0
    for start, _, length in (*alignment.matches, (len(page), 0, 0)):
        if reached < start:
            spans.append((reached, start))
        reached = start + length
    return Filling(tuple(spans), alignment.exact)


def sandwich(
    page: Sequence[Hashable], sibling: Sequence[Hashable], *, max_cells: int = MAX_CELLS
) -> tuple[tuple[int, int], ...]:
    """Return the spans of ``page`` that ``sibling`` lacks: ``filling(...).spans``.

    >>> page, sibling = "menu: tea. (c)", "menu: coffee. (c)"
    >>> [page[start:stop] for start, stop in sandwich(page, sibling)]
    ['t', 'a']
    >>> sandwich(page.split(), sibling.split())
    ((1, 2),)
    """
    return filling(page, sibling, max_cells=max_cells).spans


class TokenView:
    """Pages compared by their token streams.

    any_directory  whether a page of another directory may serve as the sibling
    """

    any_directory = True

    def keys(self, page: Page) -> array[int]:
        """Return what later pages are compared with: keys of tokens, but white space and the unread rest."""
        keys = page.tokens.keys
        return array("Q", keys[keys != 0].tobytes())

    def filling(self, page: Page, keys: Sequence[int], sibling: Sequence[int]) -> Filling:
        """Return the spans of tokens that the sibling's token stream lacks."""
        lacking = filling(keys, sibling)
        positions = np.flatnonzero(page.tokens.keys).tolist()
        spans = tuple((positions[start], positions[stop - 1] + 1) for start, stop in lacking.spans)
        return Filling(with_unread(page.tokens, spans), lacking.exact)


class LineView:
    """Pages compared by their lines, exactly as printed; attributes and methods as of :class:`TokenView`."""

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


TOKENS, LINES = TokenView(), LineView()
PageView = TokenView | LineView


def cut_lines(text: str) -> tuple[list[str], list[int]]:
    r"""Return the lines of ``text`` that are not blank, and the offset of each.

    >>> cut_lines("<p>one\n\n  \r\ntwo")
    (['<p>one', 'two'], [0, 12])
    """
    found = [match for match in _LINE.finditer(text) if not match[0].isspace()]
    return [match[0] for match in found], [match.start() for match in found]


def token_spans(
    tokens: TokenStream, lines: Sequence[str], starts: Sequence[int], line_spans: Sequence[tuple[int, int]]
) -> tuple[tuple[int, int], ...]:
    """Return the spans of tokens that touch some lines.

    line_spans  half-open spans of line numbers
    """
    spans: list[tuple[int, int]] = []
    offsets = tokens.starts
    token = 0
    for first, last in line_spans:
        begin = starts[first]
        end = starts[last - 1] + len(lines[last - 1])
        while offsets[token + 1] <= begin:
            token += 1
        opened = token
        while token < len(tokens) and offsets[token] < end:
            token += 1
        if spans and spans[-1][1] >= opened:
            spans[-1] = (spans[-1][0], token)
        else:
            spans.append((opened, token))
        token = max(opened, token - 1)
    return tuple(spans)
