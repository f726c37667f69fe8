"""What a crawl has learned of one site.

``observe`` is the whole flow of a page: its structure finds its template and its fingerprint the cluster
of templates over all sites, its text shows whether it nearly repeats an earlier page, what is known of
earlier pages tells template and content apart, its pagelets are counted, and its links are filed under
the pagelets they sit in.

Single pass and causal: a page is judged by the pages before it, then remembered.  A page seen again
(by its URL) is judged again by what is known by then, never against itself, and counts once.  The
pagelets of a page that nearly repeats an earlier one do not count: repetition of a whole page says
nothing about templates.

Cost: O(length of the page).  Memory: bounded by the ``max_*`` options.
"""

from __future__ import annotations

from templcrawl.algorithms.crawl_order import LinkEvidence
from templcrawl.algorithms.fingerprint import template_fingerprint
from templcrawl.algorithms.near_duplicates import content_of
from templcrawl.algorithms.pagelets import pagelets_of_links, partition_pagelets
from templcrawl.algorithms.pagination import is_pagination
from templcrawl.algorithms.shingles import combine
from templcrawl.errors import BrokenInvariant, InvalidSnapshot
from templcrawl.memory.clusters import FingerprintClusters
from templcrawl.memory.detection import Arrival, detection
from templcrawl.memory.known_contents import KnownContents
from templcrawl.memory.labels import TemplateLabels
from templcrawl.memory.link_table import LinkTable
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.pagelet_table import PageletTable, pagelet_shingles
from templcrawl.memory.plain import Plain, entry, pack, unpack
from templcrawl.memory.recent import Recent
from templcrawl.page.addresses import url_key
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation

_FORMAT = 3


class SiteMemory:
    """The memory of one site.

    host     the site
    pages    how many distinct pages were observed
    """

    def __init__(
        self,
        host: str,
        options: MemoryOptions | None = None,
        *,
        clusters: FingerprintClusters | None = None,
    ) -> None:
        """Make an empty memory.

        options   how to learn and how much to keep
        clusters  the template clusters that this site shares with others; None: it has its own
        """
        options = options or MemoryOptions()
        self.host = host
        self.options = options
        self.pages = 0
        self._seen: Recent[int, None] = Recent(options.max_pages)
        self._clusters = options.new_clusters() if clusters is None else clusters
        self._labels = TemplateLabels(host)
        self._detection = detection(options, self._labels.template)
        self._contents = KnownContents(limit=options.max_sketches)
        self._pagelets = PageletTable(template_pages=options.template_pages, limit=options.max_pagelets)
        self._links = LinkTable(limit=options.max_links)

    def observe(self, page: Page) -> Separation:
        """Judge a page by what is known of the site, learn from it, and return its separation."""
        is_new = page.key not in self._seen
        labels = self._labels.label(page.structure, learn=is_new)
        cluster_id = self._clusters.label(template_fingerprint(page.text))
        known = self.pages
        found = self._detection.separate(Arrival(page, labels.leaf), learn=is_new)
        separation = Separation(
            page,
            found.spans,
            exact=found.exact,
            leaf_shares=found.shares,
            pages_known=known,
            template_id=labels.template_id,
            leaf_id=labels.leaf_id,
            cluster_id=cluster_id,
        )
        content = content_of(separation)
        original = self._contents.find(page.key, content)
        if is_new:
            self._seen[page.key] = None
            self.pages += 1
            if original is None:
                self._contents.add(page.key, content)
        separation.near_duplicate = original.key if original else None
        separation.link_pages = self._observe_links(page, counts=is_new and original is None)
        return separation

    def judge_again(self, earlier: Separation) -> Separation:
        """Separate a page that was observed before by what is known now; nothing is learned from it."""
        page = earlier.page
        labels = self._labels.relabel(earlier.leaf_id)
        found = self._detection.separate(Arrival(page, labels.leaf), learn=False)
        return Separation(
            page,
            found.spans,
            exact=found.exact,
            leaf_shares=found.shares,
            pages_known=self.pages,
            template_id=labels.template_id,
            leaf_id=labels.leaf_id,
            cluster_id=self._clusters.resolve(earlier.cluster_id),
            link_pages=earlier.link_pages,
            near_duplicate=earlier.near_duplicate,
        )

    def _observe_links(self, page: Page, *, counts: bool) -> list[int]:
        """Count the page's pagelets, file its links, and say for each how many pages its pagelet has."""
        pagelets = partition_pagelets(page, min_links=self.options.min_pagelet_links)
        found = pagelet_shingles(page, pagelets, combine(page.terms.hashes))
        if counts:
            self._pagelets.count(found)
        pages_of = [self._pagelets.template_pages_of(shingle) for shingle in found]
        link_pages = []
        for number, pagelet in enumerate(pagelets_of_links(page, pagelets)):
            if pagelet < 0:
                link_pages.append(0)
                continue
            target = page.links.keys[number]
            if target not in self._links and is_pagination(page.links[number], page.url):
                self._links.add_pagination(target)
            self._links.add(target, found[pagelet])
            link_pages.append(pages_of[pagelet])
        return link_pages

    def link_evidence(self, url: str) -> LinkEvidence:
        """Return what this site's pages have said about a link target so far.  Cost: O(1)."""
        return self._links.evidence(url_key(url), self._pagelets.template_pages_of)

    def resolve(self, label: str) -> str:
        """Return the template that an earlier template or leaf of this site has become."""
        return self._labels.resolve(label)

    def templates(self) -> dict[str, int]:
        """Return label of each template -> pages built from it."""
        return self._labels.templates()

    def template_pagelets(self) -> int:
        """Return how many distinct pagelets are template by now."""
        return self._pagelets.templates()

    def check(self) -> None:
        """Raise BrokenInvariant if any part is inconsistent or over its limit."""
        for part in (
            self._seen,
            self._labels,
            self._detection,
            self._contents,
            self._pagelets,
            self._links,
        ):
            part.check()
        if self.pages < len(self._seen):
            raise BrokenInvariant("SiteMemory", f"{len(self._seen)} pages seen, {self.pages} counted")

    def snapshot(self) -> Plain:
        """Return all of it as plain values that JSON carries unchanged."""
        return {
            "format": _FORMAT,
            "host": self.host,
            "detector": self.options.detector,
            "pages": self.pages,
            "seen": pack(self._seen),
            "labels": self._labels.snapshot(),
            "detection": self._detection.snapshot(),
            "contents": self._contents.snapshot(),
            "pagelets": self._pagelets.snapshot(),
            "links": self._links.snapshot(),
        }

    @classmethod
    def from_snapshot(
        cls,
        snapshot: Plain,
        options: MemoryOptions | None = None,
        *,
        clusters: FingerprintClusters | None = None,
    ) -> SiteMemory:
        """Make a memory of a snapshot; raises InvalidSnapshot.

        A snapshot made with another detector keeps all but what that detector knew.
        """
        written = entry(snapshot, "format", int)
        if written != _FORMAT:
            raise InvalidSnapshot("format", f"this version reads format {_FORMAT}, found {written}")
        site = cls(entry(snapshot, "host", str), options, clusters=clusters)
        for key in unpack(entry(snapshot, "seen", str)):
            site._seen[key] = None
        site.pages = entry(snapshot, "pages", int)
        site._labels.restore(entry(snapshot, "labels", dict))
        if entry(snapshot, "detector", str) == site.options.detector:
            site._detection.restore(entry(snapshot, "detection", dict))
        site._contents.restore(entry(snapshot, "contents", dict))
        site._pagelets.restore(entry(snapshot, "pagelets", dict))
        site._links.restore(entry(snapshot, "links", dict))
        return site
