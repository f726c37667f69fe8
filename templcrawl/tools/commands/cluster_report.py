"""The report of ``scrapy cluster``, as tables and as JSON; and groups of duplicate pages.

The JSON is one object; parts that are not switched on are null::

    format                version of this schema: 1
    input                 path that was read
    pages, hosts          how many
    capped                pages that were read in part
    unreadable            {"count": n, "first": [{"name": ..., "reason": ...}, ...]}, the first ten
    clusters              page types, the largest first, each
        page_type, host   its name, which no other type of the host has
        leaves            ids of its leaves, as items have them
        pages, share      how many, and their share of the host's pages
        example           URL of the page nearest to what the cluster's pages have in common
        tag_path          {"path", "here", "elsewhere"}: the path that best separates it from the host's other
                          pages, the share of its pages that have it, and of the others; null without one
        classes           with --train: [{"class": name or null, "pages": n}, ...], the most frequent first
        kind              with --kinds: article, product, listing ..., by the pages and their leaves; or null
        fingerprint_clusters  ids of those its pages belong to, the most frequent first
    fingerprint_clusters  across hosts, the largest first, each
        id, pages, share
        fingerprints      distinct ones in it
        hosts             at most 20, in the order they came
        example           URL of the first page of its most frequent fingerprint
    duplicates            with --duplicates: groups of pages with equal contents, the largest first, each
        first             URL of the page that the others repeat
        exact, near       how many repeat it word for word, and nearly so
        urls              URLs of at most 20 of these
    page_clusters         with --pages: [{"url", "leaf", "page_type", "class"}, ...] in the order of reading

*Duplicates* are pages whose contents, without their templates, are the same or nearly the same.  The first
page of a group represents it: later ones are compared with it, not with each other.

Cost: O(1) a page, beyond its separation.  Memory: the contents of 20,000 pages (the least recent ones are
evicted, so that repeats of them are missed) and 10,000 groups; of further groups only the number of pages is
counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from templcrawl.algorithms.similarity.near_duplicates import content_of
from templcrawl.memory.content_index import ContentIndex
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.page_types import TypedLeaf
from templcrawl.page.records import CrawlReader
from templcrawl.page.separation import Separation
from templcrawl.tools.commands.output import input_json
from templcrawl.tools.commands.site_clusters import Cluster, CrawlClusters, FingerprintCluster
from templcrawl.tools.commands.terminal import show_table, write

FORMAT = 1


class PageLeaf(NamedTuple):
    """Where a page was put.

    leaf_id  its leaf
    name     its class, None for none
    """

    url: str
    leaf_id: str
    name: str | None


class ClusterReport:
    """The clusters of a crawl at its end.

    clusters    page types, None if they are not switched on
    across      fingerprint clusters, None if they are not switched on
    duplicates  None if they are not switched on
    """

    def __init__(self, crawl: CrawlClusters, duplicates: DuplicateGroups | None, *, across: bool) -> None:
        self.crawl = crawl
        self.duplicates = duplicates
        self.clusters: list[Cluster] | None = crawl.clusters() if crawl.per_host else None
        self.across: list[FingerprintCluster] | None = crawl.fingerprint_clusters() if across else None

    def typed_leaves(self) -> Iterator[TypedLeaf]:
        """Yield the page type of each leaf."""
        for cluster in self.clusters or ():
            for leaf_id in cluster.leaf_ids:
                yield TypedLeaf(leaf_id, cluster.name, cluster.pages, cluster.kind)

    def show(self, top: int) -> None:
        """Write the tables, at most ``top`` rows of each."""
        write(f"pages: {self.crawl.pages:,}, hosts: {len(self.crawl.hosts):,}\n")
        if self.clusters is not None:
            named = any(cluster.classes for cluster in self.clusters)
            kinds = any(cluster.kind for cluster in self.clusters)
            head = ["pages", "share", "here", "elsewhere", "page type", *(["kind"] if kinds else [])]
            head += [*(["class"] if named else []), "tag path", "example"]
            rows = [_row(cluster, named=named) for cluster in self.clusters[:top]]
            show_table(_title("Page types", len(self.clusters), top), head, rows, numbers=4)
        if self.across is not None:
            head = ["pages", "share", "hosts", "cluster", "example"]
            rows = [self._row_across(cluster) for cluster in self.across[:top]]
            show_table(_title("Fingerprint clusters", len(self.across), top), head, rows, numbers=3)

        if self.duplicates is not None:
            groups = self.duplicates.groups()
            head = ["exact", "near", "of the content of", "such as"]
            rows = [[f"{group.exact:,}", f"{group.near:,}", group.first, group.urls[0]] for group in groups]
            title = _title(
                f"Pages that repeat another: {self.duplicates.repeats:,}; groups", len(groups), top
            )
            show_table(title, head, rows[:top], numbers=2)

    def _row_across(self, cluster: FingerprintCluster) -> list[str]:
        share = cluster.pages / self.crawl.pages
        return [f"{cluster.pages:,}", f"{share:.0%}", str(len(cluster.hosts)), cluster.id, cluster.example]

    def as_json(self, source: str, reader: CrawlReader, leaves: Sequence[PageLeaf] | None) -> Any:
        """Return the report as the plain values of its schema.

        leaves  of each page, None if they are not switched on
        """
        return {
            "format": FORMAT,
            **input_json(source, reader),
            "pages": self.crawl.pages,
            "hosts": len(self.crawl.hosts),
            "clusters": None if self.clusters is None else list(map(self._cluster_json, self.clusters)),
            "fingerprint_clusters": None
            if self.across is None
            else list(map(self._across_json, self.across)),
            "duplicates": None if self.duplicates is None else list(map(asdict, self.duplicates.groups())),
            "page_clusters": None if leaves is None else self._pages_json(leaves),
        }

    def _cluster_json(self, cluster: Cluster) -> Any:
        across: Counter[str] = Counter()
        for fingerprint, pages in cluster.fingerprints.items():
            across[self.crawl.fingerprint_cluster(fingerprint)] += pages
        return {
            "page_type": cluster.name,
            "host": cluster.host,
            "leaves": list(cluster.leaf_ids),
            "pages": cluster.pages,
            "share": cluster.share,
            "example": cluster.example,
            "tag_path": cluster.path._asdict() if cluster.path else None,
            "classes": [{"class": name, "pages": pages} for name, pages in cluster.classes.most_common()]
            or None,
            "kind": cluster.kind,
            "fingerprint_clusters": [name for name, _ in across.most_common() if name],
        }

    def _across_json(self, cluster: FingerprintCluster) -> Any:
        return {**vars(cluster), "share": cluster.pages / self.crawl.pages}

    def _pages_json(self, leaves: Sequence[PageLeaf]) -> Any:
        type_of = {leaf_id: cluster.name for cluster in self.clusters or () for leaf_id in cluster.leaf_ids}
        return [
            {"url": page.url, "leaf": page.leaf_id, "page_type": type_of[page.leaf_id], "class": page.name}
            for page in leaves
        ]


def _title(name: str, count: int, top: int) -> str:
    return f"\n{name}: {count:,}" + (f", the {top:,} largest" if count > top else "")


def _row(cluster: Cluster, *, named: bool) -> list[str]:
    path = cluster.path
    row = [f"{cluster.pages:,}", f"{cluster.share:.0%}"]
    row += [f"{path.here:.0%}", f"{path.elsewhere:.0%}"] if path else ["", ""]
    row += [cluster.name, *([cluster.kind] if cluster.kind else [])]
    if named:
        ((name, pages),) = cluster.classes.most_common(1)
        row.append(f"{name or '(none)'} {pages / cluster.pages:.0%}")
    return [*row, path.path if path else "", cluster.example]


MAX_CONTENTS = 20_000
MAX_GROUPS = 10_000
MAX_URLS = 20


@dataclass
class DuplicateGroup:
    """A page and those that repeat it.

    first  its URL
    exact  pages with the same words in the same order
    near   pages with nearly the same
    urls   URLs of the pages that repeat it, at most 20, in the order they came
    """

    first: str
    exact: int = 0
    near: int = 0
    urls: list[str] = field(default_factory=list)


class DuplicateGroups:
    """The groups of a crawl, online.

    repeats  pages that repeat another
    """

    def __init__(self, *, limit: int = MAX_CONTENTS) -> None:
        self.repeats = 0
        self._contents = ContentIndex(limit=limit)
        self._urls: LruDict[int, str] = LruDict(limit)
        self._groups: dict[int, DuplicateGroup] = {}

    def update(self, separation: Separation) -> None:
        """Count a page by its content."""
        page, content = separation.page, content_of(separation)
        original = self._contents.find(page.key, content)
        if original is None:
            if content.terms:
                self._contents.insert(page.key, content)
                self._urls[page.key] = page.url
            return
        self.repeats += 1
        first = self._urls.touch(original.key) or ""
        group = self._groups.get(original.key)
        if group is None:
            if len(self._groups) == MAX_GROUPS:
                return
            group = self._groups[original.key] = DuplicateGroup(first)
        group.exact += original.exact
        group.near += not original.exact
        if len(group.urls) < MAX_URLS:
            group.urls.append(page.url)

    def groups(self) -> list[DuplicateGroup]:
        """Return the groups, the largest first."""
        return sorted(self._groups.values(), key=lambda group: (-group.exact - group.near, group.first))
