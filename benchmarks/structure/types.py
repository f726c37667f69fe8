"""Page types: ours, as a crawl would learn them, page after page (see ``templcrawl.memory.page_types``)."""

from __future__ import annotations

from collections.abc import Sequence

from templcrawl import Page
from templcrawl.memory.page_types import PageTypes
from templcrawl.page.ancestors import Keys


class _PageTypes:
    name = "page types"
    is_slow = False

    def features(self, page: Page) -> Keys:
        """Return the structure of a page."""
        return page.structure

    def cluster(self, features: Sequence[Keys]) -> list[int]:
        """Return the template of each page, as known when all were seen."""
        types = PageTypes()
        leaves = [types.observe(structure) for structure in features]
        templates = types.templates()
        return [templates[leaf] for leaf in leaves]


TYPES = _PageTypes()
