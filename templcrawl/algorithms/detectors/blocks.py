"""The blocks of a page: rows of text runs in the same element, inline elements not counted: paragraphs.

n runs, m elements of depth d.  Cost: O(n + m log d).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from templcrawl.page.ancestors import Indices
from templcrawl.page.hints import LINKED
from templcrawl.page.page import Page
from templcrawl.page.vocabulary import INLINE

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


class Blocks:
    """The blocks of a page, in document order, as parallel arrays; the page must have a text run.

    of_run    run -> its block
    of_element  element -> the innermost element around it, or itself, that is not inline
    firsts    block -> its first run
    owners    block -> the element that it stands in
    words     block -> its words
    unlinked  block -> its words outside links
    """

    __slots__ = ("firsts", "of_element", "of_run", "owners", "unlinked", "words")

    def __init__(self, page: Page) -> None:
        runs = page.text_runs
        self.of_element = _not_inline(page)
        owners = self.of_element[runs.elements]
        is_first = np.diff(owners, prepend=-1) != 0
        self.of_run: Indices = np.cumsum(is_first) - 1
        self.firsts = np.flatnonzero(is_first)
        self.owners: Indices = owners[is_first]
        words = runs.words.astype(np.float64)
        self.words: Floats = np.asarray(np.bincount(self.of_run, words), np.float64)
        unlinked = words * (runs.hints & LINKED == 0)
        self.unlinked: Floats = np.asarray(np.bincount(self.of_run, unlinked), np.float64)

    def __len__(self) -> int:
        return len(self.owners)


def _not_inline(page: Page) -> Indices:
    """Return element -> the innermost element around it, or itself, that is not inline."""
    tokens, elements = page.tokens, page.elements
    of_form = np.array([name in INLINE or ":" in name for name in tokens.form_names])
    is_inline = np.zeros(len(elements), dtype=bool)
    is_inline[1:] = of_form[tokens.form_array[elements.open_array[1:]]]
    around: Indices = np.where(is_inline, np.maximum(elements.parent_array, 0), np.arange(len(elements)))
    while (further := around[around]) is not around and (further != around).any():
        around = further
    return around
