"""The tables of a crawl archive: their columns, the number of this format, and a page as their rows.

Source: Bar-Yossef & Rajagopalan (WWW 2002), section 3.2, whose algorithms assume pages, links and pagelets in
database tables.  Keys are 64-bit hashes as signed numbers, since not every engine has unsigned ones.  The
keys of pages cannot be forged: no page can be given the key of another
(:func:`templcrawl.page.text.unforgeable_key`).

``docs/finished-crawls.md`` describes every column, and which files count, for readers with other tools, too.

Cost: O(length of the page), and sorting the shingles of each pagelet.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from xxhash import xxh3_64_intdigest

from templcrawl.algorithms.page_types.fingerprint import page_fingerprint
from templcrawl.algorithms.pagelets.partition import (
    MIN_LINKS,
    Pagelet,
    pagelets_of_links,
    partition_pagelets,
    shingles_of_pagelets,
)
from templcrawl.algorithms.similarity.near_duplicates import Content, content_of
from templcrawl.algorithms.similarity.shingles import Hashes, bin_minima, shingle_of
from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.observation import Observation
from templcrawl.outputs.arrow import arrow_schema, load_pyarrow
from templcrawl.page.arrays import signed
from templcrawl.page.page import Page
from templcrawl.page.text import storable, unescape, unforgeable_key

FORMAT = 2
FORMAT_KEY = b"templcrawl-archive"

PAGES, LINKS, PAGELETS, BODIES = "pages", "links", "pagelets", "bodies"
PAGE_TYPES, UNREAD = "page_types", "unread"

# Table of a part -> column -> type; ``keys`` is a list of 64-bit numbers.
TABLES: Mapping[str, Mapping[str, str]] = {
    PAGES: {
        "page": "int64",
        "url": "string",
        "host": "string",
        "fetched_at": "timestamp",
        "fingerprint": "binary",
        "cluster": "string",
        "leaf": "string",
        "sketch": "keys",
        "characters": "int64",
        "text_characters": "int64",
        "content_characters": "int64",
        "words": "int64",
        "links": "int32",
        "pagelets": "int32",
        "page_kind": "string",
    },
    LINKS: {"source": "int64", "target": "int64", "pagelet": "int64", "anchor": "string"},
    PAGELETS: {
        "pagelet": "int64",
        "page": "int64",
        "ordinal": "int32",
        "tag_path": "string",
        "shingle": "int64",
        "sketch": "keys",
        "text": "string",
        "characters": "int64",
        "text_characters": "int64",
        "words": "int64",
        "links": "int32",
    },
    BODIES: {"page": "int64", "html": "string"},
}
# Table of which each crawl writes files of its own -> column -> type.
CRAWL_TABLES: Mapping[str, Mapping[str, str]] = {
    PAGE_TYPES: {
        "leaf": "string",
        "page_type": "string",
        "pages": "int64",
        "kind": "string",
        "written_at": "timestamp",
    },
    UNREAD: {"url": "string", "why": "string", "last_read": "timestamp", "written_at": "timestamp"},
}
LEFT, NOT_MODIFIED = "left", "not modified"  # why a page is unread

NULLABLE = frozenset({(LINKS, "pagelet"), (PAGELETS, "shingle")})

MAX_ANCHOR = 200
MAX_STEPS = 32
MAX_PATH = 400
MAX_NAME = 60
SKETCH_BINS = 8
_BELOW = " > "

# Table -> rows that become Arrow's at once: what PyArrow does in one go, no other thread can interrupt.
_ROWS_AT_A_TIME = {PAGES: 2**10, LINKS: 2**12, PAGELETS: 2**12, BODIES: 1, PAGE_TYPES: 2**12, UNREAD: 2**12}


Row = tuple[Any, ...]  # in the order of the columns of its table

PageRows = dict[str, list[Row]]  # table -> the rows of a page in it


def table_schema(table: str) -> Any:
    """Return the PyArrow schema of a table, with the number of this format in its metadata."""
    columns = {**TABLES, **CRAWL_TABLES}[table]
    required = [column for column in columns if (table, column) not in NULLABLE]
    return arrow_schema(columns, required=required, metadata={FORMAT_KEY: str(FORMAT).encode()})


def record_batches(table: str, rows: Sequence[Sequence[Any]]) -> Iterator[Any]:
    """Yield rows, each in the order of the columns, as PyArrow's record batches of a few rows."""
    arrow, schema, step = load_pyarrow(), table_schema(table), _ROWS_AT_A_TIME[table]
    for first in range(0, len(rows), step):
        columns = zip(*rows[first : first + step])
        arrays = [arrow.array(list(cells), field.type) for cells, field in zip(columns, schema)]
        yield arrow.RecordBatch.from_arrays(arrays, schema=schema)


def check_schema(table: str, schema: Any, source: str) -> None:
    """Raise InvalidSnapshot unless a Parquet file with this schema is of this table of an archive.

    The order of its columns is free, and further ones are not an error.
    """
    written = (schema.metadata or {}).get(FORMAT_KEY, b"")
    if not written.isdigit():
        raise InvalidSnapshot(source, "it is not a part of a crawl archive")
    if int(written[:18]) != FORMAT:
        raise InvalidSnapshot(
            source,
            f"it has format {int(written[:18])}, of another version of templcrawl; this one reads {FORMAT}",
        )
    for field in table_schema(table):
        kinds = [schema.field(at).type for at in schema.get_all_field_indices(field.name)]
        if len(kinds) != 1:
            raise InvalidSnapshot(source, f"it has {len(kinds) or 'no'} columns {field.name}, not one")
        if kinds[0] != field.type:
            raise InvalidSnapshot(source, f"its column {field.name} holds {kinds[0]}, not {field.type}")


def page_rows(observation: Observation, fetched_at: datetime, *, min_links: int = MIN_LINKS) -> PageRows:
    """Return the rows of a page.

    fetched_at  when it was observed; with its time zone
    min_links   links that make a child of an element a pagelet of its own (the paper's k)
    """
    page = observation.page
    own = unforgeable_key(page.identity)
    key = signed(own)
    visible = VisibleText(page)
    pagelets = partition_pagelets(page, min_links=min_links)
    keys = [
        signed(xxh3_64_intdigest(own.to_bytes(8, "little") + number.to_bytes(4, "little")))
        for number in range(len(pagelets))
    ]
    pagelet_rows = [
        (keys[number], key, number, *_pagelet_cells(visible, pagelet, shingles))
        for number, (pagelet, shingles) in enumerate(zip(pagelets, shingles_of_pagelets(page, pagelets)))
    ]
    owners = [*keys, None]  # -1: in no pagelet
    targets = {url: signed(unforgeable_key(url)) for url in set(page.links.urls)}
    links = [
        (key, targets[link.url], owners[owner], storable(link.text[:MAX_ANCHOR]))
        for link, owner in zip(page.links, pagelets_of_links(page, pagelets))
    ]
    content, whole = observation.text_lengths
    page_row = (
        key,
        storable(page.url),
        storable(page.host),
        fetched_at,
        page_fingerprint(page),
        storable(observation.cluster_id),
        storable(observation.leaf_id),
        content_keys(content_of(observation.separation)),
        len(page.text),
        whole,
        content,
        visible.words(),
        len(links),
        len(pagelets),
        observation.page_kind or "",
    )
    text = page.text  # as it is, but for halves of surrogate pairs
    body = text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
    return {PAGES: [page_row], LINKS: links, PAGELETS: pagelet_rows, BODIES: [(key, body)]}


def content_keys(content: Content) -> list[int]:
    """Return the keys of a content; two contents that share a fourth of their keys are duplicates."""
    if content.sketch is not None:
        return list(map(signed, content.sketch.bands))
    return [signed(content.hash)] if content.terms else []


def _pagelet_cells(visible: VisibleText, pagelet: Pagelet, shingles: Hashes) -> Row:
    """Return the cells of a pagelet after its keys; shingles cover its words and link addresses."""
    page = visible.page
    words = " ".join(visible.between(pagelet.start, pagelet.stop)).split()
    text = storable(" ".join(words))
    minima = bin_minima(np.sort(shingles), bins=SKETCH_BINS)
    return (
        tag_path(page, pagelet.element),
        signed(shingle_of(shingles)) if len(shingles) else None,
        minima.view(np.int64).tolist(),
        text,
        page.tokens.starts[pagelet.stop] - page.tokens.starts[pagelet.start],
        len(text),
        len(words),
        pagelet.links,
    )


def tag_path(page: Page, element: int) -> str:
    """Return the names from the root to an element: the innermost 32, 400 characters, of a name 60.

    >>> tag_path(Page("<body><ul><li>", ""), 3)
    'body > ul > li'
    """
    names, parents = page.elements.names, page.elements.parents
    steps: list[str] = []
    room = MAX_PATH
    while element > 0 and len(steps) < MAX_STEPS:
        step = names[element][:MAX_NAME]
        room -= len(step) + len(_BELOW)
        if room < -len(_BELOW):
            break
        steps.append(step)
        element = parents[element]
    return storable(_BELOW.join(reversed(steps)))


class VisibleText:
    """The visible text runs of a page, with their character references replaced."""

    def __init__(self, page: Page) -> None:
        self.page = page
        forms, form_of = page.tokens.forms, page.tokens.form_of
        self._positions: list[int] = page.text_runs.positions.tolist()
        text_of = {form: unescape(forms[form]) for form in {form_of[at] for at in self._positions}}
        self._runs = [text_of[form_of[at]] for at in self._positions]

    def words(self) -> int:
        """Return how many words they have, between white space."""
        return sum(len(run.split()) for run in self._runs)

    def between(self, start: int, stop: int) -> list[str]:
        """Return those among the tokens ``start`` to ``stop``."""
        return self._runs[bisect_left(self._positions, start) : bisect_left(self._positions, stop)]
