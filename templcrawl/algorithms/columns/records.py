"""Find the records of a page that are no rows of headed tables: elements that repeat.

*A record* is an element that repeats under one parent: of ``MIN_RECORDS`` siblings or more (one less, if a
class word names them), with the same tag and one class word (that which most siblings have), some have two
units or more, and most of their places are *common*: half of the siblings have them.  The outermost such
element counts, but for the lines of a grid, whose members are alike and hold nearly all of it.  Its *row* is
its place, of which the last step has that word alone, without a digit by which rows take turns: a post is one
whatever its format.

Source: our own.  That places which repeat make records is the idea of MDR (Liu, Grossman, Zhai, KDD 2003).
n units, m elements.  Cost: O(n + m), for records O(n) a level of candidates, at most ``MAX_LEVELS``.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from templcrawl.algorithms.columns.flat_records import FLAT, MIN_RECORDS, Child, flat_records
from templcrawl.algorithms.columns.headed_tables import HEADED, NO_RECORD, Spans
from templcrawl.algorithms.columns.separators import Text
from templcrawl.algorithms.columns.units import MAX_PLACES, SCOPE, Unit, is_section, parts_of
from templcrawl.algorithms.columns.wrappers import inner_records

MAX_LEVELS = 8
_OF_GRID = 0.8  # of the units of a line of a grid: those in its members
_WRAPPERS = 2  # elements from a line of a grid down to its members
_NO_RECORDS = frozenset("p span b strong em i br option code th dt dd".split())
_NO_INNER = _NO_RECORDS | {"a"}
_CELLS = frozenset({"tr", "td"})  # elements of which the class words say where in a table they stand
_TURNS = re.compile(r"\.(?:first|last|odd|even)(?=[./#]|$)")  # class words by which lines take turns
_WORDS_OF_ROW = re.compile(r"(?<=/tr)[.#][^/]*$")
_LAST_DIGIT = re.compile(r"(?<=[a-zA-Z])\d$")  # of a class word: rows that take turns, "row1" and "row2"
_TURN_DIGITS = re.compile(r"(?<=[.a-zA-Z-][a-zA-Z])(?:\d|[_-](?:new|old))(?=[./#]|$)")  # the same, in a place


@lru_cache(maxsize=MAX_PLACES)
def rows_of(place: str) -> tuple[str, ...]:
    """Return variants of a place, each with one word of its last step; rows and cells of tables have one."""
    above, sign, step = _TURNS.sub("", place).rpartition("/")
    tag, words = parts_of(step)
    if tag == "td":
        above = _WORDS_OF_ROW.sub("", above)
    leads = [f".{row_word(word)}" for word in words if word[0] != "#" and tag not in _CELLS]
    return tuple(f"{above}{sign}{tag}{lead}" for lead in leads or [""])


def row_word(word: str) -> str:
    """Return a class word without the digit by which rows alternate.

    >>> row_word("row1"), row_word("windowbg2"), row_word("post")
    ('row', 'windowbg', 'post')
    """
    return _LAST_DIGIT.sub("", word)


@lru_cache(maxsize=MAX_PLACES)
def without_turns(place: str) -> str:
    """Return a place without the digits, or states, by which rows or their cells alternate.

    >>> without_turns("tr/td.trow2.name/b"), without_turns("h2/b")
    ('tr/td.trow.name/b', 'h2/b')
    """
    return _TURN_DIGITS.sub("", place)


def in_record(unit: Unit) -> Unit:
    """Return a unit of a record with its place below that; but for a headed table it is in no other record.

    >>> in_record(Unit("ul/li.item/b", "tea", (3, 2, 1), 0, True, "", 2, "ul/li")).place
    'b'
    """
    if unit.row.startswith(HEADED):
        steps = unit.place.split("/")
        at = max((number for number, step in enumerate(steps) if parts_of(step)[0] == "tr"), default=-1)
        return unit._replace(place="/".join(steps[at + 1 :]) or SCOPE)
    return unit._replace(place=_below_row(unit.place, unit.row), row="")


@lru_cache(maxsize=MAX_PLACES)
def _below_row(place: str, row: str) -> str:
    return "/".join(place.split("/")[row.count("/") + (not row.startswith(FLAT)) :]) or SCOPE


def is_in_cell(place: str) -> bool:
    """Return whether a place in a row of a table is a cell, or in one.

    >>> is_in_cell("td.name/p/b"), is_in_cell("b")
    (True, False)
    """
    return parts_of(place.partition("/")[0])[0] == "td"


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
    leading = [inside[one] > 0 and links[texts[first[one]][0]] != "" for one in range(len(names))]
    lists = [*_headed_lists(groups, names, parents, places, inside, leading)]
    listed = {key for key, _, _ in lists}
    grids = [*lists, *_grids(groups, parents, inside)]
    lone = ((key, key[1], group) for key, group in groups.items() if names[group[0]] != "td")
    of_grids, others = (
        [(key, row, [(one, range(first[one], after[one])) for one in group]) for key, row, group in some]
        for some in (grids, lone)
    )
    flats = {
        parent: found
        for parent, children in _children(parents, places, spans).items()
        if (found := flat_records(children, names, texts, links))
    }
    of_lines = _flats_of_lines(flats, groups, parents, inside)
    for parent, found in flats.items():
        row = f"{FLAT}{places[found[0][0]]}"
        others.append(((parent, row), row, found))
    for key, found in of_lines.items():
        of_grids.append((key, f"{FLAT}{places[found[0][0]]}", found))
    others.sort(key=lambda item: item[2][0][0])  # outer ones first
    records, compared = [NO_RECORD] * len(texts), [0] * len(texts)
    done = set[tuple[int, str]]()
    for key, row, members in (*of_grids, *others):
        start = members[0][1].start if len(members) >= least_of(row) and key not in done else -1
        if start < 0 or records[start][0] or compared[start] == MAX_LEVELS:
            continue
        flat = row.startswith(FLAT)
        behind = [records[number][0] > 0 for _, units in members for number in units[1:]]
        if flat and sum(behind) >= _OF_GRID * len(behind):
            continue  # each is a heading and a line of a grid
        are_records = flat or key in listed or _are_alike(texts, places, members)
        wrappers = [element for element, _ in members if are_records and not flat]
        inner = inner_records(wrappers, only, places, rows_of)
        done |= {key} if are_records else set()
        for element, units in members:
            for number in units:
                compared[number] += 1
                if are_records:
                    records[number] = inner.get(element, (element, row))
    return records


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
        if inside[one] >= 2 and names[one] not in _NO_RECORDS and not is_section(places[one])
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


def least_of(row: str) -> int:
    """Return how many elements of a row are records at least: one less, if a class word names them."""
    return MIN_RECORDS - ("." in row.rpartition("/")[2])


def _are_alike(texts: Sequence[Text], places: Sequence[str], group: Sequence[tuple[int, range]]) -> bool:
    """Return whether most units of some elements stand at places that half of the elements have.

    And most elements are like the next one: a user and what he says take turns, and are a post together.
    """
    below = [
        [without_turns(_below_row(places[texts[number][0]], places[element])) for number in units]
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


def _grids(
    groups: Mapping[tuple[int, str], list[int]], parents: Sequence[int], inside: Sequence[int]
) -> Iterator[tuple[tuple[int, str], str, list[int]]]:
    """Yield the key of the lines of each grid, and the row and the group of its members."""
    of = {element: key for key, group in groups.items() for element in group}
    members: defaultdict[tuple[int, str], defaultdict[str, list[int]]] = defaultdict(
        lambda: defaultdict(list)
    )
    lines: defaultdict[tuple[tuple[int, str], str], set[int]] = defaultdict(set)
    for (parent, row), group in groups.items():
        line = parent
        for _ in range(_WRAPPERS):
            if line in of and len(groups[of[line]]) > 1:
                members[of[line]][row].extend(group)
                lines[of[line], row].add(line)
                break
            line = parents[line]
    for key, rows in members.items():
        row, group = max(rows.items(), key=lambda item: len(item[1]))
        total = sum(inside[one] for one in groups[key])
        if len(group) >= 1.5 * len(lines[key, row]) and sum(inside[one] for one in group) >= _OF_GRID * total:
            yield key, row, group


def _flats_of_lines(
    flats: dict[int, list[tuple[int, range]]],
    groups: Mapping[tuple[int, str], list[int]],
    parents: Sequence[int],
    inside: Sequence[int],
) -> dict[tuple[int, str], list[tuple[int, range]]]:
    """Return the key of elements that hold flat records alone, each below a text at most -> these records.

    flats  parent -> its flat records
    """
    of = {element: key for key, group in groups.items() for element in group if len(group) > 1}
    members: defaultdict[tuple[int, str], list[tuple[int, range]]] = defaultdict(list)
    having: defaultdict[tuple[int, str], set[int]] = defaultdict(set)
    for parent, found in flats.items():
        line = next((one for one in (parent, parents[parent]) if one in of), 0)
        if line:
            members[of[line]] += found
            having[of[line]].add(line)
    return {
        key: found
        for key, found in members.items()
        if len(having[key]) == len(groups[key])
        and sum(inside[line] for line in groups[key]) - sum(len(units) for _, units in found)
        <= len(groups[key])
    }


def _headed_lists(
    groups: Mapping[tuple[int, str], list[int]],
    names: Sequence[str],
    parents: Sequence[int],
    places: Sequence[str],
    inside: Sequence[int],
    leading: Sequence[bool],
) -> Iterator[tuple[tuple[int, str], str, list[int]]]:
    """Yield the same of elements that have a list of links below a text: the letters of an index.

    leading  element -> whether it begins with a link
    """
    of = {element: key for key, group in groups.items() for element in group if len(group) > 1}
    members: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for element, name in enumerate(names):
        if name == "li" and leading[element]:
            line = next((one for one in (parents[element], parents[parents[element]]) if one in of), 0)
            if line and not leading[line]:
                members[of[line]].append(element)
    for key, items in members.items():
        lines, rows = groups[key], Counter(rows_of(places[element])[0] for element in items)
        heads = sum(inside[one] for one in lines) - sum(inside[one] for one in items)
        if heads == len(lines) and len(rows) == 1:
            yield key, *rows, items
