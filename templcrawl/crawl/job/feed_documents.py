"""The documents of feeds: when a job goes on, each feed stays one document.

Scrapy begins a document at every start: a header of CSV, an array of JSON, a root element of XML.  A feed in
a local file that an earlier run of the job has written to is opened before its first item: what ended the
document is cut off, then Scrapy's exporter begins, and what it has written is taken back.

CSV keeps the columns of its header: the first item of the new run would choose others.

A file that is not as the job knows it, since the power has failed or another crawl has written to it, is cut
behind its last whole item.  A whole file that does not end as these exporters end it is left as it is, and
Scrapy appends to it as it would without us.

Cost: O(1) a file, and the first line of CSV.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from scrapy.exporters import CsvItemExporter, JsonItemExporter, JsonLinesItemExporter, XmlItemExporter

_BLANK = b" \t\r\n"
_MAX_TAIL = 4_096  # bytes that are read at a time, from the end


def closing(exporter: type, options: Mapping[str, Any]) -> bytes:
    """Return the closing text of an exporter's document, b"" if it has none."""
    if issubclass(exporter, JsonItemExporter):
        return b"\n]"
    if issubclass(exporter, XmlItemExporter):
        root = (options.get("item_export_kwargs") or {}).get("root_element", "items")
        return f"</{root}>".encode(options.get("encoding") or "utf-8")
    return b""


def go_on(feed: Any, path: Path, exporter: type, *, is_closed: bool) -> None:
    """Open the file of a feed to append items.

    is_closed  whether the document was ended
    """
    if issubclass(exporter, CsvItemExporter):
        feed.start_exporting()
        _keep_columns(feed.exporter, path)
    elif end := closing(exporter, feed.feed_options).strip():
        size = path.stat().st_size
        tail = _tail(path, size)
        text = tail.rstrip(_BLANK)
        if is_closed:
            if not text.endswith(end):
                return
            text = text.removesuffix(end)
        if issubclass(exporter, JsonItemExporter):
            text = text.rstrip(_BLANK)
        size -= len(tail) - len(text)
        feed.start_exporting()
        feed.file.flush()
        os.truncate(path, size)
        if issubclass(exporter, JsonItemExporter):
            feed.exporter.first_item = text == b"[" and size <= len(tail)


def cut_half_an_item(path: Path, exporter: type, options: Mapping[str, Any]) -> bool:
    """Cut a file that ends in the middle of an item, or in zeros, behind its last whole one.

    Return whether its document is ended; then nothing is cut.  An array is left as it is that has
    not a line for each item.
    """
    end = closing(exporter, options).strip()
    if end and _tail(path, path.stat().st_size).rstrip(_BLANK).endswith(end):
        return True
    if issubclass(exporter, (JsonLinesItemExporter, CsvItemExporter)):
        behind, is_kept = b"\n", True
    elif issubclass(exporter, XmlItemExporter):
        name = (options.get("item_export_kwargs") or {}).get("item_element", "item")
        behind, is_kept = f"</{name}>".encode(options.get("encoding") or "utf-8"), True
    elif issubclass(exporter, JsonItemExporter) and options.get("indent", 0) == 0:
        behind, is_kept = b",\n", False
    else:
        return False
    cut_behind(path, behind, is_kept=is_kept)
    return False


def cut_behind(path: Path, end: bytes, *, is_kept: bool = True) -> int:
    """Cut a file behind the last of some bytes, or before them; return its size, 0 where it has none of them.

    is_kept  whether these bytes stay
    """
    with path.open("r+b") as file:
        at = _last(file, end)
        return file.truncate(at + len(end) * is_kept if at >= 0 else 0)


def _last(file: BinaryIO, wanted: bytes) -> int:
    """Return the last position of some bytes in a file, -1 if they are not in it."""
    end, overlap = file.seek(0, os.SEEK_END), len(wanted) - 1
    while end > 0:
        begin = max(0, end - _MAX_TAIL)
        file.seek(begin)
        at = file.read(end - begin + overlap).rfind(wanted)
        if at >= 0:
            return begin + at
        end = begin
    return -1


def _tail(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        file.seek(max(0, size - _MAX_TAIL))
        return file.read()


def _keep_columns(exporter: Any, path: Path) -> None:
    """Continue a CSV feed below the header of its file."""
    if not exporter.include_headers_line:
        return
    with suppress(csv.Error, UnicodeError, StopIteration):
        with path.open(encoding=exporter.encoding, newline="") as file:
            columns = next(csv.reader(file, exporter.csv_writer.dialect))
        exporter.include_headers_line = False
        if not exporter.fields_to_export:
            exporter.fields_to_export = columns
            exporter._autodetected_fields = True  # Scrapy warns of fields that have no column
