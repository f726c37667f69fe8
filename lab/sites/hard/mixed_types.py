"""A portal of many kinds of page under one frame; the side bar stands on half of them."""

from __future__ import annotations

from collections.abc import Iterator

from lab.sites.hard.sheets import Sheet, entries, pager, paragraphs, slices, table, titles
from lab.sites.templates import Entry
from lab.sites.words import Writer

_MENU = (("/", "Home"), ("/guides/", "Guides"), ("/shop/", "Shop"), ("/forum/", "Forum"))
_WITH_SIDE_BAR = ("home", "list", "article")


class MixedTypes:
    """The portal: its name, its pages of each kind, and its frame."""

    def __init__(self, seed: str) -> None:
        self.seed = f"mixed types {seed}"
        self.writer = Writer(self.seed)
        self.name = f"{self.writer.place()} Online"
        self.guides = titles(self.seed, "/guides/{}.html", 6)
        self.goods = titles(self.seed, "/shop/{}.html", 5)
        self.threads = titles(self.seed, "/forum/{}.html", 5)
        self.notices = [self.writer.paragraph(3) for _ in range(7)]
        self.topics = [(f"/topic/{n}", f"{self.writer.noun()} {self.writer.place()}") for n in range(20)]

    def __iter__(self) -> Iterator[Sheet]:
        # home, listings of guides, shop and forum, and five or six pages of each kind
        yield self.home()
        yield from self.lists()
        for number in range(6):
            yield self.article(number)
        for number in range(5):
            yield self.product(number)
        for number in range(5):
            yield self.thread(number)

    def home(self) -> Sheet:
        sheet = self._above("/", "home", self.name)
        sheet.content.element("h1", self.writer.title())
        paragraphs(sheet.content, Writer(f"{self.seed} home"), 3)
        for shown in (self.guides, self.goods, self.threads):
            self._teasers(sheet, shown[:2])
        return self._below(sheet)

    def lists(self) -> Iterator[Sheet]:
        parts = slices(self.guides, 3)
        for number, (path, shown) in enumerate(zip(("/guides/", "/guides/more.html"), parts), 1):
            sheet = self._above(path, "list", "Guides")
            sheet.content.element("h1", "Guides").markup("\n")
            self._teasers(sheet, shown)
            pager(sheet.template, ("/guides/", "/guides/more.html"), number)
            yield self._below(sheet)
        for (path, title), shown in zip(_MENU[2:], (self.goods, self.threads)):
            sheet = self._above(path, "list", title)
            sheet.content.element("h1", title).markup("\n")
            self._teasers(sheet, shown)
            yield self._below(sheet)

    def article(self, number: int) -> Sheet:
        path, title = self.guides[number]
        writer = Writer(f"{self.seed} guide {number}")
        sheet = self._above(path, "article", title)
        sheet.content.element("h1", title)
        self._meta(sheet, writer)
        paragraphs(sheet.content, writer, writer.chance.randrange(3, 7))
        table(sheet.content, writer, 4)
        paragraphs(sheet.content, writer, 1, "blockquote")
        return self._below(sheet)

    def product(self, number: int) -> Sheet:
        path, title = self.goods[number]
        writer = Writer(f"{self.seed} product {number}")
        sheet = self._above(path, "product", title)
        sheet.template.markup('<img src="/goods.jpg" alt=""><div class="buy">').say("Price ")
        sheet.content.element("b", f"{writer.number()}.00")
        sheet.template.markup(" ").element("button", "Put into basket").element("p", self.notices[5])
        sheet.template.markup("</div>\n")
        paragraphs(sheet.content.element("h1", title), writer, 3, "div class=text", 5)
        sheet.content.markup("<dl>\n")
        for _ in range(6):
            sheet.content.element("dt", writer.noun()).element("dd", f"{writer.number()} {writer.nouns()}")
        sheet.content.markup("</dl>\n")
        return self._below(sheet)

    def thread(self, number: int) -> Sheet:
        path, title = self.threads[number]
        writer = Writer(f"{self.seed} thread {number}")
        sheet = self._above(path, "thread", title)
        sheet.content.element("h1", title).markup("\n")
        for post in range(1, writer.chance.randrange(4, 8)):
            sheet.template.markup(f'<div class="post" id="post{writer.number()}"><div class="user">')
            sheet.content.element("b", writer.name())
            sheet.template.markup("<br>").say("Member since ")
            sheet.content.say(str(writer.chance.randrange(2001, 2025)))
            sheet.template.markup("<br>").say("Posts: ")
            sheet.content.say(str(writer.number()))
            sheet.template.markup('</div><div class="said">').element("small", f"No. {post}").markup(" ")
            paragraphs(sheet.content, writer, 1, "p", 3)
            sheet.template.markup("</div><p>").link(f"/reply?{post}", "Quote").markup(" ")
            sheet.template.link(f"/report?{post}", "Report this post").markup("</p></div>\n")
        sheet.template.element("div class=login", "Log in to write an answer.")
        return self._below(sheet)

    def _meta(self, sheet: Sheet, writer: Writer) -> None:
        sheet.template.markup('<p class="meta">').say("Last changed ")
        sheet.content.element("time", writer.date())
        sheet.template.say(", written by ")
        sheet.content.element("span", writer.name()).markup("</p>\n")

    def _teasers(self, sheet: Sheet, shown: list[Entry]) -> None:
        for path, title in shown:
            sheet.content.markup('<div class="teaser"><h3>').link(path, title).markup("</h3>")
            sheet.content.element("p", Writer(f"{self.seed} teaser {path}").paragraph(3)).markup("</div>\n")

    def _above(self, path: str, kind: str, title: str) -> Sheet:
        section = f"/{path.split('/')[1]}/".replace("//", "/")
        sheet = Sheet(path, kind).head(self.name, title, f'<body class="{kind}">')
        area = sheet.template.markup('<div class="cookies">').element("p", self.notices[0])
        area.element("button", "Fine with me").markup('</div>\n<header><div class="logo">').say(self.name)
        area.markup("</div><nav><ul>\n")
        for target, text in _MENU:
            active = ' class="active"' if target == section else ""
            area.markup(f"<li{active}>").link(target, text).markup("</li>\n")
        area.markup('</ul></nav></header>\n<div class="columns"><div class="middle">\n')
        return sheet

    def _below(self, sheet: Sheet) -> Sheet:
        area = sheet.template.markup("</div>\n")
        if sheet.kind in _WITH_SIDE_BAR:
            area.markup('<div class="side">').element("h3", "From the forum").markup("<ul>\n")
            entries(area, self.threads)
            area.markup("</ul>").element("h3", "Topics").markup("<p>")
            entries(area, self.topics, "", " ")
            area.markup("</p>").element("p", self.notices[1]).element("p", self.notices[2]).markup("</div>\n")
        area.markup("</div>\n<footer>").element("p", self.notices[3]).element("p", self.notices[4])
        area.element("p", self.notices[6])
        entries(area.markup("<ul>"), (("/imprint", "Imprint"), ("/rules", "Rules"), ("/press", "Press")))
        area.markup("</ul></footer>")
        return sheet.tail()
