"""Score columns by how likely a person wants each; copies of another column come last.

The score is the log odds of a logistic regression, fitted on columns of saved sites that were labelled by
hand as wanted or not: ``python -m lab.bench.column_weights`` prints the weights, and how well they do on
sites left out.

Source: our own.  n values of c candidates.  Cost: O(n c) for copies, at most ``MAX_COMPARED`` compared.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from templcrawl.algorithms.columns.candidates import Candidate, hosts_of
from templcrawl.algorithms.columns.names import said_of
from templcrawl.algorithms.columns.places import TEXT_OF
from templcrawl.algorithms.columns.units import MIN_HOSTS
from templcrawl.algorithms.columns.value_kinds import ADDRESS, PICTURE, TEXT

MIN_SCORE = -1.0  # of a column that is shown by default: one that lacks is worse than one too many
MAX_COMPARED = 60
COPY, PART = "copy", "part"  # features of columns that say what another one says
WEIGHTS: Mapping[str, float] = {
    "constant": 0.94,
    "filled": 0.83,
    "distinct": -0.56,
    "most frequent": -2.14,
    "labelled": 1.45,
    "rarely labelled": 0.82,
    "declared": 0.56,
    "running text": 1.06,
    "one value": -1.78,
    "link of no title": -2.64,
    "list": -1.9,
    "list of a record": 0.72,
    "of records": 1.13,
    "name taken": -1.39,
    COPY: -2.24,
    PART: -0.31,
}
_NO_NAMES = re.compile(r"(?:text|number|link)(?:_url)?").fullmatch  # of columns whose markup says nothing
_TITLES = re.compile(r"title|name|headline|h\d", re.IGNORECASE).search


def features_of(
    one: Candidate, name: str, pages: int, *, are_records: bool, is_taken: bool
) -> dict[str, float]:
    """Return what a score is made of: shares, and 1 for what is so.

    name         of the column
    pages        in the sample, or records
    are_records  whether these are records
    is_taken     whether another candidate has the name, and comes before this one
    """
    values = Counter(" ".join(texts) for texts in one.texts.values())
    number, filled = len(one.texts), min(len(one.texts) / pages, 1.0)
    is_list = one.many and one.kind in (TEXT, ADDRESS, PICTURE)  # amounts in a list are data
    holds = {
        "labelled": one.is_fact,
        "rarely labelled": one.is_fact and filled < 0.05,
        "declared": one.declared,
        "running text": one.slots and one.slots[0].number == TEXT_OF,
        "one value": len(values) == 1 and one.declared != "priceCurrency",
        "link of no title": one.kind == ADDRESS and _says_less(one) and not _TITLES(name),
        "list": is_list,
        "list of a record": is_list and are_records,
        "of records": are_records,
        "name taken": is_taken and not _NO_NAMES(name),
    }
    return {
        "constant": 1.0,
        "filled": filled,
        "distinct": len(values) / number,
        "most frequent": values.most_common(1)[0][1] / number,
        **{what: float(bool(is_so)) for what, is_so in holds.items()},
    }


def _says_less(one: Candidate) -> bool:
    """Return whether a candidate is the links of texts that say as much: of more texts, or to few hosts."""
    if one.base is None:
        return False
    return 3 * len(set(one.base.flat)) > len(set(one.flat)) or len(hosts_of(one.found)) < MIN_HOSTS


def score_of(features: Mapping[str, float]) -> float:
    """Return how much a person wants a column: log odds."""
    return sum(WEIGHTS[what] * value for what, value in features.items())


def copies(candidates: Sequence[Candidate], leading: int = -1) -> dict[int, str]:
    """Return number of a candidate -> ``COPY`` of another, or ``PART`` of one.

    leading  number of the one that copies none
    """
    order = sorted(
        range(len(candidates)),
        key=lambda at: (
            at != leading,
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
