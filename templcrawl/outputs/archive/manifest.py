"""Tables in a folder, and its manifest: the one file that says which files of each table count.

Files are written aside, ``_aside/RUN/TABLE/``, and moved to ``TABLE/part-RUN-NNNNN.parquet``.  The commit is
the manifest, ``manifest.json``: table -> the names of its files, and how many rows they have.  It is replaced
in one go, and only then are the files that it does not name removed.  So a kill leaves the old tables or the
new ones for those who read by the manifest, and at worst files of both for those who read
``TABLE/*.parquet``, until the next run.

On a local file system commits wait for each other.  Elsewhere there are no locks: only one run at a time may
write the same tables.

Cost: O(files), and reading the end of each.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from templcrawl.outputs.archive.location import ASIDE, ENDING, Location, locate, lock_archive, run_name
from templcrawl.outputs.arrow import load_pyarrow

MANIFEST = "manifest.json"
MANIFEST_FORMAT = 1


class TablesOutput:
    """A folder, or a URI, that tables are written to and replaced in, all or none."""

    def __init__(self, uri: str, tables: Sequence[str]) -> None:
        """Take its address and the names of the tables.  Raises InvalidOption, MissingExtra."""
        self._location = locate(uri)
        self._tables = tables
        self._run = run_name()
        self._prefix = f"part-{self._run}-"

    def __enter__(self) -> TablesOutput:
        return self

    def __exit__(self, *exception: object) -> None:
        """Remove the files aside.  Without a commit, all is as before."""
        with suppress(OSError, load_pyarrow().ArrowException):
            self._location.filesystem.delete_dir(self._location.join(ASIDE, self._run))
        if not self._location.scheme:
            with suppress(OSError):
                Path(self._location.join(ASIDE)).rmdir()

    def address(self, table: str) -> str:
        """Return the address of a folder, which is not there, for the Parquet files of a table."""
        return self._location.address(ASIDE, self._run, table)

    def commit(self) -> None:
        """Put the tables in the place of those before.  Raises OSError."""
        with committing(self._location):
            try:
                moved = {table: self._moved(table) for table in self._tables}
                write_manifest(self._location, {**read_manifest(self._location), **moved})
            except BaseException:
                self._remove(own=True)
                raise
            self._remove(own=False)

    def _moved(self, table: str) -> dict[str, Any]:
        filesystem, join = self._location.filesystem, self._location.join
        filesystem.create_dir(join(table), recursive=True)
        names = []
        for number, info in enumerate(self._location.parquet_files(ASIDE, self._run, table)):
            names.append(f"{self._prefix}{number:05d}{ENDING}")
            filesystem.move(info.path, join(table, names[-1]))
        return manifest_entry(self._location, table, names)

    def _remove(self, *, own: bool) -> None:
        """Remove the files of this run, or all others, as far as that can be done."""
        for table in self._tables:
            for info in self._location.parquet_files(table):
                if info.base_name.startswith(self._prefix) == own:
                    with suppress(OSError):
                        self._location.filesystem.delete_file(info.path)


def manifest_entry(location: Location, table: str, names: Sequence[str]) -> dict[str, Any]:
    """Return the entry of a table of these files: how many rows it has, and where."""
    return {"rows": sum(location.rows(table, name) for name in names), "files": list(names)}


@contextmanager
def committing(location: Location) -> Iterator[None]:
    """Wait until no other process replaces the manifest, and keep others from it."""
    location.filesystem.create_dir(location.join(ASIDE), recursive=True)
    lock = lock_archive(location, "commit.lock", wait=True)
    try:
        yield
    finally:
        if lock is not None:
            lock.release()


def read_manifest(location: Location) -> dict[str, Any]:
    """Return table -> rows and files, of the last commit; nothing where there was none, or none whole.

    Raises OSError.
    """
    arrow, path = load_pyarrow(), location.join(MANIFEST)
    if location.filesystem.get_file_info(path).type == arrow.fs.FileType.NotFound:
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
    aside = location.join(ASIDE, MANIFEST)
    text = json.dumps({"format": MANIFEST_FORMAT, "tables": tables}, indent=1)
    try:
        with location.filesystem.open_output_stream(aside) as file:
            file.write(text.encode())
        location.filesystem.move(aside, location.join(MANIFEST))
    except BaseException:
        with suppress(OSError, load_pyarrow().ArrowException):
            location.filesystem.delete_file(aside)
        raise
