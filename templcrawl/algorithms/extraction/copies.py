"""Find text that a page has twice: print versions, hidden copies, responsive doubles.

A *line* is a row of runs between two edges: an element that is not inline begins or ends there, or a ``br``.
A line of 8 words or more is a copy if an earlier line has the same runs in an element of another path of
tags, classes and ids.  So is a shorter one in a row of such lines with a copy in it: a heading, a date.
Lines of one path are records, steps or rows: they stay, however often they repeat.  So do lines of code.

Source: our own.  n runs, m elements of depth d.  Cost: O(n log n + m log d).
"""

from __future__ import annotations

import numpy as np

from templcrawl.page.arrays import MIX, Flags, inherited
from templcrawl.page.page import Page
from templcrawl.page.vocabulary import BLOCKS

_FEWEST_OF_LINE = 8  # words of a line that is a copy by itself


def drop_copies(page: Page, selected: Flags) -> Flags:
    """Return run -> whether it is selected and in no copy of an earlier selected line."""
    runs, elements = page.text_runs, page.elements
    chosen = np.flatnonzero(selected)
    if not len(chosen):
        return selected
    breaks = np.array([name in BLOCKS for name in elements.names])
    edges = np.zeros(len(page.tokens) + 1, dtype=np.intp)
    edges[elements.open_array[breaks]] = edges[elements.close_array[breaks]] = 1
    lines = edges.cumsum()[runs.positions[chosen]]
    firsts = np.flatnonzero(np.diff(lines, prepend=-1))
    words = np.add.reduceat(runs.words[chosen].astype(np.intp), firsts)
    texts = np.add.reduceat(runs.texts[chosen] * np.uint64(MIX), firsts)
    around = runs.elements[chosen[firsts]]
    paths = elements.whole_paths[around]
    _, originals, original_of = np.unique(texts, return_index=True, return_inverse=True)
    is_code = inherited(np.array([name == "pre" for name in elements.names], dtype=np.uint8), elements.above)
    is_again = (paths != paths[originals[original_of]]) & (is_code[around] == 0)
    rows = np.cumsum(np.diff(is_again, prepend=False))
    is_copy = is_again & (np.bincount(rows, words >= _FEWEST_OF_LINE) > 0)[rows]
    stays: Flags = selected.copy()
    stays[chosen] = ~np.repeat(is_copy, np.diff(np.append(firsts, len(chosen))))
    return stays
