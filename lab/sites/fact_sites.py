"""Generated sites of records: a shop, a forum and a library's catalogue, each with its facts in six layouts.

A record page has a title, values that differ from page to page, each beside a label that stands on all pages
of its kind, and rows that are equal on all.  The frame around it has what a site says by itself and what
differs too: a counter of readers, the seconds that a page took, the day of its last change.  No markup names
any part.  The start page and the listings have the frame without a record.

Equal seeds make equal sites, in every process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lab.sites.areas import Area
from lab.sites.words import Writer

RECORDS, LISTED = 36, 9
Row = tuple[str, str]
"""Label and value."""


@dataclass(frozen=True)
class FactPage:
    """A page and its truth.

    facts     label and value of each row whose value differs from page to page
    counters  what the frame says that differs from page to page
    notice    what all records of its kind say
    """

    path: str
    html: str
    facts: tuple[Row, ...]
    counters: tuple[str, ...]
    notice: str = ""


def generate_mixed_site(seed: object = 1) -> list[FactPage]:
    """Return the pages of a site that has records of all ``KINDS`` in one frame, each kind in its own layout.

    Kinds take turns: the start page leads to a listing of each kind, then to the next one of each.
    """
    frame = f"mixed {seed}"
    sites = [generate_fact_site(*pair, seed, frame=frame)[1:] for pair in zip(KINDS, LAYOUTS)]
    pages = [page for turn in zip(*sites) for page in turn]
    parts = [(page.path, page.path) for page in pages if not page.facts]
    return [_listing(frame, "/", frame, parts), *pages]


def generate_fact_site(
    kind: str, layout: str, seed: object = 1, *, listings: bool = True, frame: str = ""
) -> list[FactPage]:
    """Return the pages of a site: records of one of ``KINDS`` in one of ``LAYOUTS``.

    listings  whether the start page and the listings come first
    frame     seed of the frame around each page; "": one of its own
    """
    site = f"{kind} {layout} {seed}"
    frame = frame or site
    titles = [f"{Writer(f'{site} title {number}').title()} {number}" for number in range(RECORDS)]
    records = [(f"/{kind}/{number}.html", title) for number, title in enumerate(titles)]
    parts = [(f"/{kind}s/{first}.html", f"{kind} {first}") for first in range(0, RECORDS, LISTED)]
    lists = [_listing(frame, "/", site, parts)]
    for first, (path, title) in enumerate(parts):
        lists.append(_listing(frame, path, title, records[first * LISTED : (first + 1) * LISTED]))
    pages = [_record(site, frame, kind, layout, *entry, number) for number, entry in enumerate(records)]
    return [*lists, *pages] if listings else pages


def _framed(
    site: str, path: str, title: str, content: Callable[[Area], object]
) -> tuple[str, tuple[str, ...]]:
    """Return the HTML of a page, and what its frame says that differs from page to page."""
    writer, page = Writer(site), Writer(f"{site} frame {path}")
    area = Area().markup(f"<html><head><title>{title}</title></head>\n<body><div class=top>")
    for number in range(8):
        area.link(f"/part/{number}", writer.noun()).markup(" ")
    content(area.markup("</div>\n"))
    seconds = f"0.{page.number()}{page.number()} s"
    pairs = (("Readers online:", str(page.number())), ("Last modified:", f"{page.date()} {page.number()}"))
    area.markup("<div class=bottom>").element("p", f"© 2024 {writer.place()}. All rights reserved.")
    area.element("p", f"Page generated in {seconds}")
    for label, value in pairs:
        area.markup("<p>").say(f"{label} ").element("b", value).markup("</p>")
    for number in range(4):
        area.link(f"/about/{number}", writer.title()).markup(" ")
    html = area.markup("</div></body></html>").html
    return html, (f"Page generated in {seconds}", *(f"{label} {value}" for label, value in pairs))


def _listing(site: str, path: str, title: str, entries: Sequence[tuple[str, str]]) -> FactPage:
    def content(area: Area) -> None:
        area.element("h1", title).markup("\n<ul>")
        for target, text in entries:
            area.markup("<li>").link(target, text).markup("</li>\n")
        area.markup("</ul>\n")

    html, counters = _framed(site, path, title, content)
    return FactPage(path, html, (), counters)


def _record(site: str, frame: str, kind: str, layout: str, path: str, title: str, number: int) -> FactPage:
    writer = Writer(f"{site} record {number}")
    facts, same = KINDS[kind](writer, number)
    rows = [row for pair in zip(facts, same) for row in pair] + facts[len(same) :]
    notice, prose = Writer(f"{site} notice").paragraph(2), writer.paragraph(3)

    def content(area: Area) -> None:
        area.element("h1", title).markup("\n")
        if kind == "forum":
            LAYOUTS[layout](area, rows, notice)
            area.element("p", prose)
        else:
            if kind == "catalogue":
                area.element("p", prose)
            LAYOUTS[layout](area, rows, notice)

    html, counters = _framed(frame, path, title, content)
    return FactPage(path, html, tuple(facts), counters, notice)


def _goods(writer: Writer, number: int) -> tuple[list[Row], list[Row]]:
    """Return the rows of goods: those that differ, and those that do not."""
    price = f"{writer.number()}.{number:02}"
    facts = [
        ("UPC", f"{writer.identifier()}{number}"),
        ("Price", f"£{price}"),
        ("Colour", writer.adjective()),
    ]
    return facts, [("Tax", "£0.00"), ("Availability", "In stock"), ("Number of reviews", "0")]


def _member(writer: Writer, number: int) -> tuple[list[Row], list[Row]]:
    facts = [("Joined", writer.date()), ("Posts", f"{number}{writer.number()}"), ("Location", writer.place())]
    return facts, [("Group", "Members"), ("Status", "Offline")]


def _book(writer: Writer, number: int) -> tuple[list[Row], list[Row]]:
    isbn, mark = f"978-{writer.number()}-{number}", f"{writer.noun()[:3]} {writer.number()}.{number}"
    facts = [("ISBN", isbn), ("Author", writer.name()), ("Shelf mark", mark), ("Pages", f"{writer.number()}")]
    return facts, [("Language", "English"), ("Loan period", "28 days")]


KINDS = {"shop": _goods, "forum": _member, "catalogue": _book}
"""Kind of site -> what makes the rows of a record: those that differ from page to page, those that do not."""


def _table(area: Area, rows: Sequence[Row], notice: str) -> None:
    """Write rows under the body, behind a notice that all pages have."""
    area.element("p", notice).element("h2", "Product information").markup("\n<table>")
    for label, value in rows:
        area.markup("<tr>").element("th", label).element("td", value).markup("</tr>\n")
    area.markup("</table>\n")


def _definitions(area: Area, rows: Sequence[Row], notice: str) -> None:
    area.element("p", notice).element("h2", "Details").markup("\n<dl>")
    for label, value in rows:
        area.element("dt", label).element("dd", value).markup("\n")
    area.markup("</dl>\n")


def _items(area: Area, rows: Sequence[Row], notice: str) -> None:
    area.markup("<ul class=facts>")
    for label, value in rows:
        area.markup("<li>").element("b", f"{label}:").say(f" {value}").markup("</li>\n")
    area.markup("</ul>\n").element("p", notice)


def _paragraphs(area: Area, rows: Sequence[Row], notice: str) -> None:
    for label, value in rows:
        area.element("p", f"{label}: {value}").markup("\n")
    area.element("p", notice)


def _box(area: Area, rows: Sequence[Row], notice: str) -> None:
    area.markup("<div class=box>")
    for label, value in rows:
        area.markup("<div>").element("span", label).markup(" ").element("strong", value).markup("</div>\n")
    area.element("div", notice).markup("</div>\n")


def _block(area: Area, rows: Sequence[Row], notice: str) -> None:
    area.markup("<div class=all>")
    _table(area, rows, notice)
    area.markup("</div>\n")


LAYOUTS: dict[str, Callable[[Area, Sequence[Row], str], None]] = {
    "table": _table,
    "definitions": _definitions,
    "items": _items,
    "paragraphs": _paragraphs,
    "box": _box,
    "block": _block,
}
"""Layout -> what writes rows and a notice so."""
