"""The clusters of a crawl: page types site by site, fingerprint clusters across all sites.

What is found is as ``scrapy cluster`` writes it (:mod:`templcrawl.tools.commands.cluster_command`).

*All sites.*  Hachenberg & Gottron (CIKM 2013) promise constant time a page; so it is here: a page is looked
at once, and no table that it is looked up in grows without a limit.

Cost: O(1) a page.  Memory: that of :class:`~templcrawl.tools.commands.spilled_sites.SpilledSites`.  At most
100,000 fingerprints are stored; a further one then counts for the cluster of a similar one, or for none.

*One site.*  Its clusters are its page types (:mod:`templcrawl.memory.page_types`), each with a typical page
and a characteristic tag path.

Cost: a page O(1), whatever the number of pages: a few milliseconds, most of it for reading its tags.
Memory: bounded, at most some ten MB a site; of a cluster's pages only a sample of three a leaf is
stored, as tag paths, drawn by the smallest hashes of URLs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from xxhash import xxh3_64_hexdigest

from templcrawl.algorithms.page_kinds.kind_chances import ERROR, KINDS
from templcrawl.algorithms.page_types.fingerprint import (
    FingerprintIndex,
    page_fingerprint,
    template_fingerprint,
)
from templcrawl.algorithms.page_types.tag_paths import PathCounts, tag_paths
from templcrawl.memory.detectors.sample_vote import Vote
from templcrawl.memory.kind_table import KindTable
from templcrawl.memory.leaf_sample import LeafSample
from templcrawl.memory.leaves import Leaves
from templcrawl.memory.link_tables import LinkTable
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.memory.site_links import MAX_REACHED
from templcrawl.page.page import Page
from templcrawl.tools.commands.spilled_sites import BUDGET, SpilledSites
from templcrawl.tools.whole_site.site_detector import MAX_KEYS

MAX_FINGERPRINTS = 100_000
MAX_HOSTS = 20
_DIGITS = 12
_SAMPLED = 3
_LEAF_FINGERPRINTS = 64
_MERGE_AT = 512  # leaves that are counted, with those that have been merged since

Found = dict[str, Any]  # a cluster, as the answer of the command has it


@dataclass
class _Fingerprint:
    example: str
    pages: int = 0
    hosts: dict[str, None] = field(default_factory=dict)


class CrawlClusters(AbstractContextManager["CrawlClusters"]):
    """The clusters of a crawl, online; leaving the context removes what is stored of sites.

    per_host   whether page types are learned
    split      where the index of fingerprints cuts them (the paper's l); raises InvalidOption
    pages      pages observed
    hosts      the sites, in the order they came
    """

    def __init__(
        self, *, per_host: bool = True, kinds: bool = False, split: int | None = None, budget: int = BUDGET
    ) -> None:
        self.per_host = per_host
        self.pages = 0
        self.hosts: dict[str, None] = {}
        self._sites = SpilledSites(lambda host: SiteClusters(host, kinds=kinds), budget=budget)
        self._index = FingerprintIndex() if split is None else FingerprintIndex(split=split)
        self._fingerprints: dict[bytes, _Fingerprint] = {}

    def __exit__(self, *exception: object) -> None:
        self._sites.__exit__()

    def insert(self, page: Page, classes: Iterable[str | None] = ()) -> str:
        """Insert a page; return the id of its leaf, "" where page types are not learned.

        classes  its class, None for none; nothing without a classifier
        """
        if self.per_host:
            fingerprint = page_fingerprint(page)
        else:
            fingerprint = template_fingerprint(page.text, page.limits)
        self.pages += 1
        self.hosts[page.host] = None
        self._count(fingerprint, page)
        if not self.per_host:
            return ""
        with self._sites.using(page.host) as site:
            return site.insert(page, fingerprint, classes)

    def clusters(self) -> list[Found]:
        """Return the page types of all sites, the largest first."""
        hosts = self.hosts if self.per_host else ()
        clusters = [
            cluster for host in hosts for cluster in self._sites.peek(host).clusters(self.fingerprint_cluster)
        ]
        return sorted(clusters, key=lambda cluster: (-cluster["pages"], cluster["host"]))

    def fingerprint_clusters(self) -> list[Found]:
        """Return the fingerprint clusters, the largest first."""
        clusters = []
        for members in self._index.clusters():
            counted = [self._fingerprints[member] for member in members]
            hosts = dict.fromkeys(host for counts in counted for host in counts.hosts)
            pages = sum(counts.pages for counts in counted)
            cluster = {
                "id": self.fingerprint_cluster(members[0]),
                "pages": pages,
                "fingerprints": len(members),
                "example": max(counted, key=lambda counts: counts.pages).example,
                "hosts": list(hosts)[:MAX_HOSTS],
                "share": pages / self.pages,
            }
            clusters.append(cluster)
        return sorted(clusters, key=lambda cluster: (-cluster["pages"], cluster["id"]))

    def fingerprint_cluster(self, fingerprint: bytes) -> str:
        """Return the id of the cluster of a fingerprint, "" where it is in none."""
        known = self._known(fingerprint)
        return "" if known is None else xxh3_64_hexdigest(self._index.cluster(known))[:_DIGITS]

    def _known(self, fingerprint: bytes) -> bytes | None:
        """Return a fingerprint of the index: this one, else one that is similar, else None."""
        if fingerprint in self._fingerprints:
            return fingerprint
        return next(iter(self._index.similar(fingerprint)), None)

    def _count(self, fingerprint: bytes, page: Page) -> None:
        if fingerprint not in self._fingerprints and len(self._fingerprints) < MAX_FINGERPRINTS:
            self._index.add(fingerprint)
            self._fingerprints[fingerprint] = _Fingerprint(page.url)
        known = self._known(fingerprint)
        if known is not None:
            counts = self._fingerprints[known]
            counts.pages += 1
            if len(counts.hosts) < MAX_HOSTS:
                counts.hosts[page.host] = None


@dataclass
class _Leaf:
    """The counts and the sample of a leaf of the page types.

    sample  (URL, tag paths) of some of its pages
    """

    pages: int = 0
    sample: LeafSample[tuple[str, tuple[str, ...]]] = field(default_factory=lambda: LeafSample(_SAMPLED))
    fingerprints: Counter[bytes] = field(default_factory=Counter)
    classes: Counter[str | None] = field(default_factory=Counter)


class SiteClusters:
    """The clusters of one site, online.

    _kinds  the votes for the kinds of pages, None where kinds are not asked for
    """

    def __init__(self, host: str, *, kinds: bool = False) -> None:
        self.host = host
        options = MemoryOptions()
        self._leaves, self._vote = Leaves(host), Vote(options)
        self._links = LinkTable(limit=MAX_REACHED)
        self._voters: set[int] = set()
        self._paths = PathCounts()
        self._counted: dict[int, _Leaf] = {}
        self._kinds = KindTable(options) if kinds else None

    def insert(self, page: Page, fingerprint: bytes, classes: Iterable[str | None] = ()) -> str:
        """Insert a page and its class, if there is a classifier; return the id of its leaf."""
        place = self._leaves.place(page, learn=True, anchors=self._links.anchors(page.address_key))
        self._links.update_anchors(page.links.key_array, page.links.anchor_paths)
        if self._kinds is not None:
            queried = self._vote.query(page, place)
            separation = self._vote.separate(queried)
            if page.key not in self._voters and len(self._voters) < MAX_KEYS:  # it votes, too, once
                self._voters.add(page.key)
                self._vote.learn(queried)
            self._kinds.classify(separation, place, learn=True)
        paths = self._paths.count(place.leaf, tag_paths(page.tokens, page.elements))
        leaf = self._counted.setdefault(place.leaf, _Leaf())
        leaf.pages += 1
        if leaf.sample.takes(page.key):
            leaf.sample.store(page.key, (page.url, paths))
        if fingerprint in leaf.fingerprints or len(leaf.fingerprints) < _LEAF_FINGERPRINTS:
            leaf.fingerprints[fingerprint] += 1
        leaf.classes.update(classes)
        if len(self._counted) >= _MERGE_AT:
            self._paths.merge(self._leaves.current)
            self._counted = _joined(self._counted, self._leaves.current, _SAMPLED)
            for leaf in self._counted.values():
                leaf.fingerprints = Counter(dict(leaf.fingerprints.most_common(_LEAF_FINGERPRINTS)))
        return place.leaf_id

    def clusters(self, fingerprint_cluster: Callable[[bytes], str]) -> list[Found]:
        """Return the clusters as they now are, the largest first.

        fingerprint_cluster  fingerprint -> id of its cluster, "" where it is in none
        """
        types = self._leaves.counted().types()
        names = list(dict.fromkeys(name for name, _ in types.values()))
        type_of = {leaf: names.index(types[key][0]) for leaf, key in enumerate(self._leaves.keys)}
        groups = _joined(self._counted, type_of.__getitem__, _SAMPLED * len(self._counted))
        paths = self._paths.best(type_of)
        samples = {number: [page_paths for _, page_paths in group.sample] for number, group in groups.items()}
        typical = self._paths.most_typical(type_of, samples)
        total = sum(group.pages for group in groups.values())
        clusters = []
        for number, group in sorted(groups.items(), key=lambda item: (-item[1].pages, item[0])):
            members = [leaf for leaf, type_number in type_of.items() if type_number == number]
            path, kind = paths[number], None
            if self._kinds is not None:
                kind = self._kinds.name_of(members) or KINDS[ERROR]
            classes = [{"class": name, "pages": pages} for name, pages in group.classes.most_common()]
            across: Counter[str] = Counter()
            for fingerprint, pages in group.fingerprints.items():
                across[fingerprint_cluster(fingerprint)] += pages
            cluster = {
                "page_type": names[number],
                "host": self.host,
                "leaves": [self._leaves.name(leaf) for leaf in members],
                "pages": group.pages,
                "share": group.pages / total,
                "example": [*group.sample][typical[number]][0],
                "tag_path": path._asdict() if path else None,
                "classes": classes or None,
                "kind": kind,
                "fingerprint_clusters": [name for name, _ in across.most_common() if name],
            }
            clusters.append(cluster)
        return clusters


def _joined(leaves: Mapping[int, _Leaf], into: Callable[[int], int], most: int) -> dict[int, _Leaf]:
    """Merge leaves, with a sample of so many pages."""
    joined: dict[int, _Leaf] = {}
    for number, leaf in leaves.items():
        whole = joined.setdefault(into(number), _Leaf())
        whole.pages += leaf.pages
        whole.sample = whole.sample.joined(leaf.sample, most)
        whole.fingerprints.update(leaf.fingerprints)
        whole.classes.update(leaf.classes)
    return joined
