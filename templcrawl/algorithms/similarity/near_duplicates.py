"""Exact and near-duplicate contents: the same words, or the same except for a few.

Source: Broder et al. (WWW 1997), who call two documents near-duplicates by their resemblance. Departures:
exact duplicates are told apart from near ones, by one hash of all words in order, and short contents
(``MIN_TERMS``) have exact duplicates only.  Content is compared, not pages (``MAX_DIFFERENCE``).

Notation: r resemblance, a and b the numbers of shingles. Cost: O(words log words) for a content, O(minima of
a sketch) to compare two.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np
from xxhash import xxh3_64_intdigest

from templcrawl.algorithms.similarity.shingles import Hashes, Sketch, combine, estimate_resemblance, sketch
from templcrawl.page.arrays import Indices, Keys
from templcrawl.page.kernel_columns import Task
from templcrawl.page.page import Page, native
from templcrawl.page.separation import Separation

# On 37 saved sites contents find 84 % of the pages that repeat an earlier one, and 95 % of their answers are
# right; the visible words of whole pages 74 % and 88 %. Measured on the first 100 pages of each, every tenth
# a second time under another URL, with a date, another side bar and up to three other words; two pages repeat
# each other if the sets of shingles of their marked content have this resemblance.
MIN_RESEMBLANCE = 0.85  # of near-duplicates
# n words have n - 4 shingles; one changed word leaves (n - 9) / (n + 1) of them, .85 from n = 66 on.
# One word that is changed in the midst of a content of fewer words makes a resemblance of less than
# ``MIN_RESEMBLANCE``, so that only what differs at its ends would be near, and there short pages have the one
# number or name that tells them apart.
MIN_TERMS = 66
# Whole pages of a site share their template, so that a high resemblance alone would call every two pages with
# little content near-duplicates; where whole pages must be compared, this bounds by how much they may
# *differ* besides.
MAX_DIFFERENCE = 100  # shingles that whole pages may differ in: a short paragraph on each


class Content(NamedTuple):
    """A text as it is compared with others: hash and number of its words; no sketch if these are too few."""

    hash: int
    terms: int
    sketch: Sketch | None


def content_of_terms(terms: Hashes) -> Content:
    """Return the value of a text from the hashes of its words, in order."""
    near = sketch(combine(terms)) if len(terms) >= MIN_TERMS else None
    return Content(xxh3_64_intdigest(terms.tobytes()), len(terms), near)


def content_of(separation: Separation) -> Content:
    """Return the value of the content of a page: its visible words, without the addresses of its links.

    The same text under another URL links elsewhere: with addresses, a third of all repeats is missed.
    """
    return _content(separation.page, separation.content_mask)


def read_content(figures: Keys, minima: Keys, bands: Keys) -> Content:
    """Return the content that the kernel has written; its figures are hash, terms, and size of the sketch."""
    content, terms, size = figures.tolist()
    near = Sketch(minima.copy(), size, tuple(bands.tolist())) if len(bands) else None
    return Content(content, terms, near)


@native(
    Task.CONTENT,
    columns=("figures", "minima", "bands"),
    ask=lambda page, mask: (mask,),
    answer=read_content,
)
def _content(page: Page, mask: bytes) -> Content:
    positions = page.text_runs.positions
    return content_of_terms(_terms_of(page, positions[np.frombuffer(mask, dtype=bool)[positions]]))


def whole_text_of(page: Page) -> Content:
    """Return the value of all visible words of a page, template and all."""
    return content_of_terms(_terms_of(page, page.text_runs.positions))


def _terms_of(page: Page, positions: Indices) -> Hashes:
    starts = page.terms.start_array
    first, lengths = starts[positions], starts[positions + 1] - starts[positions]
    stops = lengths.cumsum()
    indices = (first - stops + lengths).repeat(lengths) + np.arange(stops[-1] if len(stops) else 0)
    return page.terms.hashes[indices]


def difference(resemblance: float, a: int, b: int) -> float:
    """Return in how many shingles two sets of ``a`` and ``b`` shingles differ.

    Their union has (a + b) / (1 + r) shingles and the two differ in (1 - r) / (1 + r) * (a + b) of them; one
    changed word changes up to 2 * width.

    >>> difference(0.5, 30, 30)  # 20 in common, 10 more in each
    20.0
    """
    return (1 - resemblance) / (1 + resemblance) * (a + b)


def are_near_duplicates(a: Sketch, b: Sketch, *, max_difference: float = inf) -> bool:
    """Return whether the texts of two sketches are near-duplicates.

    max_difference  in how many shingles they may differ
    """
    if min(a.size, b.size) < MIN_RESEMBLANCE * max(a.size, b.size):
        return False
    resemblance = estimate_resemblance(a, b)
    return resemblance >= MIN_RESEMBLANCE and difference(resemblance, a.size, b.size) <= max_difference
