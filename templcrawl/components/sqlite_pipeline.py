"""An item pipeline that stores every item in one SQLite database: the storage that needs no server.

::

    ITEM_PIPELINES = {"templcrawl.components.sqlite_pipeline.SqlitePagesPipeline": 900}
    TEMPLCRAWL_SQLITE_PATH = "pages.sqlite"

One row an item, in the table ``items``.  The columns ``url``, ``template_id``, ``content_text`` and
``content_html`` repeat the item's fields of that name where those are text; ``item`` is the whole
item as JSON (see :func:`~templcrawl.components.items.json_text`), whatever its kind.

Several items may share a URL, so rows are only ever added.  An item is stored once: ``digest``, a
hash of its JSON text, is unique, and an equal item is ignored and counted.  So a crawl that is run
again, or resumed, adds only what is new or has changed.  (The hash is a cryptographic one, lest a
hostile site make its pages pass for another's.)

How items wait and what becomes of those that cannot be stored is said in
:mod:`templcrawl.components.item_batches`.  The database is in WAL mode: one may read while the crawl writes,
and a kill loses only what was waiting.  Another writer is waited for, at the close for 10 seconds.  What is
not stored, such as an item that is too large for SQLite, is in ``<path>.unstored.jsonl``.
"""

from __future__ import annotations

import sqlite3

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from templcrawl.components.guard import starting
from templcrawl.components.item_batches import BatchedItems
from templcrawl.components.items_table import ItemsTable
from templcrawl.components.settings import TemplcrawlSettings
from templcrawl.errors import InvalidOption


class SqlitePagesPipeline(BatchedItems):
    """Stores items in the SQLite database at a path; its folder is made if it is missing."""

    database = "sqlite"

    @classmethod
    @starting
    def from_crawler(cls, crawler: Crawler) -> SqlitePagesPipeline:
        """Build the pipeline from the settings; raise NotConfigured when they name no path."""
        options = TemplcrawlSettings.from_settings(crawler.settings)
        if options.sqlite_path is None:
            raise NotConfigured
        pipeline = cls(options.sqlite_path, batch=options.sqlite_batch, stats=crawler.stats)
        pipeline.crawler = crawler
        return pipeline

    def _open_table(self) -> ItemsTable:
        try:
            return ItemsTable(self._store)
        except (OSError, sqlite3.Error) as error:
            accepted = f"a file where SQLite can keep the table items ({error})"
            raise InvalidOption("TEMPLCRAWL_SQLITE_PATH", self._store, accepted) from error
