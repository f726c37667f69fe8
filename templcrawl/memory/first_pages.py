"""The first pages of a site, which were judged before its template was known: what of them is template.

A page that fewer than ``MIN_PAGES`` others have voted on keeps its footer as content.  So a later crawl would
take another footer for a change of the page.  The next ``_JUDGES`` pages of the crawl decide: what is
template on more than half of them is removed from the content of the first ones.

Cost: O(runs) for each of these pages.  Memory: the keys of the runs of ``_JUDGES`` pages.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from templcrawl.algorithms.extraction.shares import MIN_PAGES
from templcrawl.algorithms.similarity.alterations import RunSketch

_JUDGES = 4


class FirstPages:
    """The first pages of a site that a crawl has read."""

    def __init__(self) -> None:
        self._waiting: list[int] = []
        self._template: Counter[int] = Counter()  # run -> pages on which it is template
        self._judges = 0

    def add(self, key: int, sketch: RunSketch, voters: int) -> list[int]:
        """Note a page; return the first pages once their template is known.

        voters  pages that have voted on it
        """
        if voters < MIN_PAGES:
            if len(self._waiting) < MIN_PAGES and key not in self._waiting:
                self._waiting.append(key)
            return []
        if not self._waiting or key in self._waiting:
            return []
        self._judges += 1
        self._template.update(
            {*sketch.runs[~sketch.content].tolist()} - {*sketch.runs[sketch.content].tolist()}
        )
        if self._judges < _JUDGES:
            return []
        first, self._waiting = self._waiting, []
        return first

    def judged(self, sketch: RunSketch) -> RunSketch:
        """Return the sketch of one of the first pages, without the template in its content."""
        template = [run for run, pages in self._template.items() if 2 * pages > self._judges]
        return sketch._replace(content=sketch.content & ~np.isin(sketch.runs, template))
