"""Rewrite the tree of a page where Markdown, or the library that writes it, would lose something of it.

words      of controls, and the reading of a word (``rt``), stand apart from those beside them
formulas   are the TeX in their MathML or in a script, and parts of MathML without it have signs between them
powers     and indices are HTML, where they would be read as digits or letters of the word before them
headings   inside a link have the link inside them: a link is written on one line
code       with a link in it stands around the link's words: in code a link is not read
tables     that say so, have one column, or hold what no cell of Markdown can (a heading, code of several
           lines, a table, many paragraphs) are layout: their cells are written one below the other; a heading
           that is all of the first row stands in front.  Where cells span others, empty ones keep the rest in
           their columns.  Items of lists in cells are kept apart

Templates are left out.

Cost: O(length of the HTML): a table gets at most twice as many empty cells as it has cells.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from typing import TYPE_CHECKING, Any

from templcrawl.page.markdown_emphasis import STRONG, WEAK
from templcrawl.page.markdown_search import find_named, outermost, select_of

if TYPE_CHECKING:
    from turbohtml import Element

HEADINGS = "h1, h2, h3, h4, h5, h6"
# Control characters, which are taken out of all text: between items of a list in a cell, in place of <,
# around a formula in hexadecimal digits and the number of a heading, around what is HTML.
ITEM, LESS, FORMULA, HEADING = "\x04", "\x05", "\x06\x07", "\x12"
POWERS = {"sup": "\x0e\x0f", "sub": "\x10\x11"}
MARKS = f"{STRONG}{WEAK}{ITEM}{LESS}{FORMULA}{HEADING}{''.join(POWERS.values())}"

_TABLE_PARTS = ["caption", "colgroup", "thead", "tbody", "tfoot", "tr", "td", "th"]
_CELLS = ("td", "th")
_INLINE_CODE_NAMES = ("code", "kbd", "samp", "tt")
_INLINE_CODE = ", ".join(_INLINE_CODE_NAMES)
_WIDEST = 1000
_MAX_PARAGRAPHS = 1.5  # for each cell of a table of several rows
_CONTROL_NAMES = ("button", "input", "mtd", "option", "optgroup", "select", "textarea")
_CONTROLS = f":is({', '.join(_CONTROL_NAMES)}):not(pre *)"
# Element of MathML -> what stands around its parts from the second on.
_PARTS_OF_FORMULAS = {
    "mfrac": ("/",),
    **dict.fromkeys(("msub", "munder"), (POWERS["sub"],)),
    **dict.fromkeys(("msup", "mover"), (POWERS["sup"],)),
    **dict.fromkeys(("msubsup", "munderover"), (POWERS["sub"], POWERS["sup"])),
}
_OF_TEX = {"encoding": "application/x-tex"}
_UNMARKED = str.maketrans(dict.fromkeys(MARKS))
_DISPLAY = "{\\displaystyle "
_LONGEST_POWER = 40
# Digits and signs outside of brackets, or a letter that ends no ordinal (1e, 1o, 1a, Dr).
_POWER = re.compile(r"[^\[(|\d+=\-\u2212]*[\d+=\-\u2212][^\[(|]*|[^\W\d_aeor]").fullmatch
_AMOUNT = re.compile(r"(?:\A|\d)[.,]\Z").search
_NO_TEX = re.compile(r"`|\]\(").search
_NAMED_SIGNS = (("<", "\\lt "), ("\\|", "\\Vert "), ("|", "\\vert "), ("  ", " "))


def rewrite(library: Any, tree: Element) -> None:
    """Rewrite a tree."""
    _set_apart(library, tree)
    _write_formulas(library, tree)
    _lift_headings(tree)
    _unfold_layout(tree)
    for table in outermost(tree, "table"):
        for item in table.select("li + li"):
            if item.text.strip():
                item.insert(0, library.Text(ITEM))
        for part in find_named(table, ("ul", "ol", "menu", "dir", "li")):
            part.tag = "div"
        _square(library, table)
    _link_inside_headings(library, tree)
    _link_outside_code(library, tree)


def _set_apart(library: Any, tree: Element) -> None:
    """Separate the words of different controls, and ruby text from its base."""
    for control in select_of(tree, _CONTROL_NAMES, _CONTROLS):
        control.insert_before(library.Text(" "))
        control.insert_after(library.Text(" "))
    for legend in tree.find_all("legend"):
        legend.tag = "div"
    for reading in tree.select("rt:not(rp + rt)"):
        reading.insert(0, library.Text("("))
        reading.append(library.Text(")"))
    for bracket in tree.find_all("rp"):
        bracket.tag = "span"
    for opportunity in tree.find_all("wbr"):
        opportunity.extract()


def _write_formulas(library: Any, tree: Element) -> None:
    """Write formulas once each, as TeX if they have it, else with signs of what stands above the line."""
    for formula in select_of(tree, ("math", "script"), "math,script[type^='math/tex']"):
        source = formula.find("annotation", attrs=_OF_TEX) if formula.tag == "math" else formula
        tex = (formula.attr("alttext") or "") if source is None else source.text
        if tex.strip():
            formula.replace_with(library.Text(f"${_protected(tex)}$"))
    for element in find_named(tree, _PARTS_OF_FORMULAS):
        parts = [child for child in element if isinstance(child, library.Element)]
        for part, sign in zip(parts[1:], _PARTS_OF_FORMULAS[element.tag]):
            part.insert(0, library.Text(sign[0]))
            part.append(library.Text(sign[1:]))
    for power in find_named(tree, POWERS):
        words = power.text.strip()
        if len(words) > _LONGEST_POWER or not _POWER(words) or power.find("a") is not None:
            continue
        if not is_code(power) and not _ends_amount(library, power.previous_sibling):
            power.insert(0, library.Text(POWERS[power.tag][0]))
            power.append(library.Text(POWERS[power.tag][1]))


def _ends_amount(library: Any, node: Any) -> bool:
    """Return whether cents go on with what a text is: an amount, and its point."""
    return isinstance(node, library.Text) and _AMOUNT(node.data) is not None


def _protected(tex: str) -> str:
    """Return TeX marked to be written unchanged, if nothing in it is read as HTML, code or a link."""
    tex = " ".join(tex.translate(_UNMARKED).split())
    if _NO_TEX(tex):
        return tex
    tex = tex.removeprefix(_DISPLAY).removesuffix("}") if tex.startswith(_DISPLAY) else tex
    for sign, name in _NAMED_SIGNS:
        tex = tex.replace(sign, name)
    return tex.encode("utf-8", "surrogatepass").hex().join(FORMULA)


def is_code(node: Any) -> bool:
    """Return whether a node stands in code."""
    return node.parent.closest(f"pre, {_INLINE_CODE}") is not None


def _unfold_layout(tree: Element) -> None:
    """Turn tables that Markdown has no cells for into blocks."""
    layout = {table for table in tree.find_all("table") if _is_layout(table)}
    for block in outermost(tree, "pre"):
        if "\n" in block.text.strip() or block.find("br") is not None:
            layout.add(block.closest("table"))
    if layout:
        parts = [part for part in find_named(tree, _TABLE_PARTS) if part.closest("table") in layout]
        for part in [*parts, *layout - {None}]:
            part.tag = "div"


def _is_layout(table: Element) -> bool:
    """Return whether a table says that it is layout, holds what no cell does, or is built like layout."""
    if table.attr("role") in ("presentation", "none") or table.select_one(f"table, {HEADINGS}"):
        return True
    cells = find_named(table, _CELLS)
    lengths = Counter(cell.parent for cell in cells).values()
    filled = sum(bool(cell.text.strip()) or cell.find("img") is not None for cell in cells)
    if max(lengths, default=0) < 2 or filled < 2:
        return True
    most = 1 if len(lengths) == 1 else _MAX_PARAGRAPHS * sum(lengths)
    return table.find("th") is None and sum(bool(block.text.strip()) for block in table.find_all("p")) > most


def _lift_headings(tree: Element) -> None:
    """Put a heading that is all of a table's first row in front of the table."""
    for table in outermost(tree, "table"):
        row = table.find("tr")
        heading = row.select_one(HEADINGS) if row is not None else None
        if heading is not None and heading.text.strip() == row.text.strip():
            table.insert_before(heading.extract())
            row.extract()


def _square(library: Any, table: Element) -> None:
    """Fill a table with empty cells: where cells reach beyond their own place, and at the ends of short rows.

    One that would need more of them than it has cells is not a table.
    """
    cells = find_named(table, _CELLS)
    span_of = {cell: (_take_span(cell, "colspan"), _take_span(cell, "rowspan")) for cell in cells}
    if sum(wide * tall - 1 for wide, tall in span_of.values()) > len(cells):
        span_of = dict.fromkeys(cells, (1, 1))
    rows = table.find_all("tr")
    widths: list[int] = []
    taken: set[tuple[int, int]] = set()  # (row, column) of what cells further up reach
    for number, row in enumerate(rows):
        column = 0
        for cell in [child for child in row if child in span_of]:
            while (number, column) in taken:
                cell.insert_before(library.Element("td"))
                column += 1
            wide, tall = span_of[cell]
            if wide > 1:
                cell.insert_after(*(library.Element("td") for _ in range(wide - 1)))
            if tall > 1:
                taken |= set(product(range(number + 1, number + tall), range(column, column + wide)))
            column += wide
        widths.append(column)
    widest = max(widths, default=0)
    if widest * len(rows) - sum(widths) <= len(cells):
        for row, width in zip(rows, widths):
            for _ in range(widest - width):
                row.append(library.Element("td"))
    else:
        for part in [table, *find_named(table, _TABLE_PARTS)]:
            part.tag = "div"


def _take_span(cell: Element, name: str) -> int:
    """Take an attribute from a cell; return over how many columns or rows it says that it reaches."""
    written = (cell.attrs.pop(name, None) or "").strip()
    return min(max(int(written), 1), _WIDEST) if written.isdecimal() and len(written) < 9 else 1


def _link_inside_headings(library: Any, tree: Element) -> None:
    """Put the link that headings are in inside the first of them."""
    for anchor in reversed(tree.select(f"a:has({HEADINGS})")):
        heading = anchor.select_one(HEADINGS)
        if anchor.attr("href") and heading is not None and heading.find("a") is None:
            heading.wrap_children(library.Element("a", {"href": anchor.attr("href")}))
        anchor.unwrap()


def _link_outside_code(library: Any, tree: Element) -> None:
    """Put code around the words of a link, where the link is in code that is not a block."""
    for code in select_of(tree, _INLINE_CODE_NAMES, f":is({_INLINE_CODE}):has(> a):not(pre *)"):
        words = None  # those since the last link: code beside code is not read
        for child in list(code):
            if isinstance(child, library.Element) and (child.tag == "a" or child.find("a") is not None):
                child.wrap_children(library.Element("code"))
                words = None
            elif words is not None:
                words.append(child.extract())
            elif child.text.strip():
                words = child.wrap(library.Element("code"))
        code.unwrap()
