"""How far a command is, on stderr: a line that is written over on a terminal, else one every few seconds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from shutil import get_terminal_size
from time import monotonic

from templcrawl.readers.records import Reader, Record
from templcrawl.wording import counted

SECONDS = 5.0
_BETWEEN = 0.2
_BAR = 24


def tracked(reader: Reader, *, doing: str = "", seconds: float | None = None) -> Iterator[Record]:
    """Yield the records of a reader and show how far it is.

    doing    what the records are read for, as in "learning, 1 of 2"; "": not said
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
                    line.show(f"{lead}{counted(pages, 'page')} {_bar(share)} {_left(share, now - started)}")
                else:
                    sys.stderr.write(f"{lead}{counted(pages, 'page')}, {share:.0%} of the {reader.unit}\n")
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


def _left(share: float, seconds: float) -> str:
    """Return how long it will take yet, "" where that cannot be told.

    share    that is done
    seconds  that it took

    >>> _left(0.25, 20), _left(0.5, 300), _left(0.0, 5)
    ('60 s left', '5 min left', '')
    """
    if not share:
        return ""
    left = seconds * (1 - share) / share
    return f"{left:.0f} s left" if left < 100 else f"{left / 60:.0f} min left"
