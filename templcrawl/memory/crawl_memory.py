"""The memory of a crawl: one :class:`SiteMemory` a host, bounded.

Nothing learned from one site is used for another, with two exceptions: template clusters of fingerprints, and
numbers about pages, which are summed over all sites.  The least recently used site is evicted; with a store,
it is written there first and read back when it returns.

A site is *opened* to learn from its pages, *loaded* if there is room for it, and *peeked* at if it may be
gone.  The samples of all sites are drawn with one salt: that of the options, or one that the crawl draws and
stores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from secrets import randbits
from typing import TYPE_CHECKING, Any

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.clusters import ALL_SITES, AcrossSites
from templcrawl.memory.key_tables import LruDict
from templcrawl.memory.memory_options import MemoryOptions, SingleOptions, options_of
from templcrawl.memory.observation import Observation
from templcrawl.memory.sections import MAX_LARGE, new_sections
from templcrawl.memory.site import SiteMemory
from templcrawl.page.page import Page, check_page

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from templcrawl.memory.page_types import TypedLeaf
    from templcrawl.memory.store import SqliteStore

_MAX_EVICTED = 100_000
_SALT_BITS = 63


def draw_salt() -> int:
    """Return a salt for a crawl, by chance."""
    return randbits(_SALT_BITS)


class MemoryListener:
    """A listener to the memory of a crawl; the methods do nothing unless a subclass has its own."""

    def site_evicted(self, site: SiteMemory) -> None:
        """Process a site that leaves the memory, once it is written."""

    def site_unreadable(self, error: InvalidSnapshot) -> None:
        """Process the error of a snapshot that cannot be read; its site starts anew."""


class CrawlMemory:
    """The memory of a crawl over many sites.

    revision       a number that grows whenever the value of a link may have changed
    evicted_sites  how many sites were evicted and have not returned; exact up to 100,000
    judges         attribute of observations -> function of a page that says it, before its site sees it
    sums           attribute of pages that is a number from 0 to 1 -> pages of all sites, sum of the numbers

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
        store: SqliteStore | None = None,
        listener: MemoryListener | None = None,
        judges: Mapping[str, Callable[[Page], Any]] | None = None,
        **changes: Unpack[SingleOptions],
    ) -> None:
        """Make an empty memory, or one over a store.

        options   how to learn and how much to keep
        store     where evicted sites are written, and all sites at ``save``
        listener  what is told of sites that leave, and of snapshots that cannot be read
        judges    attribute of observations -> function of a page that says it, before its site sees it
        changes   single options by keyword, instead of ``options``
        Raises InvalidOption.
        """
        self.options = options_of(options, changes)
        self.evicted_sites = self.revision = 0
        self._evicted_hosts: LruDict[str, bool] = LruDict(_MAX_EVICTED)
        self._store = store
        self._listener = listener or MemoryListener()
        self.judges = judges or {}
        self._large: LruDict[str, bool] = LruDict(MAX_LARGE)
        self.sums: dict[str, tuple[int, float]] = {}
        self._sites: LruDict[str, SiteMemory] = LruDict(self.options.max_sites)
        self._unsaved: set[str] = set()
        self._clusters = self.options.new_clusters()
        new_sections(self.options)  # raises now what it raises
        self._peeked: tuple[str, SiteMemory | None] | None = None
        across = self._stored_across_sites()
        salt = self.options.sample_salt
        if salt is None:
            salt = draw_salt() if across is None else across.salt
        self.options = replace(self.options, sample_salt=salt)
        is_saved = across is None or across.salt == salt
        self._saved_all_sites = self._all_sites_state if is_saved else None

    def _stored_across_sites(self) -> AcrossSites | None:
        """Restore the state that all sites share; return it, None if nothing is stored."""
        with self._reporting():
            stored = self._store.load(ALL_SITES) if self._store is not None else None
            if stored is not None:
                across = AcrossSites.from_snapshot(stored)
                self._clusters.add_fingerprints(across.fingerprints)
                self.sums.update(across.sums)
                return across
        return None

    def __len__(self) -> int:
        return len(self._sites)

    def __iter__(self) -> Iterator[SiteMemory]:
        return self._sites.values()

    @property
    def is_stored(self) -> bool:
        """True if evicted sites are written to a store."""
        return self._store is not None

    def open(self, host: str) -> SiteMemory:
        """Return the memory of a site, read back from the store or new; others make room for it."""
        site = self._sites.touch(host)
        if site is None:
            self._evict()
            self.evicted_sites -= bool(self._evicted_hosts.pop(host))
            self._peeked = None
            site = self._sites[host] = self._stored(host) or SiteMemory(
                host, self.options, clusters=self._clusters
            )
            if self._store is not None:
                for section in site.asked.values():
                    section.use_rows(partial(self._store.rows, self._own_name(host)))
            self.renew_values(site)
        return site

    def load(self, host: str) -> SiteMemory | None:
        """Return the memory of a site, opened if there is a store, and room; None if it is not in memory."""
        site = self._sites.get(host)
        if site is None and self._store is not None and len(self._sites) < self._sites.limit:
            site = self.open(host)
        return site

    def peek(self, host: str, *, in_store: bool = False) -> SiteMemory | None:
        """Return the memory of a site for reading, None if it is not in memory.

        in_store  whether one that has left for the store is read, too: it takes no room, and what it learns
                  is lost; the last such site is kept at hand
        """
        site = self._sites.get(host)
        if site is not None or self._store is None or not in_store:
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
        """Return the name under which the state of a site and a spider is stored."""
        return f"{host}\n{self.options.spider}"

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        try:
            yield
        except InvalidSnapshot as error:
            self._listener.site_unreadable(error)

    def _evict(self) -> None:
        """Evict the least recently used site if the limit is reached; it is written to the store first."""
        if len(self._sites) < self._sites.limit:
            return
        host = self._sites.least_recent()
        self.save_site(host)
        self.evicted_sites += 1
        self._evicted_hosts.set(host, True)
        if (site := self._sites.pop(host)) is not None:
            self._listener.site_evicted(site)

    def observe(self, page: Page, *, at: int = 0, key: int | None = None) -> Observation:
        """Separate a page, learn from it, and return the observation.

        at   when the page was read, in seconds since 1970
        key  by which its changes are found; None: that of the page
        Raises InvalidOption for what is not a Page.
        """
        check_page(page)
        site = self.open(page.host)
        said = {name: judge(page) for name, judge in self.judges.items()}
        numbers = {name: number for name, number in said.items() if isinstance(number, float)}
        if numbers and page not in site:
            self._tell_all(page, numbers)
        observation = site.observe(page, said, at=at, key=key)
        self._unsaved.add(page.host)
        self._bound_large(site)
        self.renew_values(site)
        return observation

    def _tell_all(self, page: Page, numbers: Mapping[str, float]) -> None:
        """Add the numbers about a new page to the sums, and pass the page to all sites.  Cost: O(sites)."""
        for name, number in numbers.items():
            pages, total = self.sums.get(name, (0, 0.0))
            self.sums[name] = pages + 1, total + number
        self._unsaved.update(site.host for site in self if site.observe_elsewhere(page, numbers))

    def _bound_large(self, site: SiteMemory) -> None:
        """Free the large tables of the least recently used site if there are too many."""
        is_large = any(section.is_large for section in site.asked.values())
        oldest = self._large.set(site.host, True) if is_large else None
        freed = self._sites.get(oldest) if oldest is not None else None
        if freed is not None:
            for section in freed.asked.values():
                section.clear()
            self.renew_values(freed)

    def reclassify(self, earlier: Observation) -> Observation:
        """Separate an observed page by what its site has learned since; nothing is learned from it.

        Return the earlier observation if its site is no longer stored.
        """
        site = self.peek(earlier.page.host, in_store=True)
        return earlier if site is None else site.reclassify(earlier)

    def note_learned(self, host: str) -> None:
        """Note that a section of a site has learned, and is to be saved."""
        if host in self._sites:
            self._unsaved.add(host)

    def renew_values(self, site: SiteMemory) -> None:
        """Note that the values of links found on a site may have changed."""
        self.revision += 1
        site.links.version = self.revision

    def page_types(self) -> Iterator[TypedLeaf]:
        """Yield the page type of each leaf of the sites in memory, by all pages so far."""
        for site in self:
            yield from site.page_types()

    def resolve(self, label: str) -> str:
        """Return the current page type or cluster of a label; an unknown label is returned unchanged.

        label  of a leaf (``host#...``): the name of its page type, read back from the store if its site was
               evicted; of a cluster: the one that it has become
        """
        host, is_leaf, _ = label.rpartition("#")
        if not is_leaf:
            return self._clusters.resolve(label)
        site = self.peek(host, in_store=True)
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
        """Return the hosts that have changes for ``save_site`` to write; last, ``ALL_SITES``."""
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
            own = {name: frozen.pop(name) for name in [*frozen] if name.startswith(site.spider_prefixes)}
            self._store.save(host, frozen)
            if own:
                self._store.save(self._own_name(host), own)
        self._unsaved.discard(host)

    def _save_all_sites(self) -> None:
        if self._store is not None:
            across = AcrossSites(list(self._clusters), self.sums, self.options.sample_salt or 0)
            self._store.save(ALL_SITES, across.freeze())
        self._saved_all_sites = self._all_sites_state

    @property
    def _all_sites_state(self) -> tuple[object, ...]:
        """What changes when something is learned across sites."""
        return len(self._clusters), *self.sums.values()
