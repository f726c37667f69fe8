"""The output of a command: tables or JSON on stdout, progress and what could not be read on stderr.

*Tables* are aligned plain text.  Text from a page is shown without its control characters, so that no page
can steer a terminal.

*Progress* is a line that is written over on a terminal, else a line every few seconds.
"""

from __future__ import annotations

import argparse
import codecs
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from shutil import get_terminal_size
from time import monotonic
from typing import IO, TYPE_CHECKING, Any

from templcrawl.files import whole_file
from templcrawl.tools.commands.base import STDOUT, PagesCommand, check_target, refuse

if TYPE_CHECKING:
    from templcrawl.page.page import Page
    from templcrawl.page.saved_pages import CrawlReader, Unreadable

SECONDS = 5.0  # between two lines of progress
TERMINAL_SECONDS = 0.2
LOG_SECONDS = 30.0  # of a crawl

Answer = dict[str, Any]  # what a command has found, as the plain values of its schema


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

    >>> show_table("Sites", ["pages", "share", "host"], [[1200, 0.5, "a.org"], [7, 1.0, "b.org"]], numbers=2)
    Sites
    pages  share  host
    1,200    50%  a.org
        7   100%  b.org
    """
    if top is not None and len(rows) > top:
        title += f", {cut.format(top)}"
    table = [list(head), *([_cell(value) for value in row] for row in rows[:top])]
    widths = [max(map(len, column)) for column in zip(*table)]
    write(f"{title}\n")
    for row in table:
        cells = [cell.rjust(width) for cell, width in zip(row[:numbers], widths)]
        cells += [cell.ljust(width) for cell, width in zip(row[numbers:], widths[numbers:])]
        write("  ".join(cells).rstrip() + "\n")


def _cell(value: object) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.0%}" if isinstance(value, float) else printable(str(value))


def write(text: str) -> None:
    """Write to stdout; characters that its encoding lacks become "?"."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))


def each_page(reader: CrawlReader, use: Callable[[Page], object], doing: str = "") -> None:
    """Call a function with every page (:func:`~templcrawl.page.saved_pages.each_page`); show progress."""
    from templcrawl.page import saved_pages

    with StatusLine() as line:
        tell = line.show if line.is_shown else partial(print, file=sys.stderr)
        seconds = TERMINAL_SECONDS if line.is_shown else SECONDS
        saved_pages.each_page(reader, use, doing, tell=tell, seconds=seconds)


class StatusLine(AbstractContextManager["StatusLine"]):
    """A line on stderr that the next one overwrites; nothing is written if stderr is not a terminal.

    is_shown  whether stderr is a terminal
    """

    def __init__(self) -> None:
        self.is_shown = sys.stderr.isatty()
        self._width, self._last = 0, monotonic()

    def __exit__(self, *exception: object) -> None:
        """Clear the progress line."""
        self.show("")

    def show(self, text: str) -> None:
        """Write a line, cut to the width of the terminal."""
        if not self.is_shown:
            return
        text = text[: get_terminal_size().columns - 1]
        sys.stderr.write(f"{text.ljust(self._width)}\r")
        sys.stderr.flush()
        self._width = len(text)

    def tell(self, text: str) -> None:
        """Show a line; where stderr is not a terminal, write one every half minute."""
        self.show(text)
        if not self.is_shown and monotonic() - self._last >= LOG_SECONDS:
            self._last = monotonic()
            sys.stderr.write(f"{text}\n")


def report_unreadable(unreadable: Unreadable, capped: int = 0) -> None:
    """Write to stderr what a reader could not read, and how many pages it read in part."""
    if unreadable:
        sys.stderr.write(f"could not be read: {len(unreadable):,}\n")
        for name, reason in unreadable.first:
            sys.stderr.write(f"  {printable(name)}: {printable(reason)}\n")
        if len(unreadable) > len(unreadable.first):
            sys.stderr.write(f"  and {len(unreadable) - len(unreadable.first):,} more\n")
    if capped:
        sys.stderr.write(f"pages read in part, because they are too large: {capped:,}\n")


def finish_reading(reader: CrawlReader, source: str, pages: int) -> None:
    """Report what could not be read; raises UsageError where there were no pages."""
    report_unreadable(reader.unreadable, reader.capped)
    if not pages:
        refuse(f"no pages in {source}")


def input_json(source: str, reader: CrawlReader) -> Answer:
    """Return the entries of every answer about its input."""
    return {
        "input": source,
        "capped": reader.capped,
        "unreadable": unreadable_json(reader.unreadable),
    }


def unreadable_json(unreadable: Unreadable) -> Answer:
    """Return the entries of every answer about what could not be read."""
    first = [{"name": name, "reason": reason} for name, reason in unreadable.first]
    return {"count": len(unreadable), "first": first}


def _write_json(answer: Answer, file: IO[bytes]) -> None:
    json.dump(answer, codecs.getwriter("utf-8")(file, "backslashreplace"), indent=1, ensure_ascii=False)
    file.write(b"\n")
    file.flush()


JSON_OPTION = "--json FILE  write JSON to FILE, - for stdout"


class TabularCommand(PagesCommand):
    """A command that shows tables of what it has found, or writes it as JSON."""

    shared_options = f"{JSON_OPTION}\n--top N=20  rows of a table (default 20)"

    def check(self, opts: argparse.Namespace) -> None:
        """Raise UsageError for options that are not accepted."""
        if getattr(opts, "top", 1) < 1:
            refuse("--top: give a number of 1 or more")
        if opts.json:
            check_target("--json", opts.json)

    def find(self, *arguments: Any) -> Answer:
        """Run the command; return the answer without its ``format``.

        arguments  the inputs, then the options
        """
        raise NotImplementedError

    def show(self, answer: Answer, top: int | None) -> None:
        """Write an answer as tables, at most ``top`` rows of each."""
        raise NotImplementedError

    def work(self, *arguments: Any) -> int:
        """Write the answer as JSON and, unless something else goes to stdout, as tables.

        Return how many records could not be read.  Raises OSError.
        """
        answer, opts = {"format": 1, **self.find(*arguments)}, arguments[-1]
        if opts.json == STDOUT:
            _write_json(answer, sys.stdout.buffer)
        elif opts.json:
            with whole_file(Path(opts.json)) as file:
                _write_json(answer, file)
        if STDOUT not in (opts.json, getattr(opts, "output", None), getattr(opts, "page_types", None)):
            self.show(answer, getattr(opts, "top", None))
        return sum(about["unreadable"]["count"] for about in answer.get("inputs", [answer]))
