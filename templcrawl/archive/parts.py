"""The parts of an archive that can be read, and their files.

A part is a file of equal name in each table's folder.  One that is damaged is left out and named; one
that a newer version wrote stops the reading, for nobody knows what it means.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from templcrawl.archive.location import Location, locate
from templcrawl.archive.schema import BODIES, LINKS, PAGELETS, PAGES, check_format, load_pyarrow
from templcrawl.errors import InvalidOption

ACCEPTED = "a crawl archive: a folder that TEMPLCRAWL_ARCHIVE has named, with pages/*.parquet in it"
_ENDING = ".parquet"


class Archive:
    """A crawl archive.

    location    where it lies
    parts       names of its parts, ascending
    unreadable  (name, reason) of each part that is left out
    has_bodies  whether it holds the HTML of pages
    """

    def __init__(self, uri: str) -> None:
        """Open an archive and look at the end of every file.

        Raises InvalidOption if there is none, InvalidSnapshot if a newer version wrote it, MissingExtra.
        """
        self.location = locate(uri)
        names = part_names(self.location)
        if not names:
            raise InvalidOption("archive", uri, ACCEPTED)
        self.has_bodies = bool(part_names(self.location, BODIES))
        self.unreadable: list[tuple[str, str]] = []
        self.parts = [name for name in names if self._is_readable(name)]

    def _is_readable(self, name: str) -> bool:
        """Say whether a part is whole; note why it is not."""
        arrow = load_pyarrow()
        for table in (PAGES, LINKS, PAGELETS):
            try:
                schema = arrow.parquet.read_schema(
                    self.location.join(table, name), filesystem=self.location.filesystem
                )
            except (OSError, arrow.ArrowException) as error:
                self.unreadable.append((f"{table}/{name}", first_line(error)))
                return False
            check_format(schema.metadata, self.location.address(table, name))
        return True

    def files(self, table: str) -> list[str]:
        """Return the addresses of the files of a table."""
        return [self.location.address(table, name) for name in self.parts]

    def read(self, table: str, columns: Sequence[str]) -> Any:
        """Return columns of a whole table as a PyArrow table."""
        arrow = load_pyarrow()
        tables = [
            arrow.parquet.read_table(
                self.location.join(table, name),
                columns=list(columns),
                filesystem=self.location.filesystem,
                partitioning=None,
            )
            for name in self.parts
        ]
        return arrow.concat_tables(tables)

    def batches(self, table: str, name: str, columns: Sequence[str], rows: int) -> Iterator[Any]:
        """Yield columns of a part, so many rows at a time; raises OSError, ArrowException."""
        arrow = load_pyarrow()
        with self.location.filesystem.open_input_file(self.location.join(table, name)) as source:
            file = arrow.parquet.ParquetFile(source)
            yield from file.iter_batches(batch_size=rows, columns=list(columns))


def is_archive(path: str | Path) -> bool:
    """Say whether a local folder is a crawl archive, by what it holds; without pyarrow."""
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


def first_line(error: Exception) -> str:
    """Return the first line of what an error says, or its name."""
    return (str(error).splitlines() or [type(error).__name__])[0]
