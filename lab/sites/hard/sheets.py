"""A page under construction on which template and content take turns, and the order of a site's pages.

What is template and what is content, on all hard sites alike:

- Content is what the page is there for: its title, text, tables and code, what people wrote below it,
  and on a listing its entries.  Words that an author repeats on many pages stay content.
- Template is what the site adds by itself, also where it differs from page to page: menus, breadcrumbs,
  pagination, teasers of other pages, counters, and the labels beside a value ("Posted on", "Reply").

Below it the parts that pages of many kinds are made of, each written in the markup that its site asks for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from lab.sites.areas import Area, written
from lab.sites.generated import GeneratedPage
from lab.sites.templates import Entry
from lab.sites.words import Writer

_ADDRESS = re.compile(r'<a\s[^>]*?href="?([^"\s>]+)')


class Sheet:
    """A page that is written from top to bottom through two areas that share its HTML.

    template, content   the areas: what is written through one counts for it
    finish              what is done to the HTML at the end; it must not change any word
    """

    def __init__(
        self, path: str, kind: str, *, original: str = "", finish: Callable[[str], str] = str
    ) -> None:
        self.path = path
        self.kind = kind
        self.original = original
        self.template = Area()
        self.content = Area(beside=self.template)
        self._finish = finish

    def head(self, site: str, title: str, start: str = "<body>") -> Sheet:
        """Write all before the body, and its start tag: nothing that a reader sees in the page."""
        writer = Writer(f"head {site} {self.path}")
        about, name, number = written(writer.sentence()), written(title), writer.number()
        self.template.markup(f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<title>{name} | {written(site)}</title>
<meta name="description" content="{about}">
<link rel="canonical" href="https://example.org{self.path}">
<meta property="og:title" content="{name}">
<link rel="stylesheet" href="/look.css?v=12">
<style>.side {{ float: left }} .a > .b::after {{ content: "<" }}</style>
<script>window.page = {{ id: {number}, path: "{self.path}", wide: innerWidth > 900 }};</script>
</head>
{start}
""")
        return self

    def tail(self) -> Sheet:
        self.template.markup('\n<script src="/all.js?v=12" async></script>\n</body></html>\n')
        return self

    def press(self, site: str) -> GeneratedPage:
        return GeneratedPage(
            path=self.path,
            html=self._finish(self.template.html),
            template=site,
            kind=self.kind,
            content_words=tuple(self.content.words),
            template_words=tuple(self.template.words),
            content_links=tuple(self.content.links),
            template_links=tuple(self.template.links),
            original=self.original,
        )


def titles(seed: str, pattern: str, count: int) -> list[Entry]:
    """Return paths and titles of pages; ``pattern`` has the place of their number.

    >>> [path for path, _ in titles("x", "/posts/{}.html", 2)]
    ['/posts/1.html', '/posts/2.html']
    """
    return [
        (pattern.format(number), Writer(f"{seed} {pattern} {number}").title())
        for number in range(1, count + 1)
    ]


def slices(entries: Sequence[Entry], size: int) -> list[Sequence[Entry]]:
    """Cut entries into pages of a listing."""
    return [entries[start : start + size] for start in range(0, len(entries), size)]


def in_link_order(pages: Iterable[GeneratedPage]) -> list[GeneratedPage]:
    """Return pages in the order in which a crawl that starts at the first would meet them.

    Breadth first, the links of a page from top to bottom; links beyond the pages are not followed.
    Raises ValueError if a page is not reached.
    """
    known = {page.path: page for page in pages}
    met = dict.fromkeys(list(known)[:1])
    waiting = list(met)
    for path in waiting:
        for target in _ADDRESS.findall(known[path].html):
            if target in known and target not in met:
                met[target] = None
                waiting.append(target)
    if len(met) < len(known):
        raise ValueError(f"no links lead to {sorted(known.keys() - met.keys())}")
    return [known[path] for path in waiting]


def paragraphs(area: Area, writer: Writer, count: int, start: str = "p", sentences: int = 4) -> None:
    """Write paragraphs of about so many sentences; ``start`` is their start tag without brackets."""
    for _ in range(count):
        length = writer.chance.randrange(max(1, sentences - 2), sentences + 3)
        area.element(start, writer.paragraph(length)).markup("\n")


def entries(area: Area, links: Iterable[Entry], before: str = "<li>", after: str = "</li>\n") -> None:
    for path, text in links:
        area.markup(before).link(path, text).markup(after)


def row(area: Area, cells: Iterable[object], cell: str = "td") -> None:
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
