"""``scrapy rank INPUT``: the authorities of a finished crawl on a query, and the pages most like a page.

Its pages are read once into a temporary database, repeats of a page left out.

--query ranks by hubs and authorities, where hubs are pagelets and template pagelets count for nothing
(Bar-Yossef & Rajagopalan, WWW 2002; --version chooses another of its six versions), --like by
co-citation within pagelets.

Cost: constant time a page, then the links of the query's base set.  Memory: bounded; the database is a
temporary file of about the size of the crawl's text.

The JSON is one object; parts that are not switched on are null::

    format       version of this schema: 1
    input        path that was read
    pages, hosts, duplicates   ranked over, and left out because they repeat another page
    capped       pages that were read in part
    unreadable   {"count": n, "first": [{"name": ..., "reason": ...}, ...]}, the first ten
    query        with --query
        query, version
        root_set, base_set     pages in each
        pagelets               pagelets of the base set that link to another page of it
        template_pagelets      how many of these are template
        template_pages         share of the base set's pages that own template pagelets
        results                best first, each
            url, title
            score              as an authority; all squares of the base set's scores add up to 1
            hubs               the strongest that link to it: {"url", "score", "anchors"}
    like         with --like
        url
        results                most like it first: {"url", "title", "score", "together"}; together says how
                               many pages cite both within a pagelet
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from templcrawl.algorithms.ranking.pagelet_graph import VERSIONS
from templcrawl.errors import pluralize
from templcrawl.tools.commands.base import INPUT, LOST, choices, refuse
from templcrawl.tools.commands.terminal import (
    Answer,
    TabularCommand,
    each_page,
    finish_reading,
    input_json,
    printable,
    show_table,
    write,
)

if TYPE_CHECKING:
    from templcrawl.algorithms.ranking.hits import Hub
    from templcrawl.tools.ranking.page_database import PageDatabase

_VERSION = "pagelet-ft-fnm"


class RankCommand(TabularCommand):
    """The command ``rank``."""

    summary = "Rank the pages of a finished crawl by their links, templates left out"
    description = (
        "Rank the pages of a finished crawl: the authorities on a query, with the hubs that made them "
        "so, and the pages that are cited beside a page. Hubs are pagelets, and template pagelets count "
        f"for nothing. {INPUT} {LOST}"
    )

    def options(self) -> str:
        """Return its options."""
        return f"""
            --query WORDS  words to find; "words in quotes" are a phrase
            --version {choices(VERSIONS)}={_VERSION}  hubs are pages or pagelets; ft leaves out template
                pagelets, fnm those that do not match the query (default {_VERSION})
            --like URL  find the pages most like this one
            --page-weight W=0  weight of citations in other pagelets of a page with --like, 0 to 1 (default 0)
            --template-pages N=2  a pagelet on this many pages is template (default 2)
            --min-links N=3  this many links make an element a pagelet of its own (default 3)
            --between-hosts  leave out links within a host
            """

    def check(self, opts: argparse.Namespace) -> None:
        """Raise UsageError for options that are not accepted."""
        super().check(opts)
        if opts.query is None and not opts.like:
            refuse("name the ranking: --query, --like or both")
        if opts.template_pages < 2:
            refuse("--template-pages: give a number of 2 or more")
        if opts.min_links < 1:
            refuse("--min-links: give a number of 1 or more")
        if not 0 <= opts.page_weight <= 1:
            refuse("--page-weight: give a number from 0 to 1")

    def find(self, source: str, opts: argparse.Namespace) -> Answer:
        """Read the pages and return the ranking."""
        from templcrawl.tools.ranking.page_database import PageDatabase, match_expression
        from templcrawl.tools.readers import open_pages

        if opts.query is not None:
            match_expression(opts.query)
        reader = open_pages(source)
        with PageDatabase(template_pages=opts.template_pages, min_links=opts.min_links) as database:
            each_page(reader, database.add)
            database.finish()
            finish_reading(reader, source, database.pages)
            answer = {
                **input_json(source, reader),
                **{name: getattr(database, name) for name in ("pages", "hosts", "duplicates")},
                "query": None,
                "like": None,
            }
            if opts.like:
                number = database.find(opts.like)
                if number is None:
                    refuse(f"--like: no page {opts.like} in {source}")
                answer["like"] = like_answer(database, number, opts)
            if opts.query is not None:
                answer["query"] = query_answer(database, opts)
        return answer

    def show(self, answer: Answer, top: int | None) -> None:
        """Write the tables of an answer."""
        write("pages: {pages:,}, hosts: {hosts:,}, repeats: {duplicates:,}\n".format(**answer))
        if answer["query"]:
            _show_query(answer["query"])
        if like := answer["like"]:
            rows = [
                [f"{result['score']:g}", result["together"], result["url"], result["title"]]
                for result in like["results"]
            ]
            if rows:
                head = ["score", "together", "page", "title"]
                show_table(f"\nCited beside {like['url']}", head, rows, numbers=2)
            else:
                write(f"\nNothing is cited beside {printable(like['url'])}, templates aside.\n")


def query_answer(database: PageDatabase, opts: argparse.Namespace) -> Answer:
    """Return the authorities of a query.  Raises InvalidOption."""
    from templcrawl.algorithms.ranking.hits import rank_pages

    base = database.base_set(opts.query)
    by_pagelet = opts.version.startswith("pagelet")

    def hub_of(hub: Hub, target: int) -> Answer:
        number = (base.pagelets if by_pagelet else base.pages)[hub.number]
        page = database.pagelet_page(number) if by_pagelet else number
        anchors = database.anchors(number, target, by_pagelet=by_pagelet)
        return {"url": database.page(page).url, "score": hub.score, "anchors": anchors}

    results = []
    for ranked in rank_pages(base.links, opts.version, between_hosts=opts.between_hosts, top=opts.top):
        number = base.pages[ranked.page]
        page = database.page(number)
        hubs = [hub_of(hub, number) for hub in ranked.hubs]
        results.append({"url": page.url, "title": page.title, "score": ranked.score, "hubs": hubs})
    pagelets, pages = base.links.pagelets, len(base.pages)
    return {
        "query": opts.query,
        "version": opts.version,
        "root_set": base.root,
        "base_set": pages,
        "pagelets": len(pagelets),
        "template_pagelets": sum(pagelet.is_template for pagelet in pagelets),
        "template_pages": base.templated / pages if pages else 0.0,
        "results": results,
    }


def like_answer(database: PageDatabase, number: int, opts: argparse.Namespace) -> Answer:
    """Return the pages most like a page.

    number  of the page in the database
    """
    from templcrawl.algorithms.ranking.pagelet_graph import co_citation

    citing = database.citing_pagelets(number, between_hosts=opts.between_hosts)
    results = []
    for cited in co_citation(number, citing, page_weight=opts.page_weight)[: opts.top]:
        url, _, title = database.page(cited.page)
        results.append({"url": url, "title": title, "score": cited.score, "together": cited.together})
    return {"url": database.page(number).url, "results": results}


def _show_query(answer: Answer) -> None:
    write(f'\nQuery "{printable(answer["query"])}", {answer["version"]}: ')
    pages = answer["base_set"]
    if not pages:
        write("no page holds it\n")
        return
    templated = round(answer["template_pages"] * pages)
    write(f"{pluralize(pages, 'page')} in the base set, {templated:,} with template pagelets\n")
    if not answer["results"]:
        write("No page is ranked: this version leaves no links between them.\n")
        return
    rows = []
    for result in answer["results"]:
        about = [f"{result['score']:.4f}", result["url"], result["title"]]
        for hub in result["hubs"]:
            rows.append([*about, hub["url"], " | ".join(filter(None, hub["anchors"]))])
            about = ["", "", ""]  # the page stands beside its first hub alone
    show_table("Authorities", ["score", "page", "title", "hub", "anchor texts"], rows, numbers=1)
