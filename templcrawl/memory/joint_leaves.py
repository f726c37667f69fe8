"""The leaves of one site that several workers of a crawl have found, merged.

A leaf (:mod:`templcrawl.memory.leaves`) has the same key in every process.  It is stored as counts: how many
of its pages have each feature, in each view.  So leaves of equal keys are summed, and leaves that any worker
has merged are one; the view of the templates is computed over all of them.  All is
done in the order of the keys: the same leaves give the same templates with the same names in every worker.

L <= 256 leaves (beyond, those of most pages stay), C features as in one worker's tables.  Cost: O(L C).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from templcrawl.algorithms.fingerprints.disjoint_sets import DisjointSets
from templcrawl.algorithms.page_types.merge_tree import Array
from templcrawl.algorithms.page_types.template_cut import WeightedCounts, template_groups, view_of
from templcrawl.memory.leaves import Leaves
from templcrawl.memory.profile_table import MAX_ROWS, ProfileTable
from templcrawl.memory.template_names import TemplateNames
from templcrawl.page.arrays import Keys

FIRST_TEMPLATES = 4
"""Pages below which each leaf is a template of its own."""


class Counted(NamedTuple):
    """The feature counts of the leaves in one view.

    features  ascending
    counts    leaf, feature -> pages
    most      features at most, those of most pages
    """

    features: Keys
    counts: Array
    most: int


class JointLeaves(NamedTuple):
    """Leaves as counts.

    keys      their keys, ascending
    pages     leaf -> its pages
    aliases   key of a leaf, of all that there ever were -> key of the leaf that it is merged into: one of
              ``keys``, unless that leaf was left out
    views     structure, anchors, URLs
    shown     pages with anchors, pages with a URL that can be read
    names     leaf -> name -> pages that it was assigned to
    """

    keys: tuple[int, ...]
    pages: Array
    aliases: dict[int, int]
    views: tuple[Counted, Counted, Counted]
    shown: tuple[int, int]
    names: tuple[Counter[int], ...]

    def assigned(self) -> TemplateNames:
        """Return the names that were assigned to pages, by row."""
        names = TemplateNames()
        for row, of_leaf in enumerate(self.names):
            for name, pages in of_leaf.items():
                names.assign(row, name, pages)
        return names


class JointView(NamedTuple):
    """Which leaves are one template.

    template_of  key of a leaf, of all that there ever were -> name of its template
    aliases      name, of all that there ever were -> name of the template that most of its pages are in
    largest      pages of the largest template
    """

    template_of: dict[int, int]
    aliases: dict[int, int]
    largest: int

    def templates(self, leaves: Leaves, earlier: Mapping[int, int]) -> dict[int, int]:
        """Return leaf of a worker, of all that it ever had -> the name of its template.

        earlier  leaf that is alive -> what it was, and stays where too many leaves had to be left out
        """
        now = {leaf: leaves.current(leaf) for leaf in range(len(leaves.keys))}
        return {leaf: self.template_of.get(leaves.keys[alive], earlier[alive]) for leaf, alive in now.items()}


def counted(
    leaves: Leaves, tables: Sequence[ProfileTable], shown: tuple[int, int], names: TemplateNames
) -> JointLeaves:
    """Return the leaves of one worker as counts.

    tables  of structure, anchors and URLs, with the rows of the leaves
    """
    structure, anchors, urls = map(_sorted, tables)
    return JointLeaves(
        tuple(leaves.keys[leaf] for leaf in leaves.ids),
        leaves.table.pages,
        leaves.aliases(),
        (structure, anchors, urls),
        shown,
        tuple(names.assigned(leaf) for leaf in leaves.ids),
    )


def _sorted(table: ProfileTable) -> Counted:
    order = np.argsort(table.features)
    return Counted(table.features[order], table.counts[:, order], table.most_columns)


def counting_views(shown: tuple[int, int], pages: float) -> list[bool]:
    """Return whether the views of anchors and of URLs count: whether half of the pages show any."""
    return [2 * with_any >= pages for with_any in shown]


def groups_of_leaves(
    pages: Array, views: Sequence[WeightedCounts], shown: tuple[int, int]
) -> list[list[int]]:
    """Return the rows of the leaves of each template.

    pages  leaf -> its pages
    views  structure, anchors, URLs
    shown  pages with anchors, pages with a URL that can be read
    """
    total = pages.sum()
    if total < FIRST_TEMPLATES:
        return [[row] for row in range(len(pages))]
    structure, *others = views
    counting = [view if counts else None for view, counts in zip(others, counting_views(shown, total))]
    return template_groups(pages, structure, *counting)


def view_of_all(leaves: JointLeaves) -> JointView:
    """Return the templates of leaves, by the names that were assigned to most of their pages."""
    views = [view_of(view.counts, leaves.pages) for view in leaves.views]
    groups = groups_of_leaves(leaves.pages, views, leaves.shown)
    assigned = leaves.assigned()
    names = assigned.choose(groups, leaves.keys, agreed=True)
    name_of = {leaves.keys[row]: name for group, name in zip(groups, names) for row in group}
    return JointView(
        {key: name_of[now] for key, now in leaves.aliases.items() if now in name_of},
        assigned.aliases(groups, names),
        max((int(leaves.pages[group].sum()) for group in groups), default=0),
    )


def merge_joint_leaves(workers: Sequence[JointLeaves]) -> JointLeaves:
    """Return the leaves of several workers, at least one, as one; their order does not matter."""
    aliases = _joined(worker.aliases for worker in workers)
    pages = Counter[int]()
    for worker in workers:
        for key, of_leaf in zip(worker.keys, worker.pages.tolist()):
            pages[aliases[key]] += of_leaf
    keys = sorted(sorted(pages, key=lambda key: (-pages[key], key))[:MAX_ROWS])
    row_of = {key: row for row, key in enumerate(keys)}
    rows = [
        np.array([row_of.get(aliases[key], -1) for key in worker.keys], dtype=np.intp) for worker in workers
    ]
    names = tuple(Counter[int]() for _ in keys)
    for worker, of_worker in zip(workers, rows):
        for row, of_leaf in zip(of_worker.tolist(), worker.names):
            if row >= 0:
                names[row].update(of_leaf)
    structure, anchors, urls = (
        _summed([worker.views[view] for worker in workers], rows, len(keys)) for view in range(3)
    )
    with_anchors, with_urls = (sum(worker.shown[view] for worker in workers) for view in range(2))
    return JointLeaves(
        tuple(keys),
        np.array([pages[key] for key in keys], dtype=float),
        aliases,
        (structure, anchors, urls),
        (with_anchors, with_urls),
        names,
    )


def _joined(relations: Iterable[dict[int, int]]) -> dict[int, int]:
    """Return key -> the smallest key of all that were merged with it, by any worker."""
    pairs = [pair for relation in relations for pair in relation.items()]
    keys = sorted({key for pair in pairs for key in pair})
    number_of = {key: number for number, key in enumerate(keys)}
    sets = DisjointSets(order=keys.__getitem__)
    for _ in keys:
        sets.make_set()
    for first, second in pairs:
        sets.union(number_of[first], number_of[second])
    return {key: keys[sets.smallest(number)] for number, key in enumerate(keys)}


def _summed(views: Sequence[Counted], rows: Sequence[Array], leaves: int) -> Counted:
    """Return the counts of a view, summed by row; a row of -1 is left out."""
    features: Keys = np.unique(np.concatenate([view.features for view in views]))
    counts = np.zeros((leaves + 1, len(features)), dtype=np.float32)
    for view, of_view in zip(views, rows):
        columns = np.searchsorted(features, view.features)
        for row, of_leaf in zip(of_view.tolist(), view.counts):
            counts[row, columns] += of_leaf
    counts = counts[:leaves]
    most = views[0].most
    if len(features) > most:
        retained = np.sort(np.argsort(-counts.sum(axis=0), kind="stable")[:most])
        features, counts = features[retained], counts[:, retained]
    return Counted(features, counts, most)
