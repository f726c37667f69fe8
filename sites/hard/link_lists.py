"""A directory of addresses: what it lists is links, and so is its template (a cloud of tags, menus)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sites.hard.parts import entries, pager
from sites.hard.sheets import Sheet, slices, titles
from sites.templates import Entry
from sites.words import Writer

CATEGORIES, PER_CATEGORY, PER_PAGE, TAGS = 6, 36, 12, 60


def link_lists(seed: str) -> Iterator[Sheet]:
    """Yield the pages: home, then three pages of a list for each of six categories."""
    site = _Directory(seed)
    yield site.home()
    for category in range(CATEGORIES):
        yield from site.category(category)


class _Directory:
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
