"""How the feed of a job that goes on stays one document.

Scrapy begins a document at every start: a header of CSV, an array of JSON, a root element of XML.  A feed in
a local file that an earlier run of the job has written to is opened before its first item: what ended the
document is cut off, then Scrapy's exporter begins, and what it has written is taken back.

CSV keeps the columns of its header: the first item of the new run would choose others.

A file that does not end as these exporters end it is left as it is, and Scrapy appends to it as it would
without us.

Cost: O(1) a file, and the first line of CSV.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from scrapy.exporters import CsvItemExporter, JsonItemExporter, JsonLinesItemExporter, XmlItemExporter

_BLANK = b" \t\r\n"
_MAX_TAIL = 4_096  # bytes that are read at a time, from the end


def closing(exporter: type, options: Mapping[str, Any]) -> bytes:
    """Return what ends the document of an exporter, b"" where it has no end."""
    if issubclass(exporter, JsonItemExporter):
        return b"\n]"
    if issubclass(exporter, XmlItemExporter):
        root = (options.get("item_export_kwargs") or {}).get("root_element", "items")
        return f"</{root}>".encode(options.get("encoding") or "utf-8")
    return b""


def go_on(feed: Any, path: Path, exporter: type, *, is_closed: bool) -> None:
    """Open a feed for more items behind those that its file has.

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


def cut_half_an_item(path: Path, exporter: type) -> None:
    """Cut a file of lines that ends in the middle of one, or in zeros, to its last whole line."""
    if not issubclass(exporter, (JsonLinesItemExporter, CsvItemExporter)):
        return
    with path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        while end:
            begin = max(0, end - _MAX_TAIL)
            file.seek(begin)
            newline = file.read(end - begin).rfind(b"\n")
            end = begin
            if newline >= 0:
                end = begin + newline + 1
                break
        file.truncate(end)


def _tail(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        file.seek(max(0, size - _MAX_TAIL))
        return file.read()


def _keep_columns(exporter: Any, path: Path) -> None:
    """Let a CSV feed go on below the header that its file has."""
    if not exporter.include_headers_line:
        return
    with suppress(csv.Error, UnicodeError, StopIteration):
        with path.open(encoding=exporter.encoding, newline="") as file:
            columns = next(csv.reader(file, exporter.csv_writer.dialect))
        exporter.include_headers_line = False
        if not exporter.fields_to_export:
            exporter.fields_to_export = columns
            exporter._autodetected_fields = True  # Scrapy warns of fields that have no column
