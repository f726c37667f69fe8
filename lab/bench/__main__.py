"""``make bench``: print the tables of the benchmarks that need nothing; then say how the others are run.

    python -m lab.bench [--only NAME ...]

Each runs in a process of its own, one after the other; that one fails does not keep the rest from running,
but the exit status is 1 then.  What there is, and what it needs, is read from ``lab/bench/README.md``.

Cost: some two minutes of CPU.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from lab.bench.options import new_parser

ROOT = Path(__file__).parents[2]
PROGRAM = "python -m "
NOTHING = "nothing"
"""What a benchmark needs that everyone can run."""

BRIEFLY = {
    "twins": "",
    "crawl_cost": "--rounds 1 --sets 6KB 25KB 90KB",
    "broad": "--hosts 1 60 --pages 5 --in-flight 16 --latency 0.05",
    "kills": "--kills 5 --pages 500",
    "poisoning": "--draws 1 --owned 5 17",
}
"""Benchmark -> how it is run here, shorter than its command in the table."""


class Line(NamedTuple):
    """A line of the table."""

    question: str
    command: str
    needs: str
    minutes: str

    @property
    def module(self) -> str:
        """The name of the module that is run.

        >>> Line("", "python -m lab.papers.fingerprint_split --corpora FOLDER", "", "").module
        'lab.papers.fingerprint_split'
        """
        return self.command.removeprefix(PROGRAM).partition(" ")[0]


def lines_of(table: str) -> Iterator[Line]:
    """Yield the lines of a table in Markdown whose second cell is a command."""
    for row in table.splitlines():
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        if len(cells) == len(Line._fields) and cells[1].startswith(f"`{PROGRAM}"):
            yield Line(cells[0], cells[1].strip("`"), *cells[2:])


def read_lines() -> list[Line]:
    """Return the lines of ``lab/bench/README.md``."""
    return list(lines_of((ROOT / "lab" / "bench" / "README.md").read_text(encoding="utf-8")))


def run(name: str, options: str) -> int:
    """Run a benchmark, print what it prints, and return its exit status."""
    print(f"\n# {PROGRAM}lab.bench.{name} {options}".rstrip(), flush=True)
    command = [sys.executable, "-m", f"lab.bench.{name}", *options.split()]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def main(arguments: Sequence[str] | None = None) -> int:
    parser = new_parser("lab.bench", __doc__)
    parser.add_argument("--only", metavar="NAME", nargs="+", choices=BRIEFLY, default=[*BRIEFLY])
    options = parser.parse_args(arguments)
    failed = [name for name in options.only if run(name, BRIEFLY[name])]
    print("\nThe others, and these at length (see lab/bench/README.md):")
    for line in read_lines():
        print(f"\n{line.question}\n    {line.command}\n    needs {line.needs}; minutes: {line.minutes}")
    for name in failed:
        print(f"\nlab.bench.{name} has failed", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
