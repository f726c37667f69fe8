"""The differences between two crawls, as one HTML file: the lines added to each page, and removed.

What pages have written reaches it as text alone, as in :mod:`templcrawl.outputs.report.html`.
Cost: O(length of the report).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from templcrawl.algorithms.similarity.alterations import Difference, Words, word_differences
from templcrawl.outputs.report.html import CHANGES, render


class Row(NamedTuple):
    """A removed or added line in pieces: text, and whether the piece was removed or added."""

    is_added: bool
    pieces: Words


class ChangesContents(NamedTuple):
    """The contents of the report.

    sources  the two crawls, as they were named
    counts   kind -> pages
    changed  address and differences of each page whose content has changed
    new      addresses of pages that only the new crawl has
    gone     addresses of pages that only the old one has
    """

    sources: tuple[str, str]
    counts: Mapping[str, int]
    changed: Sequence[tuple[str, Sequence[Difference]]]
    new: Sequence[str]
    gone: Sequence[str]

    def parts(self, differences: Sequence[Difference]) -> list[list[Row]]:
        """Return the lines of each difference; a line and the one that took its place, word by word."""
        return [list(_rows(difference)) for difference in differences]


def _rows(difference: Difference) -> Iterator[Row]:
    for old, new in zip_longest(*difference):
        both = word_differences(old, new) if old is not None and new is not None else None
        if both is not None:
            yield Row(False, both[0])
            yield Row(True, both[1])
            continue
        if old is not None:
            yield Row(False, ((old, True),))
        if new is not None:
            yield Row(True, ((new, True),))


def changes_html(contents: ChangesContents) -> str:
    """Return the report; raises MissingExtra."""
    return render(CHANGES, contents)
