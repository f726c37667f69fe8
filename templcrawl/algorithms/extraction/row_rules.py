"""Keep rows of a page whole: facts, and other rows that a reader sees as one.

fact         a short value that hardly any other page has, with the labels beside it (:func:`add_facts`)
record       two or more short rows of one table that at most half of the pages have (:func:`records`)
whole thing  what a reader sees as one, whatever other pages repeat of it: a sentence, a table, code with its
             label, a heading with what it heads (:func:`add_wholes`)

Source: our own; measured by ``lab/bench/separation.py`` (facts).  n runs.  Cost: O(n).
"""

from __future__ import annotations

import numpy as np

from templcrawl.page.arrays import Flags, Floats, Indices, before
from templcrawl.page.rows import CODE, HEADING, Rows
from templcrawl.page.runs import TextRuns
from templcrawl.page.separation import RUNNING_WORDS
from templcrawl.page.vocabulary import DIALOG, FURNITURE, LABEL_WORDS, LINKED, NAMED, SHORT_WORDS, TITLE

NEW = 0.25  # share of the sampled pages that have a new run, at most
RARER = 0.5  # share of the sampled pages that have a row of a record, at most
MIN_OF_RECORD = 2  # rows of a table that make a record
CLAIMED = FURNITURE | NAMED | DIALOG  # hints that nothing has that is kept for what stands beside it

MAX_SHARED_TITLE = 0.5  # share of the other pages that have the title of a page
LINKED_OF_SENTENCE = 0.2  # share of a sentence's words that stand in links, at most


def records(runs: TextRuns, rows: Rows, shares: Floats) -> Flags:
    """Return run -> whether it is of a record.

    A record is content whatever the vote says: two or more short rows of one table, each a label and a value
    outside links and furniture, such as the code and the weight of a part.

    shares  run -> share of the sampled pages that have it
    """
    has_words = runs.words > 0
    other = has_words & ((shares > RARER) | (runs.hints & (CLAIMED | LINKED) > 0))
    is_fact = (rows.tables >= 0) & (rows.sums(has_words) >= 2) & (rows.sums(other) == 0)
    is_fact &= rows.sums(runs.words) <= SHORT_WORDS
    facts = np.bincount(rows.tables[is_fact], minlength=int(rows.tables.max(initial=0)) + 1)
    return (is_fact & (facts[rows.tables] >= MIN_OF_RECORD))[rows.row_of_run]


def add_facts(selected: Flags, runs: TextRuns, rows: Rows, shares: Floats) -> Flags:
    """Return run -> whether it is content, facts included.

    A run is *new* if at most a quarter of the sampled pages have it, and nothing around it is named
    furniture.  Between the first and the last run of content, new runs that are not linked are content, too.
    A short row (:mod:`templcrawl.page.rows`) that has one is content with all its runs that are neither
    linked nor named furniture: a value is retained with its label. The share of a row counts for its runs
    (``lower_to_row_shares`` of :mod:`templcrawl.algorithms.extraction.shares`), so that the label of a new
    value is new.  Nothing outside of that range is content because it is new: what a footer counts or dates
    stays out.

    selected  run -> whether the vote selects it
    shares    run -> share of the sampled pages that have it
    """
    at = (selected & (runs.words > 0)).nonzero()[0]
    if not len(at):
        return selected
    may_be_fact = runs.hints & (NAMED | LINKED) == 0
    added = (shares <= NEW) & may_be_fact & (runs.words > 0)
    added[: at[0]] = added[at[-1] + 1 :] = False
    has_facts = (rows.sums(runs.words) <= SHORT_WORDS) & (rows.sums(added) > 0)
    return selected | added | (has_facts[rows.row_of_run] & may_be_fact)


def add_wholes(selected: Flags, is_own: Flags, runs: TextRuns, rows: Rows) -> Flags:
    """Return run -> whether it is content, what belongs to it included.

    A row of which a part is kept stays whole where it is a sentence: it has a run of at least ten words
    outside links, and links make up at most a fifth of its words, which keeps trails ("Home > Lamps > The old
    lamp") out.  A heading stays where anything that it heads stays, and a label where its value stays: a row
    without links, if a row of its scope is kept (:mod:`templcrawl.page.rows`).  What heads all that is kept
    is the name of the site.

    selected  run -> whether it is content
    is_own    run -> whether it is content that does not stand on nearly every page
    """
    is_linked = runs.hints & LINKED > 0
    is_sentence = rows.sums(is_own & ~is_linked & (runs.words >= RUNNING_WORDS)) > 0
    is_sentence &= rows.sums(runs.words * is_linked) <= LINKED_OF_SENTENCE * rows.sums(runs.words)
    kept = add_row_wholes(rows.sums(is_own & (runs.words > 0)) > 0, runs, rows)
    inside = kept_in_scope(kept, rows)
    is_label = (inside > 0) & (inside < np.count_nonzero(kept))
    is_whole = is_sentence | ((kept | is_label) & ~have_links(runs, rows))
    return selected | is_whole[rows.row_of_run] & (runs.hints & CLAIMED == 0)


def add_row_wholes(kept: Flags, runs: TextRuns, rows: Rows) -> Flags:
    """Return row -> whether it is kept, the rest of a table and the label of code included.

    A table of which a row is kept keeps all rows without links, its heading row too.  A block of code that is
    kept retains the row before it, if that has at most six words and no link: the label of an example, or of
    its output.

    kept  row -> whether it is for its own sake
    """
    kept = kept.copy()
    in_table = rows.tables >= 0
    is_kept = np.zeros(int(rows.tables.max(initial=0)) + 1, dtype=bool)  # table -> whether it has such a row
    is_kept[rows.tables[in_table & kept]] = True
    kept |= in_table & is_kept[rows.tables]
    is_label = (rows.sums(runs.words) <= LABEL_WORDS) & ~have_links(runs, rows)
    kept[:-1] |= is_label[:-1] & ((rows.kinds == CODE) & kept)[1:]
    return kept


def kept_in_scope(kept: Flags, rows: Rows) -> Indices:
    """Return row -> how many rows of its scope are kept, 0 where it has none."""
    count = before(kept)
    inside: Indices = count[rows.scope_stops] - count[np.minimum(rows.scope_starts, rows.scope_stops)]
    return inside


def own_headings(runs: TextRuns, rows: Rows, shares: Floats) -> Flags:
    """Return run -> whether it is of a heading that no sampled page has.

    Such a heading is content, unless it is linked or of furniture: it says what only this page is about.
    """
    is_own = (shares == 0) & (runs.words > 0) & (runs.hints & (CLAIMED | LINKED) == 0)
    return ((rows.kinds == HEADING) & (rows.sums(is_own) > 0))[rows.row_of_run]


def own_titles(runs: TextRuns, shares: Floats) -> Flags:
    """Return run -> whether it names the page, and no more than some of its site."""
    is_own: Flags = (runs.hints & (TITLE | LINKED) == TITLE) & (shares < MAX_SHARED_TITLE)
    return is_own


def torn_signs(selected: Flags, runs: TextRuns, rows: Rows) -> Flags:
    """Return run -> whether it is a sign of a row with links whose words beside it are not content.

    In a row with links, a sign without words goes with the words before it and with those after it: what is
    left of a trail ("Home > Lamps > The old lamp") is no "> >".

    selected  run -> whether it is content
    """
    at, has_words = np.arange(len(runs)), runs.words > 0
    last = np.maximum.accumulate(np.where(has_words, at, -1))
    following = np.minimum.accumulate(np.where(has_words, at, len(runs))[::-1])[::-1]
    is_gone = np.append(~selected, False)
    is_torn = is_gone[last] & (last >= rows.starts[rows.row_of_run])
    is_torn |= is_gone[following] & (following < rows.starts[rows.row_of_run + 1])
    torn: Flags = is_torn & ~has_words & have_links(runs, rows)[rows.row_of_run]
    return torn


def have_links(runs: TextRuns, rows: Rows) -> Flags:
    """Return row -> whether it has a link."""
    return rows.sums(runs.hints & LINKED > 0) > 0
