"""Compaction of an archive: join small parts, and remove the files that do not count.

Parts that follow each other by name, hold the same columns and have few pages become one.  It is written
aside and renamed into place, its file of PAGES last; that names the parts in whose place it is, so that every
page counts once at every moment, and a kill loses nothing.  In the end the manifest is written, and what was
put together is removed, PAGES first.

It is run by hand, while no crawl writes into the archive and nobody reads it.  Then what has no file of PAGES
is what a killed writer has left, and is removed.  A local archive is locked meanwhile.

Cost: O(size of the parts).  Memory: a few row groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from templcrawl.errors import InvalidOption
from templcrawl.outputs.archive.location import ASIDE, ENDING, WRITERS, lock_archive, sweep_aside
from templcrawl.outputs.archive.manifest import committing, manifest_entry, read_manifest, write_manifest
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
    files = {PAGES: archive.parts, LINKS: archive.parts, PAGELETS: archive.parts}
    if bodies := [name for name in archive.parts if BODIES in archive.tables_of(name)]:
        files[BODIES] = bodies
    if archive.page_type_files:
        files[PAGE_TYPES] = archive.page_type_files
    return {table: manifest_entry(archive.location, table, names) for table, names in files.items()}


def commit_manifest(uri: str) -> Archive:
    """Write which files of an archive count into its manifest, beside the other tables; return the archive.

    Raises InvalidOption, InvalidSnapshot, MissingExtra, OSError.
    """
    archive = Archive(uri)
    with committing(archive.location):
        tables = read_manifest(archive.location)
        for table in (BODIES, PAGE_TYPES):
            tables.pop(table, None)
        write_manifest(archive.location, {**tables, **archive_manifest(archive)})
    return archive


def leftovers(archive: Archive) -> list[str]:
    """Return the paths of files that do not count: of no part, or of one that another is in the place of."""
    location = archive.location
    counts = set(part_names(location)).difference(archive.replaced)
    leftover = [location.join(PAGES, name) for name in archive.replaced]
    for table in (BODIES, LINKS, PAGELETS):
        leftover += [location.join(table, name) for name in part_names(location, table) if name not in counts]
    return leftover


def compact(uri: str, *, part_pages: int = PART_PAGES) -> Compaction:
    """Put parts together until each has so many pages, about.

    Raises InvalidOption if a crawl or another process has locked it, InvalidSnapshot, MissingExtra, OSError.
    """
    location = Archive(uri).location
    location.filesystem.create_dir(location.join(ASIDE), recursive=True)
    try:
        lock = lock_archive(location, WRITERS)
    except BlockingIOError as error:
        wanted = "one that no crawl writes into and no other process compacts"
        raise InvalidOption("archive", uri, wanted) from error
    try:
        sweep_aside(location, age=timedelta())
        removed = _remove_leftovers(Archive(uri))
        archive = Archive(uri)
        groups = [group for group in _groups(archive, part_pages) if len(group) > 1]
        for group in groups:
            _join(archive, group)
        removed += _remove_leftovers(commit_manifest(uri))
        return Compaction(sum(map(len, groups)), len(groups), removed)
    finally:
        if lock is not None:
            lock.release()


def _remove_leftovers(archive: Archive) -> int:
    paths = leftovers(archive)
    for path in paths:
        archive.location.filesystem.delete_file(path)
    return len(paths)


def _groups(archive: Archive, part_pages: int) -> Iterator[list[str]]:
    group: list[str] = []
    pages, columns = 0, None
    for name in archive.parts:
        more, own = archive.location.rows(PAGES, name), _columns(archive, name)
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


def _join(archive: Archive, names: Sequence[str]) -> None:
    """Write a part in the place of others; raises OSError.

    Its name follows that of the first, and precedes that of the part behind them.
    """
    location = archive.location
    target = f"{names[0].removesuffix(ENDING)}c{ENDING}"
    aside = {table: location.join(ASIDE, f"{table}-{target}") for table in archive.tables_of(names[0])}
    try:
        for table, path in aside.items():
            _write(archive, table, names, path)
    except BaseException:
        sweep_aside(location, age=timedelta())
        raise
    for table, path in reversed(aside.items()):  # PAGES last
        location.filesystem.move(path, location.join(table, target))


def _write(archive: Archive, table: str, names: Sequence[str], path: str) -> None:
    arrow, location = load_pyarrow(), archive.location
    schema = arrow.parquet.read_schema(location.join(table, names[0]), filesystem=location.filesystem)
    if table == PAGES:
        schema = schema.with_metadata({**schema.metadata, REPLACES_KEY: " ".join(names).encode()})
    with arrow.parquet.ParquetWriter(
        path, schema, filesystem=location.filesystem, compression="zstd"
    ) as writer:
        for rows in gathered(_batches(archive, table, names), ROW_GROUPS[table]):
            writer.write_table(rows.replace_schema_metadata(schema.metadata))


def _batches(archive: Archive, table: str, names: Sequence[str]) -> Iterator[Any]:
    """Yield the rows of parts.  Raises OSError, which names the file that cannot be read."""
    for name in names:
        try:
            yield from archive.batches(table, name, None, min(_ROWS, ROW_GROUPS[table]))
        except (OSError, load_pyarrow().ArrowException) as error:
            raise OSError(f"{table}/{name} cannot be read: {first_line(error)}") from error
