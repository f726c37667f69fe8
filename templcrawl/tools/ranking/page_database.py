"""A database of pages to rank over: its tables, root sets, base sets and citations.

Sources: Bar-Yossef & Rajagopalan (WWW 2002), section 3.2, for the tables; Figure 4 for templates, groups of
pagelets with one shingle, here in SQL; section 5 for what matches a query, a page or a pagelet whose text
holds it.  Kleinberg (JACM 1999) for root set and base set.

    pages         id, URL, host, title
    addresses     key of an address -> page
    pagelets      id, page, shingle, is_template; only those that link to another page of the database
    links         pagelet, source page, target page, anchor text, in document order
    page_text     full-text index of titles and visible words of pages
    pagelet_text  the same of pagelets

    root set  the ``ROOT`` pages that match best, by BM25 (FTS5's, title and body alike)
    base set  the root set, the pages that it links to, and of the pages that link to a page of the root set
              the first ``IN_LINKS``; ``MAX_BASE`` pages at most

Of near-duplicates the first is kept, and links to the others lead to it.  Links out of the database, of a
page to itself, and in no pagelet are left out.  A text holds a query if it holds all of its words; words in
double quotes must stand next to each other.

Departure: templates are found among all pages of the database, not those of the base set alone.
Cost: O(length of the pages), and sorting the links; a query reads the postings of its words and its base set.
Memory: 64 MB of SQLite's cache; the sketches of the last ``MAX_CONTENTS`` pages.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import unquote

from templcrawl.algorithms.pagelets.partition import (
    MIN_LINKS,
    pagelet_shingles,
    pagelets_of_links,
    partition_pagelets,
)
from templcrawl.algorithms.ranking.pagelet_graph import BasePagelet, BaseSet
from templcrawl.algorithms.similarity.near_duplicates import MAX_DIFFERENCE, whole_text_of
from templcrawl.errors import InvalidOption, TemplcrawlError
from templcrawl.memory.content_index import ContentIndex
from templcrawl.outputs.archive.tables import VisibleText
from templcrawl.page.arrays import signed
from templcrawl.page.page import Page
from templcrawl.page.text import storable, unforgeable_key

ROOT = 200
IN_LINKS = 50
MAX_BASE = 10_000
MAX_CITING = 2_000
TEMPLATE_PAGES = 2
MAX_CONTENTS = 20_000
MAX_ANCHOR = 200

_QUERY_PART = re.compile(r'"([^"]*)"|([^\s"]+)')
_WORD = re.compile(r"[^\W_]")
_IDEOGRAPH = re.compile(r"([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff])")
_INDEX_PAGE = re.compile(r"/index\.(?:html?|php)\Z")
_TOKENIZER = 'tokenize="unicode61 remove_diacritics 2"'
_SCHEMA = f"""
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA cache_size = -65536;
    CREATE TABLE pages(id INTEGER PRIMARY KEY, url TEXT, host TEXT, title TEXT);
    CREATE TABLE addresses(key INTEGER PRIMARY KEY, page INTEGER);
    CREATE TABLE pagelets(id INTEGER PRIMARY KEY, page INTEGER, shingle INTEGER, is_template INTEGER);
    CREATE TABLE written_links(pagelet INTEGER, source INTEGER, key INTEGER, anchor TEXT);
    CREATE VIRTUAL TABLE page_text USING fts5(title, body, content='', {_TOKENIZER});
    CREATE VIRTUAL TABLE pagelet_text USING fts5(body, content='', {_TOKENIZER});
"""
_LINKS = """
    CREATE TABLE links(pagelet INTEGER, source INTEGER, target INTEGER, anchor TEXT);
    INSERT INTO links
        SELECT pagelet, source, page, anchor FROM written_links JOIN addresses USING (key)
        WHERE page != source ORDER BY written_links.rowid;
    DROP TABLE written_links;
    CREATE INDEX links_by_source ON links(source, pagelet);
    CREATE INDEX links_by_target ON links(target, source);
    CREATE INDEX pagelets_by_shingle ON pagelets(shingle, page);
"""
_NO_FTS5 = f"ranking needs SQLite with FTS5; the SQLite {sqlite3.sqlite_version} of this Python lacks it"
_TEMPLATES = """
    UPDATE pagelets SET is_template = 1 WHERE shingle IN
        (SELECT shingle FROM pagelets GROUP BY shingle HAVING count(DISTINCT page) >= ?)
"""

Address = Callable[[Page, str], str]  # (page, its URL or that of a link) -> the address to file it under


class DatabasePage(NamedTuple):
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


def address_of(page: Page, url: str) -> str:
    """Return a URL without what often differs between a page and the links to it.

    >>> address_of(Page("", ""), "https://example.org/tea/index.html#top")
    'example.org/tea/'
    """
    _, _, rest = url.partition("#")[0].rpartition("://")
    return unquote(_INDEX_PAGE.sub("/", rest if "/" in rest else f"{rest}/"))


def spaced(text: str) -> str:
    """Return a text in the form that is indexed: ideographs and syllables are words of their own."""
    return text if text.isascii() else _IDEOGRAPH.sub(r" \1 ", storable(text))


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


class PageDatabase(AbstractContextManager["PageDatabase"]):
    """Pages to rank over: add all of them, finish, then ask; leaving the context removes it.

    duplicates  how many were left out because they repeat another page
    """

    def __init__(
        self,
        *,
        address: Address = address_of,
        template_pages: int = TEMPLATE_PAGES,
        min_links: int = MIN_LINKS,
    ) -> None:
        """Start without pages.

        address         (page, its URL or that of a link) -> the address to file it under
        template_pages  on how many pages a pagelet stands to be template, 2 or more
        min_links       links that make an element a pagelet of its own (the paper's k), 1 or more
        Raises TemplcrawlError where SQLite lacks full-text search.
        """
        self.duplicates = 0
        self._address = address
        self._template_pages, self._min_links = template_pages, min_links
        self._contents = ContentIndex(limit=MAX_CONTENTS, max_difference=MAX_DIFFERENCE)
        self._database = sqlite3.connect("", isolation_level=None)
        try:
            self._database.executescript(_SCHEMA)
        except sqlite3.OperationalError as error:
            self._database.close()
            if "fts5" in str(error):
                raise TemplcrawlError(_NO_FTS5) from error
            raise
        self._database.execute("BEGIN")

    def __exit__(self, *exception: object) -> None:
        self._database.close()

    def add(self, page: Page) -> None:
        """Add a page, unless it repeats an earlier one; nothing is stored of a page that raises."""
        key, text = self._key(page, page.url), whole_text_of(page)
        if self._database.execute("SELECT 1 FROM addresses WHERE key = ?", (key,)).fetchone():
            self.duplicates += 1
        elif (original := self._contents.find(-1, text)) is not None:
            self._database.execute("INSERT INTO addresses VALUES (?, ?)", (key, original.key))
            self.duplicates += 1
        else:
            self._contents.insert(self._add(page, key), text)

    def _key(self, page: Page, url: str) -> int:
        return signed(unforgeable_key(self._address(page, url)))

    def _add(self, page: Page, key: int) -> int:
        visible = VisibleText(page)
        pagelets = partition_pagelets(page, min_links=self._min_links)
        url, host, title = storable(page.url), storable(page.host), storable(page.title)
        text = _indexed(visible, 0, len(page.tokens))
        linked = [
            (ordinal, signed(shingle), _indexed(visible, pagelet.start, pagelet.stop))
            for ordinal, (pagelet, shingle) in enumerate(zip(pagelets, pagelet_shingles(page, pagelets)))
            if pagelet.links
        ]
        links = [
            (owner, self._key(page, link.url), storable(link.text[:MAX_ANCHOR]))
            for link, owner in zip(page.links, pagelets_of_links(page, pagelets))
            if owner >= 0
        ]
        # Rows are written from here on: nothing is stored of a page that raises.
        execute = self._database.execute
        insert = "INSERT INTO pages(url, host, title) VALUES (?, ?, ?)"
        number: Any = execute(insert, (url, host, title)).lastrowid
        execute("INSERT INTO addresses VALUES (?, ?)", (key, number))
        execute("INSERT INTO page_text(rowid, title, body) VALUES (?, ?, ?)", (number, spaced(title), text))
        stored: dict[int, Any] = {}
        for ordinal, shingle, words in linked:
            insert = "INSERT INTO pagelets(page, shingle, is_template) VALUES (?, ?, 0)"
            stored[ordinal] = execute(insert, (number, shingle)).lastrowid
            execute("INSERT INTO pagelet_text(rowid, body) VALUES (?, ?)", (stored[ordinal], words))
        self._database.executemany(
            "INSERT INTO written_links VALUES (?, ?, ?, ?)",
            ((stored[owner], number, target, anchor) for owner, target, anchor in links),
        )
        return int(number)

    def finish(self) -> None:
        """Join the links to the pages, and find the templates, once all pages were added."""
        self._database.execute("COMMIT")
        self._database.executescript(_LINKS)
        self._database.execute(_TEMPLATES, (self._template_pages,))

    @property
    def pages(self) -> int:
        """Number of pages."""
        return self._one("SELECT count(*) FROM pages")

    @property
    def hosts(self) -> int:
        """Number of hosts of the pages."""
        return self._one("SELECT count(DISTINCT host) FROM pages")

    def find(self, url: str) -> int | None:
        """Return the number of the page with a URL, None if there is none."""
        key = self._key(Page("", url), url)
        return next(iter(self._column("SELECT page FROM addresses WHERE key = ?", key)), None)

    def page(self, number: int) -> DatabasePage:
        """Return a page."""
        row = self._database.execute("SELECT url, host, title FROM pages WHERE id = ?", (number,))
        return DatabasePage(*row.fetchone())

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
        database, roots = self._database, self.root_set(query)
        found = dict.fromkeys(roots)
        for number in roots:
            found.update(self._column("SELECT target FROM links WHERE source = ?", number))
            citing = "SELECT DISTINCT source FROM links WHERE target = ? ORDER BY source LIMIT ?"
            found.update(self._column(citing, number, in_links))
        pages = list(found)[:max_pages]
        index_of = {number: index for index, number in enumerate(pages)}
        matching = match_expression(query)
        in_base = f"IN ({', '.join(map(str, pages))})"
        matches = self._column(
            f"SELECT rowid FROM page_text WHERE page_text MATCH ? AND rowid {in_base}", matching
        )
        pagelet_matches = self._column(
            "SELECT id FROM pagelet_text JOIN pagelets ON id = pagelet_text.rowid"
            f" WHERE pagelet_text MATCH ? AND page {in_base}",
            matching,
        )
        pagelets = {}
        for number, source, is_template, targets in self._pagelets(f"source {in_base} AND target {in_base}"):
            linked = tuple(dict.fromkeys(map(index_of.__getitem__, targets)))
            pagelets[number] = BasePagelet(index_of[source], linked, number in pagelet_matches, is_template)
        hosts = dict(database.execute(f"SELECT id, host FROM pages WHERE id {in_base}"))
        links = BaseSet(
            [hosts[number] for number in pages],
            [number in matches for number in pages],
            list(pagelets.values()),
        )
        return QueryBase(pages, len(roots), list(pagelets), links)

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
        return self._one("SELECT page FROM pagelets WHERE id = ?", pagelet)

    def _one(self, query: str, *arguments: object) -> int:
        return int(next(iter(self._column(query, *arguments))))

    def _column(self, query: str, *arguments: object) -> dict[Any, None]:
        return dict.fromkeys(value for (value,) in self._database.execute(query, arguments))


def _indexed(visible: VisibleText, start: int, stop: int) -> str:
    return spaced(" ".join(visible.between(start, stop)))
