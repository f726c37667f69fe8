"""The reader of the pages that an archive stores.

Cost: O(size of the bodies).  Memory: a page as it was stored, and the addresses of a part.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from templcrawl.errors import InvalidOption
from templcrawl.outputs.archive.parts import Archive, first_line
from templcrawl.outputs.archive.schema import BODIES, PAGES
from templcrawl.outputs.arrow import load_pyarrow
from templcrawl.page.records import MAX_BYTES, Record, Unreadable

_LONGEST_URL = 2**16
_MOST_URLS = 2**26  # characters of the addresses of a part


class ArchiveReader:
    """The pages of an archive, a :class:`~templcrawl.page.records.CrawlReader`.

    A few kilobytes may unpack to many pages of any size.  So a page longer than ``max_bytes`` is named, not
    read, and so is a part with more than that in a row group (``MAX_UNPACKED``).

    uri        its location
    max_bytes  bytes of a page that are read
    Raises InvalidOption if it is not an archive or has no bodies, InvalidSnapshot, MissingExtra.
    """

    unit = "parts"

    def __init__(self, uri: str, *, max_bytes: int = MAX_BYTES) -> None:
        self._archive = Archive(uri)
        if not self._archive.names[BODIES]:
            wanted = "an archive with bodies (TEMPLCRAWL_ARCHIVE_BODIES = True)"
            raise InvalidOption("input", uri, wanted)
        self.total = len(self._archive.parts)
        self.max_bytes = max_bytes
        self.done = self.capped = 0
        self.unreadable = Unreadable()

    def __iter__(self) -> Iterator[Record]:
        """Yield its pages, in the order in which they were observed."""
        self.done = 0
        self.unreadable = Unreadable(self._archive.unreadable)
        for part in self._archive.parts:
            self.done += 1
            try:
                yield from self._records(part)
            except (OSError, load_pyarrow().ArrowException) as error:
                self.unreadable.add(f"{BODIES}/{part}", first_line(error))

    def _records(self, part: str) -> Iterator[Record]:
        urls: dict[int, str] = {}
        room = _MOST_URLS
        for row in self._archive.batches(PAGES, part, 1, ["page", "url"]):
            row.validate(full=True)
            url = row["url"][0].as_py()
            room -= len(url)
            if len(url) <= _LONGEST_URL and room > 0:
                urls[row["page"][0].as_py()] = url
        # by map, so that no row is kept while the next one is unpacked
        for page, size, html in map(self._cells, self._archive.batches(BODIES, part, 1, ["page", "html"])):
            name = f"{BODIES}/{part}, {urls.get(page) or page}"
            if size > self.max_bytes:
                self.unreadable.add(name, f"its page has {size:,} bytes; {self.max_bytes:,} are the most")
            elif page in urls and html is not None:
                yield Record(urls[page], html, "text/html; charset=utf-8")
            else:
                self.unreadable.add(name, "a damaged row")

    def _cells(self, row: Any) -> tuple[int, int, bytes | None]:
        """Return the page of a row of BODIES, and its HTML: how many bytes, and which if they are text."""
        html = row["html"].view(load_pyarrow().binary())[0]
        size = len(html.as_buffer()) if html.is_valid else 0
        is_text = html.is_valid and size <= self.max_bytes and _is_utf_8(html.as_py())
        return row["page"][0].as_py(), size, html.as_py() if is_text else None


def _is_utf_8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
