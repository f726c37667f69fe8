"""What a crawl has learned of one site.

``observe`` is the whole flow of a page: its structure finds its template and its fingerprint the cluster
of templates over all sites, what is known of earlier pages tells template and content apart, its content
shows whether it repeats an earlier page, the roles that led to it are credited with what is new on it, its
pagelets are counted, and its links are filed under the pagelets and the roles they sit in.  In a focused
crawl its pagelets and its directory are credited with how relevant it is.

Single pass and causal: a page is judged by the pages before it, then remembered.  A page seen again
(by its URL) is judged again by what is known by then, never against itself, and counts once.  The
pagelets of a page that nearly repeats an earlier one do not count: repetition of a whole page says
nothing about templates.

Cost: O(length of the page).  Memory: bounded by the ``max_*`` options.
"""

from __future__ import annotations

from templcrawl.algorithms.crawl_order.focus import Judgement, RelevanceRecord, link_score
from templcrawl.algorithms.crawl_order.places import TEMPLATE_PRIOR, LinkEvidence
from templcrawl.algorithms.crawl_order.roles import pagelet_paths, role_of
from templcrawl.algorithms.fingerprints.fingerprint import template_fingerprint
from templcrawl.algorithms.pagelets.partition import pagelets_of_links, partition_pagelets
from templcrawl.algorithms.pagination.links import pagination_links
from templcrawl.algorithms.similarity.near_duplicates import content_of
from templcrawl.algorithms.similarity.shingles import combine
from templcrawl.errors import BrokenInvariant, InvalidSnapshot
from templcrawl.memory.clusters import FingerprintClusters
from templcrawl.memory.detection import Arrival, detection
from templcrawl.memory.focus_table import FocusTable
from templcrawl.memory.known_contents import KnownContents
from templcrawl.memory.labels import TemplateLabels
from templcrawl.memory.link_table import LinkTable
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.pagelet_table import PageletTable, pagelet_shingles
from templcrawl.memory.plain import Part, Plain, entry, pack, unpack
from templcrawl.memory.recent import Recent
from templcrawl.memory.role_table import RoleRecord, RoleTable
from templcrawl.memory.seen_texts import SeenTexts
from templcrawl.page.addresses import directory_of, url_key
from templcrawl.page.links import Link
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation

_FORMAT = 7


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
        self._roles = RoleTable(limit=options.max_roles)
        self._texts = SeenTexts(limit=options.max_texts)
        self._focus = FocusTable(limit=options.max_pagelets)

    def __contains__(self, page: Page) -> bool:
        """Say whether a page was observed, by its URL."""
        return page.key in self._seen

    def observe(self, page: Page, judgement: Judgement | None = None) -> Separation:
        """Judge a page by what is known of the site, learn from it, and return its separation.

        judgement  what the topic of a focused crawl says of it
        """
        is_new = page not in self
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
        if is_new:
            self._credit_roles(page, pays=original is None)
        separation.link_pages = self._observe_links(separation, judgement, is_new=is_new)
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

    def _credit_roles(self, page: Page, *, pays: bool) -> None:
        """Credit the roles that led to a page with the words on it that are new to the site."""
        is_new = self._texts.add(page.leaves.texts)
        words = int(page.leaves.words[is_new].sum()) if pays else 0
        self._roles.credit(self._links.roles(page.key), words)

    def _observe_links(
        self, separation: Separation, judgement: Judgement | None, *, is_new: bool
    ) -> list[int]:
        """Count the page's pagelets, file its links, and say for each how many pages its pagelet has."""
        page = separation.page
        pagelets = partition_pagelets(page, min_links=self.options.min_pagelet_links)
        found = pagelet_shingles(page, pagelets, combine(page.terms.hashes))
        if is_new and separation.near_duplicate is None:
            self._pagelets.count(found)
        if is_new and judgement is not None:
            self._focus.credit_pagelets(found, judgement.relevance)
            self._focus.credit_directory(page.directory, judgement.relevance)
        names = judgement.names if judgement is not None else None
        pages_of = [self._pagelets.template_pages_of(shingle) for shingle in found]
        paths, urls = pagelet_paths(page, pagelets), page.links.urls
        self._observe_pagination(page)
        link_pages = []
        for number, pagelet in enumerate(pagelets_of_links(page, pagelets)):
            target = page.links.keys[number]
            is_known = pagelet >= 0 and not self._links.add(
                target, found[pagelet], role_of(paths[pagelet], urls[number])
            )
            if names is not None and not is_known and names(_words(page.links[number])):
                self._links.add_named(target)
            link_pages.append(pages_of[pagelet] if pagelet >= 0 else 0)
        return link_pages

    def _observe_pagination(self, page: Page) -> None:
        """Mark the links that page through a list, if the page has any link that is new."""
        keys = page.links.keys
        if any(key not in self._links for key in keys):
            for number in pagination_links(page):
                self._links.add_pagination(keys[number])

    def link_evidence(self, url: str) -> LinkEvidence:
        """Return what this site's pages have said about a link target so far.  Cost: O(1)."""
        target = url_key(url)
        evidence = self._links.evidence(target, self._pagelets.template_pages_of)
        if not evidence.is_known:
            return evidence
        prior = TEMPLATE_PRIOR if evidence.is_template else 1.0
        return evidence._replace(role_yield=self._roles.yield_of(self._links.roles(target), prior=prior))

    def credit_links_to(self, page: Page, relevance: float) -> bool:
        """Credit the pagelets whose links lead to a page, of whatever site; say if there are any."""
        pagelets = self._links.pagelets(page.key)
        self._focus.credit_pagelets(pagelets, relevance)
        if pagelets and self.options.distill_pages:
            self._focus.add_target(page.key, relevance)
        return bool(pagelets)

    def distill(self) -> None:
        """Work out anew which pagelets lead to most of what is relevant.  Cost: O(links)."""
        self._focus.distill(self._links.pagelets)

    def link_score(self, mean: float, url: str, directory: RelevanceRecord) -> float:
        """Return how promising a link is that was found on this site.

        mean       relevance of a page of the crawl, on average
        directory  record of the directory that the link leads into
        """
        target = url_key(url)
        pagelets = self._links.pagelets(target)
        return link_score(
            mean,
            map(self._focus.pagelet, pagelets),
            directory,
            is_named=self._links.is_named(target),
            from_hub=any(map(self._focus.is_hub, pagelets)),
        )

    def relevance_beside(self, url: str) -> RelevanceRecord:
        """Return the record of the directory of a page of this site."""
        return self._focus.directory(directory_of(url))

    def largest_roles(self, most: int) -> list[RoleRecord]:
        """Return what is known of the roles of links that led to most pages."""
        return self._roles.largest(most)

    def largest_template(self) -> int:
        """Return how many pages the largest template has, as known now.  Cost: O(leaves)."""
        return self._labels.largest_template()

    def resolve(self, label: str) -> str:
        """Return the template that an earlier template or leaf of this site has become."""
        return self._labels.resolve(label)

    def templates(self) -> dict[str, int]:
        """Return label of each template -> pages built from it."""
        return self._labels.templates()

    def template_pagelets(self) -> int:
        """Return how many distinct pagelets are template by now."""
        return self._pagelets.templates()

    def _parts(self) -> dict[str, Part]:
        """Return name in snapshots -> part of the memory, in the order in which they are read back."""
        return {
            "labels": self._labels,
            "detection": self._detection,
            "contents": self._contents,
            "pagelets": self._pagelets,
            "links": self._links,
            "roles": self._roles,
            "seen_texts": self._texts,
            "focus": self._focus,
        }

    def check(self) -> None:
        """Raise BrokenInvariant if any part is inconsistent or over its limit."""
        self._seen.check()
        for part in self._parts().values():
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
            **{name: part.snapshot() for name, part in self._parts().items()},
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
        is_other = entry(snapshot, "detector", str) != site.options.detector
        for name, part in site._parts().items():
            if not (is_other and name == "detection"):
                part.restore(entry(snapshot, name, dict))
        return site


def _words(link: Link) -> str:
    """Return what may name a topic: a link's text and its address."""
    return f"{link.text}\n{link.url}"
