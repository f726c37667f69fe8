"""Tables that are written beside an archive, or anywhere, and replaced together.

Each run writes files of names of its own: aside first, ``_aside/RUN/TABLE/``, then
``TABLE/part-RUN-NNNNN.parquet``.  The commit is one file, ``manifest.json``: which files each table has, and
how many rows.  It is replaced in one go, and only then are the files of earlier runs removed.  So two runs at
once never mix, the one that commits last stays; a kill leaves the old tables or the new ones for those who
read by the manifest, and at worst files of both for those who read ``TABLE/*.parquet``, until the next run
removes what is not in the manifest.

On a local file system commits wait for each other.  Elsewhere there are no locks: what is removed is what the
manifest before named, so that a run which lost a race may leave files that no manifest names.

Cost: O(files), and reading the end of each.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from templcrawl.files import FileLock
from templcrawl.outputs.archive.location import ASIDE, Location, locate, run_name
from templcrawl.outputs.arrow import load_pyarrow

MANIFEST = "manifest.json"
MANIFEST_FORMAT = 1

_RUN_PART = re.compile(r"part-\d{8}T\d{6}-[0-9a-f]{8}-\d+\.parquet")
_ENDING = ".parquet"
_LOCK = "commit.lock"
_PATIENCE = 60.0
_PAUSE = 0.05


class TablesOutput:
    """A folder, or a URI, that tables are written to.

    run  what the files of this run are called after
    """

    def __init__(self, uri: str, tables: Sequence[str]) -> None:
        """Take its address and the names of the tables.  Raises InvalidOption, MissingExtra."""
        self._location = locate(uri)
        self._tables = tables
        self.run = run_name()
        self._prefix = f"part-{self.run}-"

    def __enter__(self) -> TablesOutput:
        return self

    def __exit__(self, *exception: object) -> None:
        """Remove the files aside.  Without a commit, all is as before."""
        with suppress(OSError, load_pyarrow().ArrowException):
            self._location.filesystem.delete_dir(self._location.join(ASIDE, self.run))
        if not self._location.scheme:
            with suppress(OSError):
                Path(self._location.join(ASIDE)).rmdir()

    def address(self, table: str) -> str:
        """Return the address of a folder, which is not there, for the Parquet files of a table."""
        return self._location.address(ASIDE, self.run, table)

    def commit(self) -> None:
        """Put the tables in the place of those before.  Raises OSError."""
        files = {table: _parquet_files(self._location, ASIDE, self.run, table) for table in self._tables}
        rows = {table: sum(map(self._rows, paths)) for table, paths in files.items()}
        with alone_at_manifest(self._location):
            before = read_manifest(self._location)
            try:
                new = {table: self._moved(table, paths) for table, paths in files.items()}
                for table, about in new.items():
                    about["rows"] = rows[table]
                self._write_manifest({**before, **new})
            except BaseException:
                self._remove(lambda table, name: name.startswith(self._prefix))
                raise
            named = {(table, name) for table, about in before.items() for name in about.get("files", ())}
            self._remove(lambda table, name: self._is_older(name, is_named=(table, name) in named))

    def _moved(self, table: str, paths: Sequence[str]) -> dict[str, Any]:
        """Move the files of a table into their place; return its entry of the manifest."""
        names = [f"{self._prefix}{number:05d}{_ENDING}" for number in range(len(paths))]
        self._location.filesystem.create_dir(self._location.join(table), recursive=True)
        for path, name in zip(paths, names):
            self._location.filesystem.move(path, self._location.join(table, name))
        return {"run": self.run, "files": names}

    def _is_older(self, name: str, *, is_named: bool) -> bool:
        """Return whether a file is of an earlier run; where nothing locks, others may be at work."""
        if name.startswith(self._prefix):
            return False
        return is_named or not self._location.scheme or not _RUN_PART.fullmatch(name)

    def _rows(self, path: str) -> int:
        parquet = load_pyarrow().parquet
        return int(parquet.read_metadata(path, filesystem=self._location.filesystem).num_rows)

    def _write_manifest(self, tables: Mapping[str, Any]) -> None:
        write_manifest(self._location, self.run, tables)

    def _remove(self, is_meant: Callable[[str, str], bool]) -> None:
        """Remove files of the tables, by table and name, as far as that can be done."""
        for table in self._tables:
            for path in _parquet_files(self._location, table):
                if is_meant(table, path.rpartition("/")[2]):
                    with suppress(OSError):
                        self._location.filesystem.delete_file(path)


@contextmanager
def alone_at_manifest(location: Location) -> Iterator[None]:
    """Wait until nobody else commits to a folder, as far as there are locks.

    Raises BlockingIOError after a minute, OSError.
    """
    if location.scheme:
        yield
        return
    location.filesystem.create_dir(location.join(ASIDE), recursive=True)
    path = Path(location.join(ASIDE, _LOCK))
    patience = time.monotonic() + _PATIENCE
    while True:
        try:
            lock = FileLock(path)
            break
        except BlockingIOError:
            if time.monotonic() > patience:
                raise
            time.sleep(_PAUSE)
    try:
        yield
    finally:
        lock.release()


def read_manifest(location: Location) -> dict[str, Any]:
    """Return table -> run, rows and files, of the last commit; nothing where there was none, or none whole.

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


def write_manifest(location: Location, run: str, tables: Mapping[str, Any]) -> None:
    """Replace the manifest of a folder in one go.  Raises OSError.

    run  what the file that is written aside is called after
    """
    aside = location.join(ASIDE, f"{run}.{MANIFEST}")
    text = json.dumps({"format": MANIFEST_FORMAT, "tables": tables}, indent=1)
    location.filesystem.create_dir(location.join(ASIDE), recursive=True)
    try:
        with location.filesystem.open_output_stream(aside) as file:
            file.write(text.encode())
        location.filesystem.move(aside, location.join(MANIFEST))
    except BaseException:
        with suppress(OSError, load_pyarrow().ArrowException):
            location.filesystem.delete_file(aside)
        raise


def _parquet_files(location: Location, *folder: str) -> list[str]:
    """Return the paths of the Parquet files of a folder, ascending."""
    arrow = load_pyarrow()
    selector = arrow.fs.FileSelector(location.join(*folder), allow_not_found=True)
    infos = location.filesystem.get_file_info(selector)
    return sorted(info.path for info in infos if info.base_name.endswith(_ENDING))
