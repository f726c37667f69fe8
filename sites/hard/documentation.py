"""A reference manual: the contents of the whole book beside each page, and prose that repeats itself."""

from __future__ import annotations

from collections.abc import Iterator

from sites.areas import Area
from sites.hard.parts import program, table
from sites.hard.sheets import Sheet
from sites.templates import Entry
from sites.words import Writer

CHAPTERS, PER_CHAPTER, FUNCTIONS = 4, 4, 3


def documentation(seed: str) -> Iterator[Sheet]:
    """Yield the pages: the start of the book, then four chapters of an overview and four modules each."""
    book = _Book(seed)
    for place in range(len(book.pages)):
        yield book.page(place)


class _Book:
    """The book: its name, its pages in order, and its frame.

    functions  path of a page -> the functions that it describes
    """

    def __init__(self, seed: str) -> None:
        self.seed = f"documentation {seed}"
        self.writer = Writer(self.seed)
        self.name = f"{self.writer.place()} manual"
        self.pages: list[Entry] = [("/", "Getting started")]
        for chapter in range(1, CHAPTERS + 1):
            self.pages.append((f"/{chapter}/", f"{chapter}. {self.writer.title()}"))
            for module in range(1, PER_CHAPTER + 1):
                name = f"{chapter}.{module}. {self.writer.noun()}.{self.writer.noun()}"
                self.pages.append((f"/{chapter}/{module}.html", name))
        self.notice = self.writer.paragraph(3)
        self.functions = {
            path: [Writer(f"{self.seed} {path} {n}").identifier() for n in range(FUNCTIONS)]
            for path, _ in self.pages
        }

    def page(self, place: int) -> Sheet:
        path, title = self.pages[place]
        writer = Writer(f"{self.seed} page {path}")
        sheet = self._above(place)
        self._heading(sheet, "h1", title, "top")
        sheet.content.element("p", writer.paragraph(4)).markup("\n")
        if path.endswith("/"):
            program(sheet.content.element("p", writer.paragraph(6)), writer, 4)
            table(sheet.content, writer, 6)
        for name in self.functions[path]:
            self._function(sheet, writer, name)
        return self._below(sheet, place)

    def _heading(self, sheet: Sheet, tag: str, text: str, anchor: str) -> None:
        """Write a heading; the sign behind it links to it, and is no word."""
        sheet.content.markup(f'<{tag} id="{anchor}">').say(text)
        sheet.content.markup(f'<a class="headerlink" href="#{anchor}">¶</a></{tag}>\n')

    def _function(self, sheet: Sheet, writer: Writer, name: str) -> None:
        """Write what a function takes, gives back and raises."""
        area = sheet.content
        names = [writer.noun() for _ in range(3)]
        self._heading(sheet, "h2", name, name)
        area.markup('<dl class="function"><dt><code>').say(f"{name}({', '.join(names)}=None)")
        area.markup("</code> ")
        sheet.template.link(f"/source#{name}", "[source code]").markup("</dt>\n<dd>")
        area.element("p", f"Returns the {writer.noun()} of the {names[0]}.").element("h3", "Parameters")
        area.markup("<ul>\n")
        for parameter in names:
            area.markup("<li>").element("code", parameter).say(f" (str, optional): the {parameter}, ")
            area.say(f"{writer.adjective()} by default").markup("</li>\n")
        area.markup("</ul>").element("h3", "Returns").element("p", f"The {writer.noun()}, or None.")
        area.element("h3", "Raises").markup("<p>").element("code", "ValueError")
        area.say(f" if the {names[1]} is {writer.adjective()}.").markup("</p>").element("h3", "Examples")
        program(area, writer, 3)
        if writer.chance.random() < 0.5:
            area.markup('<div class="note">').element("b", "Note").element("p", writer.sentence())
            area.markup("</div>\n")
        area.markup("</dd></dl>\n")

    def _above(self, place: int) -> Sheet:
        path, title = self.pages[place]
        sheet = Sheet(path, "module" if path.endswith("l") else "overview").head(self.name, title)
        area = sheet.template.markup('<nav class="side">').link("/", self.name)
        area.markup("\n<form role=search><input name=q><button>").say("Search docs")
        area.markup("</button></form>\n<select><option>").say("version 3").markup("</option><option>")
        area.say("version 2").markup('</option></select>\n<ul class="tree">\n')
        self._tree(area, path)
        area.markup('</ul></nav>\n<div class="breadcrumbs">').link("/", "Docs").say(f" » {title} ")
        area.link(f"/edit?{path}", "Edit this page").markup("</div>\n")
        area.markup('<div role="main" class="document">\n')
        return sheet

    def _tree(self, area: Area, path: str) -> None:
        """Write the contents of the book; under the page itself stand its functions."""
        for entry in self.pages:
            level = "level2" if entry[0].endswith("l") else "level1"
            if entry[0] != path:
                area.markup(f'<li class="{level}">').link(*entry).markup("</li>\n")
                continue
            area.markup(f'<li class="{level} current">')
            area.link(*entry, attributes=' class="current reference"').markup("<ul>\n")
            for name in self.functions[path]:
                area.markup(f'<li class="level3"><a href="#{name}">').say(name).markup("</a></li>\n")
            area.markup("</ul></li>\n")

    def _below(self, sheet: Sheet, place: int) -> Sheet:
        area = sheet.template.markup('</div>\n<div class="turn">')
        if place > 0:
            area.link(*self.pages[place - 1], attributes=' rel="prev"').markup(" ")
        if place + 1 < len(self.pages):
            area.link(*self.pages[place + 1], attributes=' rel="next"')
        area.markup("</div>\n<footer>").element("p", self.notice)
        area.element("p", f"Last updated on {Writer(f'{self.seed} {sheet.path}').date()}. Built for you.")
        area.element("p", "Was this page helpful? Yes. No.").markup("</footer>")
        return sheet.tail()
