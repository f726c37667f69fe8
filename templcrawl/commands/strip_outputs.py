"""Where ``scrapy strip`` writes: JSON lines, a Parquet file, or a folder of stripped HTML.

All are written aside, beside their target, and renamed at the end.  A run that is stopped or fails (a
full disk) leaves nothing, and what lay there before stays as it was.

Columns of JSON lines and Parquet, by the names that page items have in a crawl: ``url``, ``title``,
``content_text``, ``article_text`` (null without --extractor), ``content_html`` (null without --html),
``template_id`` ("" unless the detector keeps templates apart), ``truncated``.

Cost: O(size of the pages).  Memory: one page; for Parquet a row group of at most 32 MB or 2,000 pages.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from html import escape
from pathlib import Path
from tempfile import mkdtemp, mkstemp
from typing import IO, Any, Protocol

from templcrawl.commands.stripped_pages import Names, StrippedPage
from templcrawl.errors import InvalidOption, MissingExtra

COLUMNS = ("url", "title", "content_text", "article_text", "content_html", "template_id", "truncated")
ACCEPTED = "a file that ends in .jsonl or .parquet, or the name of a new folder"

_ROWS = 2_000
_GROUP = 32 * 2**20


class Output(Protocol):
    """What every output can do; one of ``commit`` and ``discard`` ends it.  All may raise OSError."""

    def write(self, page: StrippedPage) -> None:
        """Add a page."""

    def commit(self) -> None:
        """Put what was written in its place."""

    def discard(self) -> None:
        """Leave nothing."""


class _File:
    """A file that is written aside."""

    def __init__(self, target: Path) -> None:
        self._target = target
        number, name = mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.absolute().parent)
        self._part = Path(name)
        self._file: IO[bytes] = os.fdopen(number, "wb")

    def commit(self) -> None:
        """Put the file in its place."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        umask = os.umask(0)
        os.umask(umask)
        self._part.chmod(0o666 & ~umask)
        self._part.replace(self._target)

    def discard(self) -> None:
        """Remove the file."""
        with suppress(OSError):
            self._file.close()
        self._part.unlink(missing_ok=True)


class JsonLines(_File):
    """A line of JSON a page."""

    def write(self, page: StrippedPage) -> None:
        """Add a page."""
        row = {name: getattr(page, name) for name in COLUMNS}
        self._file.write(json.dumps(row, separators=(",", ":")).encode() + b"\n")


class Parquet(_File):
    """A row a page, compressed with zstd."""

    def __init__(self, target: Path) -> None:
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ImportError as error:
            raise MissingExtra("writing Parquet", "parquet") from error
        super().__init__(target)
        types = [pa.bool_() if name == "truncated" else pa.string() for name in COLUMNS]
        self._batch: Callable[..., Any] = pa.RecordBatch.from_pylist
        self._schema = pa.schema(list(zip(COLUMNS, types)))
        self._writer = pq.ParquetWriter(self._file, self._schema, compression="zstd")
        self._rows: list[dict[str, object]] = []
        self._size = 0

    def write(self, page: StrippedPage) -> None:
        """Add a page."""
        row = {name: _storable(getattr(page, name)) for name in COLUMNS}
        self._rows.append(row)
        self._size += sum(len(value) for value in row.values() if isinstance(value, str))
        if len(self._rows) == _ROWS or self._size >= _GROUP:
            self._write_group()

    def commit(self) -> None:
        """Write the last rows and the foot, and put the file in its place."""
        if self._rows:
            self._write_group()
        self._writer.close()
        super().commit()

    def _write_group(self) -> None:
        self._writer.write_batch(self._batch(self._rows, schema=self._schema))
        self._rows, self._size = [], 0


def _storable(value: object) -> object:
    """Return text that Parquet can hold: half of a surrogate pair becomes a question mark."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


class Folder:
    """A file of HTML a page, named as in the input folder, or after its URL."""

    def __init__(self, target: Path, names: Names) -> None:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise InvalidOption("output", str(target), f"{ACCEPTED} (there is something of that name)")
        self._target = target
        self._names = names
        self._part = Path(mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.absolute().parent))

    def write(self, page: StrippedPage) -> None:
        """Add a page."""
        path = self._part / self._names.name(page.url)
        path.parent.mkdir(parents=True, exist_ok=True)
        title = f"<title>{escape(page.title or '')}</title>"
        head = f'<!DOCTYPE html>\n<html><head><meta charset="utf-8">{title}</head>\n'
        html = f"{head}<body>\n{page.body}\n</body></html>\n"
        path.write_bytes(html.encode("utf-8", "replace"))

    def commit(self) -> None:
        """Put the folder in its place."""
        self._part.chmod(0o755)
        if self._target.exists():
            self._target.rmdir()
        self._part.replace(self._target)

    def discard(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self._part, ignore_errors=True)


def open_output(target: Path, mirrored: Path | None = None) -> Output:
    """Return the output that a target's ending names; raises InvalidOption, MissingExtra or OSError.

    mirrored  the folder after whose files those of a folder are named; None: they are named after URLs
    """
    if not target.absolute().parent.is_dir():
        raise InvalidOption("output", str(target), f"{ACCEPTED}, in a folder that exists")
    ending = target.suffix.lower()
    if ending not in (".jsonl", ".parquet"):
        return Folder(target, Names(mirrored))
    if target.is_dir():
        raise InvalidOption("output", str(target), f"{ACCEPTED} (there is a folder of that name)")
    return JsonLines(target) if ending == ".jsonl" else Parquet(target)
