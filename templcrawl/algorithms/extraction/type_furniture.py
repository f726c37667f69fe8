"""Page-type furniture: rows of content that nearly all other pages of the same page type repeat.

The shipping text of a shop stands on each product page and on no other, so that a vote by the whole site may
keep it.  Here it goes: a row of content, each run of which stands on at least nine tenths of some other pages
of the same page type, of eight at least: so nearly always on four fifths of all of them.

A *row* is a stretch of content in the same row of a table, the same ``dt`` with its ``dd``, or the same
element that is not inline, as in :mod:`templcrawl.algorithms.extraction.facts`.  It goes as a whole or not at
all, so that a value that few pages have keeps the label beside it.  A page of which less than a twentieth of
the words would be left, as of one that is nearly the copy of others, is returned as it was.

Source: our own; measured by ``lab/bench/separation.py``.  n runs, m elements.  Cost: O(m + n log n).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from templcrawl.algorithms.extraction.facts import row_elements
from templcrawl.page.separation import Separation, content_spans, labelled_spans

REPEATED = 0.9
LEAST_PAGES = 8
LEAST_LEFT = 0.05


def without_type_furniture(separation: Separation, shares: npt.NDArray[np.float64], pages: int) -> Separation:
    """Return a separation whose template also has what the page's type repeats.

    shares  run -> share of the other pages of its type that have it
    pages   how many pages those are
    """
    page = separation.page
    runs, is_repeated = page.text_runs, shares >= REPEATED
    if pages < LEAST_PAGES or not is_repeated.any():
        return separation
    was_content = np.frombuffer(separation.content_mask, dtype=bool)
    before = was_content[runs.positions]
    rows = row_elements(page.elements)[runs.elements]
    has_own = np.zeros(len(page.elements), dtype=bool)
    has_own[rows[before & ~is_repeated & (runs.words > 0)]] = True
    after = before & has_own[rows]
    left = runs.words[after].sum()
    if after.sum() == before.sum() or left == 0 or left < LEAST_LEFT * runs.words[before].sum():
        return separation
    is_content = was_content & _mask(content_spans(page, ~after), len(was_content))
    known = separation.run_shares
    return Separation(
        page,
        labelled_spans(page.tokens, is_content),
        exact=separation.exact,
        run_shares=None if known is None else np.where(before & ~after, np.maximum(known, shares), known),
        voters=separation.voters,
    )


def _mask(spans: tuple[tuple[int, int], ...], size: int) -> npt.NDArray[np.bool_]:
    """Return token -> whether it is in a span."""
    mask = np.zeros(size, dtype=bool)
    for start, stop in spans:
        mask[start:stop] = True
    return mask
