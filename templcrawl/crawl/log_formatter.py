"""The log formatter of items: fields that templcrawl fills are shortened.

Scrapy logs items in full at the level DEBUG, and the text and the HTML of pages would be most of the log.
"""

from __future__ import annotations

from collections.abc import Collection
from copy import copy
from dataclasses import dataclass
from typing import Any

from itemadapter import ItemAdapter
from scrapy import Item, Spider
from scrapy.logformatter import LogFormatter, LogFormatterResult

from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.guard import guarded
from templcrawl.outputs.item_values import field_value

_SHOWN = 80  # characters of a field in the log


class ShortFieldsLogFormatter(LogFormatter):
    """Logs the beginning of a long field that templcrawl filled, and its number of characters."""

    _fields: Collection[str] | None = None

    @guarded("logging an item", LogFormatter.scraped)
    def scraped(self, item: Any, *more: Any) -> LogFormatterResult:
        """Log an item; the last of ``more`` is the spider, here and below."""
        return super().scraped(self._shortened(item, more[-1]), *more)

    @guarded("logging a dropped item", LogFormatter.dropped)
    def dropped(self, item: Any, *more: Any) -> LogFormatterResult:
        """Log an item that a pipeline dropped."""
        return super().dropped(self._shortened(item, more[-1]), *more)

    @guarded("logging a failed item", LogFormatter.item_error)
    def item_error(self, item: Any, *more: Any) -> LogFormatterResult:
        """Log an item on which a pipeline failed."""
        return super().item_error(self._shortened(item, more[-1]), *more)

    def _shortened(self, item: Any, spider: Spider) -> _Shortened:
        if self._fields is None:
            settings = TemplcrawlSettings.from_settings(spider.crawler.settings)
            self._fields = frozenset(settings.item_fields.values())
        return _Shortened(item, self._fields)


@dataclass(repr=False)
class _Shortened:
    """An item that is shortened when the log record is written."""

    item: Any
    fields: Collection[str]

    def __str__(self) -> str:
        item = self.item
        try:
            values = {name: field_value(ItemAdapter(item), name) for name in self.fields}
            long = {name: v for name, v in values.items() if isinstance(v, str) and len(v) > 2 * _SHOWN}
            if long:
                item = item.copy() if isinstance(item, (dict, Item)) else copy(item)
            for name, text in long.items():
                ItemAdapter(item)[name] = f"{text[:_SHOWN]}… ({len(text):,} characters)"
        except Exception:  # an item that cannot be copied or changed is logged in full
            item = self.item
        return str(item)
