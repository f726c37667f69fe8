"""The sandwich: what a page adds to the template it shares with a sibling page.

Sibling pages are cut from one template, so the longest common subsequence of page and sibling is taken for
the template, the *bread*.  The rest of the page, the *filling*, is its content; a page without a sibling, or
with an empty one, is all filling.  Any hashable elements serve.  Of pages two *views* are compared, as 64-bit
keys: tokens (:class:`TokenView`) and lines (:class:`LineView`).

Source: Rowlands, Thomas & Wan, "Web Indexing on a Diet: Template Removal with the Sandwich Algorithm" (ADCS
2009).  n, m lengths of page and sibling.  Cost: that of :func:`longest_common_subsequence`; O(length of the
page) for a view.  Departure: the paper has no cap on the cells of an alignment.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, pairwise, repeat
from math import isqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import LCSseq

from templcrawl.errors import InvalidOption
from templcrawl.page.page import Page
from templcrawl.page.separation import add_unread
from templcrawl.page.text import text_key
from templcrawl.page.tokens import TokenStream

# Time of an alignment: O(n + m), and at most sqrt(max_cells) * (n + m) / 2 cells of exact alignment in all,
# 64 of them a machine word. Memory: O(n + m) and max_cells / 8 bytes, 8 MB by default. On one slow core: 0.5
# ms for 2,000 tokens that agree on 80 %; at worst 1 s for 250,000 hostile tokens.
MAX_CELLS = 64_000_000  # default cap on the cells of one alignment: 8,000 tokens by 8,000, 8 MB, some 10 ms

_Positions = npt.NDArray[np.int64]


class Match(NamedTuple):
    """A run that page and sibling share: ``length`` tokens from ``start`` and ``sibling_start``."""

    start: int
    sibling_start: int
    length: int


@dataclass(frozen=True, slots=True)
class Alignment:
    """A common subsequence as runs, in order; no two runs adjoin in both sequences.

    ``exact`` says that there is no longer one.  It is False when the cap was hit.

    Above the cap the bread may come out too small, never wrong: all bread is also in the sibling, in the same
    order.
    """

    matches: tuple[Match, ...]
    exact: bool


class _Gap(NamedTuple):
    start: int
    stop: int
    sibling_start: int
    sibling_stop: int

    @property
    def cells(self) -> int:
        return (self.stop - self.start) * (self.sibling_stop - self.sibling_start)


def longest_common_subsequence(
    page: Sequence[Hashable], sibling: Sequence[Hashable], *, max_cells: int = MAX_CELLS
) -> Alignment:
    """Align two sequences of hashable elements; raises InvalidOption for ``max_cells`` < 1.

    1. Take the common prefix and the common suffix off; a longest common subsequence holds both.
    2. Drop the terms that the other sequence lacks, and number the rest 0, 1, 2, ... (rapidfuzz compares
       elements by hash, and Python hashes ``2**61 - 1`` like ``0``).
    3. Take the common ends off again; what is left is the *core*.  (What plainly fits the cap skips this step
       here: rapidfuzz does the same first thing.)
    4. A core of at most ``max_cells`` cells, length by length, is aligned exactly, by rapidfuzz's
       bit-parallel LCS (Hyyrö 2004).  The paper points to Hirschberg (1977) and Hunt & Szymanski (1977).
    5. A larger core is cut in proportion, page and sibling together, into as many equal parts as fit the cap.

    >>> page, sibling = "menu: tea. (c)", "menu: coffee. (c)"
    >>> alignment = longest_common_subsequence(page, sibling)
    >>> [page[start : start + length] for start, _, length in alignment.matches]
    ['menu: ', 'e', '. (c)']
    """
    if max_cells < 1:
        raise InvalidOption("max_cells", max_cells, "a whole number above 0")
    page, sibling = list(page), list(sibling)
    prefix, suffix = _common_ends(page, sibling)
    page_stop, sibling_stop = len(page) - suffix, len(sibling) - suffix
    a, page_at, b, sibling_at = _shared_terms(page[prefix:page_stop], sibling[prefix:sibling_stop])

    whole = _Gap(0, len(a), 0, len(b))
    pieces = list(_pieces(a, b, whole, max_cells))
    blocks = [  # each gap aligned exactly; its last block is empty
        (start + at, sibling_start + sibling_at, size)
        for start, stop, sibling_start, sibling_stop in pieces
        for at, sibling_at, size in LCSseq.opcodes(
            a[start:stop], b[sibling_start:sibling_stop]
        ).as_matching_blocks()
    ]

    matches = [Match(0, 0, prefix)] if prefix else []
    matches += _maximal_runs(np.array(blocks, np.int64), page_at + prefix, sibling_at + prefix)
    if suffix:
        matches.append(Match(page_stop, sibling_stop, suffix))
    return Alignment(tuple(matches), exact=pieces == [whole])


def _common_ends(a: Sequence[Hashable], b: Sequence[Hashable]) -> tuple[int, int]:
    prefix = _common_prefix(a, b)
    suffix = _common_prefix(a[::-1], b[::-1])
    return prefix, min(suffix, len(a) - prefix, len(b) - prefix)


def _common_prefix(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    # slices are compared, in steps that double until they differ, then halve
    shorter = min(len(a), len(b))
    length, step = 0, 1
    while length < shorter and a[length : length + step] == b[length : length + step]:
        length += step
        step *= 2
    while step > 1:
        step //= 2
        if a[length : length + step] == b[length : length + step]:
            length += step
    return min(length, shorter)


def _shared_terms(
    page: Sequence[Hashable], sibling: Sequence[Hashable]
) -> tuple[list[int], _Positions, list[int], _Positions]:
    """Number the terms that both have; return each side's numbers and where they stand."""
    first_index: dict[Hashable, int] = {}
    a = np.fromiter(map(first_index.setdefault, page, count()), np.int64, len(page))
    b = np.fromiter(map(first_index.get, sibling, repeat(-1)), np.int64, len(sibling))
    sibling_at = np.flatnonzero(b >= 0)
    b = b[sibling_at]
    is_shared = np.zeros(len(page), np.bool_)
    is_shared[b] = True
    page_at = np.flatnonzero(is_shared[a])
    number = np.cumsum(is_shared) - 1
    return number[a[page_at]].tolist(), page_at, number[b].tolist(), sibling_at


def _pieces(a: list[int], b: list[int], gap: _Gap, max_cells: int) -> Iterator[_Gap]:
    """Cut a gap, again and again, into gaps whose cores fit the cap; yield them in order.

    Parts fit, but for a few that rounding made too large by a row: they are cut once more.
    """
    start, stop, sibling_start, sibling_stop = gap
    prefix = suffix = 0
    if gap.cells > max_cells:
        prefix, suffix = _common_ends(a[start:stop], b[sibling_start:sibling_stop])
    core = _Gap(start + prefix, stop - suffix, sibling_start + prefix, sibling_stop - suffix)
    if core.cells <= max_cells:
        yield gap
        return
    parts = isqrt(core.cells // max_cells) + 1
    height, width = core.stop - core.start, core.sibling_stop - core.sibling_start
    cuts = [
        (core.start + height * part // parts, core.sibling_start + width * part // parts)
        for part in range(1, parts)
    ]
    corners = [(start, sibling_start), *cuts, (stop, sibling_stop)]
    for (start, sibling_start), (stop, sibling_stop) in pairwise(corners):
        if start < stop and sibling_start < sibling_stop:
            yield from _pieces(a, b, _Gap(start, stop, sibling_start, sibling_stop), max_cells)


def _maximal_runs(runs: _Positions, page_at: _Positions, sibling_at: _Positions) -> list[Match]:
    """Translate runs of shared terms to positions in the sequences, and part or join them there."""
    starts, sibling_starts, lengths = runs.T
    ends = np.cumsum(lengths)
    if not ends[-1]:
        return []
    offsets = ends - lengths
    pairs = np.arange(ends[-1])
    here = page_at[np.repeat(starts - offsets, lengths) + pairs]
    there = sibling_at[np.repeat(sibling_starts - offsets, lengths) + pairs]
    is_adjacent = (here[1:] == here[:-1] + 1) & (there[1:] == there[:-1] + 1)
    first = np.concatenate(([0], np.flatnonzero(~is_adjacent) + 1))
    sizes = np.diff(np.append(first, len(here)))
    return list(map(Match, here[first].tolist(), there[first].tolist(), sizes.tolist()))


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

    Tags with their attributes and text runs, white space left out, as the first footnote of the paper
    suggests. The unread rest of a page is in no view, and is content.

    any_directory  whether a page of another directory may serve as the sibling
    """

    any_directory = True

    def keys(self, page: Page) -> array[int]:
        """Return the keys that later pages are compared with: of tokens but white space and unread text."""
        keys = page.tokens.keys
        return array("Q", keys[keys != 0].tobytes())

    def filling(self, page: Page, keys: Sequence[int], sibling: Sequence[int]) -> Filling:
        """Return the spans of tokens that the sibling's token stream lacks."""
        lacking = filling(keys, sibling)
        positions = np.flatnonzero(page.tokens.keys).tolist()
        spans = tuple((positions[start], positions[stop - 1] + 1) for start, stop in lacking.spans)
        return Filling(add_unread(page.tokens, spans), lacking.exact)


class LineView:
    """Pages compared by their lines; attributes and methods as of :class:`TokenView`.

    Lines, as printed in section 3; siblings of the same directory serve.  A line ends at a line feed, a
    carriage return or both; its end is not part of it.  Departures: blank lines are left out, and a token is
    kept whole if one of its lines is new, such as a paragraph that was broken into lines.
    """

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
        return Filling(add_unread(page.tokens, spans), lacking.exact)


_LINE = re.compile(r"[^\r\n]+")

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
