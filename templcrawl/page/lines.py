"""Write text for :mod:`templcrawl.page.sides`: run by run, in lines.

Cost: O(length of the text).
"""

from __future__ import annotations


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
