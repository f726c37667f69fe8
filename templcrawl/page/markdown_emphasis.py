"""Write emphasis as delimiters (``**``, ``*``, ``~~``) where the library writes HTML, or leave it out.

CommonMark reads a delimiter run only where it is *flanking*: the run opens if a space does not follow, nor
punctuation unless a space or punctuation stands before it; closing mirrors it.  Where a run would not be
read, the library writes the tag itself (``x<strong>y:</strong>z``).

In the tree      where strong and other emphasis meet, the strong one stays; neighbours of one kind are
                 joined: no delimiter that is left meets another
In the Markdown  a tag or a mark that the library wrote becomes the delimiter where that flanks.  Else
                 punctuation at its inner edge moves outside (``x**y**:z``), else both tags are left out.
                 A delimiter right behind one of its kind is left out with it (``*a**b*`` is ``*ab*``).
                 What would be read as the beginning of a block, of a tag or of an entity then is escaped

Source: CommonMark 0.31, section 6.2.  Cost: O(length of the page).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from string import punctuation
from typing import TYPE_CHECKING, Any, NamedTuple

from templcrawl.page.markdown_search import find_named

if TYPE_CHECKING:
    from turbohtml import Element

_DELIMITERS = {"strong": "**", "em": "*", "s": "~~", "del": "~~", "strike": "~~"}
_STRONG = frozenset({"b", "strong"})
_WEAK = frozenset({"em", "i"})
_EMPHASIS = [*sorted(_STRONG), *sorted(_WEAK)]
# What the library puts around emphasis: control characters, which no text that it is given may have.
STRONG, WEAK = "\x02", "\x03"

_MARKS = {STRONG: "strong", WEAK: "em"}
# It begins with a set of characters, so that others are passed over in a quarter of the time.
_TAG = re.compile(
    rf"[\\<{STRONG}{WEAK}](?:(?<=\\).|(?<=<)(/?)(strong|em|strike|s|del)>|(?<=([{STRONG}{WEAK}])))", re.DOTALL
)
_BREAK = re.compile(r"(?<!\\)<br> *")
_CONTAINERS = re.compile(r"(?:[>*+-] |\d{1,9}[.)] |\| |#{1,6} | )*")
_BLOCK = re.compile(
    r"(?:(\d{1,9})[.)]|[-+*]|#{1,6})(?=\s|$)|>|~~~|```|(?=[-=])[-=:|\s]+$|([-*_])(?:\s*\2){2,}\s*$"
).match
_HALF = re.compile(r"(?<!\\)(?:\\\\)*(<[!/?]?-?|&#?\w*)\Z")
_ENTITY = re.compile(r"&#?\w+;\Z")
_HALF_LENGTH = 40
_UNMOVED = frozenset("\\`*_~[](){}<>&#|!")
_ASCII_PUNCTUATION = frozenset(punctuation)
_DELIMITER_ENDS = ("*", "~")
_WORD = "a"


class _Tag(NamedTuple):
    """A tag that the library wrote: where it begins and ends, and what it opens or closes."""

    start: int
    stop: int
    name: str
    closes: bool


def simplify_emphasis(library: Any, tree: Element) -> None:
    """Reduce emphasis in a tree to what delimiters can say.

    Each part of the tree is looked through once, the outer element before what is in it.
    """
    elements = iter(find_named(tree, _EMPHASIS))
    for outer in elements:
        if outer.parent is None:
            continue
        strong = outer.find([*_STRONG]) if outer.tag in _WEAK else None
        while strong is not None and outer != strong:
            outer.unwrap()
            outer = next(elements)
        for inner in find_named(outer, _EMPHASIS):
            inner.unwrap()
    for element in find_named(tree, _EMPHASIS):
        while element.parent is not None:
            beside = element.next_sibling
            if not isinstance(beside, library.Element) or beside.tag not in _EMPHASIS:
                break
            if (beside.tag in _STRONG) is (element.tag in _STRONG):
                element.extend(list(beside.children))
                beside.extract()
            else:
                (beside if element.tag in _STRONG else element).unwrap()


def delimit(markdown: str, *, in_heading: bool = False) -> str:
    """Return Markdown with delimiters in the place of the library's tags.

    in_heading  whether it begins inside a heading

    >>> delimit("x<strong>y:</strong>z, <strong>(a)</strong>b, <em>e</em>.")
    'x**y**:z, (a)b, *e*.'
    """
    if STRONG not in markdown and WEAK not in markdown and "<" not in markdown:
        return markdown
    if "<br>" in markdown:
        markdown = _BREAK.sub(" ", markdown)
    tags = list(_tags(markdown))
    if not tags:
        return markdown
    pieces: list[str] = []
    lines: list[int] = []
    position = length = 0
    written = ""  # the delimiter at the end of what is written
    for start, stop, new in _edits(markdown, tags):
        if new and new == written and start == position:
            length -= len(pieces.pop())
            new = ""
        elif new or start > position:
            written = new
        newline = markdown.rfind("\n", position, start)
        if newline >= 0 or not (position or in_heading):
            containers = _CONTAINERS.match(markdown, newline + 1, start)
            lines.append(length + (containers.end() if containers else newline + 1) - position)
        for piece in (markdown[position:start], new):
            if piece:
                pieces.append(piece)
                length += len(piece)
        position = stop
        if (
            not new.endswith(_DELIMITER_ENDS)
            and pieces
            and (half := _HALF.search(pieces[-1], max(len(pieces[-1]) - _HALF_LENGTH, 0)))
        ):
            pieces[-1] = f"{pieces[-1][: half.start(1)]}\\{half[1]}"
            length += 1
    return _escape_lines("".join(pieces) + markdown[position:], lines)


def _tags(markdown: str) -> Iterator[_Tag]:
    """Yield the tags of emphasis, and its marks as tags: every other one closes."""
    opened = dict.fromkeys(_MARKS, False)
    for match in _TAG.finditer(markdown):
        mark = match[3]
        if mark:
            yield _Tag(*match.span(), _MARKS[mark], opened[mark])
            opened[mark] = not opened[mark]
        elif match[2]:
            yield _Tag(*match.span(), match[2], bool(match[1]))


def _edits(markdown: str, tags: list[_Tag]) -> Iterator[tuple[int, int, str]]:
    """Yield the edits that replace each tag and move text across it: (start, stop, new text)."""
    numbers = iter(range(len(tags)))
    for number in numbers:
        opened, closed = tags[number], tags[min(number + 1, len(tags) - 1)]
        if opened.closes or not closed.closes or opened.name != closed.name:
            yield opened.start, opened.stop, ""
            continue
        next(numbers)
        before = markdown[opened.start - 1 : opened.start]
        if number and tags[number - 1].stop == opened.start:
            before = _WORD
        after = markdown[closed.stop : closed.stop + 1]
        if number + 2 < len(tags) and tags[number + 2].start == closed.stop:
            after = _WORD
        yield from _pair(markdown, opened, closed, before, after)


def _pair(
    markdown: str, opened: _Tag, closed: _Tag, before: str, after: str
) -> Iterator[tuple[int, int, str]]:
    """Yield the edits of what one tag opens and another closes, the characters outside of both given."""
    start, stop = opened.stop, closed.start
    lead = trail = ""
    if (
        start < stop
        and not _flanks(before, markdown[start])
        and _moves(markdown[start], markdown[start:stop])
    ):
        inner = markdown[start + 1 : stop].lstrip(" ")
        lead, start = markdown[start : stop - len(inner)], stop - len(inner)
    if (
        start < stop
        and not _flanks(after, markdown[stop - 1])
        and _moves(markdown[stop - 1], markdown[start:stop])
    ):
        inner = markdown[start : stop - 1].rstrip(" ")
        trail, stop = markdown[start + len(inner) : stop], start + len(inner)
    delimiter = _DELIMITERS[opened.name]
    if not (
        start < stop
        and _flanks("." if lead else before, markdown[start])
        and _flanks("." if trail else after, markdown[stop - 1])
    ):
        start, stop, lead, trail, delimiter = opened.stop, closed.start, "", "", ""
    yield opened.start, start, lead + delimiter
    yield stop, closed.stop, delimiter + trail


def _flanks(outside: str, inside: str) -> bool:
    """Return whether a delimiter run between two characters flanks the inner one, "" for none outside."""
    if inside.isspace():
        return False
    return _is_word(inside) or not outside or outside.isspace() or _is_punctuation(outside)


def _is_word(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNM"


def _is_punctuation(character: str) -> bool:
    return character in _ASCII_PUNCTUATION or unicodedata.category(character)[0] == "P"


def _moves(character: str, inner: str) -> bool:
    """Return whether a character at an edge of what is emphasised means the same outside of it."""
    if not _is_punctuation(character) or character in _UNMOVED:
        return False
    return not (inner[-2:-1] == "\\" or _ENTITY.search(inner) or "](" in inner)


def _escape_lines(markdown: str, lines: list[int]) -> str:
    """Escape what begins a block now, at places where the words of a line begin."""
    pieces: list[str] = []
    position = 0
    for line in lines:
        end = markdown.find("\n", line)
        block = _BLOCK(markdown, line, end if end >= 0 else len(markdown))
        if block is not None:
            place = line + len(block[1] or "")
            pieces += [markdown[position:place], "\\"]
            position = place
    return "".join([*pieces, markdown[position:]])
