"""Facts: short values that hardly any other page has, with the labels beside them.

A run is *new* if at most a quarter of the sampled pages have it, and nothing around it is named furniture.
Between the first and the last run of content, new runs that are not linked are content, too.  A short row
(:mod:`templcrawl.page.rows`) that has one is content with all its runs that are neither linked nor named
furniture: a value is retained with its label.  The share of a row counts for its runs
(:func:`templcrawl.algorithms.extraction.shares.with_row_shares`), so that the label of a new value is new.

A *record* is two or more short rows of one table that at most half of the pages have, each a label and a
value outside links and furniture: the code and the weight of a part.  It is content whatever the vote says.

Nothing outside of that range is content because it is new: what a footer counts or dates stays out.

Source: our own; measured by ``lab/bench/separation.py`` (facts).  n runs.  Cost: O(n).
"""

from __future__ import annotations

import numpy as np

from templcrawl.page.arrays import Flags, Floats
from templcrawl.page.rows import MOST_WORDS, Rows
from templcrawl.page.runs import TextRuns
from templcrawl.page.vocabulary import DIALOG, FURNITURE, LINKED, NAMED

NEW = 0.25
RARER = 0.5
LEAST_OF_RECORD = 2
CLAIMED = FURNITURE | NAMED | DIALOG  # hints that nothing has that is kept for what stands beside it


def records(runs: TextRuns, rows: Rows, shares: Floats) -> Flags:
    """Return run -> whether it is of a record.

    shares  run -> share of the sampled pages that have it
    """
    has_words = runs.words > 0
    other = has_words & ((shares > RARER) | (runs.hints & (CLAIMED | LINKED) > 0))
    is_fact = (rows.tables >= 0) & (rows.sums(has_words) >= 2) & (rows.sums(other) == 0)
    is_fact &= rows.sums(runs.words) <= MOST_WORDS
    facts = np.bincount(rows.tables[is_fact], minlength=int(rows.tables.max(initial=0)) + 1)
    of_record: Flags = (is_fact & (facts[rows.tables] >= LEAST_OF_RECORD))[rows.of_run]
    return of_record


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
    content: Flags = selected | added | (has_facts[rows.of_run] & may_be_fact)
    return content
