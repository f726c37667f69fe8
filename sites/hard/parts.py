"""Parts that pages of many kinds are made of.  Each is written in the markup its site asks for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sites.areas import Area
from sites.hard.sheets import Sheet
from sites.templates import Entry
from sites.words import Writer


def paragraphs(area: Area, writer: Writer, count: int, start: str = "p", sentences: int = 4) -> None:
    """Write paragraphs of about so many sentences; ``start`` is their start tag without brackets."""
    for _ in range(count):
        length = writer.chance.randrange(max(1, sentences - 2), sentences + 3)
        area.element(start, writer.paragraph(length)).markup("\n")


def entries(area: Area, links: Iterable[Entry], before: str = "<li>", after: str = "</li>\n") -> None:
    """Write links one after the other."""
    for path, text in links:
        area.markup(before).link(path, text).markup(after)


def row(area: Area, cells: Iterable[object], cell: str = "td") -> None:
    """Write a row of a table."""
    area.markup("<tr>")
    for text in cells:
        area.element(cell, str(text))
    area.markup("</tr>\n")


def table(area: Area, writer: Writer, rows: int, start: str = "<table>") -> None:
    """Write a table of figures under a row of headings."""
    area.markup(f"{start}\n")
    row(area, ("Name", "Place", "Number", "Remark"), "th")
    for _ in range(rows):
        row(area, (writer.noun(), writer.place(), writer.number(), f"{writer.adjective()} {writer.noun()}"))
    area.markup("</table>\n")


def program(area: Area, writer: Writer, lines: int) -> None:
    """Write lines of code, coloured as highlighters do it."""
    area.markup('<div class="highlight"><pre>')
    for _ in range(lines):
        area.element('span class="n"', writer.noun()).markup(" = ")
        area.element('span class="nf"', writer.identifier()).markup("(")
        area.element('span class="s"', f'"{writer.adjective()}"').markup(", ")
        area.element('span class="mi"', str(writer.number())).markup(")\n")
    area.markup("</pre></div>\n")


def comments(sheet: Sheet, writer: Writer, count: int) -> None:
    """Write what readers said; the labels around it are the site's."""
    sheet.template.element("h3", "Comments").markup("\n<ol class=comments>\n")
    for _ in range(count):
        sheet.content.markup(f'<li id="comment-{writer.number()}"><b>').say(writer.name())
        sheet.template.markup("</b> ").say("wrote on ")
        sheet.content.element("time", writer.date()).element("p", writer.paragraph(2))
        sheet.template.element('a class="reply" rel="nofollow" href="#respond"', "Reply").markup("</li>\n")
    sheet.template.markup('</ol>\n<form id="respond"><label>').say("Leave a comment")
    sheet.template.markup('</label><input name="text"><button>').say("Send it now").markup("</button></form>")


def pager(area: Area, paths: Sequence[str], number: int, start: str = 'div class="pager"') -> None:
    """Write the pagination of a listing, of which this is page ``number``, from 1."""
    area.markup(f"<{start}>")
    if number > 1:
        area.link(paths[number - 2], "Previous page").markup(" ")
    for other, path in enumerate(paths, 1):
        if other == number:
            area.element('span class="current"', str(other)).markup(" ")
        else:
            area.link(path, str(other)).markup(" ")
    if number < len(paths):
        area.link(paths[number], "Next page")
    area.markup(f"</{start.split()[0]}>\n")
