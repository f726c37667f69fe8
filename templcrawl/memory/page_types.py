"""The page types of a site, made once of all its leaves: which of its pages were made by the same template.

The leaves (:mod:`templcrawl.memory.leaves`) are clustered by the structure of their pages, the tag paths of
the anchors that led to them and the shape of their URLs
(:mod:`templcrawl.algorithms.page_types.template_cut`).  Fewer than four pages do not show which features
separate types: each leaf is a type of its own.  Anchors, or URLs, are used where half of the pages have any.
A type is named after the pattern that its addresses share.

A leaf is counted: how many of its pages have each feature.  All is done in the order of the keys of leaves:
the same pages give the same types with the same names.

Notation: L <= 256 leaves, C features.  Cost: O(L^2 C + L^3).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from templcrawl.algorithms.page_types.merge_tree import Array
from templcrawl.algorithms.page_types.page_profiles import view_of
from templcrawl.algorithms.page_types.template_cut import template_groups
from templcrawl.algorithms.page_types.type_names import readable_names
from templcrawl.memory.profile_table import ProfileTable
from templcrawl.page.arrays import Keys

FIRST_TYPES = 4  # pages below which each leaf is a type of its own

MAX_NAMED = 1_000


class TypedLeaf(NamedTuple):
    """A row of the table of page types.

    leaf_id    id of a leaf, as observations and items have it
    page_type  name of its page type, which no other type of the site has
    pages      pages of that type
    kind       what kind of pages they are; None where kinds are not told
    """

    leaf_id: str
    page_type: str
    pages: int
    kind: str | None = None

    @property
    def host(self) -> str:
        """Its site."""
        return self.leaf_id.rpartition("#")[0]


class FeatureCounts(NamedTuple):
    """The features of the leaves in one view.

    features  ascending
    counts    leaf, feature -> pages
    most      features at most, those of most pages
    """

    features: Keys
    counts: Array
    most: int


class LeafCounts(NamedTuple):
    """Leaves as counts.

    keys       their keys, ascending
    pages      leaf -> its pages
    into       key of a leaf, of all that there ever were -> key of the leaf that it is merged into: one of
               ``keys``, unless that leaf was left out
    views      structure, anchors, URLs
    shown      pages with anchors, pages with a URL that can be read
    addresses  leaf -> URLs of some of its pages
    """

    keys: tuple[int, ...]
    pages: Array
    into: dict[int, int]
    views: tuple[FeatureCounts, ...]
    shown: tuple[int, int]
    addresses: tuple[tuple[str, ...], ...]

    def types(self) -> dict[int, tuple[str, int]]:
        """Return key of a leaf, of all that there ever were -> (its page type, pages of that type)."""
        groups = self.groups()
        addresses = {
            str(number): list(chain.from_iterable(self.addresses[row] for row in group))[:MAX_NAMED]
            for number, group in enumerate(groups)
        }
        names = readable_names(addresses)
        type_of = {
            self.keys[row]: (names[str(number)], int(self.pages[group].sum()))
            for number, group in enumerate(groups)
            for row in group
        }
        return {key: type_of[now] for key, now in self.into.items() if now in type_of}

    def groups(self) -> list[list[int]]:
        """Return the rows of the leaves of each page type."""
        total = self.pages.sum()
        if total < FIRST_TYPES:
            return [[row] for row in range(len(self.pages))]
        structure, *others = (view_of(view.counts, self.pages) for view in self.views)
        # a view counts where half of the pages show any of it
        counting = [view if 2 * shown >= total else None for view, shown in zip(others, self.shown)]
        return template_groups(self.pages, structure, *counting)


def feature_counts(table: ProfileTable, rows: Sequence[int]) -> FeatureCounts:
    """Return the counts of some rows of a table, copied."""
    order = np.argsort(table.features)
    return FeatureCounts(table.features[order], table.counts[rows][:, order], table.most_columns)
