"""Sites whose template is large, or looks like their content.

heavy_template  short notices inside a constant template many times as long: 1,200 words in 400 runs
link_lists      a directory of addresses: what it lists is links, and so is its template (tags, menus)
documentation   a manual: the contents of the whole book beside each page, and prose that repeats itself
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lab.sites.areas import Area
from lab.sites.hard.sheets import Sheet, entries, pager, paragraphs, program, slices, table, titles
from lab.sites.templates import Entry
from lab.sites.words import Writer

NOTICES = 19
LINKS = 200


def heavy_template(seed: str) -> Iterator[Sheet]:
    """Yield the pages of a town hall: home, and 19 notices of one paragraph or two."""
    seed = f"heavy {seed}"
    writer = Writer(seed)
    name = f"Town hall of {writer.place()}"
    notices = titles(seed, "/notice/{}", NOTICES)
    links = notices + [(f"/office/{n}", _three_words(writer)) for n in range(LINKS - NOTICES)]
    texts = [_three_words(writer) for _ in range(LINKS)]
    for number, (path, title) in enumerate([("/", "Notices of the town"), *notices]):
        sheet = Sheet(path, "notice" if number else "home").head(name, title)
        _large_menu(sheet.template, links[: LINKS // 2], texts[: LINKS // 2])
        said = Writer(f"{seed} {path}")
        sheet.template.markup('<div class="page">\n')
        sheet.content.element("h1", title)
        sheet.content.element('p class="date"', said.date()).markup("\n")
        paragraphs(sheet.content, said, said.chance.randrange(1, 3))
        sheet.template.markup("</div>\n")
        _large_menu(sheet.template, links[LINKS // 2 :], texts[LINKS // 2 :])
        yield sheet.tail()


def _three_words(writer: Writer) -> str:
    return f"{writer.adjective()} {writer.noun()} {writer.place()}"


def _large_menu(area: Area, links: list[tuple[str, str]], texts: list[str]) -> None:
    """Write as many runs of link text as of other text, in columns of ten."""
    area.markup('<div class="mega">\n')
    for place, ((path, text), remark) in enumerate(zip(links, texts)):
        if place % 10 == 0:
            area.markup("</ul></div>\n" if place else "").markup('<div class="column"><ul>\n')
        area.markup(f'<li data-place="{place}">').link(path, text).markup("<small> ")
        area.say(remark).markup("</small></li>\n")
    area.markup("</ul></div></div>\n")


CATEGORIES, PER_CATEGORY, PER_PAGE, TAGS = 6, 36, 12, 60


class LinkLists:
    """The directory: its name, its categories, its tags, and its frame."""

    def __init__(self, seed: str) -> None:
        self.seed = f"link lists {seed}"
        self.writer = Writer(self.seed)
        self.name = f"{self.writer.place()} address book"
        self.categories = [
            (f"/{n}/1", f"{self.writer.adjective()} {self.writer.nouns()}") for n in range(CATEGORIES)
        ]
        self.tags = [(f"/tag/{n}", f"{self.writer.noun()} {self.writer.place()}") for n in range(TAGS)]
        self.notices = [self.writer.paragraph(2) for _ in range(3)]

    def __iter__(self) -> Iterator[Sheet]:
        # home, then three pages of a list for each of six categories
        yield self.home()
        for category in range(CATEGORIES):
            yield from self.category(category)

    def home(self) -> Sheet:
        sheet = self._above("/", "home", self.name, -1)
        sheet.content.element("h1", "New addresses").markup("\n")
        self._cards(sheet, titles(self.seed, "/new/{}", 15))
        return self._below(sheet)

    def category(self, category: int) -> Iterator[Sheet]:
        title = self.categories[category][1]
        addresses = titles(f"{self.seed} {category}", f"/{category}/to/{{}}", PER_CATEGORY)
        parts = slices(addresses, PER_PAGE)
        paths = [f"/{category}/{number}" for number in range(1, len(parts) + 1)]
        for number, (path, shown) in enumerate(zip(paths, parts), 1):
            sheet = self._above(path, "list", title, category)
            sheet.content.element("h1", title).markup("\n")
            if category % 2:
                self._cards(sheet, shown)
            else:
                self._table(sheet, shown)
            pager(sheet.template, paths, number)
            yield self._below(sheet)

    def _cards(self, sheet: Sheet, shown: Sequence[Entry]) -> None:
        sheet.content.markup('<div class="cards">\n')
        for path, title in shown:
            writer = Writer(f"{self.seed} card {path}")
            sheet.content.markup('<div class="card"><img src="/door.jpg" alt=""><b>').link(path, title)
            sheet.content.markup("</b> ").link(f"{path}/owner", writer.title()).markup(" ")
            sheet.template.link(path + "/map", "Show on map", attributes=' class="map"').markup("</div>\n")
        sheet.content.markup("</div>\n")

    def _table(self, sheet: Sheet, shown: Sequence[Entry]) -> None:
        sheet.content.markup('<table class="addresses">\n')
        for path, title in shown:
            writer = Writer(f"{self.seed} row {path}")
            sheet.content.markup("<tr><td>").link(path, title).markup("</td><td>")
            sheet.content.link(f"/at/{writer.number()}", writer.place()).markup("</td><td>")
            sheet.content.link(f"/by/{writer.number()}", writer.name()).markup("</td><td>")
            sheet.content.say(str(writer.number())).markup("</td></tr>\n")
        sheet.content.markup("</table>\n")

    def _above(self, path: str, kind: str, title: str, category: int) -> Sheet:
        sheet = Sheet(path, kind).head(self.name, title)
        area = sheet.template.markup("<header>").link("/", self.name)
        area.element("p", self.notices[0]).markup('</header>\n<div class="tabs"><ul>\n')
        for number, entry in enumerate(self.categories):
            active = " active" if number == category else ""
            area.markup(f'<li class="tab{active}">').link(*entry).markup("</li>\n")
        area.markup("</ul></div>\n<form><label>").say("Sorted by ").markup("</label><select><option>")
        area.say("name").markup("</option><option>").say("distance").markup("</option></select></form>\n")
        area.markup('<div class="main">\n')
        return sheet

    def _below(self, sheet: Sheet) -> Sheet:
        area = sheet.template.markup('</div>\n<div class="cloud">').element("h2", "Searched often")
        for number, (path, text) in enumerate(self.tags):
            area.link(path, text, attributes=f' style="font-size: {9 + number * 7 % 11}px"').markup(" ")
        area.markup("</div>\n<footer>").element("p", self.notices[1]).element("p", self.notices[2])
        entries(
            area.markup("<ul>"), (("/add", "Add your address"), ("/terms", "Terms"), ("/ads", "Advertise"))
        )
        area.markup("</ul></footer>")
        return sheet.tail()


CHAPTERS, PER_CHAPTER, FUNCTIONS = 4, 4, 3


class Documentation:
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

    def __iter__(self) -> Iterator[Sheet]:
        # the start of the book, then four chapters of an overview and four modules each
        for place in range(len(self.pages)):
            yield self.page(place)

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
