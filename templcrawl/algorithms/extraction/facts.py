"""Rows of a page: facts, which are kept whatever the vote says, and what a page type repeats, which goes.

A *row* is a stretch of text runs in the same row of a table, the same ``dt`` with its ``dd``, or the same
element that is not inline.

*Facts* are short values that hardly any other page has, with the labels beside them.  A vote by shares would
cut a table of facts: its labels stand on every page, and its values are short.  A row is *short* if it has at
most 20 words.  A run is *new* if at most a quarter of the sampled pages have it, and nothing around it is
named furniture.

1. A short row is a *pair* if its first run with words, the label, is followed by a value: by runs that at
   most a quarter of the pages have, or half as many as have the label.  The label is not linked; neither
   stands in furniture or a dialog.
   At least two pairs without links in one element are facts, unless they have fewer words than the links in
   that element which half of the pages have: the counters of a footer stand beside such links.  Facts are
   content whatever the vote says, and a page that has some is not empty.
2. Between the first and the last run of content, values are content, too, and so are new runs that are not
   linked.  A short row that has one is content with all its runs that are neither linked nor named
   furniture: a value is retained with its label.

Nothing outside of that range is content because it is new: what a footer counts or dates stays out.

*Page-type furniture*: the shipping text of a shop stands on each product page and on no other, so that a vote
by the whole site may keep it.  Here it goes: a row of content, each run of which stands on at least nine
tenths of some other pages of the same page type, of eight at least.  A row goes as a whole or not at all, so
that a value that few pages have keeps the label beside it.  A page of which less than a
twentieth of the words would be left, as of one that is nearly the copy of others, is returned as it was.

Source: our own; measured by ``lab/bench/separation.py`` (facts, furniture).  n runs, m elements.
Cost: O(m + n log n).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from templcrawl.page.arrays import Flags, Floats, Indices, before, stretches
from templcrawl.page.elements import Elements
from templcrawl.page.runs import TextRuns
from templcrawl.page.separation import Separation, content_spans, labelled_spans
from templcrawl.page.vocabulary import CELL, DIALOG, FLOWING, FURNITURE, LINKED, NAMED

NEW = 0.25
RARER = 0.5
COMMON_LINK = 0.5
MOST_WORDS = 20
LEAST_PAIRS = 2
CLAIMED = FURNITURE | NAMED | DIALOG  # hints that no part of a pair has


class Facts(NamedTuple):
    """What may be content in spite of the vote.

    certain  run -> whether it is a label or a value of several pairs
    new      run -> whether it is content between runs of content
    starts   short row -> its first run
    stops    short row -> the run after its last
    """

    certain: Flags
    new: Flags
    starts: Indices
    stops: Indices


def find_facts(runs: TextRuns, elements: Elements, shares: Floats) -> Facts:
    """Return the facts of a page.

    shares  run -> share of the sampled pages that have it, of as many pages as tell what is repeated
    """
    has_words, is_linked = runs.words > 0, runs.hints & LINKED > 0
    new = (shares <= NEW) & (runs.hints & NAMED == 0) & ~is_linked & has_words
    words, linked = before(runs.words), before(is_linked)
    rows = row_elements(elements)[runs.elements]
    starts, stops = stretches(rows)
    is_short = words[stops] - words[starts] <= MOST_WORDS
    starts, stops = starts[is_short], stops[is_short]
    groups: dict[int, list[tuple[int, int]]] = {}
    for start, stop in _pairs(runs, shares, starts, stops):
        new[start + 1 : stop] |= has_words[start + 1 : stop]
        if linked[start] == linked[stop]:
            groups.setdefault(max(elements.parents[rows[start]], 0), []).append((start, stop))
    certain = np.zeros(len(runs), dtype=bool)
    menus = before(runs.words * (is_linked & (shares >= COMMON_LINK)))
    for around, pairs in groups.items():
        if len(pairs) < LEAST_PAIRS:
            continue
        first, last = runs.positions.searchsorted((elements.opens[around], elements.closes[around]))
        paired = sum(int(words[stop] - words[start]) for start, stop in pairs)
        if paired >= menus[last] - menus[first]:
            for start, stop in pairs:
                certain[start:stop] = True
    return Facts(certain, new, starts, stops)


def with_facts(selected: Flags, facts: Facts, runs: TextRuns) -> Flags:
    """Return run -> whether it is content, facts included.

    selected  run -> whether the vote selects it
    """
    selected = selected | facts.certain
    at = (selected & (runs.words > 0)).nonzero()[0]
    if not len(at):
        return selected
    added = facts.new.copy()
    added[: at[0]] = added[at[-1] + 1 :] = False
    sums = before(added)
    has_new = sums[facts.stops] > sums[facts.starts]
    edges = np.zeros(len(runs) + 1, dtype=np.intp)
    edges[facts.starts[has_new]] = 1
    edges[facts.stops[has_new]] -= 1
    in_row = (edges[:-1].cumsum() > 0) & (runs.hints & (NAMED | LINKED) == 0)
    content: Flags = selected | added | in_row
    return content


def row_elements(elements: Elements) -> Indices:
    """Return element -> the element whose row it stands in.

    That is the ``tr`` of a cell, the ``dt`` of a ``dd``, and else the nearest element that is not inline.

    >>> from templcrawl.page.page import Page
    >>> row_elements(Page("<tr><th></th><td><b></b><p></p></td></tr>", "").elements).tolist()
    [0, 1, 1, 1, 1, 5]
    >>> row_elements(Page("<dl><dt></dt><dd></dd><dd></dd></dl>", "").elements).tolist()
    [0, 1, 2, 2, 2]
    """
    names, parents, rows = elements.names, elements.parents, np.arange(len(elements))
    around = np.where(elements.traits & FLOWING, elements.parent_array, rows)
    while np.count_nonzero((further := around[around]) != around):
        around = further
    terms: dict[int, int] = {}
    for element in (elements.traits & CELL).nonzero()[0].tolist():
        name, parent = names[element], parents[element]
        if name == "dt":
            terms[parent] = element
        elif name == "dd":
            rows[element] = terms.get(parent, element)
        elif names[parent] == "tr":
            rows[element] = parent
    return rows[around]


def _pairs(runs: TextRuns, shares: Floats, starts: Indices, stops: Indices) -> Iterator[tuple[int, int]]:
    """Yield (label, run after the last value) of each short row that is a pair."""
    with_words = runs.words > 0
    may_open = with_words & (runs.hints & CLAIMED == 0)
    worded, values = before(with_words), before(may_open & (shares <= max(NEW, RARER)))
    may_pair = (worded[stops] > worded[starts] + 1) & (values[stops] > values[starts])
    if not np.count_nonzero(may_pair):
        return
    has_words, is_open, share = with_words.tolist(), may_open.tolist(), shares.tolist()
    is_linked = (runs.hints & LINKED > 0).tolist()
    for start, stop in zip(starts[may_pair].tolist(), stops[may_pair].tolist()):
        label = next(run for run in range(start, stop) if has_words[run])
        if not is_open[label] or is_linked[label]:
            continue
        end = label + 1
        for run in range(end, stop):
            if not has_words[run]:
                continue
            if not is_open[run] or share[run] > max(NEW, RARER * share[label]):
                break
            end = run + 1
        if end > label + 1:
            yield label, end


REPEATED = 0.9
LEAST_OF_TYPE = 8
LEAST_LEFT = 0.05  # of the words: what is nearly the copy of other pages stays whole


def without_type_furniture(separation: Separation, shares: npt.NDArray[np.float64], pages: int) -> Separation:
    """Return a separation whose template also has what the page's type repeats.

    shares  run -> share of the other pages of its type that have it
    pages   how many pages those are
    """
    page = separation.page
    runs, is_repeated = page.text_runs, shares >= REPEATED
    if pages < LEAST_OF_TYPE or not is_repeated.any():
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
    is_content = np.zeros(len(was_content), dtype=bool)
    for start, stop in content_spans(page, ~after):
        is_content[start:stop] = was_content[start:stop]
    known = separation.run_shares
    return Separation(
        page,
        labelled_spans(page.tokens, is_content),
        exact=separation.exact,
        run_shares=None if known is None else np.where(before & ~after, np.maximum(known, shares), known),
        voters=separation.voters,
    )
