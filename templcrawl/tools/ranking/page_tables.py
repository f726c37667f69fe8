"""The tables of a page database: pages, their pagelets and links, and a full-text index of both.

Source: Bar-Yossef & Rajagopalan (WWW 2002), section 3.2: PAGES, LINKS and PAGELETS, filled by streaming
through the pages; duplicates are eliminated first; a template is a group of pagelets with one shingle
(Figure 4), here in SQL.

    pages         id, address key, URL, host, title
    pagelets      id, page, shingle, is_template; only those that link to another page of the database
    links         pagelet, source page, target page, anchor text, in document order
    page_text     full-text index of titles and visible words of pages
    pagelet_text  the same of pagelets

A page that nearly repeats an earlier one (its visible words,
:mod:`templcrawl.algorithms.similarity.near_duplicates`) is left out; what links to it links to the earlier
one. Links to pages that are not in the database are left out, as are links of a page to itself and those
few that are in no pagelet.

SQLite keeps the tables in a temporary file that is removed when the database is closed.
Cost: O(length of the pages), and sorting the links.  Memory: 64 MB of SQLite's cache, and the sketches
of the last ``MAX_CONTENTS`` pages to know repeats by.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from templcrawl.algorithms.pagelets.partition import pagelet_shingles, pagelets_of_links, partition_pagelets
from templcrawl.algorithms.similarity.near_duplicates import MAX_DIFFERENCE, whole_text_of
from templcrawl.errors import TemplcrawlError
from templcrawl.memory.content_index import ContentIndex
from templcrawl.outputs.archive.rows import VisibleText, signed
from templcrawl.page.page import Page
from templcrawl.page.text import storable, unforgeable_key

TEMPLATE_PAGES = 2
MAX_CONTENTS = 20_000
MAX_ANCHOR = 200

_IDEOGRAPH = re.compile(r"([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff])")
_INDEX_PAGE = re.compile(r"/index\.(?:html?|php)\Z")
_TOKENIZER = 'tokenize="unicode61 remove_diacritics 2"'
_SCHEMA = f"""
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA cache_size = -65536;
    CREATE TABLE pages(id INTEGER PRIMARY KEY, address INTEGER, url TEXT, host TEXT, title TEXT);
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
_TEMPLATES = """
    UPDATE pagelets SET is_template = 1 WHERE shingle IN
        (SELECT shingle FROM pagelets GROUP BY shingle HAVING count(DISTINCT page) >= ?)
"""

Address = Callable[[Page, str], str]  # (page, its URL or that of a link) -> the address to file it under


class NoFullTextSearch(TemplcrawlError, RuntimeError):
    """The SQLite of this Python was built without full-text search."""

    def __str__(self) -> str:
        return f"ranking needs SQLite with FTS5; the SQLite {sqlite3.sqlite_version} of this Python lacks it"


def address_of(page: Page, url: str) -> str:
    """Return a URL without what often differs between a page and the links to it.

    >>> address_of(Page("", ""), "https://example.org/tea/index.html#top")
    'example.org/tea/'
    """
    _, _, rest = url.partition("#")[0].rpartition("://")
    return unquote(_INDEX_PAGE.sub("/", rest if "/" in rest else f"{rest}/"))


def spaced(text: str) -> str:
    """Return a text as it is indexed: ideographs and syllables are words of their own."""
    return text if text.isascii() else _IDEOGRAPH.sub(r" \1 ", storable(text))


class PageTables:
    """Pages in a temporary SQLite database.

    duplicates  how many were left out because they repeat another page
    """

    def __init__(self, *, address: Address = address_of, template_pages: int = TEMPLATE_PAGES) -> None:
        """Start without pages.

        address         (page, its URL or that of a link) -> the address to file it under
        template_pages  on how many pages a pagelet stands to be template, 2 or more
        Raises NoFullTextSearch.
        """
        self.duplicates = 0
        self._address = address
        self._template_pages = template_pages
        self._contents = ContentIndex(limit=MAX_CONTENTS, max_difference=MAX_DIFFERENCE)
        self._database = sqlite3.connect("", isolation_level=None)
        try:
            self._database.executescript(_SCHEMA)
        except sqlite3.OperationalError as error:
            self._database.close()
            if "fts5" in str(error):
                raise NoFullTextSearch from error
            raise
        self._database.execute("BEGIN")

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

    def finish(self) -> None:
        """Join the links to the pages, and find the templates, once all pages were added."""
        self._database.execute("COMMIT")
        self._database.executescript(_LINKS)
        self._database.execute(_TEMPLATES, (self._template_pages,))

    def _key(self, page: Page, url: str) -> int:
        return signed(unforgeable_key(self._address(page, url)))

    def _add(self, page: Page, key: int) -> int:
        visible = VisibleText(page)
        pagelets = partition_pagelets(page)
        about = (storable(page.url), storable(page.host), storable(page.title))
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
        insert = "INSERT INTO pages(address, url, host, title) VALUES (?, ?, ?, ?)"
        number: Any = execute(insert, (key, *about)).lastrowid
        execute("INSERT INTO addresses VALUES (?, ?)", (key, number))
        execute(
            "INSERT INTO page_text(rowid, title, body) VALUES (?, ?, ?)", (number, spaced(about[2]), text)
        )
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


def _indexed(visible: VisibleText, start: int, stop: int) -> str:
    return spaced(" ".join(visible.between(start, stop)))
