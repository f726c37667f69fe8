"""The leaves of a site: tight groups of its pages by their structure, online.

A page is given its leaf at once, by an id that never changes: ``host#`` and a hash of the first page of the
leaf.  Until 32 pages are known every distinct page is a leaf of its own.  Then a page joins the nearest leaf
within a distance of 0.15, or starts one.  At 32 pages, and each time their number has grown by half, the
features are weighed anew, and leaves that are close merge for ever, into the one with the oldest number.

A page has a distance to each leaf; those of near ones are built like it.  They vote on what pages of its type
repeat, and on its kind.  There is no partition into types while a crawl runs, so nothing that a page was told
changes later.  Page types are made once, of all leaves (:mod:`templcrawl.memory.page_types`).
Fewer than four pages do not show which features separate types: until then a page is near its own leaf alone.

Notation: L <= 256 leaves, C <= 4,096 features of structure, 512 of anchors, 512 of URLs.  Cost: a page
O(L f) for its f features, a refit O(L^2 C + L^3).  Memory: at most about 5 MB; ids of merged leaves grow with
the logarithm of the number of pages.  At the cap of leaves a page joins the nearest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from xxhash import xxh3_64_intdigest

from templcrawl.algorithms.page_types.merge_tree import Array, join
from templcrawl.algorithms.page_types.url_shape import url_features
from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.key_tables import LruDict
from templcrawl.memory.profile_table import ProfileTable
from templcrawl.memory.snapshots import MAX_COUNT, Frozen, Lists, Numbers, Section, Snapshot
from templcrawl.page.arrays import Keys
from templcrawl.page.page import Page

if TYPE_CHECKING:
    from templcrawl.memory.page_types import LeafCounts

NEAR = 0.5  # distance up to which the pages of a leaf are built like a page
LEAF_DISTANCE = 0.15
FIRST_REFIT = 32
REFIT_GROWTH = 1.5
STRANGE = 0.3  # distance from all leaves, share of new features: it may be of a new type, so weigh anew
FIRST_WEIGHING = 4  # pages; of fewer no feature separates anything
EACH_WEIGHED = 8  # pages up to which each page weighs the features anew
WEIGHING_GROWTH = 1.25
MAX_FEATURES = 4_096
MAX_VIEW_FEATURES = 512
MAX_SEEN = 4_096
MAX_ADDRESSES = 8  # of a leaf, to name its page type by
LONGEST_ADDRESS = 200
_COUNTED_AT_ONCE = 16  # pages whose anchors and URLs are counted together: only page types ask for them
_DIGITS = 12

NOTHING: Keys = np.zeros(0, dtype=np.uint64)


class LeafDistances(NamedTuple):
    """The distances of a page to the leaves of its site.

    leaf       number of its leaf
    leaf_id    id of its leaf, which never changes
    distances  leaf that is alive -> its distance to the page by structure; its own is at 0
    into       leaf -> the leaf that it was merged into, of those that are not alive
    """

    leaf: int
    leaf_id: str
    distances: Mapping[int, float]
    into: Mapping[int, int]

    def distance(self, leaf: int) -> float:
        """Return the distance of the page to a leaf, infinity if none is known yet."""
        distances = self.distances
        return distances[leaf] if leaf in distances else distances.get(living(leaf, self.into), math.inf)

    def is_near(self, leaf: int) -> bool:
        """Return whether the pages of a leaf are built like the page."""
        return self.distance(leaf) <= NEAR


def living(leaf: int, into: Mapping[int, int]) -> int:
    """Return the leaf that a leaf has been merged into, itself if it is alive."""
    while leaf in into:
        leaf = into[leaf]
    return leaf


class Leaves(Section):
    """The leaves of one site.

    pages      pages that were added
    ids        numbers of the leaves that are alive, by row of the tables
    keys       leaf, of all that there ever were -> key of its first page, the same in every process
    structure  their profiles by structure; ``anchors`` and ``urls``: by the anchors that led to their pages,
               by the shape of their URLs, of the same rows
    shown      pages with anchors, pages with a URL that can be read
    addresses  leaf -> URLs of some of its pages
    """

    sections = ("structure", "anchors", "urls")

    def __init__(self, host: str = "") -> None:
        self._host = host
        self.pages = 0
        self.ids: tuple[int, ...] = ()
        self.keys: tuple[int, ...] = ()
        self.structure = ProfileTable(most_columns=MAX_FEATURES)
        self.anchors = ProfileTable(most_columns=MAX_VIEW_FEATURES)
        self.urls = ProfileTable(most_columns=MAX_VIEW_FEATURES)
        self.shown = [0, 0]
        self.addresses: dict[int, tuple[str, ...]] = {}
        self._next_weighing = FIRST_WEIGHING
        self._next_refit = FIRST_REFIT
        self._into: dict[int, int] = {}
        self._row_of: dict[int, int] = {}
        self._number_of: dict[str, int] = {}
        self._seen: LruDict[int, int] = LruDict(MAX_SEEN)
        self._uncounted: list[tuple[int, Keys, str]] = []  # leaf, anchors and URL of the latest pages

    @property
    def tables(self) -> tuple[ProfileTable, ProfileTable, ProfileTable]:
        """The profiles by structure, anchors and URLs, of all pages."""
        self._count_views()
        return self.structure, self.anchors, self.urls

    def place(self, page: Page, *, learn: bool, anchors: Keys = NOTHING) -> LeafDistances:
        """Return the place of a page by the pages so far.

        learn    whether the page is new, and counts
        anchors  paths of the anchors that led to it, distinct
        """
        if learn or not self.ids:
            return self.learn(page.structure, anchors=anchors, address=page.url)
        row = self._row_of_equal(_key(page.structure))
        if row is None:
            row = int(self._distances(page.structure).argmin())
        return self._place(self.ids[row], page.structure)

    def learn(self, structure: Keys, *, anchors: Keys = NOTHING, address: str = "") -> LeafDistances:
        """Learn from a page; return its place.

        structure  its features, ascending and distinct
        anchors    paths of the anchors that led to it, distinct
        address    its URL
        """
        width = self.structure.width
        columns = self.structure.columns_of(structure)
        is_strange = self.structure.width - width > STRANGE * len(columns)
        key = _key(structure)
        row, distances = self._row_of_equal(key), None
        if self.ids and (row is None or self.structure.is_weighed):
            distances = self.structure.distances(columns)
        if row is None and distances is not None:
            nearest = int(distances.argmin())
            is_open = self.pages < FIRST_REFIT and not self.structure.is_full
            if self.structure.is_full or (not is_open and distances[nearest] <= LEAF_DISTANCE):
                row = nearest
            elif self.pages >= FIRST_WEIGHING and is_open and (is_strange or distances[nearest] > STRANGE):
                self._next_weighing = 0
        if row is None:
            row = self._start(key)
        leaf = self.ids[row]
        self._seen[key] = leaf
        self.structure.count(row, columns)
        self._uncounted.append((leaf, anchors, address))
        if len(self._uncounted) == _COUNTED_AT_ONCE:
            self._count_views()
        known = self.addresses.get(leaf, ())
        if address and len(known) < MAX_ADDRESSES:
            self.addresses[leaf] = (*known, address[:LONGEST_ADDRESS])
        self.pages += 1
        if self.pages >= min(self._next_refit, self._next_weighing):
            self._renew()
            distances = None
        # that the page was counted, and started a leaf, has changed its distance to its own leaf alone
        return self._place(self.current(leaf), structure, distances)

    def _count_views(self) -> None:
        """Count the anchors and the URLs of the latest pages."""
        if not self._uncounted:
            return
        leaves, anchors, addresses = zip(*self._uncounted)
        rows = list(map(self._row_of.__getitem__, leaves))
        views = (self.anchors, anchors), (self.urls, list(map(url_features, addresses)))
        for view, (table, features) in enumerate(views):
            table.count_pages(rows, features)
            self.shown[view] += sum(len(page_features) > 0 for page_features in features)
        self._uncounted.clear()

    def find(self, leaf_id: str, page: Page) -> LeafDistances | None:
        """Return the place of a page that was given a leaf before, as known now; None of an unknown leaf."""
        leaf = self.number(leaf_id)
        return None if leaf is None else self._place(leaf, page.structure)._replace(leaf_id=leaf_id)

    def number(self, leaf_id: str) -> int | None:
        """Return the number of a leaf as it is now, None of an unknown one."""
        leaf = self._number_of.get(leaf_id)
        return None if leaf is None else self.current(leaf)

    def leaves_of_types(self, leaves: Iterable[int]) -> frozenset[int]:
        """Return the leaves that are alive and of the page types of some leaves, by the pages so far."""
        rows = {self._row_of[self.current(leaf)] for leaf in leaves}
        order = self._order
        groups = [{order[row] for row in group} for group in self.counted().groups()]
        return frozenset(self.ids[row] for group in groups if not rows.isdisjoint(group) for row in group)

    def current(self, leaf: int) -> int:
        """Return the leaf that a leaf has been merged into, itself if it is alive."""
        return living(leaf, self._into)

    def name(self, leaf: int) -> str:
        """Return the id of a leaf."""
        return self.label(self.keys[leaf])

    def label(self, key: int) -> str:
        """Return the id of the leaf of a key."""
        return f"{self._host}#{key.to_bytes(8, 'big').hex()[:_DIGITS]}"

    def _place(self, leaf: int, structure: Keys, distances: Array | None = None) -> LeafDistances:
        distance_of = {}
        if self.structure.is_weighed:
            distances = self._distances(structure) if distances is None else distances
            distance_of = dict(zip(self.ids, distances.tolist()))
        distance_of[leaf] = 0.0
        return LeafDistances(leaf, self.label(self.keys[leaf]), distance_of, self._into)

    def _distances(self, structure: Keys) -> Array:
        """Return row -> its distance to a page, by structure."""
        return self.structure.distances(self.structure.columns_of(structure, learn=False))

    def _row_of_equal(self, key: int) -> int | None:
        """Return the row of the leaf of pages with this structure, None if there was none lately."""
        leaf = self._seen.touch(key)
        return None if leaf is None else self._row_of[self.current(leaf)]

    def _start(self, key: int) -> int:
        leaf = len(self.keys)
        self.keys += (key,)
        self.ids += (leaf,)
        self._number_of[self.label(key)] = leaf
        self.anchors.new_row()
        self.urls.new_row()
        row = self._row_of[leaf] = self.structure.new_row()
        return row

    def _renew(self) -> None:
        """Refit: merge leaves and weigh all features; before the first refit, weigh structure only."""
        if self.pages >= self._next_refit:
            self.refit()
            return
        grown = self.pages if self.pages < EACH_WEIGHED else int(self.pages * WEIGHING_GROWTH)
        self._next_weighing = max(self.pages + 1, grown)
        if self.pages < FIRST_REFIT:
            self.structure.weigh()

    def refit(self) -> None:
        """Weigh the features anew, merge close leaves permanently, and make room where a limit is reached."""
        self._next_refit = _next_refit(self.pages)
        weights, merges = self.structure.fit()
        surplus = self.structure.surplus()
        allowed = [far <= LEAF_DISTANCE or step < surplus for step, (_, _, far) in enumerate(merges)]
        groups = join(len(self.structure), merges, allowed)
        for table in self.tables:
            table.merge_rows(groups)
        self.structure.weigh(weights)
        for table in (self.anchors, self.urls):
            if not table.has_room:
                table.weigh()
        ids = []
        for rows in groups:
            into, *merged = sorted(self.ids[row] for row in rows)
            self._into.update(dict.fromkeys(merged, into))
            known = chain.from_iterable(self.addresses.pop(leaf, ()) for leaf in (into, *merged))
            self.addresses[into] = tuple(known)[:MAX_ADDRESSES]
            ids.append(into)
        self._set_ids(ids)

    def _set_ids(self, ids: list[int]) -> None:
        self.ids = tuple(ids)
        self._row_of = {leaf: row for row, leaf in enumerate(ids)}

    def counted(self) -> LeafCounts:
        """Return the leaves as counts."""
        from templcrawl.memory.page_types import LeafCounts, feature_counts

        rows, tables = self._order, self.tables
        with_anchors, with_urls = self.shown
        return LeafCounts(
            tuple(self.keys[self.ids[row]] for row in rows),
            self.structure.pages[rows],
            {key: self.keys[self.current(leaf)] for leaf, key in enumerate(self.keys)},
            tuple(feature_counts(table, rows) for table in tables),
            (with_anchors, with_urls),
            tuple(self.addresses.get(self.ids[row], ()) for row in rows),
        )

    @property
    def _order(self) -> list[int]:
        return sorted(range(len(self.ids)), key=lambda row: self.keys[self.ids[row]])

    def columns(self) -> Frozen:
        """Return the leaves, their merges, and the page count of the next refit."""
        self._count_views()
        addresses = [(leaf, url) for leaf, urls in self.addresses.items() for url in urls]
        return {
            "figures": Numbers([self.pages, *self.shown, self._next_refit, self._next_weighing]),
            "keys": Numbers(self.keys),
            "ids": Numbers(self.ids),
            "merged": Numbers(list(self._into.items())),
            "seen": Numbers(list(self._seen.items())),
            "addressed": Numbers([leaf for leaf, _ in addresses]),
            "addresses": Lists([url.encode("utf-8", "surrogatepass") for _, url in addresses], "u1"),
        }

    def load(self, snapshot: Snapshot) -> None:
        """Restore the leaves, and check that all that refers to a leaf, or to a row, has one."""
        figures = snapshot.numbers("figures", count=5, below=MAX_COUNT).tolist()
        self.pages, with_anchors, with_urls, self._next_refit, self._next_weighing = figures
        self.shown = [with_anchors, with_urls]
        self.keys = tuple(snapshot.numbers("keys").tolist())
        ever = len(self.keys)
        ids = snapshot.numbers("ids", below=ever).tolist()
        merged = snapshot.numbers("merged", width=2, below=ever).tolist()
        self._into = {leaf: into for leaf, into in merged if into < leaf}
        if sorted([*ids, *self._into]) != list(range(ever)) or any(
            len(table) != len(ids) for table in self.tables
        ):
            raise InvalidSnapshot("ids", "a leaf is neither alive, with a row in each table, nor merged")
        self._set_ids(ids)
        self._number_of = {self.name(leaf): leaf for leaf in range(ever)}
        seen, leaves = snapshot.numbers("seen", width=2).T
        if (leaves >= ever).any():
            raise InvalidSnapshot("seen", "there is no such leaf")
        self._seen.fill(seen.tolist(), leaves.tolist())
        addressed = snapshot.numbers("addressed", below=ever).tolist()
        for leaf, url in zip(addressed, snapshot.strings("addresses", count=len(addressed))):
            known = self.addresses.get(leaf, ())
            self.addresses[leaf] = (*known, url.decode("utf-8", "surrogatepass"))


def _key(features: Keys) -> int:
    return xxh3_64_intdigest(features.tobytes())


def _next_refit(pages: int) -> int:
    return max(FIRST_REFIT, int(pages * REFIT_GROWTH))
