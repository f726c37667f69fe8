"""Compaction of an archive: join small parts, and remove the files that do not count.

Parts that follow each other by name, hold the same columns and have few pages become one.  It is written
aside and renamed into place, its file of PAGES last; that names the parts in whose place it is, so that every
page counts once at every moment (:func:`templcrawl.outputs.archive.parts.replaced_parts`).  Then the
manifest is written, and what was put together is removed, PAGES first.  A crawl may go on writing
meanwhile.  Where there are no locks (an object store), only one process may do this at a time.

Writers that were killed while they renamed a part leave files that do not count: files of the other tables
without one of PAGES.  They are removed where their writer is known to be dead, by its lock or, where there
are no locks, a day later.

Cost: O(size of the parts).  Memory: a few row groups.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from templcrawl.errors import InvalidOption
from templcrawl.files import FileLock
from templcrawl.outputs.archive.detection_tables import alone_at_manifest, read_manifest, write_manifest
from templcrawl.outputs.archive.location import (
    ASIDE,
    Location,
    is_old,
    locate,
    lock_run,
    run_name,
    run_of,
    sweep_aside,
)
from templcrawl.outputs.archive.parts import Archive, first_line, part_names
from templcrawl.outputs.archive.schema import (
    BODIES,
    LINKS,
    PAGE_TYPES,
    PAGELETS,
    PAGES,
    REPLACES_KEY,
    ROW_GROUPS,
)
from templcrawl.outputs.arrow import gathered, load_pyarrow

PART_PAGES = 50_000
_TABLES = (BODIES, LINKS, PAGELETS, PAGES)
_LOCK = "compaction.lock"
_MARK = re.compile(r"-c[0-9a-f]{8}\Z")
_ENDING = ".parquet"
_ROWS = 2**12


class Compaction(NamedTuple):
    """The result of a compaction.

    joined   parts that were put together
    written  parts that they became
    removed  files that did not count
    """

    joined: int
    written: int
    removed: int


def archive_manifest(archive: Archive) -> dict[str, Any]:
    """Return table -> how many rows it has, and the files that they are in."""
    files = {PAGE_TYPES: archive.page_type_files}
    for table in _TABLES:
        there = set(part_names(archive.location, table))
        files[table] = [name for name in archive.parts if name in there]
    return {
        table: {
            "rows": sum(_rows(archive.location, table, name) for name in files[table]),
            "files": files[table],
        }
        for table in (PAGES, LINKS, PAGELETS, BODIES, PAGE_TYPES)
        if files[table] or table not in (BODIES, PAGE_TYPES)
    }


def commit_manifest(uri: str, run: str) -> Archive:
    """Write which files of an archive count into its manifest, beside the other tables; return the archive.

    run  what the file that is written aside is called after
    Raises InvalidOption, InvalidSnapshot, MissingExtra, OSError.
    """
    location = locate(uri)
    with alone_at_manifest(location):
        archive = Archive(uri)
        other_tables = {
            table: about
            for table, about in read_manifest(location).items()
            if table not in (*_TABLES, PAGE_TYPES)
        }
        write_manifest(location, run, {**archive_manifest(archive), **other_tables})
    return archive


def leftovers(archive: Archive) -> list[str]:
    """Return the paths of files that do not count: of no part, or of one that another is in the place of."""
    location = archive.location
    counts = set(part_names(location)) - set(archive.replaced)
    leftover = [location.join(PAGES, name) for name in archive.replaced]
    for table in (BODIES, LINKS, PAGELETS):
        leftover += [location.join(table, name) for name in part_names(location, table) if name not in counts]
    return leftover


def compact(uri: str, *, part_pages: int = PART_PAGES) -> Compaction:
    """Put parts together until each has so many pages, about.

    Raises InvalidOption if another process does, InvalidSnapshot, MissingExtra, OSError.
    """
    archive = Archive(uri)
    location = archive.location
    location.filesystem.create_dir(location.join(ASIDE), recursive=True)
    with _alone(uri, location) as run:
        removed = _remove_leftovers(archive, run)
        archive = Archive(uri)
        if archive.replaced:
            raise OSError(f"what was put together before cannot be removed: {archive.replaced[0]}")
        groups = [group for group in _groups(archive, part_pages) if len(group) > 1]
        for number, group in enumerate(groups):
            _join(archive, group, f"{run}-{number:06d}{_ENDING}")
        removed += _remove_leftovers(commit_manifest(uri, run), run)
        return Compaction(sum(map(len, groups)), len(groups), removed)


@contextmanager
def _alone(uri: str, location: Location) -> Iterator[str]:
    """Give a name for this run, once no other process does the same, as far as there are locks."""
    run = run_name()
    path = Path(location.join(ASIDE, _LOCK))
    try:
        alone = None if location.scheme else FileLock(path)
    except BlockingIOError as error:
        raise InvalidOption("archive", uri, "one that no other process compacts") from error
    lock = lock_run(location, run)
    try:
        yield run
    finally:
        if lock is not None:
            lock.path.unlink(missing_ok=True)
            lock.release()
        if alone is not None:
            alone.release()


def _groups(archive: Archive, part_pages: int) -> Iterator[list[str]]:
    """Yield parts that follow each other and may become one."""
    group: list[str] = []
    pages, columns = 0, None
    for name in archive.parts:
        more, own = _rows(archive.location, PAGES, name), _columns(archive, name)
        if group and (own != columns or pages + more > part_pages):
            yield group
            group, pages = [], 0
        group.append(name)
        pages, columns = pages + more, own
    if group:
        yield group


def _columns(archive: Archive, name: str) -> list[Any]:
    """Return what must be equal in parts that become one; of one that is damaged it equals nothing."""
    arrow, location = load_pyarrow(), archive.location
    try:
        return [
            arrow.parquet.read_schema(
                location.join(table, name), filesystem=location.filesystem
            ).remove_metadata()
            for table in archive.tables_of(name)
        ]
    except (OSError, arrow.ArrowException):
        return [name]


def _join(archive: Archive, names: list[str], aside_name: str) -> None:
    """Write a part in the place of others; raises OSError."""
    location = archive.location
    tables = [table for table in _TABLES if table in archive.tables_of(names[0])]
    stem = _MARK.sub("", names[0].removesuffix(_ENDING))
    target = f"{stem}-c{uuid4().hex[:8]}{_ENDING}"
    aside = {table: location.join(ASIDE, f"{table}-{aside_name}") for table in tables}
    try:
        for table, path in aside.items():
            _write(archive, table, names, path)
        for table, path in aside.items():
            location.filesystem.move(path, location.join(table, target))
    except BaseException:
        _remove(location, aside.values())
        raise


def _write(archive: Archive, table: str, names: list[str], path: str) -> None:
    arrow, location = load_pyarrow(), archive.location
    schema = arrow.parquet.read_schema(location.join(table, names[0]), filesystem=location.filesystem)
    if table == PAGES:
        metadata = {key: value for key, value in schema.metadata.items() if key != REPLACES_KEY}
        schema = schema.with_metadata({**metadata, REPLACES_KEY: " ".join(names).encode()})
    with arrow.parquet.ParquetWriter(
        path, schema, filesystem=location.filesystem, compression="zstd"
    ) as writer:
        for rows in gathered(_batches(archive, table, names), ROW_GROUPS[table]):
            writer.write_table(rows.replace_schema_metadata(schema.metadata))


def _batches(archive: Archive, table: str, names: list[str]) -> Iterator[Any]:
    """Yield the rows of parts.  Raises OSError, which names the file that cannot be read."""
    for name in names:
        try:
            yield from archive.batches(table, name, None, min(_ROWS, ROW_GROUPS[table]))
        except (OSError, load_pyarrow().ArrowException) as error:
            raise OSError(f"{table}/{name} cannot be read: {first_line(error)}") from error


def _remove_leftovers(archive: Archive, own: str) -> int:
    """Remove the files that do not count and that no living writer is about; return how many."""
    location = archive.location
    living = sweep_aside(location) | {own}
    removed = []
    for path in leftovers(archive):
        name = path.rpartition("/")[2]
        run = run_of(name)
        info = location.filesystem.get_file_info(path)
        is_ours = name in archive.replaced
        is_dead = is_old(info.mtime) if location.scheme or not run else run not in living
        if is_ours or is_dead:
            removed.append(path)
    _remove(location, removed)
    return len(removed)


def _rows(location: Location, table: str, name: str) -> int:
    metadata = load_pyarrow().parquet.read_metadata
    return int(metadata(location.join(table, name), filesystem=location.filesystem).num_rows)


def _remove(location: Location, paths: Iterable[str]) -> None:
    for path in paths:
        with suppress(OSError, load_pyarrow().ArrowException):
            location.filesystem.delete_file(path)
