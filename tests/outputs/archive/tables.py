"""Archives whose rows are written down, and pages to fill archives with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.outputs.archive.tables import (
    LINKS,
    PAGELETS,
    PAGES,
    PageRows,
    page_rows,
    record_batches,
    table_schema,
)
from templcrawl.page.page import Page

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)


class Written(NamedTuple):
    """A page as it is written down.

    pagelets  their shingles
    targets   pages that it links to
    sketch    what its content is known by; empty: like no other
    """

    page: int
    pagelets: Sequence[int | None] = ()
    targets: Sequence[int] = ()
    sketch: Sequence[int] = ()
    host: str = "a.example"


def pagelet_key(page: int, ordinal: int) -> int:
    return 1_000 * page + ordinal


def write_tables(folder: Path, pages: Iterable[Written], name: str = "part") -> Path:
    """Write an archive of one part; a page has 100 characters, 20 words, 10 links; a pagelet 10, 2, 1."""
    import pyarrow.parquet

    rows: dict[str, list[tuple[Any, ...]]] = {PAGES: [], LINKS: [], PAGELETS: []}
    for one in pages:
        sizes = (100, 50, 25, 20, 10, len(one.pagelets))
        url = f"http://{one.host}/{one.page}"
        rows[PAGES].append((one.page, url, one.host, NOW, b"", "", "", list(one.sketch), *sizes, ""))
        rows[LINKS] += [(one.page, target, None, "") for target in one.targets]
        for ordinal, shingle in enumerate(one.pagelets):
            keys = pagelet_key(one.page, ordinal), one.page, ordinal
            rows[PAGELETS].append((*keys, "html > body > ul", shingle, [], "some words", 10, 10, 2, 1))
    for table, its_rows in rows.items():
        (folder / table).mkdir(parents=True, exist_ok=True)
        table_of_rows = pyarrow.Table.from_batches(record_batches(table, its_rows), table_schema(table))
        pyarrow.parquet.write_table(table_of_rows, folder / table / f"{name}.parquet")
    return folder


def some_rows(count: int, host: str = "tea.example") -> list[PageRows]:
    """Return the rows of so many pages of a small site."""
    memory = CrawlMemory()
    menu = "".join(f"<li><a href=/{number}>{number}</a>" for number in range(4))
    return [
        page_rows(
            memory.observe(Page.from_html(f"<ul>{menu}</ul><p>Page {number}</p>", f"http://{host}/{number}")),
            NOW,
        )
        for number in range(count)
    ]


def write_archive(
    folder: Path, rows: Iterable[PageRows], part_pages: int = 2, *, bodies: bool = False
) -> Path:
    """Write pages into an archive."""
    from templcrawl.outputs.archive.writer import ArchiveWriter

    writer = ArchiveWriter(str(folder), part_pages=part_pages, bodies=bodies)
    for one in rows:
        writer.add(one)
    writer.close()
    return folder


def unfinished(folder: Path) -> list[str]:
    """Return the names of files of an archive that are not yet in their place."""
    return sorted(path.name for path in folder.rglob("*.part"))


def row_groups(path: Path) -> list[int]:
    """Return how many rows each row group of a Parquet file has."""
    import pyarrow.parquet

    metadata = pyarrow.parquet.read_metadata(path)
    return [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]
