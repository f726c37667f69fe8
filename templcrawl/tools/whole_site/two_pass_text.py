"""The text-based two-pass algorithm: phrases that many pages of a site have are its template.

Source: Prathibha, Sukumar, Sriram (IJERT 2012), "Text based algorithm", after Gibson, Punera, Tomkins
(WWW 2005). No tags are read: the text of a page is its visible words.

First pass    of P pages of the site, drawn at random, every *fragment* of W consecutive words is counted if
              its hash is zero modulo D, so that one that is counted on one page is counted on all; those
              of at least F are *frequent*
Second pass   each page is scanned for frequent fragments; those that overlap or touch are one template

W, D and P are as in the paper; F is a share of the P pages, and at least 2 of them.  D = 1 counts every
fragment (the paper writes D = 0 for it).  The paper prints no values.  Ours were chosen on the group
"tuned" of ``lab/bench/separation.py``.

Departures.  F counts pages, the paper occurrences: what one page repeats is not template.  Templates are
parts of a text, a separation tells tokens apart: a run of text is template if more than half of its words
are.  A text of fewer than W words is one fragment.

w words a page.  Cost: O(w) a page.  Memory: 8 bytes for each of w/D fragments of P pages, and as much for
the second pass.
"""

from __future__ import annotations

from itertools import chain

import numpy as np
import numpy.typing as npt

from templcrawl.algorithms.similarity.shingles import Hashes, combine
from templcrawl.memory.leaf_sample import LeafSample
from templcrawl.page.arrays import Keys, look_up
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, content_spans
from templcrawl.page.text import hashes_of
from templcrawl.tools.whole_site.site_detector import SiteDetector, draw

_MIN_PAGES = 2


def run_words(page: Page) -> tuple[Hashes, npt.NDArray[np.intp]]:
    """Return (hash of each visible word in reading order, number of words of each text run)."""
    tokens = page.tokens
    words = [tokens.forms[form].split() for form in tokens.form_array[page.text_runs.positions].tolist()]
    return hashes_of(chain.from_iterable(words)), np.array(list(map(len, words)), dtype=np.intp)


def covered_words(words: Hashes, frequent: Hashes, *, window: int) -> npt.NDArray[np.bool_]:
    """Return word -> whether it is in one of the frequent fragments, which are ascending."""
    fragments = combine(words, width=window)
    starts = np.flatnonzero(look_up(fragments, frequent)[1])
    edges = np.zeros(len(words) + 1, dtype=np.intp)
    np.add.at(edges, starts, 1)
    np.add.at(edges, np.minimum(starts + window, len(words)), -1)
    return np.cumsum(edges[:-1]) > 0


class TwoPassText(SiteDetector):
    """The algorithm on one site: ``learn`` every page, then ``separate`` any.

    >>> site = TwoPassText(window=3)
    >>> html = "<p>Tea and milk served hot</p><p>Page {0} of {0}{0} tells more"
    >>> pages = [Page(html.format(number), str(number)) for number in range(4)]
    >>> for page in pages:
    ...     site.learn(page)
    >>> site.separate(pages[2]).content_text
    'Page 2 of 22 tells more'
    """

    def __init__(
        self,
        *,
        window: int = 10,
        frequency: float = 0.4,
        density: int = 1,
        sample: int = 100,
    ) -> None:
        """Start without pages.

        window     W, words of a fragment
        frequency  F, share of the sampled pages that must have a fragment, above 0
        density    D, one in so many fragments is counted
        sample     P, pages that are counted
        """
        super().__init__()
        self._window, self._frequency, self._density = window, frequency, density
        self._sample = LeafSample[Keys](sample)
        self._frequent: Hashes | None = None

    @property
    def frequent(self) -> Hashes:
        """The fragments of at least F of the sampled pages, ascending."""
        if self._frequent is None:
            every = np.concatenate([np.empty(0, dtype=np.uint64), *self._sample])
            fragments, counts = np.unique(every, return_counts=True)
            least = max(_MIN_PAGES, self._frequency * len(self._sample))
            self._frequent = fragments[counts >= least]
        return self._frequent

    def _fragments(self, page: Page) -> Hashes:
        fragments = combine(run_words(page)[0], width=self._window)
        counted: Hashes = fragments[fragments % np.uint64(self._density) == 0]
        return counted

    def _count(self, page: Page) -> None:
        if draw(self._sample, page, self._fragments):
            self._frequent = None

    @property
    def known(self) -> int:
        """How many pages were drawn."""
        return len(self._sample)

    def separate(self, page: Page) -> Separation:
        """Second pass: text runs with most of their words in frequent fragments are template."""
        words, lengths = run_words(page)
        is_covered = covered_words(words, self.frequent, window=self._window)
        before = np.concatenate(([0], np.cumsum(is_covered)))
        after = np.cumsum(lengths)
        covered = before[after] - before[after - lengths]
        return Separation(page, content_spans(page, 2 * covered > lengths))
