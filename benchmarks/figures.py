"""The figures that documents cite: kept when a benchmark prints its tables, written into the documents.

    python -m benchmarks.NAME ... --figures docs/figures/NAME.json
    make figures                                                    (python -m benchmarks.figures)

A benchmark that is given ``--figures`` keeps the cells of its tables as it prints them, each table with the
command, the day, and which twin of the page layer it ran on.  A document names the cells that it cites in a
comment, and has what they say below it, so that no figure is typed:

    <!-- figures
    | templcrawl | {separation[tuned][vote][F1]} |
    -->
    | templcrawl | 0.977 |
    <!-- /figures -->

``{file[table][row][column]}`` is a cell as printed; with a format of numbers (``:.2f``) it is rounded.
``{runs}`` are the rows of a table of all that is kept.  A row is named by its first cells, as many as
tell all rows apart, joined by ", ".

Cost: O(bytes) of the documents.
"""

from __future__ import annotations

import json
import platform
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from benchmarks.options import new_parser
from templcrawl import __version__
from templcrawl.page import kernel

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "figures"
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
_BLOCK = re.compile(r"(<!-- figures\n(.*?)\n-->\n).*?(<!-- /figures -->)", re.DOTALL)
_NUMBER = re.compile(r"[-+]?[\d,]*\.?\d+").fullmatch


class Cell(str):
    """A cell of a table as it was printed."""

    __slots__ = ()

    def __format__(self, form: str) -> str:
        """Return it as printed, or as a number of another form; raises ValueError if it is none."""
        return format(float(self.replace(",", "")), form) if form else str(self)


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
    return {", ".join(row[:width]): dict(zip(heads[width:], row[width:])) for row in rows}


def _plain(cell: Any) -> str:
    return Text.from_markup(str(cell)).plain.strip()


def keep_tables(file: Path | None, tables: Mapping[str, Table]) -> None:
    """Keep tables under their names in a file, beside those that it has; nothing without a file."""
    if file is None:
        return
    kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    about = {
        "command": command_of(sys.argv),
        "date": datetime.now(timezone.utc).date().isoformat(),
        "templcrawl": __version__,
        "python": platform.python_version(),
        "page layer": "kernel" if kernel.is_at_work() else "Python",
    }
    kept.update({name: {**about, "rows": cells_of(table)} for name, table in tables.items()})
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def command_of(arguments: Sequence[str]) -> str:
    """Return a command line as one would type it elsewhere: without this machine's paths.

    >>> command_of(["/home/me/templcrawl/benchmarks/order/__main__.py", "--corpora", "/tmp", "--pages", "5"])
    'python -m benchmarks.order --corpora FOLDER --pages 5'
    """
    script, *options = arguments
    module = script.removesuffix("__main__.py").removesuffix(".py").rstrip("/").rpartition("benchmarks/")[2]
    told = ["FOLDER" if "/" in option else option for option in options]
    for option in {"--figures", "--json"} & {*told}:
        at = told.index(option)
        del told[at : at + 2]
    return " ".join(("python -m", f"benchmarks.{module.replace('/', '.')}", *told))


def kept_figures(folder: Path = FOLDER) -> dict[str, dict[str, Any]]:
    """Return file -> table -> row -> column -> cell, and "runs"."""
    kept = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}
    figures: dict[str, Any] = {
        file: {
            name: {
                row: {head: Cell(cell) for head, cell in cells.items()}
                for row, cells in table["rows"].items()
            }
            for name, table in tables.items()
        }
        for file, tables in kept.items()
    }
    return {**figures, "runs": "\n".join(_runs(kept))}


def _runs(kept: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for file, tables in kept.items():
        runs = dict.fromkeys((of["command"], of["date"], of["page layer"]) for of in tables.values())
        for command, date, layer in runs:
            yield f"| [{file}](figures/{file}.json) | `{command}` | {date} | {layer} |"


def rendered(document: str, figures: Mapping[str, Any]) -> str:
    """Return a document whose blocks say what is kept; raises KeyError for a cell that is not."""
    return _BLOCK.sub(lambda block: f"{block[1]}{block[2].format_map(figures)}\n{block[3]}", document)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the figures into the documents."""
    new_parser("benchmarks.figures", __doc__).parse_args(arguments)
    figures = kept_figures()
    for path in DOCUMENTS:
        document = path.read_text(encoding="utf-8")
        if (now := rendered(document, figures)) != document:
            path.write_text(now, encoding="utf-8")
            print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
