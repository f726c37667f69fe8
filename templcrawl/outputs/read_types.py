"""Say how much of what a page type has its template finds on pages of another type.

Pages that one template wrote have their values at the same places and behind the same labels, whatever the
columns of their types are called.  Of two types the smaller share of both counts: a page with much more than
another is of another kind.

Source: our own.  Cost: ``_PAGES`` pages a type are read by the templates of ``MAX_COMPARED`` others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from templcrawl.algorithms.columns.reading import PageUnits
from templcrawl.algorithms.columns.values import TypeColumns

MAX_COMPARED = 3  # types that one is compared with: those that have most of its elements
OF_RECORDS = 2.0  # columns that a table of records is worth
_PAGES = 16  # of a type
_KEPT = 32  # types of which pages are kept

PagesOf = Callable[[str], Sequence[PageUnits]]  # some pages of a type
Filled = Mapping[Hashable, float]  # column, or name of records -> the share of pages that have it, weighted


class TypeReader:
    """Reads some pages of each type by the templates of others."""

    def __init__(self, columns: Mapping[str, TypeColumns], pages_of: PagesOf) -> None:
        """Keep the columns of each type, and what returns its pages."""
        self._columns = {name: _at_places(one) for name, one in columns.items()}
        self._pages = lru_cache(_KEPT)(lambda name: pages_of(name)[:_PAGES])
        self._own = lru_cache(None)(lambda name: filled(self._columns[name], self._pages(name)))
        self._elements = {name: _elements(self._pages(name)) for name in columns}

    def nearest(self, name: str, others: Collection[str]) -> list[str]:
        """Return those of other types that have most of the elements of a type, the nearest first."""
        ours = self._elements[name]
        return sorted(others, key=lambda other: -_both(ours, self._elements[other]))[:MAX_COMPARED]

    def shared(self, one: str, other: str, but: Collection[str]) -> tuple[float, float]:
        """Return the share of their columns that two types have in both, and how many columns that is.

        but  names of columns that are not counted, but in the share
        """
        shares, counts = zip(self._found(one, other, but), self._found(other, one, but))
        return min(shares), min(counts)

    def _found(self, one: str, other: str, but: Collection[str]) -> tuple[float, float]:
        """Return which share of its columns a type finds on pages of another, and how many columns."""
        own = self._own(one)
        found = filled(self._columns[one], self._pages(other))
        both = {name: min(share, found.get(name, 0.0)) for name, share in own.items()}
        counted = sum(share for name, share in both.items() if name not in but)
        return sum(both.values()) / (sum(own.values()) or 1.0), counted


def filled(columns: TypeColumns, pages: Sequence[PageUnits]) -> Filled:
    """Return what of the columns and the records of a type some pages have."""
    found = Counter[Hashable]()
    for page in pages:
        shown = PageUnits(page.units)
        found.update(columns.values(shown, "").keys())
        records = columns.records(shown, "")
        found.update({(name, ""): OF_RECORDS for name, rows in records.items() if rows})
    return {name: count / len(pages) for name, count in found.items()}


def _at_places(columns: TypeColumns) -> TypeColumns:
    """Return the columns that a type has by default, and finds on a page, not only in what it declares."""
    return replace(columns, columns=tuple(one for one in columns.columns if one.shown and one.slots))


def _elements(pages: Sequence[PageUnits]) -> Mapping[str, float]:
    """Return the last two steps of places -> the share of pages that have them."""
    found = Counter[str]()
    for page in pages:
        found.update({"/".join(unit.place.rsplit("/", 2)[-2:]) for unit in page.units})
    return {step: count / len(pages) for step, count in found.items()}


def _both(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return the share of elements that two types have in both."""
    both = sum(min(share, other[step]) for step, share in one.items() if step in other)
    return both / (sum(one.values()) + sum(other.values()) - both or 1.0)
