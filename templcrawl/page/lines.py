"""Text as it is written for :mod:`templcrawl.page.render`: run by run, in lines; storable.

Cost: O(length of the text).
"""

from __future__ import annotations

import re
from contextlib import suppress

from templcrawl.page.text import UNSTORABLE_ASCII, storable

_UNSTORABLE_BYTES = {b"\xc2": re.compile(b"\xc2[\x80-\x9f]"), b"\xef\xbf": re.compile(b"\xef\xbf[\xbe\xbf]")}


class Lines:
    """Text that grows run by run and breaks into lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.runs: list[str] = []
        self.in_pre = False

    def write(self, run: str) -> None:
        """Add a run; in ``pre`` an end of a line ends the line."""
        if not self.in_pre:
            self.runs.append(run)
            return
        first, *rest = run.split("\n")
        self.runs.append(first)
        for line in rest:
            self.end_line()
            self.runs.append(line)

    def write_gap(self) -> None:
        """Add a space, but in ``pre``."""
        if not self.in_pre:
            self.runs.append(" ")

    def end_line(self) -> None:
        """Add the line, if it has anything."""
        if not self.runs:
            return
        line = "".join(self.runs)
        line = line.rstrip() if self.in_pre else " ".join(line.split())
        if line:
            self.lines.append(line)
        self.runs.clear()


def stored(written: bytes) -> str:
    """Return what :func:`storable` makes of a text that is written in UTF-8, halves of pairs and all."""
    if len(written.translate(None, UNSTORABLE_ASCII)) == len(written):
        with suppress(UnicodeDecodeError):
            text = written.decode()
            if not any(lead in written and form.search(written) for lead, form in _UNSTORABLE_BYTES.items()):
                return text
    return storable(written.decode("utf-8", "surrogatepass"))
