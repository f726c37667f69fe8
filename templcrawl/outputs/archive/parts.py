"""The parts of an archive that can be read, and their files.

A part is a file of equal name in each table's folder.  One that is damaged is left out and named; one
that a newer version wrote, or whose columns are others, stops the reading, since its meaning is unknown.

Sixteen files are requested at a time, since each request to an object store takes a while.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from templcrawl.errors import InvalidOption
from templcrawl.outputs.archive.location import Location, locate
from templcrawl.outputs.archive.schema import (
    BODIES,
    LINKS,
    PAGE_TYPES,
    PAGELETS,
    PAGES,
    REPLACES_KEY,
    check_schema,
)
from templcrawl.outputs.arrow import load_pyarrow

ACCEPTED = "a crawl archive: a folder that TEMPLCRAWL_ARCHIVE has named, with pages/*.parquet in it"
LISTINGS = 4
"""How often an archive is listed whose parts are put together, and removed, before they are read."""

_ENDING = ".parquet"
_AT_A_TIME = 16

T = TypeVar("T")


class _Look(NamedTuple):
    """The footers of the files of a part.

    damage    name of a file that cannot be read and why, None where all can
    replaces  the parts that it was put together of
    """

    damage: tuple[str, str] | None
    replaces: list[str]


class Archive:
    """A crawl archive.

    location    where it lies
    parts       names of its parts, ascending
    unreadable  (name, reason) of each part that is left out, and of other files that cannot be read
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
        looks: dict[str, _Look] = {}
        for _ in range(LISTINGS):
            names = _names_or_refusal(uri, self.location, PAGES)
            if not names:
                raise InvalidOption("archive", uri, ACCEPTED)
            self._with_bodies = frozenset(_names_or_refusal(uri, self.location, BODIES))
            looks = dict(zip(names, for_each(names, self._look)))
            damaged = {name for name, look in looks.items() if look.damage}
            if not damaged or damaged.issubset(_names_or_refusal(uri, self.location, PAGES)):
                break
        self.has_bodies = bool(self._with_bodies)
        replaced = replaced_parts({name: look.replaces for name, look in looks.items()})
        self.unreadable: list[tuple[str, str]] = [
            look.damage for name, look in looks.items() if look.damage and name not in replaced
        ]
        self.parts = [name for name, look in looks.items() if not look.damage and name not in replaced]
        self.replaced = sorted(replaced)
        self.page_type_files: list[str] = []
        for name in _names_or_refusal(uri, self.location, PAGE_TYPES):
            if damage := self._schema(PAGE_TYPES, name)[1]:
                self.unreadable.append((f"{PAGE_TYPES}/{name}", damage))
            else:
                self.page_type_files.append(name)

    def _look(self, name: str) -> _Look:
        """Return the footers of the files of a part."""
        replaces: list[str] = []
        for table in self.tables_of(name):
            schema, damage = self._schema(table, name)
            if damage and table == BODIES:
                break
            if damage:
                return _Look((f"{table}/{name}", damage), [])
            if table == PAGES:
                replaces = (schema.metadata or {}).get(REPLACES_KEY, b"").decode().split()
        return _Look(None, replaces)

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
        arrow = load_pyarrow()

        def read_part(name: str) -> Any:
            return arrow.parquet.read_table(
                self.location.join(table, name),
                columns=list(columns),
                filesystem=self.location.filesystem,
                partitioning=None,
            )

        return arrow.concat_tables(for_each(self.parts, read_part))

    def tables_of(self, name: str) -> tuple[str, ...]:
        """Return the tables that a part has files of."""
        return (PAGES, LINKS, PAGELETS, *((BODIES,) if name in self._with_bodies else ()))

    def batches(self, table: str, name: str, columns: Sequence[str] | None, rows: int) -> Iterator[Any]:
        """Yield columns of a part, None: all, so many rows at a time; raises OSError, ArrowException."""
        arrow = load_pyarrow()
        with self.location.filesystem.open_input_file(self.location.join(table, name)) as source:
            file = arrow.parquet.ParquetFile(source)
            yield from file.iter_batches(batch_size=rows, columns=columns and list(columns))


def replaced_parts(replaces: Mapping[str, Sequence[str]]) -> set[str]:
    """Return the parts that do not count: those that another is in the place of.

    Of two that are in the place of one, by processes that knew nothing of each other, the first counts.

    replaces  part -> the parts that it was put together of; ascending

    >>> sorted(replaced_parts({"a-c1": ["a", "b"], "a-c2": ["a"], "a": [], "b": [], "c": []}))
    ['a', 'a-c2', 'b']
    """
    replaced: set[str] = set()
    for name, parts in replaces.items():
        if replaced.intersection(parts):
            replaced.add(name)
        else:
            replaced.update(parts)
    return replaced.intersection(replaces)


def for_each(names: Iterable[str], function: Callable[[str], T]) -> list[T]:
    """Return what a function makes of each name."""
    with ThreadPoolExecutor(_AT_A_TIME) as pool:
        return list(pool.map(function, names))


def is_archive(path: str | Path) -> bool:
    """Return whether a local folder is a crawl archive, by what it holds; without pyarrow."""
    return any(Path(path, PAGES).glob(f"*{_ENDING}"))


def part_names(location: Location, table: str = PAGES) -> list[str]:
    """Return the names of the files of a table, ascending."""
    arrow = load_pyarrow()
    selector = arrow.fs.FileSelector(location.join(table), allow_not_found=True)
    files = location.filesystem.get_file_info(selector)
    return sorted(
        info.base_name
        for info in files
        if info.type == arrow.fs.FileType.File and info.base_name.endswith(_ENDING)
    )


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
