"""The memory of one site: observe a page, separate it, and learn from it.

``observe`` is the whole flow of a page, in the order of its lines: its structure finds its leaf; the detector
separates template and content by earlier pages; each *section* that was asked for adds its answers
(:mod:`templcrawl.memory.sections`); the content shows whether it repeats an earlier page; the site learns
from it; the links that led to it are credited with what is new on it, and its own are filed
(:mod:`templcrawl.memory.site_links`).  Page types are made of all leaves, when they are asked for
(:mod:`templcrawl.memory.page_types`).

Single pass and causal: a page is separated by the pages before it, then learned.  A page seen again (by its
URL) is separated again by the pages so far, never by itself, and counts once.  What a later crawl reads of a
page takes the place of what was there, so that a template that has changed is known again.

Cost: O(length of the page).  Memory: bounded by the ``max_*`` options.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from templcrawl.algorithms.page_types.fingerprint import page_fingerprint
from templcrawl.algorithms.similarity.near_duplicates import Content
from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.clusters import FingerprintClusters
from templcrawl.memory.content_index import ContentIndex
from templcrawl.memory.detectors import ARRIVING, AnyDetector, load_detector
from templcrawl.memory.key_tables import KeySet
from templcrawl.memory.leaves import LeafDistances, Leaves
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.memory.observation import Observation
from templcrawl.memory.sections import SeenPage, SiteSection, UnreadPage, new_sections
from templcrawl.memory.site_links import SiteLinks
from templcrawl.memory.snapshots import MAX_COUNT, Frozen, Numbers, Section, Snapshot, Text
from templcrawl.page.addresses import url_key
from templcrawl.page.page import Page, check_page
from templcrawl.page.separation import Separation

if TYPE_CHECKING:
    from templcrawl.memory.page_types import TypedLeaf

_Kind = TypeVar("_Kind", bound=SiteSection)


class SiteMemory(Section):
    """The memory of one site.

    host   the site
    pages  how many distinct pages were observed
    links  evidence about their links
    asked  name -> section that the options ask for
    """

    def __init__(
        self,
        host: str,
        options: MemoryOptions | None = None,
        *,
        clusters: FingerprintClusters | None = None,
    ) -> None:
        """Make an empty memory; raises InvalidOption.

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
        self._detector: AnyDetector = load_detector(options.detector)(options)
        self._contents = ContentIndex(limit=options.max_sketches)
        self.asked: Mapping[str, SiteSection] = new_sections(options)
        self.links = SiteLinks(options, self.asked.values())
        self._typed_leaves: tuple[int, list[TypedLeaf]] | None = None

    def __contains__(self, page: Page) -> bool:
        """Return whether a page was observed, by its URL."""
        return page.key in self._seen

    def get(self, kind: type[_Kind]) -> _Kind | None:
        """Return the section of a class, None if it was not asked for."""
        return next((section for section in self.asked.values() if isinstance(section, kind)), None)

    def asks_for(self, url: str) -> bool:
        """Return whether a page is to be read again before others: its site is judged by it."""
        return self._detector.asks_for(url_key(url))

    def observe(
        self, page: Page, said: Mapping[str, Any] | None = None, *, at: int = 0, key: int | None = None
    ) -> Observation:
        """Separate a page by what the site has learned, learn from it, and return the observation.

        said  attributes that the observation gets from others
        at    when it was read, in seconds since 1970
        key   by which readings of it are compared; None: its own
        """
        is_new, pages_known = check_page(page) not in self, self.pages
        place = self._leaves.place(page, learn=is_new, anchors=self.links.anchors_to(page))
        evidence, judged, separation = self._separate(page, place)
        told = {**(said or {})}
        seen = self._seen_page(page, place, judged, separation, is_new=is_new, at=at, key=key, said=told)
        for section in self.asked.values():
            seen.said.update(section.page_seen(seen))
        content = self._detector.content(evidence, judged)
        original = self._contents.find(page.key, content)
        if is_new:
            self._learn(page, evidence, content if original is None else None, at)
        elif self._detector.learns_again(page):
            self._detector.learn(evidence, at)
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
            said=seen.said,
        )

    def _seen_page(
        self,
        page: Page,
        place: LeafDistances,
        judged: Separation,
        given: Separation,
        *,
        is_new: bool = False,
        at: int = 0,
        key: int | None = None,
        said: dict[str, Any],
    ) -> SeenPage:
        key, roles = page.key if key is None else key, self.links.roles_to(page)
        return SeenPage(page, key, at, is_new, place, self._leaves, roles, judged, given, said)

    def _separate(self, page: Page, place: LeafDistances) -> tuple[Any, Separation, Separation]:
        """Return (evidence of the site, separation by it, the same without furniture of the page type)."""
        evidence = self._detector.query(page, place)
        judged = self._detector.separate(evidence)
        return evidence, judged, self._detector.stripped(judged, evidence)

    def _learn(self, page: Page, evidence: Any, content: Content | None, at: int) -> None:
        """Learn from a new page; ``content`` is None where it repeats that of an earlier page."""
        self._detector.learn(evidence, at)
        self._seen.add(page.key)
        self.pages += 1
        if content is not None:
            self._contents.insert(page.key, content)

    def observe_elsewhere(self, page: Page, said: Mapping[str, float]) -> bool:
        """Learn from a new page of any site; return whether the change should be saved."""
        pagelets = self.links.pagelets_to(page.address_key)
        learned = [section.page_elsewhere(page, pagelets, said) for section in self.asked.values()]
        return any(learned)

    def add_example(self, example: Observation) -> None:
        """Let the sections know that an observed page is an example of what is wanted."""
        place = self._leaves.find(example.leaf_id, example.page)
        if place is not None:
            given = example.separation
            seen = self._seen_page(example.page, place, given, given, said={**example.said})
            for section in self.asked.values():
                section.example_given(seen)

    def page_types(self) -> list[TypedLeaf]:
        """Return the page type of each leaf that there ever was, by all pages so far.

        Cost: that of :meth:`~templcrawl.memory.page_types.LeafCounts.types`, once after each page.
        """
        if self._typed_leaves is None or self._typed_leaves[0] != self.pages:
            from templcrawl.memory.page_types import TypedLeaf

            leaves = self._leaves
            types, leaves_of = leaves.counted().types(), dict[str, list[int]]()
            for leaf, key in enumerate(leaves.keys):
                if key in types:
                    leaves_of.setdefault(types[key][0], []).append(leaf)
            kinds = {name: self._name_of(numbers) for name, numbers in leaves_of.items()}
            rows = [
                TypedLeaf(leaves.label(key), name, pages, kinds.get(name))
                for key, (name, pages) in types.items()
            ]
            self._typed_leaves = self.pages, rows
        return self._typed_leaves[1]

    def _name_of(self, leaves: Sequence[int]) -> str | None:
        return next(filter(None, (section.name_of(leaves) for section in self.asked.values())), None)

    def reclassify(self, earlier: Observation) -> Observation:
        """Separate a page that was observed before by what the site has learned since; learn nothing from it.

        Return the earlier observation if its page or its leaf is not stored (the site was evicted since).
        """
        place = self._leaves.find(earlier.leaf_id, earlier.page)
        if place is None or earlier.page not in self:
            return earlier
        _, judged, separation = self._separate(earlier.page, place)
        seen = self._seen_page(earlier.page, place, judged, separation, said={**earlier.said})
        for section in self.asked.values():
            seen.said.update(section.page_seen_again(seen, earlier))
        return replace(
            earlier,
            separation=separation,
            pages_known=self.pages,
            cluster_id=self._clusters.resolve(earlier.cluster_id),
            said=seen.said,
        )

    def unread_pages(self) -> list[UnreadPage]:
        """Return the pages that are known from earlier crawls, and that this crawl has not read."""
        return [page for section in self.asked.values() for page in section.unread_pages()]

    @property
    def sections(self) -> Sequence[str]:  # type: ignore[override]
        """The names of its sections."""
        return ["_seen", "_leaves", "_detector", "_contents", "links", *self.asked]

    def part(self, name: str) -> Section:
        """Return a section."""
        return self.asked[name] if name in self.asked else super().part(name)

    @property
    def spider_prefixes(self) -> tuple[str, ...]:
        """Prefixes of the columns that belong to the spider, not to the site."""
        return tuple(f"{name}/" for name, section in self.asked.items() if section.is_of_spider)

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
        site.pages = snapshot.numbers("pages", count=1, below=MAX_COUNT).item()
        for name in site.sections:
            stored = snapshot.section(name.strip("_"))
            is_other = name == "_detector" and learned_with(snapshot) != site.options.detector
            if not is_other and (stored or name not in site.asked):
                site.part(name).restore(stored)
        return site


def learned_with(snapshot: Snapshot) -> str:
    """Return the detector that the site of a snapshot was learned with; raises InvalidSnapshot."""
    detector = snapshot.text("learned_with")
    if detector not in ARRIVING:
        raise InvalidSnapshot("learned_with", f"there is no detector of the name {detector!r}")
    return detector
