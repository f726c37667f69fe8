"""Tables of benchmarks: printed, and kept for the documents to cite (see :mod:`docs.build.figures`).

    python -m lab.bench.NAME ... --figures docs/figures/NAME.json

keeps the cells of the tables as they are printed, each table with the command, the day, which reader of
pages it ran on, and a fingerprint of the defaults that it depends on (:mod:`lab.bench.defaults`).  A row is
named by its first cells, as many as tell all rows apart, joined by ", ".
Imported by benchmarks, not run.
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from lab.bench.defaults import fingerprints
from templcrawl import __version__
from templcrawl.page import kernel


def table_of(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]], *, left: int = 1) -> Table:
    """Return a table; so many of its first columns are flush left, the others flush right."""
    table = Table(title=title, title_justify="left")
    for number, head in enumerate(heads):
        table.add_column(head, justify="left" if number < left else "right", no_wrap=True)
    for row in rows:
        table.add_row(*map(str, row))
    return table


def report(tables: Mapping[str, Table], figures: Path | None) -> None:
    """Print tables, and keep them in a file if there is one."""
    for table in tables.values():
        show(table)
    keep_tables(figures, tables)


def show(table: Table) -> None:
    """Print a table as wide as it needs to be."""
    wide = Console(width=1000)
    width = Measurement.get(wide, wide.options, table).maximum
    Console(width=max(width, len(str(table.title or "")))).print(table)


def keep_tables(file: Path | None, tables: Mapping[str, Table]) -> None:
    """Keep tables under their names in a file, beside those that it has; nothing without a file."""
    if file is None:
        return
    kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    command = command_of(sys.argv)
    about: dict[str, object] = {
        "command": command,
        "date": datetime.now(timezone.utc).date().isoformat(),
        "templcrawl": __version__,
        "python": platform.python_version(),
        "page layer": "kernel" if kernel.is_native() else "Python",
    }
    if depends := fingerprints(command):
        about["defaults"] = depends
    kept.update({name: {**about, "rows": cells_of(table)} for name, table in tables.items()})
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def cells_of(table: Table) -> dict[str, dict[str, str]]:
    """Return row -> column -> cell, without markup; a second column of a name is called "name (2)".

    >>> table = Table("method", "F1")
    >>> table.add_row("vote", "[bold]0.977[/]")
    >>> cells_of(table)
    {'vote': {'F1': '0.977'}}
    """
    names = [_plain(column.header) for column in table.columns]
    heads = [
        name if not (nth := names[:at].count(name)) else f"{name} ({nth + 1})"
        for at, name in enumerate(names)
    ]
    rows = list(zip(*([_plain(cell) for cell in column.cells] for column in table.columns)))
    width = next(
        (width for width in range(1, len(heads)) if len({row[:width] for row in rows}) == len(rows)), 0
    )
    if not width:
        raise ValueError(f"rows of {table.title} cannot be told apart")
    return {", ".join(row[:width]).rstrip(", "): dict(zip(heads[width:], row[width:])) for row in rows}


def _plain(cell: Any) -> str:
    return Text.from_markup(str(cell)).plain.strip()


def command_of(arguments: Sequence[str]) -> str:
    """Return a command line as one would type it elsewhere: without this machine's paths.

    >>> command_of(["/home/me/templcrawl/lab/bench/beside/__main__.py", "--corpora", "/tmp", "--pages", "5"])
    'python -m lab.bench.beside --corpora FOLDER --pages 5'
    """
    script, *options = arguments
    path = script.removesuffix("__main__.py").removesuffix(".py").rstrip("/")
    module = "lab." + path.rpartition("lab/")[2].replace("/", ".")
    told = ["FOLDER" if "/" in option else option for option in options]
    for option in {"--figures", "--json"} & {*told}:
        at = told.index(option)
        del told[at : at + 2]
    return " ".join(("python -m", module, *told))


def as_json_rows(tables: Mapping[str, Any]) -> str:
    """Return named values as JSON, and those of them that are tables a row a line."""

    def rows(value: Any) -> str:
        if not isinstance(value, Mapping):
            return json.dumps(value)
        lines = (
            f"  {json.dumps(name, ensure_ascii=False)}: {json.dumps(row)}" for name, row in value.items()
        )
        return "{\n" + ",\n".join(lines) + "\n }"

    named = (f" {json.dumps(name)}: {rows(value)}" for name, value in tables.items())
    return "{\n" + ",\n".join(named) + "\n}\n"
