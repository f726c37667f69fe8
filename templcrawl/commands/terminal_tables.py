"""Tables for a terminal: by rich where it is installed and stdout is a terminal, else aligned plain text.

What comes from a page is shown without its control characters, so that no page can steer a terminal.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec


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
