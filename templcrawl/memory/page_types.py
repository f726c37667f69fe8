"""The page types of a site, online: which of its pages were made by the same template.

Two levels.  A *leaf* is a tight group of pages; a page is given its leaf at once, by a permanent id.  A
*template* is a set of leaves; which ones is only a view, worked out anew from all pages so far (see
:mod:`templcrawl.algorithms.page_types.page_profiles`).

Until 32 pages are known every distinct page is a leaf of its own.  Then a page joins the nearest leaf
within a distance of 0.15, or starts one.  At 32 pages, and each time their number has grown by half, the
features are weighed anew and leaves that are close merge for ever, into the one with the oldest id.

While a crawl runs, the view is renewed with each leaf until 32 pages are known, then each time the pages
have grown by a quarter; a leaf that is born in between is given the template of the nearest leaf within a
distance of 0.5.

L <= 256 leaves, C <= 4,096 features.  Cost: a page O(L f) for its f features, a refit and the view
O(L^2 C + L^3).  Memory: at most about 4 MB a site; ids of merged leaves grow with the logarithm of the
number of pages.  At the cap of leaves a page joins the nearest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xxhash import xxh3_64_intdigest

from templcrawl.algorithms.page_types.page_profiles import join, template_groups
from templcrawl.errors import BrokenInvariant, InvalidSnapshot
from templcrawl.memory.entries import COUNT, COUNTS, NUMBERS
from templcrawl.memory.profile_table import ProfileTable
from templcrawl.memory.recent import Recent
from templcrawl.memory.snapshots import Attribute, Column, Columns, Nested, Part, Table
from templcrawl.page.ancestors import Keys

LEAF_DISTANCE = 0.15
TEMPLATE_DISTANCE = 0.5
FIRST_REFIT = 32
REFIT_GROWTH = 1.5
VIEW_GROWTH = 1.25
MAX_SEEN = 4_096
_ENTRY_BYTES = 150


class PageTypes(Part):
    """The page types of one site.

    >>> import numpy as np
    >>> types = PageTypes()
    >>> [types.observe(np.array(page, dtype=np.uint64)) for page in ([1, 2], [1, 3], [1, 2])]
    [0, 1, 0]

    pages     pages observed
    leaf_ids  ids of the leaves that are alive, by row of their table
    keys      leaf ever given -> key of its first page, by which it is known in every process
    """

    def __init__(self) -> None:
        self.pages = 0
        self.leaf_ids: list[int] = []
        self.keys: list[int] = []
        self._next_refit = FIRST_REFIT
        self._next_view = 0
        self._into: dict[int, int] = {}
        self._row_of: dict[int, int] = {}
        self._template_of: dict[int, int] = {}
        self._table = ProfileTable()
        self._seen: Recent[int, int] = Recent(MAX_SEEN)
        self._settled: dict[int, int] | None = None

    @property
    def nbytes(self) -> int:
        """Bytes that they take, about."""
        return self._table.nbytes + _ENTRY_BYTES * (len(self._seen) + len(self.keys))

    def observe(self, features: Keys) -> int:
        """Take note of a page by its features (ascending, distinct); return the id of its leaf."""
        key = _key(features)
        columns = self._table.columns_of(features)
        row = self._row_seen(key)
        if row is None:
            row, distance = self._table.nearest(columns)
            is_early = self.pages < FIRST_REFIT
            if not self._table.is_full and (is_early or row < 0 or distance > LEAF_DISTANCE):
                row = self._new_leaf(key, row if not is_early and distance <= TEMPLATE_DISTANCE else None)
        leaf = self.leaf_ids[row]
        self._seen[key] = leaf
        self._table.add(row, columns)
        self._settled = None
        self.pages += 1
        if self.pages >= self._next_refit:
            self.refit()
        if self.pages >= self._next_view:
            self._renew_view()
        return self.current(leaf)

    def find(self, features: Keys) -> int | None:
        """Return the leaf of a page without taking note of it: an equal page's, else the nearest one."""
        row = self._row_seen(_key(features))
        if row is None:
            row, _ = self._table.nearest(self._table.columns_of(features, learn=False))
        return self.leaf_ids[row] if row >= 0 else None

    def current(self, leaf: int) -> int:
        """Return the leaf that a leaf has been merged into, itself if it is alive."""
        while leaf in self._into:
            leaf = self._into[leaf]
        return leaf

    def template(self, leaf: int) -> int:
        """Return the template of a leaf by the view as it was renewed last.  Cost: O(1)."""
        return self._template_of[self.current(leaf)]

    def templates(self) -> dict[int, int]:
        """Return every leaf ever given -> its template by all pages so far, as the id of its oldest leaf.

        Cost: that of the view, once after each page.
        """
        if self._settled is None:
            view = self._view()
            self._settled = {leaf: view[self.current(leaf)] for leaf in range(len(self.keys))}
        return self._settled

    def leaf_pages(self) -> dict[int, int]:
        """Return leaf that is alive -> pages in it."""
        return dict(zip(self.leaf_ids, map(int, self._table.pages.tolist())))

    def refit(self) -> None:
        """Weigh the features anew, merge for ever the leaves that are close, make room where a cap is hit."""
        self._next_refit = _next(self.pages, REFIT_GROWTH)
        self._next_view = 0
        self._settled = None
        if not len(self._table):
            return
        weights, merges = self._table.fit()
        surplus = self._table.surplus()
        allowed = [
            distance <= LEAF_DISTANCE or step < surplus for step, (_, _, distance) in enumerate(merges)
        ]
        self._merge(join(len(self._table), merges, allowed))
        self._table.weigh(weights)

    def _row_seen(self, key: int) -> int | None:
        leaf = self._seen.use(key)
        return None if leaf is None else self._row_of[self.current(leaf)]

    def _new_leaf(self, key: int, like: int | None) -> int:
        """Start a leaf; ``like`` is the row of the leaf whose template it has until the view is renewed."""
        leaf = len(self.keys)
        self.keys.append(key)
        self._template_of[leaf] = leaf if like is None else self._template_of[self.leaf_ids[like]]
        self.leaf_ids.append(leaf)
        row = self._row_of[leaf] = self._table.new_row()
        return row

    def _merge(self, groups: list[list[int]]) -> None:
        """Make one leaf of each group of rows; it keeps the oldest id."""
        self._table.merge(groups)
        ids = []
        for members in groups:
            kept, *merged = sorted(self.leaf_ids[member] for member in members)
            self._into.update(dict.fromkeys(merged, kept))
            ids.append(kept)
        self.leaf_ids = ids
        self._row_of = {leaf: row for row, leaf in enumerate(ids)}

    def _view(self) -> dict[int, int]:
        """Return leaf that is alive -> its template."""
        table, view = self._table, {}
        for rows in template_groups(table.counts, table.pages) if len(table) else []:
            ids = [self.leaf_ids[row] for row in rows]
            view.update(dict.fromkeys(ids, min(ids)))
        return view

    def _renew_view(self) -> None:
        self._template_of = self._view()
        self._next_view = self.pages + 1 if self.pages < FIRST_REFIT else int(self.pages * VIEW_GROWTH)

    def columns(self) -> list[Column]:
        """Return the leaves, their pages, and when what is done next."""
        return [
            *(Attribute(self, name, COUNT) for name in ("pages", "_next_refit", "_next_view")),
            Columns({"leaves": COUNTS, "keys": NUMBERS, "templates": COUNTS}, self._copied, self._set),
            Nested("table", self._table),
            Columns(
                {"merged": NUMBERS, "into": NUMBERS},
                lambda: [list(self._into), list(self._into.values())],
                self._set_merged,
            ),
            Table(self._seen, "seen", "seen_leaves"),
        ]

    def _copied(self) -> Sequence[list[int]]:
        leaves = list(self.leaf_ids)
        return [leaves, list(self.keys), [self._template_of[leaf] for leaf in leaves]]

    def _set(self, leaves: list[int], keys: Sequence[int], templates: list[int]) -> None:
        self.leaf_ids, self.keys = leaves, list(keys)
        self._template_of = dict(zip(leaves, templates, strict=True))
        self._row_of = {leaf: row for row, leaf in enumerate(leaves)}

    def _set_merged(self, merged: Sequence[int], into: Sequence[int]) -> None:
        self._into = dict(zip(merged, into, strict=True))
        if len(self._into) < len(merged):
            raise InvalidSnapshot("merged", "a leaf was merged twice")

    def check(self) -> None:
        """Raise BrokenInvariant where the parts do not fit together or are over their caps."""
        super().check()
        alive = set(self.leaf_ids)
        are_older = all(kept < merged for merged, kept in self._into.items())
        next_refit, next_view = _next(self.pages, REFIT_GROWTH), _next(self.pages, VIEW_GROWTH)
        sound = {
            "next": self._next_refit <= next_refit and self._next_view <= max(self.pages + 1, next_view),
            "rows": len(self.leaf_ids) == len(self._table),
            "pages": self._table.pages.sum() == self.pages < self._next_refit,
            "numbers": self._row_of == {leaf: row for row, leaf in enumerate(self.leaf_ids)},
            "merges": are_older,
            "ids": sorted(alive.union(self._into)) == list(range(len(self.keys))),
            "distinct": len(alive) == len(self.leaf_ids) and alive.isdisjoint(self._into),
            "seen": are_older and all(self.current(leaf) in alive for leaf in self._seen.values()),
            "view": self._template_of.keys() == alive and alive.issuperset(self._template_of.values()),
            "oldest": all(template <= leaf for leaf, template in self._template_of.items()),
        }
        broken = [name for name, is_sound in sound.items() if not is_sound]
        if broken:
            raise BrokenInvariant("PageTypes", f"unsound: {', '.join(broken)}")


def _key(features: Keys) -> int:
    return xxh3_64_intdigest(features.tobytes())


def _next(pages: int, growth: float) -> int:
    """Return at how many pages what is done as a site grows is done next."""
    return max(FIRST_REFIT, int(pages * growth))


def check_leaf(structure: str, leaf: int, template_of: Callable[[int], int]) -> None:
    """Raise BrokenInvariant if a structure refers to a leaf that no page type has."""
    try:
        template_of(leaf)
    except KeyError:
        raise BrokenInvariant(structure, f"there is no leaf {leaf}") from None
