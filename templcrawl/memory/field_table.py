"""The columns of the page types of one site, learned while it is crawled: the fields of its pages.

*Sample.*  The pages with the smallest keys are kept as cells, packed: at most ``MOST_PAGES`` of a leaf, and
as many as ``MOST_BYTES`` are enough for.

*Learning.*  Each time that the pages have grown by half, the leaves are made page types, as at the end
(:mod:`templcrawl.memory.page_types`).  A type gets columns (:mod:`templcrawl.algorithms.columns.choice`) with
``LEAST_PAGES`` sampled pages, and others each time that these are twice as many.  With ``MOST_PAGES`` it is
settled: its columns stay, its pages are not sampled any more.  All this is one piece of work at a time, for
another thread.

*Names* that were given stay (:mod:`templcrawl.memory.field_names`).  A type that splits leaves its names to
both parts; of types that turn out to be one, those of the largest come first.

*A page* has the columns of the nearest leaf that has some and is built like the page.

Cost: packing 10 to 100 ms a MB of a sampled page; learning some 5 ms a page of the sample, at most six times
a type.  Memory: ``MOST_BYTES`` of sampled pages, and the columns of all types that were ever among the
``MOST_TYPES`` largest of their site.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from templcrawl.algorithms.columns.cells import Cell, read_cells
from templcrawl.algorithms.columns.choice import MOST_COLUMNS, TypeSample
from templcrawl.algorithms.columns.places import Places
from templcrawl.algorithms.columns.template import MOST_TEXT, Slot, Template
from templcrawl.algorithms.columns.values import Column, TypeColumns
from templcrawl.memory.field_names import keep_names
from templcrawl.memory.leaves import Leaves
from templcrawl.memory.page_types import LeafCounts
from templcrawl.memory.place import Place
from templcrawl.memory.snapshots import MOST_COUNT, Frozen, Lists, Numbers, Section, Snapshot
from templcrawl.page.separation import Separation

LEAST_PAGES, MOST_PAGES = 8, 32  # of a type: to have columns, to have them for good
MOST_TYPES = 32  # of a site that are learned, the largest
MOST_BYTES = 1_000_000  # of the sampled pages of a site
MOST_CELLS = 1_000  # of a sampled page
_GROWTH = 1.5
_NO_BOUND = 2**64
_TEXTS = ("name", "attribute", "kind", "css", "xpath", "regex")  # of a column that is stored
_PACKING = 1  # the fastest level of zlib

Packed = tuple[int, bytes]  # key of a page, its cells


@dataclass(frozen=True, eq=False)
class FieldType:
    """A page type with columns.

    pages   how many pages they were learned from
    given   place of a column or a table -> the name that it has been given
    packed  both as JSON, made where they are learned
    """

    pages: int
    columns: TypeColumns
    given: Mapping[str, str]
    packed: bytes


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
        return self._types[nearest].columns if place.is_near(nearest) else TypeColumns(Template(Places(())))

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
        cells = [
            cell._replace(text=cell.text[:MOST_TEXT], link=cell.link[:MOST_TEXT])
            for cell in read_cells(separation.page, separation.content_mask)[:MOST_CELLS]
        ]
        packed = zlib.compress(json.dumps(cells).encode(), _PACKING)
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
            cells = TypeSample(MOST_PAGES)
            for key, page in of_type:
                cells.add(key, [Cell(*each) for each in json.loads(zlib.decompress(page))])
            given = {place: name for each in reversed(joined) for place, name in each.given.items()}
            known_columns = [each.columns for each in joined]
            columns = keep_names(cells.columns(), given, known_columns, [page for _, page in cells.pages])
            packed = json.dumps([_plain(columns), given]).encode()
            earlier = FieldType(len(of_type), columns, given, packed)
        if earlier is not None:
            learned |= dict.fromkeys(keys, earlier)
    return learned


def _size(pages: Iterable[Packed]) -> int:
    return sum(len(packed) for _, packed in pages)


def _plain(columns: TypeColumns) -> dict[str, Any]:
    template = columns.template
    return {
        "words": sorted(template.places.words),
        "fixed": sorted(template.fixed),
        "prefixes": sorted(template.prefixes),
        "several": sorted(template.several),
        "columns": [
            {name: getattr(column, name) for name in (*_TEXTS, "slots", "many", "last", "share", "examples")}
            for column in columns.columns
        ],
        "rows": {name: _plain(of_rows) for name, of_rows in columns.rows.items()},
        "row": columns.row,
        "dropped": columns.dropped,
    }


def _unpacked(pages: int, packed: bytes) -> FieldType:
    """Return the type that was packed; raises ValueError, TypeError or KeyError for what was not."""
    plain, given = json.loads(packed)
    names = {str(place): str(name) for place, name in given.items()}
    return FieldType(pages, _columns(plain), names, packed)


def _columns(plain: Mapping[str, Any]) -> TypeColumns:
    template = Template(
        Places(map(str, plain["words"])),
        frozenset((str(place), str(text)) for place, text in plain["fixed"]),
        frozenset((str(place), str(label)) for place, label in plain["prefixes"]),
        frozenset(map(str, plain["several"])),
    )
    columns = [_column(column) for column in plain["columns"][:MOST_COLUMNS]]
    rows = {str(name): _columns(of_rows) for name, of_rows in plain["rows"].items()}
    return TypeColumns(template, tuple(columns), rows, str(plain["row"]), int(plain["dropped"]))


def _column(plain: Mapping[str, Any]) -> Column:
    name, attribute, kind, css, xpath, regex = (str(plain[each]) for each in _TEXTS)
    slots = tuple(Slot(*map(str, slot)) for slot in plain["slots"])
    many, share, examples = bool(plain["many"]), _share(plain["share"]), tuple(map(str, plain["examples"]))
    return Column(
        name, slots, attribute, kind, many, share, examples, css, xpath, regex, last=bool(plain["last"])
    )


def _share(number: object) -> float:
    if not isinstance(number, (int, float)) or not 0 <= number <= 1:
        raise ValueError(f"{number!r:.40} is no share")
    return number
