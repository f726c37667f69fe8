"""Write HTML as Markdown, and say where its sections are.

A library (turbohtml) reads the tree and writes it; what it would lose is first rewritten in the tree:

links     are made absolute; those that run a script are left out, their text stays
headings  inside a link have the link inside them: a link is written on one line
code      with a link in it stands around the link's words: in code a link is not read
blocks    of code say their language where their class, or that of what encloses them, does
tables    that hold what no cell of a Markdown table can (a heading, code of several lines, a table) are taken
          for layout: their cells are written one below the other.  Where cells span others, empty ones keep
          the rest in their columns

Headings are found again in what was written by a mark in front of their words, which is taken out: the digest
of the whole HTML, which nothing in that HTML can know.  A section begins where a heading was written as one.

Cost: O(length of the HTML): of what encloses an element the nearest ``_ABOVE`` are looked at, and a table
gets at most as many empty cells as it has cells.  The library writes an indentation of a bounded depth.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from xxhash import xxh3_128_hexdigest

from templcrawl.errors import MissingExtra

if TYPE_CHECKING:
    from turbohtml import Element

_HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
_TABLE_PARTS = ["caption", "colgroup", "thead", "tbody", "tfoot", "tr", "td", "th"]
_CODE = frozenset({"code", "kbd", "samp", "tt"})
_ABOVE = 64
_WIDEST = 1000
_SCRIPT = re.compile(r"[\x00-\x20]*(?:javascript|vbscript|data):", re.IGNORECASE).match
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language|lang|highlight-source|highlight)-([a-zA-Z][\w+#]{0,20})(?=\s|$)"
).search
_NO_LANGUAGE = frozenset({"default", "none", "notranslate", "plaintext", "text"})
_HEAD = re.compile(r"(?:[>*+-] |\d+[.)] | )*#{1,6} ").fullmatch
_LONGEST_HEAD = 400


class Section(TypedDict):
    """A stretch of Markdown from a heading to the next, whatever its level.

    path   texts of the headings that it stands under, its own the last; empty before the first heading
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
    sections: list[Section]


class _Heading(NamedTuple):
    level: int
    text: str


def load() -> Any:
    """Return the library; raises MissingExtra."""
    try:
        import turbohtml
    except ImportError as error:
        raise MissingExtra("Markdown", "markdown") from error
    return turbohtml


def markdown_of(html: str, base: str) -> Markdown:
    """Return HTML as Markdown, links resolved against an address; raises MissingExtra."""
    library = load()
    tree = library.parse_fragment(html, positions=False)
    _resolve(tree, base)
    _unfold_layout(tree)
    for table in _outermost(tree, ["table"]):
        _fill_spans(library, table)
    _link_inside_headings(library, tree)
    _link_outside_code(library, tree)
    _name_languages(library, tree)
    mark = xxh3_128_hexdigest(html.encode("utf-8", "surrogatepass"))
    headings = _mark_headings(library, tree, mark)
    options = library.Markdown(
        tables=library.Markdown.Tables(cell_blocks="text"), links=library.Markdown.Links(autolink=False)
    )
    return _cut(tree.to_markdown(options), mark, headings)


def _resolve(tree: Element, base: str) -> None:
    """Make addresses absolute."""
    for anchor in tree.find_all("a"):
        written = anchor.attr("href") or ""
        if _SCRIPT(written):
            anchor.unwrap()
        elif written != written.strip():
            anchor.attrs["href"] = written.strip()
    with suppress(ValueError):  # a base that is no address
        tree.resolve_links(base)


def _above(element: Element) -> Iterator[Any]:
    """Yield what encloses an element, from the nearest, the document itself left out."""
    return (above for above in islice(element.ancestors, _ABOVE) if above.parent is not None)


def _nearest(element: Element, tag: str) -> Any:
    return next((above for above in _above(element) if above.tag == tag), None)


def _outermost(tree: Element, tags: list[str]) -> Iterator[Element]:
    """Yield the elements of some names that are in no other of them."""
    inside: set[Element] = set()
    for element in tree.find_all(tags):
        if element not in inside:
            inside.update(element.find_all(tags))
            yield element


def _unfold_layout(tree: Element) -> None:
    """Turn tables that Markdown has no cells for into blocks."""
    blocks = tree.find_all(["table", *_HEADINGS])
    blocks += [
        block
        for block in _outermost(tree, ["pre"])
        if "\n" in block.text.strip() or block.find("br") is not None
    ]
    layout = {above for block in blocks for above in _above(block) if above.tag == "table"}
    if layout:
        parts = [part for part in tree.find_all(_TABLE_PARTS) if _nearest(part, "table") in layout]
        for part in [*parts, *layout]:
            part.tag = "div"


def _fill_spans(library: Any, table: Element) -> None:
    """Put empty cells where cells reach to the right of their own and below it."""
    cells = table.find_all(["td", "th"])
    spans = [(_span(cell, "colspan"), _span(cell, "rowspan")) for cell in cells]
    missing = sum(wide * tall - 1 for wide, tall in spans)
    for cell in cells:
        cell.attrs.pop("colspan", None)
        cell.attrs.pop("rowspan", None)
    if not 0 < missing <= len(cells):
        return
    span_of = dict(zip(cells, spans))
    hanging: dict[int, int] = {}
    for row in table.find_all("tr"):
        column, below = 0, dict[int, int]()
        for cell in [child for child in row if child in span_of]:
            while column in hanging:
                cell.insert_before(library.Element("td"))
                below[column] = hanging.pop(column) - 1
                column += 1
            wide, tall = span_of[cell]
            cell.insert_after(*(library.Element("td") for _ in range(wide - 1)))
            below.update(dict.fromkeys(range(column, column + wide), tall - 1))
            column += wide
        left = below | {column: rows - 1 for column, rows in hanging.items()}
        hanging = {column: rows for column, rows in left.items() if rows > 0}


def _span(cell: Element, name: str) -> int:
    written = (cell.attr(name) or "").strip()
    return min(max(int(written), 1), _WIDEST) if written.isdecimal() and len(written) < 9 else 1


def _link_inside_headings(library: Any, tree: Element) -> None:
    """Put the link that headings are in inside the first of them."""
    heading_of: dict[Element, Element] = {}
    for heading in tree.find_all(_HEADINGS):
        anchor = _nearest(heading, "a")
        if anchor is not None:
            heading_of.setdefault(anchor, heading)
    for anchor, heading in heading_of.items():
        if anchor.attr("href"):
            heading.wrap_children(library.Element("a", {"href": anchor.attr("href")}))
        anchor.unwrap()


def _link_outside_code(library: Any, tree: Element) -> None:
    """Put code around the words of a link, where the link is in code that is not a block."""
    parents = dict.fromkeys(anchor.parent for anchor in tree.find_all("a") if anchor.parent.tag in _CODE)
    for code in [parent for parent in parents if _nearest(parent, "pre") is None]:
        for child in list(code):
            if isinstance(child, library.Element):
                child.wrap_children(library.Element("code"))
            elif child.text.strip():
                child.wrap(library.Element("code"))
        code.unwrap()


def _name_languages(library: Any, tree: Element) -> None:
    """Say the language of code blocks as the library reads it."""
    known: dict[Element, str] = {}
    for block in _outermost(tree, ["pre"]):
        code = block.find("code")
        named = [element for element in (code, block, *islice(_above(block), 2)) if element is not None]
        for element in named:
            if element not in known:
                match = _LANGUAGE(element.attr("class") or "")
                known[element] = match[1] if match is not None and match[1] not in _NO_LANGUAGE else ""
        language = next((known[element] for element in named if known[element]), "")
        if language:
            code = code or block.wrap_children(library.Element("code"))
            code.attrs["class"] = f"language-{language}"


def _mark_headings(library: Any, tree: Element, mark: str) -> list[_Heading]:
    """Put a mark with its number in front of each heading that has words."""
    headings: list[_Heading] = []
    for element in _outermost(tree, _HEADINGS):
        text = " ".join(element.to_text().split())
        if text:
            element.insert(0, library.Text(f"{mark}{len(headings)}q"))
            headings.append(_Heading(int(element.tag[1]), text))
    return headings


def _cut(marked: str, mark: str, headings: list[_Heading]) -> Markdown:
    """Take the marks out, and cut the text at the lines that they stood at the head of."""
    first, *pieces = marked.split(mark)
    parts = [first]
    places: list[tuple[int, _Heading]] = []
    length = len(first)
    for piece in pieces:
        number, _, words = piece.partition("q")
        places.append((length, headings[int(number)]))
        parts.append(words.lstrip(" "))
        length += len(parts[-1])
    text = "".join(parts)
    starts = ((_line_of_heading(text, position), heading) for position, heading in places)
    return Markdown(text, _sections([start for start in starts if start[0] >= 0], length))


def _line_of_heading(text: str, position: int) -> int:
    """Return where the line begins whose heading has its words at a position, -1 if there is none."""
    searched = max(position - _LONGEST_HEAD, 0)
    start = text.rfind("\n", searched, position) + 1 or searched
    return start if _HEAD(text, start, position) else -1


def _sections(starts: Iterable[tuple[int, _Heading]], length: int) -> list[Section]:
    sections: list[Section] = [Section(path=[], start=0, stop=length)]
    above: list[_Heading] = []
    for start, heading in starts:
        above = [*(other for other in above if other.level < heading.level), heading]
        sections[-1]["stop"] = start
        sections.append(Section(path=[other.text for other in above], start=start, stop=length))
    return [section for section in sections if section["start"] < section["stop"]]
