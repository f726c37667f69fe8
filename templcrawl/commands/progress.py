"""How far a reader is, on stderr: a bar on a terminal (with rich), else a line every few seconds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from time import monotonic

from templcrawl.readers.shape import Reader, Record

SECONDS = 5.0


def tracked(reader: Reader, *, doing: str = "", seconds: float | None = None) -> Iterator[Record]:
    """Yield the records of a reader and show how far it is.

    doing    what the records are read for, as in "learning, 1 of 2"; "": not said
    seconds  the least time between two lines; None: five
    """
    lead = f"{doing}: " if doing else ""
    if sys.stderr.isatty() and find_spec("rich"):
        return _with_bar(reader, lead)
    return _with_lines(reader, lead, SECONDS if seconds is None else seconds)


def _with_bar(reader: Reader, lead: str) -> Iterator[Record]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn(f"{lead}{{task.fields[pages]:,}} pages"), BarColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=reader.total, pages=0)
        for pages, record in enumerate(reader, start=1):
            progress.update(task, completed=reader.done, pages=pages)
            yield record


def _with_lines(reader: Reader, lead: str, seconds: float) -> Iterator[Record]:
    last = monotonic()
    for pages, record in enumerate(reader, start=1):
        if monotonic() - last >= seconds:
            share = reader.done / max(reader.total, 1)
            sys.stderr.write(f"{lead}{pages:,} pages, {share:.0%} of the {reader.unit}\n")
            last = monotonic()
        yield record
