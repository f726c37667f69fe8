"""The names of columns: they stay with their texts, and never go to another column."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.columns.cells import Cell
from templcrawl.algorithms.columns.template import Slot, Template
from templcrawl.algorithms.columns.values import Column, TypeColumns
from templcrawl.memory.field_table import Given, keep_names

PAGES = range(8)


def column(name: str, *places: str) -> Column:
    return Column(name, tuple(map(Slot, places)), "", "text", False, False, 1.0, (), "", "", "")


def columns_of(*columns: Column, rows: Mapping[str, TypeColumns] | None = None, row: str = "") -> TypeColumns:
    return TypeColumns(Template(frozenset("abcdxyz")), columns, rows or {}, row)


def page(texts: Mapping[str, str], row: str = "") -> list[Cell]:
    """Return the cells of a page, or of the first record of a row: place -> text."""
    start = f"{row}/" if row else ""
    return [
        Cell(f"{start}{place}", text, (number + 2, 1, 0), True, "", int(row != ""), row)
        for number, (place, text) in enumerate(texts.items())
    ]


def names(columns: TypeColumns) -> list[str]:
    return [one.name for one in columns.columns]


def test_names_stay_with_their_texts_whatever_their_places_are() -> None:
    known: Given = {}
    pages = [page({"p.a": f"{n} €", "p.d": f"May {n}", "p.x": f"{n} May", "p.y": f"{n} or"}) for n in PAGES]
    first = keep_names(columns_of(column("price", "p.a"), column("date", "p.d")), [], pages, known)
    assert names(first) == ["price", "date"]
    moved = [[cell._replace(place=f"{cell.place}/b") for cell in cells] for cells in pages]
    later = columns_of(column("PRICE", "p.x/b", "p.x"), column("cost", "p.a/b", "p.a"), column("date", "p.y"))
    both = [[*cells, *again] for cells, again in zip(pages, moved)]
    assert names(keep_names(later, [first], both, known)) == ["PRICE_2", "price", "date_2"]
    assert known == {"": ["PRICE_2", "date", "date_2", "price"]}


def test_of_two_columns_with_texts_of_one_the_one_with_most_of_them_has_its_name() -> None:
    known: Given = {}
    pages = [page({"b": "aside", "i": f"text {n}"} if n == 5 else {"i": f"text {n}"}) for n in PAGES]
    first = keep_names(columns_of(column("content", "i", "b")), [], pages, known)
    parted = columns_of(column("content", "b"), column("i_content", "i"))
    assert names(keep_names(parted, [first], pages, known)) == ["content_2", "content"]


def test_a_table_and_a_column_have_different_names_and_those_of_records_stay_too() -> None:
    known: Given = {}
    pages = [[*page({"p": f"x{n}", "b": f"y{n}"}), *page({"i": f"by {n}"}, "li.a")] for n in PAGES]
    rows = columns_of(column("by", "i"), row="li.a")
    first = keep_names(columns_of(column("posts", "p"), rows={"posts": rows}), [], pages, known)
    assert (names(first), list(first.rows), names(first.rows["posts_2"])) == (["posts"], ["posts_2"], ["by"])
    other = columns_of(column("author", "i"), row="li.a")
    later = columns_of(column("posts_2", "b"), rows={"posts": other})
    later = keep_names(later, [first], pages, known)
    assert (names(later), list(later.rows), names(later.rows["posts_2"])) == (
        ["posts_2_2"],
        ["posts_2"],
        ["by"],
    )


@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("pqrstu")), unique_by=lambda one: one[1])
    )
)
def test_no_name_is_there_twice_and_none_changes_its_place(learnings: list[list[tuple[str, str]]]) -> None:
    known: Given = {}
    pages = [page({place: f"{place} {number}" for place in "pqrstu"}) for number in PAGES]
    earlier: list[TypeColumns] = []
    owners: dict[str, str] = {}
    for learned in learnings:
        natural = [
            column(f"{name}{place}"[: 1 + number % 2], place) for number, (name, place) in enumerate(learned)
        ]
        free = list({one.name: one for one in natural}.values())
        kept = keep_names(columns_of(*free), earlier, pages, known)
        now = {one.name: one.slots[0].place for one in kept.columns}
        assert len(now) == len(free)
        assert all(owners.setdefault(name, place) == place for name, place in now.items())
        before = {one.slots[0].place: one.name for each in earlier for one in each.columns}
        assert all(before.get(place, name) == name for name, place in now.items())
        earlier = [kept]
