"""Do the constants of the cut between templates hold on sites that they were not chosen on?

``templcrawl.algorithms.page_types.page_profiles`` joins two groups of pages iff distance + W * switched <=
D.  For each site the pair (D, W) of a grid is taken that has the highest mean ARI on all the *other* sites
(the smaller D, then W, of equally good ones), and the left-out site is cut with it.

The leaves, their merges and the switched shares do not depend on D and W: they are worked out once a
site, after its last page, from the features of the pages of each leaf.

Departure: a memory has a cap of features, here all count; ``Branches.is_view`` says whether that changed
the templates, and it is printed on how many sites it did not.

The form of the rule, the weights of features and the distance of leaves are as they are: leaving a site
out says nothing of these.

Cost: O(sites * pairs * (leaves + pages)) beyond learning each site once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from benchmarks.structure.typed_sites import Quality, TypedSite, mean_quality, quality_of
from templcrawl.algorithms.page_types.merge_tree import Array, Merge, average_linkage, join
from templcrawl.algorithms.page_types.page_profiles import fold, profile_distances, switched_shares
from templcrawl.memory.page_types import PageTypes
from templcrawl.page.ancestors import Keys


class Cut(NamedTuple):
    """The constants of the cut: D and W."""

    distance: float
    switch_weight: float


IN_USE = Cut(0.8, 0.4)
GRID = [Cut(step / 20, weight / 10) for step, weight in product(range(10, 21), range(9))]
"""D from .5 to 1 by .05, W from 0 to .8 by .1."""


class Branches(NamedTuple):
    """What a site's leaves are cut by.

    rows      row of the leaf of each page, as known at the end
    merges    of average linkage over the rows
    switched  share of each merge
    view      template of each page as the memory has it, by the constants in use
    """

    rows: list[int]
    merges: list[Merge]
    switched: list[float]
    view: list[int]

    @property
    def is_view(self) -> bool:
        """Whether the constants in use give the pages the templates that the memory gives them."""
        pairs = set(zip(templates_at(self, IN_USE), self.view))
        return len(pairs) == len({ours for ours, _ in pairs}) == len({other for _, other in pairs})


def branches_of(site: TypedSite) -> Branches:
    """Learn a site in the order of the crawl and return how its leaves would merge."""
    types = PageTypes()
    given = [types.observe(structure) for structure in site.structures]
    row_of = {leaf: row for row, leaf in enumerate(types.leaves.ids)}
    rows = [row_of[types.current(leaf)] for leaf in given]
    counts, pages = leaf_counts(rows, site.structures)
    _, profiles, weights = fold(counts, pages)
    merges = average_linkage(profile_distances(profiles, weights), pages)
    view = types.templates()
    switched = switched_shares(profiles, weights, pages, merges)
    return Branches(rows, merges, switched, [view[leaf] for leaf in given])


def leaf_counts(rows: Sequence[int], structures: Sequence[Keys]) -> tuple[Array, Array]:
    """Return (row, feature -> how many of its pages have it; row -> pages).

    >>> counts, pages = leaf_counts([0, 1, 0], [np.array(one, np.uint64) for one in ([5, 9], [5], [5])])
    >>> counts.tolist(), pages.tolist()
    ([[2.0, 1.0], [1.0, 0.0]], [2, 1])
    """
    columns = np.unique(np.concatenate(structures))
    counts = np.zeros((max(rows) + 1, len(columns)), dtype=np.float32)
    for row, structure in zip(rows, structures):
        counts[row, np.searchsorted(columns, structure)] += 1
    return counts, np.bincount(rows)


def templates_at(branches: Branches, cut: Cut) -> list[int]:
    """Return the template of each page with these constants."""
    allowed = [
        distance + cut.switch_weight * share <= cut.distance
        for (_, _, distance), share in zip(branches.merges, branches.switched)
    ]
    groups = join(len(branches.merges) + 1, branches.merges, allowed)
    template = {row: number for number, rows in enumerate(groups) for row in rows}
    return [template[row] for row in branches.rows]


class LeftOut(NamedTuple):
    """What a site scores with the constants that the other sites chose."""

    site: str
    group: str
    cut: Cut
    quality: Quality


class SiteScores(NamedTuple):
    """What a site scores with every pair of constants."""

    site: str
    group: str
    by_cut: dict[Cut, Quality]
    is_view: bool


def score_cuts(site: TypedSite, cuts: Sequence[Cut]) -> SiteScores:
    """Cut a site with each pair of constants; some of its pages must have a type."""
    branches = branches_of(site)
    by_cut = {}
    for cut in cuts:
        quality = quality_of(templates_at(branches, cut), branches.rows, site.types)
        if quality:
            by_cut[cut] = quality
    return SiteScores(site.name, site.group, by_cut, branches.is_view)


def best_cut(scores: Iterable[SiteScores]) -> Cut:
    """Return the cut of the highest mean ARI over sites; the smallest of equally good ones."""
    sites = [scored.by_cut for scored in scores]
    return max(sorted(sites[0]), key=lambda cut: fmean(by_cut[cut].ari for by_cut in sites))


def leave_one_out(scores: Sequence[SiteScores]) -> list[LeftOut]:
    """Cut each site by the constants that are best on the others; takes two sites or more."""
    left_out = []
    for scored in scores:
        cut = best_cut(other for other in scores if other is not scored)
        left_out.append(LeftOut(scored.site, scored.group, cut, scored.by_cut[cut]))
    return left_out


def left_out_table(left_out: Sequence[LeftOut], scores: Sequence[SiteScores]) -> Table:
    """Return the means: left out (all sites, each group), with the constants in use, best in hindsight."""
    table = Table(title="The constants of the cut, each site left out in turn", title_justify="left")
    for head in ("constants", "sites", "D, W (sites)", "ARI", "purity", "leaf purity"):
        table.add_column(head, justify="left" if head == "constants" else "right")

    def row(name: str, cuts: Iterable[Cut], qualities: Sequence[Quality]) -> None:
        told = ", ".join(f"{d:g} {w:g} ({count})" for (d, w), count in Counter(cuts).most_common())
        table.add_row(name, str(len(qualities)), told, *(f"{share:.3f}" for share in mean_quality(qualities)))

    for group in ("", *dict.fromkeys(left.group for left in left_out)):
        part = [left for left in left_out if group in ("", left.group)]
        row(f"left out, {group or 'all'}", (left.cut for left in part), [left.quality for left in part])
    for name, cut in (("in use", IN_USE), ("best on all", best_cut(scores))):
        row(name, [cut] * len(scores), [scored.by_cut[cut] for scored in scores])
    return table


def plain(left_out: Sequence[LeftOut]) -> list[dict[str, Any]]:
    """Return the figures as plain values."""
    return [
        {**left._asdict(), "cut": left.cut._asdict(), "quality": left.quality._asdict()} for left in left_out
    ]
