"""Where ``scrapy strip`` writes: JSON lines, a Parquet file, or a folder of stripped HTML.

An output appears only when it is complete.  A run that is stopped or fails (a full disk) leaves nothing, and
what lay there before stays as it was.  JSON lines on stdout are written one by one.

Columns of JSON lines and Parquet, by the names that page items have in a crawl: ``url``, ``title``, the
answers of :mod:`templcrawl.outputs.answers` that have an ``option`` (null without that option;
``template_id`` is "" unless the detector keeps templates apart, or the crawl has given them names),
``truncated``.

Cost: O(size of the pages).  Memory: one page; for Parquet a row group of at most 32 MB or 2,000 pages.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from html import escape
from pathlib import Path
from typing import IO, Any, Protocol

from templcrawl.errors import InvalidOption
from templcrawl.files import whole_file, whole_folder
from templcrawl.outputs.arrow import RowGroups, arrow_schema, load_pyarrow
from templcrawl.page.text import storable
from templcrawl.tools.commands.output import STDOUT, names_folder
from templcrawl.tools.commands.stripped_pages import STRIPPED, Names, StrippedPage

COLUMNS = {"url": "string", "title": "string", **STRIPPED, "truncated": "bool"}
ACCEPTED = "a file that ends in .jsonl or .parquet, - for stdout, or the name of a new folder"
JSON_LINES, PARQUET, FOLDER = ".jsonl", ".parquet", "folder"


class Output(Protocol):
    """What every output can do."""

    def write(self, page: StrippedPage) -> None:
        """Add a page.  Raises OSError."""


def form_of(target: str) -> str:
    """Return in which form a target is written; raises InvalidOption for an ending that is none of them.

    >>> [form_of(target) for target in ("-", "a.jsonl", "a.Parquet", "a", "example.org/")]
    ['.jsonl', '.jsonl', '.parquet', 'folder', 'folder']
    """
    ending = "" if target.endswith(("/", os.sep)) else Path(target).suffix.lower()
    if target == STDOUT:
        return JSON_LINES
    if ending in (JSON_LINES, PARQUET):
        return ending
    if not names_folder(target):
        raise InvalidOption("output", target, f"{ACCEPTED} (with a slash, {target}/, if that is the folder)")
    return FOLDER


@contextmanager
def open_output(output: str, mirrored: Path | None = None) -> Iterator[Output]:
    """Open the output in the format of a target's name; it takes its place when the context is left.

    mirrored  the folder after whose files those of a folder are named; None: they are named after URLs
    Raises InvalidOption, MissingExtra or OSError; whatever is raised in the context leaves nothing.
    """
    form, target = form_of(output), Path(output)
    if output == STDOUT:
        yield JsonLines(sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    if not target.absolute().parent.is_dir():
        raise InvalidOption("output", str(target), f"{ACCEPTED}, in a folder that exists")
    if form == FOLDER:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise InvalidOption("output", str(target), f"{ACCEPTED} (there is something of that name)")
        with whole_folder(target) as folder:
            yield Folder(folder, Names(mirrored))
        return
    if target.is_dir():
        raise InvalidOption("output", str(target), f"{ACCEPTED} (there is a folder of that name)")
    with whole_file(target) as file:
        if form == JSON_LINES:
            yield JsonLines(file)
        else:
            rows = Parquet(file)
            try:
                yield rows
                rows.groups.finish()
            finally:
                rows.groups.close()


class JsonLines:
    """A line of JSON a page."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, page: StrippedPage) -> None:
        """Add a page."""
        self._file.write(json.dumps(page.row(), separators=(",", ":")).encode() + b"\n")


class Parquet:
    """A row a page."""

    def __init__(self, file: IO[bytes]) -> None:
        """Write the head; raises MissingExtra."""
        from_rows: Callable[..., Any] = load_pyarrow("writing Parquet").RecordBatch.from_pylist
        schema = arrow_schema(COLUMNS)
        self.groups = RowGroups(file, schema, partial(from_rows, schema=schema))

    def write(self, page: StrippedPage) -> None:
        """Add a page."""
        row = {name: _cell(value) for name, value in page.row().items()}
        self.groups.append(row, sum(len(value) for value in row.values() if isinstance(value, str)))


def _cell(value: Any) -> Any:
    """Return a value, or the sections of a page, as UTF-8 can hold them."""
    if isinstance(value, list):
        return [{**section, "path": list(map(storable, section["path"]))} for section in value]
    return storable(value) if isinstance(value, str) else value


class Folder:
    """A file of HTML a page, named as in the input folder, or after its URL."""

    def __init__(self, folder: Path, names: Names) -> None:
        self._folder = folder
        self._names = names

    def write(self, page: StrippedPage) -> None:
        """Add a page."""
        path = self._folder / self._names.name(page.url)
        path.parent.mkdir(parents=True, exist_ok=True)
        title = f"<title>{escape(page.title or '')}</title>"
        head = f'<!DOCTYPE html>\n<html><head><meta charset="utf-8">{title}</head>\n'
        html = f"{head}<body>\n{page.body}\n</body></html>\n"
        path.write_bytes(html.encode("utf-8", "replace"))
