"""Add-ons and extensions about reading and writing, which need pyarrow.

Which thread writes; a disk that is full; a signal that comes while a crawl reads its archive.
"""

from __future__ import annotations

import errno
import itertools
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow.parquet
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from templcrawl.memory.store import SqliteStore
from templcrawl.outputs import table_files
from templcrawl.outputs.archive.archive_parts import ArchiveReader
from templcrawl.outputs.archive.location import Location
from templcrawl.outputs.item_databases import ItemDatabase
from templcrawl.page.saved_pages import Record


class Threads:
    """Sets a stat for each thing that is written: how often the event loop's thread did it, and another."""

    def __init__(self) -> None:
        self.counts = dict.fromkeys(
            (f"{what}/{who}" for what in ("store", "archive", "database") for who in ("loop", "other")), 0
        )
        SqliteStore.write = self._translating_errors("store", SqliteStore.write)  # type: ignore[method-assign]
        Location.write = self._translating_errors("archive", Location.write)  # type: ignore[method-assign]
        insert = self._translating_errors("database", ItemDatabase.insert)
        ItemDatabase.insert = insert  # type: ignore[method-assign]

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Threads:
        extension = cls()

        def close() -> None:
            assert crawler.stats is not None
            for name, count in extension.counts.items():
                crawler.stats.set_value(f"threads/{name}", count)

        crawler.signals.connect(close, signals.spider_closed, weak=False)
        return extension

    def _translating_errors(self, what: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def tell(*args: Any, **names: Any) -> Any:
            is_loop = threading.current_thread() is threading.main_thread()
            self.counts[f"{what}/{'loop' if is_loop else 'other'}"] += 1
            return function(*args, **names)

        return tell


class FullDisk:
    """From when it is built, every attempt to write Parquet fails for lack of room."""

    def __init__(self) -> None:
        def full(*_: object, **__: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        pyarrow.parquet.ParquetWriter = full


class FullTables:
    """From when it is asked, no row of a table of page types can be written for lack of room."""

    def update_settings(self, settings: BaseSettings) -> None:
        def full(*_: object, **__: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        table_files._flat = full  # type: ignore[assignment]


class SignalWhileReading:
    """From its third reading on an archive never ends, and each page sends the signal ``SHOP_SIGNAL``."""

    def update_settings(self, settings: BaseSettings) -> None:
        number, read, readings = settings.getint("SHOP_SIGNAL"), ArchiveReader.__iter__, itertools.count(1)

        def read_on(reader: ArchiveReader) -> Iterator[Record]:
            if next(readings) < 3:
                yield from read(reader)
                return
            while True:
                for record in read(reader):
                    yield record
                    os.kill(os.getpid(), number)

        ArchiveReader.__iter__ = read_on  # type: ignore[method-assign]
