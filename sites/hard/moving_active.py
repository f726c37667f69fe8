"""A company site whose menu is another on each page: the active entry is no link, its section is open."""

from __future__ import annotations

from collections.abc import Iterator

from sites.hard.parts import entries, paragraphs, table
from sites.hard.sheets import Sheet
from sites.templates import Entry
from sites.words import Writer

SECTIONS, PER_SECTION = 4, 4


def moving_active(seed: str) -> Iterator[Sheet]:
    """Yield the pages: home, four sections, and four pages in each."""
    site = _Company(seed)
    yield site.home()
    for section, pages in site.tree.items():
        yield site.page(section, section)
        for page in pages:
            yield site.page(section, page)


class _Company:
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
