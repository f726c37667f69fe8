"""Rewrite the tree of a page where Markdown, or the library that writes it, would lose something of it.

links     are made absolute, and cleaned as the URL standard does it: no C0 control or space at the ends, no
images    tab or line break inside.  Where the scheme is none of ``SCHEMES`` the text alone stays; an image
          may be ``data:image/``, and a saved page leads to ``file:``.  What could end an address is escaped
templates are left out: a browser does not show what is in them
headings  inside a link have the link inside them: a link is written on one line
code      with a link in it stands around the link's words: in code a link is not read
blocks    of code say their language where their class, or that of what encloses them, does, and nothing else:
          a backtick in a language would end the block before it begins
tables    that hold what no cell of a Markdown table can (a heading, code of several lines, a table) are taken
          for layout: their cells are written one below the other; a heading that is all of the first row
          stands in front.  Where cells span others, empty ones keep the rest in their columns

Cost: O(length of the HTML): of what encloses an element the nearest ``_ABOVE`` are looked at, and a table
gets at most twice as many empty cells as it has cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from turbohtml import Element

HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
# Schemes that links and images may have; none of them runs anything.
SCHEMES = frozenset("ftp ftps geo http https irc ircs mailto news sftp sms tel xmpp".split())

_TABLE_PARTS = ["caption", "colgroup", "thead", "tbody", "tfoot", "tr", "td", "th"]
_CODE = frozenset({"code", "kbd", "samp", "tt"})
_ABOVE = 64
_WIDEST = 1000
_ADDRESSES = {"a": "href", "img": "src"}
_ENDS = "".join(map(chr, range(0x21)))
_BREAKS = str.maketrans("", "", "\t\n\r")
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.\-]*):").match
_IMAGE_DATA = re.compile("data:image/", re.IGNORECASE).match
_UNSAFE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\"<>`]")
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language|lang|highlight-source|highlight)-([a-zA-Z][\w+#.-]{0,30})(?=\s|$)"
).search
_NO_LANGUAGE = frozenset({"default", "none", "notranslate", "plaintext", "text"})


def rewrite(library: Any, tree: Element, base: str) -> None:
    """Rewrite a tree; links are resolved against an address."""
    for template in tree.find_all("template"):
        template.extract()
    _resolve(library, tree, base)
    _lift_headings(tree)
    _unfold_layout(tree)
    for table in outermost(tree, ["table"]):
        _square(library, table)
    _link_inside_headings(library, tree)
    _link_outside_code(library, tree)
    _name_languages(library, tree)


def _resolve(library: Any, tree: Element, base: str) -> None:
    """Make addresses absolute and safe to be shown as links; of others the text stays."""
    addressed = [
        (element, _ADDRESSES[element.tag], element.attr(_ADDRESSES[element.tag]))
        for element in tree.find_all(list(_ADDRESSES))
    ]
    for element, name, written in addressed:
        if written:
            element.attrs[name] = written.strip(_ENDS).translate(_BREAKS)
    with suppress(ValueError):  # a base that is no address
        tree.resolve_links(base)
    allowed = SCHEMES | ({"file"} if _scheme_of(base) == "file" else set())
    for element, name, written in addressed:
        address = element.attr(name) or ""
        is_image = name == "src"
        if _scheme_of(address) in {"", *allowed} or (is_image and _IMAGE_DATA(address)):
            if written:
                element.attrs[name] = _UNSAFE.sub(lambda unsafe: quote(unsafe[0], safe=""), address)
        elif is_image:
            element.replace_with(library.Text(element.attr("alt") or ""))
        else:
            element.unwrap()


def _scheme_of(address: str) -> str:
    scheme = _SCHEME(address)
    return scheme[1].lower() if scheme else ""


def near_ancestors(element: Element) -> Iterator[Any]:
    """Yield what encloses an element, from the nearest, the document itself left out."""
    return (above for above in islice(element.ancestors, _ABOVE) if above.parent is not None)


def _nearest(element: Element, tag: str) -> Any:
    return next((above for above in near_ancestors(element) if above.tag == tag), None)


def outermost(tree: Element, tags: list[str]) -> Iterator[Element]:
    """Yield the elements of some names that are in no other of them."""
    inside: set[Element] = set()
    for element in tree.find_all(tags):
        if element not in inside:
            inside.update(element.find_all(tags))
            yield element


def _unfold_layout(tree: Element) -> None:
    """Turn tables that Markdown has no cells for into blocks."""
    blocks = tree.find_all(["table", *HEADINGS])
    blocks += [
        block
        for block in outermost(tree, ["pre"])
        if "\n" in block.text.strip() or block.find("br") is not None
    ]
    layout = {above for block in blocks for above in near_ancestors(block) if above.tag == "table"}
    if layout:
        parts = [part for part in tree.find_all(_TABLE_PARTS) if _nearest(part, "table") in layout]
        for part in [*parts, *layout]:
            part.tag = "div"


def _lift_headings(tree: Element) -> None:
    """Put a heading that is all of a table's first row in front of the table."""
    for table in outermost(tree, ["table"]):
        row = table.find("tr")
        heading = row.find(HEADINGS) if row is not None else None
        if heading is not None and heading.text.strip() == row.text.strip():
            table.insert_before(heading.extract())
            row.extract()


def _square(library: Any, table: Element) -> None:
    """Fill a table with empty cells: where cells reach beyond their own place, and at the ends of short rows.

    One that would need more of them than it has cells is no table.
    """
    cells = table.find_all(["td", "th"])
    span_of = {cell: (_span(cell, "colspan"), _span(cell, "rowspan")) for cell in cells}
    if sum(wide * tall - 1 for wide, tall in span_of.values()) > len(cells):
        span_of = dict.fromkeys(cells, (1, 1))
    rows = table.find_all("tr")
    widths = _fill_spans(library, rows, span_of)
    widest = max(widths, default=0)
    if widest * len(rows) - sum(widths) <= len(cells):
        for row, width in zip(rows, widths):
            for _ in range(widest - width):
                row.append(library.Element("td"))
    else:
        for part in [table, *table.find_all(_TABLE_PARTS)]:
            part.tag = "div"


def _fill_spans(library: Any, rows: list[Element], span_of: dict[Element, tuple[int, int]]) -> list[int]:
    """Put empty cells where cells reach beyond their own place; return how wide the rows are."""
    widths = []
    hanging: dict[int, int] = {}
    for row in rows:
        column, below = 0, dict[int, int]()
        for cell in [child for child in row if child in span_of]:
            while column in hanging:
                cell.insert_before(library.Element("td"))
                below[column] = hanging.pop(column) - 1
                column += 1
            wide, tall = span_of[cell]
            cell.insert_after(*(library.Element("td") for _ in range(wide - 1)))
            cell.attrs.pop("colspan", None)
            cell.attrs.pop("rowspan", None)
            below.update(dict.fromkeys(range(column, column + wide), tall - 1))
            column += wide
        below |= {column: more - 1 for column, more in hanging.items()}
        hanging = {column: more for column, more in below.items() if more > 0}
        widths.append(column)
    return widths


def _span(cell: Element, name: str) -> int:
    written = (cell.attr(name) or "").strip()
    return min(max(int(written), 1), _WIDEST) if written.isdecimal() and len(written) < 9 else 1


def _link_inside_headings(library: Any, tree: Element) -> None:
    """Put the link that headings are in inside the first of them."""
    heading_of: dict[Element, Element] = {}
    for heading in tree.find_all(HEADINGS):
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
    language_of: dict[Element, str] = {}
    for block in outermost(tree, ["pre"]):
        code = block.find("code")
        named = [
            element for element in (code, block, *islice(near_ancestors(block), 2)) if element is not None
        ]
        for element in named:
            if element not in language_of:
                match = _LANGUAGE(element.attr("class") or "")
                language_of[element] = match[1] if match is not None and match[1] not in _NO_LANGUAGE else ""
        language = next((language_of[element] for element in named if language_of[element]), "")
        for element in (block, *block.find_all(["pre", "code"])):
            element.attrs.pop("class", None)
        if language:
            if code is None:
                code = block.wrap_children(library.Element("code"))
            code.attrs["class"] = f"language-{language}"
