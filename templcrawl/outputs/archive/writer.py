"""Write an archive, a part at a time.

Rows are buffered until a part is full.  A kill at any moment, or a full disk, leaves the parts that were
whole before.  If a part cannot be written, writing is tried again with the pages that follow.  After four
failures, whatever the error, the buffered pages are dropped and counted as lost.

Each page is written once: the keys of all pages of the archive are kept, including those of earlier runs.
Several writers may write to one archive if no page is given to two of them.

A writer is used by one thread at a time.

Cost: O(size of the rows), however many pages the archive has.  Memory: the rows of a part (of four, while
nothing can be written), 100,000 typed leaves, as many unread pages, and some 20 bytes for each page of the
archive.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from typing import Any

import numpy as np

from templcrawl.memory.page_types import TypedLeaf
from templcrawl.memory.sections import UnreadPage
from templcrawl.outputs.archive.archive_parts import Archive
from templcrawl.outputs.archive.location import ENDING, locate, run_name
from templcrawl.outputs.archive.tables import (
    BODIES,
    LEFT,
    LINKS,
    NOT_MODIFIED,
    PAGE_TYPES,
    PAGELETS,
    PAGES,
    UNREAD,
    PageRows,
    Row,
    record_batches,
    table_schema,
)
from templcrawl.outputs.arrow import load_pyarrow
from templcrawl.page.text import storable

PART_PAGES = 1_000
PART_CHARACTERS = 64 * 2**20  # a part is also full at so many characters of text and HTML
MAX_LEAVES = 100_000  # typed leaves, and unread pages, that are buffered, some 20 MB each

_PATIENCE = 4


class ArchiveWriter:
    """Adds pages to an archive.

    counts    table -> rows written by this writer
    parts     parts written by this writer
    lost      pages given up
    settled   what was handed in with pages that are in a part, or were before
    is_alone  whether no other writer had locked the archive when it was opened
    """

    def __init__(self, uri: str, *, part_pages: int = PART_PAGES, bodies: bool = False) -> None:
        """Open an archive, or begin one.

        part_pages  pages of a part
        bodies      whether the HTML of pages is kept
        Raises InvalidOption, InvalidSnapshot if it has another format, MissingExtra, OSError.
        """
        self._location, self._run = locate(uri), run_name()
        self._part_pages = part_pages
        self._tables = (*((BODIES,) if bodies else ()), LINKS, PAGELETS, PAGES)
        self._stored = PageKeys()
        self._leaves: dict[str, TypedLeaf] = {}
        self._unread: list[UnreadPage] = []
        self._crawl_files = self.parts = self.lost = 0
        self.settled: deque[Any] = deque()
        self.counts = dict.fromkeys(self._tables, 0)
        self._clear()
        with _os_errors():
            try:
                self.is_alone, self._lock = True, self._location.lock("_first.lock")
            except BlockingIOError:
                self.is_alone, self._lock = False, None
            for table in self._tables:
                self._try_folder(table)
            if not self._location.names(PAGES):
                return
            archive = Archive(uri)
            if archive.parts:
                self._stored.add(archive.read(PAGES, ["page"])["page"].to_numpy())

    def _try_folder(self, table: str) -> None:
        """Make the folder of a table, and raise OSError where no file can be written into it."""
        filesystem, path = self._location.filesystem, self._location.join(table, f"_{self._run}")
        filesystem.create_dir(self._location.join(table), recursive=True)
        with filesystem.open_output_stream(path) as file:
            file.write(b"\n")
        filesystem.delete_file(path)

    def _clear(self) -> None:
        self._buffer: dict[str, list[Row]] = {table: [] for table in self._tables}
        self._keys: dict[int, Any] = {}  # page -> what was handed in with it
        self._characters = self._failures = 0
        self._due = self._part_pages

    def __contains__(self, key: int) -> bool:
        """Return whether the archive has a page, or is about to."""
        return key in self._keys or key in self._stored

    @property
    def buffered(self) -> int:
        """How many pages are buffered."""
        return len(self._keys)

    def add(self, rows: PageRows, about: Any = None) -> bool:
        """Add a page unless the archive has it; return whether it was new.

        about  goes to ``settled`` once the page is in a part
        Raises OSError if a part was full and could not be written.
        """
        (page,), (body,) = rows[PAGES], rows[BODIES]
        if page[0] in self:
            self.settled.append(about)
            return False
        self._keys[page[0]] = about
        for table in self._tables:
            self._buffer[table] += rows[table]
        self._characters += len(body[1])
        if self.buffered >= self._due or self._characters >= PART_CHARACTERS:
            self.flush()
        return True

    def flush(self) -> None:
        """Write what is buffered as a part; raises OSError, or what else there is, if that fails."""
        if not self._keys:
            return
        try:
            self._write(self.parts, self._buffer)
        except Exception:
            self._characters = 0
            self._due = self.buffered + self._part_pages
            self._failures += 1
            if self._failures == _PATIENCE:
                self._give_up()
            raise
        self.parts += 1
        for table, rows in self._buffer.items():
            self.counts[table] += len(rows)
        self._stored.add(np.fromiter(self._keys, dtype=np.int64))
        self.settled.extend(self._keys.values())
        self._clear()

    def _give_up(self) -> None:
        self.lost += self.buffered
        self._clear()

    def _write(self, number: int, tables: Mapping[str, Sequence[Row]]) -> None:
        with _os_errors():
            batches = {
                table: (table_schema(table), record_batches(table, rows)) for table, rows in tables.items()
            }
            self._location.write(f"{self._run}-{number:06d}{ENDING}", batches)

    def add_page_types(self, leaves: Iterable[TypedLeaf]) -> None:
        """Add the page types of leaves of some sites; raises OSError where many cannot be written."""
        self._leaves.update((leaf.leaf_id, leaf) for leaf in leaves)
        if len(self._leaves) >= MAX_LEAVES:
            self._write_page_types()

    def _write_page_types(self) -> None:
        """Write the buffered leaves, if the archive has pages; those that cannot be written are lost."""
        leaves, self._leaves = self._leaves, {}
        if not leaves or not len(self._stored):
            return
        now = datetime.now(timezone.utc)
        rows = [
            (storable(leaf.leaf_id), storable(leaf.page_type), leaf.pages, leaf.kind or "", now)
            for _, leaf in sorted(leaves.items())
        ]
        self._write_of_crawl(PAGE_TYPES, rows)

    def _write_of_crawl(self, table: str, rows: Sequence[Row]) -> None:
        self._try_folder(table)
        self._write(self._crawl_files, {table: rows})
        self._crawl_files += 1

    def add_unread(self, pages: Iterable[UnreadPage]) -> None:
        """Add pages that the crawl has not read; raises OSError where many cannot be written."""
        self._unread += pages
        if len(self._unread) >= MAX_LEAVES:
            self._write_unread()

    def _write_unread(self) -> None:
        """Write the buffered unread pages, if the archive has pages; those that cannot be are lost."""
        pages, self._unread = self._unread, []
        if not pages or not len(self._stored):
            return
        now, utc = datetime.now(timezone.utc), timezone.utc
        rows = [
            (storable(url), NOT_MODIFIED if is_unmodified else LEFT, datetime.fromtimestamp(last, utc), now)
            for url, is_unmodified, last in pages
        ]
        self._write_of_crawl(UNREAD, rows)

    def close(self, leaves: Iterable[TypedLeaf] = ()) -> None:
        """Write what is buffered; what cannot be written now is lost.  Raises OSError, or what else there is.

        leaves  page types of the crawl, written if the archive has pages
        """
        try:
            self.flush()
            self._leaves.update((leaf.leaf_id, leaf) for leaf in leaves)
            self._write_page_types()
            self._write_unread()
        except Exception:
            self._give_up()
            raise
        finally:
            if self._lock is not None:
                self._lock.release()


@contextmanager
def _os_errors() -> Iterator[None]:
    try:
        yield
    except load_pyarrow().ArrowException as error:
        if isinstance(error, OSError):
            raise
        raise OSError(str(error)) from error


class PageKeys:
    """The keys of an archive's pages: most of them sorted, the later ones in a set until they are many.

    Cost: O(1) a key on average, at times O(n) for a merge (some 50 ms at 3 million keys); a look-up,
    O(log n).  Memory: 8 bytes a key, and some 80 for one in eight.

    >>> stored = PageKeys()
    >>> stored.add(np.array([7, -3]))
    >>> 7 in stored, 8 in stored, len(stored)
    (True, False, 2)
    """

    def __init__(self) -> None:
        self._sorted, self._later = np.empty(0, dtype=np.int64), set[int]()

    def __len__(self) -> int:
        return len(self._sorted) + len(self._later)

    def __contains__(self, key: int) -> bool:
        index = int(self._sorted.searchsorted(key))
        return key in self._later or (index < len(self._sorted) and int(self._sorted[index]) == key)

    def add(self, keys: Any) -> None:
        """Add an array of keys that are not yet in the set."""
        if 8 * (len(self._later) + len(keys)) <= len(self._sorted):
            self._later.update(keys.tolist())
        else:
            later = np.fromiter(self._later, dtype=np.int64)
            self._sorted = np.sort(np.concatenate((self._sorted, later, keys)))
            self._later = set()
