"""Tables of a site's links by key: how many pages carry a pagelet, and where links to a target stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from templcrawl.algorithms.pagelets.partition import LinkPlaces
from templcrawl.memory.key_tables import (
    FIRST_SLOTS,
    CountTable,
    ListTable,
    NumberList,
    append_latest,
    slots_of,
)
from templcrawl.page.arrays import MIX, Keys

_SLOTS_EACH = 4  # of a target, so that few of its links share one with others


class PageletTable(CountTable):
    """Shingle of a pagelet -> pages that carry it: local template detection as the crawl goes.

    Source: Bar-Yossef & Rajagopalan (WWW 2002), Figure 4, stored as one count a shingle.  A pagelet is
    template once ``template_pages`` pages carry it.
    """

    def __init__(self, *, template_pages: int, limit: int) -> None:
        super().__init__(limit)
        self._template_pages = template_pages

    def count(self, shingles: Iterable[int]) -> None:
        """Count one more page for each of these pagelets."""
        young, old = self._young, self._old
        for shingle in dict.fromkeys(shingles):
            if shingle:
                young[shingle] = (young.pop(shingle, None) or old.pop(shingle, 0)) + 1
        self.trim()

    def template_pages(self, shingles: Sequence[int]) -> list[int]:
        """Return for each of these pagelets how many pages carry it if it is template, else 0."""
        young, old, least = self._young, self._old, self._template_pages
        counts = [young.get(shingle, 0) for shingle in shingles]
        if old:
            counts = [pages or old.get(shingle, 0) for pages, shingle in zip(counts, shingles)]
        return [pages if pages >= least else 0 for pages in counts]


class LinkTable(ListTable):
    """Key of a link target -> the latest pagelets and roles of links to it, and tag paths of their anchors.

    A link that stands in template pagelets and in another one counts as content, so what is stored of a menu
    link matters less than what is new.  Nothing is known about an evicted target.

    >>> table = LinkTable(limit=10)
    >>> table.insert_links([7, 8], [1, 2], LinkPlaces([5], [0, -1], [9, 0]))
    [0, 1]
    >>> table.pagelets(7), table.roles(7), table.pagelets(8), table.anchors(8).tolist()
    ((5,), (9,), (), [2])
    """

    def __init__(self, *, limit: int) -> None:
        super().__init__(limit, lists=3)
        self._filed: Keys = np.zeros(FIRST_SLOTS, dtype=np.uint64)  # links, each in a slot of its own
        self._inserted = 0  # targets since it was emptied

    def update_anchors(self, targets: Keys, paths: Keys) -> None:
        """Insert the anchors of the links of a page: link -> the tag path of its anchor.

        Most links of a page were filed before: one look-up tells the others.  All are filed again after as
        many new targets as half of the limit, so that none leaves to which pages go on linking.
        """
        links = targets * np.uint64(MIX) ^ paths
        slots = slots_of(links, len(self._filed))
        is_new = self._filed[slots] != links
        if not is_new.any():
            return
        self._filed[slots] = links
        young, old, before = self._young, self._old, len(self)
        for target, path in zip(targets[is_new].tolist(), paths[is_new].tolist()):
            pagelets, roles, anchors = young.pop(target, None) or old.pop(target, self.empty)
            young[target] = pagelets, roles, append_latest(anchors, path)
        self._inserted += len(self) - before
        self.trim()
        if 2 * self._inserted >= self.limit:
            self._filed, self._inserted = np.zeros_like(self._filed), 0
        if _SLOTS_EACH * len(self) > len(self._filed):
            self._filed = np.zeros(2 * len(self._filed), dtype=np.uint64)

    def insert_links(self, targets: Iterable[int], paths: Iterable[int], places: LinkPlaces) -> list[int]:
        """Insert the links of a page; return the numbers of those that stand in no pagelet known before.

        paths  link -> tag path of its anchor
        """
        young, old, new = self._young, self._old, []
        shingles = places.shingles
        links = zip(targets, paths, places.pagelets, places.roles)
        for number, (target, path, pagelet, role) in enumerate(links):
            pagelets, roles, anchors = young.pop(target, None) or old.pop(target, self.empty)
            if pagelet < 0:
                new.append(number)
            else:
                if shingles[pagelet] not in pagelets:
                    new.append(number)
                    pagelets = append_latest(pagelets, shingles[pagelet])
                roles = append_latest(roles, role)
            young[target] = pagelets, roles, append_latest(anchors, path)
        self.trim()
        return new

    def pagelets(self, target: int) -> NumberList:
        """Return the shingles of the pagelets in which links to a target stand."""
        return self.get(target)[0]

    def roles(self, target: int) -> NumberList:
        """Return the roles in which links to a target stand."""
        return self.get(target)[1]

    def anchors(self, target: int) -> Keys:
        """Return the paths of the anchors that lead to a target."""
        return np.array(self.get(target)[2], dtype=np.uint64)
