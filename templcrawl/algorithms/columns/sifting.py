"""Which columns of a sample are kept: places that are one column, and what is no data of a page.

Source: our own.  n values, c columns.  Cost: O(n + c^2), at most ``_MOST_ALTERNATIVES`` comparisons a column.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from statistics import fmean

from templcrawl.algorithms.columns.kinds import kind_of
from templcrawl.algorithms.columns.names import OLD, is_furniture
from templcrawl.algorithms.columns.places import parts_of
from templcrawl.algorithms.columns.template import Slot, Value, label_of

MANY = 1.2  # texts in a place on a page, on average: a list
_LABELS = 0.8  # of the values of a column have its label
_RUNNING = 8  # words of a paragraph, on average
_OVERLAP = 0.02  # of the pages of the smaller of two alternatives: those that have both
_MOST_ALTERNATIVES = 20  # columns of one end and label that a column is compared with
_WRAPPERS = frozenset("b strong em i span a font ins u mark small bdi div".split())
_SAME = 0.8  # of the values of a column are the title with the same words around it: they say nothing new
_LEAST_TITLE, _MOST_TITLES = 4, 4  # characters of a title; titles that columns are compared with

Found = dict[int, list[Value]]  # page -> values of a slot
Columns = dict[tuple[Slot, ...], Found]  # slots, of which a page has one -> their values


def label_of_slot(slot: Slot, values: Found) -> str:
    """Return the label of a slot: the one that tells it from others, else the one that its values have."""
    flat = [value for of_page in values.values() for value in of_page]
    said = Counter(label_of(value.labelled) for value in flat if value.labelled is not None)
    return slot.label or next((text for text, count in said.items() if count >= _LABELS * len(flat)), "")


def kind_of_values(values: Found) -> str:
    """Return the kind of the first values of pages."""
    return kind_of([of_page[0].text for of_page in values.values()])


def bodies_of(found: Mapping[Slot, Found]) -> set[str]:
    """Return the places of elements that hold paragraphs: running text on most pages, several on a page."""
    bodies = set()
    for slot, values in found.items():
        above, _, step = slot.place.rpartition("/")
        if step == "p" and above and not slot.way:
            flat = [value.text for of_page in values.values() for value in of_page]
            if len(flat) > MANY * len(values) and fmean(len(text.split()) for text in flat) >= _RUNNING:
                bodies.add(above)
    return bodies


def is_no_data(slot: Slot, count: float, bodies: Collection[str]) -> bool:
    """Return whether a place is a part of running text (its links, lists, headings), or of furniture.

    count   texts in the place on a page, on average
    bodies  places of elements that hold paragraphs
    """
    steps = slot.place.split("/")
    if is_furniture(slot.place):
        return True
    if slot.way or count <= MANY:
        return False
    inner = next((steps[number:] for number in range(len(steps)) if "/".join(steps[:number]) in bodies), [])
    return bool(inner) and inner != ["p"] and not any(parts_of(step)[1] for step in inner)


def joined(chosen: Columns) -> Columns:
    """Return columns in which alternatives are one, the one that most pages have first."""
    kept: Columns = {}
    by_end: defaultdict[tuple[str, str], list[tuple[Slot, ...]]] = defaultdict(list)
    for slots, values in sorted(chosen.items(), key=lambda item: (-len(item[1]), item[0])):
        slot = slots[0]
        ends = (_end(slot.place), label_of_slot(slot, values))
        kind = kind_of_values(values)
        for others in by_end[ends][:_MOST_ALTERNATIVES]:
            known = kept[others]
            both = len(known.keys() & values.keys())
            if (
                both <= _OVERLAP * len(values)
                and _are_alternatives(others[0], slot)
                and kind_of_values(known) == kind
            ):
                all_slots = (*others, slot)
                by_end[ends][by_end[ends].index(others)] = all_slots
                kept[all_slots] = {**values, **kept.pop(others)}
                break
        else:
            by_end[ends].append(slots)
            kept[slots] = values
    return kept


def _end(place: str) -> str:
    """Return the last step of a place with words, wrappers without words left out."""
    steps = place.split("/")
    while len(steps) > 1 and steps[-1] in _WRAPPERS:
        steps.pop()
    return steps[-1]


def _are_alternatives(known: Slot, other: Slot) -> bool:
    """Return whether two places with the same end differ by a wrapper or a state, within a named element."""
    ours, others = ({step for step in slot.place.split("/") if parts_of(step)[1]} for slot in (known, other))
    is_old = any(parts_of(step)[0] in OLD for slot in (known, other) for step in slot.place.split("/"))
    return not is_old and len(ours & others) >= min(2, len(ours), len(others)) and bool(ours & others)


def without_repeats(chosen: Columns) -> Columns:
    """Return columns without those that have the values of one that as many pages fill, or but the title."""
    kept: Columns = {}
    known: set[tuple[tuple[int, str], ...]] = set()
    titles: list[Found] = []

    def is_title(slots: tuple[Slot, ...], values: Found) -> bool:
        is_one = sum(map(len, values.values())) <= MANY * len(values)
        return is_one and parts_of(_end(slots[0].place))[0] in ("h1", "h2")

    best_first = sorted(
        chosen.items(),
        key=lambda item: (not is_title(*item), -len(item[1]), "h1" not in item[0][0].place, item[0]),
    )
    for slots, values in best_first:
        signature = tuple((page, of_page[0].text) for page, of_page in sorted(values.items()))
        says_title = not slots[0].way and any(_repeats(title, values) for title in titles)
        if signature not in known and not says_title:
            known.add(signature)
            kept[slots] = values
            if is_title(slots, values) and len(titles) < _MOST_TITLES:
                titles.append(values)
    return kept


def _repeats(titles: Found, values: Found) -> bool:
    """Return whether values are the title of their page between the same words, as in "Review of NAME"."""
    around = Counter[str]()
    for page, of_page in values.items():
        title, text = titles[page][0].text if page in titles else "", of_page[0].text
        if len(title) >= _LEAST_TITLE and title in text:
            around[text.replace(title, "", 1)] += 1
    return bool(around) and max(around.values()) >= _SAME * len(values)
