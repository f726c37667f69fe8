"""The sandwich: what a page adds to the template it shares with a sibling page.

Sibling pages are cut from one template, so the longest common subsequence of page and sibling is
taken for the template, the *bread*.  The rest of the page, the *filling*, is its content.

Source: Rowlands, Thomas & Wan, "Web Indexing on a Diet: Template Removal with the Sandwich
Algorithm" (ADCS 2009).  The paper compares lines; its first footnote suggests tokens.  Here the
caller chooses, and any hashable elements serve.  Where a longest common subsequence is not unique
the paper does not say which one to take; neither do we.

Where we depart from the paper: an alignment is capped in time and memory (``max_cells``, see
``templcrawl.algorithms.detectors.lcs``).  Above the cap the bread may come out too small, never wrong: all
bread is also in the sibling, in the same order.  ``filling`` then says ``exact=False``.

A page without a sibling is not judged: the paper removes nothing from it.  An empty sibling gives
the same answer, all of the page is filling.

Cost: that of ``longest_common_subsequence``.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from templcrawl.algorithms.detectors.lcs import MAX_CELLS, longest_common_subsequence


class Filling(NamedTuple):
    """What a page has and its sibling lacks.

    ``spans`` are half-open ``(start, stop)`` positions in the page: in order, none is empty, and
    bread lies between any two.  ``exact`` is False when the cap was hit: then some bread may have
    been taken for filling.
    """

    spans: tuple[tuple[int, int], ...]
    exact: bool


def filling(page: Sequence[Hashable], sibling: Sequence[Hashable], *, max_cells: int = MAX_CELLS) -> Filling:
    """Return the part of ``page`` outside its longest common subsequence with ``sibling``.

    Elements are compared by ``==`` and must be hashable.  Raises InvalidOption for
    ``max_cells`` < 1.

    >>> filling("<nav>A</nav>", "<nav>BB</nav>")
    Filling(spans=((5, 6),), exact=True)
    """
    alignment = longest_common_subsequence(page, sibling, max_cells=max_cells)
    spans = []
    reached = 0
    for start, _, length in alignment.matches:
        if reached < start:
            spans.append((reached, start))
        reached = start + length
    if reached < len(page):
        spans.append((reached, len(page)))
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
