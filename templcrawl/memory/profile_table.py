"""Groups of pages, and how many pages of each group have which feature: a bounded, weighed table.

Rows are groups, columns are features.  A row's *profile* is the share of its pages that have each
feature; the distance of a page to a row is the weighted Jaccard distance of the page's features and the
profile.  Weights come from :mod:`templcrawl.algorithms.page_types.page_profiles`; until ``weigh`` is first
called they are zero, and every distance is zero too.

R <= 256 rows, C <= 4,096 columns.  Cost: a look-up O(R f) for a page of f features, ``fit``
O(R^2 C + R^3).  Counts are stored feature by feature: what a page asks for lies together, which is what a
look-up waits for.  Memory: at most about 4 MB.  At the cap of columns new features are not read until
``weigh`` has made room.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from templcrawl.algorithms.page_types.merge_tree import Array, Merge, average_linkage
from templcrawl.algorithms.page_types.page_profiles import feature_weights, fold, profile_distances
from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.snapshots import Frozen, Numbers, Section, Snapshot, Sparse
from templcrawl.page.arrays import Indices, Keys, dot, look_up

MAX_ROWS = 256
MAX_COLUMNS = 4_096
_FILL = 0.75  # share of a cap that stays in use once room is made

_FIRST_ROWS, _FIRST_SHARE = 4, 8
_MIN_WEIGHT = 1e-9  # stands for none, to divide by


class ProfileTable(Section):
    """Counts of features by group of pages.

    features    column -> its feature
    is_weighed  whether any feature weighs anything, so that distances tell pages apart

    >>> table = ProfileTable()
    >>> table.count(table.new_row(), table.columns_of(np.array([7, 9], dtype=np.uint64)))
    >>> table.counts.tolist(), table.pages.tolist()
    ([[1.0, 1.0]], [1.0])
    """

    def __init__(self, *, most_columns: int = MAX_COLUMNS) -> None:
        self.most_columns = most_columns
        self.is_weighed = False
        self._rows = 0
        self.features = self._ascending = np.zeros(0, dtype=np.uint64)
        self._column_of = np.zeros(0, dtype=np.intp)
        columns = most_columns // _FIRST_SHARE
        self._counts: Array = np.zeros((columns, _FIRST_ROWS), dtype=np.float32)  # column, row
        self._pages: Array = np.zeros(_FIRST_ROWS)
        self._weights: Array = np.zeros(columns)
        self._totals: Array = np.zeros(_FIRST_ROWS)

    def __len__(self) -> int:
        return self._rows

    @property
    def is_full(self) -> bool:
        """True if no row can be added."""
        return self._rows >= MAX_ROWS

    @property
    def width(self) -> int:
        """How many features have columns."""
        return len(self.features)

    @property
    def has_room(self) -> bool:
        """True if a feature can be given a column."""
        return self.width < self.most_columns

    @property
    def counts(self) -> Array:
        """Row, column -> pages of the group that have the feature."""
        return self._counts[: self.width, : self._rows].T

    @property
    def pages(self) -> Array:
        """Row -> pages of the group."""
        return self._pages[: self._rows]

    def columns_of(self, features: Keys, *, learn: bool = True) -> Indices:
        """Return the columns of features (distinct).

        learn  whether new features are given columns, while there are any
        """
        places, is_there = look_up(features, self._ascending)
        if np.count_nonzero(is_there) == len(features):
            return self._column_of[places]
        if learn and len(self.features) < self.most_columns:
            self._add(features[~is_there])
            places, is_there = look_up(features, self._ascending)
        return self._column_of[places[is_there]]

    def _add(self, features: Keys) -> None:
        """Give new features columns, while there are any."""
        before = len(self.features)
        self.features = np.concatenate((self.features, features[: self.most_columns - before]))
        width = len(self.features)
        self._order(np.concatenate((self._column_of, np.arange(before, width))))
        self._widen(width)

    def _order(self, columns: Indices) -> None:
        """File the features in ascending order, from columns in nearly that order."""
        features = self.features[columns]
        order = features.argsort(kind="stable")  # ascending parts are merged
        self._ascending, self._column_of = features[order], columns[order]

    def distances(self, columns: Array) -> Array:
        """Return row -> its distance to a page's columns; 0 where neither weighs anything."""
        rows, weights = self._rows, self._weights[columns]
        weighed = weights.nonzero()[0]
        weights = weights[weighed].astype(np.float32)
        shared = dot(weights, self._counts.take(columns[weighed], axis=0))[:rows] / self._pages[:rows]
        either = self._totals[:rows] + np.add.reduce(weights, dtype=np.float64) - shared
        distances: Array = (either - shared) / np.maximum(either, _MIN_WEIGHT)
        return distances

    def new_row(self) -> int:
        """Add an empty row and return it; only while the table is not full."""
        row = self._rows
        if row == len(self._pages):
            rows = min(MAX_ROWS, 2 * row)
            self._counts = _widened(self._counts, len(self._counts), rows)
            self._pages = _widened(self._pages, rows)
            self._totals = _widened(self._totals, rows)
        self._rows += 1
        return row

    def count(self, row: int, columns: Array) -> None:
        """Count a page in a row."""
        pages = self._pages[row] = self._pages.item(row) + 1
        row_counts = self._counts[:, row]
        row_counts[columns] += 1
        if self.is_weighed:
            total = self._totals.item(row)
            self._totals[row] = total + (np.add.reduce(self._weights[columns]).item() - total) / pages

    def count_pages(self, rows: Sequence[int], pages: Sequence[Keys]) -> None:
        """Count pages, each in its row, by their features (ascending, distinct); new ones get columns."""
        whole = np.concatenate(pages)
        missing = whole[~look_up(whole, self._ascending)[1]]
        if len(missing) and self.has_room:
            self._add(missing[np.sort(np.unique(missing, return_index=True)[1])])  # in the order of pages
        places, is_there = look_up(whole, self._ascending)
        row_of = np.repeat(rows, list(map(len, pages)))[is_there]
        np.add.at(self._counts, (self._column_of[places[is_there]], row_of), 1)
        np.add.at(self._pages, rows, 1)
        if self.is_weighed:
            self._sum_up()

    def fit(self) -> tuple[Array, list[Merge]]:
        """Return (column -> weight, computed anew; merges of average linkage over all rows by them)."""
        column_weights, profiles, weights = fold(self.counts, self.pages)
        return column_weights, average_linkage(profile_distances(profiles, weights), self.pages)

    def surplus(self) -> int:
        """Return how many rows must go to make room: none until the table is full."""
        return self._rows - int(MAX_ROWS * _FILL) if self.is_full else 0

    def merge_rows(self, groups: list[list[int]]) -> None:
        """Make one row of each group of rows, in their order."""
        if len(groups) == self._rows:
            return
        before, rows = self._rows, len(groups)
        order, firsts = np.concatenate(groups), np.cumsum([0, *map(len, groups[:-1])])
        self._counts[:, :rows] = np.add.reduceat(self._counts[:, order], firsts, axis=1)
        self._pages[:rows] = np.add.reduceat(self._pages[order], firsts)
        self._counts[:, rows:before] = 0
        self._pages[rows:before] = 0
        self._rows = rows
        self._sum_up()

    def weigh(self, weights: Array | None = None) -> None:
        """Set new weights of the columns, computed anew where none are given; make room if they are full."""
        weights = feature_weights(self.counts, self.pages) if weights is None else weights
        self._weights[:] = 0
        self._weights[: len(weights)] = weights
        self.is_weighed = bool(weights.any())
        if not self.has_room:
            self._drop_columns()
        self._sum_up()

    def _sum_up(self) -> None:
        """Recompute the mean weight of the features of each row's pages."""
        counts = self.counts
        self._totals[: self._rows] = dot(counts, self._weights[: counts.shape[1]]) / self.pages

    def _widen(self, columns: int) -> None:
        width = len(self._counts)
        if columns > width:
            width = min(self.most_columns, max(2 * width, columns))
            self._counts = _widened(self._counts, width, self._counts.shape[1])
            self._weights = _widened(self._weights, width)

    def _drop_columns(self) -> None:
        """Evict the features of least weight, of equal ones the latest, and all of a single page."""
        order = np.argsort(-self._weights[: self.width], kind="stable")
        is_rare = self.counts.sum(axis=0) < 2
        retained = np.sort(order[~is_rare[order]][: int(self.most_columns * _FILL)])
        self.features = self.features[retained]
        self._order(np.arange(self.width))
        self._counts = _widened(self._counts[retained], *self._counts.shape)
        self._weights = _widened(self._weights[retained], len(self._weights))

    def columns(self) -> Frozen:
        """Return the rows, the columns, and the counts as they are."""
        width = self.width
        return {
            "pages": Numbers(self.pages.copy(), "f8"),
            "totals": Numbers(self._totals[: self._rows].copy(), "f8"),
            "features": Numbers(self.features),
            "weights": Numbers(self._weights[:width].copy(), "f8"),
            "counts": Sparse(self.counts.copy()),
        }

    def load(self, snapshot: Snapshot) -> None:
        """Restore rows and columns; raises InvalidSnapshot where they are more than there can be."""
        pages = snapshot.numbers("pages", "f8", least=1)
        self.features = features = snapshot.numbers("features")
        self._order(np.arange(len(features)))
        is_twice = (self._ascending[1:] == self._ascending[:-1]).any()
        if len(pages) > MAX_ROWS or is_twice or len(features) > self.most_columns:
            raise InvalidSnapshot("pages", f"{len(pages)} rows, {len(features)} columns")
        counts = snapshot.sparse("counts", len(pages), len(features))
        if not ((counts >= 0) & (counts <= pages[:, None])).all():
            raise InvalidSnapshot("counts", "a feature is on more pages than there are")
        self._widen(len(features))
        for _ in pages:
            self.new_row()
        self.counts[:] = counts
        self.pages[:] = pages
        self._totals[: len(pages)] = snapshot.numbers("totals", "f8", count=len(pages))
        self._weights[: len(features)] = snapshot.numbers("weights", "f8", count=len(features))
        self.is_weighed = bool(self._weights.any())


def _widened(array: Array, *shape: int) -> Array:
    """Return an array in a larger one of zeros; ``np.pad`` takes ten times as long."""
    wider = np.zeros(shape, dtype=array.dtype)
    wider[tuple(map(slice, array.shape))] = array
    return wider
