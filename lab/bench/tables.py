"""How benchmarks print their tables; imported by them all, not run."""

from __future__ import annotations

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table


def show(table: Table) -> None:
    """Print a table as wide as it needs to be."""
    wide = Console(width=1000)
    width = Measurement.get(wide, wide.options, table).maximum
    Console(width=max(width, len(str(table.title or "")))).print(table)
