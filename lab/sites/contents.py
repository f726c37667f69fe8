"""The contents of the generated demo site: what each of its pages adds to its template."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Sequence

from lab.sites.areas import Area
from lab.sites.templates import Entry
from lab.sites.words import Writer

_EVENTS = 3
_MONTHS = """January February March April May June July August September October November
December""".split()


def headline(seed: str) -> str:
    """Return the title of the article, product or chapter that a writer of this seed begins."""
    return Writer(seed).title()


def article(
    seed: str, related: Sequence[Entry], other_version: Entry | None, *, printed: bool = False
) -> Area:
    """Write an article; paragraphs and list items stay open.

    related        links at its end
    other_version  link to the version for print, or back from it; None without one
    printed        write the version for print: the same, but for a few words
    """
    writer = Writer(seed)
    chance = writer.chance
    area = Area().element("h1", writer.title()).markup("\n<p class=by>")
    area.say(f"{'Printed from a story by' if printed else 'By'} {writer.name()}, {writer.place()}")
    changed = chance.randrange(5)
    for number in range(int(chance.triangular(5, 44, 8))):
        if number % 4 == 3:
            area.markup("\n").element("h2", writer.title())
        text = writer.paragraph(chance.randrange(3, 8))
        if printed and number == changed:
            text = text.replace(" the ", " that ")
        area.markup("\n<p>").say(text)
        if chance.random() < 0.2:
            area.markup(" ").element("em", writer.sentence()).markup("\n<!-- <p>cut</p> -->")
    if chance.random() < 0.5:
        area.markup("\n<blockquote><p>").say(writer.sentence()).markup("</blockquote>")
    area.markup("\n<h2>").say("See also").markup("</h2>\n<ul class=related>")
    for path, text in related:
        area.markup("\n<li>").link(path, text)
    area.markup("\n</ul>")
    if other_version:
        area.markup("\n<p>").link(*other_version, attributes=" rel=alternate")
    return area


def news_list(teasers: Sequence[tuple[str, str, str]], pages: Sequence[str], number: int) -> Area:
    """Write one page of the paginated list of articles.

    teasers  path, title and seed of each article on it
    pages    paths of all pages of the list
    number   which of them this is, from 1
    """
    area = Area().element("h1", f"All stories, page {number}")
    for path, title, seed in teasers:
        writer = Writer(f"teaser {seed}")
        area.markup("\n<article><h2>").link(path, title, href=_sibling(path)).markup("</h2>\n<p>")
        area.say(writer.paragraph(3)).markup("\n</article>")
    area.markup('\n<div class="pages">')
    if number > 1:
        area.link(pages[number - 2], "Newer", attributes=" rel=prev").markup(" ")
    for other, path in enumerate(pages, 1):
        if other == number:
            area.element('span class="current"', str(other)).markup(" ")
        else:
            area.link(path, str(other)).markup(" ")
    if number < len(pages):
        area.link(pages[number], "Older", attributes=" rel=next")
    return area.markup("</div>")


def _sibling(path: str) -> str:
    """Return a path as it is written on a page of the same directory."""
    return path.rpartition("/")[2]


def shelf(title: str, goods: Sequence[tuple[str, str, str]]) -> Area:
    """Write a listing of goods as a table with open rows: path, title and seed of each."""
    area = Area().element("div class=h1", title).markup("\n<div class=t>")
    area.say(Writer(f"shelf {title}").paragraph(4)).markup("</div>\n<table border=1>")
    for path, name, seed in goods:
        writer = Writer(f"offer {seed}")
        area.markup("\n<tr><td>").link(path, name).markup("<td>").say(writer.sentence())
        area.markup("<td nowrap>").say(f"{writer.number()}.50 crowns")
    return area.markup("\n</table>")


def product(seed: str, alike: Sequence[Entry]) -> Area:
    """Write a page of goods: a description, a table of properties, letters of buyers, and others alike."""
    writer = Writer(seed)
    area = Area().element("div class=h1", writer.title()).markup("\n<div class=p>")
    area.say(f"{writer.number()}.50 crowns").markup('</div>\n<div class=t data-size="w > h">')
    area.say(writer.paragraph(6)).markup("</div>\n<table class=f>")
    for _ in range(writer.chance.randrange(8, 18)):
        area.markup("\n<tr><td>").say(f"{writer.adjective()} {writer.noun()}").markup("<td>")
        area.say(f"{writer.number()} by {writer.number()}, {writer.adjective()}")
    area.markup("\n</table>")
    for _ in range(writer.chance.randrange(1, 7)):
        area.markup("\n<div class=l>").element("b", writer.name()).markup("<br>")
        area.say(writer.paragraph(writer.chance.randrange(2, 6))).markup("</div>")
    area.markup("\n<div class=a>").say("Others like it:")
    for path, text in alike:
        area.markup(" ").link(path, text)
    return area.markup("</div>")


def chapter(seed: str, title: str, see: Sequence[Entry]) -> Area:
    """Write a chapter of the manual: sections of prose, and lines to type."""
    writer = Writer(f"text {seed}")
    area = Area().element("h1", title)
    for number in range(writer.chance.randrange(3, 9)):
        area.markup(f'<h2 id="s{number}">').say(writer.title()).markup("</h2><p>")
        area.say(writer.paragraph(writer.chance.randrange(3, 8))).markup(" ")
        area.element("code", f"{writer.noun()}_{writer.verb()}").markup("</p>")
        if writer.chance.random() < 0.6:
            area.markup('<pre class="x">').say(
                f"$ {writer.noun()} --{writer.adjective()} < in.txt > out.txt\n"
            )
            area.say(f"{writer.number()} {writer.nouns()} && {writer.verb()}").markup("</pre>")
    area.markup("<ul>")
    for path, text in see:
        area.markup("<li>").link(path, text)
    return area.markup("</ul>")


def plain(title: str, seed: str, links: Sequence[Entry], *, sentences: int = 24) -> Area:
    """Write a page of paragraphs and a list of links: the start page, the imprint and the like."""
    writer = Writer(seed)
    area = Area().element("h1", title)
    for _ in range(max(1, sentences // 6)):
        area.markup("\n<p>").say(writer.paragraph(6))
    area.markup("\n<ul>")
    for path, text in links:
        area.markup("\n<li>").link(path, text).markup(" ").say(writer.sentence())
    return area.markup("\n</ul>")


def month(seed: str, year: int, number: int, before: str, after: str) -> Area:
    """Write a month of the calendar: a table of its days, a few events, links to the months around it."""
    writer = Writer(seed)
    first, days = monthrange(2000 + year % 400, number)
    area = Area().element("h1", f"{_MONTHS[number - 1]} {year}").markup("\n<table class=month>\n<tr>")
    area.markup("<td>&nbsp;" * first)
    for day in range(1, days + 1):
        area.markup("<td>").say(str(day))
        if (first + day) % 7 == 0 and day < days:
            area.markup("\n<tr>")
    area.markup("\n</table>\n<ul>")
    for day in sorted(writer.chance.sample(range(1, 29), _EVENTS)):
        area.markup("\n<li>").element("b", f"{day}.").markup(" ").say(writer.sentence())
    area.markup("\n</ul>\n<p>")
    if before:
        area.link(before, "Month before", attributes=" rel=prev").markup(" ")
    return area.link(after, "Month after", attributes=" rel=next")
