"""Facts in sentences: by hand, on pages, and that a part gives the texts that were put in."""

from __future__ import annotations

from time import thread_time
from timeit import repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.columns.sentences import parts_of_texts
from tests.algorithms.columns.typed_pages import columns_of, values_of

NUMBERS = range(3, 15)


def parts(text: str) -> list[tuple[str, str]]:
    """Return the names and the first values of the parts of texts with different numbers in them."""
    texts = [text.replace("#", str(number)) for number in NUMBERS]
    return [(part.name, part.of(texts[0])) for part in parts_of_texts(texts)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Topic: Tea# (Read # times)", [("Topic", "Tea3"), ("Read", "3")]),
        ("# Replies, 1# Views", [("Replies", "3"), ("Views", "13")]),
        ("Posted on 2026-05-# by Ann#", [("date", "2026-05-3"), ("by", "Ann3")]),
        ("Tea# (Read # times)", [("", "Tea3"), ("Read", "3")]),
        ("2026-05-# by Ann#", [("date", "2026-05-3"), ("by", "Ann3")]),
        ("Posted by Ann#", [("by", "Ann3")]),
        ("Posted by Ann at 2026-05-#", [("date", "2026-05-3")]),  # all are by Ann
        ("von Ann#", [("von", "Ann3")]),
        ("Ann# by Ann", []),  # what stands before it
        ("By #", []),  # no name
        ("Read # times", []),  # one value: the whole text is as good
        ("Tea# of #", []),  # titles have a word in common
        ("The tea# and the pot#", []),  # no number
        ("src/tea#.ts and doc/cup#.ts", []),  # of a path no part is a word
    ],
)
def test_parts_by_hand(text: str, found: list[tuple[str, str]]) -> None:
    assert parts(text) == found


def test_few_long_or_unlike_texts_have_no_parts() -> None:
    texts = [f"Topic: Tea{number} (Read {number} times)" for number in NUMBERS]
    assert len(parts_of_texts(texts)) == 2
    assert parts_of_texts(texts[:7]) == []
    assert parts_of_texts([*texts, "Topic: Tea"]) == []
    assert parts_of_texts([*texts, "times Read Topic"]) == []
    assert parts_of_texts([text + " and so on" * 20 for text in texts]) == []


@given(
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), min_size=8, max_size=20, unique=True)
)
def test_parts_are_what_was_put_in(numbers: list[tuple[int, int]]) -> None:
    texts = [f"{one} replies, {other} views" for one, other in numbers]
    found = parts_of_texts(texts)
    if all(len({pair[at] for pair in numbers}) > 1 for at in (0, 1)):
        assert [part.name for part in found] == ["replies", "views"]
    for part, at in zip(found, (0, 1) if len(found) == 2 else ()):
        assert [part.of(text) for text in texts] == [str(pair[at]) for pair in numbers]


def test_a_date_is_whole_though_all_have_a_month_in_common() -> None:
    made = [f"Made {1 + number % 28} May 2026 10:{10 + number % 50} h" for number in NUMBERS]
    bodies = [f"<h1>T{number}</h1><p class=made>{text}</p>" for number, text in zip(NUMBERS, made)]
    (column,) = (one for one in columns_of(bodies).columns if one.slots[0].place == "p.made")
    assert column.shown
    assert column.kind == "date"


def test_a_sentence_is_a_column_and_so_is_each_of_its_parts() -> None:
    bodies = [
        f"<h1>T{number}</h1><p class=info>Tea {number}x (Read {number} times)</p>" for number in NUMBERS
    ]
    columns = columns_of(bodies)
    assert values_of(columns, bodies[0]) == {
        "title": "T3",
        "info": "Tea 3x (Read 3 times)",
        "Tea": "3x",
        "Read": "3",
    }


def test_a_date_with_its_author_has_two_parts() -> None:
    bodies = [f"<h1>T{number}</h1><p class=info>2026-05-{number + 10} by A{number}</p>" for number in NUMBERS]
    row = {"title": "T3", "info": "2026-05-13 by A3", "date": "2026-05-13", "author": "A3"}
    assert values_of(columns_of(bodies), bodies[0]) == row
    bodies = [
        f"<h1>T{number}</h1><p class=info>2026-05-{number + 10} at 9:{number + 10}</p>" for number in NUMBERS
    ]
    assert values_of(columns_of(bodies), bodies[0]) == {"title": "T3", "date": "2026-05-13 at 9:13"}


def test_a_date_behind_words_that_all_have_is_a_part_but_for_its_month() -> None:
    by_day = [f"<h1>T{number}</h1><p class=info>From Ann on 2026-05-{number + 10}</p>" for number in NUMBERS]
    assert values_of(columns_of(by_day), by_day[0])["date"] == "2026-05-13"
    in_may = [f"<h1>T{number}</h1><p class=info>From Ann on May {number}, 2026</p>" for number in NUMBERS]
    assert values_of(columns_of(in_may), in_may[0])["date"] == "From Ann on May 3, 2026"


@pytest.mark.exhaustive
@pytest.mark.parametrize("piece", ["Topic ", "Read ", "(", "a"])
def test_a_part_is_looked_for_in_linear_time(piece: str) -> None:
    found = parts_of_texts([f"Topic: Tea{number} (Read {number} times)" for number in NUMBERS])

    def least_of(length: int) -> float:
        text = piece * (length // len(piece))
        return min(repeat(lambda: [part.of(text) for part in found], timer=thread_time, number=1, repeat=3))

    assert least_of(40_000) < 8 * (least_of(10_000) + 0.001)  # quadratic work costs 16 times as much


def test_a_title_of_two_parts_says_the_kind_and_the_name() -> None:
    kinds = ("Class", "Enum", "Type alias")
    bodies = [f"<h1>{kinds[at % 3]} <b>T{at}</b></h1>" for at in range(40)]
    columns = columns_of(bodies)
    assert values_of(columns, bodies[5]) == {"title": "Type alias T5", "kind": "Type alias", "name": "T5"}


@pytest.mark.parametrize("title", ["Cup T{}", "Chapter {}", "How {} are made", "{} T{}"])
def test_other_titles_have_no_kind(title: str) -> None:
    columns = columns_of([f"<h1>{title.format(at, at)}</h1>" for at in range(40)])
    assert [column.name for column in columns.columns] == ["title"]


def test_what_the_markup_of_a_title_calls_otherwise_is_a_column_of_its_own() -> None:
    body = "<h1><a href=/{0}>Ticket #{0}</a> <span class=status>{1}</span></h1>"
    bodies = [body.format(at, ("open", "shut")[at % 2]) for at in range(12)]
    found = values_of(columns_of(bodies), bodies[3])
    assert (found["title"], found["status"]) == ("Ticket #3", "shut")


def test_a_name_of_a_user_in_the_title_is_the_title() -> None:
    bodies = [f"<h1><span class=username>Ann{at}</span></h1>" for at in range(12)]
    assert values_of(columns_of(bodies), bodies[3]) == {"title": "Ann3"}
