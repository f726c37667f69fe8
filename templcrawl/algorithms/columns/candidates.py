"""Build the candidates for columns: slots with their values on the pages of a sample.

A slot of several values, of content, is a candidate; so are the links that its values stand in, and the dates
that their markup gives for machines.  Candidates of which a page has one, in places that differ by a wrapper
or a state (a reduced price), are one with alternatives.  What pages declare is joined with them
(:mod:`templcrawl.algorithms.columns.declared_columns`).

Source: our own.  n values of c candidates.  Cost: O(n); one is compared with ``_MAX_ALTERNATIVES`` others.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from templcrawl.algorithms.columns.class_words import names_thing
from templcrawl.algorithms.columns.links import NO_PAGES, Hosts, are_data, host_of, leads
from templcrawl.algorithms.columns.names import (
    OLD,
    are_tags,
    is_furniture,
    is_in_frame,
    neighbour_of,
    said_of,
)
from templcrawl.algorithms.columns.places import NAMED_STEPS
from templcrawl.algorithms.columns.row_places import without_turns
from templcrawl.algorithms.columns.sentences import Part, date_in, kind_and_name, parts_of_texts
from templcrawl.algorithms.columns.signatures import is_in_signature
from templcrawl.algorithms.columns.slots import TEXT_OF, Slot, Value
from templcrawl.algorithms.columns.units import parts_of
from templcrawl.algorithms.columns.value_kinds import (
    ADDRESS,
    DATE,
    PICTURE,
    TEXT,
    are_dated,
    has_month,
    kind_of,
)

HREF, SRC, TIME = "href", "src", "datetime"
MANY = 1.2  # texts in a place on a page, on average: a list
_LISTS, _SOME_LISTS = 0.05, 0.15  # of the pages that have a fact, or another value: those with several
_TITLES = 0.8  # of the pages that have breadcrumbs: those of which the last is in the title
_MIN_CONTENT = 0.5  # of the values of a place
_OWN = 0.8  # of the values of a place, and of half of the pages: those that are another one each
_OVERLAP = 0.02  # of the pages of the smaller of two alternatives: those that have both
_MAX_ALTERNATIVES = 20  # candidates of one end and label that one is compared with
_WRAPPERS = frozenset("b strong em i span a font ins u mark small bdi div".split())
_NAV = re.compile(r"(?:^|[/.#])nav\b").search

Found = dict[int, list[Value]]  # page -> values of a slot


@dataclass
class Candidate:
    """A candidate for a column.

    slots      where its values stand; several are alternatives, of which a page has one
    found      page -> its values
    attribute  of what a value is: ``HREF``, ``SRC``, ``TIME``; "": its text
    declared   property that says the same, and its value where nothing is shown; "" without one
    order      where it stands on a page, on average
    last       which from the end of a page its values are, 0: all: of breadcrumbs, the section
    base       what it is the links of, or a part of
    part       what of these texts its values are; None: all
    """

    slots: tuple[Slot, ...]
    found: Found
    attribute: str = ""
    declared: str = ""
    filled: Mapping[int, list[str]] = field(default_factory=dict)
    order: float = 0.0
    last: int = 0
    base: Candidate | None = None
    part: Part | None = None

    @cached_property
    def texts(self) -> dict[int, list[str]]:
        """Page -> the values as texts."""
        texts = dict(self.filled)
        for page, values in self.found.items():
            several = values[::-1][self.last - 1 : self.last] if self.last else values
            told = [told_by(one, self.attribute) for one in several]
            if told := [text for text in map(self.part.of, told) if text] if self.part else told:
                texts[page] = told
        return texts

    @cached_property
    def flat(self) -> list[str]:
        """All values as texts."""
        return [text for texts in self.texts.values() for text in texts]

    @cached_property
    def kind(self) -> str:
        """The kind of the values (:mod:`templcrawl.algorithms.columns.value_kinds`)."""
        is_picture = bool(self.found) and next(iter(self.found.values()))[0].unit.is_picture
        if self.declared == "image" or (is_picture and self.attribute != HREF):
            return PICTURE
        if self.attribute == HREF:
            return TEXT if all(link.startswith(NO_PAGES) for link in self.flat if link) else ADDRESS
        return kind_of([texts[0] for texts in self.texts.values()])

    @property
    def place(self) -> str:
        """The place of the values, "" behind a label."""
        return self.slots[0].place if self.slots else ""

    @property
    def many(self) -> bool:
        """True if a page has a list of its values: on average, or if some pages have several."""
        several = sum(1 for texts in self.texts.values() if len(set(texts)) > 1)
        least = (_LISTS if self.is_fact else _SOME_LISTS) * len(self.texts)
        return len(self.flat) > MANY * len(self.texts) or several >= max(2, least)

    @property
    def is_fact(self) -> bool:
        """True if its values stand behind a label."""
        return bool(self.slots) and self.slots[0].label != ""

    def is_beside(self, other: Candidate) -> bool:
        """Return whether another candidate is another text of the same place, told by its number."""
        numbers = [slot.number for one in (self, other) for slot in one.slots]
        return len({one.place for one in (self, other)}) == 1 and min(numbers) >= 0 and max(numbers) > 0

    @cached_property
    def label(self) -> str:
        """The most frequent spelling of the label, "" without one; for a link its text."""
        if self.attribute == HREF and self.base is None and not self.is_fact:
            return next(iter(self.found.values()))[0].text
        said = Counter(value.said for values in self.found.values() for value in values if value.said)
        return said.most_common(1)[0][0] if said and self.is_fact else ""


def told_by(value: Value, attribute: str) -> str:
    """Return what a value is of an attribute, "" where it has none; its text for no attribute."""
    return {HREF: value.unit.link, TIME: value.unit.time}.get(attribute, value.text)


def candidates_of(
    slots: Mapping[Slot, Found], order: Mapping[Slot, float], titles: Sequence[str], own: Hosts
) -> list[Candidate]:
    """Return the candidates for columns; alternatives are joined, to cover as many pages as possible.

    order   slot -> where it stands on a page
    titles  of the pages
    own     hosts of the pages; None of records
    """
    read = ((slot, _attribute_of(slot, found, titles, own)) for slot, found in slots.items())
    data = [Candidate((slot,), slots[slot], one, order=order[slot]) for slot, one in read if one is not None]
    return [one for one in _joined(data) if one.attribute or len(_texts_of(one.found)) > 1]


def links_of(one: Candidate) -> Candidate | None:
    """Return the links around a candidate's values as a candidate; None without two different ones."""
    found = {
        page: linked
        for page, values in one.found.items()
        if (linked := [value for value in values if leads(value.unit.link)])
    }
    return _beside(one, HREF, found)


def times_of(one: Candidate) -> Candidate | None:
    """Return the dates for machines of a candidate's values as a candidate; None if these have the year."""
    found = {
        page: timed
        for page, values in one.found.items()
        if (timed := [value for value in values if value.unit.time and not value.parts])
    }
    flat = [value for values in found.values() for value in values]
    are_said = 2 * sum(value.unit.time[:4] in value.text for value in flat) > len(flat)
    return None if are_said else _beside(one, TIME, found)


def _beside(one: Candidate, attribute: str, found: Found) -> Candidate | None:
    """Return what some values of a candidate are of an attribute; None without two different ones."""
    told = {told_by(value, attribute) for values in found.values() for value in values}
    if one.attribute or len(told) < 2:
        return None
    order = one.order + 0.1
    return replace(one, found=found, attribute=attribute, declared="", filled={}, order=order, base=one)


def sentence_parts(one: Candidate) -> Iterator[Candidate]:
    """Yield the facts in the sentences of a candidate as candidates of their own.

    A candidate is a text from then on, no date, if the facts are a date and words beside it, or a date that
    has its month, behind words that all have.
    """
    is_text = one.kind in (TEXT, DATE) and not one.attribute and not one.many
    if not is_text or not one.slots or one.slots[0].number < 0:
        return
    texts = [texts[0] for texts in one.texts.values()]
    parts = parts_of_texts(texts, date_in(texts) if one.kind == TEXT else ())
    parts = parts or (kind_and_name(texts) if said_of(one.place, TEXT) == "title" else [])
    if one.kind == DATE:  # "2026-05-09 by Ann" is a text, "9 May 2026 at 10:30" a date
        others = [part for part in parts if part.name != "date"]
        words = (word for part in others for text in texts for word in part.of(text).split())
        is_with_words = len(others) == len(parts) - 1 and not any(word[0].isdigit() for word in words)
        is_with_words &= bool(others) or all(has_month(part.of(text)) for part in parts for text in texts)
        parts = parts if is_with_words else []
        one.kind = TEXT if parts else DATE
    for number, part in enumerate(parts, start=1):
        order = one.order + 0.01 * number
        yield replace(one, declared="", filled={}, order=order, base=one, part=part)


def section_of(one: Candidate, titles: Sequence[str]) -> Candidate | None:
    """Return the last of several breadcrumbs that is no title: the section of a page; None for others.

    titles  of the pages
    """
    if not one.many or one.attribute or one.is_fact:
        return None
    ends = _end_in_titles(one.found, titles)
    if not ends and not _are_breadcrumbs(one.place):
        return None
    section = replace(one, last=1 + ends, order=one.order + 0.05)
    return section if 1 < len(set(section.flat)) < len(section.flat) else None


def _are_breadcrumbs(place: str) -> bool:
    """Return whether the markup of a place says that breadcrumbs stand there."""
    return said_of(place, TEXT) in ("breadcrumb", "breadcrumbs")


def _end_in_titles(found: Found, titles: Sequence[str]) -> bool:
    """Return whether lists end with the title of their page, as breadcrumbs do."""
    are_lists = sum(map(len, found.values())) > MANY * len(found)
    ends = sum(values[-1].text in titles[page] for page, values in found.items()) if are_lists else 0
    return ends >= _TITLES * len(found)


def _attribute_of(slot: Slot, found: Found, titles: Sequence[str], own: Hosts) -> str | None:
    """Return of what the values of a slot are data: ``HREF``, ``SRC``, "" of their texts; None: of nothing.

    They are if they differ, are content and no furniture.  What each page has of its own is content, such as
    a picture without words around it; of records so are numbers, and links to another page each.  Of running
    text one is enough: another slot may have that of other pages.
    """
    flat = [value for values in found.values() for value in values]
    shown = SRC if flat[0].unit.is_picture else ""
    links = [value.unit.link for value in flat if leads(value.unit.link)]
    is_fixed = len(_texts_of(found)) < 2 and slot.number != TEXT_OF
    is_link = not shown and (is_fixed or own is None) and are_data(flat[0].text, set(links), len(links), own)
    if is_fixed:
        return HREF if is_link else None
    units = [unit for value in flat for unit in value.parts or (value.unit,)]
    is_content = sum(unit.content for unit in units) >= _MIN_CONTENT * len(units)
    if own is not None and not shown and _is_neighbour(flat):
        return ""
    if is_in_signature(slot.place) and len(flat) > MANY * len(found):
        return None
    if slot.label:
        return shown if is_content or not is_in_frame(flat[0].unit.place) else None
    if not slot.place or (
        is_furniture("/".join(slot.place.split("/")[-NAMED_STEPS:])) and not _are_in_titles(found, titles)
    ):
        return None
    own_texts = (
        one for one in flat if one.parts or not ((one.unit.link and not shown) or _NAV(one.unit.place))
    )
    differing = {one.text for one in own_texts}
    is_own = len(differing) >= _OWN * max(len(flat), len(titles) / (4 if shown else 2))
    is_number = own is None and are_dated([value.text for value in flat])
    is_section = _are_breadcrumbs(slot.place) or _end_in_titles(found, titles)  # those are on many pages
    is_tags = are_tags(slot.place, len(flat) / len(found)) and not is_in_frame(slot.place)  # so are these
    if is_content or is_own or is_number or is_section or is_tags:
        return shown
    return HREF if is_link else None


def _are_in_titles(found: Found, titles: Sequence[str]) -> bool:
    """Return whether the values of pages stand in their titles, nearly each another one."""
    firsts = [values[0].text for page, values in found.items() if values[0].text in titles[page]]
    return len(set(firsts)) >= _OWN * max(len(found), len(titles) / 2)


def _is_neighbour(flat: Sequence[Value]) -> bool:
    """Return whether values are links, nearly each another one, to the next or the previous page."""
    linked = {value.text for value in flat if value.unit.link and not value.text.isdecimal()}
    return len(linked) >= _OWN * len(flat) and neighbour_of(flat[0].unit.place) != ""


def _texts_of(found: Found) -> set[str]:
    return {value.text for values in found.values() for value in values}


def hosts_of(found: Found) -> set[str]:
    """Return the hosts that values link to, as written."""
    return {host_of(value.unit.link) for values in found.values() for value in values} - {""}


def _joined(data: Sequence[Candidate]) -> list[Candidate]:
    """Join alternative candidates into one; the one that most pages have comes first."""
    kept: dict[int, Candidate] = {}
    by_end: defaultdict[tuple[str, str, int, str], list[int]] = defaultdict(list)
    for number, one in enumerate(sorted(data, key=lambda one: (-len(one.found), one.slots))):
        slot = one.slots[0]
        end = "" if slot.number < 0 else _base(without_turns(slot.place))[0].rpartition("/")[2]
        alike = by_end[end, one.label, slot.number, one.kind]
        for known in alike[:_MAX_ALTERNATIVES]:
            other = kept[known]
            both = len(other.found.keys() & one.found.keys())
            if both <= _OVERLAP * len(one.found) and _are_alternatives(other.slots[0], slot):
                slots = (*other.slots, slot)
                kept[known] = replace(other, slots=slots, found={**one.found, **other.found})
                break
        else:
            alike.append(number)
            kept[number] = one
    return list(kept.values())


def _base(place: str) -> tuple[str, str]:
    """Return a place without wrappers at its end, and the link with class words among these, "" of none."""
    steps, link = place.split("/"), ""
    while len(steps) > 1 and (steps[-1] in _WRAPPERS or steps[-1].startswith("a.")):
        step = steps.pop()
        link = link if step in _WRAPPERS else step
    return "/".join(steps), link


def _are_alternatives(known: Slot, other: Slot) -> bool:
    """Return whether two places with the same end differ by a wrapper, a state or a turn, in a named element.

    Two of running text are alternatives wherever they stand.
    """
    if known.label or other.label:
        return False
    if known.number == other.number < 0:
        return True
    places = [without_turns(slot.place) for slot in (known, other)]
    (base, link), (other_base, other_link) = map(_base, places)
    if link != other_link:  # a text is a link on some pages
        return not (link and other_link) and (base.endswith(other_base) or other_base.endswith(base))
    steps = [place.split("/") for place in places]
    if any(parts_of(step)[0] in OLD for slot_steps in steps for step in slot_steps):
        return False
    if any(map(names_thing, parts_of(base.rpartition("/")[2])[1])):
        return True
    ours, others = ({step for step in slot_steps if parts_of(step)[1]} for slot_steps in steps)
    return len(ours & others) >= max(1, min(2, len(ours), len(others)))
