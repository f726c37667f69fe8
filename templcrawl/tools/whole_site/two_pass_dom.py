"""The DOM-based two-pass algorithm: DOM nodes that stand on many pages of a site are its template.

A *node* is an element or a run of text.  Its *template-hash* is a hash of all that stands between its start
and its end tag, both included, attributes too.

First pass    count on how many pages of the site each template-hash occurs, and how often (``HashCounts``)
Second pass   find the nodes whose counts make them template (:func:`template_spans`)

Source: Prathibha, Sukumar, Sriram (IJERT 2012), "DOM based algorithm", after Gibson, Punera, Tomkins (WWW
2005).  Departures: :class:`TwoPassDom`.  n tokens, m nodes.  Cost: O(n + m) for each pass, however deep the
nodes are nested.  Memory: that of ``HashCounts``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from templcrawl.algorithms.similarity.shingles import Hashes
from templcrawl.page.arrays import MIX, Indices, Keys, look_up, powers
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, Spans, rest_of
from templcrawl.page.tokens import COMMENT
from templcrawl.tools.whole_site.site_detector import SiteDetector

Counts = npt.NDArray[np.uint32]

LIMIT = 2**18  # hashes that are counted exactly

_MIN_PENDING = 2**14
_INVERSE = pow(MIX, -1, 2**64)
_MIN_PAGES = 2


class NodeSpans(NamedTuple):
    """The nodes of a page in document order: a node comes before those inside it.

    starts, stops  half-open spans of tokens
    parents        the element that each stands in
    hashes         template-hashes
    """

    starts: Indices
    stops: Indices
    parents: Indices
    hashes: Keys


def nodes_of(page: Page) -> NodeSpans:
    """Return the nodes of a page: elements and visible runs, without the unread rest."""
    tokens, elements = page.tokens, page.elements
    runs = page.text_runs.positions
    starts = np.concatenate((elements.open_array[1:], runs))
    stops = np.concatenate((np.array(elements.closes[1:], dtype=np.intp), runs + 1))
    parents = np.concatenate((elements.parent_array[1:], page.text_runs.elements))
    order = np.argsort(starts, kind="stable")
    starts, stops, parents = starts[order], stops[order], parents[order]
    return NodeSpans(starts, stops, parents, _hashes(tokens.keys, tokens.kind_array, starts, stops))


def _hashes(keys: Keys, kinds: npt.NDArray[np.uint8], starts: Indices, stops: Indices) -> Keys:
    """Return the template-hash of each span of tokens: its polynomial over those that count.

    Hashes of all nodes are differences of one running polynomial over the tokens.  White space between tags
    and comments do not count (a departure).
    """
    is_counted = (keys != 0) & (kinds != COMMENT)
    before = np.concatenate(([0], np.cumsum(is_counted)))
    total = int(before[-1])
    running = np.concatenate(
        (np.zeros(1, dtype=np.uint64), np.cumsum(keys[is_counted] * powers(MIX, total + 1)[1:]))
    )
    first, after = before[starts], before[stops]
    mixed = (running[after] - running[first]) * powers(_INVERSE, total + 1)[first]
    mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(MIX)
    hashes: Keys = mixed ^ (mixed >> np.uint64(29))
    return hashes


def template_spans(page: Page, nodes: NodeSpans, is_repeated: npt.NDArray[np.bool_], *, gap: int) -> Spans:
    """Return the templates of a page as spans of tokens, in order and disjoint.

    A node is a *template node* if its count is within the thresholds and no node around it is one.  Then
    template nodes that are siblings are *coalesced* where at most ``gap`` words stand between them: small
    changing parts of a template, a date or a number of visitors.  Departure: coalescing asks template nodes
    with visible text only: two line breaks do not make a template of what stands between them.

    is_repeated  node -> whether its count is within the thresholds
    gap          words that coalescing passes over
    """
    words = np.zeros(len(page.tokens) + 1, dtype=np.intp)
    words[page.text_runs.positions + 1] = np.maximum(page.text_runs.words, 1)
    words = np.cumsum(words)  # token -> visible words before it, and all of them at the end
    spans: list[tuple[int, int]] = []
    last: dict[int, int] = {}
    reached = 0
    chosen = np.flatnonzero(is_repeated)
    for start, stop, parent in zip(
        nodes.starts[chosen].tolist(), nodes.stops[chosen].tolist(), nodes.parents[chosen].tolist()
    ):
        if start < reached:
            continue
        reached = stop
        if words[stop] > words[start]:
            begin = last.get(parent, -1)
            last[parent] = stop
            if begin >= 0 and words[start] - words[begin] <= gap:
                start = begin
        while spans and start <= spans[-1][0]:
            spans.pop()
        if spans and start <= spans[-1][1]:
            start = spans.pop()[0]
        spans.append((start, stop))
    return tuple(spans)


class TwoPassDom(SiteDetector):
    """The algorithm on one site: ``learn`` every page, then ``separate`` any.

    The thresholds ``lower`` and ``upper`` are a share of the site's pages, at least 2 of them, and a number
    of occurrences for each page of the site.  The paper gives both as bare numbers and prints no value.  Ours
    were chosen on the group "tuned" of ``lab/bench/separation.py``.  Departure: the paper counts occurrences
    for both thresholds; we count pages for the lower one, so that what one page repeats is not template.

    >>> site = TwoPassDom()
    >>> pages = [Page(f"<ul><li>Tea</ul><p>Page {n} of many", str(n)) for n in range(4)]
    >>> for page in pages:
    ...     site.learn(page)
    >>> site.separate(pages[2]).content_text
    'Page 2 of many'
    """

    def __init__(self, *, lower: float = 0.4, upper: float = 1.5, gap: int = 2, limit: int = LIMIT) -> None:
        """Start without pages.

        lower  share of the site's pages that must have a template node, above 0
        upper  occurrences of a template node for each page of the site, above 0
        gap    words between two template nodes that are siblings and become one template
        limit  hashes that are counted exactly, at least 1
        """
        super().__init__()
        self._lower, self._upper, self._gap = lower, upper, gap
        self.counts = HashCounts(limit=limit)

    def _count(self, page: Page) -> None:
        self.counts.count(nodes_of(page).hashes)

    @property
    def known(self) -> int:
        """How many pages were learned."""
        return self.counts.pages

    def separate(self, page: Page) -> Separation:
        """Second pass: the text of template nodes is template."""
        nodes, known = nodes_of(page), self.known
        pages, occurrences = self.counts.lookup(nodes.hashes)
        lower = max(_MIN_PAGES, self._lower * known)
        is_repeated = (pages >= lower) & (occurrences <= self._upper * known)
        templates = template_spans(page, nodes, is_repeated, gap=self._gap)
        return Separation(page, rest_of(page.tokens, templates))


class HashCounts:
    """A table of hashes: how many pages have each, and how often it occurs.

    It is exact up to ``limit`` hashes.  Beyond that it is Manku & Motwani's lossy counting (VLDB 2002): the
    hashes that fewest pages have are forgotten, at least half of the table at once, and the counts of one
    that comes back start anew.  No count is too large.  As long as ``missed`` is 0, the order of the pages
    makes no difference.

    Pages are gathered and merged into a sorted table once they hold as many hashes as that.  h hashes in all,
    d <= limit distinct ones.  Cost: O(h log h) in numpy.  Memory: 20 bytes for each of at most ``limit``
    hashes, and 12 for each of as many that wait.

    limit   hashes that are kept, at least 1
    pages   pages that were counted
    missed  pages that the count of a hash may lack; 0 as long as the table is exact

    >>> counts = HashCounts()
    >>> for page in ([1, 2, 2], [2, 3]):
    ...     counts.count(np.array(page, dtype=np.uint64))
    >>> counts.lookup(np.array([2, 3, 4], dtype=np.uint64))
    (array([2, 1, 0], dtype=uint32), array([3, 1, 0], dtype=uint32))
    """

    def __init__(self, *, limit: int = LIMIT) -> None:
        self.limit = limit
        self.pages = 0
        self.missed = 0
        self._keys: Hashes = np.empty(0, dtype=np.uint64)
        self._counts = np.empty((3, 0), dtype=np.uint32)  # pages, occurrences, pages that may be missed
        self._pending: list[tuple[Hashes, Counts]] = []
        self._pending_keys = 0

    def __len__(self) -> int:
        self._merge()
        return len(self._keys)

    def count(self, hashes: Hashes) -> None:
        """Count the hashes of a page, as often as they occur on it."""
        keys, occurrences = np.unique(hashes, return_counts=True)
        self._pending.append((keys, occurrences.astype(np.uint32)))
        self._pending_keys += len(keys)
        self.pages += 1
        if self._pending_keys > max(_MIN_PENDING, min(len(self._keys), self.limit)):
            self._merge()

    def lookup(self, hashes: Hashes) -> tuple[Counts, Counts]:
        """Return for each hash (pages that have it, its occurrences)."""
        self._merge()
        counts = np.zeros((2, len(hashes)), dtype=np.uint32)
        places, is_stored = look_up(hashes, self._keys)
        counts[:, is_stored] = self._counts[:2, places[is_stored]]
        return counts[0], counts[1]

    def _merge(self) -> None:
        """Merge the waiting pages into the table, and drop entries beyond the limit."""
        if not self._pending:
            return
        keys = np.concatenate([self._keys, *(page for page, _ in self._pending)])
        fresh = np.zeros((3, len(keys) - len(self._keys)), dtype=np.uint32)
        fresh[0] = 1
        fresh[1] = np.concatenate([occurrences for _, occurrences in self._pending])
        counts = np.concatenate([self._counts, fresh], axis=1)
        self._pending, self._pending_keys = [], 0
        order = np.argsort(keys, kind="stable")
        keys, counts = keys[order], counts[:, order]
        first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if len(keys) else order
        was_stored = order[first] < len(self._keys)
        self._keys = keys[first]
        self._counts = np.add.reduceat(counts, first, axis=1, dtype=np.uint32) if len(first) else counts
        self._counts[2, ~was_stored] = self.missed
        if len(self._keys) > self.limit:
            self._prune()

    def _prune(self) -> None:
        most = self._counts[0] + self._counts[2]
        self.missed = int(np.partition(most, -1 - self.limit // 2)[-1 - self.limit // 2])
        is_retained = most > self.missed
        self._keys, self._counts = self._keys[is_retained], np.ascontiguousarray(self._counts[:, is_retained])
