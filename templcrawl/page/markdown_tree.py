"""Rewrite the tree of a page where Markdown, or the library that writes it, would lose something of it.

addresses  are made absolute, and cleaned as the URL standard does it: no C0 control or space at the ends, no
           tab or line break inside.  Where the scheme is none of ``_SCHEMES``, or a link leads nowhere (no
           address, ``#``, a scheme alone), the text alone stays; a saved page leads to ``file:``.  What could
           end an address is escaped
pictures   that load late have the address that scripts find, the largest of a ``srcset``; without one the
           alternative text stays
players    films, sounds, documents and frames are links, by their title, frames else by their host; those
           that nobody sees are not
icons      that lead somewhere are named by the label or title of the link; without one there is no link
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
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice, product
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from templcrawl.page.markdown_emphasis import STRONG, WEAK
from templcrawl.page.vocabulary import LATE_SOURCES

if TYPE_CHECKING:
    from turbohtml import Element

HEADINGS = "h1, h2, h3, h4, h5, h6"
# Control characters, which are taken out of all text: between items of a list in a cell, in place of <,
# around a formula in hexadecimal digits and the number of a heading, around what is HTML.
ITEM, LESS, FORMULA, HEADING = "\x04", "\x05", "\x06\x07", "\x12"
POWERS = {"sup": "\x0e\x0f", "sub": "\x10\x11"}
MARKS = f"{STRONG}{WEAK}{ITEM}{LESS}{FORMULA}{HEADING}{''.join(POWERS.values())}"

_TABLE_PARTS = ["caption", "colgroup", "thead", "tbody", "tfoot", "tr", "td", "th"]
_INLINE_CODE = "code, kbd, samp, tt"
_WIDEST = 1000
_MOST_PARAGRAPHS = 1.5  # for each cell of a table of several rows
_CONTROLS = ":is(button, input, mtd, option, optgroup, select, textarea):not(pre *)"
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

# Schemes that links and images may have; none of them runs anything.
_SCHEMES = frozenset("ftp ftps geo http https irc ircs mailto news sftp sms tel xmpp".split())

_ADDRESSES = {"a": "href", "img": "src"}
_PLAYERS = ["audio", "embed", "iframe", "object", "video"]
_FRAMES = frozenset({"embed", "iframe", "object"})
_HOST = re.compile(r"(?:https?:)?//(?:www\.)?([^/?#@:\s]+)", re.IGNORECASE).match
# Attributes that hold the address of a picture or a player, those that scripts read first.
_SOURCES = (*LATE_SOURCES, "src", "srcset", "data")
_SHOWN = frozenset({"", "file"}) | _SCHEMES
_UNSEEN = frozenset({"0", "1", "0px", "1px"})
_NEAR = 4
_ENDS = "".join(map(chr, range(0x21)))
_BREAKS = str.maketrans("", "", "\t\n\r")
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.\-]*):").match
_NOWHERE = re.compile(r"(?:[a-zA-Z][a-zA-Z0-9+.\-]*:/*)?(?:#[!0]?)?").fullmatch
_NOWHERE_ENDS = "#!0:/"
_OF_THE_WEB = ("https:", "http:")
_UNSAFE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\"<>`]")


def resolve(library: Any, tree: Element, base: str) -> None:
    """Make addresses absolute and safe to be shown as links; of others the text stays."""
    for template in tree.find_all("template"):
        template.extract()
    _load_pictures(tree)
    _link_players(library, tree, base)
    addressed = []
    for element in tree.find_all(list(_ADDRESSES)):
        name = _ADDRESSES[element.tag]
        written = element.attr(name) or ""
        cleaned = written.strip(_ENDS).translate(_BREAKS)
        if cleaned != written:
            element.attrs[name] = cleaned
        addressed.append((element, name, cleaned))
    with suppress(ValueError):  # a base that is no address
        tree.resolve_links(base)
    allowed = {"", *_SCHEMES, *({"file"} if _scheme_of(base) == "file" else ())}
    for element, name, cleaned in addressed:
        address = element.attr(name) or ""
        is_image = name == "src"
        leads = cleaned != "" and (is_image or cleaned[-1] not in _NOWHERE_ENDS or not _NOWHERE(cleaned))
        if leads and (address.startswith(_OF_THE_WEB) or _scheme_of(address) in allowed):
            if _UNSAFE.search(address):
                element.attrs[name] = _UNSAFE.sub(lambda unsafe: quote(unsafe[0], safe=""), address)
        elif is_image:
            element.replace_with(library.Text(f" {element.attr('alt') or ''} "))
        else:
            element.unwrap()


def _scheme_of(address: str) -> str:
    scheme = _SCHEME(address)
    return scheme[1].lower() if scheme else ""


def _load_pictures(tree: Element) -> None:
    """Give images the addresses that scripts would."""
    for image in tree.find_all(["amp-img", "amp-anim"]):
        image.clear()
        image.tag = "img"
    for image in tree.find_all("img"):
        near = islice(image.previous_siblings, _NEAR)
        source = next((before for before in near if getattr(before, "tag", "") == "source"), None)
        address = _source_of(image) or _source_of(source)
        if address != image.attr("src"):
            image.attrs["src"] = address


def _source_of(element: Any) -> str:
    for name in _SOURCES if element is not None else ():
        written = (element.attr(name) or "").strip(_ENDS)
        if name.endswith("srcset"):
            candidates = [words for candidate in written.split(", ") if (words := candidate.split())]
            written = max(candidates, key=_size, default=[""])[0].rstrip(",")
        if written and _scheme_of(written) in _SHOWN:
            return written
    return ""


def _size(candidate: list[str]) -> float:
    """Return the width or the density of a candidate of a ``srcset``, its words given; 0 if it says none."""
    number = candidate[-1][:-1]
    return float(number) if number.replace(".", "", 1).isdecimal() else 0.0


def _link_players(library: Any, tree: Element, base: str) -> None:
    """Put a link in the place of what plays or frames something; a document's own text stays behind it."""
    linked = ""
    for player in tree.find_all(_PLAYERS):
        address = _source_of(player) or _source_of(player.find("source"))
        is_seen = _UNSEEN.isdisjoint((player.attr("width"), player.attr("height")))
        if address and is_seen and address != linked:
            linked = address
            name = library.Text(player.attr("title") or _host_of(player, address, base))
            link = library.Element("span" if player.closest("a") else "a", {"href": address})
            link.append(name)
            player.insert_before(library.Text(" "), link, library.Text(" "))
        if player.tag != "object":
            player.extract()


def _host_of(player: Element, address: str, base: str) -> str:
    """Return what a frame without a title is called: the host that it is of, if an address names one."""
    host = _HOST(address) or _HOST(base)
    return host[1] if host is not None and player.tag in _FRAMES else player.tag


def _name_links(library: Any, tree: Element) -> None:
    """Name links without words or pictures, icons, by their label or title; without one the link goes."""
    for anchor in tree.find_all("a"):
        if anchor.text.strip() or anchor.find("img") is not None:
            continue
        labelled = [anchor, *islice(anchor.find_all(attrs={"aria-label": True}), 1)]
        labels = (element.attr(name) or "" for element in labelled for name in ("aria-label", "title"))
        label = next(filter(str.strip, labels), "")
        if label:
            anchor.attrs.pop("title", None)
            anchor.append(library.Text(label))
            anchor.insert_before(library.Text(" "))
            anchor.insert_after(library.Text(" "))
        else:
            anchor.unwrap()


def rewrite(library: Any, tree: Element) -> None:
    """Rewrite a tree."""
    _name_links(library, tree)
    _set_apart(library, tree)
    _write_formulas(library, tree)
    _lift_headings(tree)
    _unfold_layout(tree)
    for table in outermost(tree, "table"):
        for item in table.select("li + li"):
            if item.text.strip():
                item.insert(0, library.Text(ITEM))
        for part in table.find_all(["ul", "ol", "menu", "dir", "li"]):
            part.tag = "div"
        _square(library, table)
    _link_inside_headings(library, tree)
    _link_outside_code(library, tree)


def _set_apart(library: Any, tree: Element) -> None:
    """Keep words apart that are of different controls, or the reading of others."""
    for control in tree.select(_CONTROLS):
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
    for formula in tree.select("math,script[type^='math/tex']"):
        source = formula.find("annotation", attrs=_OF_TEX) if formula.tag == "math" else formula
        tex = (formula.attr("alttext") or "") if source is None else source.text
        if tex.strip():
            formula.replace_with(library.Text(f"${_protected(tex)}$"))
    for element in tree.find_all(list(_PARTS_OF_FORMULAS)):
        parts = [child for child in element if isinstance(child, library.Element)]
        for part, sign in zip(parts[1:], _PARTS_OF_FORMULAS[element.tag]):
            part.insert(0, library.Text(sign[0]))
            part.append(library.Text(sign[1:]))
    for power in tree.select("sub,sup"):
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
    """Return TeX marked to be written as it stands, where nothing in it is read as HTML, code or a link."""
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


def outermost(tree: Element, selector: str) -> Iterator[Element]:
    """Yield the elements that a CSS selector names and that are in no other of them."""
    inside: set[Element] = set()
    for element in tree.select(selector):
        if element not in inside:
            inside.update(element.select(selector))
            yield element


def _unfold_layout(tree: Element) -> None:
    """Turn tables that Markdown has no cells for into blocks."""
    layout = {table for table in tree.find_all("table") if _is_layout(table)}
    for block in outermost(tree, "pre"):
        if "\n" in block.text.strip() or block.find("br") is not None:
            layout.add(block.closest("table"))
    if layout:
        parts = [part for part in tree.find_all(_TABLE_PARTS) if part.closest("table") in layout]
        for part in [*parts, *layout - {None}]:
            part.tag = "div"


def _is_layout(table: Element) -> bool:
    """Return whether a table says that it is layout, holds what no cell does, or is built like layout."""
    if table.attr("role") in ("presentation", "none") or table.select_one(f"table, {HEADINGS}"):
        return True
    lengths = Counter(cell.parent for cell in table.find_all(["td", "th"])).values()
    if max(lengths, default=0) < 2:
        return True
    most = 1 if len(lengths) == 1 else _MOST_PARAGRAPHS * sum(lengths)
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

    One that would need more of them than it has cells is no table.
    """
    cells = table.find_all(["td", "th"])
    span_of = {cell: (_span(cell, "colspan"), _span(cell, "rowspan")) for cell in cells}
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
            cell.insert_after(*(library.Element("td") for _ in range(wide - 1)))
            cell.attrs.pop("colspan", None)
            cell.attrs.pop("rowspan", None)
            taken |= set(product(range(number + 1, number + tall), range(column, column + wide)))
            column += wide
        widths.append(column)
    widest = max(widths, default=0)
    if widest * len(rows) - sum(widths) <= len(cells):
        for row, width in zip(rows, widths):
            for _ in range(widest - width):
                row.append(library.Element("td"))
    else:
        for part in [table, *table.find_all(_TABLE_PARTS)]:
            part.tag = "div"


def _span(cell: Element, name: str) -> int:
    written = (cell.attr(name) or "").strip()
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
    for code in tree.select(f":is({_INLINE_CODE}):has(> a):not(pre *)"):
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
