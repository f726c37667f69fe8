"""What a crawl has learned of all its sites: one :class:`SiteMemory` a host, bounded.

Nothing learned of one site is used for another, but the template clusters of fingerprints, and in a focused
crawl where relevant pages were found: a page credits the pagelets that led to it on whatever site.  The least
recently used site is evicted; with a store, it is written there first and read back when it returns.

The samples of all sites are drawn by one salt: that of the options, else the crawl draws and stores one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from templcrawl.algorithms.crawl_order.focus import RelevanceRecord
from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.clusters import AcrossSites
from templcrawl.memory.detectors.page_sample import draw_salt
from templcrawl.memory.link_section import MAX_LARGE
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.observation import Observation
from templcrawl.memory.options import MemoryOptions, SingleOptions, options_of
from templcrawl.memory.page_types import TypedLeaf
from templcrawl.memory.site import OWN, SiteMemory
from templcrawl.memory.site_links import SiteLinks
from templcrawl.memory.store import ALL_SITES, SnapshotStore
from templcrawl.page.page import Page, check_page

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from templcrawl.algorithms.crawl_order.focus import Judgement
    from templcrawl.algorithms.page_types.type_classifiers import Classifier
    from templcrawl.memory.visit_table import VisitTable

_MAX_EVICTED = 100_000


class CrawlMemory:
    """The memory of a crawl over many sites.

    on_evicted     functions called with each evicted site, once it is written
    revision       a number that grows whenever the value of a link may have changed
    evicted_sites  how many sites were evicted and have not returned; exact up to 100,000

    >>> memory = CrawlMemory()
    >>> for number, words in enumerate(("first", "second")):
    ...     html = f"<title>x</title><nav>Menu and more</nav><p>The {words} page</p>"
    ...     observation = memory.observe(Page.from_html(html, f"https://example.org/{number}"))
    >>> observation.content_text, observation.template_text
    ('The second page', 'Menu and more')
    """

    def __init__(
        self,
        options: MemoryOptions | None = None,
        *,
        store: SnapshotStore | None = None,
        on_unreadable: Callable[[InvalidSnapshot], None] | None = None,
        classifier: Classifier | None = None,
        topic: Callable[[Page], Judgement] | None = None,
        **changes: Unpack[SingleOptions],
    ) -> None:
        """Make an empty memory, or one over a store.

        options        how to learn and how much to keep
        store          where evicted sites are written, and all sites at ``save``
        on_unreadable  called with the error of a snapshot that cannot be read; its site starts anew
        classifier     returns the page type of a page, after examples of each
        topic          judges each page of a focused crawl
        changes        single options by keyword, instead of ``options``
        Raises InvalidOption.
        """
        self.options = options_of(options, changes)
        self.evicted_sites = self.revision = 0
        self._evicted_hosts: LruDict[str, bool] = LruDict(_MAX_EVICTED)
        self._store = store
        self._on_unreadable = on_unreadable
        self._classifier = classifier
        self._topic = topic
        self._large: LruDict[str, bool] = LruDict(MAX_LARGE)
        self._relevance = RelevanceRecord()
        self._sites: LruDict[str, SiteMemory] = LruDict(self.options.max_sites)
        self._unsaved: set[str] = set()
        self._clusters = self.options.new_clusters()
        self._no_links = SiteLinks(self.options)
        self._peeked: tuple[str, SiteMemory | None] | None = None
        self.on_evicted: list[Callable[[SiteMemory], None]] = []
        across = self._stored_across_sites()
        salt = self.options.sample_salt
        if salt is None:
            salt = draw_salt() if across is None else across.salt
        self.options = replace(self.options, sample_salt=salt)
        is_saved = across is None or across.salt == salt
        self._saved_all_sites = self._all_sites_state if is_saved else None

    def _stored_across_sites(self) -> AcrossSites | None:
        """Go on from what was stored of no single site; return that, None if there is none."""
        with self._reporting():
            stored = self._store.load(ALL_SITES) if self._store is not None else None
            if stored is not None:
                across = AcrossSites.of(stored)
                self._clusters.update(across.fingerprints)
                self._relevance = RelevanceRecord(*across.judged)
                return across
        return None

    def __len__(self) -> int:
        return len(self._sites)

    def __iter__(self) -> Iterator[SiteMemory]:
        return self._sites.values()

    @property
    def is_stored(self) -> bool:
        """Whether evicted sites are written to a store."""
        return self._store is not None

    def site(self, host: str) -> SiteMemory:
        """Return the memory of a site, read back from the store or new."""
        site = self._sites.touch(host)
        if site is None:
            self._evict()
            self.evicted_sites -= bool(self._evicted_hosts.pop(host))
            self._peeked = None
            site = self._sites[host] = self._stored(host) or SiteMemory(
                host, self.options, clusters=self._clusters
            )
            self._renew_values(site)
        return site

    def get_site(self, host: str) -> SiteMemory | None:
        """Return the memory of a site to look at, None if nothing is known of it.

        A site that has left for the store is read back, but takes no room: what it learns now is lost.  The
        last such site is kept at hand.
        """
        site = self._sites.get(host)
        if site is not None or self._store is None:
            return site
        if self._peeked is None or self._peeked[0] != host:
            self._peeked = host, self._stored(host)
        return self._peeked[1]

    def _stored(self, host: str) -> SiteMemory | None:
        with self._reporting():
            snapshot = self._store.load(host) if self._store is not None else None
            if snapshot is not None:
                with self._reporting():
                    snapshot.update(self._store.load(self._own_name(host)) or {})  # type: ignore[union-attr]
                return SiteMemory.from_snapshot(snapshot, self.options, clusters=self._clusters, host=host)
        return None

    def _own_name(self, host: str) -> str:
        """Return under what is stored what a spider has read of a site."""
        return f"{host}\n{self.options.spider}"

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        try:
            yield
        except InvalidSnapshot as error:
            if self._on_unreadable:
                self._on_unreadable(error)

    def _evict(self) -> None:
        """Evict the least recently used site if the limit is reached; it is written to the store first."""
        if len(self._sites) < self._sites.limit:
            return
        host = self._sites.least_recent()
        self.save_site(host)
        self.evicted_sites += 1
        self._evicted_hosts.set(host, True)
        if (site := self._sites.pop(host)) is not None:
            for listener in self.on_evicted:
                listener(site)

    def observe(self, page: Page, *, at: int = 0, key: int | None = None) -> Observation:
        """Separate a page, learn from it, and return the observation.

        at   when the page was read, in seconds since 1970
        key  by which its changes are found; None: that of the page
        Raises InvalidOption for what is no Page.
        """
        check_page(page)
        site = self.site(page.host)
        judgement = self._topic(page) if self._topic is not None else None
        if judgement is not None and page not in site:
            self._credit_links_to(page, judgement.relevance)
        page_type = self._classifier.classify(page).name if self._classifier is not None else None
        observation = site.observe(page, judgement, page_type=page_type, at=at, key=key)
        self._unsaved.add(page.host)
        self._bound_large(site)
        self._renew_values(site)
        return observation

    def _bound_large(self, site: SiteMemory) -> None:
        """Free what is large of the site that was met longest ago, if there are too many."""
        is_large = site.links.extra is not None and site.links.extra.is_large
        oldest = self._large.set(site.host, True) if is_large else None
        freed = self._sites.get(oldest) if oldest is not None else None
        if freed is not None and freed.links.extra is not None:
            freed.links.extra.clear()
            self._renew_values(freed)

    def add_target(self, example: Observation) -> None:
        """Let links to pages like an example go first."""
        site = self.site(example.page.host)
        site.add_target(example)
        self._renew_values(site)

    def _credit_links_to(self, page: Page, relevance: float) -> None:
        """Credit the crawl, and on every site the pagelets that led to a page.  Cost: O(sites)."""
        pages, total = self._relevance
        self._relevance = RelevanceRecord(pages + 1, total + relevance)
        self._unsaved.update(site.host for site in self if site.links.credit(page, relevance))

    def reclassify(self, earlier: Observation) -> Observation:
        """Separate an observed page by what its site has learned since; nothing is learned from it.

        Return the earlier observation if its site is no longer stored.
        """
        site = self.get_site(earlier.page.host)
        return earlier if site is None else site.reclassify(earlier)

    def links(self, host: str) -> SiteLinks:
        """Return what is known of the links of a site to look at; nothing if it is not in memory."""
        site = self._sites.get(host)
        return site.links if site is not None else self._no_links

    def visits(self, host: str) -> VisitTable | None:
        """Return the visits to the pages of a site; None if they are not stored, or it is not in memory."""
        site = self._sites.get(host)
        return site.visits if site is not None else None

    def note_visit(self, host: str) -> None:
        """Note that the visits to a site have changed, and are to be saved."""
        if host in self._sites:
            self._unsaved.add(host)

    def links_to_order(self, host: str) -> SiteLinks | None:
        """Return what is known of the links of a site; None without room for it.

        While there is room a site that was evicted is read back, once, or begun anew.
        """
        site = self._sites.get(host)
        if site is None and self._store is not None and len(self._sites) < self._sites.limit:
            site = self.site(host)
        return site.links if site is not None else None

    def _renew_values(self, site: SiteMemory) -> None:
        self.revision += 1
        site.links.version = self.revision

    @property
    def relevance(self) -> RelevanceRecord:
        """What the topic has judged, over all sites."""
        return self._relevance

    def page_count(self, host: str) -> int:
        """Return how many pages of a site were observed; 0 if it is not in memory."""
        site = self._sites.get(host)
        return site.pages if site else 0

    def page_types(self) -> Iterator[TypedLeaf]:
        """Yield the page type of each leaf of the sites in memory, by all pages so far."""
        for site in self:
            yield from site.page_types()

    def resolve(self, label: str) -> str:
        """Return what an earlier label stands for by all pages so far; one that is not known stays.

        label  of a leaf (``host#...``): the name of its page type, read back from the store if its site was
               evicted; of a cluster: the one that it has become
        """
        host, is_leaf, _ = label.rpartition("#")
        if not is_leaf:
            return self._clusters.resolve(label)
        site = self.get_site(host)
        types = site.page_types() if site is not None else ()
        return next((row.page_type for row in types if row.leaf_id == label), label)

    def clusters(self) -> dict[str, int]:
        """Return label of each template cluster of all sites -> distinct fingerprints in it."""
        return self._clusters.sizes()

    def save(self) -> int:
        """Write the sites that changed since the last time to the store; return how many."""
        changed = self.changed()
        for host in changed:
            self.save_site(host)
        if self._store is not None:
            self._store.commit()
        return len(changed) - (ALL_SITES in changed)

    def changed(self) -> list[str]:
        """Return for what hosts ``save_site`` has something to write; last, ``ALL_SITES``."""
        hosts = [host for host in self._unsaved if host in self._sites]
        return hosts if self._saved_all_sites == self._all_sites_state else [*hosts, ALL_SITES]

    def save_site(self, host: str) -> None:
        """Write a site to the store if it has changed since the last time."""
        if host == ALL_SITES:
            self._save_all_sites()
            return
        site = self._sites.get(host)
        if self._store is not None and site is not None and host in self._unsaved:
            frozen = site.freeze()
            own = {name: frozen.pop(name) for name in [*frozen] if name.startswith(OWN)}
            self._store.save(host, frozen)
            if own:
                self._store.save(self._own_name(host), own)
        self._unsaved.discard(host)

    def _save_all_sites(self) -> None:
        if self._store is not None:
            across = AcrossSites(list(self._clusters), self._relevance, self.options.sample_salt or 0)
            self._store.save(ALL_SITES, across.freeze())
        self._saved_all_sites = self._all_sites_state

    @property
    def _all_sites_state(self) -> tuple[int, RelevanceRecord]:
        """What changes when something is learned across sites."""
        return len(self._clusters), self._relevance
