"""``scrapy cluster INPUT``: which pages of a finished crawl were made by the same template.

Its pages are read once, one at a time: page types are learned site by site, fingerprint clusters across
all sites.

Cost: constant time a page, three to four milliseconds for one of 50 KB, with
--kinds more.  Memory: bounded (see the parts), with --pages the URLs in addition.

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
    page_clusters         with --pages: [{"url", "leaf", "page_type", "class"}, ...] in the order of reading
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from templcrawl.tools.commands.base import INPUT, LOST, refuse
from templcrawl.tools.commands.terminal import (
    Answer,
    TabularCommand,
    each_page,
    finish_reading,
    input_json,
    report_unreadable,
    show_table,
    write,
)

if TYPE_CHECKING:
    from templcrawl.algorithms.page_types.type_classifiers import Classifier
    from templcrawl.page.page import Page


MAX_PATH = 60  # characters of a tag path in a table


class ClusterCommand(TabularCommand):
    """The command ``cluster``."""

    summary = "Cluster the pages of a finished crawl by their templates"
    description = (
        "Cluster the pages of a finished crawl by their templates: page types site by site, with a "
        "typical page and the tag path that separates each from the others, and fingerprint clusters "
        f"across sites. {INPUT} {LOST}"
    )

    def options(self) -> str:
        """Return its options."""
        return """
            --pages  list the cluster of each page in the JSON
            --train DIR  name the page types after examples in DIR, which has a folder of pages for each class
            --by {structure,fingerprint}  compare them with examples by structure (structure, the default) or
                as Hachenberg & Gottron do (fingerprint), for --train
            --kinds  name the kind of each page type (article, product, ...)
            --split N  cut fingerprints behind so many bytes in the index, 1 to 24 (default 17); it decides
                how fast similar ones are found, not which are
            --across  only fingerprint clusters, across sites
            """

    def check(self, opts: argparse.Namespace) -> None:
        """Raise UsageError for options that are not accepted."""
        from templcrawl.algorithms.page_types.fingerprint import FINGERPRINT_LENGTH

        if opts.across and (opts.train or opts.kinds):
            refuse(f"--{'train' if opts.train else 'kinds'} names page types, which --across leaves out")
        if opts.by and not opts.train:
            refuse("--by needs --train")
        if opts.split is not None and not 0 < opts.split < FINGERPRINT_LENGTH:
            refuse(f"--split: give a number from 1 to {FINGERPRINT_LENGTH - 1}")
        if opts.pages and (not opts.json or opts.across):
            refuse("--pages needs --json, and page types (no --across)")
        super().check(opts)

    def find(self, source: str, opts: argparse.Namespace) -> Answer:
        """Read the pages and return the clusters."""
        from templcrawl.tools.commands.site_clusters import CrawlClusters
        from templcrawl.tools.readers import open_pages

        reader = open_pages(source)
        classifier = _trained(opts.train, opts.by) if opts.train else None
        listed: list[tuple[str, str, str | None]] = []

        def insert(page: Page) -> None:
            names = [classifier.classify(page).name] if classifier else []
            leaf_id = crawl.insert(page, names)
            if opts.pages:
                listed.append((page.url, leaf_id, names[0] if names else None))

        with CrawlClusters(per_host=not opts.across, kinds=opts.kinds, split=opts.split) as crawl:
            each_page(reader, insert)
            finish_reading(reader, source, crawl.pages)
            clusters = crawl.clusters()
            across = opts.across or len(crawl.hosts) > 1 or bool(opts.json)
            answer = {**input_json(source, reader), "pages": crawl.pages, "hosts": len(crawl.hosts)}
            answer["clusters"] = None if opts.across else clusters
            answer["fingerprint_clusters"] = crawl.fingerprint_clusters() if across else None
        cluster_of = {leaf: cluster for cluster in clusters for leaf in cluster["leaves"]}
        answer["page_clusters"] = None
        if opts.pages:
            answer["page_clusters"] = [
                {"url": url, "leaf": leaf, "page_type": cluster_of[leaf]["page_type"], "class": name}
                for url, leaf, name in listed
            ]
        return answer

    def show(self, answer: Answer, top: int | None) -> None:
        """Write the tables of an answer."""
        write(f"pages: {answer['pages']:,}, hosts: {answer['hosts']:,}\n")
        if (clusters := answer["clusters"]) is not None:
            head = ["pages", "share", "here", "elsewhere", "page type"]
            head += ["kind"] if any(cluster["kind"] for cluster in clusters) else []
            head += ["class"] if any(cluster["classes"] for cluster in clusters) else []
            rows = list(map(_row, clusters))
            title = f"\nPage types: {len(rows):,}"
            show_table(title, [*head, "tag path", "example"], rows, numbers=4, top=top)
        if (clusters := answer["fingerprint_clusters"]) is not None:
            rows = [
                [about["pages"], about["share"], len(about["hosts"]), about["id"], about["example"]]
                for about in clusters
            ]
            head = ["pages", "share", "hosts", "cluster", "example"]
            show_table(f"\nFingerprint clusters: {len(rows):,}", head, rows, numbers=3, top=top)


def _trained(folder: str, by: str | None) -> Classifier:
    from templcrawl.algorithms.page_types.type_classifiers import FingerprintClassifier, StructuralClassifier
    from templcrawl.page.saved_pages import ExampleReader

    examples = ExampleReader(folder)
    kind = FingerprintClassifier if by == "fingerprint" else StructuralClassifier
    classifier: Classifier = kind.train(examples)
    report_unreadable(examples.unreadable)
    return classifier


def _row(cluster: Answer) -> list[Any]:
    path = cluster["tag_path"] or {"path": "", "here": "", "elsewhere": ""}
    row = [cluster["pages"], cluster["share"], path["here"], path["elsewhere"], cluster["page_type"]]
    if cluster["kind"]:
        row.append(cluster["kind"])
    if cluster["classes"]:
        first = cluster["classes"][0]
        row.append(f"{first['class'] or '(none)'} {first['pages'] / cluster['pages']:.0%}")
    return [*row, _end_of(path["path"]), cluster["example"]]


def _end_of(path: str) -> str:
    """Return a tag path, or the end of a long one; the JSON has all of it."""
    return path if len(path) <= MAX_PATH else "…" + path[1 - MAX_PATH :]
