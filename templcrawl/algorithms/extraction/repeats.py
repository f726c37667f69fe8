"""Lines of an article that stand on the page twice: print versions, hidden copies, responsive doubles.

1. A line is a row of runs between two edges: an element that is not inline begins or ends there, or a ``br``.
2. A line of 8 words or more is a copy if an earlier line has the same runs in an element of another path of
   tags, classes and ids.  Lines of one path are records, steps or rows: they stay, however often they repeat.
3. Lines in ``pre`` are code, and stay.

Source: ours; by trial on 1,476 single pages and 35 hosts of news, see ``lab/bench/lone_pages.py``.
n runs, m elements of depth d.  Cost: O(n log n + m log d).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from templcrawl.page.ancestors import MIX, Indices, inherited
from templcrawl.page.page import Page
from templcrawl.page.vocabulary import INLINE

Flags = npt.NDArray[np.bool_]

_FEWEST_WORDS = 8


def without_copies(page: Page, selected: Flags) -> Flags:
    """Return run -> whether it is selected and in no copy of an earlier selected line."""
    runs, elements = page.text_runs, page.elements
    chosen = np.flatnonzero(selected)
    if not len(chosen):
        return selected
    lines = _line_of_token(page)[runs.positions[chosen]]
    firsts = np.flatnonzero(np.diff(lines, prepend=-1))
    words = np.add.reduceat(runs.words[chosen].astype(np.intp), firsts)
    texts = np.add.reduceat(runs.texts[chosen] * np.uint64(MIX), firsts)
    around = runs.elements[chosen[firsts]]
    steps = np.frombuffer(b"".join(page.tokens.tag_fields.whole), dtype=np.uint64)
    paths = elements.paths_of(steps)[around]
    _, originals, original_of = np.unique(texts, return_index=True, return_inverse=True)
    is_code = inherited(np.array([name == "pre" for name in elements.names], dtype=np.uint8), elements.above)
    is_copy = (words >= _FEWEST_WORDS) & (paths != paths[originals[original_of]]) & (is_code[around] == 0)
    stays: Flags = selected.copy()
    stays[chosen] = ~np.repeat(is_copy, np.diff(np.append(firsts, len(chosen))))
    return stays


def _line_of_token(page: Page) -> Indices:
    """Return token -> the number of its line."""
    elements = page.elements
    breaks = np.array([name not in INLINE or name == "br" for name in elements.names])
    edges = np.zeros(len(page.tokens) + 1, dtype=np.intp)
    edges[elements.open_array[breaks]] = edges[elements.close_array[breaks]] = 1
    lines: Indices = np.cumsum(edges)
    return lines
