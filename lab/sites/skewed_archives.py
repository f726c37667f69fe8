"""Archives whose pages, hosts and pagelets are far from even, of any size, by arithmetic alone.

Each page has a menu and a footer that it shares with its host, a part that it shares with its neighbour, and
one of its own; its links lead to pages of its host.  In three shapes something is out of proportion:

even      hosts of 100 pages
host      one host has nine tenths of the pages, the others ten each
pagelet   hosts of 100 pages; one pagelet is on every page of all hosts, and links lead to any page
lone      each page is a host of its own, all carry one pagelet, and links lead to any page

Imported by a benchmark and by tests, not run.  Cost: O(pages + links), in a few numbers each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from templcrawl.outputs.archive.tables import BODIES, LINKS, PAGELETS, PAGES, table_schema

_NOW = datetime(2026, 1, 2, tzinfo=timezone.utc)
_PART_PAGES = 10_000
_EVEN_HOST, _SMALL_HOST = 100, 10
_MENU, _FOOTER, _EVERYWHERE, _PAIR, _OWN = range(5)
_WORDS = 60

Numbers = npt.NDArray[np.int64]


class Shape(NamedTuple):
    """How pages are distributed.

    host_of        page numbers, pages in all -> host numbers
    is_everywhere  whether one pagelet is on all pages
    links_stay     whether links lead to pages of the host alone
    """

    host_of: Callable[[Numbers, int], Numbers]
    is_everywhere: bool = False
    links_stay: bool = True


def _one_host(pages: Numbers, count: int) -> Numbers:
    large = count * 9 // 10
    return np.where(pages < large, 0, 1 + (pages - large) // _SMALL_HOST)


SHAPES: Mapping[str, Shape] = MappingProxyType(
    {
        "even": Shape(lambda pages, count: pages // _EVEN_HOST),
        "host": Shape(_one_host),
        "pagelet": Shape(lambda pages, count: pages // _EVEN_HOST, is_everywhere=True, links_stay=False),
        "lone": Shape(lambda pages, count: pages, is_everywhere=True, links_stay=False),
    }
)


def write_skewed(
    folder: Path, shape: str, pages: int, *, links: int = 20, bodies: bool = False, part: int = _PART_PAGES
) -> Path:
    """Write an archive and return its folder.

    links   of a page
    bodies  whether it has the HTML of pages
    part    pages of a part
    """
    chance = np.random.default_rng(pages)
    for table in (PAGES, LINKS, PAGELETS, *((BODIES,) if bodies else ())):
        (folder / table).mkdir(parents=True)
    for first in range(0, pages, part):
        numbers = np.arange(first, min(pages, first + part))
        rows = _rows(SHAPES[shape], numbers, pages, links, chance)
        if bodies:
            rows[BODIES] = _bodies(SHAPES[shape], numbers, pages)
        for table, columns in rows.items():
            written = pa.table(columns).select(table_schema(table).names).cast(table_schema(table))
            pq.write_table(written, folder / table / f"part-{first:09d}.parquet", compression="zstd")
    return folder


def _rows(
    shape: Shape, numbers: Numbers, count: int, links: int, chance: np.random.Generator
) -> dict[str, dict[str, Any]]:
    hosts, keys = shape.host_of(numbers, count), _keys(numbers)
    owners = np.repeat(numbers, links)
    if shape.links_stay:
        every = shape.host_of(np.arange(count), count)
        starts, stops = (np.searchsorted(every, hosts, side).repeat(links) for side in ("left", "right"))
        targets = starts + (chance.random(len(owners)) * (stops - starts)).astype(np.int64)
    else:
        targets = chance.integers(0, count, len(owners))
    shingles = [_keys(hosts, _MENU), _keys(hosts, _FOOTER), _keys(numbers // 2, _PAIR), _keys(numbers, _OWN)]
    if shape.is_everywhere:
        shingles.append(np.full(len(numbers), _EVERYWHERE))
    a_page = len(shingles)
    names = [f"{host}.example" for host in hosts.tolist()]
    return {
        PAGES: {
            "page": keys,
            "url": [f"http://{name}/{number}" for name, number in zip(names, numbers.tolist())],
            "host": names,
            "fetched_at": [_NOW] * len(numbers),
            "fingerprint": [b""] * len(numbers),
            "cluster": [""] * len(numbers),
            "leaf": [""] * len(numbers),
            "sketch": keys[:, None].tolist(),
            **_same(len(numbers), characters=5_000, text_characters=500, content_characters=400),
            **_same(len(numbers), words=100, links=links, pagelets=a_page),
            "page_kind": [""] * len(numbers),
        },
        LINKS: {
            "source": _keys(owners),
            "target": _keys(targets),
            "pagelet": pa.nulls(len(owners), pa.int64()),
            "anchor": [""] * len(owners),
        },
        PAGELETS: {
            "pagelet": _keys(np.repeat(numbers, a_page) * 8 + np.tile(np.arange(a_page), len(numbers))),
            "page": np.repeat(keys, a_page),
            "ordinal": np.tile(np.arange(a_page), len(numbers)),
            "tag_path": ["html > body > ul"] * (a_page * len(numbers)),
            "shingle": np.stack(shingles, axis=1).ravel(),
            "sketch": [[]] * (a_page * len(numbers)),
            "text": [""] * (a_page * len(numbers)),
            **_same(a_page * len(numbers), characters=500, text_characters=50, words=10, links=3),
        },
    }


def _keys(numbers: Numbers, kind: int = 7) -> Numbers:
    """Return different keys for different numbers of a kind, spread over 64 bits."""
    spread = (numbers.astype(np.uint64) * np.uint64(8) + np.uint64(kind)) * np.uint64(0x9E3779B97F4A7C15)
    signed: Numbers = spread.view(np.int64)
    return signed


def _same(count: int, **values: int) -> dict[str, Numbers]:
    return {column: np.full(count, value) for column, value in values.items()}


def _bodies(shape: Shape, numbers: Numbers, count: int) -> dict[str, Any]:
    """Return the HTML of pages: a menu and a footer of the host, an article of the page."""
    hosts = shape.host_of(numbers, count).tolist()
    return {
        "page": _keys(numbers),
        "html": [_html(host, number) for host, number in zip(hosts, numbers.tolist())],
    }


def _html(host: int, number: int) -> str:
    menu = "".join(f"<li><a href=/{entry}>Part {entry} of {host}</a>" for entry in range(8))
    words = " ".join(f"w{(number * 7919 + word * 104_729) % 50_021}" for word in range(_WORDS))
    return (
        f"<html><head><title>{number}</title></head><body><ul>{menu}</ul><div><h1>Page {number}</h1>"
        f"<p>{words}</p></div><p>Imprint of {host}</p></body></html>"
    )
