"""Score columns by how likely a person wants each; tell what only repeats another column, or all pages.

The score is the log odds of a logistic regression, fitted on columns of saved sites that were labelled by
hand as wanted or not: ``python -m lab.bench.column_weights`` prints the weights, and how well they do on
sites left out.

Source: our own.  n values of c candidates.  Cost: O(n c) for copies, at most ``MAX_COMPARED`` compared.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice, pairwise
from operator import eq

from templcrawl.algorithms.columns.candidates import HREF, MANY, Candidate, hosts_of
from templcrawl.algorithms.columns.declared_columns import picture_name
from templcrawl.algorithms.columns.links import MIN_HOSTS, is_file, says_file
from templcrawl.algorithms.columns.names import are_tags, said_of
from templcrawl.algorithms.columns.units import words_in
from templcrawl.algorithms.columns.value_kinds import ADDRESS, DATE, PICTURE, TEXT, is_date_of

MIN_SCORE = -0.4  # of a column that is shown by default: one that lacks is worse than one too many
MAX_COMPARED = 60
_SENTENCE = 6  # words
_COUNTED = 0.6  # of the numbers of a pager; "1 2 3 ... 20" leaves some out
_REPEATED = 0.8  # of the pages that have a sentence: those that have it in common with another page
_MOSTLY = 0.5  # of the pages that have a fact in a sentence: those with the same one, which is a notice
_SPARSE = 0.1  # of the pages: fewer have a picture that stands somewhere in what they say
_SAME, _SAME_PICTURES = 0.9, 0.7  # of the pages that have both of two columns: those where they are the same
COPY = "copy"  # feature of a column that says what another one says
WEIGHTS: Mapping[str, float] = {
    "constant": 0.8,
    "filled": 1.39,
    "most frequent": -1.84,
    "labelled": 0.92,
    "declared": 1.25,
    "one value": -2.83,
    "link of no title": -2.98,
    "link of a section": -1.94,
    "list": -1.72,
    "of records": 1.24,
    "name taken": -1.24,
    "repeated sentences": -1.34,
    "numbers of pages": -3.23,
    "sparse of records": -1.73,
    COPY: -3.42,
}
_NO_NAMES = re.compile(r"(?:text|number|link)(?:_url)?").fullmatch  # of columns whose markup says nothing
_PAGE = re.compile(r"[1-9]\d{0,3}").fullmatch
_SECTIONS = re.compile(
    r"(?<![a-z])(?:[ck]ategor\w+|cats?|tags?|keywords?|topics?|genres?|section|breadcrumbs?|brand)(?![a-z])",
    re.IGNORECASE,
).search
_TITLES = re.compile(r"title|name|headline|h\d", re.IGNORECASE).search


def features_of(
    one: Candidate, name: str, titles: Sequence[str], *, are_records: bool, before: Candidate
) -> dict[str, float]:
    """Return the features of a score: shares, and 1 for each property that holds.

    name         of the column
    titles       of the pages in the sample, or of the pages of its records
    are_records  whether these are records
    before       the first candidate with the name; that may be this one
    """
    values = Counter(_said(one, page) for page in one.texts)
    number, filled = len(one.texts), min(len(one.texts) / len(titles), 1.0)
    are_several = len(one.flat) > MANY * number  # a fact of which few pages have several is no list here
    is_listed = are_several and one.kind in (TEXT, PICTURE)  # amounts in a list are data
    is_list = is_listed and not are_tags(one.place, len(one.flat) / number)  # and so are tags
    is_link = (
        one.kind == ADDRESS
        and _says_less(one, are_records=are_records)
        and not (are_records and _TITLES(name))
    )
    repeated = 0 if are_records or one.kind == DATE else _repeated_sentences(one, titles)
    holds = {
        "labelled": one.is_fact,
        "declared": one.declared and one.slots,
        "one value": len(values) == 1 and one.declared != "priceCurrency",
        "link of no title": is_link,
        "link of a section": is_link and _SECTIONS(name),
        "list": is_list,
        "numbers of pages": one.many and _is_pager(one),
        "of records": are_records,
        "name taken": before is not one and not one.is_beside(before) and not _NO_NAMES(name),
    }
    return {
        "constant": 1.0,
        "filled": filled,
        "repeated sentences": repeated / number,
        "sparse of records": 1.0 - filled if are_records and not one.is_fact else 0.0,
        "most frequent": values.most_common(1)[0][1] / number,
        **{what: float(bool(is_so)) for what, is_so in holds.items()},
    }


def _is_pager(one: Candidate) -> bool:
    """Return whether lists are numbers of pages: each is the next one, or a pager begins anew."""
    lists = [[int(text) for text in texts if _PAGE(text)] for texts in one.texts.values()]
    steps = [
        after == before + 1 or before > after == numbers[0]
        for numbers in lists
        if len(set(numbers)) > 1
        for before, after in pairwise(numbers)
    ]
    return len(steps) > 1 and sum(steps) >= _COUNTED * len(steps)


def _repeated_sentences(one: Candidate, titles: Sequence[str]) -> int:
    """Return on how many pages a candidate is a sentence that a page with another title has, too."""
    pages: defaultdict[str, list[int]] = defaultdict(list)
    for page in one.texts:
        if words_in(text := _said(one, page)) >= _SENTENCE:
            pages[text].append(page)
    return sum(len(of) for of in pages.values() if len({titles[page] for page in of}) > 1)


def _says_less(one: Candidate, *, are_records: bool) -> bool:
    """Return whether a candidate's links add nothing to their texts: more texts than links, or few hosts.

    Links to files are data.  On a page all links of one text are, or no candidate.
    """
    said = [one.label] if one.base is None else one.base.flat
    if (one.base is None and not are_records) or all(map(is_file, one.flat)) or all(map(says_file, said)):
        return False
    says = one.base is not None and 3 * len(set(one.base.flat)) > len(set(one.flat))
    return bool(one.found) and (says or len(hosts_of(one.found)) < MIN_HOSTS)


def score_of(features: Mapping[str, float]) -> float:
    """Return the log odds that a person wants a column."""
    return sum(WEIGHTS[what] * value for what, value in features.items())


def says_nothing(one: Candidate, features: Mapping[str, float]) -> bool:
    """Return whether a candidate is sentences that pages have in common, or pictures that few have.

    So is a link of a text that always is the same, unless it leads to other hosts.
    """
    if one.attribute == HREF and one.base is None:
        return features["link of no title"] > 0
    if one.kind == PICTURE:
        return not (one.is_fact or one.declared) and features["filled"] < _SPARSE
    is_said = features["repeated sentences"] >= _REPEATED
    return one.kind == TEXT and is_said and (not one.is_fact or features["most frequent"] >= _MOSTLY)


def copies(candidates: Sequence[Candidate], names: Sequence[str], leading: int = -1) -> set[int]:
    """Return the numbers of candidates that say what another candidate says.

    names    theirs
    leading  number of the one that copies none
    """
    order = sorted(
        range(len(candidates)),
        key=lambda at: (
            at != leading,
            -candidates[at].is_fact,
            -bool(candidates[at].declared),
            any(slot.is_in_text for slot in candidates[at].slots),
            names[at] not in ("title", "title_url"),
            said_of(candidates[at].place, candidates[at].kind) == "",
            -len(candidates[at].texts),
            len(candidates[at].place),
            candidates[at].order,
        ),
    )
    kept: dict[int, Candidate] = {}
    lost = set[int]()
    for at in order:
        one = candidates[at]
        others = list(islice(kept.items(), MAX_COMPARED))
        lesser = [number for number, other in others if _is_of(other, one) or _frames(other, one)]
        if any(_is_copy(one, other) or _frames(one, other) for _, other in others):
            lost.add(at)
        elif lesser:
            lost.update(lesser)
            kept = {number: other for number, other in kept.items() if number not in lost} | {at: one}
        else:
            kept[at] = one
    return lost


def _is_copy(one: Candidate, other: Candidate) -> bool:
    if one.is_fact and other.is_fact and one.slots != other.slots and one.attribute != HREF:
        return False  # two facts may well have the same values
    both = one.texts.keys() & other.texts.keys()
    if len(both) < 0.7 * len(one.texts):
        return False
    is_same = is_date_of if one.kind == other.kind == DATE else eq
    least = _SAME_PICTURES if one.kind == other.kind == PICTURE else _SAME
    return sum(is_same(_said(one, page), _said(other, page)) for page in both) >= least * len(both)


def _is_of(one: Candidate, other: Candidate) -> bool:
    """Return whether a candidate is the pictures of some pages that have them as another candidate."""
    may_be = one.kind == other.kind == PICTURE and not (one.declared or one.is_fact)
    return may_be and len(one.texts) < len(other.texts) and _is_copy(one, other)


def _frames(one: Candidate, other: Candidate) -> bool:
    """Return whether a candidate is another one within the same words on most pages: "Tea | Shop"."""
    if one.kind != TEXT or other.kind != TEXT or one.attribute or other.attribute or one.many or one.is_fact:
        return False
    both = one.texts.keys() & other.texts.keys()
    if len(both) < 0.7 * len(one.texts) or (one.place == "h1" and not other.declared):
        return False
    around: Counter[tuple[str, str]] = Counter()
    for page in both:
        ours, others = _said(one, page), _said(other, page)
        if 0 < len(others) < len(ours) and (ours.startswith(others) or ours.endswith(others)):
            before, _, behind = ours.partition(others)
            around[before, behind] += 1
    return bool(around) and around.most_common(1)[0][1] >= 0.7 * len(one.texts)


def _said(one: Candidate, page: int) -> str:
    """Return what a candidate says on a page, as it is compared: of pictures the file names."""
    texts = map(picture_name, one.texts[page]) if one.kind == PICTURE else one.texts[page]
    return " ".join(texts).replace("../", "").casefold()
