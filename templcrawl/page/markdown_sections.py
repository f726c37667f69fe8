"""Cut Markdown into sections: at its headings, and where a section is too long for an index, at paragraphs.

A section begins where a heading was written as one, and ends before the next, whatever its level.  One that
is longer than allowed is cut into pieces, each with the path of the whole and as long as can be: behind the
last paragraph that fits, but not between its heading and what follows; within a paragraph or a list behind
the last line, or else the last word.  A block of code that fits is not cut.

Cost: O(length of the Markdown).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypedDict

LONGEST_SECTION = 8000  # characters of a section, unless another length is asked for

_PARAGRAPH_OR_FENCE = re.compile(r"^(?:[>*+-] |\d{1,9}[.)] | )*(`{3,})|\n\n+", re.MULTILINE)


class MarkdownSection(TypedDict):
    """A stretch of Markdown from a heading to the next, or a piece of one that is long.

    path   texts of the headings that it stands under, its own the last, of each 200 characters at most; empty
           before the first heading
    start  where it begins in the Markdown, in characters
    stop   where it ends
    """

    path: list[str]
    start: int
    stop: int


class Heading(NamedTuple):
    """A heading: its level, from 1 to 6, and its text."""

    level: int
    text: str


def sections_at(starts: Iterable[tuple[int, Heading]], length: int) -> list[MarkdownSection]:
    """Return the sections of a text of some length whose headings begin at places in order."""
    sections: list[MarkdownSection] = [MarkdownSection(path=[], start=0, stop=length)]
    above: list[Heading] = []
    for start, heading in starts:
        above = [*(other for other in above if other.level < heading.level), heading]
        sections[-1]["stop"] = start
        sections.append(MarkdownSection(path=[other.text for other in above], start=start, stop=length))
    return [section for section in sections if section["start"] < section["stop"]]


def cut_long(markdown: str, sections: Sequence[MarkdownSection], longest: int) -> list[MarkdownSection]:
    r"""Return sections of at most so many characters, long ones cut into pieces; 0 cuts none.

    >>> whole = MarkdownSection(path=["A"], start=0, stop=14)
    >>> [piece["stop"] for piece in cut_long("# A\n\nb\n\nc d e", [whole], 10)]
    [8, 14]
    """
    if not longest or all(section["stop"] - section["start"] <= longest for section in sections):
        return list(sections)
    places = list(_paragraphs(markdown))
    return [
        MarkdownSection(path=section["path"], start=start, stop=stop)
        for section in sections
        for start, stop in _pieces(markdown, section, longest, places)
    ]


def _pieces(
    markdown: str, section: MarkdownSection, longest: int, places: Sequence[int]
) -> Iterator[tuple[int, int]]:
    start, stop = section["start"], section["stop"]
    first = bisect_right(places, start)
    behind_heading = places[first] if section["path"] and first < len(places) else 0
    while stop - start > longest:
        number = bisect_right(places, start + longest)
        place = places[number - 1] if number and places[number - 1] != behind_heading else 0
        least = max(start, behind_heading)
        for separator in ("\n", " "):
            if place <= least:
                place = markdown.rfind(separator, start, start + longest) + 1
        if place <= least:
            place = behind_heading if start < behind_heading <= start + longest else start + longest
        yield start, place
        start = place
    yield start, stop


def _paragraphs(markdown: str) -> Iterator[int]:
    fence = ""
    for match in _PARAGRAPH_OR_FENCE.finditer(markdown):
        if match[1] is None:
            if not fence:
                yield match.end()
        elif not fence:
            fence = match[1]
        elif len(match[1]) >= len(fence):
            fence = ""
