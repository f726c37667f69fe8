"""Whole things: what a reader sees as one is kept as one, whatever other pages repeat of it.

A row of which a part is kept stays whole where it is a sentence: it has a run of at least ten words outside
links, and links make up at most a fifth of its words.  A table of which a row is kept keeps all rows without
links, its heading row too.  A block of code that is kept retains the row before it, if that has at most six
words and no link: the label of an example, or of its output.

Source: our own; the share of links keeps trails ("Home > Lamps > The old lamp") out.  n runs.  Cost: O(n).
"""

from __future__ import annotations

import numpy as np

from templcrawl.algorithms.extraction.facts import CLAIMED
from templcrawl.page.arrays import Flags
from templcrawl.page.rows import CODE, Rows
from templcrawl.page.runs import TextRuns
from templcrawl.page.separation import RUNNING_WORDS
from templcrawl.page.vocabulary import LINKED

LINKED_OF_SENTENCE = 0.2
LABEL_WORDS = 6


def with_wholes(selected: Flags, is_own: Flags, runs: TextRuns, rows: Rows) -> Flags:
    """Return run -> whether it is content, what belongs to it included.

    selected  run -> whether it is content
    is_own    run -> whether it is content that does not stand on nearly every page
    """
    is_linked = runs.hints & LINKED > 0
    may_belong = runs.hints & CLAIMED == 0
    is_sentence = rows.sums(is_own & ~is_linked & (runs.words >= RUNNING_WORDS)) > 0
    is_sentence &= rows.sums(runs.words * is_linked) <= LINKED_OF_SENTENCE * rows.sums(runs.words)
    kept = with_row_wholes(rows.sums(is_own & (runs.words > 0)) > 0, runs, rows)
    content: Flags = selected | (is_sentence | (kept & ~have_links(runs, rows)))[rows.of_run] & may_belong
    return content


def with_row_wholes(kept: Flags, runs: TextRuns, rows: Rows) -> Flags:
    """Return row -> whether it is kept, the rest of a table and the label of code included.

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


def have_links(runs: TextRuns, rows: Rows) -> Flags:
    """Return row -> whether it has a link."""
    has_link: Flags = rows.sums(runs.hints & LINKED > 0) > 0
    return has_link
