"""Which page types are one for tables, what tables are called, which cells are no formulas."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.outputs.alike_types import one_type
from templcrawl.outputs.table_files import CSV, guarded, open_tables
from templcrawl.outputs.table_names import records_name, table_name


def test_types_of_one_pattern_with_the_same_tags_are_one() -> None:
    types = {
        "a": "h.example /book/*",
        "b": "h.example /book/* (2)",
        "c": "h.example /book/* (3)",
        "d": "h.example /x/*",
    }
    tags = np.arange(20, dtype=np.uint64)
    paths = {"a": tags, "b": tags[1:], "c": tags + np.uint64(9), "d": tags}
    assert one_type(types, paths) == {**types, "b": "h.example /book/*"}
    assert one_type({**types, "e": "h.example /y"}, paths)["e"] == "h.example /y"  # no page of it is known


def test_tables_are_called_after_things_and_addresses() -> None:
    places = [f"http://h.example/en/shop/4/{name}.html" for name in ("red-lamp", "blue-lamp", "lamp-9")]
    assert table_name(places, ["Product", "Product", ""], "", ()) == "product"
    assert table_name(places, ["", "Product", ""], "", ()) == "shop"
    assert table_name(places, [""], "", {"shop"}) == "lamp_shop"
    flat = [f"http://h.example/{number}.html" for number in range(9)]
    assert table_name(flat, [""], "", ()) == "pages"
    assert table_name(flat, [""], "product", ()) == "listing"
    assert table_name(flat, [""], "", {"pages"}) == "pages_2"
    assert table_name(flat, [""], "By / of", {"listing"}) == "listing_of_By_ofs"
    assert records_name("By / of", "x", ()) == "By_of_of_x"
    assert records_name("reply", "thread", {"replies_of_thread"}) == "replies_of_thread_2"


def test_a_cell_of_csv_is_no_formula_unless_that_is_wanted(tmp_path: Path) -> None:
    row = {"=name": '=HYPERLINK("http://x")', "sum": "-4", "list": ["=1"]}
    for is_guarded, mark in ((True, "'"), (False, "")):
        target = tmp_path / str(is_guarded)
        with open_tables(target, CSV, {"t": dict.fromkeys(row, "string")}, is_guarded=is_guarded) as (
            tables,
            about,
        ):
            tables["t"](row)
            about.write(b"{}")
        with (target / "t.csv").open(encoding="utf-8", newline="") as file:
            head, cells = csv.reader(file)
        assert head == [f"{mark}=name", "sum", "list"]
        assert cells == [f"{mark}{row['=name']}", "-4", '["=1"]']


@given(st.text(max_size=9))
def test_what_is_guarded_begins_with_no_sign_of_a_formula_but_of_a_number(text: str) -> None:
    cell = guarded(text)
    assert cell in (text, f"'{text}")
    assert cell[:1] not in ("=", "@", "\t", "\r")
