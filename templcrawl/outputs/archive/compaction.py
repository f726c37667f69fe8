"""Compaction of an archive: join small parts, and remove the files that do not count.

Parts that follow each other by name, hold the same columns and have few pages become one.  Its file of PAGES
names those in whose place it is, so that every page counts once at every moment, and a kill loses nothing.
In the end the manifest is written, and what was put together is removed, PAGES first.

It is run by hand, while no crawl writes into the archive and nobody reads it.  Then what has no file of PAGES
is what a killed writer has left, and is removed.  A local archive is locked meanwhile.

Cost: O(size of the parts).  Memory: a row group.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from templcrawl.errors import InvalidOption
from templcrawl.outputs.archive.location import ENDING, WRITERS, committing, manifest_entry, write_manifest
from templcrawl.outputs.archive.parts import MAX_UNPACKED, Archive, first_line, unpacked_size
from templcrawl.outputs.archive.tables import BODIES, LINKS, PAGE_TYPES, PAGELETS, PAGES, REPLACES_KEY
from templcrawl.outputs.arrow import load_pyarrow

PART_PAGES = 50_000
_ROWS = 2**12


def archive_manifest(archive: Archive) -> dict[str, Any]:
    """Return table -> how many rows it has, and the files that they are in."""
    files = dict.fromkeys((PAGES, LINKS, PAGELETS), archive.parts)
    more = {
        BODIES: [name for name in archive.parts if BODIES in archive.tables_of(name)],
        PAGE_TYPES: archive.page_type_files,
    }
    files |= {table: names for table, names in more.items() if names}
    return {table: manifest_entry(archive.location, table, names) for table, names in files.items()}


def commit_manifest(uri: str) -> Archive:
    """Write which files of an archive count into its manifest, beside the other tables; return the archive.

    Raises InvalidOption, InvalidSnapshot, MissingExtra, OSError.
    """
    archive = Archive(uri)
    with committing(archive.location) as tables:
        for table in archive.names:
            tables.pop(table, None)
        write_manifest(archive.location, {**tables, **archive_manifest(archive)})
    return archive


def leftovers(archive: Archive) -> list[str]:
    """Return the paths of files that do not count: of no part, or of one that another is in the place of."""
    counts = set(archive.names[PAGES]).difference(archive.replaced)
    found = [(PAGES, name) for name in archive.replaced]
    for table in (BODIES, LINKS, PAGELETS):
        found += [(table, name) for name in archive.names[table] if name not in counts]
    return [archive.location.join(table, name) for table, name in found]


def compact(uri: str, *, part_pages: int = PART_PAGES) -> dict[str, int]:
    """Put parts together until each has so many pages, about.

    Returns how many parts were "joined", and to how many that were "written"; and how many files that did
    not count were "removed".
    Raises InvalidOption if a crawl or another process has locked it, InvalidSnapshot, MissingExtra, OSError.
    """
    location = Archive(uri).location
    try:
        lock = location.lock(WRITERS)
    except BlockingIOError as error:
        wanted = "one that no crawl writes into and no other process compacts"
        raise InvalidOption("archive", uri, wanted) from error
    try:
        removed = _remove_leftovers(Archive(uri))  # a part that is replaced must not be replaced again
        archive = Archive(uri)
        for table in archive.names:
            for name in location.names(table, f"{ENDING}.part"):
                location.filesystem.delete_file(location.join(table, name))
        groups = [group for group in _groups(archive, part_pages) if len(group) > 1]
        for group in groups:
            _join(archive, group)
        removed += _remove_leftovers(commit_manifest(uri))
        return {"joined": sum(map(len, groups)), "written": len(groups), "removed": removed}
    finally:
        if lock is not None:
            lock.release()


def _remove_leftovers(archive: Archive) -> int:
    paths = leftovers(archive)
    for path in paths:
        archive.location.filesystem.delete_file(path)
    return len(paths)


def _groups(archive: Archive, part_pages: int) -> Iterator[list[str]]:
    """Yield the names of parts that become one: of the same columns, and of few pages."""
    group: list[str] = []
    pages, columns = 0, None
    for name in archive.parts:
        more, own = archive.location.metadata(PAGES, name).num_rows, _schemas(archive, name)
        if group and (own != columns or pages + more > part_pages):
            yield group
            group, pages = [], 0
        group.append(name)
        pages, columns = pages + more, own
    if group:
        yield group


def _schemas(archive: Archive, name: str) -> list[Any]:
    """Return the schema of each table of a part; of one that must be left alone, what equals no other."""
    try:
        files = [archive.location.metadata(table, name) for table in archive.tables_of(name)]
    except (OSError, load_pyarrow().ArrowException):  # damaged bodies
        return [name]
    groups = (file.row_group(number) for file in files for number in range(file.num_row_groups))
    if any(unpacked_size(group) > MAX_UNPACKED for group in groups):
        return [name]
    return [file.schema.to_arrow_schema().remove_metadata() for file in files]


def _join(archive: Archive, names: Sequence[str]) -> None:
    """Write a part in the place of others, PAGES last; raises OSError.

    Its name follows that of the first, and precedes that of the part behind them.
    """
    tables = {}
    for table in reversed(archive.tables_of(names[0])):
        schema = archive.location.metadata(table, names[0]).schema.to_arrow_schema()
        if table == PAGES:
            schema = schema.with_metadata({**schema.metadata, REPLACES_KEY: " ".join(names).encode()})
        tables[table] = (schema, _batches(archive, table, names))
    archive.location.write(f"{names[0].removesuffix(ENDING)}c{ENDING}", tables)


def _batches(archive: Archive, table: str, names: Sequence[str]) -> Iterator[Any]:
    for name in names:
        try:
            yield from archive.batches(table, name, 1 if table == BODIES else _ROWS)  # a body may be long
        except (OSError, load_pyarrow().ArrowException) as error:
            raise OSError(f"{table}/{name} cannot be read: {first_line(error)}") from error
