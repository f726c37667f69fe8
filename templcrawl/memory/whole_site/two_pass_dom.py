"""The DOM-based two-pass algorithm: what stands on many pages of a site, node by node, is its template.

Source: Prathibha, Sukumar, Sriram (IJERT 2012), "DOM based algorithm", after Gibson, Punera, Tomkins (WWW
2005).

A *node* is an element or a run of text.  Its *template-hash* is a hash of all that stands between its
start and its end tag, both included, attributes too.

First pass    count on how many pages of the site each template-hash occurs, and how often (``HashCounts``)
Second pass   a node is a *template node* if at least ``lower`` pages have its hash, if it does not occur more
              often than ``upper``, and if no node around it is one; then template nodes that are siblings
              are *coalesced* where at most ``gap`` words stand between them: small changing parts of a
              template, a date or a number of visitors

``lower`` is a share of the site's pages, and at least 2 of them; ``upper`` a number of occurrences for
each page of the site.  The paper gives both as bare numbers and prints no value.  Ours were chosen on the
group "tuned" of ``benchmarks/separation.py``.

Departures.  The paper counts occurrences for both thresholds; we count pages for the lower one, so that
what one page repeats is no template.  White space between tags and comments do not count for the hash.
Coalescing asks template nodes with visible text only: two line breaks do not make a template of what
stands between them.

n tokens, m nodes.  Hashes of all nodes are differences of one running polynomial over the tokens, so that
both passes cost O(n + m), however deep the nodes are nested.  Memory: that of ``HashCounts``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from templcrawl.errors import InvalidOption
from templcrawl.memory.whole_site.hash_counts import LIMIT, HashCounts
from templcrawl.memory.whole_site.site_detector import SiteDetector
from templcrawl.page.ancestors import MIX, Indices, Keys, powers
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from templcrawl.page.spans import Spans, rest_of
from templcrawl.page.tags import COMMENT

_INVERSE = pow(MIX, -1, 2**64)
_LEAST_PAGES = 2


@dataclass(frozen=True, slots=True)
class DomOptions:
    """The parameters of the algorithm.

    lower  share of the site's pages that must have a template node, above 0
    upper  occurrences of a template node for each page of the site, above 0
    gap    words between two template nodes that are siblings and become one template
    limit  hashes that are counted exactly
    """

    lower: float = 0.4
    upper: float = 1.5
    gap: int = 2
    limit: int = LIMIT

    def __post_init__(self) -> None:
        if not 0 < self.lower <= 1:
            raise InvalidOption("lower", self.lower, "a share above 0, at most 1")
        if not self.upper > 0:
            raise InvalidOption("upper", self.upper, "a number above 0")
        if self.gap < 0:
            raise InvalidOption("gap", self.gap, "a whole number of 0 or more")


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
    """Return the nodes of a page: elements and visible runs.  The unread rest is in none of them."""
    tokens, elements = page.tokens, page.elements
    runs = page.text_runs.positions
    starts = np.concatenate((elements.open_array[1:], runs))
    stops = np.concatenate((np.array(elements.closes[1:], dtype=np.intp), runs + 1))
    parents = np.concatenate((elements.parent_array[1:], page.text_runs.elements))
    order = np.argsort(starts, kind="stable")
    starts, stops, parents = starts[order], stops[order], parents[order]
    return NodeSpans(starts, stops, parents, _hashes(tokens.keys, tokens.kind_array, starts, stops))


def _hashes(keys: Keys, kinds: npt.NDArray[np.uint8], starts: Indices, stops: Indices) -> Keys:
    """Return the template-hash of each span of tokens: its polynomial over those that count."""
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


def _words_before(page: Page) -> Indices:
    """Return token -> visible words before it, and all of them at the end: n + 1 ints."""
    words = np.zeros(len(page.tokens) + 1, dtype=np.intp)
    words[page.text_runs.positions + 1] = np.maximum(page.text_runs.words, 1)
    return np.cumsum(words)


def template_spans(page: Page, nodes: NodeSpans, is_repeated: npt.NDArray[np.bool_], *, gap: int) -> Spans:
    """Return the templates of a page as spans of tokens, in order and disjoint.

    is_repeated  node -> whether its count is within the thresholds
    gap          words that coalescing passes over
    """
    words = _words_before(page)
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


class NodesOfPage(NamedTuple):
    """A page and its nodes."""

    page: Page
    nodes: NodeSpans


class TwoPassDom(SiteDetector[NodesOfPage]):
    """The algorithm on one site: ``learn`` every page, then ``separate`` any.

    >>> site = TwoPassDom()
    >>> pages = [Page(f"<ul><li>Tea</ul><p>Page {n} of many", str(n)) for n in range(4)]
    >>> for page in pages:
    ...     site.learn(page)
    >>> site.separate(pages[2]).content_text
    'Page 2 of many'
    """

    def __init__(self, options: DomOptions | None = None) -> None:
        super().__init__()
        self.options = options or DomOptions()
        self.counts = HashCounts(limit=self.options.limit)

    def _table_size(self) -> int:
        return self.counts.size

    @property
    def pages(self) -> int:
        """How many pages were counted."""
        return self.counts.pages

    def ask(self, page: Page, leaf: int) -> NodesOfPage:
        """Return the nodes of a page."""
        return NodesOfPage(page, nodes_of(page))

    def remember(self, known: NodesOfPage) -> None:
        """First pass: count the nodes of a page."""
        self.counts.add(known.nodes.hashes)

    def judge(self, known: NodesOfPage) -> Separation:
        """Second pass: take for template what stands in template nodes."""
        page, nodes = known
        pages, occurrences = self.counts.of(nodes.hashes)
        lower = max(_LEAST_PAGES, self.options.lower * self.counts.pages)
        is_repeated = (pages >= lower) & (occurrences <= self.options.upper * self.counts.pages)
        templates = template_spans(page, nodes, is_repeated, gap=self.options.gap)
        return Separation(page, rest_of(page.tokens, templates))
