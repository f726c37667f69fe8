"""``scrapy rank INPUT``: the authorities of a finished crawl on a query, and the pages most like a page.

Its pages are read once into a temporary database, repeats of a page left out.

--query ranks by hubs and authorities, where hubs are pagelets and template pagelets count for nothing
(Bar-Yossef & Rajagopalan, WWW 2002; --version chooses another of its six versions), --like by
co-citation within pagelets.

Cost: constant time a page, then the links of the query's base set.  Memory: bounded; the database is a
temporary file of about the size of the crawl's text.
"""

from __future__ import annotations

import argparse

from templcrawl.algorithms.ranking.pagelet_graph import VERSIONS
from templcrawl.commands.base import INPUT, LOST, TablesCommand, refuse
from templcrawl.commands.output import STDOUT

_VERSION = "pagelet-ft-fnm"


class RankCommand(TablesCommand):
    """The command ``rank``."""

    def short_desc(self) -> str:
        """Return a line of description."""
        return "Rank the pages of a finished crawl by their links, templates left out"

    def long_desc(self) -> str:
        """Return a paragraph of description."""
        return (
            "Rank the pages of a finished crawl: the authorities on a query, with the hubs that made them "
            "so, and the pages that are cited beside a page. Hubs are pagelets, and template pagelets count "
            f"for nothing. {INPUT} {LOST}"
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's options."""
        super().add_options(parser)
        parser.add_argument("--query", metavar="WORDS", help='what to find; "words in quotes" stand together')
        parser.add_argument(
            "--version",
            choices=list(VERSIONS),
            default=_VERSION,
            help="what hubs are (pages or pagelets), without template pagelets (ft), without those that do "
            f"not match the query (fnm) (default {_VERSION})",
        )
        parser.add_argument("--like", metavar="URL", help="find the pages most like this one")
        parser.add_argument(
            "--page-weight",
            metavar="W",
            type=float,
            default=0.0,
            help="what citations in other pagelets of a page count with --like, 0 to 1 (default 0)",
        )
        parser.add_argument(
            "--template-pages",
            metavar="N",
            type=int,
            default=2,
            help="a pagelet on this many pages is template (default 2)",
        )
        parser.add_argument("--between-hosts", action="store_true", help="leave out links within a host")

    def check(self, opts: argparse.Namespace) -> None:
        """Raise UsageError for options that are not accepted."""
        super().check(opts)
        if opts.query is None and not opts.like:
            refuse("say what to rank by: --query, --like or both")
        if opts.template_pages < 2:
            refuse("--template-pages: give a number of 2 or more")
        if not 0 <= opts.page_weight <= 1:
            refuse("--page-weight: give a number from 0 to 1")

    def work(self, source: str, opts: argparse.Namespace) -> int:
        """Read the pages and write the ranking; return how many could not be read."""
        from templcrawl.algorithms.ranking.hits import load_scipy_sparse
        from templcrawl.commands.output import input_json, tell_unreadable, write_json
        from templcrawl.commands.progress import tracked
        from templcrawl.commands.terminal_tables import write
        from templcrawl.ranking.page_database import PageDatabase, match_expression
        from templcrawl.ranking.report import FORMAT, LikeReport, QueryReport
        from templcrawl.readers.sources import open_pages

        if opts.query is not None:
            match_expression(opts.query)
            load_scipy_sparse()
        reader = open_pages(source)
        pages = (record.page() for record in tracked(reader))
        with PageDatabase(
            pages, template_pages=opts.template_pages, guard=lambda url: reader.unreadable.skipping(url)
        ) as database:
            tell_unreadable(reader.unreadable, reader.capped)
            if not database.pages:
                refuse(f"no pages in {source}")
            query = like = None
            shared = {"top": opts.top, "between_hosts": opts.between_hosts}
            if opts.like:
                number = database.find(opts.like)
                if number is None:
                    refuse(f"--like: no page {opts.like} in {source}")
                like = LikeReport(database, number, page_weight=opts.page_weight, **shared)
            if opts.query is not None:
                query = QueryReport(database, opts.query, opts.version, **shared)
            counts = {"pages": database.pages, "hosts": database.hosts(), "duplicates": database.duplicates}
        if opts.json:
            said = {"query": query and query.as_json(), "like": like and like.as_json()}
            write_json({"format": FORMAT, **input_json(source, reader), **counts, **said}, opts.json)
        if opts.json != STDOUT:
            write("pages: {pages:,}, hosts: {hosts:,}, repeats: {duplicates:,}\n".format(**counts))
            if query:
                query.show()
            if like:
                like.show()
        return len(reader.unreadable)
