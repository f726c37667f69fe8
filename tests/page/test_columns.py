"""The table of columns: one in Python, and what Rust has of it is generated from that."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

from templcrawl.page.columns import TABLES, Columns, View
from tests.page_readers import columns_of

GENERATOR = Path(__file__).parent.parent.parent / "kernel" / "columns.py"


def written(table: str, *columns: bytes, counts: tuple[int, ...], flags: int = 0) -> bytes:
    """Return a table as the kernel lays it out, with nothing in its other columns."""
    size = len(TABLES[table])
    offset, header = 8 * (4 + 2 * size), [0, 1, flags, size]
    for column, count in zip(columns, counts):
        header += [offset, count]
        offset += len(column)
    header += [offset, 0] * (size - len(columns))
    return np.array(header, dtype=np.int64).tobytes() + b"".join(columns)


def test_what_rust_names_is_generated_from_the_table() -> None:
    generator = runpy.run_path(str(GENERATOR))
    assert generator["FILE"].read_text(encoding="utf-8") == generator["rust"](), "python kernel/columns.py"


def test_the_bounds_of_texts_stand_before_them() -> None:
    for columns in TABLES.values():
        names = list(columns)
        for number, name in enumerate(names):
            if columns[name].type == "text":
                assert columns[names[number - 1]].type == "u32"


def test_columns_are_read_by_name() -> None:
    figures = np.array([3, 5], dtype=np.uint64)
    content = Columns("content", written("content", figures.tobytes(), counts=(2,), flags=4))
    assert content.flags == 4
    assert content["figures"].tolist() == content.values("figures") == [3, 5]
    assert content["figures"].dtype == np.uint64
    with pytest.raises(KeyError):
        content["figure"]


@pytest.mark.parametrize("texts", [["tea", "", "milk"], ["茶", "caf\xe9"], ["\ud83d"], []])
def test_texts_are_read_between_their_bounds(texts: list[str]) -> None:
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    ends = np.cumsum([0, *map(len, encoded)]).astype(np.uint32)
    joined = b"".join(encoded)
    table = written("links", ends.tobytes(), joined, counts=(len(ends), len(joined)))
    links = Columns("links", table)
    assert links.values("urls") == links.column("urls") == texts
    assert links.raw("urls") == joined


class Cups(View):
    tea: int
    milk: int
    _sugar: int


def test_a_late_column_is_worked_out_once() -> None:
    asked: list[Cups] = []
    cups = Cups({"milk": lambda view: asked.append(view) or view.tea + 1})
    cups.tea = 1
    assert (cups.milk, cups.milk, asked) == (2, 2, [cups])
    assert columns_of(cups) == {"tea": 1, "milk": 2}
    with pytest.raises(AttributeError, match="Cups has no _sugar"):
        _ = cups._sugar
