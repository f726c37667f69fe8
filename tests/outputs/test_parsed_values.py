"""Amounts, numbers and dates of a column: what can be read in one way is, and the rest is left out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.errors import MissingExtra
from templcrawl.outputs.parsed_values import parsing_of

pytest.importorskip("dateparser")
pytest.importorskip("price_parser")

GERMAN = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()
ENGLISH = "January February March April May June July August September October November December".split()


def parsed(kind: str, column: list[str], value: str) -> Any:
    """Return what a value of a column is parsed as, one thing alone without a tuple."""
    parsing = parsing_of(kind, column)
    assert parsing is not None
    found = tuple(parsing.parse(value))
    assert len(found) == len(parsing.parts)
    return found if len(found) > 1 else found[0]


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [
        (["25/3/2024", "4/3/2024"], "4/3/2024", "2024-03-04"),
        (["3/25/2024", "4/3/2024"], "4/3/2024", "2024-04-03"),
        (["3/25/2024"], "25/3/2024", "2024-03-25"),  # it shows its order itself
        (["4/3/2024", "5/3/2024"], "4/3/2024", None),  # nothing says which is the day
        (["3/25/2024", "25/3/2024"], "4/3/2024", None),
        (["4/3/2024"], "5/05/2024", "2024-05-05"),
        (["4/3/2024"], "2024-03-04", "2024-03-04"),
        (["99/03/04"], "04/05/06", "2004-05-06"),
        (["3. März 2024"], "12. März 2024 um 08:05", "2024-03-12T08:05:00"),
        (["2024-03-04"], "2024-03-04T10:00:00+01:00", "2024-03-04T10:00:00+01:00"),
        (["March 4, 2024 3:15 pm"], "May 5, 2024 12:00 am", "2024-05-05T00:00:00"),
        (["2024年3月4日"], "2024年12月4日", "2024-12-04"),
        (["25/3/2024"], "31/02/2024", None),
        (["25/3/2024"], "12:30", None),
        (["25/3/2024"], "tomorrow at 12:30", None),
        (["25/3/2024"], "not 2024, but 25", None),
    ],
)
def test_a_date_is_read_as_its_column_says(column: list[str], value: str, expected: str | None) -> None:
    assert parsed("date", column, value) == expected


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [
        (["1,204", "17"], "1,204", 1204),  # thousands, where nothing says otherwise
        (["1,204", "1.5"], "1,204", 1204),
        (["1,204", "1.5"], "1.204", 1.204),
        (["1.204,5"], "1.204", 1204),
        (["1.5", "2,5"], "1.204", None),
        (["1.5", "2,5"], "2,5", 2.5),
        (["1"], "1.234.567", 1234567),
        (["1"], "0.125", 0.125),
        (["1"], "1 204,5 kg", 1204.5),
        (["1"], "1\u2019204", 1204),
        (["1"], "12%", 12),
        (["1"], "-3", -3),
        (["1"], "−3.5", -3.5),
        (["1"], "#17", 17),
        (["1"], "978316148410012345", None),  # no float has it
        (["1"], "0.12345678901234567891", None),
        (["1"], "many", None),
    ],
)
def test_a_number_is_read_as_its_column_says(column: list[str], value: str, expected: float | None) -> None:
    assert parsed("number", column, value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("£1,204.00", (1204, "£")),
        ("1.204,50 €", (1204.5, "€")),
        ("-$5.00", (-5, "$")),
        ("US-$ 5", (5, "$")),
        ("R$ 3,99", (3.99, "R$")),
        ("12 500 Kč", (12500, "Kč")),
        ("USD 17", (17, "USD")),
        ("free", (None, None)),
        ("3 for £5, 7 for £9", (None, None)),
    ],
)
def test_money_has_an_amount_and_a_currency(value: str, expected: tuple[Any, Any]) -> None:
    assert parsed("money", ["£1"], value) == expected


DATES: list[Callable[[date], str]] = [
    lambda day: f"{day.day}.{day.month}.{day.year}",
    lambda day: f"{day.month:02}/{day.day:02}/{day.year}",
    lambda day: day.isoformat(),
    lambda day: f"{day.day}. {GERMAN[day.month - 1]} {day.year}",
    lambda day: f"{ENGLISH[day.month - 1]} {day.day}, {day.year}",
]
days = st.dates(date(1990, 1, 1), date(2039, 12, 31))


@given(st.lists(days, min_size=1, max_size=20), st.sampled_from(DATES))
def test_the_dates_of_a_column_are_read_back(column: list[date], write: Callable[[date], str]) -> None:
    """One after the 12th says which of two numbers is the day."""
    column = [*column, *(date(2024, month, 28) for month in range(1, 13))]
    parsing = parsing_of("date", map(write, column))
    assert parsing is not None
    assert [parsing.parse(write(day)) for day in column] == [(day.isoformat(),) for day in column]


@given(
    st.lists(st.decimals(0, 10**9, places=2, allow_nan=False), min_size=1, max_size=20),
    st.sampled_from([".,", ",.", ", ", ",'"]),
)
def test_the_numbers_of_a_column_are_read_back(column: list[Decimal], signs: str) -> None:
    def write(number: Decimal) -> str:
        return f"{number:,.2f}".translate(str.maketrans(".,", signs))

    parsing = parsing_of("number", map(write, column))
    assert parsing is not None
    assert [parsing.parse(write(number)) for number in column] == [(float(number),) for number in column]


@given(
    st.lists(st.sampled_from(["4/3/2024", "25/3/2024", "3/25/2024", "5.5.2024", "1. Mai 2024"]), min_size=1)
)
def test_the_order_of_values_says_nothing(column: list[str]) -> None:
    one, other = parsing_of("date", column), parsing_of("date", reversed(column))
    assert one is not None
    assert other is not None
    assert [*map(one.parse, column)] == [*map(other.parse, column)]


@pytest.mark.parametrize(
    ("kind", "column"), [("text", ["a"]), ("date", []), ("date", ["12:30"]), ("picture", [])]
)
def test_other_columns_are_not_parsed(kind: str, column: list[str]) -> None:
    assert parsing_of(kind, column) is None


@pytest.mark.parametrize("module", ["price_parser", "dateparser.date"])
def test_without_the_libraries_the_extra_is_named(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from templcrawl.outputs.parsed_values import load_parsers

    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=r"parsing values needs .*templcrawl\[tables\]"):
        load_parsers()
