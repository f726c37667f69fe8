"""The names of the columns of a page type, which stay while the columns are learned again and again.

*Places.*  A column has the name that its place was given, a table of records likewise.  Where several claim
a name, or one of them has several, the one holds that agrees in most texts.

*Texts.*  A place may be written otherwise with more pages: a class word that the first pages had is none of
the type's.  So a new place has the name of an earlier column that has half of its texts on the sampled pages.

What else is new has a name that nothing has had: a name never goes to another place.

c columns and tables, n texts in them.  Cost: O(n c) at most, O(n) where texts differ.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from templcrawl.algorithms.columns.cells import Cell, in_record
from templcrawl.algorithms.columns.names import numbered_name
from templcrawl.algorithms.columns.values import Column, TypeColumns

LEAST_EQUAL = 0.5  # of the texts of a column: those that an earlier one has, whose name it takes

_Numbered = tuple[int, str]  # number of a column or, behind all columns, of a table; a name


def keep_names(
    columns: TypeColumns,
    given: dict[str, str],
    earlier: Sequence[TypeColumns] = (),
    pages: Iterable[Sequence[Cell]] = (),
) -> TypeColumns:
    """Return columns with the names that they have been given; new ones are added to these.

    given    place of a column, or of the records of a table -> its name
    earlier  the columns as they were before
    pages    cells of the sampled pages
    """
    pages = list(pages)
    row, tables = columns.row, [*columns.rows.values()]
    natural = [*(column.name for column in columns.columns), *columns.rows]
    places = [*(_places(column, row) for column in columns.columns), *([table.row] for table in tables)]
    names = _known_names(places, given, *_equal_texts(columns, earlier, pages))
    taken = {*names.values(), *(name for place, name in given.items() if _row_of(place) == row)}
    for number, name in enumerate(natural):
        if number not in names:
            names[number] = numbered_name(name, taken)
            taken.add(names[number])
        given.update(dict.fromkeys(places[number], names[number]))
    renamed = tuple(replace(column, name=names[number]) for number, column in enumerate(columns.columns))
    rows = {}
    for number, table in enumerate(tables, start=len(renamed)):
        before = [each.rows[names[number]] for each in earlier if names[number] in each.rows]
        rows[names[number]] = keep_names(table, given, before, _records(columns, table.row, pages))
    return replace(columns, columns=renamed, rows=rows)


def _places(column: Column, row: str) -> list[str]:
    which = "last" if column.last else ""
    return ["\n".join((row, column.attribute, which, *slot)) for slot in column.slots]


def _row_of(place: str) -> str:
    """Return the place of the records that a column is of; "" of a column of pages, and of a table."""
    row, is_of_column, _ = place.partition("\n")
    return row if is_of_column else ""


def _known_names(
    places: Sequence[Sequence[str]],
    given: dict[str, str],
    equal: Counter[_Numbered],
    total: Counter[int],
) -> dict[int, str]:
    """Return the names that are known of columns and tables by their places, else by their texts."""
    by_place = {
        (number, given[place]) for number, own in enumerate(places) for place in own if place in given
    }
    by_texts = {key for key, count in equal.items() if count >= LEAST_EQUAL * total[key[0]]}
    names: dict[int, str] = {}
    for key in sorted(by_place | by_texts, key=lambda key: (key not in by_place, -equal[key], key)):
        number, name = key
        if number not in names and name not in names.values():
            names[number] = name
    return names


def _equal_texts(
    columns: TypeColumns, earlier: Sequence[TypeColumns], pages: Iterable[Sequence[Cell]]
) -> tuple[Counter[_Numbered], Counter[int]]:
    """Return (column, earlier name) -> texts that both have on the same page; column -> all of its texts."""
    equal, total = Counter[_Numbered](), Counter[int]()
    for cells in pages if earlier else ():
        names: defaultdict[tuple[bool, str], set[str]] = defaultdict(set)  # of a table or not; text
        for each in earlier:
            of_each = [*(column.name for column in each.columns), *each.rows]
            for number, texts in enumerate(_texts(each, cells)):
                for text in texts:
                    names[number >= len(each.columns), text].add(of_each[number])
        for number, texts in enumerate(_texts(columns, cells)):
            is_table = number >= len(columns.columns)
            total[number] += len(texts)
            equal.update((number, name) for text in texts for name in names.get((is_table, text), ()))
    return equal, total


def _texts(columns: TypeColumns, cells: Sequence[Cell]) -> list[set[str]]:
    """Return the texts of a page in each column, then in each table."""
    values, records = columns.values(cells, ""), columns.records(cells, "")
    return [
        *(_listed(values.get(column.name, [])) for column in columns.columns),
        *(
            {text for record in records[name] for value in record.values() for text in _listed(value)}
            for name in columns.rows
        ),
    ]


def _listed(value: str | list[str]) -> set[str]:
    return {value} if isinstance(value, str) else set(value)


def _records(columns: TypeColumns, row: str, pages: Iterable[Sequence[Cell]]) -> Iterator[list[Cell]]:
    """Yield the cells of each record at a place."""
    for cells in pages:
        records: defaultdict[int, list[Cell]] = defaultdict(list)
        for cell in cells:
            if cell.record and columns.template.places[cell.row] == row:
                records[cell.record].append(in_record(cell))
        yield from records.values()
