"""The figures that documents cite, written into them from what benchmarks have kept (``docs/figures``).

    make figures                                                    (python -m documents.figures)

A document names the cells that it cites in a comment, and has what they say below it, so that no figure is
typed:

    <!-- figures
    | templcrawl | {separation[tuned][vote][F1]} |
    -->
    | templcrawl | 0.977 |
    <!-- /figures -->

``{file[table][row][column]}`` is a cell as it was printed; with a format of numbers (``:.2f``) it is rounded.
``{file[one|other][row][column]}`` are as many cells of the table, each with the ``**`` around it, if any.
``{runs}`` are the rows of a table of all that is kept (see :mod:`benchmarks.kept_tables`), ``{answers}``
those of the item fields (see :mod:`templcrawl.components.answers`).

Cost: O(bytes) of the documents.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from templcrawl.components.answers import ANSWERS

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "figures"
DOCUMENTS = sorted((ROOT / "docs").glob("*.md"))
_CELLS = re.compile(r"(\**)\{([^{}]*\[)([^][{}]*\|[^][{}]*)(\][^{}]*)\}\**")
_BLOCK = re.compile(r"(<!-- figures\n(.*?)\n-->\n).*?(<!-- /figures -->)", re.DOTALL)


class Cell(str):
    """A cell of a table as it was printed."""

    __slots__ = ()

    def __format__(self, form: str) -> str:
        """Return it as printed, or as a number of another form; raises ValueError if it is none."""
        return format(float(self.replace(",", "")), form) if form else str(self)


class Named(dict[str, Any]):
    """What is kept, by names; a format takes one of digits for a number."""

    def __missing__(self, name: object) -> Any:
        """Return what a number names; raises KeyError."""
        if isinstance(name, int) and str(name) in self:
            return self[str(name)]
        raise KeyError(name)


def kept_figures(folder: Path = FOLDER) -> dict[str, dict[str, Any]]:
    """Return file -> table -> row -> column -> cell, "runs" and "answers"."""
    kept = {
        path.stem: json.loads(path.read_text(encoding="utf-8"), object_hook=_named)
        for path in sorted(folder.glob("*.json"))
    }
    figures: dict[str, Any] = {
        file: Named({name: table["rows"] for name, table in tables.items()}) for file, tables in kept.items()
    }
    answers = (f"| `{name}` | {row.meaning} |" for name, row in ANSWERS.items())
    return {**figures, "runs": "\n".join(_runs(kept)), "answers": "\n".join(answers)}


def _named(said: dict[str, Any]) -> Named:
    return Named({name: Cell(value) if isinstance(value, str) else value for name, value in said.items()})


def _runs(kept: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for file, tables in kept.items():
        runs = dict.fromkeys((of["command"], of["date"], of["page layer"]) for of in tables.values())
        for command, date, layer in runs:
            yield f"| [{file}](figures/{file}.json) | `{command}` | {date} | {layer} |"


def rendered(document: str, figures: Mapping[str, Any]) -> str:
    """Return a document whose blocks say what is kept; raises KeyError for a cell that is not."""
    return _BLOCK.sub(
        lambda block: f"{block[1]}{_spelled(block[2]).format_map(figures)}\n{block[3]}", document
    )


def _spelled(block: str) -> str:
    """Return what a block cites with each cell by itself.

    >>> _spelled("| F1 | **{a[b|c][d]}** |")
    '| F1 | **{a[b][d]}** | **{a[c][d]}** |'
    """

    def spell(cells: re.Match[str]) -> str:
        mark, before, names, after = cells.groups()
        return " | ".join(f"{mark}{{{before}{name}{after}}}{mark}" for name in names.split("|"))

    return _CELLS.sub(spell, block)


def main() -> None:
    """Write the figures into the documents."""
    figures = kept_figures()
    for path in DOCUMENTS:
        document = path.read_text(encoding="utf-8")
        if (now := rendered(document, figures)) != document:
            path.write_text(now, encoding="utf-8")
            sys.stdout.write(f"{path.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
