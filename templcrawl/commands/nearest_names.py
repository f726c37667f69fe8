"""The page of a finished crawl that a page is compared with: of the same directory, with the nearest name.

Source: Rowlands, Thomas, Wan (ADCS 2009), section 4: "that page in the same directory whose name was
closest", by edit distance.  Departures: a page that is the same as the one at hand, whatever its name, is
passed over; of a large directory the names beside the page's in alphabetical order are looked at, 500 on
either side; and of these the five nearest are asked.  Where all five are of pages that are the same as the
one at hand, it has no sibling: one of seven equal pages beside another page may have none.

n pages.  Cost: O(1) edit distances a page.  Memory: the names, some 200 bytes a page; what is compared of
the pages lies in a temporary file.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress
from tempfile import TemporaryFile
from typing import NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from templcrawl.page.page import Page

_BESIDE = 500
_ASKED = 5


class _Kept(NamedTuple):
    """A page by its name, with its key, and where its view lies in the file and how long it is."""

    name: str
    page: int
    start: int
    length: int


class NearestNames:
    """All pages of a crawl by their directories.

    any_directory  whether a page that is alone in its directory is compared with one of another directory
    """

    def __init__(self, *, any_directory: bool) -> None:
        self._any_directory = any_directory
        self._groups: dict[tuple[str, str], list[_Kept]] = {}
        self._is_sorted = True
        self._views = TemporaryFile()  # noqa: SIM115
        self._written = 0

    def close(self) -> None:
        """Let go of the temporary file, also where the disk is full."""
        with suppress(OSError):
            self._views.close()

    def add(self, page: Page, view: array[int]) -> None:
        """Remember a page and what it is compared by.  Raises OSError where the disk is full."""
        self._views.write(view.tobytes())
        name = page.url.partition("#")[0]
        kept = _Kept(name, page.key, self._written, len(view))
        self._written += len(view)
        for directory in (page.directory, "") if self._any_directory else (page.directory,):
            self._groups.setdefault((page.host, directory), []).append(kept)
        self._is_sorted = False

    def sibling(self, page: Page, view: array[int]) -> array[int] | None:
        """Return what the nearest page is compared by, None where there is none."""
        if not self._is_sorted:
            for group in self._groups.values():
                group.sort()
            self._is_sorted = True
        directories = (page.directory, "") if self._any_directory else (page.directory,)
        for directory in directories:
            for kept in _nearest(page, self._groups.get((page.host, directory), [])):
                other = self._read(kept)
                if other != view:
                    return other
        return None

    def _read(self, kept: _Kept) -> array[int]:
        self._views.seek(8 * kept.start)
        view = array("Q")
        view.frombytes(self._views.read(8 * kept.length))
        return view


def _nearest(page: Page, group: list[_Kept]) -> Iterator[_Kept]:
    """Yield some pages of a group that are not the page itself, the nearest name first."""
    name = page.url.partition("#")[0]
    index = bisect_left(group, (name,))
    others = [kept for kept in group[max(0, index - _BESIDE) : index + _BESIDE] if kept.page != page.key]
    names = [kept.name for kept in others]
    for _, _, number in process.extract(name, names, scorer=Levenshtein.distance, limit=_ASKED):
        yield others[number]
