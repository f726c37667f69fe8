"""Tell the fixed texts of a page type from its values, by a sample of pages.

*Fixed* is a text that most pages of a type which have its place have there: a label or furniture.  It is
never a value, unless it links to several hosts.  Of a place that nearly all pages have the same times, with
texts of several kinds, a text is told by its number there.

Source: RoadRunner (Crescenzi, Mecca, Merialdo, VLDB 2001): what pages of one template repeat is template, a
mismatch is a field; EXALG (Arasu, Garcia-Molina, SIGMOD 2003): values are told apart by their place in the
template.  Departures: texts are aligned by their place, not by a grammar, which is linear and tolerates a
missing part; nobody says which pages are of one type.

n units, in places of d steps.  Cost: O(n d).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, pairwise
from statistics import fmean

from templcrawl.algorithms.columns.facts import is_like_label, is_title, key_of
from templcrawl.algorithms.columns.headed_tables import HEADED
from templcrawl.algorithms.columns.labels import labels_of
from templcrawl.algorithms.columns.links import Hosts, are_data
from templcrawl.algorithms.columns.names import says_tags
from templcrawl.algorithms.columns.places import Places
from templcrawl.algorithms.columns.row_places import is_in_cell, row_word, rows_of
from templcrawl.algorithms.columns.slots import Spot, Template, begins_text
from templcrawl.algorithms.columns.texts import (
    block_places,
    places_apart,
    places_inside,
    places_of_template,
    sections_of,
    text_places,
)
from templcrawl.algorithms.columns.units import FIRST, MAX_PLACES, Unit, parts_of
from templcrawl.algorithms.columns.value_kinds import count_key, kind_of

MIN_PAGES = 3
_FIXED = 0.995  # share of the pages with its place that have a fixed text: one author may write nearly all
_FIXED_OF_SEVERAL = 0.9  # in a place that a page has several times
_GONE = 0.5  # texts fewer in a place, on average, where a text is missing and no other has its place
_MAX_NUMBERED, _SAME_SIZE = 6, 0.8  # texts of a place that are told by their number; pages that have as many
_SAME_CELLS = 0.95  # of the records that are rows: those with as many cells; an empty one moves the others
_TAGGED = 0.5  # tags of a page, on average, beside those that all pages have
_COUNTED = 0.5  # of the pages with texts in a place: those with several, and with a count among these
_SHARED = 0.2  # of the values of two numbers of a place: they are of one kind
_PIVOTS = 0.15  # of the pages: those that have a row of a table that is a fact
# Of the texts of a place: those with sections or code behind their first paragraph; with several sections.
_SECTIONED, _PARTED = 0.5, 0.5
FEW_HAVE = 0.1  # of the pages have a class word that places keep
SEVERAL = 1.5  # texts in a place on a page, on average


def template_of(
    pages: Sequence[Sequence[Unit]], words: frozenset[str], rows: frozenset[str], own: Hosts
) -> Template:
    """Return the template of a page type.

    words  class words that places keep
    rows   rows of records that are read by themselves
    own    hosts of the pages; None of records: these have no other labels of columns than the headings
    """
    template = outline_of(pages, words, rows)
    scopes = [template.outside(units) for units in pages]
    sizes, counts = _sizes(template, scopes)
    cells = _cells(template, scopes, sizes)
    counts = {place: counted for place, counted in counts.items() if place not in cells}
    template = replace(template, sizes=sizes, counts=counts, cells=cells)
    template = _add_fixed(template, scopes, own)
    labels = labels_of(scopes, template.place, template.text_place)
    labels = replace(labels, alone=labels.alone | template.pivots)
    return replace(template, labels=labels, pivots=frozenset() if own is None else template.pivots)


def row_around(place: str, rows: frozenset[str], places: Places) -> str:
    """Return the outermost of some rows around a place, "" without one."""
    ends = (*(end for end, sign in enumerate(place) if sign == "/"), len(place))
    return next((row for end in ends for row in rows_of(place[:end]) if places[row] in rows), "")


def mark_rows(
    pages: Sequence[Sequence[Unit]], words: frozenset[str], rows: frozenset[str], own: frozenset[str]
) -> list[Sequence[Unit]]:
    """Return pages with what is in records marked: in one that stands alone on a page, in others in one.

    words  class words that places keep
    rows   rows of records that are read by themselves
    own    those that are no records where they stand alone
    """
    places = Places(words)

    @lru_cache(maxsize=MAX_PLACES)
    def known(place: str, among: frozenset[str]) -> str:
        return row_around(place, among, places)

    marked = list[Sequence[Unit]]()
    for units in pages:
        among = rows - own.difference(places[unit.row] for unit in units if unit.record)
        marked.append(
            [
                unit
                if unit.row.startswith(HEADED) or not (row := known(unit.place, among))
                else unit._replace(row=row)
                for unit in units
            ]
            if rows
            else units
        )
    return marked


def outline_of(pages: Sequence[Sequence[Unit]], words: frozenset[str], rows: frozenset[str]) -> Template:
    """Return where pages have running text, and what begins the rows of their headed tables."""
    template = Template(words, rows)
    scopes = [[(template.wholes[unit.place], unit) for unit in template.outside(units)] for units in pages]
    blocks = block_places(scopes)
    template = replace(template, texts=text_places(scopes, blocks), pivots=_pivots_of(pages))
    if not template.texts:
        return template
    template = replace(template, inside=places_inside(scopes, template.texts) | blocks)
    running = [[(place, unit) for place, unit in scope if template.text_place(unit)] for scope in scopes]
    titles = {unit.text for scope in scopes for _, unit in scope if is_title(unit)}
    has_title = 2 * len(titles) > len(scopes)
    apart = places_apart(running, has_title=has_title).union(places_of_template(running, template.texts))
    template = replace(template, apart=apart)
    led, parted = _sectioned(template, running)
    return replace(template, led=led, parted=parted)


def _sectioned(
    template: Template, running: Sequence[Sequence[tuple[str, Unit]]]
) -> tuple[frozenset[str], dict[str, str]]:
    """Return the places of running text of which most have sections, or code, behind a first paragraph.

    And of those with several sections, mostly: place -> the heading of these.
    """
    texts, led = Counter[str](), Counter[str]()
    parted: defaultdict[str, Counter[str]] = defaultdict(Counter)  # place -> heading -> texts
    for scope in running:
        parts: defaultdict[str, list[Unit]] = defaultdict(list)
        for _, unit in scope:
            parts[template.text_place(unit)].append(unit)
        texts.update(parts.keys())
        for place, units in parts.items():
            first = next((at for at, unit in enumerate(units) if begins_text(unit)), len(units))
            led[place] += any(unit.tag != "p" and begins_text(unit) for unit in units[first + 1 :])
            parted[place].update({unit.heading for unit in sections_of(units)})
    return (
        frozenset(place for place, count in led.items() if count >= _SECTIONED * texts[place]),
        {
            place: counts.most_common(1)[0][0]
            for place, counts in parted.items()
            if counts and counts.total() >= _PARTED * texts[place]
        },
    )


def _add_fixed(template: Template, scopes: Sequence[Sequence[Unit]], own: Hosts) -> Template:
    having, standing, texts = Counter[tuple[str, int]](), Counter[tuple[str, int]](), Counter[Spot]()
    beside = Counter[Spot]()  # texts in its place on the pages that have it
    placed = [template.spots(units) for units in scopes]
    for spots in placed:
        counts = Counter(spot[:2] for spot in spots)
        standing.update(counts)
        having.update(counts.keys())
        for spot in dict.fromkeys(spots):
            texts[spot] += 1
            beside[spot] += counts[spot[:2]]
    several = {where for where, count in standing.items() if count > SEVERAL * having[where]}
    least = max(MIN_PAGES, 0.1 * len(scopes))
    linked = {spot: set[str]() for spot, count in texts.items() if count >= least}  # where a text leads
    for spot, unit in zip(chain.from_iterable(placed), chain.from_iterable(scopes)):
        if unit.link and spot in linked:
            linked[spot].add(unit.link)

    def is_repeated(spot: Spot) -> bool:
        where, count = spot[:2], texts[spot]
        if where not in several:
            return count >= _FIXED * having[where]
        lacking = having[where] - count
        is_replaced = lacking and (standing[where] - beside[spot]) / lacking > beside[spot] / count - _GONE
        is_kept = not (spot[2].isdecimal() or is_replaced)  # a number there is one of a list
        return count >= _FIXED_OF_SEVERAL * having[where] and is_kept

    repeated = set(filter(is_repeated, linked))
    of_all: defaultdict[tuple[str, int], set[Spot]] = defaultdict(set)
    for spot in repeated:
        of_all[spot[:2]].add(spot)
    for where, same in of_all.items():  # all pages may have one tag, and others beside it
        others = standing[where] - sum(texts[spot] for spot in same)
        if says_tags(where[0]) and any(linked[spot] for spot in same) and others >= _TAGGED * having[where]:
            repeated -= same
    leading = [
        spot for spot in linked if spot in repeated and are_data(spot[2], linked[spot], texts[spot], own)
    ]
    return replace(template, fixed=frozenset(repeated.difference(leading)), leading=_numbered(leading))


def _numbered(spots: Sequence[Spot]) -> dict[Spot, int]:
    """Return spot -> its number, of those at one place that are not told by one; 0 if it is the only one."""
    places, numbers = Counter(place for place, number, _ in spots if not number), Counter[str]()
    found = {}
    for spot in spots:
        place, number, _ = spot
        numbers[place] += places[place] > 1
        found[spot] = number or numbers[place]
    return found


def words_of(pages: Iterable[Sequence[Unit]]) -> frozenset[str]:
    """Return the class words that the places of a type keep."""
    having, number = Counter[str](), 0
    for units in pages:
        number += 1
        steps = {step for place in {unit.place for unit in units} for step in place.split("/")}
        words = {word for step in steps for word in parts_of(step)[1]}
        having.update(words | set(map(row_word, words)))
    return frozenset(word for word, count in having.items() if count >= max(2, FEW_HAVE * number))


def _pivots_of(pages: Sequence[Sequence[Unit]]) -> frozenset[str]:
    """Return the texts that begin rows of tables on several pages, once on each."""
    having, repeated = Counter[str](), Counter[str]()
    for units in pages:
        firsts = Counter[str]()
        record = 0
        for unit in units:
            is_headed = unit.row.startswith(HEADED)
            if unit.record not in (0, record) if is_headed else unit.sign == FIRST:
                record = unit.record
                if not unit.link and not unit.is_picture and is_like_label(unit.text):
                    firsts[key_of(unit.text)] += 1
        having.update(firsts.keys())
        repeated.update(key for key, count in firsts.items() if count > 1)
    least = max(MIN_PAGES, _PIVOTS * len(pages))
    return frozenset(key for key, count in having.items() if count >= least and repeated[key] <= 0.1 * count)


def _sizes(
    template: Template, scopes: Sequence[Sequence[Unit]]
) -> tuple[dict[str, int], dict[str, dict[str, int]]]:
    """Return place -> how many of its texts are told by their number, where nearly all pages have as many.

    And of other places with several texts: place -> key of a count that pages have once -> which of these
    it is.
    """
    found: defaultdict[str, list[list[str]]] = defaultdict(list)
    for units in scopes:
        texts_at: defaultdict[str, list[str]] = defaultdict(list)
        for unit in units:
            if not unit.row.startswith(HEADED) and not template.text_place(unit):
                texts_at[template.place(unit)].append(unit.text)
        for place, values in texts_at.items():
            found[place].append(values)
    sizes, counts = dict[str, int](), dict[str, dict[str, int]]()
    for place, lists in found.items():
        size, count = Counter(map(len, lists)).most_common(1)[0]
        is_numbered = 1 < size <= _MAX_NUMBERED and count >= _SAME_SIZE * len(lists) and not says_tags(place)
        is_list = any(parts_of(step)[0] in ("li", "option") for step in place.split("/")[-2:])
        is_row = is_in_cell(place) and count >= _SAME_CELLS * len(lists)
        if is_numbered and (is_row or _are_columns(_by_number(lists, size), is_list=is_list)):
            sizes[place] = size
        elif not is_list and (counted := _counted(lists)):
            counts[place] = counted
    return sizes, counts


def _by_number(lists: Sequence[Sequence[str]], size: int) -> list[list[str]]:
    return [[values[number] for values in lists if len(values) > number] for number in range(size)]


def _cells(template: Template, scopes: Sequence[Sequence[Unit]], sizes: Collection[str]) -> frozenset[str]:
    """Return the places of which the texts are told by the number of their cell, but for those in ``sizes``.

    A row has one text in a cell there, mostly, and the cells are of several kinds.
    """
    found: defaultdict[str, list[dict[int, str]]] = defaultdict(list)
    standing = Counter[str]()
    for units in scopes:
        texts_at: defaultdict[str, dict[int, str]] = defaultdict(dict)
        for unit in units:
            if unit.cell and (place := template.place(unit)) not in sizes:
                texts_at[place].setdefault(unit.cell, unit.text)
                standing[place] += 1
        for place, texts in texts_at.items():
            found[place].append(texts)
    return frozenset(
        place
        for place, rows in found.items()
        if standing[place] <= SEVERAL * sum(map(len, rows))
        and _are_columns(
            [[row[cell] for row in rows if cell in row] for cell in sorted({*chain.from_iterable(rows)})],
            is_list=False,
        )
    )


def _counted(lists: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the keys of counts that some of several lists have, once each -> which of these it is."""
    several = [values for values in lists if len(values) > 1]
    having, standing = Counter[str](), Counter[str]()
    for values in several if len(several) >= _COUNTED * len(lists) else ():
        keys = [*filter(None, map(count_key, values))]
        standing.update(keys)
        having.update(set(keys))
    least = max(MIN_PAGES, _COUNTED * len(lists))
    found = (key for key, count in standing.items() if count == having[key] >= least)
    return {key: number for number, key in enumerate(found, start=1)}


def _are_columns(columns: Sequence[Sequence[str]], *, is_list: bool) -> bool:
    """Return whether the texts of a place, by their number, are of several kinds."""
    are_kinds = len(set(map(kind_of, columns))) > 1
    if is_list or are_kinds or any(len(set(column)) == 1 for column in columns):
        return are_kinds or not is_list
    shared = [
        len(set(one) & set(other)) / max(1, min(len(set(one)), len(set(other))))
        for one, other in pairwise(columns)
    ]
    repeats = [len(set(column)) < 0.5 * len(column) for column in columns]
    return len(columns) > 1 and fmean(shared) < _SHARED and any(repeats)
