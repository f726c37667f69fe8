"""Page-type furniture: what the pages of a type repeat, removed from the content of a page.

The shipping text of a shop stands on each product page and on no other, so that a vote by the whole site may
keep it.  Here it goes: a row of content that at least nine tenths of some other pages of the same page type
have, of three at least.  A row goes as a whole or not at all, so that a value that few pages have keeps the
label beside it, and so do a table and a label of code (:mod:`templcrawl.algorithms.extraction.row_rules`).  A
heading goes only if all goes that it heads, a label only with its value.  The title of a page goes only if
another stays.
Where fewer than eight other pages are known, a long row goes only if half of the site has it, too: such pages
may be lists of the same texts.
A page of which less than a twentieth of the words would be left, as of one that is nearly the copy of others,
is returned as it was.

Source: our own; measured by ``lab/bench/separation.py`` (furniture).  n runs.  Cost: O(n log n).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from templcrawl.algorithms.extraction.row_rules import (
    MAX_SHARED_TITLE,
    add_row_wholes,
    kept_in_scope,
    own_titles,
)
from templcrawl.algorithms.extraction.shares import COMMON, MIN_PAGES
from templcrawl.algorithms.extraction.vote import read_spans
from templcrawl.page.arrays import Bytes, Flags, Floats, Indices, Keys, distinct, look_up
from templcrawl.page.kernel_columns import Task
from templcrawl.page.kernel_tables import sections
from templcrawl.page.page import Page, native
from templcrawl.page.runs import OUT_OF_SIGHT
from templcrawl.page.separation import (
    MEASURED,
    Measures,
    Separation,
    Spans,
    content_tokens,
    labelled_spans,
    read_measures,
)
from templcrawl.page.vocabulary import LABEL_WORDS, SHORT_WORDS

REPEATED = 0.9  # share of the type's other pages that have what goes
MIN_OF_TYPE = 3  # other pages of the type, for anything to go
MANY_OF_TYPE = 8  # pages that tell alone of long rows, too
MIN_LEFT = 0.05  # of the words: what is nearly the copy of other pages stays whole

_NUMBERS = REPEATED, MANY_OF_TYPE, MIN_LEFT, MIN_PAGES, COMMON, MAX_SHARED_TITLE, SHORT_WORDS, LABEL_WORDS
RULES = np.array(_NUMBERS).tobytes()  # as the kernel takes them


def shares_of(page: Page, voters: Sequence[Keys]) -> Floats:
    """Return run, then row of a page -> share of some other pages that have it; 0 without pages.

    voters  the distinct keys of the runs and rows of each, ascending; who has a run in sight has it where the
            page hides it, too
    """
    runs = page.text_runs
    keys = np.concatenate((runs.keys, page.rows.keys))
    if not voters:
        return np.zeros(len(keys))
    if len(runs.hidden_in_sight):
        voters = [_add_hidden(voter, runs.hidden_in_sight) for voter in voters]
    ordered = np.sort(np.concatenate(voters))
    counts = ordered.searchsorted(keys, "right") - ordered.searchsorted(keys)
    return counts / len(voters)


def _add_hidden(keys: Keys, in_sight: Keys) -> Keys:
    """Return the keys of a page, with the keys that its runs in sight have when they are hidden."""
    has = look_up(in_sight, keys)[1]
    return distinct(np.concatenate((keys, in_sight[has] ^ np.uint64(OUT_OF_SIGHT)))) if has.any() else keys


class Left(NamedTuple):
    """What is left of a separation: its spans, the shares of its runs, and measures where they are known."""

    spans: Spans
    shares: Floats
    measures: Measures | None = None


def remove_type_furniture(separation: Separation, votes: Sequence[Keys] | Floats, pages: int) -> Separation:
    """Return a separation whose template includes what the pages of this type repeat.

    votes  the keys of other pages of its type (``shares_of``); or run, then row -> share of them that have it
    pages  how many pages those are
    """
    if pages < MIN_OF_TYPE:
        return separation
    page, known = separation.page, separation.run_shares
    site_shares = np.zeros(len(page.text_runs)) if known is None else known
    left = left_of(page, separation.content_mask, site_shares, separation.voters, votes, pages)
    return reduced(separation, left)


def reduced(separation: Separation, left: Left | None) -> Separation:
    """Return what is left of a separation; None: all of it."""
    if left is None:
        return separation
    spans, joint_shares, measures = left
    return Separation(
        separation.page,
        spans,
        exact=separation.exact,
        run_shares=joint_shares,
        voters=separation.voters,
        measures=measures,
    )


def _written(
    page: Page, mask: bytes, site_shares: Floats, voters: int, votes: Sequence[Keys] | Floats, pages: int
) -> tuple[bytes, bytes]:
    counts = np.array([pages, voters], dtype=np.float64)
    given = RULES, counts.tobytes(), MEASURED, site_shares.tobytes()
    if isinstance(votes, np.ndarray):
        return sections(*given, votes.tobytes()), mask
    return sections(*given, b"", *(keys.tobytes() for keys in votes)), mask


def read_left(figures: Keys, edges: Indices, mask: Bytes, joint_shares: Floats) -> Left | None:
    """Return what is left from the kernel's output; None if nothing was removed."""
    if not len(figures):
        return None
    return Left(read_spans(edges), joint_shares, read_measures(mask, figures.tolist()))


@native(Task.FURNITURE, columns=("figures", "edges", "mask", "shares"), ask=_written, answer=read_left)
def left_of(
    page: Page, mask: bytes, site_shares: Floats, voters: int, votes: Sequence[Keys] | Floats, pages: int
) -> Left | None:
    """Return the reduced content of a page; None if nothing was removed.

    mask         token -> whether it is content
    site_shares  run -> share of the ``voters`` of the site that have it
    """
    runs, rows = page.text_runs, page.rows
    shares = votes if isinstance(votes, np.ndarray) else shares_of(page, votes)
    is_repeated, has_words = shares[len(runs) :] >= REPEATED, runs.words > 0
    if pages < MANY_OF_TYPE:
        is_common = rows.sums(has_words & (site_shares < COMMON)) == 0
        is_repeated &= (rows.sums(runs.words) <= SHORT_WORDS) | (is_common & (voters >= MIN_PAGES))
    if not is_repeated.any():
        return None
    was_content = np.frombuffer(mask, dtype=bool)
    selected: Flags = was_content[runs.positions]
    own = rows.sums(selected & ~is_repeated[rows.row_of_run] & has_words)
    kept = add_row_wholes(own > 0, runs, rows)
    kept |= kept_in_scope(kept, rows) > 0
    left = selected & kept[rows.row_of_run]
    words = runs.words[left].sum()
    if words == 0 or words < MIN_LEFT * runs.words[selected].sum():
        return None
    is_title = selected & own_titles(runs, site_shares)
    if not (left & is_title).any():
        left |= is_title
    if left.sum() == selected.sum():
        return None
    is_content = was_content & content_tokens(page, ~left)
    joint_shares = np.where(selected & ~left, np.maximum(site_shares, shares[: len(runs)]), site_shares)
    return Left(labelled_spans(page.tokens, is_content), joint_shares)
