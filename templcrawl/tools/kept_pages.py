"""Keep the pages of a finished crawl as a crawl keeps its own: new, changed or gone.

Cost: that of observing each page.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.memory.store import SqliteStore
from templcrawl.outputs.change_line import time_now
from templcrawl.outputs.page_file import PageFile, StoredPage
from templcrawl.page.page import Page
from templcrawl.page.saved_pages import CrawlReader, each_page
from templcrawl.state_file import StateFile

_SECONDS = 0.5  # between two lines of progress
_CONTENT_TYPE = "text/html; charset=utf-8"


def keep_pages(
    reader: CrawlReader,
    stored: PageFile,
    folder: Path,
    tell: Callable[[str], object],
    is_wanted: Callable[[str], bool],
    limit: int = 0,
) -> None:
    """Store the pages of a reader, and drop pages that it no longer has.

    folder     where what is learned is kept for later readings
    tell       shows how far it is
    is_wanted  whether the page of an address is stored
    limit      pages that are stored, 0 for all
    Raises TemplcrawlError, OSError.
    """
    stored.begin()
    kept: set[int] = set()
    file = StateFile(folder / "memory.sqlite")
    memory = CrawlMemory(MemoryOptions(sections={"changes": {}}), store=SqliteStore(file))

    def keep(page: Page) -> None:
        if not is_wanted(page.url) or (limit and len(kept) >= limit and page.key not in kept):
            return
        kept.add(page.key)
        seen = memory.observe(page, at=int(time.time()))
        stored.put(
            StoredPage(
                page.url,
                changed=seen.changed,
                content_hash=seen.content_hash,
                first_seen=seen.first_seen,
                last_changed=seen.last_changed,
                last_read=time_now(),
                body=page.text.encode("utf-8", "surrogatepass"),
                content_type=_CONTENT_TYPE,
                asked=page.url,
            )
        )

    try:
        each_page(reader, keep, "reading", tell=tell, seconds=_SECONDS)
        stored.drop_unread("it is not in the input")
        memory.save()
    finally:
        file.close()
