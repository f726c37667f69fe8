"""The columns of the page types of one site, learned while it is crawled: the fields of its pages.

*Sample.*  The pages with the smallest keys are kept as cells, packed: at most ``MOST_PAGES`` of a leaf, and
as many as ``MOST_BYTES`` are enough for.

*Learning.*  Each time that the pages have grown by half, the leaves are made page types, as at the end
(:mod:`templcrawl.memory.page_types`).  A type gets columns (:mod:`templcrawl.algorithms.columns.choice`) with
``LEAST_PAGES`` sampled pages, and others each time that these are twice as many.  With ``MOST_PAGES`` it is
settled: its columns stay, its pages are not sampled any more.  All this is one piece of work at a time, for
another thread.

*Names* stay while a type is learned again and again: a column, or a table of records, has the name of the
earlier one that has most of its texts on the sampled pages, and half of them at least; whatever place it is
written as, now that there are more pages.  What is new has a name that nothing of the type has had.  A type
that splits leaves its names to both parts; of types that turn out to be one, those of the largest come first.

*A page* has the columns of the nearest leaf that has some and is built like the page.

Cost: packing 10 to 100 ms a MB of a sampled page; learning some 5 ms a page of the sample, at most six times
a type.  Memory: ``MOST_BYTES`` of sampled pages, and the columns of all types that were ever among the
``MOST_TYPES`` largest of their site.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, fields, replace
from typing import Any

from templcrawl.algorithms.columns.cells import Cell, pack, read_cells, unpack
from templcrawl.algorithms.columns.choice import MOST_COLUMNS, choose_columns
from templcrawl.algorithms.columns.names import free_name
from templcrawl.algorithms.columns.template import Slot, Template
from templcrawl.algorithms.columns.values import Column, TypeColumns, records_at
from templcrawl.memory.leaves import Leaves
from templcrawl.memory.page_types import LeafCounts
from templcrawl.memory.place import Place
from templcrawl.memory.snapshots import MOST_COUNT, Frozen, Lists, Numbers, Section, Snapshot
from templcrawl.page.separation import Separation

LEAST_PAGES, MOST_PAGES = 8, 32  # of a type: to have columns, to have them for good
MOST_TYPES = 32  # of a site that are learned, the largest
MOST_BYTES = 1_000_000  # of the sampled pages of a site
LEAST_EQUAL = 0.5  # of the texts of a column: those that an earlier one has, whose name it takes
_GROWTH = 1.5
_NO_BOUND = 2**64

Packed = tuple[int, bytes]  # key of a page, its cells
Given = dict[str, list[str]]  # name of a table of records, "" of the page -> the names that were given there


@dataclass(frozen=True, eq=False)
class FieldType:
    """A page type with columns.

    pages   how many pages they were learned from
    given   names that columns and tables have, or have had
    packed  both as JSON, made where they are learned
    """

    pages: int
    columns: TypeColumns
    given: Given
    packed: bytes


_Key = tuple[bool, str]  # whether it is a table of records; its name
Learned = dict[int, FieldType]  # key of a leaf -> its type
Run = Callable[[Callable[[], Learned]], "Future[Learned | None]"]


def at_once(work: Callable[[], Learned]) -> Future[Learned | None]:
    """Do some work here and now."""
    future: Future[Learned | None] = Future()
    future.set_result(work())
    return future


def at_the_end(work: Callable[[], Learned]) -> Future[Learned | None]:
    """Do no work until ``learn_now`` is called."""
    return Future()


class FieldTable(Section):
    """The columns of the page types of one site.

    learning  what is being learned; None if nothing is
    """

    def __init__(self, leaves: Leaves, run: Run = at_once) -> None:
        """Start without columns.

        leaves  those of the site
        run     does the learning, maybe elsewhere; its result is None where that has failed
        """
        self.learning: Future[Learned | None] | None = None
        self._leaves, self._run = leaves, run
        self._types: dict[int, FieldType] = {}  # leaf -> its type
        self._sample: dict[int, list[Packed]] = {}  # leaf -> its pages with the smallest keys
        self._bytes = 0
        self._bound = _NO_BOUND  # pages with smaller keys are sampled
        self._next = LEAST_PAGES

    def columns_of(self, place: Place) -> TypeColumns:
        """Return the columns of a page as known now; none where its type has none yet."""
        if self.learning is not None and self.learning.done():
            self._take(None if self.learning.cancelled() else self.learning.result())
        nearest = min(self._types, key=lambda leaf: (place.distance(leaf), leaf), default=-1)
        return self._types[nearest].columns if place.is_near(nearest) else TypeColumns(Template())

    def learn(self, separation: Separation, place: Place) -> None:
        """Learn from a page that is new."""
        known = self._types.get(place.leaf)
        if known is None or known.pages < MOST_PAGES:
            self._add(separation, place.leaf)
        pages = self._leaves.pages
        if pages < self._next or self.learning is not None or not self._sample:
            return
        self._next = max(pages + LEAST_PAGES, int(pages * _GROWTH))
        self.learning = self._run(self._work())

    def learn_now(self) -> None:
        """Learn all that there is to learn from the sample, at the end of a crawl."""
        self._take(self._work()())

    def _work(self) -> Callable[[], Learned]:
        """Return the work of learning, with copies of all that it needs."""
        keys, counts = self._leaves.keys, self._leaves.counted_here()
        sample = {keys[leaf]: list(pages) for leaf, pages in self._sample.items()}
        types = {keys[leaf]: of_leaf for leaf, of_leaf in self._types.items()}
        return lambda: learn_types(counts, sample, types)

    def _add(self, separation: Separation, leaf: int) -> None:
        """Add a page to the sample if its key is small enough."""
        key, before = separation.page.key, self._sample.get(leaf, [])
        if key >= self._bound or (len(before) == MOST_PAGES and key > before[-1][0]):
            return
        packed = pack(read_cells(separation.page, separation.content_mask))
        pages = self._sample[leaf] = sorted([*before, (key, packed)])[:MOST_PAGES]
        self._bytes += _size(pages) - _size(before)
        while self._bytes > MOST_BYTES:
            largest = max(self._sample, key=lambda leaf: self._sample[leaf][-1][0])
            self._bound, dropped = self._sample[largest].pop()
            self._bytes -= len(dropped)
            if not self._sample[largest]:
                del self._sample[largest]

    def _take(self, learned: Learned | None) -> None:
        """Take what was learned, if it was; forget merged leaves, and pages that no type needs any more."""
        self.learning = None
        of_key = {key: leaf for leaf, key in enumerate(self._leaves.keys)}
        self._types |= {of_key[key]: of_leaf for key, of_leaf in (learned or {}).items()}
        for leaf in list(self._types):
            if (now := self._leaves.current(leaf)) != leaf and now in self._types:
                del self._types[leaf]
        for leaf in list(self._sample):
            of_leaf = self._types.get(self._leaves.current(leaf))
            if of_leaf is not None and of_leaf.pages >= MOST_PAGES:
                self._bytes -= _size(self._sample.pop(leaf))
                self._bound = _NO_BOUND

    def of_leaves(self, leaf_ids: Iterable[str]) -> TypeColumns | None:
        """Return the columns that most of some leaves have, None where none has any."""
        leaves = (self._leaves.number(leaf_id) for leaf_id in leaf_ids)
        types = Counter(self._types[leaf] for leaf in leaves if leaf in self._types)
        return max(types, key=lambda each: (types[each], each.pages)).columns if types else None

    def columns(self) -> Frozen:
        """Return the types and their leaves; the sample is not saved."""
        types = list(dict.fromkeys(self._types.values()))
        number_of = {each: number for number, each in enumerate(types)}
        return {
            "leaves": Numbers(list(self._types)),
            "types": Numbers([number_of[each] for each in self._types.values()]),
            "pages": Numbers([each.pages for each in types]),
            "columns": Lists([each.packed for each in types], "u1"),
        }

    def load(self, snapshot: Snapshot) -> None:
        """Take the types, which learn again from the pages to come."""
        pages = snapshot.numbers("pages", below=MOST_COUNT).tolist()
        types = list(map(_unpacked, pages, snapshot.strings("columns", count=len(pages))))
        numbers = snapshot.numbers("types", below=len(types)).tolist()
        leaves = snapshot.numbers("leaves", count=len(numbers), below=len(self._leaves.keys)).tolist()
        self._types = {leaf: types[number] for leaf, number in zip(leaves, numbers)}
        self._next = self._leaves.pages + LEAST_PAGES  # of the new sample


def learn_types(counts: LeafCounts, sample: Mapping[int, Sequence[Packed]], known: Learned) -> Learned:
    """Return the types of the leaves, as far as they have columns.

    sample  key of a leaf -> the pages that it has in the sample
    known   the types as they were learned before
    Cost: that of the page types and of the columns.
    """
    pages: defaultdict[int, list[Packed]] = defaultdict(list)
    for key, of_leaf in sample.items():
        pages[counts.into.get(key, key)] += of_leaf
    before: defaultdict[int, set[FieldType]] = defaultdict(set)  # several of leaves that were merged
    for key, each in known.items():
        before[counts.into.get(key, key)].add(each)
    learned: Learned = {}
    groups = sorted(counts.groups(), key=lambda rows: -counts.pages[rows].sum())
    for rows in groups[:MOST_TYPES]:
        keys = [counts.keys[row] for row in rows]
        votes: Counter[FieldType] = Counter()
        for row, key in zip(rows, keys):
            for each in before.get(key, ()):
                votes[each] += int(counts.pages[row])
        joined = sorted(votes, key=lambda each: (-votes[each], -each.pages, each.packed))
        earlier = joined[0] if joined else None
        of_type = sorted(page for key in keys for page in pages[key])[:MOST_PAGES]
        if len(of_type) >= max(LEAST_PAGES, 2 * earlier.pages if earlier is not None else 0):
            cells = [unpack(packed) for _, packed in of_type]
            tables = {table for each in joined for table in each.given}
            given = {
                table: [name for each in joined for name in each.given.get(table, ())] for table in tables
            }
            columns = keep_names(choose_columns(cells), [each.columns for each in joined], cells, given)
            packed = json.dumps([columns, given], default=_plain).encode()
            earlier = FieldType(len(of_type), columns, given, packed)
        if earlier is not None:
            learned |= dict.fromkeys(keys, earlier)
    return learned


def keep_names(
    columns: TypeColumns,
    earlier: Sequence[TypeColumns],
    pages: Sequence[Sequence[Cell]],
    given: Given,
    table: str = "",
) -> TypeColumns:
    """Return columns with the names that they had; new ones are added to the names that were given.

    earlier  the columns as they were before
    pages    cells of the sampled pages, or of the records of a table
    table    its name, "" of pages
    Cost: O(n c) for n texts in c columns, O(n) where texts differ.
    """
    equal, total = Counter[tuple[_Key, str]](), Counter[_Key]()
    largest = {name: -number for number, each in enumerate(reversed(earlier)) for _, name in _keys(each)}
    for cells in pages if earlier else ():
        before: defaultdict[tuple[bool, str], set[str]] = defaultdict(set)
        for (is_table, name), text in (text for each in earlier for text in _texts(each, cells)):
            before[is_table, text].add(name)
        for key, text in _texts(columns, cells):
            total[key] += 1
            equal.update((key, name) for name in before.get((key[0], text), ()))
    names: dict[_Key, str] = {}
    held: set[str] = set()
    for key, name in sorted(equal, key=lambda pair: (-equal[pair], largest[pair[1]], pair)):
        if equal[key, name] >= LEAST_EQUAL * total[key] and key not in names and name not in held:
            names[key] = name
            held.add(name)
    taken = held.union(given.get(table, ()))
    for key in _keys(columns):
        if key not in names:
            names[key] = free_name(key[1], "", taken)
            taken.add(names[key])
    given[table] = sorted(taken)
    renamed = tuple(replace(column, name=names[False, column.name]) for column in columns.columns)
    rows = {}
    for natural, of_rows in columns.rows.items():
        name = names[True, natural]
        records = [record for cells in pages for record in records_at(cells, of_rows.row, columns.template)]
        rows_before = [each.rows[name] for each in earlier if name in each.rows]
        rows[name] = keep_names(of_rows, rows_before, records, given, name)
    return replace(columns, columns=renamed, rows=rows)


def _keys(columns: TypeColumns) -> list[_Key]:
    return [*((False, column.name) for column in columns.columns), *((True, name) for name in columns.rows)]


def _texts(columns: TypeColumns, cells: Sequence[Cell]) -> set[tuple[_Key, str]]:
    """Return the texts of a page in each column and table."""
    values = [(False, *value) for value in columns.values(cells, "").items()]
    for name, records in columns.records(cells, "").items():
        values += ((True, name, value) for record in records for value in record.values())
    return {
        ((is_table, name), text)
        for is_table, name, value in values
        for text in (value if isinstance(value, list) else [value])
    }


def _size(pages: Iterable[Packed]) -> int:
    return sum(len(packed) for _, packed in pages)


def _plain(value: Any) -> Any:
    """Return a dataclass, or a set, as JSON has it."""
    if isinstance(value, frozenset):
        return sorted(value)
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _unpacked(pages: int, packed: bytes) -> FieldType:
    """Return the type that was packed; raises ValueError, TypeError or KeyError for what was not."""
    plain, given = json.loads(packed)
    names = {table: list(map(str, names)) for table, names in given.items()}
    return FieldType(pages, _checked(TypeColumns, plain), names, packed)


def _checked(kind: Any, plain: Mapping[str, Any]) -> Any:
    """Return a dataclass of what JSON has of it."""
    return kind(**{field.name: _CHECKED[field.type](plain[field.name]) for field in fields(kind)})


def _share(number: object) -> float:
    if not isinstance(number, (int, float)) or not 0 <= number <= 1:
        raise ValueError(f"{number!r:.40} is no share")
    return number


# Type of a field -> what makes it of JSON.
_CHECKED: Mapping[Any, Callable[[Any], Any]] = {
    "str": str,
    "bool": bool,
    "int": int,
    "float": _share,
    "tuple[str, ...]": lambda texts: tuple(map(str, texts)),
    "tuple[Slot, ...]": lambda slots: tuple(Slot(*map(str, slot)) for slot in slots),
    "frozenset[str]": lambda texts: frozenset(map(str, texts)),
    "frozenset[tuple[str, str]]": lambda pairs: frozenset(
        (str(first), str(second)) for first, second in pairs
    ),
    "Template": lambda template: _checked(Template, template),
    "tuple[Column, ...]": lambda columns: tuple(_checked(Column, each) for each in columns[:MOST_COLUMNS]),
    "Mapping[str, TypeColumns]": lambda rows: {
        name: _checked(TypeColumns, each) for name, each in rows.items()
    },
}
