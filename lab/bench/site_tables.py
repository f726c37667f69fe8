"""The tables that ``scrapy tables`` writes of a saved site; which sites are held out.

Imported by benchmarks, not run.  Cost: three seconds for 100 pages.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.bench.options import add_folder
from lab.bench.saved_sites import SavedSite
from templcrawl import Page
from templcrawl.outputs.table_files import JSON_LINES
from templcrawl.outputs.type_tables import CrawlTables


def add_tables(parser: ArgumentParser) -> None:
    """Add the option that says where tables are kept."""
    add_folder(parser, "--tables", "tables of each site, kept; those that are there are not written again")


def is_held_out(site: str) -> bool:
    """Return whether nobody looks at a site who changes the columns: a third, by the hash of its name."""
    return int(sha256(f"issue61:{site}".encode()).hexdigest(), 16) % 3 == 0


@contextmanager
def tables_of(site: SavedSite, kept: Path | None) -> Iterator[Path]:
    """Yield the folder of the tables of a site, as JSON lines.

    kept  folder with the tables of each site; None for a folder that is removed again
    """
    with TemporaryDirectory() as own:
        folder = (kept or Path(own)) / site.name
        if not folder.exists():
            folder.parent.mkdir(parents=True, exist_ok=True)
            _write(site, folder)
        yield folder


def each_page(site: SavedSite, use: Callable[[Page], object], _: str) -> None:
    """Put each page of a saved site before a function."""
    for path in site.files.values():
        use(site.page(path).page)


def _write(site: SavedSite, folder: Path) -> None:
    CrawlTables(partial(each_page, site)).write(folder, JSON_LINES)
