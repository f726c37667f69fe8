"""A site of a generator that minifies: one line, no quotes that can go, no optional end tags."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sites.hard.parts import entries, paragraphs, row
from sites.hard.sheets import Sheet, titles
from sites.words import Writer

_OPTIONAL_END = re.compile(r"</(?:li|p|t[dhr]|dt|dd|option|body|html|head)>")
_QUOTED = re.compile(r"""(?<==)"([^\s"'`=<>]+)"(?=[\s>])""")


def minify(html: str) -> str:
    """Take out of HTML what a browser can do without.

    >>> minify('<ul>\\n<li class="a">one</li>\\n<li title="two words">two</li>\\n</ul>')
    '<ul><li class=a>one<li title="two words">two</ul>'
    """
    return _QUOTED.sub(r"\1", _OPTIONAL_END.sub("", html.replace("\n", "")))


def minified(seed: str) -> Iterator[Sheet]:
    """Yield the pages of a cookery: home, a list of all recipes, 16 recipes, two pages of the menu."""
    site = _Cookery(seed)
    yield site.home()
    yield site.list()
    for number in range(len(site.recipes)):
        yield site.recipe(number)
    for path, title in site.menu[2:]:
        yield site.plain(path, title)


class _Cookery:
    """The site: its name, its recipes, and its frame."""

    def __init__(self, seed: str) -> None:
        self.seed = f"minified {seed}"
        self.writer = Writer(self.seed)
        self.name = f"{self.writer.place()} Kitchen"
        self.recipes = titles(self.seed, "/recipes/{}/", 16)
        self.notices = [self.writer.paragraph(3) for _ in range(4)]
        self.kinds = [(f"/kind/{n}/", f"{self.writer.adjective()} {self.writer.nouns()}") for n in range(12)]
        self.menu = [("/", "Home"), ("/recipes/", "Recipes"), ("/school/", "School"), ("/team/", "Team")]

    def home(self) -> Sheet:
        sheet = self._above("/", "home", self.name)
        paragraphs(sheet.content.element("h1", self.writer.title()), Writer(f"{self.seed} home"), 4)
        return self._below(sheet)

    def list(self) -> Sheet:
        sheet = self._above("/recipes/", "list", "Recipes")
        sheet.content.element("h1", "Recipes").markup("\n<ul class=all>\n")
        for number, (path, title) in enumerate(self.recipes):
            sheet.content.markup("<li>").link(path, title).markup(" ")
            sheet.content.say(Writer(f"{self.seed} teaser {number}").sentence()).markup("</li>\n")
        sheet.content.markup("</ul>\n")
        return self._below(sheet)

    def recipe(self, number: int) -> Sheet:
        path, title = self.recipes[number]
        writer = Writer(f"{self.seed} recipe {number}")
        sheet = self._above(path, "recipe", title)
        sheet.content.element("h1", title).markup("\n")
        sheet.template.markup('<dl class="facts"><dt>').say("Time needed").markup("</dt>")
        sheet.content.element("dd", f"{writer.chance.randrange(10, 90)} minutes")
        sheet.template.element("dt", "Serves")
        sheet.content.element("dd", f"{writer.chance.randrange(1, 9)} people")
        sheet.template.element("dt", "Published")
        sheet.content.element("dd", writer.date()).markup("</dl>\n<table>\n")
        for _ in range(writer.chance.randrange(4, 10)):
            row(sheet.content, (writer.number(), f"{writer.adjective()} {writer.nouns()}"))
        sheet.content.markup("</table>\n<ol>\n")
        paragraphs(sheet.content, writer, writer.chance.randrange(4, 9), "li", 3)
        sheet.content.markup("</ol>\n")
        return self._below(sheet)

    def plain(self, path: str, title: str) -> Sheet:
        sheet = self._above(path, "plain", title)
        paragraphs(sheet.content.element("h1", title), Writer(f"{self.seed} {path}"), 5)
        return self._below(sheet)

    def _above(self, path: str, kind: str, title: str) -> Sheet:
        sheet = Sheet(path, kind, finish=minify).head(self.name, title, f'<body class="k-{kind}">')
        area = sheet.template.markup('<div class="top">').link("/", self.name)
        area.markup('<ul class="menu">\n')
        for target, text in self.menu:
            active = ' class="on"' if target == path else ""
            area.markup(f"<li{active}>").link(target, text).markup("</li>\n")
        area.markup("</ul></div>\n").element('p class="notice"', self.notices[0])
        area.markup('\n<select name="order"><option>').say("Newest first").markup("</option>\n<option>")
        area.say("Quickest first").markup('</option></select>\n<div class="text">\n')
        return sheet

    def _below(self, sheet: Sheet) -> Sheet:
        area = sheet.template.markup("</div>\n<div class=more>").element("h2", "Kinds of dishes")
        entries(area.markup("<ul>\n"), self.kinds)
        area.markup("</ul>").element("h2", "Favourites of our readers")
        entries(area.markup("<ul>\n"), self.recipes[2:8])
        area.markup('</ul></div>\n<div class="end">')
        for notice in self.notices[1:]:
            area.element("p", notice).markup("\n")
        area.markup("</div>")
        return sheet.tail()
