"""The page types of a site, online: which of its pages were made by the same template.

Two levels.  A *leaf* is a tight group of pages by their structure; a page is given its leaf at once, by a
permanent id (:mod:`templcrawl.memory.leaves`).  A *template* is a set of leaves; which ones is only a view,
computed anew from all pages so far by their structure, the tag paths of the anchors that led to them and
the shape of their URLs (:mod:`templcrawl.algorithms.page_types.template_cut`).  Its name stays with most of
its pages (:mod:`templcrawl.memory.template_names`).

Fewer than four pages do not show which features separate templates: each leaf is a template of its own.
While a crawl runs, the view is renewed with each page until there are 8, then each time the pages have
grown by a quarter, and with each new leaf whose first page is farther than 0.3 from all leaves, over all
views.  Beyond 64 leaves such a page renews no view: its leaf is given the template of the nearest leaf within
a distance of 0.55.  Anchors, or URLs, are used where half of the pages have any.

L leaves, C <= 4,096 features of structure, 512 of anchors, 512 of URLs.  Cost: a page O(L f) for its f
features, the view O(L^2 C + L^3); new leaves renew it at most 64 times between two refits.  Memory: at most
about 1 MB a site beside the leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from templcrawl.algorithms.page_types.merge_tree import Array
from templcrawl.algorithms.page_types.page_profiles import LEAST_PAGES
from templcrawl.algorithms.page_types.template_cut import WeightedCounts, tree_distances
from templcrawl.errors import BrokenInvariant
from templcrawl.memory.joint_leaves import (
    FIRST_TEMPLATES,
    JointLeaves,
    counted,
    counting_views,
    groups_of_leaves,
    merge_joint_leaves,
    view_of_all,
)
from templcrawl.memory.leaves import FIRST_REFIT, Leaves
from templcrawl.memory.profile_table import ProfileTable
from templcrawl.memory.snapshot_parts import Attribute, Entries, Nested, Part, Section
from templcrawl.memory.snapshot_values import COUNT, NUMBERS
from templcrawl.memory.template_names import TemplateNames, new_name
from templcrawl.page.arrays import Keys

if TYPE_CHECKING:
    from typing_extensions import Self

TEMPLATE_DISTANCE = 0.55
STRANGE_DISTANCE = 0.3
"""Beyond it from all leaves, a page may be of a new type: the view is renewed."""

MOST_LEAVES_AT_ONCE = 64
"""Leaves beyond which such a page does not renew the view."""

FIRST_VIEWS = 8
VIEW_GROWTH = 1.25
MAX_VIEW_COLUMNS = 512
"""Features of anchors that are stored, and as many of URLs."""

NOTHING: Keys = np.zeros(0, dtype=np.uint64)


class TemplateMap(NamedTuple):
    """The template of each leaf, by all pages so far.

    template_of  leaf, of all that there ever were -> name of its template
    aliases      name, of all that there ever were -> name of the template that most of its pages are in
    """

    template_of: dict[int, int]
    aliases: dict[int, int]


class PageTypes(Section):
    """The page types of one site.

    >>> import numpy as np
    >>> types = PageTypes()
    >>> [types.learn(np.array(page, dtype=np.uint64)) for page in ([1, 2], [1, 3], [1, 2])]
    [0, 1, 0]

    leaves     the leaves, with their structure
    joint      of a merge, the leaves of several workers; with a remote one, views are of all leaves together
    largest    with a remote one, pages of the largest template by the last view
    elsewhere  with a remote one, key of a leaf of any worker -> name of its template by the last view
    """

    def __init__(self) -> None:
        self.leaves = Leaves()
        self.joint: JointLeaves | None = None
        self.largest = 0
        self._viewed = 0.0
        self.elsewhere: dict[int, int] = {}
        self._anchors = ProfileTable(most_columns=MAX_VIEW_COLUMNS)
        self._urls = ProfileTable(most_columns=MAX_VIEW_COLUMNS)
        self._with_anchors = self._with_urls = 0
        self._names = TemplateNames()
        self._template_of: dict[int, int] = {}
        self._next_view = 0
        self._is_weighing_due = False
        self._template_map: TemplateMap | None = None

    @property
    def _tables(self) -> tuple[ProfileTable, ProfileTable, ProfileTable]:
        """The views: structure, anchors, URLs, of the same rows."""
        return self.leaves.table, self._anchors, self._urls

    @property
    def nbytes(self) -> int:
        """Bytes that they take, about."""
        return self.leaves.nbytes + self._anchors.nbytes + self._urls.nbytes + self._names.nbytes

    def learn(self, features: Keys, *, anchors: Keys = NOTHING, url: Keys = NOTHING, name: int = 0) -> int:
        """Learn from a page; return the id of its leaf.

        features  of its structure, ascending and distinct
        anchors   paths of the anchors that led to it, distinct
        url       features of its URL, ascending and distinct
        name      of its template, if it was given one before; else 0
        """
        views = (features, anchors, url)
        columns = [table.columns_of(of_view) for table, of_view in zip(self._tables, views)]
        is_renewed = self.leaves.pages + 1 >= self._next_view
        row = self.leaves.row_of_equal(features)
        if row is None:
            is_used = self.leaves.are_joined or not is_renewed
            distances = self.leaves.table.distances(columns[0]) if is_used else None
            row = self.leaves.nearest_row(distances) if distances is not None else None
            if row is None:
                row = self._new_leaf(features, None if is_renewed else distances, columns)
        leaf = self.leaves.ids[row]
        self.leaves.count(row, features, columns[0])
        self._anchors.count(row, columns[1])
        self._urls.count(row, columns[2])
        self._with_anchors += bool(len(anchors))
        self._with_urls += bool(len(url))
        self._template_map = None
        if self.leaves.is_refit_due:
            self.refit()
        if self.leaves.pages >= self._next_view:
            self._renew_view()
        leaf = self.leaves.current(leaf)
        self._names.assign(leaf, name or self._template_of[leaf])
        return leaf

    def find(self, features: Keys) -> int | None:
        """Return the leaf of a page without learning from it: an equal page's, else the nearest one."""
        self._weigh_due()
        return self.leaves.find(features)

    def current(self, leaf: int) -> int:
        """Return the leaf that a leaf has been merged into, itself if it is alive."""
        return self.leaves.current(leaf)

    @property
    def view(self) -> object:
        """What stays the same object until the template of an earlier leaf may have changed."""
        return self._template_of

    def template(self, leaf: int) -> int:
        """Return the name of a leaf's template by the view as it was renewed last.  Cost: O(1)."""
        return self._template_of[self.leaves.current(leaf)]

    def templates(self) -> dict[int, int]:
        """Return leaf, of all that there ever were -> the name of its template (``template_map``)."""
        return self.template_map().template_of

    def views(self) -> tuple[WeightedCounts, WeightedCounts, WeightedCounts]:
        """Return the views of structure, anchors and URLs of the leaves that are alive, by row."""
        return self.leaves.table.view(), self._anchors.view(), self._urls.view()

    def template_map(self) -> TemplateMap:
        """Return what leaves and names are by all pages so far.

        Cost: that of the view, once after each page.
        """
        if self._template_map is None:
            self._template_map = self._map_templates()
        return self._template_map

    def _map_templates(self) -> TemplateMap:
        """Return the template of each leaf, by all pages so far, those of other workers too."""
        if self._remote_leaves is not None:
            joint = view_of_all(merge_joint_leaves([self.counted(), self._remote_leaves]))
            self.elsewhere, self.largest = joint.template_of, joint.largest
            return TemplateMap(joint.templates(self.leaves, self._template_of), joint.aliases)
        groups, names = self._named_groups(self.views())
        by_leaf = _by_leaf(groups, names)
        template_of = {leaf: by_leaf[self.leaves.current(leaf)] for leaf in range(len(self.leaves.keys))}
        return TemplateMap(template_of, self._names.aliases(groups, names))

    def counted(self) -> JointLeaves:
        """Return the leaves as counts."""
        return counted(self.leaves, self._tables, self._shown, self._names)

    def merge(self, types: Sequence[PageTypes]) -> None:
        """Become the leaves of several workers as counts, to be the remote ones; no leaf is of this one."""
        self.joint = merge_joint_leaves([of_worker.counted() for of_worker in types]) if types else None

    def set_remote(self, remote: Self) -> None:
        """Take the leaves of other workers into the view; the next page renews it if theirs have grown."""
        self.remote, self._template_map = remote, None
        if remote.joint is not None and remote.joint.pages.sum() >= VIEW_GROWTH * self._viewed:
            self._next_view = 0

    @property
    def _remote_leaves(self) -> JointLeaves | None:
        """The leaves of the other workers, None if there are none."""
        return self.remote.joint if self.remote is not None else None

    def refit(self) -> None:
        """Weigh the features of structure anew, and merge for ever the leaves that are close."""
        before = self.leaves.ids
        groups = self.leaves.refit()
        for table in (self._anchors, self._urls):
            table.merge_rows(groups)
        for leaf, rows in zip(self.leaves.ids, groups):
            self._names.merge_leaves(leaf, [before[row] for row in rows if before[row] != leaf])
        self._template_of = {leaf: self._template_of[leaf] for leaf in self.leaves.ids}
        self._template_map = None

    def _new_leaf(self, features: Keys, distances: Array | None, columns: Sequence[Array]) -> int:
        """Start a leaf of a page; until the view is renewed it has the nearest template, if one is near.

        distances  of the page to the leaves by structure; None where the view is renewed with this very page
        columns    of its features in each table
        """
        template, distance = self._nearest_template(distances, columns)
        is_renewed = template is None and self._remote_leaves is not None
        if is_renewed or (distance > STRANGE_DISTANCE and len(self.leaves.ids) <= MOST_LEAVES_AT_ONCE):
            self._next_view = 0
        row = self.leaves.start(features)
        leaf = self.leaves.ids[row]
        if template is None:
            template = new_name(self.leaves.keys[leaf], set(self._template_of.values()))
        self._template_of[leaf] = template
        self._anchors.new_row()
        self._urls.new_row()
        return row

    def _nearest_template(
        self, structure: Array | None, columns: Sequence[Array]
    ) -> tuple[int | None, float]:
        """Return (template of the leaf nearest to a page over all views, its distance); no far template."""
        if structure is None or not self.leaves.ids:
            return None, np.inf
        others = zip(self._tables[1:], columns[1:], self.counting_views)
        distances_of = [table.distances(of_page) if is_used else None for table, of_page, is_used in others]
        distances = tree_distances(structure, *distances_of)
        row = int(distances.argmin())
        distance = float(distances[row])
        return self._template_of[self.leaves.ids[row]] if distance <= TEMPLATE_DISTANCE else None, distance

    @property
    def _shown(self) -> tuple[int, int]:
        """Pages with anchors, pages with a URL that can be read."""
        return self._with_anchors, self._with_urls

    @property
    def counting_views(self) -> list[bool]:
        """Whether the view of anchors counts, and that of URLs."""
        return counting_views(self._shown, self.leaves.pages)

    def _named_groups(self, views: Sequence[WeightedCounts]) -> tuple[list[list[int]], list[int]]:
        """Return (the leaves of each template by all pages so far, its name)."""
        groups = groups_of_leaves(self.leaves.table.pages, views, self._shown)
        groups = [[self.leaves.ids[row] for row in rows] for rows in groups]
        return groups, self._names.choose(groups, self.leaves.keys)

    def _renew_view(self) -> None:
        """Compute the view anew, and weigh the features of new leaves.

        Of three pages each leaf is a template, so their features wait until their weights are read.
        """
        pages, can_wait = self.leaves.pages, all(table.has_room for table in self._tables)
        is_weighing = pages >= FIRST_TEMPLATES or (pages >= LEAST_PAGES and not can_wait)
        views = self.views() if is_weighing else ()
        if self._remote_leaves is not None:
            template_of = self._map_templates().template_of
            self._viewed = float(self._remote_leaves.pages.sum())
        else:
            template_of = _by_leaf(*self._named_groups(views))
        renewed = {leaf: template_of[leaf] for leaf in self.leaves.ids}
        if renewed != self._template_of:
            self._template_of = renewed
        self._weigh(views)
        self._is_weighing_due = pages >= LEAST_PAGES and not is_weighing
        self._next_view = _next_view(pages)

    def _weigh(self, views: Sequence[WeightedCounts]) -> None:
        """Weigh the features of new leaves, of structure until they are weighed at refits."""
        is_fitted = self.leaves.pages >= FIRST_REFIT
        for table, view in zip(self._tables, views):
            if table is not self.leaves.table or not is_fitted:
                table.weigh(view.feature_weights)

    def _weigh_due(self) -> None:
        """Weigh the features that wait for it."""
        if self._is_weighing_due:
            self._is_weighing_due = False
            self._weigh(self.views())

    def parts(self) -> Sequence[Part]:
        """Return the leaves, the views beside their structure, and the names of the templates."""
        self._weigh_due()
        return [
            *(Attribute(self, name, COUNT) for name in ("_next_view", "_with_anchors", "_with_urls")),
            Nested("leaves", self.leaves),
            Nested("anchors", self._anchors),
            Nested("urls", self._urls),
            Nested("names", self._names),
            Entries(
                {"template_of": NUMBERS},
                lambda: [[self._template_of[leaf] for leaf in self.leaves.ids]],
                self._set_templates,
            ),
        ]

    def _set_templates(self, templates: Sequence[int]) -> None:
        self._template_of = dict(zip(self.leaves.ids, templates, strict=True))

    def validate(self) -> None:
        """Raise BrokenInvariant where the columns are inconsistent or are over their caps."""
        super().validate()
        pages = self.leaves.pages
        sound = {
            "next": self._next_view <= _next_view(pages),
            "views": all(np.array_equal(table.pages, self.leaves.table.pages) for table in self._tables),
            "shares": max(self._with_anchors, self._with_urls) <= pages,
            "template_of": self._template_of.keys() == set(self.leaves.ids),
        }
        broken = [name for name, is_sound in sound.items() if not is_sound]
        if broken:
            raise BrokenInvariant("PageTypes", f"unsound: {', '.join(broken)}")
        self._names.check_leaves(self.leaves.sizes())


def _by_leaf(groups: Sequence[Sequence[int]], names: Sequence[int]) -> dict[int, int]:
    """Return leaf -> the name of its template."""
    return {leaf: name for group, name in zip(groups, names) for leaf in group}


def _next_view(pages: int) -> int:
    """Return at how many pages the view is renewed next."""
    return pages + 1 if pages < FIRST_VIEWS else max(pages + 1, int(pages * VIEW_GROWTH))
