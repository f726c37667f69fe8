"""An add-on that makes the parts of archives and the batches of items small, so that a short crawl has many.

::

    ADDONS = {"templcrawl.Addon": 500, "sites.shop.small_parts.SmallParts": 1}
    SHOP_PART_PAGES = 5
"""

from __future__ import annotations

from scrapy.settings import BaseSettings

from templcrawl.components import archive
from templcrawl.storage import postgresql, sqlite
from templcrawl.storage.item_batches import BATCH_ITEMS


class SmallParts:
    """Sets the constants that settings named ``SHOP_...`` give."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Set pages and seconds of a part, and items of a batch."""
        archive.PART_PAGES = settings.getint("SHOP_PART_PAGES", archive.PART_PAGES)  # type: ignore[attr-defined]
        archive.PART_SECONDS = settings.getfloat("SHOP_PART_SECONDS", archive.PART_SECONDS)
        batch = settings.getint("SHOP_BATCH_ITEMS", BATCH_ITEMS)
        sqlite.BATCH_ITEMS = postgresql.BATCH_ITEMS = batch  # type: ignore[attr-defined]
