"""Rows: what the records of one kind are called, by their place.

A *row* is the place of a record, of which the last step has one class word alone: that which most of its
siblings have, without a digit by which rows take turns.  A post is one whatever its format.

Source: our own.  Cost: O(length of the place); a place is read once.
"""

from __future__ import annotations

import re
from functools import lru_cache

from templcrawl.algorithms.columns.flat_records import FLAT, MIN_RECORDS
from templcrawl.algorithms.columns.headed_tables import HEADED
from templcrawl.algorithms.columns.units import MAX_PLACES, SCOPE, Unit, parts_of

_CELLS = frozenset({"tr", "td"})  # elements of which the class words say where in a table they stand
_TURNS = re.compile(r"\.(?:first|last|odd|even)(?=[./#]|$)")  # class words by which lines take turns
_WORDS_OF_ROW = re.compile(r"(?<=/tr)[.#][^/]*$")
_LAST_DIGIT = re.compile(r"(?<=[a-zA-Z])\d$")  # of a class word: rows that take turns, "row1" and "row2"
_TURN_DIGITS = re.compile(r"(?<=[.a-zA-Z-][a-zA-Z])(?:\d|[_-](?:new|old))(?=[./#]|$)")  # the same, in a place


@lru_cache(maxsize=MAX_PLACES)
def rows_of(place: str) -> tuple[str, ...]:
    """Return variants of a place, each with one word of its last step; rows and cells of tables have one."""
    above, sign, step = _TURNS.sub("", place).rpartition("/")
    tag, words = parts_of(step)
    if tag == "td":
        above = _WORDS_OF_ROW.sub("", above)
    leads = [f".{row_word(word)}" for word in words if word[0] != "#" and tag not in _CELLS]
    return tuple(f"{above}{sign}{tag}{lead}" for lead in leads or [""])


def flat_row(leader: str) -> str:
    """Return the row of flat records, by the place of their first leader: words of the others may differ.

    >>> flat_row("div/div.name.tab2")
    'flat: div/div.name'
    """
    return f"{FLAT}{rows_of(leader)[0]}"


def row_word(word: str) -> str:
    """Return a class word without the digit by which rows alternate.

    >>> row_word("row1"), row_word("windowbg2"), row_word("post")
    ('row', 'windowbg', 'post')
    """
    return _LAST_DIGIT.sub("", word)


@lru_cache(maxsize=MAX_PLACES)
def without_turns(place: str) -> str:
    """Return a place without the digits, or states, by which rows or their cells alternate.

    >>> without_turns("tr/td.trow2.name/b"), without_turns("h2/b")
    ('tr/td.trow.name/b', 'h2/b')
    """
    return _TURN_DIGITS.sub("", place)


def in_record(unit: Unit) -> Unit:
    """Return a unit of a record with its place below that; but for a headed table it is in no other record.

    >>> in_record(Unit("ul/li.item/b", "tea", (3, 2, 1), 0, True, "", 2, "ul/li")).place
    'b'
    """
    if unit.row.startswith(HEADED):
        steps = unit.place.split("/")
        at = max((number for number, step in enumerate(steps) if parts_of(step)[0] == "tr"), default=-1)
        return unit._replace(place="/".join(steps[at + 1 :]) or SCOPE)
    return unit._replace(place=below_row(unit.place, unit.row), row="")


@lru_cache(maxsize=MAX_PLACES)
def below_row(place: str, row: str) -> str:
    """Return a place in a record of a row as it is below that."""
    return "/".join(place.split("/")[row.count("/") + (not row.startswith(FLAT)) :]) or SCOPE


def is_in_cell(place: str) -> bool:
    """Return whether a place in a row of a table is a cell, or in one.

    >>> is_in_cell("td.name/p/b"), is_in_cell("b")
    (True, False)
    """
    return parts_of(place.partition("/")[0])[0] == "td"


def least_of(row: str) -> int:
    """Return how many elements of a row are records at least: one less, if a class word names them."""
    return MIN_RECORDS - ("." in row.rpartition("/")[2])
