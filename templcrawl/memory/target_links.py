"""The state of the order ``targets`` for a site: its wanted pages, and features of links to them.

Pages are wanted by the names of their types or kinds, or because they are of the page type of an example.
Which leaves are of such a type becomes clear as a site becomes known, so the regression is refitted.

Cost: that of :class:`~templcrawl.memory.regression_table.RegressionTable`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from templcrawl.algorithms.crawl_order.link_regression import MAX_TARGETS, address_shape
from templcrawl.memory.key_tables import NumberList
from templcrawl.memory.leaves import Leaves
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.memory.regression_table import RegressionTable
from templcrawl.memory.sections import FiledPage, LinkSection, SeenPage, WaitingLink
from templcrawl.page.text import text_key

SAME_TYPE = 0.7  # the distance of a page to a leaf, beyond which it is of no type that is known


class TargetLinks(LinkSection):
    """The wanted pages of a site.

    regression  values its links once it has learned a page
    """

    sections = ("regression",)

    def __init__(self, options: MemoryOptions, *, names: Collection[str] = ()) -> None:
        """Start without pages; ``names`` are the types and kinds of wanted ones."""
        self.regression = RegressionTable(limit=options.max_links)
        self._names = frozenset(names)
        self._examples: tuple[int, ...] = ()
        self._wanted: frozenset[int] = frozenset()
        self._judged_leaves = 0

    @property
    def is_large(self) -> bool:  # type: ignore[override]
        """True if the site has a regression."""
        return self.regression.is_ready

    def clear(self) -> None:
        """Free the regression: until it has learned again, links go by what they have paid."""
        self.regression.clear()

    def links_filed(self, filed: FiledPage) -> None:
        """Store the words of the links of a page."""
        if self.is_large:
            links = filed.seen.page.links
            for target, link in zip(links.keys, links):
                self.regression.insert_text(target, link.text)

    def page_seen(self, seen: SeenPage) -> Mapping[str, Any]:
        """Return whether a page is wanted, and learn it if it is new."""
        is_target = self._is_wanted(seen)
        if seen.is_new and is_target is not None:
            self._learn(seen, is_target=is_target)
        if self._examples and self.regression.is_refit_due:
            self._refit(seen.leaves)
        return {"is_target": is_target}

    def _is_wanted(self, seen: SeenPage) -> bool | None:
        """Return whether a page is wanted; None where no page is."""
        if self._names:
            return seen.said.get("page_type") in self._names or seen.said.get("page_kind") in self._names
        if not self._examples:
            return None
        place = seen.place
        if place.leaf < self._judged_leaves:
            return place.leaf in self._wanted
        # a leaf that was started since types were last made is of the type of the nearest of them
        typed = (leaf for leaf in place.distances if leaf < self._judged_leaves)
        nearest = min(typed, key=place.distance, default=-1)
        return nearest in self._wanted and place.distance(nearest) <= SAME_TYPE

    def _learn(self, seen: SeenPage, *, is_target: bool) -> None:
        page, leaf = seen.page, seen.place.leaf
        self.regression.learn_page(page.url, seen.roles, page.address_key, leaf=leaf, is_target=is_target)

    def example_given(self, seen: SeenPage) -> None:
        """Learn an example, up to ``MAX_TARGETS`` of them: pages of its type, as known then, are wanted."""
        if len(self._examples) < MAX_TARGETS:
            self._examples = tuple({*self._examples, seen.place.leaf})
            self._learn(seen, is_target=True)
            self._refit(seen.leaves)

    def _refit(self, leaves: Leaves) -> None:
        """Find out which leaves are wanted now, and learn the stored pages again by them."""
        self._wanted, self._judged_leaves = leaves.leaves_of_types(self._examples), len(leaves.keys)
        self.regression.refit(lambda leaf: leaves.current(leaf) in self._wanted)

    def class_of(self, url: str, directory: int) -> int:
        """Return the key of the shape of an address and its directory, where there is a regression."""
        return text_key(address_shape(url)) ^ directory if self.is_large else directory

    def value(self, link: WaitingLink, roles: NumberList) -> float | None:
        """Return the predicted value of a link; None without a regression."""
        return self.regression.value(link.url, roles, link.target) if self.is_large else None
