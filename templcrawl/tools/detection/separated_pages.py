"""The results of the detectors of a whole site, as tables.

SEPARATED_PAGES has a row for each page; TEMPLATE_PATHS, of ``mdl`` only, a row for each essential path in the
template of a cluster.  ``docs/finished-crawls.md`` describes their columns.
Spans of content are no column: they number tokens, which nothing but templcrawl counts; ``scrapy strip``
writes what they contain.

Cost: O(tokens of a page).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from templcrawl.memory.observation import Observation
from templcrawl.outputs.archive.rows import signed
from templcrawl.page.separation import Separation
from templcrawl.page.text import storable, unforgeable_key
from templcrawl.tools.whole_site import SITE_DETECTORS
from templcrawl.tools.whole_site.site_detector import SiteDetector

SEPARATED_PAGES, TEMPLATE_PATHS = "separated_pages", "template_paths"

# Table -> column -> type.
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

# Method -> its tables.
SITE_TABLES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        name: (SEPARATED_PAGES, TEMPLATE_PATHS) if detector.has_templates else (SEPARATED_PAGES,)
        for name, detector in SITE_DETECTORS.items()
    }
)

Row = tuple[Any, ...]


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
    of_form = np.array([len(form.encode("utf-8", "replace")) for form in tokens.forms], dtype=np.intp)
    sizes = of_form[tokens.form_array]
    opens = page.elements.open_array[np.array(links.elements, dtype=np.intp)]
    template = Amounts(
        int(sizes[is_template].sum()),
        int(runs.words[is_template[runs.positions]].sum()),
        int(is_template[opens].sum()),
    )
    return template, Amounts(int(sizes.sum()), int(runs.words.sum()), len(links))


def page_row(observation: Observation, *, max_bytes: int) -> Row:
    """Return the row of a page in SEPARATED_PAGES; its key is that of an archive."""
    page = observation.page
    template, whole = template_amounts(observation.separation)
    return (
        signed(unforgeable_key(page.identity)),
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
