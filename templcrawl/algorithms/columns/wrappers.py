"""Find the records in wrappers: elements that repeat, of which each holds nothing but one that has a name.

``div.slide > article.post`` here is ``li > article.post`` there; the record is the article.

Source: our own.  Cost: O(elements between a wrapper and its record).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from templcrawl.algorithms.columns.class_words import names_record
from templcrawl.algorithms.columns.row_places import rows_of
from templcrawl.algorithms.columns.units import parts_of


def inner_records(
    elements: Sequence[int],
    only: Mapping[int, int],
    places: Sequence[str],
) -> dict[int, tuple[int, str]]:
    """Return wrapper -> the record alone in it, and the row of that; none if one of them has no record.

    only  element -> the one in it that holds all of its units
    """
    found: dict[int, tuple[int, list[str]]] = {}
    for element in elements:
        inner = element
        while inner and not _is_named(places[inner]):
            inner = only.get(inner, 0)
        if inner in (0, element):
            return {}
        found[element] = inner, list(filter(_is_named, rows_of(places[inner])))
    steps = Counter(row.rpartition("/")[2] for _, rows in found.values() for row in rows)
    return {
        element: (inner, max(rows, key=lambda row: steps[row.rpartition("/")[2]]))
        for element, (inner, rows) in found.items()
    }


def _is_named(place: str) -> bool:
    """Return whether the last step of a place names a record."""
    tag, words = parts_of(place.rpartition("/")[2])
    return any(map(names_record, words)) or (tag == "article" and not words)
