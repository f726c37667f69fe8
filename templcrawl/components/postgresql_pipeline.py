"""An item pipeline that stores every item in a PostgreSQL database.

::

    ITEM_PIPELINES = {"templcrawl.components.postgresql_pipeline.PostgresqlPagesPipeline": 900}
    TEMPLCRAWL_POSTGRESQL_DSN = "host=db.example dbname=crawl user=crawler"

One row a URL, in the table ``items``, which is made if it is missing: a later item of a URL takes the place
of an earlier one; items without the text field ``url`` are all kept, equal ones once.  The columns ``url``,
``template_id``, ``content_text`` and ``content_html`` repeat the item's fields of that name where those are
text; ``item`` is the whole item as JSON (see :func:`~templcrawl.components.items.json_text`).

How items wait and what becomes of those that cannot be stored is said in
:mod:`templcrawl.components.item_batches`.  While the server is away, ten batches of items wait; what comes
beyond is in ``postgresql-<database>.unstored.jsonl``, in the JOBDIR or the working directory.  A crawl whose
server is away at the start does not start.
"""

from __future__ import annotations

import re
from pathlib import Path

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.job import job_dir

from templcrawl.components.guard import starting
from templcrawl.components.item_batches import BatchedItems
from templcrawl.components.postgresql_table import PostgresqlTable, load_psycopg
from templcrawl.components.settings import TemplcrawlSettings
from templcrawl.errors import NOT_SHOWN, InvalidOption

_SETTING = "TEMPLCRAWL_POSTGRESQL_DSN"
_NAMED = re.compile(r'"([^"]*)"')
_ODD = re.compile(r"[^\w.-]")


class PostgresqlPagesPipeline(BatchedItems):
    """Stores items in the PostgreSQL database that a connection string names.

    dsn  the connection string; what is logged and kept beside it bears the name of the database alone
    """

    database = "postgresql"
    dsn = ""

    @classmethod
    @starting
    def from_crawler(cls, crawler: Crawler) -> PostgresqlPagesPipeline:
        """Build the pipeline from the settings; raise NotConfigured when they name no database."""
        options = TemplcrawlSettings.from_settings(crawler.settings)
        if options.postgresql_dsn is None:
            raise NotConfigured
        folder = Path(job_dir(crawler.settings) or "")
        store = str(folder / _store_name(options.postgresql_dsn))
        pipeline = cls(store, batch=options.postgresql_batch, stats=crawler.stats)
        pipeline.dsn = options.postgresql_dsn
        pipeline.crawler = crawler
        return pipeline

    def _open_table(self) -> PostgresqlTable:
        try:
            return PostgresqlTable(self.dsn)
        except load_psycopg().Error as error:
            accepted = f"a database where PostgreSQL can keep the table items ({str(error).strip()})"
            raise InvalidOption(_SETTING, NOT_SHOWN, accepted) from error


def _store_name(dsn: str) -> str:
    """Return what a database is called, without its password.  Raises InvalidOption, MissingExtra."""
    psycopg = load_psycopg()
    try:
        named = psycopg.conninfo.conninfo_to_dict(dsn)
    except psycopg.Error as error:
        wrong = _NAMED.sub(_without_values, str(error).strip())
        accepted = f"a connection string or URI of PostgreSQL ({wrong})"
        raise InvalidOption(_SETTING, NOT_SHOWN, accepted) from None
    return "postgresql-" + _ODD.sub("_", str(named.get("dbname") or named.get("user") or "items"))


def _without_values(quoted: re.Match[str]) -> str:
    """Return what libpq quotes if it is a sign; anything else may be a part of the password."""
    return quoted[0] if quoted[1] in ("=", "]") else '"…"'
