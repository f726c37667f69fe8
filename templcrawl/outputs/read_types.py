"""Say how much of what a page type has its template finds on pages of another type.

Pages that one template wrote have their values at the same places and behind the same labels, whatever the
columns of their types are called.  Of two types the smaller share of both counts: pages with much more than
others are of another kind.

Source: our own.  Cost: ``PAGES`` pages of each type are read by the templates of ``MAX_COMPARED`` others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from templcrawl.algorithms.columns.names import neighbour_of
from templcrawl.algorithms.columns.reading import PageUnits
from templcrawl.algorithms.columns.values import TypeColumns
from templcrawl.page.page import Page

PAGES = 16  # of a type that are read
MAX_COMPARED = 3  # types that one is compared with: those that have most of its elements
OF_RECORDS = 2.0  # columns that a table of records is worth

PagesOf = Callable[[str], Sequence[PageUnits]]  # returns some pages of a type
Shares = Mapping[Hashable, float]  # of pages


class TypeReader:
    """Reads some pages of each type by the templates of others."""

    def __init__(self, columns: Mapping[str, TypeColumns], pages_of: PagesOf) -> None:
        """Keep the columns of each type, and what returns its pages."""
        self._columns = {name: _at_places(one) for name, one in columns.items()}
        self._pages_of = lru_cache(maxsize=MAX_COMPARED + 1)(pages_of)
        self._elements, self._own = dict[str, Shares](), dict[str, Shares]()
        for name, found in self._columns.items():
            self._elements[name] = _elements(self._pages_of(name))
            self._own[name] = filled(found, self._pages_of(name))

    def nearest_types(self, name: str, others: Collection[str]) -> list[str]:
        """Return those of other types that have most of the elements of a type, the nearest first."""
        return self._nearest(self._elements[name], others)

    def nearest(self, page: PageUnits, types: Collection[str]) -> list[str]:
        """Return those of some types that have most of the elements of a page, the nearest first."""
        return self._nearest(_elements([page]), types)

    def _nearest(self, ours: Shares, others: Collection[str]) -> list[str]:
        return sorted(others, key=lambda other: -_shared(ours, self._elements[other]))[:MAX_COMPARED]

    def shared(self, one: str, other: str, but: Collection[str]) -> tuple[float, float]:
        """Return which share of what two types have each finds on pages of the other; how many columns.

        but  columns that are in the share alone, as are those that pages declare
        """
        shares, counts = zip(self._found(one, other, but), self._found(other, one, but))
        return min(shares), min(counts)

    def finds(self, name: str, page: Page) -> float:
        """Return which share of what a type has its template finds on a page."""
        columns = self._columns[name]
        own, found = self._own[name], filled(columns, [columns.read(page, declares=False)])
        return sum(share for what, share in own.items() if what in found) / (sum(own.values()) or 1.0)

    def has(self, name: str, page: PageUnits) -> float:
        """Return which share of the elements of a page the pages of a type have, on average."""
        here, known = _elements([page]), self._elements[name]
        return sum(known.get(steps, 0.0) for steps in here) / (len(here) or 1)

    def _found(self, one: str, other: str, but: Collection[str]) -> tuple[float, float]:
        """Return which share of what a type has its template finds on pages of another; how many columns."""
        own, found = self._own[one], filled(self._columns[one], self._pages_of(other))
        both = {name: min(share, found.get(name, 0.0)) for name, share in own.items()}
        of_any_page = {*but, *(column.name for column in self._columns[one].columns if column.declared)}
        count = sum(share for name, share in both.items() if name not in of_any_page)
        return sum(both.values()) / (sum(own.values()) or 1.0), count


def filled(columns: TypeColumns, pages: Sequence[PageUnits]) -> Shares:
    """Return column, or (name of records,) -> the share of pages that have it; records count more."""
    found = Counter[Hashable]()
    for page in pages:
        shown = PageUnits(page.units)
        found.update(columns.values(shown, "").keys())
        found.update({(name,): OF_RECORDS for name, rows in columns.records(shown, "").items() if rows})
    return {name: count / len(pages) for name, count in found.items()}


def _at_places(columns: TypeColumns) -> TypeColumns:
    """Return the columns that a type has by default, of which the places say something of the type.

    Those are not what is only declared, or a part of the text, or leads to the next page.
    """
    shown = (one for one in columns.columns if one.shown and one.slots)
    return replace(
        columns,
        columns=tuple(
            one for one in shown if not any(slot.is_in_text or neighbour_of(slot.place) for slot in one.slots)
        ),
    )


def _elements(pages: Sequence[PageUnits]) -> Shares:
    """Return the last two steps of the places of some pages -> the share of pages that have them."""
    found = Counter[Hashable]()
    for page in pages:
        found.update({"/".join(unit.place.rsplit("/", 2)[-2:]) for unit in page.units})
    return {steps: count / len(pages) for steps, count in found.items()}


def _shared(one: Shares, other: Shares) -> float:
    """Return which share of what the pages of two types have is in both."""
    both = sum(min(share, other[what]) for what, share in one.items() if what in other)
    return both / (sum(one.values()) + sum(other.values()) - both or 1.0)
