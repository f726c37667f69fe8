"""The parts of an archive: where they lie, how they are written whole, and which of them can be read.

*A part* is a file of equal name in each table's folder.  Its files are written under names that no reader
looks at, then renamed into place, the one of PAGES last.  It counts once that one is there.  A part that
others were put together to (:mod:`templcrawl.outputs.archive.compaction`) names them in its file of PAGES,
and they count no longer.

*Damage.*  A part that cannot be read is left out and named.  One of another format, or whose columns
are others, stops the reading, since its meaning is unknown.  A few kilobytes may unpack to gigabytes: a row
group that unpacks to more than ``MAX_UNPACKED`` bytes is damage, too.

*Place.*  A local folder, or a URI of any file system that PyArrow has.  Only a local one has locks.

Cost: the end of each file is read, sixteen at a time, since each request to an object store takes a while.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime, timezone
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from templcrawl.errors import InvalidOption
from templcrawl.files import FileLock
from templcrawl.outputs.archive.schema import (
    BODIES,
    CRAWL_TABLES,
    LINKS,
    PAGE_TYPES,
    PAGELETS,
    PAGES,
    REPLACES_KEY,
    TABLES,
    check_schema,
)
from templcrawl.outputs.arrow import gathered, load_pyarrow

ACCEPTED = "a crawl archive: a folder that TEMPLCRAWL_ARCHIVE has named, with pages/*.parquet in it"
ENDING = ".parquet"
UNFINISHED = f"{ENDING}.part"  # behind a "_": neither engines nor *.parquet match it
WRITERS = "_writers.lock"  # shared by the crawls that write into an archive; a compaction has it alone

# Rows of a row group: what a reader, and a compaction, has in memory at once; in bytes, 8 million.
ROW_GROUPS = {PAGES: 2**14, LINKS: 2**18, PAGELETS: 2**16, BODIES: 2**7, PAGE_TYPES: 2**18}
_GROUP_BYTES = 2**23
# A row of its own may be longer than _GROUP_BYTES.  PyArrow takes up to thrice as much as it unpacks.
MAX_UNPACKED = 2**27
_AT_A_TIME = 16


class Location(NamedTuple):
    """A folder on a file system.

    filesystem  PyArrow's
    path        of the folder on it
    scheme      scheme of its URI, "" for a local folder
    options     query of its URI, as in ``endpoint_override=127.0.0.1:9000&scheme=http``
    """

    filesystem: Any
    path: str
    scheme: str = ""
    options: str = ""

    def join(self, *names: str) -> str:
        """Return the path of a file or folder in it."""
        return "/".join((self.path, *names))

    def address(self, *names: str) -> str:
        """Return the address of a file or folder in it in the form of engines: a path, or a URI."""
        path = self.join(*names)
        if not self.scheme:
            return path
        return f"{self.scheme}://{path}" + (f"?{self.options}" if self.options else "")

    def names(self, folder: str, ending: str = ENDING) -> list[str]:
        """Return the names of the files in a folder that end so, ascending.  Raises OSError."""
        arrow = load_pyarrow()
        infos = self.filesystem.get_file_info(arrow.fs.FileSelector(self.join(folder), allow_not_found=True))
        files = [info.base_name for info in infos if info.type == arrow.fs.FileType.File]
        return sorted(name for name in files if name.endswith(ending))

    def rows(self, table: str, name: str) -> int:
        """Return how many rows a Parquet file has.  Raises OSError, ArrowException."""
        metadata = load_pyarrow().parquet.read_metadata(self.join(table, name), filesystem=self.filesystem)
        return int(metadata.num_rows)

    def lock(self, name: str, *, wait: bool = False, shared: bool = False) -> FileLock | None:
        """Take a lock; None where there are no locks.  Raises BlockingIOError if another has it, OSError."""
        self.filesystem.create_dir(self.path, recursive=True)
        return None if self.scheme else FileLock(Path(self.join(name)), wait=wait, shared=shared)

    def write(self, name: str, tables: Mapping[str, tuple[Any, Iterable[Any]]]) -> None:
        """Write a file of each table, then rename all into place, in this order.

        tables  table -> schema and record batches
        Raises what PyArrow does, and leaves nothing then.
        """
        arrow = load_pyarrow()
        unfinished = {table: self.join(table, f"_{name}.part") for table in tables}
        try:
            for table, (schema, batches) in tables.items():
                with arrow.parquet.ParquetWriter(
                    unfinished[table], schema, filesystem=self.filesystem, compression="zstd"
                ) as writer:
                    for rows in gathered(batches, ROW_GROUPS[table], _GROUP_BYTES):
                        writer.write_table(rows.replace_schema_metadata(schema.metadata))
            for table, path in unfinished.items():
                self.filesystem.move(path, self.join(table, name))
        except BaseException:
            for path in unfinished.values():
                with suppress(OSError, arrow.ArrowException):
                    self.filesystem.delete_file(path)
            raise


def locate(uri: str) -> Location:
    """Return the location of a path or URI.  Raises InvalidOption, MissingExtra.

    >>> locate("/data/crawl/").join("pages")
    '/data/crawl/pages'
    """
    arrow = load_pyarrow()
    scheme = uri.partition("://")[0].lower() if "://" in uri else ""
    if scheme in ("", "file"):
        path = Path(uri[len("file://") :] if scheme else uri).absolute()
        return Location(arrow.fs.LocalFileSystem(), path.as_posix())
    try:
        filesystem, path = arrow.fs.FileSystem.from_uri(uri)
    except (OSError, ValueError, arrow.ArrowException) as error:
        raise InvalidOption(
            "archive", uri, f"a folder, or a URI that PyArrow's file systems take ({error})"
        ) from error
    return Location(filesystem, path.rstrip("/"), scheme, uri.partition("?")[2])


def run_name() -> str:
    """Return a unique name for a run; later runs have later names."""
    return f"{datetime.now(timezone.utc):%Y%m%dT%H%M%S}-{uuid4().hex[:8]}"


def first_line(error: Exception) -> str:
    """Return the first line of the text of an error, or its name."""
    return (str(error).splitlines() or [type(error).__name__])[0]


def is_archive(path: str | Path) -> bool:
    """Return whether a local folder is a crawl archive, by what it holds; without pyarrow."""
    return any(Path(path, PAGES).glob(f"*{ENDING}"))


def unpacked_size(group: Any, columns: Sequence[str] | None = None) -> int:
    """Return the bytes of columns of a row group; None: of all."""
    chunks = [group.column(number) for number in range(group.num_columns)]
    wanted = [chunk for chunk in chunks if columns is None or chunk.path_in_schema in columns]
    return sum(int(chunk.total_uncompressed_size) for chunk in wanted)


class Archive:
    """A crawl archive.

    location    where it lies
    names       table -> names of its files, ascending, those that do not count too
    parts       names of its parts, ascending
    unreadable  (name, reason) of each part that is left out, and of other files that cannot be read
    replaced    names of parts that do not count, since others are in their place
    page_type_files  names of the files of PAGE_TYPES that can be read
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
        names, types = self.names[PAGES], self.names[PAGE_TYPES]
        with ThreadPoolExecutor(_AT_A_TIME) as pool:
            looks = dict(zip(names, pool.map(self._look, names, map(self.tables_of, names))))
            typed = dict(zip(types, pool.map(self._look, types, repeat((PAGE_TYPES,)))))
        replaced = {other for _, replaces in looks.values() for other in replaces}
        self.replaced = sorted(replaced.intersection(looks))
        counting = {name: damage for name, (damage, _) in looks.items() if name not in replaced}
        self.parts = [name for name, damage in counting.items() if not damage]
        self.page_type_files = [name for name, (damage, _) in typed.items() if not damage]
        damages = (*counting.values(), *(damage for damage, _ in typed.values()))
        self.unreadable = [damage for damage in damages if damage]

    def _look(self, name: str, tables: Sequence[str]) -> tuple[tuple[str, str] | None, list[str]]:
        """Return the damage of files of one name, (file, reason) or None, and the parts that they replace.

        Damaged bodies cost their part no other table.  Raises InvalidSnapshot.
        """
        arrow, location = load_pyarrow(), self.location
        replaces: list[str] = []
        for table in tables:
            try:
                schema = arrow.parquet.read_schema(location.join(table, name), filesystem=location.filesystem)
            except (OSError, arrow.ArrowException) as error:
                if table == BODIES:
                    continue
                return (f"{table}/{name}", first_line(error)), []
            check_schema(table, schema, location.address(table, name))
            if table == PAGES:
                replaces = schema.metadata.get(REPLACES_KEY, b"").decode().split()
        return None, replaces

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
