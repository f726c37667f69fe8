"""The pages that are compared: the first ones of each saved site, with the page type where there is one.

Types come from ``sites.json`` (site -> ``page_types``: path -> type).  Types named ``other-*`` are
artefacts of how they were made: their pages are read but not scored.

Cost: each page is parsed once, to follow the site's links.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from lab.bench.saved_sites import SavedSite, corpus_sites
from templcrawl import Page

LEFT_OUT = "other-"


def _nowhere(url: str) -> str | None:
    return None


class Site(NamedTuple):
    """The pages of a site, and the type of each, None where there is none to score.

    find  URL -> name of the saved page behind it, None where there is none
    """

    name: str
    pages: Sequence[Page]
    types: Sequence[str | None]
    find: Callable[[str], str | None] = _nowhere


def read_sites(folder: Path, limit: int) -> Iterator[Site]:
    """Yield the sites of a folder with their first pages, breadth first."""
    types = page_types(folder)
    for site in corpus_sites(folder):
        yield _read(site, types.get(site.name, {}), limit)


def page_types(folder: Path) -> dict[str, dict[bytes, str]]:
    """Return site -> path, unquoted -> page type, those left out left out."""
    sites = json.loads((folder / "sites.json").read_text(encoding="utf-8"))
    return {
        name: {
            unquote_to_bytes(os.fsencode(path)): kind
            for path, kind in (site.get("page_types") or {}).items()
            if not kind.startswith(LEFT_OUT)
        }
        for name, site in sites.items()
    }


def _read(site: SavedSite, types: dict[bytes, str], limit: int) -> Site:
    saved = [(saved_page.url, saved_page.page.text) for saved_page in site.pages(limit)]
    return Site(
        site.name,
        [Page(text, url) for url, text in saved],
        [types.get(unquote_to_bytes(url.split("/", 3)[3])) for url, _ in saved],
        site.find,
    )
