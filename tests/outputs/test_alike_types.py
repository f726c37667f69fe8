"""Which page types are one for tables, what tables are called, which cells are no formulas."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.columns.reading import PageUnits, read_page
from templcrawl.algorithms.columns.slots import Slot, Template
from templcrawl.algorithms.columns.values import Column, TypeColumns
from templcrawl.outputs.alike_types import one_type
from templcrawl.outputs.odd_pages import OddPages
from templcrawl.outputs.read_types import TypeReader
from templcrawl.outputs.table_files import (
    CSV,
    DESCRIPTION,
    FORMATS,
    PARQUET,
    SQLITE,
    guarded,
    open_tables,
)
from templcrawl.outputs.table_names import NO_NAME, records_name, table_name
from templcrawl.page.page import Page


def table(filled: Mapping[str, float], rows: Mapping[str, TypeColumns] | None = None) -> TypeColumns:
    """Return a table with these columns, each with the share of pages that fill it; "@": a declared one."""
    columns = tuple(
        Column(
            name=name.lstrip("@"),
            slots=(),
            attribute="",
            declared=name[1:] if name[0] == "@" else "",
            kind="text",
            pattern="",
            label="",
            many=False,
            last=0,
            joined=False,
            shown=True,
            share=share,
            examples=(),
            features={},
        )
        for name, share in filled.items()
    )
    return TypeColumns(Template(), columns, rows or {})


def placed(words: str, name: str) -> TypeColumns:
    """Return a table with a column, of such a name, for the texts at each place of some class words."""
    found = table(dict.fromkeys((f"{name}{word}" for word in words), 1.0))
    columns = [replace(one, slots=(Slot(f"p.{word}"),)) for word, one in zip(words, found.columns)]
    return TypeColumns(Template(frozenset(words)), tuple(columns))


def html_of(words: str) -> str:
    """Return a page with a text at each place of some class words."""
    return "".join(f'<p class="{word}">A {word}</p>' for word in words)


def page_of(words: str) -> PageUnits:
    return read_page(Page.from_html(html_of(words)))


def joined(
    *tables: TypeColumns,
    names: Sequence[str] = "abcd",
    hosts: Sequence[str] = "hhhh",
    titles: Sequence[Sequence[str]] = ((),) * 4,
    pages: Sequence[Sequence[str]] = ((),) * 4,
) -> list[str]:
    """Return for each of some types the number of the type that it is one with."""
    types = {f"{host} {number}": of_type for number, (host, of_type) in enumerate(zip(hosts, tables))}
    read = {name: [page_of(words) for words in of_type] for name, of_type in zip(types, pages)}
    merged = one_type(types, dict(zip(types, names)), dict(zip(types, titles)), read.__getitem__)
    assert all(merged[other] == other for other in merged.values())
    return [other.split()[1] for other in merged.values()]


def test_types_of_which_tables_have_half_in_both_are_one() -> None:
    tea, cup = {"title": 1.0, "price": 1.0, "origin": 0.5}, {"title": 1.0, "price": 1.0, "glaze": 1.0}
    assert joined(table(tea), table(tea)) == ["0", "0"]
    assert joined(table(tea), table(cup)) == ["0", "0"]  # 2 of 3.5
    assert joined(table(tea), table(cup | {"size": 1.0, "maker": 1.0})) == ["0", "1"]  # 2 of 5.5
    assert joined(table(tea), table(cup | {"size": 1.0, "maker": 1.0}), names="aa") == ["0", "0"]
    assert joined(table(tea), table(cup | {"size": 1.0, "maker": 1.0}), names=[NO_NAME] * 2) == ["0", "1"]
    assert joined(table(tea), table(tea), hosts="hi") == ["0", "1"]
    assert joined(table(tea), table(tea | {"a": 1.0, "b": 1.0}), table(tea | {"a": 1.0})) == ["0", "0", "0"]


def test_what_any_page_has_makes_two_types_one_where_addresses_call_them_the_same() -> None:
    any_page = {"title": 1.0, "text": 1.0, "@description": 1.0, "@headline": 1.0}
    assert joined(table(any_page), table(any_page)) == ["0", "1"]
    assert joined(table(any_page), table(any_page), names="aa") == ["0", "0"]  # but addresses do
    assert joined(table(any_page), table({**any_page, "@image": 1.0, "x": 0.9}), names="aa") == ["0", "1"]
    assert joined(table({"price": 1.0}), table({"price": 1.0})) == ["0", "1"]  # that is too little
    rows = {"post": table({"author": 1.0, "text": 1.0})}
    assert joined(table({"title": 1.0}, rows), table({"title": 1.0}, rows)) == ["0", "0"]
    assert joined(table({"title": 1.0}, rows), table({"title": 1.0}, {"item": rows["post"]})) == ["0", "1"]


def test_types_are_one_if_the_template_of_each_finds_what_it_has_on_pages_of_the_other() -> None:
    tea, pages = placed("abcde", "x"), ["abcde"] * 4
    assert joined(tea, placed("abcde", "y"), pages=[pages, pages]) == ["0", "0"]
    assert joined(tea, placed("abchi", "y"), pages=[pages, ["abchi"] * 4]) == ["0", "0"]  # 3 of 5 each
    assert joined(tea, placed("abghi", "y"), pages=[pages, ["abghi"] * 4]) == ["0", "1"]  # 2 of 5
    more = [pages, ["abcefghijk"] * 4]  # 4 of 5, and 4 of 10
    assert joined(tea, placed("abcefghijk", "y"), pages=more) == ["0", "1"]
    assert joined(tea, placed("abcfgh", "y"), pages=[pages, ["abcfgh"] * 4]) == ["0", "1"]  # 3 of 6
    assert joined(tea, placed("abcfgh", "y"), names="aa", pages=[pages, ["abcfgh"] * 4]) == ["0", "0"]
    both = [replace(tea, columns=()), placed("abcde", "y")]
    assert joined(*both, names="aa", pages=[pages, pages]) == ["0", "1"]  # one of them has nothing


def test_places_of_what_any_page_has_make_two_types_one_where_addresses_call_them_the_same() -> None:
    page, pages = placed("a", "x"), ["a"] * 4
    title, name = (replace(page, columns=(replace(page.columns[0], name=one),)) for one in ("title", "text"))
    assert joined(title, name, pages=[pages, pages]) == ["0", "1"]
    assert joined(title, name, names="aa", pages=[pages, pages]) == ["0", "0"]
    price = placed("a", "y")
    assert joined(page, price, pages=[pages, pages]) == ["0", "0"]
    declared = replace(price, columns=(replace(price.columns[0], declared="headline"),))
    assert joined(page, declared, pages=[pages, pages]) == ["0", "1"]


@pytest.mark.parametrize(
    ("words", "path", "is_of_type"),
    [
        ("abcde", "cup/1", True),
        ("abcd", "cup/1", True),  # 4 of 5, and all of its elements
        ("abc", "cup/1", False),
        ("abc", "tea/1", True),  # addresses call it like the type
        ("ab", "tea/1", False),
        ("abcdefgh", "cup/1", False),  # 5 of 8 of its elements
        ("abcdefgh", "tea/x/1", True),
        ("abcdefghijk", "tea/1", False),
    ],
)
def test_a_page_alone_belongs_to_a_type_that_finds_what_it_has(
    words: str, path: str, is_of_type: bool
) -> None:
    types = {"h.example /tea/*": placed("abcde", "x"), "h.example /lid/*": placed("vwxyz", "x")}
    pages = dict(zip(types, ([page_of("abcde")], [page_of("vwxyz")])))
    odd = OddPages(TypeReader(types, pages.__getitem__), dict.fromkeys(types, ()))
    page = Page.from_html(html_of(words), f"http://h.example/{path}")
    assert odd.type_of(page, "h.example") == ("h.example /tea/*" if is_of_type else "")
    assert odd.type_of(page, "other.example") == ""


def test_a_table_of_records_that_few_pages_have_keeps_no_types_apart() -> None:
    tea = {"title": 1.0, "price": 1.0, "origin": 1.0}
    rows = {name: table({"author": 1.0, "text": 1.0}) for name in ("post", "fact", "item")}
    rare = {name: replace(one, having=0.1) for name, one in rows.items()}
    assert joined(table(tea, rows), table(tea)) == ["0", "1"]
    assert joined(table(tea, rare), table(tea)) == ["0", "0"]


def test_records_of_which_no_column_is_shown_count_nothing() -> None:
    bare = table({"size": 1, "price": 1}, {"post": table({})})
    assert joined(bare, table({"size": 1, "price": 1})) == ["0", "0"]


def test_types_whose_titles_say_of_which_kind_each_is_are_one_if_a_third_is_in_both() -> None:
    teas, cups, lids = ([f"{kind} {name}a" for name in "BCDEFGHI"] for kind in ("Tea", "Small cup", "Lid"))
    tea, cup = {"title": 1.0, "maker": 1.0, "origin": 1.0}, {"title": 1.0, "maker": 1.0, "size": 1.0}
    more = {f"glaze_{number}": 1.0 for number in range(3)}
    assert joined(table(tea), table(cup | more), titles=[teas, cups]) == [
        "0",
        "0",
    ]  # with kind and name 4 of 9
    assert joined(table(tea), table(cup | more), titles=[teas, [*cups[1:], "B"]]) == ["0", "1"]
    assert joined(table(tea), table(cup | more), titles=[teas, teas]) == ["0", "1"]  # of one kind
    assert joined(table({"title": 1.0}), table({"title": 1.0}), titles=[teas, cups]) == ["0", "1"]
    both = [*teas, *cups, *lids]
    assert joined(table(tea), table(cup | more), titles=[both, lids]) == ["0", "1"]  # more kinds than a tenth


def test_tables_are_called_after_things_and_addresses() -> None:
    places = [f"http://h.example/en/shop/4/{name}.html" for name in ("red-lamp", "blue-lamp", "lamp-9")]
    assert table_name(places, ["Product", "Product", ""], "", ()) == "product"
    assert table_name(places, ["", "Product", ""], "", ()) == "shop"
    assert table_name(places, [""], "", {"shop"}) == "lamp_shop"
    flat = [f"http://h.example/{number}.html" for number in range(9)]
    assert table_name(flat, [""], "", ()) == "pages"
    assert table_name(flat, [""], "product", ()) == "listing"
    assert table_name(flat, [""], "", {"pages"}) == "pages_2"
    assert table_name(flat, [""], "By / of", {"listing"}) == "listing_of_By_of"
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


@pytest.mark.parametrize("form", FORMATS)
def test_a_table_without_rows_is_not_written(form: str, tmp_path: Path) -> None:
    if form == PARQUET:
        pytest.importorskip("pyarrow")
    fields = {"url": "string"}
    with open_tables(tmp_path / "t", form, {"full": fields, "empty": fields}) as (tables, about):
        tables["full"]({"url": "http://h.example/"})
        about.write(b"{}")
    if form == SQLITE:
        with closing(sqlite3.connect(tmp_path / "t")) as database:
            assert database.execute("SELECT name FROM sqlite_master").fetchall() == [("full",)]
    else:
        assert {path.name for path in (tmp_path / "t").iterdir()} == {f"full.{form}", DESCRIPTION}


@given(st.text(max_size=9))
def test_what_is_guarded_begins_with_no_sign_of_a_formula_but_of_a_number(text: str) -> None:
    cell = guarded(text)
    assert cell in (text, f"'{text}")
    assert cell[:1] not in ("=", "@", "\t", "\r")
