"""The clusters of a crawl: page types site by site, and fingerprint clusters across all sites.

Hachenberg & Gottron (CIKM 2013) promise constant time a page; so it is here: a page is looked at once, and
no table that it is looked up in grows without a limit.

Cost: O(1) a page.  Memory: 500 sites (:class:`~templcrawl.commands.spilled_sites.SpilledSites`).  Of
fingerprints 100,000 are told apart; a new one then counts for the cluster of a similar one, or for none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from xxhash import xxh3_64_hexdigest

from templcrawl.algorithms.fingerprints.fingerprint import page_fingerprint, template_fingerprint
from templcrawl.algorithms.fingerprints.index import FingerprintIndex
from templcrawl.commands.site_clusters import Cluster, SiteClusters
from templcrawl.commands.spilled_sites import SpilledSites
from templcrawl.page.page import Page

MAX_SITES = 500
MAX_FINGERPRINTS = 100_000
MAX_HOSTS = 20
_DIGITS = 12


@dataclass
class FingerprintCluster:
    """Pages of all sites whose fingerprints are similar.

    id            equal for equal clusters
    fingerprints  distinct ones in it
    example       URL of the first page of its most frequent fingerprint
    hosts         its hosts, at most 20 of them, in the order they came
    """

    id: str
    pages: int = 0
    fingerprints: int = 0
    example: str = ""
    hosts: list[str] = field(default_factory=list)


@dataclass
class _Fingerprint:
    example: str
    pages: int = 0
    hosts: dict[str, None] = field(default_factory=dict)


class CrawlClusters(AbstractContextManager["CrawlClusters"]):
    """The clusters of a crawl, online; leaving the context removes the temporary folder.

    per_host   whether page types are learned
    pages      pages observed
    hosts      host -> pages observed
    """

    def __init__(self, *, per_host: bool = True, max_sites: int = MAX_SITES) -> None:
        self.per_host = per_host
        self.pages = 0
        self.hosts: Counter[str] = Counter()
        self._sites = SpilledSites(SiteClusters, budget=max_sites, size=lambda _: 1)
        self._index = FingerprintIndex()
        self._fingerprints: dict[bytes, _Fingerprint] = {}

    def __exit__(self, *exception: object) -> None:
        self._sites.close()

    def observe(self, page: Page, classes: Iterable[str | None] = ()) -> int:
        """Take note of a page; return its leaf on its site, -1 where page types are not learned.

        classes  its class, None for none; nothing without a classifier
        """
        if self.per_host:
            fingerprint = page_fingerprint(page)
        else:
            fingerprint = template_fingerprint(page.text, page.limits)
        self.pages += 1
        self.hosts[page.host] += 1
        self._count(fingerprint, page)
        if not self.per_host:
            return -1
        with self._sites.using(page.host) as site:
            return site.observe(page, fingerprint, classes)

    def clusters(self) -> list[Cluster]:
        """Return the page types of all sites, the largest first."""
        hosts = self.hosts if self.per_host else ()
        clusters = [cluster for host in hosts for cluster in self._sites.peek(host).clusters()]
        return sorted(clusters, key=lambda cluster: (-cluster.pages, cluster.host, cluster.number))

    def fingerprint_clusters(self) -> list[FingerprintCluster]:
        """Return the fingerprint clusters, the largest first."""
        clusters = []
        for members in self._index.clusters():
            cluster = FingerprintCluster(self.fingerprint_cluster(members[0]), fingerprints=len(members))
            hosts: dict[str, None] = {}
            known = [self._fingerprints[member] for member in members]
            for counts in known:
                cluster.pages += counts.pages
                hosts.update(counts.hosts)
            cluster.hosts = list(hosts)[:MAX_HOSTS]
            cluster.example = max(known, key=lambda counts: counts.pages).example
            clusters.append(cluster)
        return sorted(clusters, key=lambda cluster: (-cluster.pages, cluster.id))

    def fingerprint_cluster(self, fingerprint: bytes) -> str:
        """Return the id of the cluster of a fingerprint, "" where it is in none."""
        if fingerprint not in self._index:
            similar = self._index.similar(fingerprint)
            if not similar:
                return ""
            fingerprint = similar[0]
        return xxh3_64_hexdigest(self._index.cluster(fingerprint))[:_DIGITS]

    def _count(self, fingerprint: bytes, page: Page) -> None:
        known = self._fingerprints.get(fingerprint)
        if known is None:
            if len(self._fingerprints) < MAX_FINGERPRINTS:
                self._index.add(fingerprint)
                known = self._fingerprints[fingerprint] = _Fingerprint(page.url)
            else:
                similar = self._index.similar(fingerprint)
                if not similar:
                    return
                known = self._fingerprints[similar[0]]
        known.pages += 1
        if len(known.hosts) < MAX_HOSTS:
            known.hosts[page.host] = None
