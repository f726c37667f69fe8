"""Which columns a person wants: a score for each, copies of others last.

The weights were fitted on hand labels of the columns of page types: what has a label, or is
declared, is wanted; what merely differs at a place is less so, and what is constant, an address, a part of
running text or in furniture least.

Source: our own.  n values of c candidates.  Cost: O(n c) for copies, at most ``_MAX_COPIES`` compared.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from templcrawl.algorithms.columns.candidates import HREF, Candidate
from templcrawl.algorithms.columns.names import said_of
from templcrawl.algorithms.columns.places import TEXT_OF
from templcrawl.algorithms.columns.value_kinds import ADDRESS, DATE, MONEY, NUMBER, PICTURE, TEXT

MIN_SCORE = -1.0  # of a column that is shown by default
_MAX_COPIES = 60
_FURNITURE = re.compile(
    r"\b(?:nav|breadcrumbs?|menu|footer|sidebar|share|comment-?form|related|cart|cookie)", re.IGNORECASE
).search
_TITLES = re.compile(r"title|name|headline|h\d", re.IGNORECASE).search
_NO_NAMES = re.compile(r"(?:text|number|link|h\d)(?:_\d+)?(?:_url)?").fullmatch
_FRAGMENT = re.compile(r"[a-z,.;:)]").match


def score_of(one: Candidate, name: str, pages: int) -> float:
    """Return how much a person wants a column: from about -5 to 5.

    name   of the column
    pages  in the sample
    """
    values = [" ".join(texts) for texts in one.texts.values()]
    number, counts = len(values), Counter(values)
    words = [len(value.split()) for value in values]
    is_text = bool(one.slots) and one.slots[0].number == TEXT_OF
    fragments = sum(
        1 for value, count in zip(values, words) if count > 3 and _FRAGMENT(value) and not is_text
    )
    score = (
        -1.0 + 2 * number / pages + 0.8 * len(counts) / number - 1.5 * counts.most_common(1)[0][1] / number
    )
    score += 1.5 * one.is_fact + 2 * bool(one.declared) + 1.5 * is_text
    score += (
        0.5 * (one.kind in (MONEY, DATE, NUMBER)) - 0.6 * (one.kind == PICTURE) - 1.0 * (one.kind == ADDRESS)
    )
    score -= 0.5 * one.many + 2 * fragments / number + 1.5 * bool(_FURNITURE(one.place))
    score -= bool(_NO_NAMES(name)) and not one.is_fact and not is_text
    score -= one.attribute == HREF and not _TITLES(name)
    score -= 1.5 * (one.is_fact and number < 0.05 * pages)
    score -= 1.5 * (len(counts) < 0.1 * number and sum(words) > 5 * number)
    score -= 3 * (len(counts) == 1 and one.declared != "priceCurrency")
    is_address = one.kind in (PICTURE, ADDRESS)
    return score - 3 * (is_address and len(set(one.flat)) < 0.5 * number)


def copies(candidates: Sequence[Candidate]) -> dict[int, float]:
    """Return number of a candidate -> what its score loses as a copy of another, or as a part of one."""
    order = sorted(
        range(len(candidates)),
        key=lambda at: (
            -candidates[at].is_fact,
            -bool(candidates[at].declared),
            said_of(candidates[at].place, candidates[at].kind) == "",
            -len(candidates[at].texts),
            len(candidates[at].place),
        ),
    )
    kept: list[Candidate] = []
    lost: dict[int, float] = {}
    for at in order:
        one = candidates[at]
        others = kept[:_MAX_COPIES]
        if any(_is_copy(one, other) for other in others):
            lost[at] = 10.0
        elif (
            not one.is_fact
            and one.kind == TEXT
            and not one.declared
            and any(_is_part(one, other) for other in others)
        ):
            lost[at] = 4.0
        else:
            kept.append(one)
    return lost


def _is_copy(one: Candidate, other: Candidate) -> bool:
    if one.is_fact and other.is_fact and one.slots != other.slots:
        return False  # two facts may well have the same values
    both = one.texts.keys() & other.texts.keys()
    if len(both) < 0.7 * len(one.texts):
        return False
    return sum(_joined(one, page) == _joined(other, page) for page in both) >= 0.9 * len(both)


def _is_part(one: Candidate, other: Candidate) -> bool:
    """Return whether a candidate is a part of another, or that with words around it."""
    both = one.texts.keys() & other.texts.keys()
    if other.kind != TEXT or other.attribute or len(one.texts) > 1.1 * len(both):
        return False
    pairs = [(_joined(one, page), _joined(other, page)) for page in both]
    alike = sum(
        (ours in others and len(ours) > max(3, 0.4 * len(others)))
        or (others in ours and len(others) > 0.4 * len(ours))
        for ours, others in pairs
    )
    return alike >= 0.85 * len(one.texts)


def _joined(one: Candidate, page: int) -> str:
    return " ".join(one.texts[page]).casefold()
