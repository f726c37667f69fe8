"""Rows of a page that are kept, or go, as a whole: facts, whole things, and what the pages of a type repeat.

*Facts* are short values that hardly any other page has, with the labels beside them.  A run is *new* if at
most a quarter of the sampled pages have it, and nothing around it is named furniture.  Between the first and
the last run of content, new runs that are not linked are content, too.  A short row
(:mod:`templcrawl.page.rows`) that has one is content with all its runs that are neither linked nor named
furniture: a value is retained with its label. The share of a row counts for its runs
(:func:`templcrawl.algorithms.extraction.shares.with_row_shares`), so that the label of a new value is new.
Nothing outside of that range is content because it is new: what a footer counts or dates stays out.

A *record* is two or more short rows of one table that at most half of the pages have, each a label and a
value outside links and furniture: the code and the weight of a part.  It is content whatever the vote says.

*Whole things* are what a reader sees as one, whatever other pages repeat of it.  A row of which a part is
kept stays whole where it is a sentence: it has a run of at least ten words outside links, and links make up
at most a fifth of its words, which keeps trails ("Home > Lamps > The old lamp") out.  A table of which a row
is kept keeps all rows without links, its heading row too.  A block of code that is kept retains the row
before it, if that has at most six words and no link: the label of an example, or of its output.

*Page-type furniture* stands on each page of a type and on no other, as the shipping text of a shop, so that a
vote by the whole site may keep it.  It goes by rows: a row of content that at least nine tenths of some other
pages of the same page type have, of three at least.  So a value that few pages have keeps the label beside
it.  A heading goes only if the row of content after it does, or is a link: "Related lamps" goes.  Where fewer
than eight other pages are known, only short rows go: such pages may be lists of the same texts.  A page of
which less than a twentieth of the words would be left, as of one that is nearly the copy of others, is
returned as it was.

Source: our own; measured by ``lab/bench/separation.py`` (facts, furniture).  n runs.  Cost: O(n log n).
"""

from __future__ import annotations

import numpy as np

from templcrawl.page.arrays import Flags, Floats
from templcrawl.page.rows import CODE, HEADING, MOST_WORDS, Rows
from templcrawl.page.runs import TextRuns
from templcrawl.page.separation import RUNNING_WORDS, Separation, content_tokens, labelled_spans
from templcrawl.page.vocabulary import DIALOG, FURNITURE, LINKED, NAMED

NEW = 0.25
RARER = 0.5
LEAST_OF_RECORD = 2
CLAIMED = FURNITURE | NAMED | DIALOG  # hints that nothing has that is kept for what stands beside it

LINKED_OF_SENTENCE = 0.2
LABEL_WORDS = 6

REPEATED = 0.9
LEAST_OF_TYPE = 3
MANY_OF_TYPE = 8  # pages that tell of long rows, too
LEAST_LEFT = 0.05  # of the words: what is nearly the copy of other pages stays whole


def records(runs: TextRuns, rows: Rows, shares: Floats) -> Flags:
    """Return run -> whether it is of a record.

    shares  run -> share of the sampled pages that have it
    """
    has_words = runs.words > 0
    other = has_words & ((shares > RARER) | (runs.hints & (CLAIMED | LINKED) > 0))
    is_fact = (rows.tables >= 0) & (rows.sums(has_words) >= 2) & (rows.sums(other) == 0)
    is_fact &= rows.sums(runs.words) <= MOST_WORDS
    facts = np.bincount(rows.tables[is_fact], minlength=int(rows.tables.max(initial=0)) + 1)
    return (is_fact & (facts[rows.tables] >= LEAST_OF_RECORD))[rows.of_run]


def with_facts(selected: Flags, runs: TextRuns, rows: Rows, shares: Floats) -> Flags:
    """Return run -> whether it is content, facts included.

    selected  run -> whether the vote selects it
    shares    run -> share of the sampled pages that have it
    """
    at = (selected & (runs.words > 0)).nonzero()[0]
    if not len(at):
        return selected
    may_be_fact = runs.hints & (NAMED | LINKED) == 0
    added = (shares <= NEW) & may_be_fact & (runs.words > 0)
    added[: at[0]] = added[at[-1] + 1 :] = False
    has_facts = (rows.sums(runs.words) <= MOST_WORDS) & (rows.sums(added) > 0)
    return selected | added | (has_facts[rows.of_run] & may_be_fact)


def with_wholes(selected: Flags, is_own: Flags, runs: TextRuns, rows: Rows) -> Flags:
    """Return run -> whether it is content, what belongs to it included.

    selected  run -> whether it is content
    is_own    run -> whether it is content that does not stand on nearly every page
    """
    is_linked = runs.hints & LINKED > 0
    is_sentence = rows.sums(is_own & ~is_linked & (runs.words >= RUNNING_WORDS)) > 0
    is_sentence &= rows.sums(runs.words * is_linked) <= LINKED_OF_SENTENCE * rows.sums(runs.words)
    kept = _with_row_wholes(rows.sums(is_own & (runs.words > 0)) > 0, runs, rows)
    is_whole = is_sentence | (kept & ~_have_links(runs, rows))
    return selected | is_whole[rows.of_run] & (runs.hints & CLAIMED == 0)


def _with_row_wholes(kept: Flags, runs: TextRuns, rows: Rows) -> Flags:
    """Return row -> whether it is kept, the rest of a table and the label of code included.

    kept  row -> whether it is for its own sake
    """
    kept = kept.copy()
    in_table = rows.tables >= 0
    is_kept = np.zeros(int(rows.tables.max(initial=0)) + 1, dtype=bool)  # table -> whether it has such a row
    is_kept[rows.tables[in_table & kept]] = True
    kept |= in_table & is_kept[rows.tables]
    is_label = (rows.sums(runs.words) <= LABEL_WORDS) & ~_have_links(runs, rows)
    kept[:-1] |= is_label[:-1] & ((rows.kinds == CODE) & kept)[1:]
    return kept


def _have_links(runs: TextRuns, rows: Rows) -> Flags:
    return rows.sums(runs.hints & LINKED > 0) > 0


def without_type_furniture(separation: Separation, shares: Floats, pages: int) -> Separation:
    """Return a separation whose template also has what the page's type repeats.

    shares  run, then row -> share of the other pages of its type that have it
    pages   how many pages those are
    """
    page = separation.page
    runs, rows = page.text_runs, page.rows
    is_repeated = shares[len(runs) :] >= REPEATED
    if pages < MANY_OF_TYPE:
        is_repeated &= rows.sums(runs.words) <= MOST_WORDS
    if pages < LEAST_OF_TYPE or not is_repeated.any():
        return separation
    was_content = np.frombuffer(separation.content_mask, dtype=bool)
    selected = was_content[runs.positions]
    own = rows.sums(selected & ~is_repeated[rows.of_run] & (runs.words > 0))
    kept = _with_row_wholes(own > 0, runs, rows)
    seen = (rows.sums(selected) > 0).nonzero()[0]
    heads = kept & ~_have_links(runs, rows)
    is_heading = rows.kinds[seen[:-1]] == HEADING
    for heading in is_heading.nonzero()[0][::-1].tolist():  # an h3 before the h2 above it
        if heads[seen[heading + 1]]:
            kept[seen[heading]] = heads[seen[heading]] = True
    left = selected & kept[rows.of_run]
    words = runs.words[left].sum()
    if left.sum() == selected.sum() or words == 0 or words < LEAST_LEFT * runs.words[selected].sum():
        return separation
    known = separation.run_shares
    if known is not None:
        known = np.where(selected & ~left, np.maximum(known, shares[: len(runs)]), known)
    is_content = was_content & content_tokens(page, ~left)
    spans = labelled_spans(page.tokens, is_content)
    return Separation(page, spans, exact=separation.exact, run_shares=known, voters=separation.voters)
