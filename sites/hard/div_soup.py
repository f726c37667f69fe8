"""An old site of tables, divs and spans; no element and no class name says what anything is."""

from __future__ import annotations

from collections.abc import Iterator

from sites.hard.parts import entries, paragraphs, row
from sites.hard.sheets import Sheet, slices, titles
from sites.words import Writer

_MENU = (
    ("/", "Start"),
    ("/c1.htm", "Reports"),
    ("/d1.htm", "Statutes"),
    ("/d2.htm", "Members"),
    ("/d3.htm", "How to find us"),
    ("/d4.htm", "Guest book"),
)


def div_soup(seed: str) -> Iterator[Sheet]:
    """Yield the pages of a club: the start page, two listings, 13 reports, four pages of the menu."""
    site = _Club(seed)
    yield site.start()
    yield from site.listings()
    for number in range(len(site.reports)):
        yield site.report(number)
    for path, title in _MENU[2:]:
        yield site.plain(path, title)


class _Club:
    """The club: its name, its reports, and the table around every page."""

    def __init__(self, seed: str) -> None:
        self.seed = f"div soup {seed}"
        self.writer = Writer(self.seed)
        self.name = f"Rowing club of {self.writer.place()}"
        self.reports = titles(self.seed, "/r{}.htm", 13)
        self.notices = [self.writer.paragraph(2) for _ in range(5)]

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
