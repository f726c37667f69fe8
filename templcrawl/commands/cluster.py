"""``scrapy cluster INPUT``: which pages of a finished crawl were made by the same template.

INPUT is a folder of saved pages or a WARC file.  Its pages are read once, one at a time: page types are
learned site by site, fingerprint clusters across all sites.  Works in and out of a project.

Exit codes: 0, also where some of the input could not be read (stderr says how much); 1 where nobody
reads the output to its end; 2 for an input or options that are not accepted.

Cost: constant time a page, three to four milliseconds for one of 50 KB, twice that with
--duplicates.  Memory: bounded (the parts say how), with --pages the URLs besides.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

if TYPE_CHECKING:
    from templcrawl.algorithms.structural_classifier import StructuralClassifier
    from templcrawl.readers.shape import Unreadable

_STDOUT = "-"


class ClusterCommand(ScrapyCommand):
    """The command ``cluster``."""

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """Return what follows the command's name."""
        return "[options] INPUT"

    def short_desc(self) -> str:
        """Return a line of description."""
        return "Cluster the pages of a finished crawl by their templates"

    def long_desc(self) -> str:
        """Return a paragraph of description."""
        return (
            "Cluster the pages of a finished crawl by their templates: page types site by site, with a "
            "typical page and the tag path that tells each from the others, and fingerprint clusters "
            "across sites. INPUT is a folder of saved pages (.html, as wget saves them) or a WARC file "
            "(.warc, .warc.gz)."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's options."""
        super().add_options(parser)
        parser.add_argument("--json", metavar="FILE", help="write the clusters as JSON to FILE, - for stdout")
        parser.add_argument("--pages", action="store_true", help="list the cluster of each page in the JSON")
        parser.add_argument("--top", metavar="N", type=int, default=20, help="rows of a table (default: 20)")
        parser.add_argument("--duplicates", action="store_true", help="list pages with equal contents")
        parser.add_argument(
            "--train",
            metavar="DIR",
            help="name the page types after examples: DIR holds a folder of pages for each class",
        )
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--per-host", action="store_true", help="only page types, site by site")
        which.add_argument("--across", action="store_true", help="only fingerprint clusters, across sites")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the command.  Raises UsageError, which Scrapy turns into exit code 2."""
        from templcrawl.errors import TemplcrawlError

        _check(args, opts)
        try:
            _run(args[0], opts)
        except TemplcrawlError as error:
            raise UsageError(str(error), print_help=False) from error
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            self.exitcode = 1
        except OSError as error:
            raise UsageError(f"{error.strerror}: {error.filename}", print_help=False) from error


def _check(args: list[str], opts: argparse.Namespace) -> None:
    unknown = [argument for argument in args if argument.startswith("-")]
    if unknown:
        raise UsageError(f"unknown option: {unknown[0]}", print_help=False)
    if len(args) != 1:
        raise UsageError("give one INPUT: a folder of saved pages or a WARC file", print_help=False)
    if opts.top < 1:
        raise UsageError("--top: give a number of 1 or more", print_help=False)
    if opts.train and opts.across:
        raise UsageError("--train names page types, which --across leaves out", print_help=False)
    if opts.pages and (not opts.json or opts.across):
        raise UsageError("--pages needs --json, and page types (no --across)", print_help=False)
    if opts.json and opts.json != _STDOUT:
        target = Path(opts.json)
        if target.is_dir() or not target.absolute().parent.is_dir():
            raise UsageError(f"--json: cannot write to {opts.json}", print_help=False)


def _run(source: str, opts: argparse.Namespace) -> None:
    from templcrawl.commands.cluster_report import ClusterReport, PageLeaf
    from templcrawl.commands.crawl_clusters import CrawlClusters
    from templcrawl.commands.duplicate_groups import DuplicateGroups
    from templcrawl.commands.progress import tracked
    from templcrawl.readers.choice import open_pages

    reader = open_pages(source)
    classifier = _trained(opts.train) if opts.train else None
    duplicates = DuplicateGroups() if opts.duplicates else None
    leaves: list[PageLeaf] | None = [] if opts.pages else None
    with CrawlClusters(per_host=not opts.across) as crawl:
        for record in tracked(reader):
            page = record.page()
            names = [classifier.classify(page).name] if classifier else []
            leaf = crawl.observe(page, names)
            if duplicates is not None:
                duplicates.observe(page)
            if leaves is not None:
                leaves.append(PageLeaf(page.url, page.host, leaf, names[0] if names else None))
        _tell(reader.unreadable, reader.capped)
        if not crawl.pages:
            raise UsageError(f"no pages in {source}", print_help=False)
        across = opts.across or (not opts.per_host and (len(crawl.hosts) > 1 or bool(opts.json)))
        report = ClusterReport(crawl, duplicates, across=across)
    if opts.json:
        _write_json(report.as_json(source, reader, leaves), opts.json)
    if opts.json != _STDOUT:
        report.show(opts.top)


def _trained(folder: str) -> StructuralClassifier:
    """Return a classifier that has learned from a folder of examples.  Raises InvalidOption."""
    from templcrawl.algorithms.structural_classifier import StructuralClassifier
    from templcrawl.readers.examples import ExampleReader

    examples = ExampleReader(folder)
    classifier = StructuralClassifier.train(examples)
    _tell(examples.unreadable, 0)
    return classifier


def _tell(unreadable: Unreadable, capped: int) -> None:
    """Say on stderr what could not be read, and how many pages were read in part."""
    from templcrawl.commands.tables import printable

    if unreadable:
        sys.stderr.write(f"could not be read: {len(unreadable):,}\n")
        for name, reason in unreadable.first:
            sys.stderr.write(f"  {printable(name)}: {printable(reason)}\n")
        if len(unreadable) > len(unreadable.first):
            sys.stderr.write(f"  and {len(unreadable) - len(unreadable.first):,} more\n")
    if capped:
        sys.stderr.write(f"read in part, because they are too large: {capped:,} pages\n")


def _write_json(found: Any, target: str) -> None:
    if target == _STDOUT:
        json.dump(found, sys.stdout, indent=1)
        sys.stdout.write("\n")
    else:
        with Path(target).open("w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)
