"""The manifest, the one file that says which files of each table count, and tables that are replaced by it.

``manifest.json``: table -> the names of its files, and how many rows they have.  It is replaced in one go.

*Tables of a detection* are written aside, ``_RUN/TABLE/``, and moved to ``TABLE/part-RUN-NNNNN.parquet``.
The manifest is their commit, and only then are the files that it does not name removed.  So a kill leaves the
old tables or the new ones for those who read by the manifest, and at worst files of both for those who read
``TABLE/*.parquet``, until the next run.

On a local file system commits wait for each other.  Elsewhere there are no locks: only one run at a time may
write the same tables.

Cost: O(files), and reading the end of each.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from templcrawl.outputs.archive.parts import ENDING, Location, locate, run_name
from templcrawl.outputs.arrow import load_pyarrow

MANIFEST = "manifest.json"
MANIFEST_FORMAT = 1


@contextmanager
def replacing_tables(uri: str, tables: Sequence[str]) -> Iterator[Location]:
    """Give a place for a new folder of Parquet files of each table; at the end all replace earlier ones.

    Raises InvalidOption, MissingExtra, OSError; all is as before then.
    """
    location, run = locate(uri), run_name()
    filesystem, prefix = location.filesystem, f"part-{run}-"
    aside = location._replace(path=location.join(f"_{run}"))
    try:
        yield aside
        with committing(location) as manifest:
            try:
                for table in tables:
                    filesystem.create_dir(location.join(table), recursive=True)
                    names = []
                    for number, name in enumerate(aside.names(table)):
                        names.append(f"{prefix}{number:05d}{ENDING}")
                        filesystem.move(aside.join(table, name), location.join(table, names[-1]))
                    manifest[table] = manifest_entry(location, table, names)
                write_manifest(location, manifest)
            except BaseException:
                _remove(location, tables, prefix, of_run=True)
                raise
            _remove(location, tables, prefix, of_run=False)
    finally:
        with suppress(OSError, load_pyarrow().ArrowException):
            filesystem.delete_dir(aside.path)


def _remove(location: Location, tables: Sequence[str], prefix: str, *, of_run: bool) -> None:
    """Remove the files of a run, or all others, as far as that can be done."""
    for table in tables:
        for name in location.names(table):
            if name.startswith(prefix) == of_run:
                with suppress(OSError):
                    location.filesystem.delete_file(location.join(table, name))


def manifest_entry(location: Location, table: str, names: Sequence[str]) -> dict[str, Any]:
    """Return the entry of a table of these files: how many rows it has, and where."""
    return {"rows": sum(location.rows(table, name) for name in names), "files": list(names)}


@contextmanager
def committing(location: Location) -> Iterator[dict[str, Any]]:
    """Give the tables of the manifest, while no other process replaces it."""
    lock = location.lock("_manifest.lock", wait=True)
    try:
        yield read_manifest(location)
    finally:
        if lock is not None:
            lock.release()


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
        with suppress(OSError, load_pyarrow().ArrowException):
            location.filesystem.delete_file(part)
        raise
