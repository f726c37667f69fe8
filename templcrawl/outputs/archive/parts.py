"""The parts of an archive that can be read, and their files.

A part is a file of equal name in each table's folder.  One that is damaged is left out and named; one
that a newer version wrote, or whose columns are others, stops the reading, since its meaning is unknown.

Sixteen files are requested at a time, since each request to an object store takes a while.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from templcrawl.errors import InvalidOption
from templcrawl.outputs.archive.location import ENDING, Location, locate
from templcrawl.outputs.archive.schema import (
    BODIES,
    FORMAT,
    FORMAT_KEY,
    LINKS,
    PAGE_TYPES,
    PAGELETS,
    PAGES,
    REPLACES_KEY,
    check_schema,
)
from templcrawl.outputs.arrow import load_pyarrow

ACCEPTED = "a crawl archive: a folder that TEMPLCRAWL_ARCHIVE has named, with pages/*.parquet in it"

_AT_A_TIME = 16

T = TypeVar("T")


class Archive:
    """A crawl archive.

    location    where it lies
    parts       names of its parts, ascending
    unreadable  (name, reason) of each part that is left out, and of other files that cannot be read
    format      the lowest number of a format that its parts have
    replaced    names of parts that do not count, since others are in their place
    page_type_files  names of the files of PAGE_TYPES that can be read
    has_bodies  whether it holds the HTML of pages
    """

    def __init__(self, uri: str) -> None:
        """Open an archive and look at the end of every file.

        Raises InvalidOption if there is none, InvalidSnapshot if a newer version, or none, wrote it,
        MissingExtra.
        """
        self.location = locate(uri)
        names = _names_or_refusal(uri, self.location, PAGES)
        if not names:
            raise InvalidOption("archive", uri, ACCEPTED)
        self._with_bodies = frozenset(_names_or_refusal(uri, self.location, BODIES))
        self.has_bodies = bool(self._with_bodies)
        self.format = FORMAT
        looks = dict(zip(names, for_each(names, self._look)))
        replaced = {other for _, replaces in looks.values() for other in replaces}
        counting = {name: damage for name, (damage, _) in looks.items() if name not in replaced}
        self.unreadable: list[tuple[str, str]] = [damage for damage in counting.values() if damage]
        self.parts = [name for name, damage in counting.items() if not damage]
        self.replaced = sorted(replaced.intersection(names))
        self.page_type_files: list[str] = []
        for name in _names_or_refusal(uri, self.location, PAGE_TYPES):
            if damage := self._schema(PAGE_TYPES, name)[1]:
                self.unreadable.append((f"{PAGE_TYPES}/{name}", damage))
            else:
                self.page_type_files.append(name)

    def _look(self, name: str) -> tuple[tuple[str, str] | None, list[str]]:
        """Return the damage of a part, (file, reason) or None, and the parts that it was put together of."""
        replaces: list[str] = []
        for table in self.tables_of(name):
            schema, damage = self._schema(table, name)
            if damage and table != BODIES:
                return (f"{table}/{name}", damage), []
            if table == PAGES:
                replaces = schema.metadata.get(REPLACES_KEY, b"").decode().split()
                if int(schema.metadata[FORMAT_KEY]) < self.format:  # several threads look
                    self.format = int(schema.metadata[FORMAT_KEY])
        return None, replaces

    def _schema(self, table: str, name: str) -> tuple[Any, str]:
        """Return the schema of a file, or why it cannot be read.  Raises InvalidSnapshot."""
        arrow, path = load_pyarrow(), self.location.join(table, name)
        try:
            schema = arrow.parquet.read_schema(path, filesystem=self.location.filesystem)
        except (OSError, arrow.ArrowException) as error:
            return None, first_line(error)
        check_schema(table, schema, self.location.address(table, name))
        return schema, ""

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

    def batches(self, table: str, name: str, columns: Sequence[str] | None, rows: int) -> Iterator[Any]:
        """Yield columns of a part, None: all, so many rows at a time; raises OSError, ArrowException."""
        arrow = load_pyarrow()
        with self.location.filesystem.open_input_file(self.location.join(table, name)) as source:
            file = arrow.parquet.ParquetFile(source)
            yield from file.iter_batches(batch_size=rows, columns=columns and list(columns))


def for_each(names: Iterable[str], function: Callable[[str], T]) -> list[T]:
    """Return what a function makes of each name."""
    with ThreadPoolExecutor(_AT_A_TIME) as pool:
        return list(pool.map(function, names))


def is_archive(path: str | Path) -> bool:
    """Return whether a local folder is a crawl archive, by what it holds; without pyarrow."""
    return any(Path(path, PAGES).glob(f"*{ENDING}"))


def part_names(location: Location, table: str = PAGES) -> list[str]:
    """Return the names of the files of a table, ascending."""
    return [info.base_name for info in location.parquet_files(table)]


def _names_or_refusal(uri: str, location: Location, table: str) -> list[str]:
    """Return the names of the files of a table; raises InvalidOption where nothing can be looked into."""
    arrow = load_pyarrow()
    try:
        return part_names(location, table)
    except (OSError, arrow.ArrowException) as error:
        raise InvalidOption("archive", uri, f"{ACCEPTED} ({first_line(error)})") from error


def first_line(error: Exception) -> str:
    """Return the first line of the text of an error, or its name."""
    return (str(error).splitlines() or [type(error).__name__])[0]
