"""The results of the detectors of a whole site, as tables, from an archive that kept the HTML of pages.

SEPARATED_PAGES has a row for each page; TEMPLATE_PATHS, of ``mdl`` only, a row for each essential path in the
template of a cluster.  ``docs/finished-crawls.md`` describes their columns.  Spans of content have no column:
they number tokens, which nothing but templcrawl counts; ``scrapy strip`` writes what they contain.

Cost: two passes over the HTML, one of them over a temporary file, and for ``mdl`` a third one; it is shuffled
once for each table.  Memory: on Spark a detector and 32 pages for each core, however many pages a site has.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from gzip import GzipFile
from tempfile import TemporaryFile
from typing import Any, NamedTuple

import numpy as np

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.detectors import WHOLE_SITE, load_detector
from templcrawl.memory.observation import Observation
from templcrawl.outputs.archive.archive_parts import Archive, first_line
from templcrawl.outputs.archive.tables import BODIES, PAGES
from templcrawl.outputs.arrow import load_pyarrow
from templcrawl.page.arrays import signed
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from templcrawl.page.text import storable, unforgeable_key
from templcrawl.tools.detection.template_tables import METHODS, TEMPLATE_PAGELETS, TEMPLATES, sql_text
from templcrawl.tools.engines import TYPES, Columns, Engine, Groups
from templcrawl.tools.whole_site import new_detector
from templcrawl.tools.whole_site.site_detector import SiteDetector

SEPARATED_PAGES, TEMPLATE_PATHS = "separated_pages", "template_paths"

# Table -> column -> type.
COLUMNS: Mapping[str, Mapping[str, str]] = {
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

# Method -> its tables.
SITE_TABLES: Mapping[str, tuple[str, ...]] = {
    name: (SEPARATED_PAGES, TEMPLATE_PATHS) if load_detector(name).has_templates else (SEPARATED_PAGES,)
    for name in WHOLE_SITE
}
METHOD_TABLES = {**dict.fromkeys(METHODS, (TEMPLATES, TEMPLATE_PAGELETS)), **SITE_TABLES}

_BATCH_PAGES = 32
_NAMED = 3

Row = tuple[Any, ...]


def separate_archive(
    engine: Engine,
    archive: Archive,
    method: str,
    *,
    max_bytes: int,
    parameters: Mapping[str, float] | None = None,
) -> None:
    """Define the tables of a method; parts whose bodies cannot be read are added to ``archive.unreadable``.

    The engine sorts the HTML by site, and a detector reads the pages of one as they come; meanwhile they are
    written, compressed, to a temporary file of the machine that it runs on, from which they are read again.
    One site is the work of one core.  DuckDB sorts long texts in memory, so that ``scrapy detect`` reads an
    archive twice there instead.

    Pages are read in the order in which they were observed.  It matters only to ``dom``, and only where a
    site is beyond what it counts exactly (:mod:`templcrawl.tools.whole_site.two_pass_dom`).

    method     a key of ``SITE_TABLES``
    max_bytes  bytes of a page that are read
    parameters of the detector (:data:`templcrawl.tools.whole_site.PARAMETERS`)
    Raises InvalidSnapshot if the bodies of no part can be read, EngineFailed.
    """
    bodies = _readable_bodies(archive)
    if not bodies:
        named = "; ".join(f"{name}: {reason}" for name, reason in archive.unreadable[:_NAMED])
        raise InvalidSnapshot(archive.location.address(BODIES), f"none of its parts can be read ({named})")
    engine.read(PAGES, archive.files(PAGES))
    engine.read(BODIES, bodies)
    select = sql_text("site_pages").format(longest=max_bytes)
    sites = Groups(select, by="host", order=("fetched_at", "page"), batch_rows=_BATCH_PAGES)
    for table in SITE_TABLES[method]:
        found = _separated if table == SEPARATED_PAGES else _paths
        engine.apply(
            table, sites, partial(found, partial(new_detector, method, parameters), max_bytes), COLUMNS[table]
        )


class Amounts(NamedTuple):
    """Bytes of HTML, visible words, and links to other pages."""

    html: int
    words: int
    links: int


def template_amounts(separation: Separation) -> tuple[Amounts, Amounts]:
    """Return (how much of a page is template, how much there is).

    These are the three shares of Gibson, Punera & Tomkins (WWW 2005).  Bytes are those of the page in UTF-8,
    with tags, scripts, comments and white space.  A link counts by the position of its start tag.
    Cost: O(tokens) beyond a separation.
    """
    page = separation.page
    tokens, runs, links = page.tokens, page.text_runs, page.links
    is_template = np.frombuffer(separation.content_mask, dtype=np.uint8) == 0
    form_bytes = np.array([len(form.encode("utf-8", "replace")) for form in tokens.forms], dtype=np.intp)
    sizes = form_bytes[tokens.form_array]
    opens = page.elements.open_array[np.array(links.elements, dtype=np.intp)]
    template = Amounts(
        int(sizes[is_template].sum()),
        int(runs.words[is_template[runs.positions]].sum()),
        int(is_template[opens].sum()),
    )
    return template, Amounts(int(sizes.sum()), int(runs.words.sum()), len(links))


def page_row(observation: Observation, key: int | None = None, *, max_bytes: int) -> Row:
    """Return the row of a page in SEPARATED_PAGES.

    key  of the page, as an archive has it; None: as one would have it
    """
    page = observation.page
    template, whole = template_amounts(observation.separation)
    return (
        signed(unforgeable_key(page.identity)) if key is None else key,
        storable(page.url),
        storable(page.host),
        observation.leaf_id,
        *(amount for pair in zip(whole, template) for amount in pair),
        bool(observation.truncated) or whole.html >= max_bytes,
    )


def path_rows(host: str, site: SiteDetector) -> list[Row]:
    """Return the rows of a site in TEMPLATE_PATHS, once all its pages were learned."""
    return [
        (storable(host), str(number), path)
        for number, template in enumerate(site.templates)
        for path in template.view(np.int64).tolist()
    ]


def columns_of(table: str, rows: Sequence[Row]) -> Columns:
    """Return rows of a table by column."""
    cells = zip(*rows) if rows else [()] * len(COLUMNS[table])
    return {
        column: np.array(values, dtype=TYPES[kind])
        for (column, kind), values in zip(COLUMNS[table].items(), cells)
    }


def _separated(
    make: Callable[[], SiteDetector], max_bytes: int, batches: Iterator[Columns]
) -> Iterator[Columns]:
    """Yield the rows of a site in SEPARATED_PAGES, by both passes over its pages."""
    site = make()
    with TemporaryFile() as spool:
        with GzipFile(fileobj=spool, mode="wb", compresslevel=1) as file:
            for batch in batches:
                pickle.dump([batch[column].tolist() for column in ("page", "url", "html")], file)
                for page in _pages(batch["url"], batch["html"], max_bytes):
                    site.learn(page)
        spool.seek(0)
        with GzipFile(fileobj=spool, mode="rb") as file:
            while file.peek(1):
                keys, urls, texts = pickle.load(file)
                seen = map(site.observe, _pages(urls, texts, max_bytes))
                yield columns_of(
                    SEPARATED_PAGES,
                    [page_row(page, key, max_bytes=max_bytes) for key, page in zip(keys, seen)],
                )


def _paths(make: Callable[[], SiteDetector], max_bytes: int, batches: Iterator[Columns]) -> Iterator[Columns]:
    """Yield the rows of a site in TEMPLATE_PATHS, by the first pass over its pages."""
    site, host = make(), ""
    for batch in batches:
        for page in _pages(batch["url"], batch["html"], max_bytes):
            site.learn(page)
            host = page.host
    yield columns_of(TEMPLATE_PATHS, path_rows(host, site))


def _pages(urls: Iterable[str], texts: Iterable[str], max_bytes: int) -> Iterator[Page]:
    for url, html in zip(urls, texts):
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
