"""Archives with the HTML of a few small sites."""

from __future__ import annotations

import random
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

from templcrawl.memory.detectors import load_detector
from templcrawl.memory.observation import Observation
from templcrawl.outputs.archive.tables import page_rows
from templcrawl.outputs.archive.writer import ArchiveWriter
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from templcrawl.tools.detection.separated_pages import SEPARATED_PAGES, TEMPLATE_PATHS, page_row, path_rows
from tests.memory.pages import article, listing
from tests.outputs.archive.tables import NOW

SITES = {"a.example": 9, "b.example": 5, "ünï.example": 3, "one.example": 1}


def site_pages() -> list[Page]:
    """Return the pages of ``SITES``, two kinds of them, in an order without order."""
    pages = [
        (listing if number % 3 == 2 else article)(number, host=host)
        for host, many in SITES.items()
        for number in range(many)
    ]
    random.Random(7).shuffle(pages)
    return pages


def write_site_archive(folder: Path, pages: Iterable[Page], *, part_pages: int = 7, step: int = 1) -> Path:
    """Write an archive with bodies, of parts of so many pages.

    step  seconds from a page to the next
    """
    writer = ArchiveWriter(str(folder), part_pages=part_pages, bodies=True)
    for number, page in enumerate(pages):
        whole = Observation(Separation(page, [(0, len(page.tokens))]))
        writer.add(page_rows(whole, NOW + timedelta(seconds=number * step)))
    writer.close()
    return folder


def expected_tables(pages: Iterable[Page], method: str, *, max_bytes: int) -> dict[str, list[Any]]:
    """Return the sorted rows of the tables, by one detector a host with all pages in memory."""
    by_host: dict[str, list[Page]] = {}
    for page in pages:
        by_host.setdefault(page.host, []).append(page)
    found: dict[str, list[Any]] = {SEPARATED_PAGES: []}
    if method == "mdl":
        found[TEMPLATE_PATHS] = []
    for host, its_pages in by_host.items():
        site = load_detector(method)()
        for page in its_pages:
            site.learn(page)
        found[SEPARATED_PAGES] += [page_row(site.observe(page), max_bytes=max_bytes) for page in its_pages]
        if method == "mdl":
            found[TEMPLATE_PATHS] += path_rows(host, site)
    return {table: sorted(rows) for table, rows in found.items()}
