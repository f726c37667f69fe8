"""A shop whose pages differ in few words: goods in three colours each, and each in a version for print."""

from __future__ import annotations

from collections.abc import Iterator

from sites.hard.parts import entries, paragraphs, row
from sites.hard.sheets import Sheet, titles
from sites.templates import Entry
from sites.words import Writer

COLOURS = ("walnut", "crimson", "ivory")
_MENU = (("/", "Shop"), ("/orders", "My orders"), ("/basket", "Basket (0)"), ("/help", "Help & contact"))


def near_duplicates(seed: str) -> Iterator[Sheet]:
    """Yield the pages: the shop, then for five goods three variants and one version for print."""
    shop = _Shop(seed)
    yield shop.home()
    for number in range(len(shop.goods)):
        for colour in COLOURS:
            yield shop.variant(number, colour)
        yield shop.printed(number)


class _Shop:
    """The shop: its name, its goods, and its frame."""

    def __init__(self, seed: str) -> None:
        self.seed = f"near duplicates {seed}"
        self.writer = Writer(self.seed)
        self.name = f"{self.writer.place()} Wares"
        self.goods = titles(self.seed, "/goods/{}", 5)
        self.shelves = [
            (f"/shelf/{n}", f"{self.writer.adjective()} {self.writer.nouns()}") for n in range(14)
        ]
        self.notices = [self.writer.paragraph(3) for _ in range(5)]

    def _path(self, number: int, colour: str) -> str:
        return f"{self.goods[number][0]}-{colour}"

    def home(self) -> Sheet:
        sheet = self._above("/", "home", self.name)
        paragraphs(sheet.content.element("h1", "Our goods"), Writer(f"{self.seed} home"), 2, "div")
        for number, (_, title) in enumerate(self.goods):
            sheet.content.markup('<div class="card">')
            sheet.content.link(self._path(number, COLOURS[0]), title).markup("<br>")
            sheet.content.say(Writer(f"{self.seed} card {number}").paragraph(2)).markup("</div>\n")
        return self._below(sheet)

    def variant(self, number: int, colour: str) -> Sheet:
        title = f"{self.goods[number][1]}, {colour}"
        first = self._path(number, COLOURS[0])
        original = "" if colour == COLOURS[0] else first
        sheet = self._above(self._path(number, colour), "variant", title, original)
        sheet.template.markup('<div class="crumbs">').link("/", "Shop").say(" › ").link(*self.shelves[number])
        sheet.template.markup("</div>\n")
        self._say_all(sheet, number, colour)
        sheet.template.markup('<div class="colours">').say("Other colours: ")
        entries(
            sheet.template, [(self._path(number, c), c) for c in COLOURS if c != colour], "<span>", "</span> "
        )
        sheet.template.markup("</div>\n<form action=/basket><input type=hidden name=token ")
        sheet.template.markup(f'value="{Writer(sheet.path).number()}"><button>').say("Add to basket")
        sheet.template.markup("</button></form>\n<p>").link(first + "/print", "Version for print")
        sheet.template.markup("</p>\n")
        return self._below(sheet)

    def printed(self, number: int) -> Sheet:
        """Return the version for print: the same in a smaller frame."""
        colour = COLOURS[0]
        path = self._path(number, colour)
        sheet = Sheet(f"{path}/print", "print", original=path)
        sheet.head(self.name, self.goods[number][1], '<body class="print">')
        sheet.template.markup('<div class="bar">').say(f"{self.name}, on paper. ").link(path, "Back")
        sheet.template.markup("</div>\n")
        self._say_all(sheet, number, colour)
        sheet.template.markup('<div class="foot">').say(" ".join(self.notices[1:3])).markup("</div>")
        return sheet.tail()

    def _say_all(self, sheet: Sheet, number: int, colour: str) -> None:
        """Write what is said of one of the goods; only colour, price and article number differ."""
        writer = Writer(f"{self.seed} goods {number}")
        varied = Writer(f"{self.seed} goods {number} {colour}")
        sheet.content.element("h1", f"{self.goods[number][1]}, {colour}").markup("\n")
        sheet.template.markup('<div class="price">').say("Our price: ")
        sheet.content.element("b", f"{varied.number()}.90 crowns")
        sheet.template.markup("</div>\n")
        paragraphs(sheet.content, writer, 5, "div")
        sheet.content.markup("<table>\n")
        row(sheet.content, ("Article", varied.number() * 1000 + varied.number()))
        row(sheet.content, ("Colour", colour))
        for _ in range(8):
            row(sheet.content, (f"{writer.adjective()} {writer.noun()}", writer.number()))
        sheet.content.markup("</table>\n")

    def _above(self, path: str, kind: str, title: str, original: str = "") -> Sheet:
        sheet = Sheet(path, kind, original=original).head(self.name, title, f'<body class="{kind}">')
        area = sheet.template.markup('<div id="top">').element("b", self.name).markup("<ul>")
        entries(area, _MENU)
        area.markup('</ul><form action="/find"><input name=find><button>').say("Find").markup("</button>")
        area.markup('</form></div>\n<div id="left">').element("div class=h", "Shelves").markup("<ul>\n")
        self._shelves(sheet)
        area.markup("</ul>").element("p", self.notices[0]).markup('</div>\n<div id="middle">\n')
        return sheet

    def _shelves(self, sheet: Sheet) -> None:
        shelves: list[Entry] = self.shelves
        for target, text in shelves:
            sheet.template.markup("<li>").link(target, text)
            sheet.template.element("small", f" ({Writer(target).number()})").markup("</li>\n")

    def _below(self, sheet: Sheet) -> Sheet:
        area = sheet.template.markup('</div>\n<div id="foot">')
        for heading, notice in zip(("Payment", "Delivery", "Returns", "Our house"), self.notices[1:]):
            area.element("h4", heading).element("p", notice).markup("\n")
        area.markup("</div>")
        return sheet.tail()
