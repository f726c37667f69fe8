"""Write HTML as Markdown, and find its sections.

A library (turbohtml) reads the tree and writes it; what it would lose is first rewritten in the tree
(:mod:`templcrawl.page.markdown_tree`).

Headings are found again in what was written by a mark in front of their words, which is taken out: a control
character, which no text has that the library is given.

A *section* begins where a heading was written as one, and ends before the next, whatever its level.  One that
is longer than allowed is cut into pieces, each with the path of the whole and as long as can be: behind the
last paragraph that fits, but not between its heading and what follows; within a paragraph or a list behind
the last line, or else the last word.  A block of code that fits is not cut.

Cost: O(length of the HTML).  The library neither recurses nor indents deeper than a bound.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from templcrawl.errors import load_extra
from templcrawl.page.markdown_display import (
    remove_permalinks,
    remove_spacing,
    remove_white_space,
    rewrite_code,
)
from templcrawl.page.markdown_emphasis import STRONG, WEAK, delimit, simplify_emphasis
from templcrawl.page.markdown_links import name_links, resolve
from templcrawl.page.markdown_search import outermost
from templcrawl.page.markdown_tree import (
    FORMULA,
    HEADING,
    HEADINGS,
    ITEM,
    LESS,
    POWERS,
    rewrite,
)
from templcrawl.page.text import storable

if TYPE_CHECKING:
    from turbohtml import Element

LONGEST_SECTION = 8000  # characters

_HEAD = re.compile(r"(?:[>*+-] |\d+[.)] | )*#{1,6} ").fullmatch
_TAGS = dict(zip("".join(POWERS.values()), ("<sup>", "</sup>", "<sub>", "</sub>")))
_UNTAGGED = str.maketrans(dict.fromkeys(_TAGS))
_SIGN_OF = {POWERS["sup"][0]: "^", POWERS["sub"][0]: "_"}
_RAISED = re.compile(f"(?<=[0-9])[{''.join(_SIGN_OF)}](?=[-+\u2212\u2013]?[0-9])")
_FORMULA = re.compile("{}([0-9a-f]*){}".format(*FORMULA))
_ITEM = re.compile(f"([.:;,!?]?) ?{ITEM} ?")
_IS_SEEN = re.compile(r"[^\s\u200c-\u200f\u2060]").search
_PARAGRAPH_OR_FENCE = re.compile(r"^(?:[>*+-] |\d{1,9}[.)] | )*(`{3,})|\n\n+", re.MULTILINE)
_BEHIND = f"{HEADING}{HEADING}"  # in front of what is written behind all else
_LONGEST_HEAD = 400
_LONGEST_TEXT = 200


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


class Markdown(NamedTuple):
    """HTML as Markdown.

    text      the Markdown
    sections  its sections in order; one begins where the one before it ends
    """

    text: str
    sections: list[MarkdownSection]


class _Heading(NamedTuple):
    level: int
    text: str


def load() -> Any:
    """Return the library; raises MissingExtra."""
    return load_extra("turbohtml", "Markdown", "markdown")


def markdown_of(html: str, base: str, behind: str = "") -> Markdown:
    r"""Return HTML as Markdown, links resolved against an address; raises MissingExtra.

    behind  HTML that is written behind the other; its sections stand under headings of its own

    >>> markdown_of("<p>tea", "", "<p>pots").text
    'tea\n\npots'
    """
    library = load()
    tree = library.parse_fragment(html, positions=False)
    added = library.Element("div")
    if behind:
        added.extend(list(library.parse_fragment(behind, positions=False).children))
        tree.append(added)
    if "white-space" in html or "white-space" in behind:
        remove_white_space(tree)
    remove_permalinks(tree)
    resolve(library, tree, base)
    rewrite_code(library, tree)
    remove_spacing(library, tree)
    name_links(library, tree)
    rewrite(library, tree)
    simplify_emphasis(library, tree)
    headings = _mark_headings(library, tree)
    if behind:
        added.insert(0, library.Text(_BEHIND))
    return _cut(tree.to_markdown(_form(library)), headings)


@cache
def _form(library: Any) -> Any:
    """Return the options that the library writes Markdown by."""
    return library.Markdown(
        tables=library.Markdown.Tables(cell_blocks="text"),
        links=library.Markdown.Links(autolink=False),
        inline=library.Markdown.Inline(strong=STRONG, emphasis=WEAK),
    )


def _mark_headings(library: Any, tree: Element) -> list[_Heading]:
    """Put a mark with its number in front of each heading that has words; without a sign it is none."""
    headings: list[_Heading] = []
    for element in outermost(tree, HEADINGS):
        text = " ".join(element.to_text().split())
        if not _IS_SEEN(text) and element.find("img") is None:
            element.clear()
            element.tag = "div"
        elif text:
            element.insert(0, library.Text(f"{HEADING}{len(headings)}{HEADING}"))
            text = _RAISED.sub(lambda mark: _SIGN_OF[mark[0]], text)
            words = storable(_shown(text.translate(_UNTAGGED))[:_LONGEST_TEXT])
            headings.append(_Heading(int(element.tag[1]), words))
    return headings


def _cut(marked: str, headings: list[_Heading]) -> Markdown:
    """Remove the marks, and cut the text at the lines that began with one."""
    if ITEM in marked:
        marked = _ITEM.sub(lambda item: f"{item[1] or ';'} ", marked)
    for mark, tag in _TAGS.items():
        marked = marked.replace(mark, tag)
    first, *pieces = marked.split(HEADING)
    parts = [_shown(delimit(first))]
    marks: list[tuple[int, _Heading | None]] = []
    length = len(parts[0])
    for number, words in zip(pieces[::2], pieces[1::2]):
        heading = headings[int(number)] if number else None
        if heading is None:
            parts[-1] = parts[-1] if words.strip() else parts[-1].rstrip()
            length = sum(map(len, parts))
        marks.append((length, heading))
        parts.append(_shown(delimit(words.lstrip(" " if number else None), in_heading=heading is not None)))
        length += len(parts[-1])
    text = storable("".join(parts))
    sections = [MarkdownSection(path=[], start=0, stop=length)]
    above: list[_Heading] = []
    for position, heading in marks:
        start = position if heading is None else _line_of_heading(text, position)
        if start >= 0:
            above = [] if heading is None else [*_higher(above, heading), heading]
            sections[-1]["stop"] = start
            sections.append(MarkdownSection(path=[other.text for other in above], start=start, stop=length))
    return Markdown(text, [section for section in sections if section["start"] < section["stop"]])


def _higher(above: Sequence[_Heading], heading: _Heading) -> list[_Heading]:
    return [other for other in above if other.level < heading.level]


def _shown(text: str) -> str:
    """Return text in which the marked parts are written unchanged."""
    if FORMULA[0] in text:
        text = _FORMULA.sub(lambda tex: bytes.fromhex(tex[1]).decode("utf-8", "surrogatepass"), text)
    return text.replace(LESS, "<")


def _line_of_heading(text: str, position: int) -> int:
    """Return where the line begins whose heading has its words at a position, -1 if there is none."""
    searched = max(position - _LONGEST_HEAD, 0)
    start = text.rfind("\n", searched, position) + 1 or searched
    return start if _HEAD(text, start, position) else -1


def cut_long(
    markdown: str, sections: Sequence[MarkdownSection], longest: int = LONGEST_SECTION
) -> list[MarkdownSection]:
    r"""Return sections of at most so many characters, long ones cut into pieces.

    >>> whole = MarkdownSection(path=["A"], start=0, stop=14)
    >>> [piece["stop"] for piece in cut_long("# A\n\nb\n\nc d e", [whole], 10)]
    [8, 14]
    """
    if all(section["stop"] - section["start"] <= longest for section in sections):
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
