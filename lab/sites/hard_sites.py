"""Ten generated sites on which template and content are hard to tell apart, each for another reason.

Their truth is known by construction (see ``hard.sheets`` for what counts as which).  Equal seeds make
equal sites, in every process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lab.sites.generated import GeneratedPage
from lab.sites.hard.blogs import NavTags, NearDuplicates, News
from lab.sites.hard.markup import DivSoup, Minified, MovingActive
from lab.sites.hard.menus import Documentation, LinkLists, heavy_template
from lab.sites.hard.mixed_types import MixedTypes
from lab.sites.hard.sheets import Sheet, in_link_order

HARD_SITES: dict[str, Callable[[str], Iterable[Sheet]]] = {
    "div-soup": DivSoup,
    "nav-tags": NavTags,
    "minified": Minified,
    "heavy-template": heavy_template,
    "moving-active": MovingActive,
    "near-duplicates": NearDuplicates,
    "mixed-types": MixedTypes,
    "link-lists": LinkLists,
    "documentation": Documentation,
    "news": News,
}
"""Name of a site -> its pages for a seed, the home page first."""


@dataclass(frozen=True)
class HardSite:
    """A site in the order of a crawl: the home page first, then as links lead."""

    name: str
    pages: tuple[GeneratedPage, ...]

    def url(self, page: GeneratedPage) -> str:
        """Return the address of one of its pages."""
        return f"https://{self.name}.example{page.path}"

    @property
    def digest(self) -> str:
        """SHA-256 of all pages and their truth."""
        whole = hashlib.sha256()
        for page in self.pages:
            for part in (page.path, page.html, *page.content_words, "", *page.template_words):
                whole.update(part.encode() + b"\0")
        return whole.hexdigest()


def generate_hard_site(name: str, seed: object = 1) -> HardSite:
    pages = (sheet.press(name) for sheet in HARD_SITES[name](str(seed)))
    return HardSite(name, tuple(in_link_order(pages)))
