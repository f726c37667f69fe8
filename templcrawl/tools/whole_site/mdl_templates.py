"""Template and content by clusters: the template of a page is that of its cluster, as essential paths.

Source: Prathibha, Sukumar, Sriram (IJERT 2012), after Kim & Shim (TKDE 2011).  A text run of a page whose
path, words and all, is in the template of the page's cluster is template.

The paper clusters all documents.  Departure: P pages are drawn at random and clustered; any page is of
the cluster whose template differs least from it, counting only paths that are in some template.  That
makes two passes of it, and bounds the memory.

Cost: that of the clustering once, then O(clusters * paths) a page.  Memory: 8 bytes for each path of P
pages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from templcrawl.algorithms.page_types.mdl_minhash import K, mdl_minhash
from templcrawl.algorithms.page_types.text_mdl import (
    cluster_templates,
    essential_paths,
    page_paths,
    text_mdl,
)
from templcrawl.memory.leaf_sample import LeafSample
from templcrawl.memory.observation import Observation
from templcrawl.page.arrays import Keys
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, content_spans
from templcrawl.tools.whole_site.site_detector import SiteDetector, draw

SAMPLE = 200
EXACT_UP_TO = 100  # pages that TEXT-MDL, cubic in them, clusters; more of them are left to its approximation

Clustering = Callable[[Sequence[Keys]], list[int]]  # essential paths of each document -> its cluster


def by_description_length(documents: Sequence[Keys], permutations: int = K) -> list[int]:
    """Return the cluster of each document, by TEXT-MDL for small sets and by MinHash for large ones."""
    return text_mdl(documents) if len(documents) <= EXACT_UP_TO else mdl_minhash(documents, size=permutations)


def nearest_template(templates: Sequence[Keys], paths: Keys) -> int | None:
    """Return the number of the template nearest to the paths of a page, None without templates."""

    def difference(number: int) -> int:
        shared = np.intersect1d(templates[number], paths, assume_unique=True)
        return len(templates[number]) - 2 * len(shared)

    return min(range(len(templates)), key=difference, default=None)


class MdlTemplates(SiteDetector):
    """The algorithm on one site: ``learn`` every page, then ``separate`` any.

    >>> site = MdlTemplates()
    >>> pages = [Page(f"<ul><li>Tea<li>Milk</ul><p>Page {n} of many", str(n)) for n in range(4)]
    >>> for page in pages:
    ...     site.learn(page)
    >>> site.separate(pages[2]).content_text
    'Page 2 of many'
    """

    has_templates = True

    def __init__(
        self,
        cluster: Clustering | None = None,
        *,
        sample: int = SAMPLE,
        support: int | None = None,
        permutations: int = K,
    ) -> None:
        """Start without pages.

        cluster       how documents are clustered; None: by description length
        sample        pages that are clustered
        support       documents that must have a path for it to be essential (t); None: as most paths of each
        permutations  numbers of a signature by which more than ``EXACT_UP_TO`` documents are compared (k)
        """
        super().__init__()
        self._cluster = cluster or partial(by_description_length, permutations=permutations)
        self._support = support
        self._sample = LeafSample[Keys](sample)
        self._templates: list[Keys] | None = None

    @property
    def templates(self) -> list[Keys]:
        """The template of each cluster, ascending paths; a cluster's number is its index."""
        if self._templates is None:
            documents = essential_paths([*self._sample], self._support)
            self._templates = list(cluster_templates(documents, self._cluster(documents)).values())
        return self._templates

    def _count(self, page: Page) -> None:
        if draw(self._sample, page, page_paths):
            self._templates = None

    @property
    def known(self) -> int:
        """How many pages were drawn."""
        return len(self._sample)

    def separate(self, page: Page) -> Separation:
        """Second pass: text runs whose paths are in the nearest template are template."""
        return self.observe(page).separation

    def observe(self, page: Page) -> Observation:
        """Separate a page; ``leaf_id`` is the number of its cluster, "" where there is none."""
        number = nearest_template(self.templates, page_paths(page))
        template = np.zeros(0, dtype=np.uint64) if number is None else self.templates[number]
        separation = Separation(page, content_spans(page, np.isin(page.text_runs.keys, template)))
        return Observation(separation, self.known, leaf_id="" if number is None else str(number))
