"""Does the index of fingerprints stay fast and small as it grows?

    python -m lab.bench.fingerprint_index [--count 3660000] [--heads N] [--json FILE]

Distinct made-up fingerprints of 25 entries, each entry any earlier one with equal chance, are added in a
process of its own.  3.66 million is the size of Hachenberg & Gottron's DMOZ collection (CIKM 2013,
Figure 5: documents a second over the number of documents).

Memory is what the process grew by: at its peak (a table is copied as it grows) and once all is added.
Read from ``/proc``, so on Linux alone.  Time is CPU time of the adds alone, by tenths.

These fingerprints are a mild case: hardly two share a head, none is near another.  With ``--heads``
there are only so many heads, and the more of the fingerprints share each; above a thousand the index
looks up neighbours instead (see ``templcrawl.algorithms.fingerprints.fingerprint``).

Cost: O(count).
"""

from __future__ import annotations

import argparse
import gc
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from time import process_time
from typing import NamedTuple

import numpy as np
from rich.table import Table

from lab.bench.options import add_json, new_parser
from lab.bench.tables import show
from templcrawl.algorithms.fingerprints.fingerprint import FINGERPRINT_LENGTH, FingerprintIndex

_BLOCK = 10_000
_TENTHS = 10
_STATUS = Path("/proc/self/status")


class Growth(NamedTuple):
    """How an index grew.

    distinct         fingerprints in it at the end
    seconds          CPU time of all adds
    adds_per_second  tenth by tenth
    again            adds a second of fingerprints that it holds already
    peak, steady     bytes that the process grew by
    """

    distinct: int
    seconds: float
    adds_per_second: list[float]
    again: float
    peak: int
    steady: int


def fingerprints(count: int, heads: int, split: int, seed: int = 1) -> Iterator[list[bytes]]:
    """Yield blocks of made-up fingerprints.

    heads  how many different heads of ``split`` entries there are, 0 for one of its own each

    >>> [len(block) for block in fingerprints(10_001, 0, 17)]
    [10000, 1]
    """
    chance = np.random.default_rng(seed)
    earlier = np.arange(1, FINGERPRINT_LENGTH + 1)
    pool = (chance.random((heads, split)) * earlier[:split]).astype(np.uint8)
    for start in range(0, count, _BLOCK):
        rows = (chance.random((min(_BLOCK, count - start), FINGERPRINT_LENGTH)) * earlier).astype(np.uint8)
        if heads:
            rows[:, :split] = pool[chance.integers(heads, size=len(rows))]
        yield [row.tobytes() for row in rows]


def grow(count: int, heads: int = 0) -> Growth:
    """Add fingerprints to an index in this process; ``count`` is 10 or more."""
    index = FingerprintIndex()
    _add(FingerprintIndex(), next(fingerprints(_BLOCK, heads, index.split, seed=2)))
    gc.collect()
    before, _ = _memory()
    seconds, added = [0.0] * _TENTHS, [0] * _TENTHS
    block: list[bytes] = []
    done = 0
    for block in fingerprints(count, heads, index.split):
        tenth = done * _TENTHS // count
        seconds[tenth] += _add(index, block)
        added[tenth] += len(block)
        done += len(block)
    again = len(block) / _add(index, block)
    gc.collect()
    steady, peak = _memory()
    speeds = [number / spent for number, spent in zip(added, seconds) if number]
    return Growth(len(index), sum(seconds), speeds, again, peak - before, steady - before)


def _add(index: FingerprintIndex, block: Sequence[bytes]) -> float:
    """Add fingerprints; return the seconds that this took."""
    started = process_time()
    for fingerprint in block:
        index.add(fingerprint)
    return max(process_time() - started, 1e-9)


def _memory() -> tuple[int, int]:
    """Return the bytes that this process holds in memory: now, at its peak."""
    lines = dict(line.split(":", 1) for line in _STATUS.read_text(encoding="ascii").splitlines())
    now, peak = (int(lines[name].split()[0]) * 1024 for name in ("VmRSS", "VmHWM"))
    return now, peak


def grow_apart(count: int, heads: int = 0) -> Growth:
    """Do so in a new process, that what this one holds is not in the figures."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(grow, count, heads).result()


def growth_table(growth: Growth, heads: int) -> Table:
    """Return the figures as a table."""
    told = f", {heads:,} heads" if heads else ""
    table = Table("", "", title=f"Index of {growth.distinct:,} fingerprints{told}", title_justify="left")
    table.columns[1].justify = "right"
    for number, speed in enumerate(growth.adds_per_second, start=1):
        table.add_row(f"adds a second, part {number}", f"{speed:,.0f}")
    table.add_row("adds a second, all", f"{growth.distinct / growth.seconds:,.0f}")
    table.add_row("adds a second of known ones", f"{growth.again:,.0f}")
    table.add_row("CPU seconds", f"{growth.seconds:,.1f}")
    table.add_row("bytes each, peak", f"{growth.peak / growth.distinct:,.0f}")
    table.add_row("bytes each, steady", f"{growth.steady / growth.distinct:,.0f}")
    return table


def _parser() -> argparse.ArgumentParser:
    parser = new_parser("lab.bench.fingerprint_index", __doc__)
    add = parser.add_argument
    add("--count", metavar="N", type=int, default=200_000, help="fingerprints (default 200,000)")
    add("--heads", metavar="N", type=int, default=0, help="different heads (default: each its own)")
    add_json(parser)
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Grow an index in a process of its own and print how that went."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.count < _TENTHS or options.heads < 0:
        parser.error(f"--count is {_TENTHS} or more, --heads 0 or more")
    if not _STATUS.exists():
        parser.error(f"memory is read from {_STATUS}, which is not here")
    growth = grow_apart(options.count, options.heads)
    show(growth_table(growth, options.heads))
    if options.json:
        options.json.write_text(json.dumps(growth._asdict(), indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
