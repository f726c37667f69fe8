"""``python -m docs.build.whole_tables`` writes three tables of ``scrapy tables`` in full, in docs/tables/.

They are of generated sites, chosen before anybody saw what comes out: the goods of a shop, the posts of a
forum, the chapters of a manual.

Cost: three seconds a table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from docs.build.commands import ROOT, output
from lab.sites.generated import generate_demo_site
from lab.sites.table_sites import generate_table_site

FOLDER = ROOT / "docs" / "tables"


class Example(NamedTuple):
    """A site, and which of its tables is kept.

    pages    path -> HTML
    path     what the path of a page of the table begins with
    records  whether the table is the largest of records, else that of the pages
    """

    pages: Callable[[], Mapping[str, str]]
    path: str
    records: bool = False


def _tables_of(kind: str, layout: str, trouble: str) -> Mapping[str, str]:
    return {page.path: page.html for page in generate_table_site(kind, layout, trouble)}


def _manual() -> Mapping[str, str]:
    return {path: page.html for path, page in generate_demo_site(chapters=16).pages.items()}


EXAMPLES: Mapping[str, Example] = {
    "shop": Example(lambda: _tables_of("shop", "definitions", "reduced"), "/shop/"),
    "forum": Example(lambda: _tables_of("forum", "items", "missing"), "/forum/", records=True),
    "manual": Example(_manual, "/manual/"),
}
"""Name of a file -> what it is made of."""


def main() -> None:
    """Write the files."""
    FOLDER.mkdir(exist_ok=True)
    for name in EXAMPLES:
        (FOLDER / f"{name}.csv").write_bytes(whole_table(name).encode())


def whole_table(name: str) -> str:
    """Return a table as the command writes it; raises ValueError if it writes none."""
    example = EXAMPLES[name]
    with TemporaryDirectory() as folder:
        site, tables = Path(folder, f"{name}.example"), Path(folder, "tables")
        for path, html in example.pages().items():
            file = site / (path.lstrip("/") + ("index.html" if path.endswith("/") else ""))
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(html, encoding="utf-8")
        output(f"scrapy tables {site.name}/ -o {tables.name}/", Path(folder))
        about = json.loads((tables / "columns.json").read_text(encoding="utf-8"))["tables"]
        told = [
            one
            for one in about
            if f"{site.name}{example.path}" in one["example"]
            and example.records == (one["records"] is not None)
        ]
        if not told:
            raise ValueError(f"{name}: no such table")
        table = max(told, key=lambda one: int(one["rows"]))
        return (tables / f"{table['table']}.csv").read_bytes().decode()


if __name__ == "__main__":
    main()
