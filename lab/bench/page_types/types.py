"""Page types: ours, as a crawl would learn them, page after page (see ``templcrawl.memory.leaves``).

A link counts that leads from one page of the site to another; a page is reached by the anchors of the pages
that were learned before it.  Pages are told apart by their numbers: a folder does not say under which other
addresses the site answered.

Cost: to read a site O(links); each page is parsed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lab.bench.page_types.page_sets import Site
from templcrawl import Page
from templcrawl.algorithms.page_types.url_shape import url_features
from templcrawl.memory.leaves import NOTHING, Leaves
from templcrawl.memory.link_tables import AnchorTable
from templcrawl.page.arrays import Keys


class PageEvidence(NamedTuple):
    """What page types are learned from, of one page.

    structure  its features
    url        features of its URL
    links      (number of the page that a link leads to, path of its anchor)
    """

    structure: Keys
    url: Keys = NOTHING
    links: Sequence[tuple[int, int]] = ()


def evidence_of(site: Site) -> list[PageEvidence]:
    """Return what page types are learned from, of each page of a site."""
    number_of = {site.find(page.url): number for number, page in enumerate(site.pages)}
    number_of.pop(None, None)
    pages = []
    for page in site.pages:
        targets = [number_of.get(site.find(url)) for url in page.links.urls]
        links = [
            (target, path) for target, path in zip(targets, page.anchor_paths.tolist()) if target is not None
        ]
        pages.append(PageEvidence(page.structure, url_features(page.url), links))
    return pages


class Learner:
    """Learns the page types of a site.

    leaves  what is learned
    """

    def __init__(self, pages: Sequence[PageEvidence]) -> None:
        self.leaves = Leaves()
        self._pages = pages
        self._anchors = AnchorTable()

    def observe(self, page: int) -> int:
        """Take note of a page; return its leaf."""
        told = self._pages[page]
        leaf = self.leaves.learn(told.structure, anchors=self._anchors.leading_to(page), url=told.url)
        self._anchors.update(told.links)
        return leaf

    def types_of(self, leaves: Sequence[int]) -> list[int]:
        """Return the page type of each leaf, by all pages so far."""
        counts = self.leaves.counted()
        type_of = {counts.keys[row]: number for number, rows in enumerate(counts.groups()) for row in rows}
        return [type_of[counts.into[self.leaves.keys[leaf]]] for leaf in leaves]


class _PageTypes:
    name = "page types"
    is_slow = False

    def features(self, page: Page) -> Keys:
        """Return the structure of a page."""
        return page.structure

    def cluster(self, features: Sequence[Keys]) -> list[int]:
        """Return the template of each page by structure alone, as known when all were seen."""
        return self.cluster_site([PageEvidence(structure) for structure in features])

    def read(self, site: Site) -> list[PageEvidence]:
        """Return what page types are learned from."""
        return evidence_of(site)

    def cluster_site(self, read: Sequence[PageEvidence]) -> list[int]:
        """Return the template of each page, as known when all were seen."""
        learner = Learner(read)
        leaves = [learner.observe(page) for page in range(len(read))]
        return learner.types_of(leaves)


TYPES = _PageTypes()
