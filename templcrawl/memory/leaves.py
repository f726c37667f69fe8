"""The leaves of a site: tight groups of its pages by their structure, online.

A page is given its leaf at once, by a permanent id.  Until 32 pages are known every distinct page is a leaf
of its own.  Then a page joins the nearest leaf within a distance of 0.15, or starts one.  At 32 pages, and
each time their number has grown by half, the features are weighed anew and leaves that are close merge for
ever, into the one with the oldest id.

L <= 256 leaves, C <= 4,096 features.  Cost: a page O(L f) for its f features, a refit O(L^2 C + L^3).
Memory: at most about 4 MB; ids of merged leaves grow with the logarithm of the number of pages.  At the cap
of leaves a page joins the nearest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xxhash import xxh3_64_intdigest

from templcrawl.algorithms.page_types.merge_tree import Array, join
from templcrawl.errors import BrokenInvariant, InvalidSnapshot
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.profile_table import ProfileTable
from templcrawl.memory.snapshot_parts import Attribute, Entries, KeyedTable, Nested, Part, Section
from templcrawl.memory.snapshot_values import COUNT, COUNTS, NUMBERS
from templcrawl.page.arrays import Keys

LEAF_DISTANCE = 0.15
FIRST_REFIT = 32
REFIT_GROWTH = 1.5
MAX_FEATURES = 4_096
MAX_SEEN = 4_096
_ENTRY_BYTES = 150


class Leaves(Section):
    """The leaves of one site.

    pages  pages that were added
    ids    ids of the leaves that are alive, by row of their table
    keys   leaf, of all that there ever were -> key of its first page, which is the same in every process
    table  their profiles by structure
    """

    def __init__(self) -> None:
        self.pages = 0
        self.ids: tuple[int, ...] = ()
        self.keys: tuple[int, ...] = ()
        self.table = ProfileTable(most_columns=MAX_FEATURES)
        self._next_refit = FIRST_REFIT
        self._into: dict[int, int] = {}
        self._row_of: dict[int, int] = {}
        self._seen: LruDict[int, int] = LruDict(MAX_SEEN)

    @property
    def nbytes(self) -> int:
        """Bytes that they take, about."""
        return self.table.nbytes + _ENTRY_BYTES * (len(self._seen) + len(self.keys))

    @property
    def is_refit_due(self) -> bool:
        """Whether their number of pages requires a refit."""
        return self.pages >= self._next_refit

    def row_of_equal(self, features: Keys) -> int | None:
        """Return the row of the leaf of an equal page, None if there was none lately."""
        leaf = self._seen.touch(_key(features))
        return None if leaf is None else self._row_of[self.current(leaf)]

    @property
    def are_joined(self) -> bool:
        """Whether a page that has no equal may join one."""
        return self.pages >= FIRST_REFIT or self.table.is_full

    def nearest_row(self, distances: Array) -> int | None:
        """Return the row of the leaf that a page joins, None if it is to start one.

        distances  row -> its distance to the page
        """
        if not self.are_joined or not len(distances):
            return None
        row = int(distances.argmin())
        return row if distances[row] <= LEAF_DISTANCE or self.table.is_full else None

    def start(self, features: Keys) -> int:
        """Start a leaf of a page that is to join none; return its row."""
        leaf = len(self.keys)
        self.keys += (_key(features),)
        self.ids += (leaf,)
        row = self._row_of[leaf] = self.table.new_row()
        return row

    def count(self, row: int, features: Keys, columns: Array) -> None:
        """Count a page in a leaf."""
        self._seen[_key(features)] = self.ids[row]
        self.table.count(row, columns)
        self.pages += 1

    def find(self, features: Keys) -> int | None:
        """Return the leaf of a page without learning from it: an equal page's, else the nearest one."""
        row = self.row_of_equal(features)
        if row is None:
            row, _ = self.table.nearest(self.table.columns_of(features, learn=False))
        return self.ids[row] if row >= 0 else None

    def current(self, leaf: int) -> int:
        """Return the leaf that a leaf has been merged into, itself if it is alive."""
        while leaf in self._into:
            leaf = self._into[leaf]
        return leaf

    def aliases(self) -> dict[int, int]:
        """Return key of every leaf that there ever was -> key of the leaf that it is merged into."""
        return {key: self.keys[self.current(leaf)] for leaf, key in enumerate(self.keys)}

    def sizes(self) -> dict[int, int]:
        """Return leaf that is alive -> pages in it."""
        return dict(zip(self.ids, map(int, self.table.pages.tolist())))

    def refit(self) -> list[list[int]]:
        """Weigh the features anew, merge for ever the leaves that are close, make room where a cap is hit.

        Return the rows that became one row each, in the order of the new rows.
        """
        self._next_refit = _next_refit(self.pages)
        if not len(self.table):
            return []
        weights, merges = self.table.fit()
        surplus = self.table.surplus()
        allowed = [
            distance <= LEAF_DISTANCE or step < surplus for step, (_, _, distance) in enumerate(merges)
        ]
        groups = join(len(self.table), merges, allowed)
        self.table.merge_rows(groups)
        self.table.weigh(weights)
        ids = []
        for rows in groups:
            into, *merged = sorted(self.ids[row] for row in rows)
            self._into.update(dict.fromkeys(merged, into))
            ids.append(into)
        self._set_ids(ids)
        return groups

    def _set_ids(self, ids: list[int]) -> None:
        self.ids = tuple(ids)
        self._row_of = {leaf: row for row, leaf in enumerate(ids)}

    def parts(self) -> Sequence[Part]:
        """Return the leaves, their pages, and when they are weighed next."""
        return [
            *(Attribute(self, name, COUNT) for name in ("pages", "_next_refit")),
            Entries({"ids": COUNTS, "keys": NUMBERS}, lambda: [self.ids, self.keys], self._set),
            Nested("table", self.table),
            Entries(
                {"merged": NUMBERS, "into": NUMBERS},
                lambda: [list(self._into), list(self._into.values())],
                self._set_merged,
            ),
            KeyedTable(self._seen, "seen", "seen_leaves"),
        ]

    def _set(self, ids: list[int], keys: Sequence[int]) -> None:
        self._set_ids(ids)
        self.keys = tuple(keys)

    def _set_merged(self, merged: Sequence[int], into: Sequence[int]) -> None:
        self._into = dict(zip(merged, into, strict=True))
        if len(self._into) < len(merged):
            raise InvalidSnapshot("merged", "a leaf was merged twice")

    def validate(self) -> None:
        """Raise BrokenInvariant where the columns are inconsistent or are over their caps."""
        super().validate()
        alive = set(self.ids)
        are_older = all(into < merged for merged, into in self._into.items())
        sound = {
            "next": self._next_refit <= _next_refit(self.pages),
            "rows": len(self.ids) == len(self.table),
            "pages": self.table.pages.sum() == self.pages < self._next_refit,
            "numbers": self._row_of == {leaf: row for row, leaf in enumerate(self.ids)},
            "merges": are_older,
            "ids": sorted(alive.union(self._into)) == list(range(len(self.keys))),
            "distinct": len(alive) == len(self.ids) and alive.isdisjoint(self._into),
            "seen": are_older and all(self.current(leaf) in alive for leaf in self._seen.values()),
        }
        broken = [name for name, is_sound in sound.items() if not is_sound]
        if broken:
            raise BrokenInvariant("Leaves", f"unsound: {', '.join(broken)}")


def _key(features: Keys) -> int:
    return xxh3_64_intdigest(features.tobytes())


def _next_refit(pages: int) -> int:
    """Return at how many pages the features are weighed next."""
    return max(FIRST_REFIT, int(pages * REFIT_GROWTH))


def check_leaf(structure: str, leaf: int, template_of: Callable[[int], int]) -> None:
    """Raise BrokenInvariant if a structure refers to a leaf that no page type has."""
    try:
        template_of(leaf)
    except KeyError:
        raise BrokenInvariant(structure, f"there is no leaf {leaf}") from None
