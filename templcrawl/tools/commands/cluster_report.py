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
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from templcrawl.algorithms.similarity.near_duplicates import content_of
from templcrawl.memory.content_index import ContentIndex
from templcrawl.memory.lru_dict import LruDict
from templcrawl.page.separation import Separation
from templcrawl.tools.commands.site_clusters import Cluster, CrawlClusters
from templcrawl.tools.commands.terminal import Answer, show_table, write

PageLeaf = tuple[str, str, "str | None"]  # URL of a page, id of its leaf, its class or None


def cluster_answer(
    crawl: CrawlClusters,
    duplicates: DuplicateGroups | None,
    leaves: Sequence[PageLeaf] | None,
    *,
    across: bool,
) -> Answer:
    """Return the clusters of a crawl at its end.

    duplicates  None if they are not switched on
    leaves      of each page, None if they are not switched on
    across      whether there are fingerprint clusters
    """
    answer: Answer = {"pages": crawl.pages, "hosts": len(crawl.hosts)}
    answer |= dict.fromkeys(("clusters", "fingerprint_clusters", "duplicates", "page_clusters"))
    clusters = crawl.clusters()
    if crawl.per_host:
        answer["clusters"] = [_cluster_json(crawl, cluster) for cluster in clusters]
    if across:
        answer["fingerprint_clusters"] = crawl.fingerprint_clusters()
    if duplicates is not None:
        answer["duplicates"] = list(map(asdict, duplicates.groups()))
    if leaves is not None:
        type_of = {leaf.leaf_id: leaf.page_type for leaf in crawl.typed_leaves()}
        answer["page_clusters"] = [
            {"url": url, "leaf": leaf_id, "page_type": type_of[leaf_id], "class": name}
            for url, leaf_id, name in leaves
        ]
    return answer


def _cluster_json(crawl: CrawlClusters, cluster: Cluster) -> Answer:
    across: Counter[str] = Counter()
    for fingerprint, pages in cluster.fingerprints.items():
        across[crawl.fingerprint_cluster(fingerprint)] += pages
    classes = [{"class": name, "pages": pages} for name, pages in cluster.classes.most_common()]
    return {
        "page_type": cluster.name,
        "host": cluster.host,
        "leaves": list(cluster.leaf_ids),
        "pages": cluster.pages,
        "share": cluster.share,
        "example": cluster.example,
        "tag_path": cluster.path._asdict() if cluster.path else None,
        "classes": classes or None,
        "kind": cluster.kind,
        "fingerprint_clusters": [name for name, _ in across.most_common() if name],
    }


def show_clusters(answer: Answer, top: int, repeats: int) -> None:
    """Write the tables of an answer, at most ``top`` rows of each.

    repeats  pages that repeat another
    """
    write(f"pages: {answer['pages']:,}, hosts: {answer['hosts']:,}\n")
    if (clusters := answer["clusters"]) is not None:
        head = ["pages", "share", "here", "elsewhere", "page type"]
        head += ["kind"] if any(cluster["kind"] for cluster in clusters) else []
        head += ["class"] if any(cluster["classes"] for cluster in clusters) else []
        head += ["tag path", "example"]
        rows = list(map(_row, clusters))
        show_table(f"\nPage types: {len(rows):,}", head, rows, numbers=4, top=top)
    if (clusters := answer["fingerprint_clusters"]) is not None:
        head = ["pages", "share", "hosts", "cluster", "example"]
        rows = []
        for cluster in clusters:
            hosts = len(cluster["hosts"])
            rows.append([cluster["pages"], cluster["share"], hosts, cluster["id"], cluster["example"]])
        show_table(f"\nFingerprint clusters: {len(rows):,}", head, rows, numbers=3, top=top)
    if (groups := answer["duplicates"]) is not None:
        head = ["exact", "near", "of the content of", "such as"]
        rows = [[group["exact"], group["near"], group["first"], group["urls"][0]] for group in groups]
        title = f"\nPages that repeat another: {repeats:,}; groups: {len(rows):,}"
        show_table(title, head, rows, numbers=2, top=top)


def _row(cluster: Answer) -> list[Any]:
    path = cluster["tag_path"] or {"path": "", "here": "", "elsewhere": ""}
    row = [cluster["pages"], cluster["share"], path["here"], path["elsewhere"], cluster["page_type"]]
    if cluster["kind"]:
        row.append(cluster["kind"])
    if cluster["classes"]:
        first = cluster["classes"][0]
        row.append(f"{first['class'] or '(none)'} {first['pages'] / cluster['pages']:.0%}")
    return [*row, path["path"], cluster["example"]]


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
