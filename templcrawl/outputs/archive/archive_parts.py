"""The parts of an archive: which of them count, and the readers of their tables and of the pages they store.

*A part* counts once its file of PAGES is there (:mod:`templcrawl.outputs.archive.location`).

*Damage.*  A part that cannot be read is left out and named.  A part of another format, or with other columns,
stops the reading, since its meaning is unknown.  A few kilobytes may unpack to gigabytes: a row group that
unpacks to more than ``MAX_UNPACKED`` bytes is damage, too.

Cost: the end of each file is read, sixteen at a time, since each request to an object store takes a while;
the reader of pages, O(size of the bodies).  Memory: a row group; of the reader of pages, a page as it was
stored, and the addresses of a part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Any

from templcrawl.errors import InvalidOption
from templcrawl.outputs.archive.location import ENDING, locate
from templcrawl.outputs.archive.tables import (
    BODIES,
    CRAWL_TABLES,
    LINKS,
    NOT_MODIFIED,
    PAGE_TYPES,
    PAGELETS,
    PAGES,
    TABLES,
    UNREAD,
    check_schema,
)
from templcrawl.outputs.arrow import load_pyarrow
from templcrawl.page.saved_pages import MAX_BYTES, Record, Unreadable

ACCEPTED = "a crawl archive: a folder that TEMPLCRAWL_ARCHIVE has named, with pages/*.parquet in it"

# A row of its own may be longer than a row group that is written.  PyArrow takes up to thrice as much as it
# unpacks.
MAX_UNPACKED = 2**27
_AT_A_TIME = 16
_LONGEST_URL = 2**16
_MAX_URLS = 2**26  # characters of the addresses of a part


def first_line(error: Exception) -> str:
    """Return the first line of the text of an error, or its name."""
    return (str(error).splitlines() or [type(error).__name__])[0]


def is_archive(path: str | Path) -> bool:
    """Return whether a local folder is a crawl archive, by what it holds; without pyarrow."""
    return any(Path(path, PAGES).glob(f"*{ENDING}"))


def unpacked_size(group: Any, columns: Sequence[str] | None = None) -> int:
    """Return the bytes of some columns of a row group, of all for None."""
    chunks = [group.column(number) for number in range(group.num_columns)]
    wanted = [chunk for chunk in chunks if columns is None or chunk.path_in_schema in columns]
    return sum(int(chunk.total_uncompressed_size) for chunk in wanted)


class Archive:
    """A crawl archive.

    location    where it lies
    names       table -> names of its files, ascending, those that do not count too
    parts       names of its parts, ascending
    unreadable  (name, reason) of each part that is left out, and of other files that cannot be read
    page_type_files, unread_files  names of the files of PAGE_TYPES, and of UNREAD, that can be read
    """

    def __init__(self, uri: str) -> None:
        """Open an archive and look at the end of every file.

        Raises InvalidOption if there is none, InvalidSnapshot if a part has another format or none,
        MissingExtra.
        """
        self.location = locate(uri)
        try:
            self.names = {table: self.location.names(table) for table in (*TABLES, *CRAWL_TABLES)}
        except (OSError, load_pyarrow().ArrowException) as error:
            raise InvalidOption("archive", uri, f"{ACCEPTED} ({first_line(error)})") from error
        if not self.names[PAGES]:
            raise InvalidOption("archive", uri, ACCEPTED)
        self._with_bodies = frozenset(self.names[BODIES])
        names = self.names[PAGES]
        with ThreadPoolExecutor(_AT_A_TIME) as pool:
            looks = dict(zip(names, pool.map(self._look, names, map(self.tables_of, names))))
            typed, unread = (
                dict(zip(self.names[table], pool.map(self._look, self.names[table], repeat((table,)))))
                for table in (PAGE_TYPES, UNREAD)
            )
        self.parts = [name for name, damage in looks.items() if not damage]
        self.page_type_files = [name for name, damage in typed.items() if not damage]
        self.unread_files = [name for name, damage in unread.items() if not damage]
        looked = (*looks.values(), *typed.values(), *unread.values())
        self.unreadable = [damage for damage in looked if damage]

    def _look(self, name: str, tables: Sequence[str]) -> tuple[str, str] | None:
        """Return (file, reason) if a file of a part is damaged, else None.

        Damaged bodies cost their part no other table.  Raises InvalidSnapshot.
        """
        arrow, location = load_pyarrow(), self.location
        for table in tables:
            try:
                schema = arrow.parquet.read_schema(location.join(table, name), filesystem=location.filesystem)
            except (OSError, arrow.ArrowException) as error:
                if table == BODIES:
                    continue
                return f"{table}/{name}", first_line(error)
            check_schema(table, schema, location.address(table, name))
        return None

    def files(self, table: str) -> list[str]:
        """Return the addresses of the files of a table."""
        return [self.location.address(table, name) for name in self.parts]

    def read(self, table: str, columns: Sequence[str]) -> Any:
        """Return columns of a whole table as a PyArrow table."""
        return load_pyarrow().parquet.read_table(
            [self.location.join(table, name) for name in self.parts],
            columns=list(columns),
            filesystem=self.location.filesystem,
            partitioning=None,
        )

    def tables_of(self, name: str) -> tuple[str, ...]:
        """Return the tables that a part has files of."""
        return (PAGES, LINKS, PAGELETS, *((BODIES,) if name in self._with_bodies else ()))

    def batches(
        self, table: str, name: str, rows: int, columns: Sequence[str] | None = None
    ) -> Iterator[Any]:
        """Yield columns of a part, None: all, so many rows at a time.

        Raises OSError, ArrowException; OSError instead of unpacking more than ``MAX_UNPACKED`` bytes.
        """
        with self.location.filesystem.open_input_file(self.location.join(table, name)) as source:
            file = load_pyarrow().parquet.ParquetFile(source)
            for number in range(file.num_row_groups):
                group = file.metadata.row_group(number)
                if (size := unpacked_size(group, columns)) > MAX_UNPACKED:
                    raise OSError(f"{group.num_rows} rows are too large: they unpack to {size:,} bytes")
                yield from file.iter_batches(
                    rows, row_groups=[number], columns=columns and list(columns), use_threads=False
                )


class ArchiveReader:
    """The pages of an archive, a :class:`~templcrawl.page.saved_pages.CrawlReader`.

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
            wanted = "an archive with bodies (one of TEMPLCRAWL_ARCHIVE without #without-bodies)"
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

    def unread(self) -> Iterator[tuple[str, bool]]:
        """Yield the addresses of pages that its crawls have not read, and whether they were not modified."""
        for name in self._archive.unread_files:
            try:
                for rows in self._archive.batches(UNREAD, name, 1_024, ["url", "why"]):
                    for row in rows.to_pylist():
                        yield row["url"], row["why"] == NOT_MODIFIED
            except (OSError, load_pyarrow().ArrowException) as error:
                self.unreadable.add(f"{UNREAD}/{name}", first_line(error))

    def _records(self, part: str) -> Iterator[Record]:
        urls: dict[int, str] = {}
        room = _MAX_URLS
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
