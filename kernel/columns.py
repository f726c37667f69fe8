"""Writes ``kernel/src/columns.rs`` from the one table of columns, ``templcrawl/page/columns.py``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from templcrawl.page.columns import FLAGS, TABLES, Task

FILE = Path(__file__).resolve().parent / "src" / "columns.rs"
_TASKS = {task.name: task.value for task in Task}
_RUST = {"bool": "u8", "text": "u8"}


def rust() -> str:
    """Return the file."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "//! The columns of each table, in order, and what a page is asked for."
    yield "//! Generated from `templcrawl/page/columns.py` by `kernel/columns.py`; change nothing here."
    yield ""
    yield "#![allow(dead_code)] // some columns only Python reads"
    for title, kind, numbers in (("task", "u8", _TASKS), ("flag", "u64", FLAGS)):
        yield f"\npub mod {title} {{"
        yield from (f"    pub const {name.upper()}: {kind} = {number};" for name, number in numbers.items())
        yield "}"
    for table, columns in TABLES.items():
        yield f"\npub mod {table} {{"
        yield "    use crate::blob::Column;\n"
        for number, (name, column) in enumerate(columns.items()):
            kind = _RUST.get(column.type, column.type)
            yield f"    /// {column.meaning}"
            yield f"    pub const {name.upper()}: Column<{kind}> = Column::new({number});"
        yield f"    pub const COUNT: usize = {len(columns)};"
        yield "}"


if __name__ == "__main__":
    if not FILE.exists() or FILE.read_text(encoding="utf-8") != rust():
        FILE.write_text(rust(), encoding="utf-8")
