"""What the detectors of a whole site find on its pages, as tables, from an archive that kept their HTML.

SEPARATED_PAGES, a row for each page
    page                     key of its URL, as in the archive's tables
    url, host
    template                 the cluster whose template it was told apart by, a number within its host;
                             "" where the method knows no clusters (dom, text)
    bytes, template_bytes    of its HTML in UTF-8: all, and what is template
    words, template_words    visible ones
    links, template_links    to other pages
    truncated                whether only a part of it was read, since it is too large

TEMPLATE_PATHS, a row for each path in the template of a cluster; of ``mdl`` only
    host, template           the cluster
    path                     an essential path as a 64-bit key: equal ones have equal keys, on all hosts

Spans of content are no column: they number tokens, which nothing but templcrawl counts; ``scrapy strip``
writes what they contain.

:func:`separate_archive` has an engine do it.  The rows of a site are sorted, each page once for the first
pass and once for the second, and a detector reads them as they come: one site is the work of one core.
Cost: two passes over the HTML, a third for the paths of ``mdl``; it is shuffled, and put aside on disk, as
often.  Memory: on Spark a detector and 32 pages for each core, however many pages a site has.  DuckDB sorts
long texts in memory, so that ``scrapy detect`` reads an archive twice there instead.
Pages are read in the order in which they were observed.  It matters only to ``dom``, and only where a site
is beyond what it counts exactly (:mod:`templcrawl.memory.whole_site.hash_counts`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from templcrawl.algorithms.detectors.template_amounts import template_amounts
from templcrawl.archive.parts import Archive, first_line
from templcrawl.archive.rows import signed
from templcrawl.archive.schema import BODIES, PAGES
from templcrawl.arrow import load_pyarrow
from templcrawl.detection.sql_texts import sql_text
from templcrawl.engines.engine import Engine
from templcrawl.engines.groups import TYPES, Columns
from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.observation import Observation
from templcrawl.memory.whole_site.mdl_templates import MdlTemplates
from templcrawl.memory.whole_site.site_detector import AnySiteDetector
from templcrawl.memory.whole_site.table import SITE_DETECTORS
from templcrawl.page.encoding import storable
from templcrawl.page.page import Page

SEPARATED_PAGES, TEMPLATE_PATHS = "separated_pages", "template_paths"

COLUMNS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        SEPARATED_PAGES: {
            "page": "bigint",
            "url": "string",
            "host": "string",
            "template": "string",
            "bytes": "bigint",
            "template_bytes": "bigint",
            "words": "bigint",
            "template_words": "bigint",
            "links": "bigint",
            "template_links": "bigint",
            "truncated": "boolean",
        },
        TEMPLATE_PATHS: {"host": "string", "template": "string", "path": "bigint"},
    }
)
"""Table -> column -> type."""

SITE_TABLES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"dom": (SEPARATED_PAGES,), "text": (SEPARATED_PAGES,), "mdl": (SEPARATED_PAGES, TEMPLATE_PATHS)}
)
"""Method -> its tables."""

_AT_ONCE = 32
_NAMED = 3
_FIRST_PASS = 0

Row = tuple[Any, ...]


def separate_archive(engine: Engine, archive: Archive, method: str, *, max_bytes: int) -> None:
    """Define the tables of a method; parts whose bodies cannot be read are added to ``archive.unreadable``.

    method     a key of ``SITE_TABLES``
    max_bytes  bytes of a page that are read
    Raises InvalidSnapshot if the bodies of no part can be read, EngineFailed.
    """
    bodies = _readable_bodies(archive)
    if not bodies:
        named = "; ".join(f"{name}: {reason}" for name, reason in archive.unreadable[:_NAMED])
        raise InvalidSnapshot(archive.location.address(BODIES), f"none of its parts can be read ({named})")
    engine.read(PAGES, archive.files(PAGES))
    engine.read(BODIES, bodies)
    select = sql_text("site_pages").format(longest=max_bytes)
    for table in SITE_TABLES[method]:
        function, rows = _FUNCTIONS[table], select + _NEEDED[table]
        engine.apply(
            table,
            rows,
            partial(function, method, max_bytes),
            COLUMNS[table],
            by="host",
            order=("turn", "fetched_at", "page"),
            at_once=_AT_ONCE,
        )


def page_row(observation: Observation, *, max_bytes: int) -> Row:
    """Return the row of a page in SEPARATED_PAGES."""
    page = observation.page
    template, whole = template_amounts(observation.separation)
    return (
        signed(page.key),
        storable(page.url),
        storable(page.host),
        observation.template_id,
        *(amount for pair in zip(whole, template) for amount in pair),
        bool(observation.truncated) or whole.html >= max_bytes,
    )


def path_rows(host: str, site: AnySiteDetector) -> list[Row]:
    """Return the rows of a site in TEMPLATE_PATHS, once all its pages were learned."""
    templates = site.templates if isinstance(site, MdlTemplates) else []
    return [
        (storable(host), str(number), path)
        for number, template in enumerate(templates)
        for path in template.view(np.int64).tolist()
    ]


def columns_of(table: str, rows: Sequence[Row]) -> Columns:
    """Return rows of a table by column."""
    cells = zip(*rows) if rows else [()] * len(COLUMNS[table])
    return {
        column: np.array(values, dtype=TYPES[kind])
        for (column, kind), values in zip(COLUMNS[table].items(), cells)
    }


def _separated(method: str, max_bytes: int, batches: Iterator[Columns]) -> Iterator[Columns]:
    """Both passes over the pages of a site."""
    site = SITE_DETECTORS[method]()
    for batch in batches:
        rows = []
        for turn, page in zip(batch["turn"].tolist(), _pages(batch, max_bytes)):
            if turn == _FIRST_PASS:
                site.learn(page)
            else:
                rows.append(page_row(site.separate(page), max_bytes=max_bytes))
        yield columns_of(SEPARATED_PAGES, rows)


def _paths(method: str, max_bytes: int, batches: Iterator[Columns]) -> Iterator[Columns]:
    """The first pass over the pages of a site, and the templates of its clusters."""
    site = SITE_DETECTORS[method]()
    host = ""
    for batch in batches:
        for page in _pages(batch, max_bytes):
            site.learn(page)
            host = page.host
    yield columns_of(TEMPLATE_PATHS, path_rows(host, site))


_FUNCTIONS = {SEPARATED_PAGES: _separated, TEMPLATE_PATHS: _paths}
_NEEDED = {SEPARATED_PAGES: "", TEMPLATE_PATHS: f" AND turns.turn = {_FIRST_PASS}"}


def _pages(batch: Columns, max_bytes: int) -> Iterator[Page]:
    for url, html in zip(batch["url"], batch["html"]):
        yield Page.from_html(html.encode()[:max_bytes], url, content_type="text/html; charset=utf-8")


def _readable_bodies(archive: Archive) -> list[str]:
    """Return the files of BODIES that are whole; note why others are not."""
    arrow = load_pyarrow()
    readable = []
    for part, file in zip(archive.parts, archive.files(BODIES)):
        path = archive.location.join(BODIES, part)
        try:
            arrow.parquet.read_schema(path, filesystem=archive.location.filesystem)
            readable.append(file)
        except (OSError, arrow.ArrowException) as error:
            archive.unreadable.append((f"{BODIES}/{part}", first_line(error)))
    return readable
