"""Which columns a person wants: a score for each, copies of others last.

The score is the log odds of a logistic regression, fitted on columns of saved sites that were labelled by
hand as wanted or not: ``python -m lab.bench.column_weights`` prints the weights, and how well they do on sites
left out.

Source: our own.  n values of c candidates.  Cost: O(n c) for copies, at most ``MAX_COMPARED`` compared.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from templcrawl.algorithms.columns.candidates import HREF, Candidate
from templcrawl.algorithms.columns.kinds import ADDRESS, DATE, MONEY, NUMBER, PICTURE, TEXT
from templcrawl.algorithms.columns.names import said_of
from templcrawl.algorithms.columns.places import TEXT_OF

MIN_SCORE = -1.0  # of a column that is shown by default
MAX_COMPARED = 60
COPY, PART = "copy", "part"  # features of columns that say what another one says
WEIGHTS: Mapping[str, float] = {
    "constant": -1.0,
    "filled": 2.0,
    "distinct": 0.8,
    "most frequent": -1.5,
    "one value": -3.0,
    "labelled": 1.5,
    "rarely labelled": -1.5,
    "declared": 2.0,
    "running text": 1.5,
    "fragments": -2.0,
    "repeated prose": -1.5,
    "amount or date": 0.5,
    "picture": -0.6,
    "address": -1.0,
    "repeated address": -3.0,
    "link of no title": -1.0,
    "list": -0.5,
    "furniture": -1.5,
    "unnamed": -1.0,
    COPY: -10.0,
    PART: -4.0,
}
_FURNITURE = re.compile(
    r"\b(?:nav|breadcrumbs?|menu|footer|sidebar|share|comment-?form|related|cart|cookie)", re.IGNORECASE
).search
_TITLES = re.compile(r"title|name|headline|h\d", re.IGNORECASE).search
_NO_NAMES = re.compile(r"(?:text|number|link|h\d)(?:_\d+)?(?:_url)?").fullmatch
_FRAGMENT = re.compile(r"[a-z,.;:)]").match


def features_of(one: Candidate, name: str, pages: int) -> dict[str, float]:
    """Return what a score is made of: shares, and 1 for what is so.

    name   of the column
    pages  in the sample
    """
    values = [" ".join(texts) for texts in one.texts.values()]
    number, counts = len(values), Counter(values)
    lengths = [len(value.split()) for value in values]
    is_text = bool(one.slots) and one.slots[0].number == TEXT_OF
    is_address = one.kind in (PICTURE, ADDRESS)
    fragments = sum(count > 3 and _FRAGMENT(value) is not None for value, count in zip(values, lengths))
    return {
        "constant": 1.0,
        "filled": min(number / pages, 1.0),
        "distinct": len(counts) / number,
        "most frequent": counts.most_common(1)[0][1] / number,
        "one value": float(len(counts) == 1 and one.declared != "priceCurrency"),
        "labelled": float(one.is_fact),
        "rarely labelled": float(one.is_fact and number < 0.05 * pages),
        "declared": float(bool(one.declared)),
        "running text": float(is_text),
        "fragments": fragments / number * (not is_text),
        "repeated prose": float(len(counts) < 0.1 * number and sum(lengths) > 5 * number),
        "amount or date": float(one.kind in (MONEY, DATE, NUMBER)),
        "picture": float(one.kind == PICTURE),
        "address": float(one.kind == ADDRESS),
        "repeated address": float(is_address and len(set(one.flat)) < 0.5 * number),
        "link of no title": float(one.attribute == HREF and not _TITLES(name)),
        "list": float(one.many),
        "furniture": float(_FURNITURE(one.place) is not None),
        "unnamed": float(_NO_NAMES(name) is not None and not one.is_fact and not is_text),
    }


def score_of(features: Mapping[str, float]) -> float:
    """Return how much a person wants a column: log odds."""
    return sum(WEIGHTS[what] * value for what, value in features.items())


def copies(candidates: Sequence[Candidate]) -> dict[int, str]:
    """Return number of a candidate -> ``COPY`` of another, or ``PART`` of one."""
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
    lost: dict[int, str] = {}
    for at in order:
        one = candidates[at]
        others = kept[:MAX_COMPARED]
        if any(_is_copy(one, other) for other in others):
            lost[at] = COPY
        elif (
            not one.is_fact
            and one.kind == TEXT
            and not one.declared
            and any(_is_part(one, other) for other in others)
        ):
            lost[at] = PART
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
