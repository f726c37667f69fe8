"""Write an archive, a part at a time.

Rows are buffered until a part is full.  Its files are written aside, then renamed into their folders, the one
of PAGES last: a kill at any moment, or a full disk, leaves the parts that were whole before
(see :mod:`templcrawl.outputs.archive.schema`).  A part that cannot be written is tried again with the pages
that follow; when that has failed four times, whatever the error, the buffered pages are dropped and counted
as lost.

A page is written once: the keys of all pages of the archive are kept, those of earlier runs too
(:class:`PageKeys`).  Several writers may write into one archive if each
gets pages that no other gets.

A writer is used by one thread at a time.

Cost: O(size of the rows), however many pages the archive has.  Memory: the rows of a part (of four, while
nothing can be written), 100,000 typed leaves, and 8 bytes for each page of the archive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timezone

import numpy as np
import numpy.typing as npt

from templcrawl.errors import InvalidOption
from templcrawl.memory.page_types import TypedLeaf
from templcrawl.outputs.archive.location import (
    ASIDE,
    ENDING,
    WRITERS,
    locate,
    lock_archive,
    run_name,
    sweep_aside,
)
from templcrawl.outputs.archive.parts import Archive, part_names
from templcrawl.outputs.archive.rows import PageRows, Row
from templcrawl.outputs.archive.schema import (
    BODIES,
    FORMAT,
    LINKS,
    PAGE_TYPES,
    PAGELETS,
    PAGES,
    ROW_GROUPS,
    to_arrow,
)
from templcrawl.outputs.arrow import load_pyarrow
from templcrawl.page.text import storable

PART_PAGES = 1_000
PART_CHARACTERS = 64 * 2**20  # a part is also full at so many characters of text and HTML

MAX_LEAVES = 100_000  # typed leaves that are buffered, some 20 MB

_PATIENCE = 4

Keys = npt.NDArray[np.int64]


class ArchiveWriter:
    """Adds pages to an archive.

    counts  table -> rows written by this writer
    parts   parts written by this writer
    lost    pages given up
    is_alone  whether no other writer had locked the archive when it was opened
    """

    def __init__(
        self, uri: str, *, part_pages: int = PART_PAGES, bodies: bool = False, max_leaves: int = MAX_LEAVES
    ) -> None:
        """Open an archive, or begin one.

        part_pages  pages of a part
        bodies      whether the HTML of pages is kept
        max_leaves  typed leaves that are buffered
        Raises InvalidOption, InvalidSnapshot if a newer version wrote it, MissingExtra, OSError.
        """
        self._arrow = load_pyarrow()
        self._location = locate(uri)
        self._part_pages = part_pages
        self._max_leaves = max_leaves
        self._leaves: dict[str, TypedLeaf] = {}
        self._leaf_files = 0
        self._tables = (*((BODIES,) if bodies else ()), LINKS, PAGELETS, PAGES)
        self._run = run_name()
        with self._os_errors():
            for folder in (*self._tables, ASIDE):
                self._location.filesystem.create_dir(self._location.join(folder), recursive=True)
            try:
                shared = lock_archive(self._location, WRITERS, shared=True)
            except BlockingIOError as error:
                raise InvalidOption("archive", uri, "one that is not compacted meanwhile") from error
            try:
                self.is_alone, first = True, lock_archive(self._location, "archive.lock")
            except BlockingIOError:
                self.is_alone, first = False, None
            self._locks = [lock for lock in (first, shared) if lock is not None]
            sweep_aside(self._location)
            self._try_folders()
            self._stored = PageKeys()
            archive = Archive(uri) if part_names(self._location) else None
            if archive is not None and archive.format < FORMAT:
                wanted = f"a new folder; the pages of this archive have keys of format {archive.format}"
                raise InvalidOption("archive", uri, wanted)
            if archive is not None and archive.parts:
                self._stored.add(np.unique(archive.read(PAGES, ["page"])["page"].to_numpy()))
        self.parts = 0
        self.lost = 0
        self.counts = dict.fromkeys(self._tables, 0)
        self._clear()

    def _try_folders(self) -> None:
        """Raise OSError where a file cannot be written into a table's folder; leave none there."""
        filesystem = self._location.filesystem
        for table in (*self._tables, ASIDE):
            path = self._location.join(table, f"_{self._run}")
            with filesystem.open_output_stream(path) as file:
                file.write(b"\n")
            filesystem.delete_file(path)

    def _clear(self) -> None:
        self._buffer: dict[str, list[Row]] = {table: [] for table in self._tables}
        self._keys: set[int] = set()
        self._characters = 0
        self._due = self._part_pages
        self._failures = 0

    def __contains__(self, key: int) -> bool:
        """Return whether the archive has a page, or is about to."""
        return key in self._keys or key in self._stored

    @property
    def buffered(self) -> int:
        """How many pages are buffered."""
        return len(self._keys)

    def add(self, rows: PageRows) -> bool:
        """Add a page unless the archive has it; return whether it was new.

        Raises OSError if a part was full and could not be written.
        """
        if rows.key in self:
            return False
        self._keys.add(rows.key)
        for table in self._tables:
            self._buffer[table] += rows.of(table)
        self._characters += len(rows.bodies[1])
        if self.buffered >= self._due or self._characters >= PART_CHARACTERS:
            self.flush()
        return True

    def flush(self) -> None:
        """Write what is buffered as a part; raises OSError, or what else there is, if that fails."""
        if not self._keys:
            return
        name = f"{self._run}-{self.parts:06d}{ENDING}"
        try:
            self._write(name, self._buffer)
        except Exception:
            self._characters = 0
            self._due = self.buffered + self._part_pages
            self._failures += 1
            if self._failures == _PATIENCE:
                self.lost += self.buffered
                self._clear()
            raise
        self.parts += 1
        for table, rows in self._buffer.items():
            self.counts[table] += len(rows)
        self._stored.add(np.fromiter(self._keys, dtype=np.int64))
        self._clear()

    def _write(self, name: str, tables: Mapping[str, Sequence[Row]]) -> None:
        """Write a file of each table aside, then rename all into place, in this order.  Raises OSError."""
        filesystem, join = self._location.filesystem, self._location.join
        aside = {table: join(ASIDE, f"{table}-{name}") for table in tables}
        try:
            with self._os_errors():
                for table, path in aside.items():
                    self._arrow.parquet.write_table(
                        to_arrow(table, tables[table]),
                        path,
                        compression="zstd",
                        filesystem=filesystem,
                        row_group_size=ROW_GROUPS.get(table),
                    )
                for table, path in aside.items():
                    filesystem.move(path, join(table, name))
        except BaseException:
            for path in aside.values():
                with suppress(OSError, self._arrow.ArrowException):
                    filesystem.delete_file(path)
            raise

    @contextmanager
    def _os_errors(self) -> Iterator[None]:
        try:
            yield
        except self._arrow.ArrowException as error:
            if isinstance(error, OSError):
                raise
            raise OSError(str(error)) from error

    def add_page_types(self, leaves: Iterable[TypedLeaf]) -> None:
        """Add the page types of leaves of some sites; raises OSError where many cannot be written."""
        self._leaves.update((leaf.leaf_id, leaf) for leaf in leaves)
        if len(self._leaves) >= self._max_leaves:
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
        with self._os_errors():
            self._location.filesystem.create_dir(self._location.join(PAGE_TYPES), recursive=True)
        self._write(f"{self._run}-{self._leaf_files:06d}{ENDING}", {PAGE_TYPES: rows})
        self._leaf_files += 1

    def close(self, leaves: Iterable[TypedLeaf] = ()) -> None:
        """Write what is buffered; what cannot be written now is lost.  Raises OSError, or what else there is.

        leaves  page types of the crawl, written if the archive has pages
        """
        try:
            self.flush()
            self._leaves.update((leaf.leaf_id, leaf) for leaf in leaves)
            self._write_page_types()
        except Exception:
            self.lost += self.buffered
            self._clear()
            raise
        finally:
            for lock in self._locks:
                lock.release()


class PageKeys:
    """The keys of an archive's pages, as sorted runs that are merged (a log-structured merge).

    A part adds a run.  A run is merged into the one before unless that is more than twice as long, so that n
    keys lie in log2(n) runs at most, and each key is merged log2(n) times.

    Cost: a part of p keys, O(p log n) on average, at times O(n) for a merge (some 50 ms at 3 million keys); a
    look-up, O(log^2 n).  Memory: 8 bytes a key, three times that while the two longest runs are merged.

    runs  the keys, ascending in each run, the longest run first

    >>> stored = PageKeys()
    >>> stored.add(np.array([7, -3]))
    >>> 7 in stored, 8 in stored, len(stored)
    (True, False, 2)
    """

    def __init__(self) -> None:
        self.runs: list[Keys] = []

    def __len__(self) -> int:
        return sum(map(len, self.runs))

    def __contains__(self, key: int) -> bool:
        for run in self.runs:
            index = int(run.searchsorted(key))
            if index < len(run) and int(run[index]) == key:
                return True
        return False

    def add(self, keys: Keys) -> None:
        """Add keys, each once, of which none is in the set."""
        run = np.sort(keys)
        while self.runs and len(self.runs[-1]) <= 2 * len(run):
            run = np.concatenate((self.runs.pop(), run))
            run.sort(kind="stable")
        if len(run):
            self.runs.append(run)
