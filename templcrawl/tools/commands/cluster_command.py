"""``scrapy cluster INPUT``: which pages of a finished crawl were made by the same template.

Its pages are read once, one at a time: page types are learned site by site, fingerprint clusters across
all sites.

Cost: constant time a page, three to four milliseconds for one of 50 KB, half as much again with
--duplicates.  Memory: bounded (see the parts), with --pages the URLs in addition.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from templcrawl.tools.commands.base import INPUT, LOST, TablesCommand, check_target, refuse
from templcrawl.tools.commands.terminal import (
    input_json,
    report_unreadable,
    show_table,
    tracked,
    write_answer,
)

if TYPE_CHECKING:
    from templcrawl.algorithms.page_types.type_classifiers import StructuralClassifier
    from templcrawl.page.records import CrawlReader
    from templcrawl.tools.commands.cluster_report import DuplicateGroups, PageLeaf
    from templcrawl.tools.commands.site_clusters import CrawlClusters

FORMAT = 1


class ClusterCommand(TablesCommand):
    """The command ``cluster``."""

    summary = "Cluster the pages of a finished crawl by their templates"
    description = (
        "Cluster the pages of a finished crawl by their templates: page types site by site, with a "
        "typical page and the tag path that separates each from the others, and fingerprint clusters "
        f"across sites. {INPUT} {LOST}"
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's options."""
        super().add_options(parser)
        parser.add_argument("--pages", action="store_true", help="list the cluster of each page in the JSON")
        parser.add_argument("--duplicates", action="store_true", help="list pages with equal contents")
        parser.add_argument(
            "--train",
            metavar="DIR",
            help="name the page types after examples in DIR, which has a folder of pages for each class",
        )
        parser.add_argument(
            "--kinds", action="store_true", help="name the kind of each page type (article, product, ...)"
        )
        parser.add_argument(
            "--page-types",
            metavar="FILE",
            help="write the page type of each leaf to FILE, as TEMPLCRAWL_PAGE_TYPE_TABLE does; with the "
            "JOBDIR of a crawl as INPUT, by what its memory has learned",
        )
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--per-host", action="store_true", help="only page types, site by site")
        which.add_argument("--across", action="store_true", help="only fingerprint clusters, across sites")

    def check(self, opts: argparse.Namespace) -> None:
        """Raise UsageError for options that are not accepted."""
        super().check(opts)
        if opts.across and (opts.train or opts.kinds):
            refuse(f"--{'train' if opts.train else 'kinds'} names page types, which --across leaves out")
        if opts.pages and (not opts.json or opts.across):
            refuse("--pages needs --json, and page types (no --across)")
        if opts.page_types and opts.across:
            refuse("--page-types needs page types (no --across)")
        if opts.page_types:
            check_target("--page-types", opts.page_types)

    def work(self, source: str, opts: argparse.Namespace) -> int:
        """Read the pages and write the clusters; return how many could not be read."""
        from templcrawl.state_file import JOB_FILE

        if Path(source, JOB_FILE).is_file():
            return self._work_on_job(source, opts)
        from templcrawl.outputs.page_type_file import write_page_types
        from templcrawl.tools.commands.cluster_report import DuplicateGroups, cluster_answer, show_clusters
        from templcrawl.tools.commands.site_clusters import CrawlClusters
        from templcrawl.tools.readers.sources import open_pages

        reader = open_pages(source)
        duplicates = DuplicateGroups() if opts.duplicates else None
        with CrawlClusters(per_host=not opts.across, kinds=opts.kinds) as crawl:
            leaves = _observe_pages(crawl, reader, opts, duplicates)
            report_unreadable(reader.unreadable, reader.capped)
            if not crawl.pages:
                refuse(f"no pages in {source}")
            across = opts.across or (not opts.per_host and (len(crawl.hosts) > 1 or bool(opts.json)))
            found = cluster_answer(crawl, duplicates, leaves, across=across)
            if opts.page_types:
                write_page_types(Path(opts.page_types), crawl.typed_leaves())
        answer = {"format": FORMAT, **input_json(source, reader), **found}
        repeats = duplicates.repeats if duplicates else 0
        write_answer(opts.json, answer, lambda answer: show_clusters(answer, opts.top, repeats))
        return len(reader.unreadable)

    def _work_on_job(self, job: str, opts: argparse.Namespace) -> int:
        from templcrawl.memory.learned_site import learned_page_types
        from templcrawl.outputs.page_type_file import write_page_types

        leaves = list(learned_page_types(job))
        if opts.page_types:
            write_page_types(Path(opts.page_types), leaves)
        types = {(leaf.pages, leaf.host, leaf.page_type, leaf.kind or "") for leaf in leaves}
        rows = [list(row) for row in sorted(types, key=lambda row: (-row[0], *row[1:]))]
        head = ["pages", "host", "page type", "kind"]
        show_table(f"Page types: {len(rows):,}", head, rows, numbers=1, top=opts.top)
        return 0


def _observe_pages(
    crawl: CrawlClusters, reader: CrawlReader, opts: argparse.Namespace, duplicates: DuplicateGroups | None
) -> list[PageLeaf] | None:
    """Read all pages into the clusters; return the cluster of each with ``--pages``, else None."""
    classifier = _trained(opts.train) if opts.train else None
    leaves: list[PageLeaf] | None = [] if opts.pages else None
    for record in tracked(reader):
        with reader.unreadable.skipping(record.url):
            page = record.page()
            names = [classifier.classify(page).name] if classifier else []
            leaf_id = crawl.insert(page, names, use=duplicates.update if duplicates else None)
            if leaves is not None:
                leaves.append((page.url, leaf_id, names[0] if names else None))
    return leaves


def _trained(folder: str) -> StructuralClassifier:
    from templcrawl.algorithms.page_types.type_classifiers import StructuralClassifier
    from templcrawl.page.records import ExampleReader

    examples = ExampleReader(folder)
    classifier = StructuralClassifier.train(examples)
    report_unreadable(examples.unreadable)
    return classifier
