"""Find the records of a page that are no rows of headed tables: elements that repeat.

*A record* is an element that repeats under one parent: of ``MIN_RECORDS`` siblings or more (one less, if a
class word names them), of one row (:mod:`templcrawl.algorithms.columns.row_places`), some have two units or
more, and most of their places are *common*: half of the siblings have them.  The outermost such element
counts, but for lines, which hold several records (:mod:`templcrawl.algorithms.columns.record_lines`).  What a
class word calls a section of a text is none.

Source: our own.  That places which repeat make records is the idea of MDR (Liu, Grossman, Zhai, KDD 2003).
n units, m elements.  Cost: O(n + m), for records O(n) a level of candidates, at most ``MAX_LEVELS``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from templcrawl.algorithms.columns.flat_records import FLAT, MIN_RECORDS, Child, flat_records
from templcrawl.algorithms.columns.headed_tables import NO_RECORD, Spans
from templcrawl.algorithms.columns.record_lines import Flats, Group, Key, RecordLines
from templcrawl.algorithms.columns.row_places import (
    below_row,
    flat_row,
    is_in_cell,
    least_of,
    rows_of,
    without_turns,
)
from templcrawl.algorithms.columns.separators import Text
from templcrawl.algorithms.columns.signatures import is_signature
from templcrawl.algorithms.columns.units import is_section
from templcrawl.algorithms.columns.wrappers import inner_records

MAX_LEVELS = 8
_OF_LINES = 0.8  # of the units behind the leaders of flat records: those in other records
_NO_RECORDS = frozenset("p span b strong em i br option code th dt dd".split())
_NO_INNER = _NO_RECORDS | {"a"}


def repeated_records(
    names: Sequence[str],
    parents: Sequence[int],
    texts: Sequence[Text],
    places: Sequence[str],
    links: Sequence[str],
    spans: Spans,
) -> list[tuple[int, str]]:
    """Return unit -> the element of its record, and the row of that; 0 of one that is in none.

    texts   the units of the page
    places  element -> its place
    links   element -> where the link leads that it is in
    """
    first, after = spans
    inside = [end - start for start, end in zip(first, after)]
    groups, only = _groups(names, parents, places, inside), _only(names, parents, inside)
    flats = {
        parent: found
        for parent, children in _children(parents, places, spans).items()
        if (found := flat_records(children, names, texts, links))
    }
    leading = [inside[one] > 0 and links[texts[first[one]][0]] != "" for one in range(len(names))]
    lines = RecordLines(groups, parents, spans)
    lists = [*lines.lists(names, places, leading)]
    listed = {key for key, _, _ in lists}
    records, compared = [NO_RECORD] * len(texts), [0] * len(texts)
    done = set[tuple[int, str]]()
    in_lines = (*lists, *lines.grids(), *lines.flats(flats, places))
    for key, row, members in (*in_lines, *_outer_first(groups, flats, names, places, spans)):
        start = members[0][1].start if len(members) >= least_of(row) and key not in done else -1
        if start < 0 or records[start][0] or compared[start] == MAX_LEVELS:
            continue
        flat = row.startswith(FLAT)
        behind = [records[number][0] > 0 for _, units in members for number in units[1:]]
        if flat and sum(behind) >= _OF_LINES * len(behind):
            continue  # each is a heading and a line of a grid
        are_records = flat or key in listed or _are_alike(texts, places, members)
        wrappers = [element for element, _ in members if are_records and not flat]
        inner = inner_records(wrappers, only, places)
        done |= {key} if are_records else set()
        for element, units in members:
            for number in units:
                compared[number] += 1
                if are_records:
                    records[number] = inner.get(element, (element, row))
    return records


def _outer_first(
    groups: Mapping[Key, Sequence[int]],
    flats: Flats,
    names: Sequence[str],
    places: Sequence[str],
    spans: Spans,
) -> list[Group]:
    """Return elements that repeat, and flat records, with their units; the outer ones first."""
    found = [
        (key, key[1], [(one, range(spans[0][one], spans[1][one])) for one in group])
        for key, group in groups.items()
        if names[group[0]] != "td"
    ]
    for parent, flat in flats.items():
        row = flat_row(places[flat[0][0]])
        found.append(((parent, row), row, [*flat]))
    # Of those that begin with the same element the flat ones: their leaders are no records beside the rest.
    return sorted(found, key=lambda item: (item[2][0][0], not item[1].startswith(FLAT)))


def _only(names: Sequence[str], parents: Sequence[int], inside: Sequence[int]) -> dict[int, int]:
    """Return element -> the one in it that holds all of its units."""
    return {
        parent: one
        for one, parent in enumerate(parents)
        if one and inside[one] == inside[parent] and names[one] not in _NO_INNER
    }


def _groups(
    names: Sequence[str], parents: Sequence[int], places: Sequence[str], inside: Sequence[int]
) -> dict[tuple[int, str], list[int]]:
    """Return (parent, row) -> the elements that may be records together: some have two units or more."""
    several = [
        one
        for one in range(1, len(names))
        if inside[one] >= 2
        and names[one] not in _NO_RECORDS
        and not (is_section(places[one]) or is_signature(places[one]))
    ]
    counts = Counter((parents[one], row) for one in several for row in rows_of(places[one]))
    around = {parents[one] for one in several}
    few = (one for one in range(1, len(names)) if inside[one] == 1 and parents[one] in around)
    groups: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for one in sorted((*several, *(one for one in few if names[one] not in _NO_RECORDS))):
        key = max(((parents[one], row) for row in rows_of(places[one])), key=counts.__getitem__)
        if counts[key]:
            groups[key].append(one)
    return groups


def _are_alike(texts: Sequence[Text], places: Sequence[str], group: Sequence[tuple[int, range]]) -> bool:
    """Return whether most units of some elements stand at places that half of the elements have.

    And most elements are like the next one: a user and what he says take turns, and are a post together.
    """
    below = [
        [without_turns(below_row(places[texts[number][0]], places[element])) for number in units]
        for element, units in group
    ]
    own = [  # cells have no other names than their numbers
        {*places_in, *(f"cell {at}" for at, place in enumerate(places_in) if at and is_in_cell(place))}
        for places_in in below
    ]
    having = Counter(place for each in own for place in each)
    common = {place for place, count in having.items() if count >= max(2, len(group) / 2)}
    shared = sum(len(each & common) for each in own)
    alike = sum(2 * len(one & other) >= min(len(one), len(other)) for one, other in pairwise(own))
    return len(common) >= 2 and 2 * shared >= sum(map(len, own)) and 2 * alike >= len(own) - 1


def _children(parents: Sequence[int], places: Sequence[str], spans: Spans) -> dict[int, list[Child]]:
    """Return element -> its children that have units, if they are enough for flat records."""
    some = [(one, parent) for one, (parent, start, end) in enumerate(zip(parents, *spans)) if end > start]
    counts = Counter(parent for _, parent in some)
    children: defaultdict[int, list[Child]] = defaultdict(list)
    for one, parent in some:
        if counts[parent] >= 2 * MIN_RECORDS:
            units = range(spans[0][one], spans[1][one])
            children[parent].append(Child(one, rows_of(places[one])[0], units))
    return children
