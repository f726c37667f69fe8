"""The terminal output of a command: tables on stdout, progress on stderr.

*Tables* are drawn by rich where it is installed and stdout is a terminal, else as aligned plain text.  Text
from a page is shown without its control characters, so that no page can steer a terminal.

*Progress* is a line that is written over on a terminal, else a line every few seconds.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from importlib.util import find_spec
from shutil import get_terminal_size
from time import monotonic
from typing import TYPE_CHECKING

from templcrawl.errors import pluralize

if TYPE_CHECKING:
    from templcrawl.page.records import CrawlReader, Record

SECONDS = 5.0
_BETWEEN = 0.2
_BAR = 24


def printable(text: str) -> str:
    r"""Return a text with "?" in place of what cannot be printed.

    >>> printable("a\x1b[31mb")
    'a?[31mb'
    """
    return "".join(character if character.isprintable() else "?" for character in text)


def show_table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: int) -> None:
    """Write a table to stdout.

    numbers  how many of its first columns are numbers, aligned to the right
    """
    rows = [[printable(cell) for cell in row] for row in rows]
    if sys.stdout.isatty() and find_spec("rich"):
        _show_rich(title, head, rows, numbers)
    else:
        write(f"{title}\n{aligned(head, rows, numbers=numbers)}\n")


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


def _show_rich(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], numbers: int) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left")
    for at, name in enumerate(head):
        table.add_column(name, justify="right" if at < numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)


def tracked(reader: CrawlReader, *, doing: str = "", seconds: float | None = None) -> Iterator[Record]:
    """Yield the records of a reader and show how far it is.

    doing    what the records are read for, as in "learning, 1 of 2"; "" without a purpose
    seconds  the least time between two lines; None: five, on a terminal a fifth
    """
    lead = f"{doing}: " if doing else ""
    between = (_BETWEEN if sys.stderr.isatty() else SECONDS) if seconds is None else seconds
    started = last = monotonic()
    with StatusLine() as line:
        for pages, record in enumerate(reader, start=1):
            now = monotonic()
            if now - last >= between:
                share = min(reader.done / max(reader.total, 1), 1.0)
                if line.is_shown:
                    remaining = _remaining_time(share, now - started)
                    line.show(f"{lead}{pluralize(pages, 'page')} {_bar(share)} {remaining}")
                else:
                    sys.stderr.write(f"{lead}{pluralize(pages, 'page')}, {share:.0%} of the {reader.unit}\n")
                last = now
            yield record


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


def _bar(share: float) -> str:
    """Return a bar that is full at 1.

    >>> _bar(0.5)
    '[############............]  50%'
    """
    return f"[{'#' * round(_BAR * share):.<{_BAR}}] {share:4.0%}"


def _remaining_time(share: float, seconds: float) -> str:
    """Return the estimated remaining time, "" without an estimate.

    share    that is done
    seconds  that it took

    >>> _remaining_time(0.25, 20), _remaining_time(0.5, 300), _remaining_time(0.0, 5)
    ('60 s left', '5 min left', '')
    """
    if not share:
        return ""
    remaining = seconds * (1 - share) / share
    return f"{remaining:.0f} s left" if remaining < 100 else f"{remaining / 60:.0f} min left"
