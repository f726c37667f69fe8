"""The vote: template and content of a page by two-label min-sum on its element tree, from run scores.

A run's score is positive for content (:mod:`templcrawl.algorithms.extraction.run_scores`); its *share* is the
share of earlier pages of the site that have the same run.  Two walks over the tree give each element a label
(:func:`tree_labels`).  A run on nearly every page (a share of 0.95 or more, of at least 4 pages) is *known*
to be template, whatever its element.  A page is never emptied by resembling its siblings: where too little
would be content, it is judged again (:func:`_vote`).  The title of a page is content wherever it stands.  So
are facts, and what a reader sees as one is kept as one (:mod:`templcrawl.algorithms.extraction.row_rules`).

Source: our own; prices and trials chosen by trial on 27 sites, see ``lab/bench/separation.py``.  n runs, m
elements. Cost: O(n + m).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial

import numpy as np

from templcrawl.algorithms.extraction.row_rules import (
    CLAIMED,
    LINKED_OF_SENTENCE,
    MAX_SHARED_TITLE,
    MIN_OF_RECORD,
    NEW,
    RARER,
    add_facts,
    add_wholes,
    own_headings,
    own_titles,
    records,
    torn_signs,
)
from templcrawl.algorithms.extraction.run_scores import WEIGHTS, Weights, numbers_of, run_scores
from templcrawl.algorithms.extraction.shares import MIN_PAGES
from templcrawl.page.arrays import Flags, Floats, Indices, before, edges_of
from templcrawl.page.kernel_columns import Task
from templcrawl.page.kernel_tables import sections
from templcrawl.page.page import Page, native
from templcrawl.page.runs import TextRuns, runs_inside
from templcrawl.page.separation import RUNNING_WORDS, Spans, labelled_spans
from templcrawl.page.vocabulary import ALL_HINTS, DIALOG, FURNITURE, LABEL_WORDS, LINKED, SHORT_WORDS

# The price of a label that is not the parent's rises with depth: a large part of the page gets a label of its
# own more easily than a phrase in a paragraph.
_BODY_PRICE = 1.0  # of the body
_LEVEL_PRICE = 2.0  # of each level below it
_HIGHEST_PRICE = 10.0  # of any element
# Levels below the body -> the price of an element there.
_PRICES = np.minimum(_BODY_PRICE + _LEVEL_PRICE * np.arange(256), _HIGHEST_PRICE)

# Where fewer than 20 words would be content (less than a fifth of the page, and no record), or less than six
# tenths of what the next trial selects, a page is judged again: first with three quarters of each share that
# is less than 0.95, then by the page alone (r = 0), last by the page alone without links and names: a page
# that is nothing but links is more than its title. In these trials whatever is known to be template is
# neither counted nor selected, unless a page has next to nothing else. A page's *own* words stand outside
# links on at most a quarter of the pages. A page that keeps 50 of them and nine tenths is not judged again
# with smaller shares, which would bring back what other pages repeat.
_FEW_WORDS = 20  # of content: with fewer a page is judged again
_FEW_OF_PAGE = 0.2  # of its words: a page that keeps so many is not
_FEW_OF_TRIAL = 0.6  # of what the next trial selects
_CERTAIN = 0.95  # least share of a run that is known to be template
_DOUBTED = 0.75  # of each smaller share, in the second trial
_OWN_WORDS = 50  # that keep a page from the second trial
_OWN_KEPT = 0.9  # of its own words, which it keeps with them

_CLAIMS = (ALL_HINTS - 1, FURNITURE | DIALOG)  # the hints that count in the last two trials
# The numbers of a vote but those of the scores.
_RULES = [
    *(_BODY_PRICE, _LEVEL_PRICE, _HIGHEST_PRICE),
    *(_FEW_WORDS, _FEW_OF_PAGE, _FEW_OF_TRIAL, MAX_SHARED_TITLE),
    *(_CERTAIN, _DOUBTED, _OWN_WORDS, _OWN_KEPT, MIN_PAGES),
    *(NEW, RARER, MIN_OF_RECORD, SHORT_WORDS, RUNNING_WORDS, LINKED_OF_SENTENCE, LABEL_WORDS, CLAIMED),
    *_CLAIMS,
]


@lru_cache(maxsize=4)
def _numbers(weights: Weights) -> bytes:
    return np.array([*numbers_of(weights), *_RULES]).tobytes()


def encode_vote(given: bytes = b"", weights: Weights = WEIGHTS) -> bytes:
    """Return the arguments of the kernel for a vote: the numbers, and the given shares."""
    return sections(_numbers(weights), given)


def read_spans(edges: Indices) -> Spans:
    """Return the spans whose edges the kernel has written."""
    return tuple(zip(edges[::2].tolist(), edges[1::2].tolist()))


@native(
    Task.VERDICT,
    columns=("edges",),
    ask=lambda page, shares, pages, weights=WEIGHTS: (
        encode_vote(np.float64(pages).tobytes() + shares.tobytes(), weights),
    ),
    answer=read_spans,
)
def vote_spans(page: Page, shares: Floats, pages: int, weights: Weights = WEIGHTS) -> Spans:
    """Return the spans of a page's tokens that are content.

    shares   run -> share of the ``pages`` sampled pages that have it
    """
    elements, runs, rows = page.elements, page.text_runs, page.rows
    enough_pages = pages >= MIN_PAGES
    in_record = records(runs, rows, shares) if enough_pages else None
    labels, removed = content_labels(runs, elements.parents, shares, pages, in_record, weights)
    selected = labels[runs.elements] & ~removed
    if in_record is not None:
        selected |= in_record
        selected = add_facts(selected, runs, rows, shares) | own_headings(runs, rows, shares)
        selected = add_wholes(selected, selected & (shares < _CERTAIN), runs, rows)
        signs = torn_signs(selected, runs, rows)
        selected, removed = selected & ~signs, removed | signs
    if np.count_nonzero(removed):  # an element that has text runs goes if all of them go
        starts, stops = runs_inside(elements, runs.positions)
        gone = before(removed & ~selected)
        labels &= (stops == starts) | (gone[stops] - gone[starts] < stops - starts)
    is_content = labels[elements.owner_array]
    is_content[runs.positions] = selected
    return labelled_spans(page.tokens, is_content)


def content_labels(
    runs: TextRuns,
    parents: Sequence[int],
    shares: Floats,
    pages: int,
    in_record: Flags | None = None,
    weights: Weights = WEIGHTS,
) -> tuple[Flags, Flags]:
    """Return (element -> whether it is content, run -> whether it is template in spite of its element).

    A run that names the page (see ``page.text_runs``), is not linked and that fewer than half of the other
    pages have is content wherever it stands.

    parents    element -> its parent, -1 for the first
    shares     run -> share of earlier pages that have it; if there are no ``pages``, all are 0
    in_record  run -> whether it is content whatever its element; None: no run is
    """
    if in_record is None:
        in_record = np.zeros(len(runs), dtype=bool)
    labels, removed = _vote(runs, parents, shares, pages, in_record, weights)
    if pages:
        is_title = own_titles(runs, shares)
        labels[runs.elements[is_title]] = True
        removed &= ~is_title
    return labels, removed


def _vote(
    runs: TextRuns, parents: Sequence[int], shares: Floats, pages: int, in_record: Flags, weights: Weights
) -> tuple[Flags, Flags]:
    """Vote, and vote again if too little is content (see ``_FEW_WORDS``)."""
    words = int(runs.words.sum())
    is_own = (shares <= NEW) & (runs.hints & LINKED == 0)
    own = int(runs.words[is_own].sum())
    few = 0 if np.count_nonzero(in_record) else min(_FEW_WORDS, _FEW_OF_PAGE * words)
    enough_pages = pages >= MIN_PAGES
    scored = partial(run_scores, runs, enough_pages=enough_pages, weights=weights)
    is_certain = (shares >= _CERTAIN) & ~in_record if enough_pages else np.zeros(len(shares), dtype=bool)
    most = int(runs.words[~is_certain].sum())
    if most < few:
        is_certain[:] = False
        most = words
    scores = scored(shares)
    labels, content_words = _trial(runs, parents, scores, ~is_certain, in_record)
    removed = _stretches(is_certain & labels[runs.elements], scores)
    if content_words >= max(few, _FEW_OF_TRIAL * most):
        return labels, removed
    keeps_own = int(runs.words[is_own & labels[runs.elements]].sum()) >= max(_OWN_WORDS, _OWN_KEPT * own)
    if enough_pages and not keeps_own:
        doubted = np.where(shares >= _CERTAIN, shares, _DOUBTED * shares)
        second, more = _trial(runs, parents, scored(doubted), ~is_certain, in_record)
        if content_words < max(few, _FEW_OF_TRIAL * more):
            labels, content_words, removed = second, more, is_certain
    for claims in _CLAIMS:
        if content_words < few:
            scores = scored(np.zeros_like(shares), claims=claims)
            labels, content_words = _trial(runs, parents, scores, ~is_certain, in_record)
            removed = is_certain
    return labels, removed


def tree_labels(parents: Sequence[int], scores: Sequence[float], prices: Sequence[float]) -> list[bool]:
    """Return element -> its label by the vote: True for content.

    1. Up: an element's score is that of its own runs plus that of its children, each child's clipped to its
       price: no part of a page outvotes the rest by its size alone.
    2. Down: the page as a whole is content if its score is positive.  A child has its parent's label unless
       its own score beats its price the other way.

    That is the exact minimum of "scores contradicted, plus its price for each child whose label is not its
    parent's".

    parents  element -> its parent, smaller than itself; -1 for the first
    scores   element -> the sum of its own runs
    prices   element -> what it costs to have another label than its parent

    >>> tree_labels([-1, 0, 0], [-1.0, 25.0, -12.0], [0.0, 10.0, 10.0])
    [False, True, False]
    >>> tree_labels([-1, 0, 0, 0], [10.0, 25.0, -12.0, -9.0], [0.0, 10.0, 10.0, 10.0])
    [True, True, False, True]
    """
    total = list(scores)
    for element in range(len(total) - 1, 0, -1):
        score = total[element]
        if score:
            price = prices[element]
            total[parents[element]] += price if score > price else -price if score < -price else score
    labels = [total[0] > 0.0]
    for parent, score, price in zip(parents[1:], total[1:], prices[1:]):
        labels.append(score >= -price if labels[parent] else score > price)
    return labels


def _trial(
    runs: TextRuns, parents: Sequence[int], scores: Floats, counted: Flags, in_record: Flags
) -> tuple[Flags, int]:
    """Vote once: (element -> whether it is content, number of content words in counted runs)."""
    sums = np.bincount(runs.elements, scores, minlength=len(parents))
    prices = _PRICES[runs.depths].tolist()
    labels = np.frombuffer(bytearray(tree_labels(parents, sums.tolist(), prices)), bool)
    return labels, int(runs.words[(labels[runs.elements] | in_record) & counted].sum())


def _stretches(is_certain: Flags, scores: Floats) -> Flags:
    """Return run -> whether it is in a stretch of runs that are known to be template and outweigh a price.

    A stretch has no other runs in it.  It is removed if its runs together outweigh the highest price, also
    where each alone would stay with its neighbours: the rows of a table that are a list of links.
    """
    removed = np.zeros(len(is_certain), dtype=bool)
    edges = edges_of(is_certain)
    score = np.concatenate(([0.0], scores)).cumsum()[edges]
    outweighs = score[1::2] - score[::2] < -_HIGHEST_PRICE
    for start, stop in zip(edges[::2][outweighs].tolist(), edges[1::2][outweighs].tolist()):
        removed[start:stop] = True
    return removed
