"""What a crawl has learned of one site.

``observe`` is the whole flow of a page: its structure finds its template, and its fingerprint the cluster of
templates over all sites.  The detector separates template and content by earlier pages.  The content shows
whether the page repeats an earlier one.  The links that led to it are credited with what is new on it, and
its own links are filed (:mod:`templcrawl.memory.site_links`).

Single pass and causal: a page is separated by the pages before it, then learned.  A page seen again (by its
URL) is separated again by the pages so far, never by itself, and counts once.  A page that only another
worker of the crawl has seen does not count here.  The detector and the page types are an exception: they have
all pages that this worker has seen itself.

Cost: O(length of the page).  Memory: bounded by the ``max_*`` options.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from templcrawl.algorithms.crawl_order.focus import Judgement
from templcrawl.algorithms.fingerprints.fingerprint import page_fingerprint
from templcrawl.errors import BrokenInvariant, InvalidOption, InvalidSnapshot
from templcrawl.memory.change_table import ChangeTable
from templcrawl.memory.clusters import FingerprintClusters
from templcrawl.memory.content_index import ContentIndex
from templcrawl.memory.detectors.detector_table import DETECTORS
from templcrawl.memory.furniture import furniture_of
from templcrawl.memory.key_tables import KeySet
from templcrawl.memory.labels import Labels, NoLabels, TemplateLabels
from templcrawl.memory.leaves import check_leaf
from templcrawl.memory.observation import Observation
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.site_links import SiteLinks
from templcrawl.memory.snapshot_parts import Entries, Nested, Part, Section
from templcrawl.memory.snapshot_values import COUNT, TEXT, Snapshot, entry
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation

if TYPE_CHECKING:
    from templcrawl.algorithms.page_kinds.kinds import PageKind

MOST_TARGETS = 64


class SiteMemory(Section):
    """The memory of one site.

    host     the site
    pages    how many distinct pages were observed
    links    evidence about their links
    kinds    the votes for the kinds of pages; None if kinds are not told
    changes  the pages as they were last read; None if changes are not tracked
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
        self._seen = KeySet(options.max_pages, "seen")
        self._clusters = options.new_clusters() if clusters is None else clusters
        self._labels = TemplateLabels(host) if options.labels == "on" else NoLabels()
        self._detector = DETECTORS[options.detector](options, self._labels.template)
        self._furniture = furniture_of(options, self._labels.template)
        self._contents = ContentIndex(limit=options.max_sketches)
        self.links = SiteLinks(options)
        self.kinds = options.new_kinds()
        self.changes = ChangeTable(limit=options.max_tracked) if options.max_tracked else None
        self._shared_pages = 0
        self._target_leaves: tuple[int, ...] = ()

    @property
    def pages_known(self) -> int:
        """How many distinct pages were observed, by other workers of the crawl too."""
        return sum(site.pages for site in self.everywhere()) - self._shared_pages

    def __contains__(self, page: Page) -> bool:
        """Return whether a page was observed, by its URL, here or by another worker of the crawl."""
        return page.key in self._seen

    def add_target(self, example: Observation) -> None:
        """Let pages of the template of an example be wanted, as the template is known then.

        Raises InvalidOption where pages get no labels: then all would be of one template.
        """
        if self.options.labels == "off":
            raise InvalidOption("labels", "off", "'on', which add_target needs")
        labels = self._labels.relabel(example.leaf_id)
        if labels is not None and len(self._target_leaves) < MOST_TARGETS:
            self._target_leaves = tuple({*self._target_leaves, labels.leaf})
            self.links.learn_target(example.page, labels.leaf, is_target=True)
            self.links.regression.refit(self._is_target)

    def _is_target(self, leaf: int) -> bool:
        """Return whether pages of a leaf are of the template of an example, as known now."""
        template = self._labels.template
        return any(template(leaf) == template(wanted) for wanted in self._target_leaves)

    def observe(
        self,
        page: Page,
        judgement: Judgement | None = None,
        *,
        page_type: str | None = None,
        target_types: Set[str] = frozenset(),
        at: int = 0,
    ) -> Observation:
        """Separate and label a page by what the site has learned, learn from it, and return the observation.

        judgement  that of the topic of a focused crawl
        page_type  name of its page type, if examples were given
        target_types  wanted types and kinds; without any, pages like examples are (:meth:`add_target`)
        at         when it was read, in seconds since 1970
        """
        is_new, is_new_here = page not in self, not self._seen.has_own(page.key)
        labels = self._labels.label(page, learn=is_new_here)
        pages_known = self.pages_known
        evidence = self._detector.query(page, labels.leaf)
        separation = self._stripped(judged := self._detector.classify(evidence), labels.leaf)
        kind = self._kind_of(judged, labels, learn=is_new_here)
        original = self._contents.find(page.key, content := self._detector.content(evidence, separation))
        is_target = self._is_wanted(labels.leaf, {page_type, kind and kind.name}, target_types)
        if is_new_here:
            self._seen.add(page.key)
            self.pages += 1
            self._shared_pages += not is_new
            self._update_detector(evidence, page, labels.leaf)
        leads_on = is_new and self.links.leads_on(page)
        if is_new and original is None:
            self._contents.insert(page.key, content)
        pay = self.links.credit_classes(page, pays=original is None, leads_on=leads_on) if is_new else None
        self._learn_target(page, labels.leaf, is_target if is_new else None)
        return Observation(
            separation,
            pages_known=pages_known,
            template_id=labels.template_id,
            leaf_id=labels.leaf_id,
            cluster_id=self._clusters.label(page_fingerprint(page)),
            link_pages=self.links.update(page, judgement, is_new=is_new, repeats=original is not None),
            near_duplicate=original.key if original else None,
            pay=pay,
            leads_on=leads_on,
            page_type=page_type,
            kind=kind,
            is_target=is_target,
            relevance=judgement.relevance if judgement is not None else None,
            change=self.changes.compare(page.key, separation, at) if self.changes is not None else None,
        )

    def _is_wanted(self, leaf: int, named: Set[str | None], target_types: Set[str]) -> bool | None:
        """Return whether a page of a type and a kind is wanted, None where none is."""
        if target_types:
            return not target_types.isdisjoint(named)
        return self._is_target(leaf) if self._target_leaves else None

    def _kind_of(self, separation: Separation, labels: Labels, *, learn: bool) -> PageKind | None:
        """Return the kind of a page; None where kinds are not told."""
        if self.kinds is None:
            return None
        leaf = labels.leaf if labels.leaf_id else None
        return self.kinds.classify(separation, leaf, self._labels, learn=learn)

    def page_kind(self, leaf_id: str) -> str | None:
        """Return the kind of the pages of a leaf, as known now; None where none is known."""
        labels = self._labels.relabel(leaf_id)
        if labels is None or self.kinds is None:
            return None
        kind = self.kinds.kind_of_leaf(labels.leaf, self._labels)
        return kind and kind.name

    def _learn_target(self, page: Page, leaf: int, is_target: bool | None) -> None:
        """Learn whether a page is of a wanted type; None: it was learned before, or no type is wanted."""
        if is_target is not None:
            self.links.learn_target(page, leaf, is_target=is_target)
        if self._target_leaves and self.links.regression.is_refit_due:
            self.links.regression.refit(self._is_target)

    def reclassify(self, earlier: Observation) -> Observation:
        """Separate a page that was observed before by what the site has learned since; learn nothing from it.

        Return the earlier observation if its page or its leaf is not stored (the site was evicted since).
        """
        labels = self._labels.relabel(earlier.leaf_id)
        if labels is None or earlier.page not in self:
            return earlier
        judged = self._detector.classify(self._detector.query(earlier.page, labels.leaf))
        separation, change = self._stripped(judged, labels.leaf), earlier.change
        if self.changes is not None and change is not None:
            change = self.changes.reclassify(earlier.page.key, separation, change)
        return replace(
            earlier,
            separation=separation,
            pages_known=self.pages_known,
            template_id=labels.template_id,
            leaf_id=labels.leaf_id,
            cluster_id=self._clusters.resolve(earlier.cluster_id),
            kind=self._kind_of(judged, labels, learn=False),
            change=change,
        )

    def _update_detector(self, evidence: Any, page: Page, leaf: int) -> None:
        """Learn from a page what is template."""
        self._detector.update(evidence)
        if self._furniture is not None:
            self._furniture.insert(page, leaf)

    def _stripped(self, separation: Separation, leaf: int) -> Separation:
        """Return a separation without what the page's type repeats, if that is to go."""
        return separation if self._furniture is None else self._furniture.strip(separation, leaf)

    def merge(self, sites: Sequence[SiteMemory]) -> None:
        """Become, while empty, what several workers of a crawl have learned of the site.

        Neither their order matters nor how the pages were shared out among them; a page that two of them
        have counts once in ``pages``.  Cost: O(all that they have learned).
        """
        seen = [set(site._seen) for site in sites]
        repeated = sum(map(len, seen)) - len(set().union(*seen))
        super().merge(sites)
        self.pages = sum(site.pages for site in sites) - repeated

    def set_remote(self, remote: SiteMemory) -> None:
        """Take what the other workers have learned, merged, in the place of what they had learned before.

        The pages of their samples stay.  Cost: that of these pages, and O(1) a page seen here.
        """
        super().set_remote(remote)
        self._shared_pages = sum(map(remote._seen.has_own, self._seen))

    def resample(self, salt: int) -> None:
        """Let the pages that vote be drawn by another salt, that of the crawl's other workers."""
        self.options = replace(self.options, sample_salt=salt)
        self._detector.resample(salt)

    def resolve(self, label: str) -> str:
        """Return the template that an earlier template or leaf of this site has become."""
        return self._labels.resolve(label)

    def final_labels(self) -> dict[str, str]:
        """Return every label of a template or leaf of this site -> what ``resolve`` returns."""
        return self._labels.final_labels()

    def templates(self) -> dict[str, int]:
        """Return label of each template -> pages built from it."""
        return self._labels.templates()

    def parts(self) -> Sequence[Part]:
        """Return the columns of the site itself, then the sections of the memory."""
        kinds = {"host": TEXT, "detector": TEXT, "pages": COUNT}
        sections: dict[str, Section] = {
            "labels": self._labels,
            "detection": self._detector,
            "contents": self._contents,
        }
        if self._furniture is not None:
            sections["furniture"] = self._furniture
        if self.kinds is not None:
            sections["kinds"] = self.kinds
        if self.changes is not None:
            sections["changes"] = self.changes
        return [
            Entries(kinds, lambda: [self.host, self.options.detector, self.pages], self._set),
            self._seen,
            *(Nested(name, section) for name, section in sections.items()),
            self.links,
        ]

    def _set(self, host: str, detector: str, pages: int) -> None:
        self.pages = pages

    def validate(self) -> None:
        """Raise BrokenInvariant if any section is inconsistent or over its limit."""
        super().validate()
        for leaf in self.kinds.leaves if self.kinds is not None else ():
            check_leaf("KindTable", leaf, self._labels.template)
        if self.pages < len(self._seen):
            raise BrokenInvariant("SiteMemory", f"{len(self._seen)} pages seen, {self.pages} counted")

    @classmethod
    def from_snapshot(
        cls,
        snapshot: Snapshot,
        options: MemoryOptions | None = None,
        *,
        clusters: FingerprintClusters | None = None,
        host: str | None = None,
    ) -> SiteMemory:
        """Make a memory of a snapshot; raises InvalidSnapshot.

        A snapshot made with another detector, or without labels where there are to be some, keeps all but
        what that detector knew, which refers to labels.

        host  whose snapshot it has to be; None: of any site
        """
        site = cls(entry(snapshot, "host", str), options, clusters=clusters)
        if host not in (None, site.host):
            raise InvalidSnapshot("host", f"it is of {site.host!r}, not of {host!r}")
        had_labels, has_now = has_labels(snapshot), site.options.labels == "on"
        if had_labels != has_now:
            snapshot = {**snapshot, "labels": site._labels.snapshot()}
        if has_now > had_labels or learned_with(snapshot) != site.options.detector:
            snapshot = {**snapshot, "detection": site._detector.snapshot()}
        if site._furniture is not None and "furniture" not in snapshot:
            snapshot = {**snapshot, "furniture": site._furniture.snapshot()}
        if site.kinds is not None and ("kinds" not in snapshot or had_labels != has_now):
            snapshot = {**snapshot, "kinds": site.kinds.snapshot()}
        if site.changes is not None and "changes" not in snapshot:
            snapshot = {**snapshot, "changes": site.changes.snapshot()}
        site.restore(snapshot)
        return site


def learned_with(snapshot: Snapshot) -> str:
    """Return the detector that the site of a snapshot was learned with; raises InvalidSnapshot."""
    detector = entry(snapshot, "detector", str)
    if detector not in DETECTORS:
        raise InvalidSnapshot("detector", f"there is none of the name {detector!r}")
    return detector


def has_labels(snapshot: Snapshot) -> bool:
    """Say whether the pages of a site were labelled; raises InvalidSnapshot."""
    return "without" not in entry(snapshot, "labels", dict)
