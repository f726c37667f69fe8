"""The output of a command: tables or JSON on stdout, progress and what could not be read on stderr.

*Tables* are aligned plain text.  Text from a page is shown without its control characters, so that no page
can steer a terminal.

*Progress* is a line that is written over on a terminal, else a line every few seconds.
"""

from __future__ import annotations

import codecs
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from shutil import get_terminal_size
from time import monotonic
from typing import TYPE_CHECKING, Any

from templcrawl.errors import pluralize
from templcrawl.files import whole_file
from templcrawl.tools.commands.base import STDOUT

if TYPE_CHECKING:
    from templcrawl.page.page import Page
    from templcrawl.page.records import CrawlReader, Record, Unreadable

SECONDS = 5.0
_BETWEEN = 0.2


def printable(text: str) -> str:
    r"""Return a text with "?" in place of what cannot be printed.

    >>> printable("a\x1b[31mb")
    'a?[31mb'
    """
    return "".join(character if character.isprintable() else "?" for character in text)


def show_table(
    title: str,
    head: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    numbers: int,
    top: int | None = None,
    cut: str = "the {:,} largest",
) -> None:
    """Write a table to stdout; its whole numbers have commas, its floats are percentages.

    numbers  how many of its first columns are numbers, aligned to the right
    top      how many of its rows are shown, None: all
    cut      what the title says where these are not all
    """
    shown = [[_cell(cell) for cell in row] for row in rows[:top]]
    if top is not None and len(rows) > top:
        title += f", {cut.format(top)}"
    write(f"{title}\n{aligned(head, shown, numbers=numbers)}\n")


def _cell(cell: object) -> str:
    if isinstance(cell, int):
        return f"{cell:,}"
    return f"{cell:.0%}" if isinstance(cell, float) else printable(str(cell))


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: int) -> str:
    """Return a table as plain text.

    >>> print(aligned(["pages", "host"], [["12", "a.org"], ["7", "b.org"]], numbers=1))
    pages  host
       12  a.org
        7  b.org
    """
    widths = [max(map(len, column)) for column in zip(head, *rows)]
    lines = []
    for row in (head, *rows):
        cells = [
            cell.rjust(width) if at < numbers else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def write(text: str) -> None:
    """Write to stdout; characters that its encoding lacks become "?"."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))


def tracked(reader: CrawlReader, *, doing: str = "", seconds: float | None = None) -> Iterator[Record]:
    """Yield the records of a reader and show how far it is.

    doing    what the records are read for, as in "learning, 1 of 2"; "" without a purpose
    seconds  the least time between two lines; None: five, on a terminal a fifth
    """
    lead = f"{doing}: " if doing else ""
    between = (_BETWEEN if sys.stderr.isatty() else SECONDS) if seconds is None else seconds
    last = monotonic()
    with StatusLine() as line:
        for pages, record in enumerate(reader, start=1):
            now = monotonic()
            if now - last >= between:
                share = min(reader.done / max(reader.total, 1), 1.0)
                text = f"{lead}{pluralize(pages, 'page')}, {share:.0%} of the {reader.unit}"
                if line.is_shown:
                    line.show(text)
                else:
                    sys.stderr.write(f"{text}\n")
                last = now
            yield record


def each_page(reader: CrawlReader, use: Callable[[Page], object], doing: str = "") -> None:
    """Put every page of a reader that has an address before a function; where that fails, skip the page.

    doing  the purpose, for the progress line
    """
    for number, record in enumerate(tracked(reader, doing=doing), start=1):
        if record.url:
            with reader.unreadable.skipping(record.url):
                use(record.page())
        else:
            reader.unreadable.add(f"record {number}", "it has no URL")


class StatusLine(AbstractContextManager["StatusLine"]):
    """A line on the terminal that stderr is, written over by the next one; elsewhere nothing is written.

    is_shown  whether stderr is a terminal
    """

    def __init__(self) -> None:
        self.is_shown = sys.stderr.isatty()
        self._width = 0

    def __exit__(self, *exception: object) -> None:
        """Take the line away."""
        self.show("")

    def show(self, text: str) -> None:
        """Write a line, as far as the terminal has room for it."""
        if not self.is_shown:
            return
        text = text[: get_terminal_size().columns - 1]
        sys.stderr.write(f"{text.ljust(self._width)}\r")
        sys.stderr.flush()
        self._width = len(text)


def report_unreadable(unreadable: Unreadable, capped: int = 0) -> None:
    """Say on stderr what a reader could not read, and how many pages it read in part."""
    if unreadable:
        sys.stderr.write(f"could not be read: {len(unreadable):,}\n")
        for name, reason in unreadable.first:
            sys.stderr.write(f"  {printable(name)}: {printable(reason)}\n")
        if len(unreadable) > len(unreadable.first):
            sys.stderr.write(f"  and {len(unreadable) - len(unreadable.first):,} more\n")
    if capped:
        sys.stderr.write(f"pages read in part, because they are too large: {capped:,}\n")


def input_json(source: str, reader: CrawlReader) -> dict[str, Any]:
    """Return the entries of every report about its input."""
    return {
        "input": source,
        "capped": reader.capped,
        "unreadable": unreadable_json(reader.unreadable),
    }


def unreadable_json(unreadable: Unreadable) -> dict[str, Any]:
    """Return the entries of every report about what could not be read."""
    first = [{"name": name, "reason": reason} for name, reason in unreadable.first]
    return {"count": len(unreadable), "first": first}


def write_json(answer: Any, target: str) -> None:
    """Write plain values to a file that is there once it is whole, or to stdout for -.  Raises OSError."""
    if target == STDOUT:
        json.dump(answer, sys.stdout, indent=1)
        sys.stdout.write("\n")
    else:
        with whole_file(Path(target)) as file:
            json.dump(answer, codecs.getwriter("utf-8")(file), indent=1)


Answer = dict[str, Any]  # what a command has found, as the plain values of its schema


def write_answer(target: str | None, answer: Answer, show: Callable[[Answer], None]) -> None:
    """Write an answer as JSON to the target of ``--json``, and as tables unless that is stdout.

    Raises OSError.
    """
    if target:
        write_json(answer, target)
    if target != STDOUT:
        show(answer)
