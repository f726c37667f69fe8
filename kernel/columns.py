"""Writes ``kernel/src/columns.rs`` from the one table of columns, ``templcrawl/page/kernel_columns.py``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from templcrawl.page.kernel_columns import ABI, FLAGS, TABLES, Task

FILE = Path(__file__).resolve().parent / "src" / "columns.rs"
_RUST = {"bool": "u8", "text": "u8"}


def rust() -> str:
    """Return the file."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "//! What a page is asked for, and the columns of each table in order."
    yield "//! Generated from `templcrawl/page/kernel_columns.py`, where they are explained, by `kernel/columns.py`."
    yield ""
    yield "#![allow(dead_code)] // some columns only Python reads"
    yield ""
    yield f"pub const ABI: u32 = {ABI};"
    tasks = {task.name: task.value for task in Task}
    for title, kind, numbers in (("task", "u8", tasks), ("flag", "u64", FLAGS)):
        yield f"\npub mod {title} {{"
        yield from (f"    pub const {name.upper()}: {kind} = {number};" for name, number in numbers.items())
        yield "}"
    for table, columns in TABLES.items():
        yield f"\npub mod {table} {{"
        yield "    use crate::blob::Column;\n"
        for number, (name, column) in enumerate(columns.items()):
            kind = _RUST.get(column.type, column.type)
            yield f"    pub const {name.upper()}: Column<{kind}> = Column::new({number});"
        yield f"    pub const COUNT: usize = {len(columns)};"
        yield "}"


if __name__ == "__main__":
    FILE.write_text(rust(), encoding="utf-8")
