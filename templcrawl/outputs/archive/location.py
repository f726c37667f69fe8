"""The location of an archive: table files written atomically, and the manifest that names the valid ones.

*Place.*  A local folder, or a URI of any file system that PyArrow has.

*A part* is a file of equal name in each table's folder.  Its files are written under names that no reader
looks at, then renamed into place, the last one last.

*The manifest* of a detection, ``manifest.json``: table -> the names of its files, and how many rows they
have.  It is replaced in one go.  Only one run at a time may write the same tables.

*Tables of a detection* are written aside, ``_RUN/TABLE/``, and moved to ``TABLE/part-RUN-NNNNN.parquet``.
The manifest is their commit, and only then are the files that it does not name removed.  So a kill leaves the
old tables or the new ones for those who read by the manifest, and at worst files of both for those who read
``TABLE/*.parquet``, until the next run.

Cost: O(files), and reading the end of each.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from templcrawl.errors import InvalidOption
from templcrawl.files import FileLock, sync
from templcrawl.outputs.archive.tables import BODIES, LINKS, PAGE_TYPES, PAGELETS, PAGES, UNREAD
from templcrawl.outputs.arrow import gathered, load_pyarrow

ENDING = ".parquet"

# Rows of a row group: what a reader has in memory at once; in bytes, 8 million.
ROW_GROUPS = {PAGES: 2**14, LINKS: 2**18, PAGELETS: 2**16, BODIES: 2**7, PAGE_TYPES: 2**18, UNREAD: 2**16}
_GROUP_BYTES = 2**23

MANIFEST = "manifest.json"
MANIFEST_FORMAT = 1


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

    def metadata(self, table: str, name: str) -> Any:
        """Return the metadata of a Parquet file.  Raises OSError, ArrowException."""
        return load_pyarrow().parquet.read_metadata(self.join(table, name), filesystem=self.filesystem)

    def lock(self, name: str) -> FileLock | None:
        """Lock the archive; None without locks.  Raises BlockingIOError if another has it, OSError."""
        self.filesystem.create_dir(self.path, recursive=True)
        return None if self.scheme else FileLock(Path(self.join(name)))

    def remove(self, paths: Iterable[str]) -> None:
        """Remove files; failures are ignored."""
        for path in paths:
            with suppress(OSError, load_pyarrow().ArrowException):
                self.filesystem.delete_file(path)

    def write(self, name: str, tables: Mapping[str, tuple[Any, Iterable[Any]]]) -> None:
        """Write a file of each table, then rename all into place, in this order; the disk has them then.

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
            for each in unfinished.values() if not self.scheme else ():
                sync(each)
            for table, path in unfinished.items():
                self.filesystem.move(path, self.join(table, name))
                if not self.scheme:
                    sync(self.join(table, name))
        except BaseException:
            self.remove(unfinished.values())
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


@contextmanager
def replacing_tables(uri: str, tables: Sequence[str]) -> Iterator[Location]:
    """Yield a place for a new folder of Parquet files of each table; at the end all replace earlier ones.

    Raises InvalidOption, MissingExtra, OSError; all is as before then.
    """
    location, run = locate(uri), run_name()
    filesystem, prefix = location.filesystem, f"part-{run}-"
    aside = location._replace(path=location.join(f"_{run}"))
    try:
        yield aside
        manifest = read_manifest(location)
        moved: list[str] = []
        try:
            for table in tables:
                filesystem.create_dir(location.join(table), recursive=True)
                names = []
                for number, name in enumerate(aside.names(table)):
                    names.append(f"{prefix}{number:05d}{ENDING}")
                    moved.append(location.join(table, names[-1]))
                    filesystem.move(aside.join(table, name), moved[-1])
                manifest[table] = manifest_entry(location, table, names)
            write_manifest(location, manifest)
        except BaseException:
            location.remove(moved)
            raise
        every = [location.join(table, name) for table in tables for name in location.names(table)]
        location.remove(sorted({*every}.difference(moved)))
    finally:
        with suppress(OSError, load_pyarrow().ArrowException):
            filesystem.delete_dir(aside.path)


def manifest_entry(location: Location, table: str, names: Sequence[str]) -> dict[str, Any]:
    """Return the entry of a table of these files: how many rows it has, and where."""
    rows = sum(int(location.metadata(table, name).num_rows) for name in names)
    return {"rows": rows, "files": list(names)}


def read_manifest(location: Location) -> dict[str, Any]:
    """Return table -> rows and files, of the last commit; nothing where there was none, or none whole.

    Raises OSError.
    """
    path = location.join(MANIFEST)
    if not location.filesystem.get_file_info(path).is_file:
        return {}
    with location.filesystem.open_input_stream(path) as file:
        text = file.read()
    try:
        tables = json.loads(text)["tables"]
    except (ValueError, KeyError, TypeError):
        return {}
    return tables if isinstance(tables, dict) else {}


def write_manifest(location: Location, tables: Mapping[str, Any]) -> None:
    """Replace the manifest of a folder in one go.  Raises OSError."""
    part = location.join(f"_{MANIFEST}.part")
    try:
        with location.filesystem.open_output_stream(part) as file:
            file.write(json.dumps({"format": MANIFEST_FORMAT, "tables": tables}, indent=1).encode())
        location.filesystem.move(part, location.join(MANIFEST))
    except BaseException:
        location.remove([part])
        raise
