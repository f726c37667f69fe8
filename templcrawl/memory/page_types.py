"""The page types of a site, online: which of its pages were made by the same template.

Two levels.  A *leaf* is a tight group of pages; a page is given its leaf at once, by a permanent id.  A
*template* is a set of leaves; which ones is only a view, worked out anew from all pages so far (see
:mod:`templcrawl.algorithms.page_profiles`).

Until 32 pages are known every distinct page is a leaf of its own.  Then a page joins the nearest leaf
within a distance of 0.15, or starts one.  At 32 pages, and each time their number has grown by half, the
features are weighed anew and leaves that are close merge for ever, into the one with the oldest id.

N pages, L <= 256 leaves, C <= 4,096 features.  Cost: a page O(L C), a refit and the view O(L^2 C + L^3).
Memory: at most about 4 MB a site; ids of merged leaves grow with log N.  At the cap of leaves a page
joins the nearest, at the cap of features new ones wait for the next refit.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

import numpy as np
from xxhash import xxh3_64_intdigest

from templcrawl.algorithms.page_profiles import (
    Array,
    average_linkage,
    fold,
    join,
    profile_distances,
    template_groups,
)
from templcrawl.errors import BrokenInvariant, InvalidSnapshot
from templcrawl.memory.plain import Plain, entry, pack, unpack
from templcrawl.page.ancestors import Keys

LEAF_DISTANCE = 0.15
FIRST_REFIT = 32
REFIT_GROWTH = 1.5
MAX_LEAVES = 256
MAX_COLUMNS = 4_096
MAX_SEEN = 4_096
ROOM = 0.75
"""Share of a cap that a refit leaves in use once the cap is reached."""


class PageTypes:
    """The page types of one site.

    >>> types = PageTypes()
    >>> [types.observe(np.array(page, dtype=np.uint64)) for page in ([1, 2], [1, 3], [1, 2])]
    [0, 1, 0]

    pages     pages observed
    leaf_ids  ids of the leaves that are alive, by row of the counts
    """

    def __init__(self) -> None:
        self.pages = 0
        self.leaf_ids: list[int] = []
        self._next_id = 0
        self._next_refit = FIRST_REFIT
        self._into: dict[int, int] = {}
        self._row_of: dict[int, int] = {}
        self._columns: dict[int, int] = {}
        self._counts: Array = np.zeros((FIRST_REFIT, 512), dtype=np.float32)
        self._sizes: Array = np.zeros(FIRST_REFIT)
        self._weights: Array = np.zeros(512)
        self._totals: Array = np.zeros(FIRST_REFIT)
        self._seen: OrderedDict[int, int] = OrderedDict()

    def observe(self, features: Keys) -> int:
        """Take note of a page by its features (ascending, distinct); return the id of its leaf."""
        key = xxh3_64_intdigest(features.tobytes())
        unique: list[int] = features.tolist()
        columns = self._columns_of(unique)
        told = float(self._weights[columns].sum())
        seen = self._seen.pop(key, None)
        row = self._nearest(columns, told) if seen is None else self._row_of[self.current(seen)]
        if row < 0:
            row = self._new_leaf()
        leaf = self.leaf_ids[row]
        self._seen[key] = leaf
        if len(self._seen) > MAX_SEEN:
            self._seen.popitem(last=False)
        self._counts[row, columns] += 1
        self._sizes[row] += 1
        self._totals[row] += (told - self._totals[row]) / self._sizes[row]
        self.pages += 1
        if self.pages >= self._next_refit:
            self.refit()
            leaf = self.current(leaf)
        return leaf

    def current(self, leaf: int) -> int:
        """Return the leaf that a leaf has been merged into, itself if it is alive."""
        while leaf in self._into:
            leaf = self._into[leaf]
        return leaf

    def templates(self) -> dict[int, int]:
        """Return every leaf ever given -> number of its template, which is the id of its oldest leaf."""
        counts, sizes = self._alive()
        template = {}
        for rows in template_groups(counts, sizes) if len(sizes) else []:
            ids = [self.leaf_ids[row] for row in rows]
            template.update(dict.fromkeys(ids, min(ids)))
        return {leaf: template[self.current(leaf)] for leaf in range(self._next_id)}

    def refit(self) -> None:
        """Weigh the features anew, merge for ever the leaves that are close, make room where a cap is hit."""
        self._next_refit = max(FIRST_REFIT, int(self.pages * REFIT_GROWTH))
        counts, sizes = self._alive()
        if not len(sizes):
            return
        column_weights, profiles, weights = fold(counts, sizes)
        merges = average_linkage(profile_distances(profiles, weights), sizes)
        surplus = len(sizes) - int(MAX_LEAVES * ROOM) if len(sizes) >= MAX_LEAVES else 0
        allowed = [
            distance <= LEAF_DISTANCE or step < surplus for step, (_, _, distance) in enumerate(merges)
        ]
        self._merge_rows(join(len(sizes), merges, allowed))
        self._weights[:] = 0
        self._weights[: len(column_weights)] = column_weights
        if len(self._columns) >= MAX_COLUMNS:
            self._drop_columns()
        counts, sizes = self._alive()
        self._totals[: len(sizes)] = counts @ self._weights[: counts.shape[1]] / sizes

    def _alive(self) -> tuple[Array, Array]:
        count = len(self.leaf_ids)
        return self._counts[:count, : len(self._columns)], self._sizes[:count]

    def _columns_of(self, unique: Iterable[int]) -> Array:
        """Return the columns of features, new ones for new features while there are any."""
        known = self._columns
        room = MAX_COLUMNS - len(known)
        if room:
            for feature in unique:
                if feature not in known:
                    known[feature] = len(known)
                    room -= 1
                    if not room:
                        break
            width = self._counts.shape[1]
            if len(known) > width:
                more = min(MAX_COLUMNS, max(2 * width, len(known))) - width
                self._counts = np.pad(self._counts, ((0, 0), (0, more)))
                self._weights = np.pad(self._weights, (0, more))
        found = [known[feature] for feature in unique if feature in known]
        return np.array(found, dtype=np.intp)

    def _nearest(self, columns: Array, told: float) -> int:
        """Return the row of the leaf that a page joins, -1 for none; at the cap it joins the nearest."""
        count = len(self.leaf_ids)
        if self.pages < FIRST_REFIT or not count:
            return -1
        if told == 0 and not self._totals[:count].any():
            return 0
        shared = self._counts[:count, columns] @ self._weights[columns].astype(np.float32)
        shared = shared / self._sizes[:count]
        distances = 1 - shared / np.maximum(self._totals[:count] + told - shared, 1e-9)
        row = int(distances.argmin())
        return row if distances[row] <= LEAF_DISTANCE or count >= MAX_LEAVES else -1

    def _new_leaf(self) -> int:
        row = len(self.leaf_ids)
        if row == len(self._sizes):
            more = min(MAX_LEAVES, 2 * row) - row
            self._counts = np.pad(self._counts, ((0, more), (0, 0)))
            self._sizes = np.pad(self._sizes, (0, more))
            self._totals = np.pad(self._totals, (0, more))
        self.leaf_ids.append(self._next_id)
        self._row_of[self._next_id] = row
        self._next_id += 1
        return row

    def _merge_rows(self, groups: list[list[int]]) -> None:
        """Make one leaf of each group of rows; it keeps the oldest id."""
        counts, sizes, ids = np.zeros_like(self._counts), np.zeros_like(self._sizes), []
        for row, members in enumerate(groups):
            counts[row] = self._counts[members].sum(axis=0)
            sizes[row] = self._sizes[members].sum()
            kept, *merged = sorted(self.leaf_ids[member] for member in members)
            self._into.update(dict.fromkeys(merged, kept))
            ids.append(kept)
        self._counts, self._sizes, self.leaf_ids = counts, sizes, ids
        self._row_of = {leaf: row for row, leaf in enumerate(ids)}

    def _drop_columns(self) -> None:
        """Keep the features that say most, of equal ones the oldest; those of a single page go all."""
        order = np.argsort(-self._weights[: len(self._columns)], kind="stable")
        is_rare = self._alive()[0].sum(axis=0) < 2
        keep = np.sort(order[~is_rare[order]][: int(MAX_COLUMNS * ROOM)])
        names = list(self._columns)
        self._columns = {names[column]: place for place, column in enumerate(keep.tolist())}
        counts, weights = np.zeros_like(self._counts), np.zeros_like(self._weights)
        counts[:, : len(keep)], weights[: len(keep)] = self._counts[:, keep], self._weights[keep]
        self._counts, self._weights = counts, weights

    def snapshot(self) -> Plain:
        """Return everything as plain values."""
        counts, sizes = self._alive()
        rows, columns = np.nonzero(counts)
        return {
            "pages": self.pages,
            "next_id": self._next_id,
            "next_refit": self._next_refit,
            "leaves": list(self.leaf_ids),
            "sizes": sizes.tolist(),
            "totals": self._totals[: len(sizes)].tolist(),
            "features": pack(self._columns),
            "weights": self._weights[: len(self._columns)].tolist(),
            "rows": pack(rows.tolist()),
            "columns": pack(columns.tolist()),
            "counts": pack(counts[rows, columns].astype(np.uint64).tolist()),
            "merged": pack(self._into),
            "into": pack(self._into.values()),
            "seen": pack(self._seen),
            "seen_leaves": pack(self._seen.values()),
        }

    @classmethod
    def from_snapshot(cls, snapshot: Plain) -> PageTypes:
        """Make page types of a snapshot; they go on as those would have.  Raises InvalidSnapshot."""
        types = cls()
        ids, features = entry(snapshot, "leaves", list), unpack(entry(snapshot, "features", str))
        height, width = max(FIRST_REFIT, len(ids)), max(512, len(features))
        types.pages, types._next_id = entry(snapshot, "pages", int), entry(snapshot, "next_id", int)
        types._next_refit = entry(snapshot, "next_refit", int)
        types.leaf_ids, types._row_of = list(ids), {leaf: row for row, leaf in enumerate(ids)}
        types._columns = {feature: column for column, feature in enumerate(features)}
        types._into = dict(zip(unpack(entry(snapshot, "merged", str)), unpack(entry(snapshot, "into", str))))
        seen = zip(unpack(entry(snapshot, "seen", str)), unpack(entry(snapshot, "seen_leaves", str)))
        types._seen = OrderedDict(seen)
        types._counts = np.zeros((height, width), dtype=np.float32)
        types._sizes, types._totals, types._weights = np.zeros(height), np.zeros(height), np.zeros(width)
        cells = [list(unpack(entry(snapshot, name, str))) for name in ("rows", "columns", "counts")]
        try:
            types._counts[cells[0], cells[1]] = cells[2]
            types._sizes[: len(ids)] = entry(snapshot, "sizes", list)
            types._totals[: len(ids)] = entry(snapshot, "totals", list)
            types._weights[: len(features)] = entry(snapshot, "weights", list)
            types.check()
        except (BrokenInvariant, IndexError, KeyError, TypeError, ValueError) as error:
            raise InvalidSnapshot("page types", str(error)) from error
        return types

    def check(self) -> None:
        """Raise BrokenInvariant where the parts do not fit together or are over their caps."""
        counts, sizes = self._alive()
        alive = set(self.leaf_ids)
        sound = {
            "caps": len(alive) <= MAX_LEAVES and len(self._columns) <= MAX_COLUMNS >= len(self._seen),
            "pages": sizes.sum() == self.pages < self._next_refit and bool((sizes >= 1).all()),
            "counts": bool((counts >= 0).all() and (counts <= sizes[:, None]).all()),
            "columns": list(self._columns.values()) == list(range(len(self._columns))),
            "rows": self._row_of == {leaf: row for row, leaf in enumerate(self.leaf_ids)},
            "merges": all(kept < merged for merged, kept in self._into.items()),
            "ids": sorted(alive.union(self._into)) == list(range(self._next_id)),
            "distinct": len(alive) == len(self.leaf_ids) and alive.isdisjoint(self._into),
            "seen": all(self.current(leaf) in alive for leaf in self._seen.values()),
            "weights": bool(np.isfinite(self._weights).all() and (self._weights >= 0).all()),
        }
        broken = [name for name, is_sound in sound.items() if not is_sound]
        if broken:
            raise BrokenInvariant("PageTypes", f"unsound: {', '.join(broken)}")
