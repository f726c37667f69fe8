"""Find the facts of a page: pairs of a label and the value that it labels.

Which texts are labels the pages of a type say (:mod:`templcrawl.algorithms.columns.labels`).  The values of a
label are its next sibling that has units, and those behind commas; behind a heading all up to the next one.
A label outside of running text has no value in it, unless it stands in the element of that, with a
colon, and the value is short.  One label is one, wherever it stands and in whatever markup.

Source: our own.  n units of a sample.  Cost: O(n), for values O(1) a unit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from templcrawl.algorithms.columns.names import OLD, is_unseen, says_tags
from templcrawl.algorithms.columns.separators import COLONS, COMMAS, value_of
from templcrawl.algorithms.columns.signatures import is_in_signature, is_signature
from templcrawl.algorithms.columns.units import LABEL, MAX_TEXT, PAIR, SILENT, Unit, is_section, parts_of
from templcrawl.page.vocabulary import HEADINGS

ENDS = " :："
_ENDING = ".,;|"
LONGEST_LABEL, MAX_WORDS = 45, 6
MAX_VALUE = 14  # words behind a colon
_MAX_VALUES = 200  # units of a fact
_PREFIXED = re.compile(r"([^:：]{1,60}?)\s*[:：](?!//|[:：]|(?<=\d.)\d)\s*(\S.*)", re.DOTALL).fullmatch
_NO_LABEL = re.compile(r"https?:|[:：]\s|@|[.!?…]$|\d{3}|#\d|^[-–•*>|/]").search
_IS_CODE = re.compile(r"(?:^|/)(?:pre|code|samp)\b|[.#]code-").search
_TITLES = frozenset({"h1", "h2", "h3"})
_HAS_DIGIT = re.compile(r"\d").search
_AMOUNT = re.compile(r"[\d.,' \xa0]{1,16}[kKmM%+]?").fullmatch

Place = Callable[[Unit], str]


class Fact(NamedTuple):
    """A fact of a page.

    label  as it is written, without a colon
    values number of a unit, its text as a value
    said   number of the unit of the label; that of the value where the label stands in the same text
    """

    label: str
    values: Sequence[tuple[int, str]]
    said: int


@dataclass(frozen=True)
class Labels:
    """The labels of a type.

    alone     those that are a text by themselves, as keys
    prefixes  labels before a colon in the text of their value, as keys
    running   those before a colon, or in headings, in running text
    units     labels behind a number, as keys
    always    those of all of these that nearly all pages have: of the template, not of whoever wrote a text
    """

    alone: frozenset[str] = frozenset()
    prefixes: frozenset[str] = frozenset()
    running: frozenset[str] = frozenset()
    units: frozenset[str] = frozenset()
    always: frozenset[str] = frozenset()


def key_of(label: str) -> str:
    """Return the key of a label: "Age:", "age" and "AGE" have one key."""
    return said_by(label[:MAX_TEXT]).casefold()


def said_by(label: str) -> str:
    """Return a label without the colon behind it, and the full stop of what stands before it.

    >>> said_by(". Tags:")
    'Tags'
    """
    return label.strip(ENDS).lstrip(f"{_ENDING} ")


def prefixed(unit: Unit) -> re.Match[str] | None:
    """Split a text at its colon into label and value; None without a label."""
    text = unit.text
    if (
        (":" not in text and "：" not in text)
        or unit.is_picture
        or unit.tag in _TITLES
        or "/h1" in unit.place
    ):
        return None
    if (unit.link and unit.tag == "a") or _IS_CODE(unit.place) or _is_signed(unit.place):
        return None
    match = _PREFIXED(text)
    is_fact = match and is_like_label(match[1].rstrip(".")) and value_of(match[2])
    return match if match and is_fact and len(match[2].split()) <= MAX_VALUE else None


def is_like_label(text: str) -> bool:
    """Return whether a text is short enough, and has enough letters, to be a label."""
    if len(text) > LONGEST_LABEL:
        return False
    letters, digits = sum(map(str.isalpha, text)), sum(map(str.isdigit, text))
    return letters >= 2 and letters > digits and len(text.split()) <= MAX_WORDS and not _NO_LABEL(text)


def _is_signed(place: str) -> bool:
    """Return whether a text at a place is a signature, or a part of one."""
    return is_signature(place) or is_in_signature(place)


def _box(unit: Unit) -> int:
    """Return the parent of the outermost element that holds only this unit."""
    return unit.above[min(unit.lone + 1, len(unit.above) - 1)]


def _is_near(unit: Unit, other: Unit) -> bool:
    ours, others = unit.above[unit.lone : unit.lone + 4], other.above[other.lone : other.lone + 4]
    return not set(ours).isdisjoint(others)


def is_sure(unit: Unit, following: Unit | None) -> bool:
    """Return whether the markup or a colon says that a text is a label."""
    says = unit.text.endswith(COLONS) or (following is not None and following.text.startswith(COLONS))
    return says or unit.sign == LABEL


def may_label(unit: Unit, following: Unit) -> bool:
    """Return whether a text may be the label of what follows, by itself."""
    says = is_sure(unit, following)
    text = unit.text.rstrip(f".{ENDS}" if says else ENDS)  # "No.:" ends as a sentence does
    if not _may_say(unit) or unit.tag == "button" or not (is_like_label(text) or _is_term(unit)):
        return False
    if (unit.link and not unit.text.endswith(COLONS)) or is_title(unit) or is_title(following):
        return False
    is_cell = unit.head != following.head and unit.record == following.record  # each has its heading
    if (is_cell or _IS_CODE(unit.place) or _is_signed(unit.place)) and unit.sign != LABEL:
        return False
    if not _is_near(unit, following) or (not says and _HAS_DIGIT(text)):
        return False
    return says or (not following.is_picture and _box(unit) in following.above[following.lone :])


def _may_say(unit: Unit) -> bool:
    """Return whether a unit is a text that a reader sees, no longer than is compared.

    A word for screen readers beside a value is a label all the same, but a heading for them is none.
    """
    is_said = unit.sign != SILENT and not (unit.tag in HEADINGS and is_unseen(unit.place))
    return is_said and not unit.is_picture and len(unit.text) <= MAX_TEXT


def _is_term(unit: Unit) -> bool:
    """Return whether the markup alone says that a text is a label."""
    return unit.sign == LABEL and len(unit.text) <= LONGEST_LABEL and any(map(str.isalpha, unit.text))


def is_behind(before: Unit | None, unit: Unit) -> bool:
    """Return whether a text stands behind another one in its own element: it may be a value, but no label.

    A mark between the two ends what stands before: ". Tags:".
    """
    is_new = unit.text.endswith(COLONS) and unit.text[0] in _ENDING
    return before is not None and unit.above[0] in before.above[1:] and not is_new


def is_among(before: Unit | None, unit: Unit, following: Unit) -> bool:
    """Return whether a text stands between two others of the same markup: it is one of several values."""
    if before is None or unit.sign or is_sure(unit, following):
        return False
    return len({(one.place, one.above[1:2]) for one in (before, unit, following)}) == 1


def is_title(unit: Unit) -> bool:
    """Return whether a text is the title of a page, or a part of it."""
    steps = unit.place.split("/") if "h1" in unit.place else ()
    return any(parts_of(step)[0] == "h1" and not is_section(step) for step in steps)


def title_of(units: Sequence[Unit]) -> str:
    """Return the title of a page, "" without one."""
    return next((unit.text for unit in units if is_title(unit) and not unit.is_picture), "")


def is_old(unit: Unit) -> bool:
    """Return whether a text is struck out: a price before its reduction."""
    return not OLD.isdisjoint(parts_of(step)[0] for step in unit.place.rsplit("/", 4)[1:])


def amounts(scope: Sequence[Unit]) -> Iterator[int]:
    """Yield the numbers of the units that are an amount, alone with one text behind it under its parent."""
    for at, (unit, following) in enumerate(pairwise(scope)):
        is_unit = is_like_label(following.text.rstrip(ENDS)) and not _HAS_DIGIT(following.text)
        if not _AMOUNT(unit.text) or following.is_picture or not is_unit:
            continue
        box, around = _box(unit), (*scope[at - 1 : at], *scope[at + 2 : at + 3])
        is_beside = box in following.above[: following.lone + 2]
        if is_beside and not any(box in other.above[: other.lone + 2] for other in around):
            yield at


def take_facts(
    scope: Sequence[Unit],
    labels: Labels,
    is_fixed: Callable[[int], bool],
    used: Collection[int] = (),
    running: Collection[int] = (),
    behind: Collection[int] = (),
    is_inside: Callable[[int], bool] = lambda _: False,
) -> Iterator[Fact]:
    """Yield the facts of a page, or of a record.

    is_fixed  whether the unit of a number is not a value, but where it alone stands behind a label
    used      numbers of units that are not part of facts
    running   numbers of those in running text
    behind    numbers of those right behind records: a label before these is that of the records
    is_inside whether the unit of a number stands in the element of running text
    """
    numbers = {at for at in amounts(scope) if key_of(scope[at + 1].text) in labels.units}
    unmarked = labels.alone - {key_of(unit.text) for unit in scope if unit.sign == LABEL}
    at = 0
    while at < len(scope):
        unit = scope[at]
        if at in used:
            at += 1
            continue
        if at in numbers:
            yield Fact(scope[at + 1].text.strip(ENDS), [(at, unit.text)], at + 1)
            at += 2
            continue
        known = labels.alone if unit.sign == LABEL or unit.text.endswith(COLONS) else unmarked
        is_label = _may_say(unit) and key_of(unit.text) in known
        if at in running and unit.sign != LABEL:
            may_be = unit.text.endswith(COLONS) or unit.is_in_heading
            is_label = may_be and key_of(unit.text) in labels.running
            if (match := prefixed(unit)) and key_of(match[1]) in labels.running:
                yield Fact(match[1].strip(), [(at, match[2])], at)
        if is_label:
            taken = _no_values(scope, at, used, running, is_inside)
            values = list(_values(scope, at, labels, is_fixed, taken, behind))
            if values:
                new = [(number, text) for number, text in values if not is_old(scope[number])]
                yield Fact(said_by(unit.text), new or values, at)
                at = values[-1][0] + 1
                continue
        elif at not in running and (match := prefixed(unit)) and key_of(match[1]) in labels.prefixes:
            yield Fact(match[1].strip(), [(at, match[2])], at)
        at += 1


def _no_values(
    scope: Sequence[Unit],
    at: int,
    used: Collection[int],
    running: Collection[int],
    is_inside: Callable[[int], bool],
) -> Collection[int]:
    """Return the numbers of units that are no values of a label: running text, if that is outside of it.

    A text right beside the label is one; in the element of running text, behind a colon, so is a short one.
    """
    if at in running:
        return used
    longest = MAX_VALUE if scope[at].text.endswith(COLONS) and is_inside(at) else 0
    beside = at + 1 if at + 1 < len(scope) and is_behind(scope[at], scope[at + 1]) else at
    texts = {other for other in running if longest == 0 or len(scope[other].text.split()) > longest}
    return {*used, *texts} - {beside}


def _is_other_fact(value: Unit, labels: Labels, *, may_hold_facts: bool) -> bool:
    """Return whether what follows a label is a label, or a fact, itself."""
    match = None if may_hold_facts else prefixed(value)
    is_fact = match is not None and key_of(match[1]) in labels.prefixes
    return is_fact or (not value.is_picture and key_of(value.text) in labels.alone)


def _values(
    scope: Sequence[Unit],
    at: int,
    labels: Labels,
    is_fixed: Callable[[int], bool],
    used: Collection[int],
    behind: Collection[int],
) -> Iterator[tuple[int, str]]:
    """Yield the units behind a label that are its values."""
    unit = scope[at]
    box, is_heading = _box(unit), unit.is_in_heading
    says = unit.sign == PAIR or is_sure(unit, scope[at + 1] if at + 1 < len(scope) else None)
    sibling, first, before_old, goes_on = 0, "", False, False
    for number in range(at + 1, min(at + 1 + _MAX_VALUES, len(scope))):
        value = scope[number]
        # What follows is another value.
        is_comma = first and (says or is_heading or says_tags(first)) and value.text in COMMAS
        if is_comma or not (first or value_of(value.text)):
            goes_on = bool(is_comma)
            continue
        if number in used or number in behind or is_title(value) or (is_heading and value.is_in_heading):
            return
        if _is_signed(value.place) or _is_other_fact(value, labels, may_hold_facts=unit.sign == LABEL):
            return
        is_no_tag = goes_on and not (says or is_heading)
        if value.place != first and (is_no_tag or (is_fixed(number) and (first or not says))):
            return
        if box in value.above:
            up = value.above.index(box)
            child, tag = value.above[up - 1] if up else value.above[0], value.tag_above(max(up - 1, 0))
            if up == 0 and not is_heading and first:
                return
        elif not first and unit.sign != LABEL and _is_near(unit, value):
            child, tag = value.above[0], value.tag
        else:
            return
        if not first or before_old or (goes_on and value.place == first):
            sibling = child
        elif child != sibling and not is_heading and tag != "dd":
            return
        first, before_old, goes_on = first or value.place, is_old(value), False
        if text := value.text.lstrip(ENDS):
            yield number, text
