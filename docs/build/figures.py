"""The tables of the documents, filled with the results that benchmarks have stored (``docs/figures``).

    make figures                                                    (python -m docs.build.figures)

A document marks the place of a table by two lines that are not indented, and has the filled table between:

    <!-- table: separation -->
    | templcrawl | 0.977 |
    <!-- /table -->

``docs/build/tables/separation.md`` is its template: Markdown that cites cells, so that no figure is typed:

    | templcrawl | {separation[tuned][vote][F1]} |

``{file[table][row][column]}`` is a cell as it was printed; with a format of numbers (``:.2f``) it is rounded.
``{file[one|other][row][column]}`` are as many cells of the table, each with the ``**`` around it, if any.
``{runs}`` are links to all stored results, ``{answers}`` the rows of the item fields (see
:mod:`templcrawl.outputs.answers`), ``{settings}`` those of the settings (see
:mod:`templcrawl.crawl.settings`).

Cost: O(bytes) of the documents.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from inspect import getdoc
from pathlib import Path
from typing import Any

import templcrawl
from docs.build.docstrings import as_markdown
from docs.build.setting_examples import EXAMPLES
from templcrawl.crawl.settings import SETTINGS, TemplcrawlSettings
from templcrawl.outputs.answers import ANSWERS

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "figures"
TEMPLATES = Path(__file__).parent / "tables"
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_CELLS = re.compile(r"(\**)\{([^{}]*\[)([^][{}]*\|[^][{}]*)(\][^{}]*)\}\**")
_TABLE = re.compile(r"(?ms)^(<!-- table: (.*?) -->\n).*?^(<!-- /table -->)$")


class Cell(str):
    """A cell of a table as it was printed."""

    __slots__ = ()

    def __format__(self, form: str) -> str:
        """Return it as printed, or as a number of another form; raises ValueError if it is none."""
        return format(float(self.replace(",", "")), form) if form else str(self)


class Named(dict[str, Any]):
    """Stored results by name; a format takes a name of digits for a number."""

    def __missing__(self, name: object) -> Any:
        """Return the value that a number names; raises KeyError."""
        if isinstance(name, int) and str(name) in self:
            return self[str(name)]
        raise KeyError(name)


def stored_figures(folder: Path = FOLDER) -> dict[str, dict[str, Any]]:
    """Return file -> table -> row -> column -> cell, "runs", "answers", "settings" and "names"."""
    stored = {
        path.stem: json.loads(path.read_text(encoding="utf-8"), object_hook=_named)
        for path in sorted(folder.glob("*.json"))
    }
    figures: dict[str, Any] = {
        file: Named({name: table["rows"] for name, table in tables.items()})
        for file, tables in stored.items()
    }
    answers = (f"| `{name}` | {row.meaning} |" for name, row in ANSWERS.items())
    rows = {"runs": _runs(stored), "answers": answers, "settings": setting_rows(), "names": name_rows()}
    return {**figures, **{name: "\n".join(of_table) for name, of_table in rows.items()}}


def _named(values: dict[str, Any]) -> Named:
    return Named({name: Cell(value) if isinstance(value, str) else value for name, value in values.items()})


def _runs(stored: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each file: a link, and the last day on which a table of it was measured."""
    for file, tables in stored.items():
        yield f"[{file}](figures/{file}.json) ({max(table['date'] for table in tables.values())}),"


def setting_rows() -> Iterator[str]:
    """Yield the row of each setting: its name, its default, an example, and what it means."""
    defaults = TemplcrawlSettings()
    for name, setting in SETTINGS.items():
        default = getattr(defaults, setting.name)
        written = [*default] if isinstance(default, (tuple, frozenset)) else default
        meaning = setting.metadata["meaning"]
        yield f"| `{name}` | `{_as_code(written)}` | `{_as_code(EXAMPLES[name])}` | {meaning} |"


def name_rows() -> Iterator[str]:
    """Yield the row of each public name: the first sentence of what it says of itself."""
    for name in templcrawl.__all__:
        paragraph = as_markdown(getdoc(getattr(templcrawl, name)) or "").split("\n\n")[0]
        first = re.split(r"(?<=\.)\s", " ".join(paragraph.split()))[0]
        yield f"| `{name}` | {first.replace('|', chr(92) + '|')} |"


def _as_code(value: object) -> str:
    return repr(value).replace("'", '"')


def filled_tables(figures: Mapping[str, Any], folder: Path = TEMPLATES) -> dict[str, str]:
    """Return name -> filled table of every template; raises KeyError for a cell that is not stored."""
    return {
        path.stem: _one_by_one(path.read_text(encoding="utf-8")).format_map(figures)
        for path in sorted(folder.glob("*.md"))
    }


def _one_by_one(template: str) -> str:
    """Return a template that cites each cell separately.

    >>> _one_by_one("| F1 | **{a[b|c][d]}** |")
    '| F1 | **{a[b][d]}** | **{a[c][d]}** |'
    """

    def separate(cells: re.Match[str]) -> str:
        mark, before, names, after = cells.groups()
        return " | ".join(f"{mark}{{{before}{name}{after}}}{mark}" for name in names.split("|"))

    return _CELLS.sub(separate, template)


def fill_tables(document: str, tables: Mapping[str, str]) -> str:
    """Return a document with the tables that it marks; raises KeyError for a table that does not exist."""
    return _TABLE.sub(lambda place: f"{place[1]}{tables[place[2]]}{place[3]}", document)


def main() -> None:
    """Write the tables into the documents."""
    tables = filled_tables(stored_figures())
    for path in DOCUMENTS:
        document = path.read_text(encoding="utf-8")
        if (now := fill_tables(document, tables)) != document:
            path.write_text(now, encoding="utf-8")
            sys.stdout.write(f"{path.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
