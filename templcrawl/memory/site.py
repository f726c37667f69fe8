"""What a crawl has learned of one site.

``observe`` is the whole flow of a page: its structure finds its leaf, and its fingerprint the cluster of
templates over all sites.  The detector separates template and content by earlier pages.  The content shows
whether the page repeats an earlier one.  The links that led to it are credited with what is new on it, and
its own links are filed (:mod:`templcrawl.memory.site_links`).  Page types are made of all leaves, when they
are asked for (:mod:`templcrawl.memory.page_types`).

Single pass and causal: a page is separated by the pages before it, then learned.  A page seen again (by its
URL) is separated again by the pages so far, never by itself, and counts once.

Cost: O(length of the page).  Memory: bounded by the ``max_*`` options.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from templcrawl.algorithms.page_types.fingerprint import page_fingerprint
from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.clusters import FingerprintClusters
from templcrawl.memory.content_index import ContentIndex
from templcrawl.memory.detectors import DETECTORS, load_detector
from templcrawl.memory.key_tables import KeySet
from templcrawl.memory.leaves import Leaves
from templcrawl.memory.link_section import SeenPage
from templcrawl.memory.observation import Observation
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.page_types import TypedLeaf
from templcrawl.memory.place import Place
from templcrawl.memory.site_links import SiteLinks
from templcrawl.memory.snapshots import MOST_COUNT, Frozen, Numbers, Section, Snapshot, Text
from templcrawl.page.page import Page, check_page
from templcrawl.page.separation import Separation

if TYPE_CHECKING:
    from templcrawl.algorithms.crawl_order.focus import Judgement
    from templcrawl.algorithms.page_kinds.kinds import PageKind
    from templcrawl.algorithms.similarity.near_duplicates import Content
    from templcrawl.memory.change_table import Change

_OPTIONAL = ("kinds", "changes", "visits")  # sections
OWN = ("changes/", "visits/")  # with what the columns begin that are of a spider, not of the site


class SiteMemory(Section):
    """The memory of one site.

    host     the site
    pages    how many distinct pages were observed
    links    evidence about their links
    kinds    the votes for the kinds of pages; None if kinds are not told
    changes  the pages as they were last read; None if changes are not tracked
    visits   when they were read and had changed; None if that is not stored
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
        self._seen = KeySet(options.max_pages)
        self._clusters = options.new_clusters() if clusters is None else clusters
        self._leaves = Leaves(host)
        self._detector = load_detector(options.detector)(options)
        self._contents = ContentIndex(limit=options.max_sketches)
        self.links = SiteLinks(options)
        self.kinds = options.new_kinds()
        self.changes = options.new_changes()
        self.visits = options.new_visits()
        self._typed_leaves: tuple[int, list[TypedLeaf]] | None = None

    def __contains__(self, page: Page) -> bool:
        """Return whether a page was observed, by its URL."""
        return page.key in self._seen

    def add_target(self, example: Observation) -> None:
        """Let pages of the page type of an example be wanted, by the types as they are known then."""
        leaf, extra = self._leaves.number(example.leaf_id), self.links.extra
        if leaf is not None and extra is not None:
            extra.add_example(example.page, leaf, self.links.roles_to(example.page), self._leaves)

    def observe(
        self,
        page: Page,
        judgement: Judgement | None = None,
        *,
        page_type: str | None = None,
        at: int = 0,
        key: int | None = None,
    ) -> Observation:
        """Separate a page by what the site has learned, learn from it, and return the observation.

        page_type  name of its page type, if examples were given
        at         when it was read, in seconds since 1970
        key        by which its changes are found; None: its own
        """
        is_new, pages_known = check_page(page) not in self, self.pages
        place = self._leaves.place(page, learn=is_new, anchors=self.links.anchors_to(page))
        evidence, judged, separation = self._separate(page, place)
        kind = self._kind_of(judged, place, learn=is_new)
        content = self._detector.content(evidence, judged)
        original = self._contents.find(page.key, content)
        change = self._changed(page.key if key is None else key, judged, at)
        if is_new:
            self._learn(page, evidence, content if original is None else None)
        seen = SeenPage(page, place, self._leaves, judgement, {page_type, kind and kind.name}, is_new)
        links = self.links.observe(seen, repeats=original is not None)

        return Observation(
            separation,
            pages_known=pages_known,
            leaf_id=place.leaf_id,
            cluster_id=self._clusters.label(page_fingerprint(page)),
            link_pages=links.pages,
            repeats=original.key if original else None,
            pay=links.pay,
            leads_on=links.leads_on,
            page_type=page_type,
            kind=kind,
            is_target=links.is_target,
            relevance=judgement and judgement.relevance,
            change=change,
        )

    def _changed(self, key: int, judged: Separation, at: int) -> Change | None:
        return self.changes.compare(key, judged, at) if self.changes is not None else None

    def _separate(self, page: Page, place: Place) -> tuple[Any, Separation, Separation]:
        """Return (what matters to a page, the page by that, the same without its type's furniture)."""
        evidence = self._detector.query(page, place)
        judged = self._detector.classify(evidence)
        return evidence, judged, self._detector.stripped(judged, evidence)

    def _learn(self, page: Page, evidence: Any, content: Content | None) -> None:
        """Learn from a new page; ``content`` is None where it repeats that of an earlier page."""
        self._detector.update(evidence)
        self._seen.add(page.key)
        self.pages += 1
        if content is not None:
            self._contents.insert(page.key, content)

    def _kind_of(self, separation: Separation, place: Place, *, learn: bool) -> PageKind | None:
        return None if self.kinds is None else self.kinds.classify(separation, place, learn=learn)

    def page_types(self) -> list[TypedLeaf]:
        """Return the page type of each leaf that there ever was, by all pages so far.

        Cost: that of :meth:`~templcrawl.memory.page_types.LeafCounts.types`, once after each page.
        """
        if self._typed_leaves is None or self._typed_leaves[0] != self.pages:
            leaves = self._leaves
            types, of_type = leaves.counted().types(), dict[str, list[int]]()
            for leaf, key in enumerate(leaves.keys):
                if key in types:
                    of_type.setdefault(types[key][0], []).append(leaf)
            kinds = {}
            if self.kinds is not None:
                kinds = {name: self.kinds.kind_of_leaves(numbers) for name, numbers in of_type.items()}
            rows = [
                TypedLeaf(leaves.label(key), name, pages, kinds.get(name))
                for key, (name, pages) in types.items()
            ]
            self._typed_leaves = self.pages, rows
        return self._typed_leaves[1]

    def reclassify(self, earlier: Observation) -> Observation:
        """Separate a page that was observed before by what the site has learned since; learn nothing from it.

        Return the earlier observation if its page or its leaf is not stored (the site was evicted since).
        """
        place = self._leaves.find(earlier.leaf_id, earlier.page)
        if place is None or earlier.page not in self:
            return earlier
        _, judged, separation = self._separate(earlier.page, place)
        change = earlier.change
        if self.changes is not None and change is not None:
            change = self.changes.reclassify(separation, change)
        return replace(
            earlier,
            separation=separation,
            pages_known=self.pages,
            cluster_id=self._clusters.resolve(earlier.cluster_id),
            kind=self._kind_of(judged, place, learn=False),
            change=change,
        )

    @property
    def sections(self) -> Sequence[str]:  # type: ignore[override]
        """The names of its sections."""
        asked = [name for name in _OPTIONAL if getattr(self, name) is not None]
        return ["_seen", "_leaves", "_detector", "_contents", "links", *asked]

    def columns(self) -> Frozen:
        """Return the site, how it was learned, and how many pages it has."""
        return {
            "host": Text(self.host),
            "learned_with": Text(self.options.detector),
            "pages": Numbers([self.pages]),
        }

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

        A snapshot made with another detector keeps all but what that detector knew.

        host  whose snapshot it has to be; None: of any site
        """
        site = cls(snapshot.text("host"), options, clusters=clusters)
        if host not in (None, site.host):
            raise InvalidSnapshot("host", f"it is of {site.host!r}, not of {host!r}")
        site.pages = snapshot.numbers("pages", count=1, below=MOST_COUNT).item()
        for name in site.sections:
            stored = snapshot.section(name.strip("_"))
            is_other = name == "_detector" and learned_with(snapshot) != site.options.detector
            if not is_other and (stored or name not in _OPTIONAL):
                getattr(site, name).restore(stored)
        return site


def learned_with(snapshot: Snapshot) -> str:
    """Return the detector that the site of a snapshot was learned with; raises InvalidSnapshot."""
    detector = snapshot.text("learned_with")
    if detector not in DETECTORS:
        raise InvalidSnapshot("learned_with", f"there is no detector of the name {detector!r}")
    return detector
