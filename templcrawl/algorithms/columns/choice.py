"""The columns of a page type, by a sample of its pages.

In this order: records (:mod:`templcrawl.algorithms.columns.records`), which are pages of a type of their own
unless they are sections of facts or the same on many pages; what the pages repeat, and the slots of values
(:mod:`templcrawl.algorithms.columns.places`); candidates, what pages declare among them
(:mod:`templcrawl.algorithms.columns.candidates`); scores and copies; names.

Source: our own.
n units of the sample, c columns, p places.  Cost: O(n d + c p) with places of depth d.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from statistics import fmean

from templcrawl.algorithms.columns.candidates import (
    HREF,
    Candidate,
    Found,
    candidates_of,
    join_declared,
    links_of,
    section_of,
)
from templcrawl.algorithms.columns.facts import key_of
from templcrawl.algorithms.columns.labels import labels_of
from templcrawl.algorithms.columns.names import LONGEST_NAME, free_name, is_furniture, name_of, rows_name
from templcrawl.algorithms.columns.places import TEXT_OF, Slot, Template
from templcrawl.algorithms.columns.reading import PageUnits
from templcrawl.algorithms.columns.records import HEADED, in_record
from templcrawl.algorithms.columns.scores import MIN_SCORE, copies, score_of
from templcrawl.algorithms.columns.selectors import Describer
from templcrawl.algorithms.columns.template import (
    MIN_PAGES,
    drop_rows,
    outline_of,
    template_of,
    words_of,
)
from templcrawl.algorithms.columns.units import Unit
from templcrawl.algorithms.columns.value_kinds import DATE, MONEY
from templcrawl.algorithms.columns.values import Column, TypeColumns

MAX_COLUMNS, MAX_SHOWN = 200, 20
RESERVED = frozenset({"url", "position"})  # names of what stands beside the columns in a table
_MIN_SHARE, _MIN_FACTS = 0.05, 0.02
_MAX_RECORDS, _MAX_ROWS = 512, 16  # records of a sample; tables of records of a type
_REPEATED = 0.3  # of the pages that have a table have the same record, on average: it is furniture
_LEADING, _SHARED = 0.5, 0.8  # of records: that begin with a label; of labels: those of one member alone
_LEADING_SCORE = 3.0  # of the link of a record
_FREQUENT = 0.3  # of the pages: a fact that so many have is shown beyond the best ``MAX_SHOWN`` columns

Records = dict[tuple[int, int], list[Unit]]  # (page, element) -> the units of a record


def choose_columns(pages: Sequence[PageUnits], row: str = "") -> TypeColumns:
    """Return the columns of a type.

    pages  those of the sample
    row    place of the records that take the place of pages; "": these are pages
    """
    units = [page.units for page in pages]
    words = words_of(units)
    tables, in_rows = ({}, frozenset[str]()) if row else _tables(units, words)
    units = drop_rows(units, words, in_rows)
    template = template_of(units, words, in_rows)
    slots: defaultdict[Slot, Found] = defaultdict(dict)
    positions: defaultdict[Slot, list[int]] = defaultdict(list)
    for number, of_page in enumerate(units):
        at = {id(unit): position for position, unit in enumerate(of_page)}
        for slot, value in template.read(of_page):
            slots[slot].setdefault(number, []).append(value)
            positions[slot].append(at[id(value.unit)])
    least = max(MIN_PAGES, _MIN_SHARE * len(pages))
    few = max(2, _MIN_FACTS * len(pages))
    found = candidates_of(slots, {slot: fmean(where) for slot, where in positions.items()})
    found = join_declared(found, [page.declared for page in pages])
    found = [one for one in found if len(one.texts) >= (few if one.is_fact else least)]
    more = [part(one) for part in (links_of, section_of) for one in found if one.slots]
    found += [one for one in more if one is not None and len(one.texts) >= least]
    describer = Describer(template, units, of_records=row != "")
    distinct = len({tuple(unit.text for unit in of_page) for of_page in units})
    columns, dropped = _columns(found, len(pages), distinct, describer, is_headed=row.startswith(HEADED))
    of_rows: dict[str, TypeColumns] = {}
    for key, records in tables.items():
        chosen = choose_columns([PageUnits(of_record) for of_record in records.values()], key)
        if len(chosen.columns) > 1:
            name = _table_name(key, chosen, of_rows)
            of_rows[name] = replace(chosen, xpath=describer.elements(key, tables))
    return TypeColumns(template, tuple(columns), of_rows, row, dropped=dropped)


def _columns(
    found: Sequence[Candidate], pages: int, distinct: int, describer: Describer, *, is_headed: bool
) -> tuple[list[Column], int]:
    """Return the columns of candidates in the order of a page; how many are beyond ``MAX_COLUMNS``.

    distinct  pages with another text each: a record may stand on several pages
    """
    names = [_name(one) for one in found]
    lost = copies(found)
    scores = [
        score_of(one, name, pages) - lost.get(at, 0.0) for at, (one, name) in enumerate(zip(found, names))
    ]
    leading = [at for at, one in enumerate(found) if describer.of_records and _leads_on(one, pages, distinct)]
    if leading:
        scores[min(leading, key=lambda at: found[at].order)] = _LEADING_SCORE
    order = sorted(range(len(found)), key=lambda at: (-scores[at], found[at].order, names[at]))
    taken = set(RESERVED)
    columns = []
    for rank, at in enumerate(order[:MAX_COLUMNS]):
        one = found[at]
        name = free_name(names[at], one.place, taken)
        taken.add(name)
        is_said = one.is_fact and (is_headed or len(one.texts) >= _FREQUENT * pages)
        is_shown = (is_headed and one.is_fact) or (scores[at] > MIN_SCORE and (rank < MAX_SHOWN or is_said))
        columns.append((one.order, describer.describe(one, name, is_shown=is_shown)))
    columns.sort(key=lambda item: item[0])
    return [column for _, column in columns], max(len(found) - MAX_COLUMNS, 0)


def _leads_on(one: Candidate, records: int, distinct: int) -> bool:
    """Return whether a candidate is the links of records, nearly each another one."""
    is_one = one.attribute == HREF and 2 * len(one.texts) >= records
    return is_one and len(set(one.flat)) >= 0.8 * min(len(one.flat), distinct)


def _name(one: Candidate) -> str:
    """Return the name that a candidate should have."""
    if one.base is not None:
        return f"{_name(one.base)[: LONGEST_NAME - 4]}_url"
    if one.last:
        return "section"
    if one.slots and one.slots[0].number == TEXT_OF and not one.declared:
        return "text"
    return name_of(one.label, one.place, one.kind) if one.is_fact or not one.declared else one.declared


def _tables(
    pages: Sequence[Sequence[Unit]], words: frozenset[str]
) -> tuple[dict[str, Records], frozenset[str]]:
    """Return row -> its records, of those that have tables; and the rows that are no part of a page.

    words  class words that places keep
    """
    template = Template(words)
    whole = outline_of(pages, words, frozenset())
    labels = labels_of(pages, template.place, whole.text_place)
    known = labels.alone | labels.units
    found: defaultdict[str, Records] = defaultdict(dict)
    for number, units in enumerate(pages):
        for unit in units:
            if unit.record:
                found[template.row(unit)].setdefault((number, unit.record), []).append(unit)
    tables: dict[str, Records] = {}
    apart = set[str]()
    for row, records in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        of_pages = len({page for page, _ in records})
        several = list(records.values())
        is_headed = row.startswith(HEADED)
        is_content = 3 * sum(unit.content for record in several for unit in record) >= sum(map(len, several))
        if (of_pages < MIN_PAGES and len(records) < 15) or (not is_content and not is_headed):
            continue
        if len(records) < (1.2 if is_headed else 2) * of_pages or _are_facts(records, known, whole.pivots):
            continue
        texts = {tuple(unit.text for unit in record) for record in several}
        is_frequent = of_pages >= _REPEATED * len(pages)
        are_same = len(records) >= max(MIN_PAGES, _REPEATED * of_pages) * len(texts)
        if is_furniture(row) or (are_same and is_frequent):
            apart.add(row)
        elif len(tables) < _MAX_ROWS and not whole.text_place(
            several[0][0]._replace(place=f"{several[0][0].row}/x")
        ):
            tables[row] = {
                key: [in_record(unit) for unit in record]
                for key, record in list(records.items())[:_MAX_RECORDS]
            }
            apart.add(row)
    return tables, frozenset(apart)


def _are_facts(records: Records, labels: Set[str], pivots: frozenset[str]) -> bool:
    """Return whether records are facts of the page: they begin with a label, or nearly no label is in two."""
    leading, units, number = 0, 0, 0
    members: defaultdict[int, list[set[str]]] = defaultdict(list)
    for (page, _), record in records.items():
        first = [key_of(unit.text) for unit in record[:2]]
        leading += (len(record) <= 4 and any(key in labels for key in first)) or (
            record[0].head != "" and first[0] in pivots
        )
        members[page].append({key for unit in record if (key := key_of(unit.text)) in labels})
    if leading >= _LEADING * len(records):
        return True
    for page, sets in members.items():
        total = sum(map(len, sets))
        if total >= 3 and len(sets) > 1 and len(set().union(*sets)) > _SHARED * total:
            units += sum(len(record) for (of, _), record in records.items() if of == page) < 3 * total
        number += 1
    return 2 * units > number


def _table_name(row: str, columns: TypeColumns, taken: Mapping[str, TypeColumns]) -> str:
    """Return the name of a table of records."""
    if row.startswith(HEADED):
        heads = [one.label for one in columns.columns if one.label][:2]
        return free_name("_".join(heads) or "rows", "", taken)
    name = rows_name(row, taken)
    if name.startswith("rows"):
        kinds = Counter(one.kind for one in columns.columns if one.share > 0.5)
        name = free_name("products" if kinds[MONEY] else "posts" if kinds[DATE] else "items", "", taken)
    return name
