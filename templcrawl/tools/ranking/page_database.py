"""A database of pages to rank over: root sets, base sets and citations.

Sources: Kleinberg (JACM 1999) for root set and base set; Bar-Yossef & Rajagopalan (WWW 2002), section 5, for
what matches a query: a page or a pagelet whose text holds it.

root set  the ``ROOT`` pages that match best, by BM25 (FTS5's, title and body alike)
base set  the root set, the pages that it links to, and of the pages that link to a page of the root set
          the first ``IN_LINKS``; ``MAX_BASE`` pages at most

A text holds a query if it holds all of its words; words in double quotes must stand next to each other.
Case and diacritics make no difference.

Departure: templates are found among all pages of the database, not those of the base set alone: more
pages, more evidence, and once for all queries.

Cost: a query reads the postings of its words, and the links of its base set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import groupby
from typing import Any, NamedTuple

from templcrawl.algorithms.ranking.pagelet_graph import BasePagelet, BaseSet
from templcrawl.errors import InvalidOption
from templcrawl.page.page import Page
from templcrawl.tools.ranking.page_tables import PageTables, spaced

ROOT = 200
IN_LINKS = 50
MAX_BASE = 10_000
MAX_CITING = 2_000

_QUERY_PART = re.compile(r'"([^"]*)"|([^\s"]+)')
_WORD = re.compile(r"[^\W_]")


class StoredPage(NamedTuple):
    """A page of the database."""

    url: str
    host: str
    title: str


class QueryBase(NamedTuple):
    """The base set of a query.

    pages     page of the base set -> its number in the database; the root set comes first
    root      how many pages the root set has
    pagelets  pagelet of the base set -> its number in the database
    links     what is ranked
    """

    pages: Sequence[int]
    root: int
    pagelets: Sequence[int]
    links: BaseSet

    @property
    def templated(self) -> int:
        """How many of its pages own template pagelets (the paper's Table 2)."""
        return len({pagelet.page for pagelet in self.links.pagelets if pagelet.is_template})


class PageDatabase(PageTables, AbstractContextManager["PageDatabase"]):
    """Pages to rank over: add all of them, finish, then ask; leaving the context removes it."""

    def __exit__(self, *exception: object) -> None:
        self._database.close()

    @property
    def pages(self) -> int:
        """How many there are."""
        return int(next(iter(self._column("SELECT count(*) FROM pages"))))

    @property
    def hosts(self) -> int:
        """How many hosts they have."""
        return int(next(iter(self._column("SELECT count(DISTINCT host) FROM pages"))))

    def find(self, url: str) -> int | None:
        """Return the number of the page with a URL, None if there is none."""
        key = self._key(Page("", url), url)
        return next(iter(self._column("SELECT page FROM addresses WHERE key = ?", key)), None)

    def page(self, number: int) -> StoredPage:
        """Return a page."""
        row = self._database.execute("SELECT url, host, title FROM pages WHERE id = ?", (number,))
        return StoredPage(*row.fetchone())

    def root_set(self, query: str, *, size: int = ROOT) -> list[int]:
        """Return the pages that match a query best, best first.  Raises InvalidOption."""
        best = "SELECT rowid FROM page_text WHERE page_text MATCH ? ORDER BY bm25(page_text), rowid LIMIT ?"
        return list(self._column(best, match_expression(query), size))

    def base_set(self, query: str, *, in_links: int = IN_LINKS, max_pages: int = MAX_BASE) -> QueryBase:
        """Return the base set of a query.

        in_links   pages that may come in because they link to one page of the root set
        max_pages  pages of the base set
        Raises InvalidOption for a query without words.
        """
        database = self._database
        roots = self.root_set(query)
        pages = dict.fromkeys(roots)
        for number in roots:
            pages.update(self._column("SELECT target FROM links WHERE source = ?", number))
            citing = "SELECT DISTINCT source FROM links WHERE target = ? ORDER BY source LIMIT ?"
            pages.update(self._column(citing, number, in_links))
        index_of = {number: index for index, number in enumerate(list(pages)[:max_pages])}
        database.execute("CREATE TEMP TABLE IF NOT EXISTS base(page INTEGER PRIMARY KEY)")
        database.execute("DELETE FROM base")
        database.executemany("INSERT INTO base VALUES (?)", ((number,) for number in index_of))
        matching = match_expression(query)
        matches = self._column(
            "SELECT rowid FROM page_text WHERE page_text MATCH ? AND rowid IN (SELECT page FROM base)",
            matching,
        )
        pagelets = self._base_pagelets(matching, index_of)
        hosts = dict(database.execute("SELECT id, host FROM pages WHERE id IN (SELECT page FROM base)"))
        return QueryBase(
            list(index_of),
            len(roots),
            list(pagelets),
            BaseSet(
                [hosts[number] for number in index_of],
                [number in matches for number in index_of],
                list(pagelets.values()),
            ),
        )

    def _base_pagelets(self, matching: str, index_of: dict[int, int]) -> dict[int, BasePagelet]:
        """Return number -> pagelet, for those of the base set that link to a page of it."""
        matches = self._column(
            "SELECT id FROM pagelet_text JOIN pagelets ON id = pagelet_text.rowid"
            " WHERE pagelet_text MATCH ? AND page IN (SELECT page FROM base)",
            matching,
        )
        within = "source IN (SELECT page FROM base) AND target IN (SELECT page FROM base)"
        pagelets = {}
        for number, source, is_template, targets in self._pagelets(within):
            linked = tuple(dict.fromkeys(map(index_of.__getitem__, targets)))
            pagelets[number] = BasePagelet(index_of[source], linked, number in matches, is_template)
        return pagelets

    def _pagelets(self, where: str, *arguments: object) -> Iterator[tuple[int, int, bool, list[int]]]:
        """Yield (number, page, whether it is template, targets of its links) of each pagelet, page by page.

        where  which links count
        """
        rows = self._database.execute(
            "SELECT pagelet, source, is_template, target FROM links JOIN pagelets ON id = pagelet"
            f" WHERE {where} ORDER BY source, pagelet, links.rowid",
            arguments,
        )
        for (number, source, is_template), links in groupby(rows, key=lambda row: row[:3]):
            yield number, source, bool(is_template), [target for *_, target in links]

    def anchors(self, hub: int, target: int, *, by_pagelet: bool) -> list[str]:
        """Return the distinct anchor texts of the links from a hub to a page.

        hub         number of a pagelet if ``by_pagelet``, else of a page
        """
        column = "pagelet" if by_pagelet else "source"
        return list(self._column(f"SELECT anchor FROM links WHERE {column} = ? AND target = ?", hub, target))

    def pagelet_page(self, pagelet: int) -> int:
        """Return the number of the page that owns a pagelet."""
        return int(next(iter(self._column("SELECT page FROM pagelets WHERE id = ?", pagelet))))

    def citing_pagelets(
        self, page: int, *, between_hosts: bool = False, max_pages: int = MAX_CITING
    ) -> Iterator[BasePagelet]:
        """Yield the pagelets of the pages that cite a page, page by page.

        between_hosts  leave out pages of its own host
        max_pages      pages that cite it, the first ones
        """
        citing = (
            "source IN (SELECT DISTINCT source FROM links JOIN pages ON id = source WHERE target = ?1"
            " AND NOT (?2 AND host = (SELECT host FROM pages WHERE id = ?1)) ORDER BY source LIMIT ?3)"
        )
        for _, source, is_template, targets in self._pagelets(citing, page, between_hosts, max_pages):
            yield BasePagelet(source, targets, is_template=is_template)

    def _column(self, query: str, *arguments: object) -> dict[Any, None]:
        return dict.fromkeys(value for (value,) in self._database.execute(query, arguments))


def match_expression(query: str) -> str:
    """Return a query in the language of FTS5.  Raises InvalidOption for one without words.

    >>> match_expression('green "tea cups"')
    '"green" AND "tea cups"'
    """
    parts = [quoted or bare for quoted, bare in _QUERY_PART.findall(query.replace("\0", " "))]
    words = [spaced(part).strip() for part in parts if _WORD.search(part)]
    if not words:
        raise InvalidOption("query", query, "one word or more")
    return " AND ".join(f'"{word}"' for word in words)
