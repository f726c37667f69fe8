"""The names of columns: they stay with their places and their texts, and never go to another place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.columns.cells import Cell
from templcrawl.algorithms.columns.places import Places
from templcrawl.algorithms.columns.values import Column, Slot, Template, TypeColumns
from templcrawl.memory.field_names import keep_names


def column(name: str, *places: str) -> Column:
    return Column(name, tuple(map(Slot, places)), "", "text", False, 1.0, (), places[0], places[0])


def page(**texts: str) -> list[Cell]:
    """Return the cells of a page: place -> text."""
    return [
        Cell(place.replace("_", "."), text, (n, 0, 0), True) for n, (place, text) in enumerate(texts.items())
    ]


def columns_of(*columns: Column, rows: Mapping[str, TypeColumns] | None = None, row: str = "") -> TypeColumns:
    return TypeColumns(Template(Places(())), columns, rows or {}, row)


def template(*, words: list[str]) -> Template:
    return Template(Places(words))


def names(columns: TypeColumns) -> list[str]:
    return [one.name for one in columns.columns]


def test_names_stay_with_their_places() -> None:
    given: dict[str, str] = {}
    assert names(keep_names(columns_of(column("price", "p.a"), column("date", "p.d")), given)) == [
        "price", "date"
    ]  # fmt: skip
    # a new place that would be called as an old one gets another name, even if nothing is at p.d any more
    later = columns_of(column("PRICE", "p.b"), column("cost", "p.a"), column("date", "p.e"))
    assert names(keep_names(later, given)) == ["PRICE_2", "price", "date_2"]
    assert names(keep_names(later, given)) == ["PRICE_2", "price", "date_2"]
    assert names(keep_names(columns_of(column("x", "p.d")), given)) == ["date"]  # it is back


def test_a_place_that_is_written_otherwise_is_known_by_its_texts() -> None:
    given: dict[str, str] = {}
    both = {"words": ["p.a", "div.d"]}
    first = replace(columns_of(column("price", "p.a"), column("date", "div.d")), template=template(**both))
    first = keep_names(first, given)
    pages = [page(p_a=f"{n} €", div_d=f"May {n}") for n in range(8)]
    later = columns_of(column("p", "p"), column("date", "div"))
    assert names(keep_names(later, dict(given), [first], pages)) == ["price", "date"]
    assert names(keep_names(later, given)) == ["p", "date_2"]


def test_of_two_places_with_one_name_the_one_with_most_of_its_texts_has_it() -> None:
    given: dict[str, str] = {}
    first = keep_names(columns_of(column("content", "div", "span")), given)
    pages = [page(span="aside", div=f"text {n}") if n == 5 else page(div=f"text {n}") for n in range(8)]
    parted = columns_of(column("content", "span"), column("div_content", "div"))
    assert names(keep_names(parted, given, [first], pages)) == ["content_2", "content"]


def test_a_table_and_a_column_have_different_names() -> None:
    given: dict[str, str] = {}
    rows = {"posts": columns_of(column("posts", "i"), row="li.post")}
    kept = keep_names(columns_of(column("posts", "p"), rows=rows), given)
    assert (names(kept), list(kept.rows), names(kept.rows["posts_2"])) == (["posts"], ["posts_2"], ["posts"])
    later = keep_names(columns_of(column("posts_2", "b"), rows=rows), given)
    assert (names(later), list(later.rows)) == (["posts_2_2"], ["posts_2"])


def test_names_of_records_stay_too() -> None:
    given: dict[str, str] = {}
    rows = {
        "posts": columns_of(column("by", "i"), row="li.post"),
        "links": columns_of(column("a", "a"), row="li"),
    }
    assert list(keep_names(columns_of(rows=rows), given).rows) == ["posts", "links"]
    other = {"links": replace(rows["posts"], columns=(column("author", "i"),)), "posts": rows["links"]}
    kept = keep_names(columns_of(rows=other), given).rows
    assert {name: (one.row, names(one)) for name, one in kept.items()} == {
        "posts": ("li.post", ["by"]), "links": ("li", ["a"])
    }  # fmt: skip


@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("pqrstu")), unique_by=lambda one: one[1])
    )
)
def test_no_name_is_there_twice_and_none_changes_its_place(
    learnings: list[list[tuple[str, str]]],
) -> None:
    given_names: dict[str, str] = {}
    before: dict[str, str] = {}
    for learned in learnings:
        kept = keep_names(columns_of(*(column(name, place) for name, place in learned)), given_names)
        now = {one.slots[0].place: one.name for one in kept.columns}
        assert len(set(now.values())) == len(now)
        assert {place: name for place, name in now.items() if place in before}.items() <= before.items()
        assert not {name for place, name in now.items() if place not in before} & {*before.values()}
        before |= now
