"""How relevant the pages around each pagelet and in each directory of a site were, for a focused crawl.

A pagelet is credited with every page that carries it and with every page that one of its links led to; the
formula of :mod:`templcrawl.algorithms.crawl_order.focus` needs only their sum.  Relevance is kept in
thousandths, so that sums are the same in every order and after every restart.

For the distiller (:mod:`templcrawl.algorithms.crawl_order.focus`) the relevance of the pages that links
led to is kept too, and which pagelets were the best hubs the last time.

Bounded: the pagelets, directories and pages not met for longest are forgotten, and are average again.
Cost: O(1) a pagelet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from templcrawl.algorithms.crawl_order.focus import RelevanceRecord, best_hubs
from templcrawl.errors import BrokenInvariant
from templcrawl.memory.entries import KEY_SET, MOST_COUNT, Plain, entry
from templcrawl.memory.lru_dict import LruDict, merged, sum_of_pairs
from templcrawl.memory.snapshots import Attribute, Column, Frozen, Part, Table
from templcrawl.page.encoding import text_key

_UNIT = 1_000
_NONE = (0, 0)
_COLUMNS = ("keys", "pages", "relevance")

_Records = LruDict[int, tuple[int, int]]
"""Key -> pages, and thousandths of relevance."""


class FocusTable(Part):
    """Pagelets and directories of a site -> how relevant pages were.

    >>> table = FocusTable(limit=10)
    >>> table.credit_pagelets([7, 8], 1.0)
    >>> table.credit_pagelets([7], 0.25)
    >>> table.pagelet(7), table.pagelet(9)
    (RelevanceRecord(pages=2, relevance=1.25), RelevanceRecord(pages=0, relevance=0.0))

    others  what other workers of the crawl have credited, None without any
    """

    def __init__(self, *, limit: int) -> None:
        """Make an empty table.

        limit  pagelets that are kept, and directories
        """
        self._pagelets: _Records = LruDict(limit)
        self._directories: _Records = LruDict(limit)
        self._targets: LruDict[int, int] = LruDict(limit)
        self._hubs: frozenset[int] = frozenset()
        self.others: FocusTable | None = None

    def __len__(self) -> int:
        return len(self._pagelets)

    def credit_pagelets(self, shingles: Iterable[int], relevance: float) -> None:
        """Credit pagelets, each once, with a page that carries them or that they have led to."""
        for shingle in dict.fromkeys(shingles):
            if shingle:
                _credit(self._pagelets, shingle, relevance)

    def credit_directory(self, directory: str, relevance: float) -> None:
        """Credit a directory with one of its pages."""
        _credit(self._directories, _key(directory), relevance)

    def add_target(self, page: int, relevance: float) -> None:
        """Remember how relevant a page is that links of this site led to, for the distiller."""
        self._targets[page] = round(relevance * _UNIT)

    def distill(self, links: Callable[[int], Sequence[int]]) -> None:
        """Work out anew which pagelets are the best hubs.

        links  page -> pagelets that link to it
        """
        relevance = {page: thousandths / _UNIT for page, thousandths in self._targets.items()}
        self._hubs = frozenset(best_hubs(((page, links(page)) for page in relevance), relevance))

    def is_hub(self, shingle: int) -> bool:
        """Say whether a pagelet was one of the best hubs the last time."""
        return shingle in self._hubs or (self.others is not None and self.others.is_hub(shingle))

    def pagelet(self, shingle: int) -> RelevanceRecord:
        """Return the record of a pagelet."""
        own = _record(self._pagelets.get(shingle))
        return own if self.others is None else _sum(own, self.others.pagelet(shingle))

    def directory(self, directory: str) -> RelevanceRecord:
        """Return the record of a directory."""
        own = _record(self._directories.get(_key(directory)))
        return own if self.others is None else _sum(own, self.others.directory(directory))

    def unite(self, tables: Sequence[FocusTable]) -> None:
        """Become the sum of tables; of too many entries those of most pages stay, and all hubs."""
        limit = self._pagelets.limit
        self._pagelets = merged((table._pagelets.items() for table in tables), sum_of_pairs, limit, _pages)
        self._directories = merged(
            (table._directories.items() for table in tables), sum_of_pairs, limit, _pages
        )
        self._targets = merged((table._targets.items() for table in tables), max, limit)
        self._hubs = frozenset().union(*(table._hubs for table in tables))

    def validate(self) -> None:
        """Raise BrokenInvariant if a record says more than its pages can, or a table is over its limit."""
        super().validate()
        for table in (self._pagelets, self._directories):
            for pages, relevance in table.values():
                if not 1 <= pages < MOST_COUNT or not 0 <= relevance <= pages * _UNIT:
                    raise BrokenInvariant("FocusTable", f"{pages} pages with {relevance} thousandths")
        if not all(0 <= relevance <= _UNIT for relevance in self._targets.values()):
            raise BrokenInvariant("FocusTable", f"a page has more than {_UNIT} thousandths of relevance")

    def columns(self) -> list[Column]:
        """Return the tables, the least recently met first, and the hubs."""
        return [
            _Listed("pagelets", self._pagelets),
            _Listed("directories", self._directories),
            Table(self._targets, "targets", "target_relevance"),
            Attribute(self, "_hubs", KEY_SET),
        ]


def _credit(table: _Records, key: int, relevance: float) -> None:
    pages, thousandths = table.get(key) or _NONE
    table[key] = pages + 1, thousandths + round(relevance * _UNIT)


def _record(kept: tuple[int, int] | None) -> RelevanceRecord:
    pages, thousandths = kept or _NONE
    return RelevanceRecord(pages, thousandths / _UNIT)


def _sum(first: RelevanceRecord, second: RelevanceRecord) -> RelevanceRecord:
    return RelevanceRecord(first.pages + second.pages, first.relevance + second.relevance)


def _pages(key: int, kept: tuple[int, int]) -> int:
    return kept[0]


class _Listed(Table):
    """A table of records: under one name a list of its columns."""

    def __init__(self, name: str, table: _Records) -> None:
        super().__init__(table, *_COLUMNS)
        self._name = name

    def freeze(self) -> Frozen:
        """Copy the table."""
        make = super().freeze()
        return lambda: {self._name: list(make().values())}

    def take_up(self, snapshot: Plain) -> None:
        """Take up the columns."""
        super().take_up(dict(zip(_COLUMNS, entry(snapshot, self._name, list), strict=True)))


def _key(directory: str) -> int:
    return text_key(directory)
