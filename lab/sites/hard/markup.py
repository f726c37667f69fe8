"""Sites whose markup says little, or something else on each page.

div_soup       an old site of tables, divs and spans; no element and no class name says what anything is
minified       a site of a generator that minifies: one line, no quotes that can go, no optional end tags
moving_active  a company whose menu is another on each page: the active entry is no link, its section is open
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.sites.hard.sheets import Sheet, entries, paragraphs, row, slices, table, titles
from lab.sites.templates import Entry
from lab.sites.words import Writer

_MENU = (
    ("/", "Start"),
    ("/c1.htm", "Reports"),
    ("/d1.htm", "Statutes"),
    ("/d2.htm", "Members"),
    ("/d3.htm", "How to find us"),
    ("/d4.htm", "Guest book"),
)


class DivSoup:
    """The club: its name, its reports, and the table around every page."""

    def __init__(self, seed: str) -> None:
        self.seed = f"div soup {seed}"
        self.writer = Writer(self.seed)
        self.name = f"Rowing club of {self.writer.place()}"
        self.reports = titles(self.seed, "/r{}.htm", 13)
        self.notices = [self.writer.paragraph(2) for _ in range(5)]

    def __iter__(self) -> Iterator[Sheet]:
        # the start page, two listings, 13 reports, four pages of the menu
        yield self.start()
        yield from self.listings()
        for number in range(len(self.reports)):
            yield self.report(number)
        for path, title in _MENU[2:]:
            yield self.plain(path, title)

    def start(self) -> Sheet:
        sheet = self._above("/", "home", self.name)
        sheet.content.element("span class=x4", f"Welcome to the {self.name}").markup("<br><br>\n")
        paragraphs(sheet.content, Writer(f"{self.seed} start"), 4, "div class=x9")
        return self._below(sheet)

    def listings(self) -> Iterator[Sheet]:
        paths = ("/c1.htm", "/c2.htm")
        for number, (path, shown) in enumerate(zip(paths, slices(range(13), 7)), 1):
            sheet = self._above(path, "list", "Reports")
            sheet.content.element("span class=x4", "Reports").markup("<table class=k2>\n")
            for report in shown:
                target, title = self.reports[report]
                writer = Writer(f"{self.seed} row {report}")
                sheet.content.markup("<tr><td>").say(writer.date()).markup("</td><td>").link(target, title)
                sheet.content.markup("<br>").say(writer.sentence()).markup("</td></tr>\n")
            sheet.content.markup("</table>\n")
            sheet.template.markup("<div class=x2>").say(f"Sheet {number} of 2: ")
            sheet.template.link(paths[2 - number], "turn over").markup("</div>\n")
            yield self._below(sheet)

    def report(self, number: int) -> Sheet:
        path, title = self.reports[number]
        writer = Writer(f"{self.seed} report {number}")
        sheet = self._above(path, "report", title)
        sheet.content.element("span class=x4", title).markup("<br>\n")
        sheet.template.markup("<span class=x5>").say("Put down by ")
        sheet.content.element("b", writer.name())
        sheet.template.say(" on ")
        sheet.content.element("b", writer.date()).markup("</span>\n")
        paragraphs(sheet.content, writer, writer.chance.randrange(3, 7), "div class=x9")
        if number % 2:
            sheet.content.markup("<table class=k2>\n")
            for _ in range(6):
                row(sheet.content, (writer.name(), writer.number(), writer.noun()))
            sheet.content.markup("</table>\n")
        return self._below(sheet)

    def plain(self, path: str, title: str) -> Sheet:
        sheet = self._above(path, "plain", title)
        sheet.content.element("span class=x4", title).markup("<br>\n")
        paragraphs(sheet.content, Writer(f"{self.seed} {path}"), 5, "div class=x9")
        return self._below(sheet)

    def _above(self, path: str, kind: str, title: str) -> Sheet:
        sheet = Sheet(path, kind).head(self.name, title, '<body bgcolor="#ffffff" link="#003366">')
        area = sheet.template.markup('<div class=x1><span class=x3><img src="/k.gif" alt="">')
        area.say(self.name).markup("</span><span class=x5> ").say(self.notices[0]).markup("</span></div>\n")
        area.markup("<table class=k1 width=100%><tr valign=top><td class=k3 width=160>\n")
        for target, text in _MENU:
            style = "x7" if target == path else "x6"
            area.markup(f"<div class={style}>").link(target, text).markup("</div>\n")
        area.element("div class=x8", "Our hours").element("div class=x9", self.notices[1])
        area.element("div class=x8", "Looking for").markup("<form action=/s><input name=s size=12> <button>")
        area.say("find").markup("</button></form></td>\n<td class=k4>\n")
        return sheet

    def _below(self, sheet: Sheet) -> Sheet:
        area = sheet.template.markup("</td>\n<td class=k3 width=180>").element("div class=x8", "New here")
        entries(area, self.reports[:6], "<div class=x6>", "</div>\n")
        area.element("div class=x8", "Dear visitor").element("div class=x9", self.notices[2])
        area.markup("</td></tr></table>\n<div class=x1><span class=x5>").say(self.notices[3]).markup("<br>")
        area.say(f"You are visitor {Writer(f'{self.seed} {sheet.path}').chance.randrange(10**5)}. ")
        area.say(self.notices[4]).markup("</span></div>")
        return sheet.tail()


_OPTIONAL_END = re.compile(r"</(?:li|p|t[dhr]|dt|dd|option|body|html|head)>")
_QUOTED = re.compile(r"""(?<==)"([^\s"'`=<>]+)"(?=[\s>])""")


def minify(html: str) -> str:
    """Take out of HTML what a browser can do without.

    >>> minify('<ul>\\n<li class="a">one</li>\\n<li title="two words">two</li>\\n</ul>')
    '<ul><li class=a>one<li title="two words">two</ul>'
    """
    return _QUOTED.sub(r"\1", _OPTIONAL_END.sub("", html.replace("\n", "")))


class Minified:
    """The site: its name, its recipes, and its frame."""

    def __init__(self, seed: str) -> None:
        self.seed = f"minified {seed}"
        self.writer = Writer(self.seed)
        self.name = f"{self.writer.place()} Kitchen"
        self.recipes = titles(self.seed, "/recipes/{}/", 16)
        self.notices = [self.writer.paragraph(3) for _ in range(4)]
        self.kinds = [(f"/kind/{n}/", f"{self.writer.adjective()} {self.writer.nouns()}") for n in range(12)]
        self.menu = [("/", "Home"), ("/recipes/", "Recipes"), ("/school/", "School"), ("/team/", "Team")]

    def __iter__(self) -> Iterator[Sheet]:
        # home, a list of all recipes, 16 recipes, two pages of the menu
        yield self.home()
        yield self.list()
        for number in range(len(self.recipes)):
            yield self.recipe(number)
        for path, title in self.menu[2:]:
            yield self.plain(path, title)

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


SECTIONS, PER_SECTION = 4, 4


class MovingActive:
    """The site: its name, and its tree of sections and their pages."""

    def __init__(self, seed: str) -> None:
        self.seed = f"moving active {seed}"
        self.writer = Writer(self.seed)
        self.name = f"{self.writer.place()} & {self.writer.place()}"
        self.notices = [self.writer.paragraph(3) for _ in range(5)]
        self.tree: dict[Entry, list[Entry]] = {}
        for section in range(1, SECTIONS + 1):
            pages = [self._entry(f"/s{section}/p{page}.html") for page in range(1, PER_SECTION + 1)]
            self.tree[self._entry(f"/s{section}/")] = pages

    def __iter__(self) -> Iterator[Sheet]:
        # home, four sections, and four pages in each
        yield self.home()
        for section, pages in self.tree.items():
            yield self.page(section, section)
            for page in pages:
                yield self.page(section, page)

    def _entry(self, path: str) -> Entry:
        writer = Writer(f"{self.seed} name {path}")
        return path, f"{writer.adjective().capitalize()} {writer.nouns()}"

    def home(self) -> Sheet:
        sheet = self._above(("/", self.name), ("/", "Home"), "home")
        sheet.content.element("h1", self.writer.title())
        paragraphs(sheet.content, Writer(f"{self.seed} home"), 5)
        return self._below(sheet, ("/", ""))

    def page(self, section: Entry, page: Entry) -> Sheet:
        path, name = page
        writer = Writer(f"{self.seed} {path}")
        sheet = self._above(section, page, "section" if section == page else "page")
        sheet.content.element("h1", f"{name}: {writer.title()}").markup("\n")
        paragraphs(sheet.content, writer, writer.chance.randrange(3, 7))
        if writer.chance.random() < 0.4:
            table(sheet.content, writer, 5)
        return self._below(sheet, page)

    def _above(self, section: Entry, page: Entry, kind: str) -> Sheet:
        path = page[0]
        sheet = Sheet(path, kind).head(self.name, page[1], f'<body class="{kind} id-{path.count("/")}">')
        area = sheet.template.markup('<div class="head">').element("strong", self.name).markup(" ")
        area.element("span", self.notices[0]).markup('</div>\n<ul class="menu level-1">\n')
        self._item(sheet, ("/", "Home"), page, "")
        area.markup("</li>\n")
        for entry, pages in self.tree.items():
            self._item(sheet, entry, page, " open" if entry == section else "")
            if entry == section:
                area.markup('\n<ul class="menu level-2">\n')
                for sub_page in pages:
                    self._item(sheet, sub_page, page, "")
                    area.markup("</li>\n")
                area.markup("</ul>")
            area.markup("</li>\n")
        area.markup("</ul>\n")
        if kind != "home":
            self._breadcrumbs(sheet, section, page)
        area.markup('<div class="page">\n')
        return sheet

    def _item(self, sheet: Sheet, entry: Entry, page: Entry, state: str) -> None:
        """Begin an entry of the menu; that of the page itself is no link."""
        if entry[0] == page[0]:
            sheet.template.markup(f'<li class="item{state} active">')
            sheet.template.element('span aria-current="page"', entry[1])
        else:
            sheet.template.markup(f'<li class="item{state}">').link(*entry)

    def _breadcrumbs(self, sheet: Sheet, section: Entry, page: Entry) -> None:
        area = sheet.template.markup('<ol class="crumbs"><li>').say("You are here: ").link("/", "Home")
        area.markup("</li>")
        if section != page:
            area.markup("<li>").link(*section).markup("</li>")
        area.element('li class="last"', page[1]).markup("</ol>\n")

    def _below(self, sheet: Sheet, page: Entry) -> Sheet:
        pages = [entry for section, pages in self.tree.items() for entry in (section, *pages)]
        place = pages.index(page) if page in pages else -1
        area = sheet.template.markup('</div>\n<div class="turn">')
        if place > 0:
            area.say("Back to ").link(*pages[place - 1]).markup(" ")
        if place + 1 < len(pages):
            area.say("On to ").link(*pages[place + 1])
        area.markup('</div>\n<div class="foot">').element("h4", "All that we do").markup("\n<ul>")
        entries(area, self.tree)
        area.markup("</ul>\n")
        for notice in self.notices[1:]:
            area.element("p", notice).markup("\n")
        area.markup("</div>")
        return sheet.tail()
