"""Sites of short pages that are much alike.

news             a newspaper: teasers of other stories around and inside each story, other ones on each page
nav_tags         a blog that says by elements and ARIA roles what is what: header, nav, main, aside, footer
near_duplicates  a shop whose pages differ in few words: goods in three colours each, and a version for print
"""

from __future__ import annotations

from collections.abc import Iterator

from lab.sites.hard.sheets import Sheet, comments, entries, pager, paragraphs, row, slices, table, titles
from lab.sites.words import Writer

STORIES, SECTIONS = 16, ("Town", "Country", "Trade")


class News:
    """The newspaper: its name, its stories, and its frame."""

    def __init__(self, seed: str) -> None:
        self.seed = f"news {seed}"
        self.writer = Writer(self.seed)
        self.name = f"{self.writer.place()} Gazette"
        self.stories = titles(self.seed, "/story/{}.html", STORIES)
        self.sections = [(f"/{name.lower()}/", name) for name in SECTIONS]
        self.notices = [self.writer.paragraph(2) for _ in range(6)]

    def __iter__(self) -> Iterator[Sheet]:
        # the front page, three sections, 16 stories
        yield self.front()
        for section in range(len(SECTIONS)):
            yield self.section(section)
        for number in range(STORIES):
            yield self.story(number)

    def front(self) -> Sheet:
        sheet = self._above("/", "home", self.name)
        sheet.content.element("h1", "Today").markup("\n")
        for number in range(0, STORIES, 2):
            self._listed(sheet, number)
        return self._below(sheet, 0)

    def section(self, section: int) -> Sheet:
        path, title = self.sections[section]
        sheet = self._above(path, "section", title)
        sheet.content.element("h1", title).markup("\n")
        for number in range(section, STORIES, len(SECTIONS)):
            self._listed(sheet, number)
        return self._below(sheet, section)

    def story(self, number: int) -> Sheet:
        path, title = self.stories[number]
        writer = Writer(f"{self.seed} story {number}")
        sheet = self._above(path, "story", title)
        sheet.template.markup('<div class="crumbs">').link(*self.sections[number % 3]).markup("</div>\n")
        sheet.content.element("h1", title).element('p class="lead"', writer.paragraph(2)).markup("\n")
        sheet.template.markup('<div class="meta">').say("By ")
        sheet.content.link("/people", writer.name(), attributes=" rel=author")
        sheet.template.markup(" <time>").say("Published: ")
        sheet.content.say(writer.date()).markup("</time></div>\n")
        sheet.template.markup('<ul class="share"><li>').say("Share").markup("</li><li>").say("Send by mail")
        sheet.template.markup("</li><li>").say("Print").markup("</li></ul>\n")
        for paragraph in range(writer.chance.randrange(5, 10)):
            sheet.content.element("p", writer.paragraph(writer.chance.randrange(2, 5))).markup("\n")
            if paragraph == 1:
                self._teasers(sheet, writer, number, "Read also", 1)
            if paragraph == 3:
                sheet.template.element('div class="ad"', "Advertisement").markup('<div class="letter">')
                sheet.template.element("p", self.notices[0]).element("button", "Sign up")
                sheet.template.markup("</div>\n")
        sheet.template.markup("</div>\n")
        self._teasers(sheet, writer, number, "Related stories", 4)
        comments(sheet, writer, number % 3)
        return self._below(sheet, number)

    def _listed(self, sheet: Sheet, number: int) -> None:
        path, title = self.stories[number]
        sheet.content.markup('<div class="entry"><h2>').link(path, title).markup("</h2>")
        sheet.content.element("p", self._teaser(number)).markup("</div>\n")

    def _teaser(self, number: int) -> str:
        """Return the words of a story's teaser: the same wherever it stands."""
        return Writer(f"{self.seed} teaser {number}").paragraph(2)

    def _teasers(self, sheet: Sheet, writer: Writer, number: int, heading: str, count: int) -> None:
        """Write teasers of stories that are chosen for this page; half of them with a text."""
        others = [other for other in range(STORIES) if other != number]
        area = sheet.template.markup(f'<div class="box n{count}">').element("h3", heading).markup("\n")
        for place, other in enumerate(writer.chance.sample(others, count)):
            area.markup('<div class="teaser">').link(*self.stories[other])
            if place % 2:
                area.element("p", self._teaser(other))
            area.markup("</div>\n")
        area.markup("</div>\n")

    def _above(self, path: str, kind: str, title: str) -> Sheet:
        sheet = Sheet(path, kind).head(self.name, title, f'<body class="{kind}" data-page="{path}">')
        area = sheet.template.markup('<div class="consent">').element("p", self.notices[1])
        area.element("button", "Agree").markup(" ").element("button", "Settings").markup("</div>\n<header>")
        area.element("div class=name", self.name).element("div class=day", "Monday, 3 March 2025")
        area.markup("<ul>\n")
        for target, text in (("/", "Front page"), *self.sections, ("/weather", "Weather"), ("/jobs", "Jobs")):
            active = ' class="active"' if target == path else ""
            area.markup(f"<li{active}>").link(target, text).markup("</li>\n")
        latest = Writer(f"{self.seed} ticker {path}").chance.choice(self.stories)
        area.markup('</ul>\n<div class="ticker">').say("Just in: ").link(*latest).markup("</div></header>\n")
        area.markup('<div class="text">\n' if kind == "story" else "<div>\n")
        return sheet

    def _below(self, sheet: Sheet, number: int) -> Sheet:
        area = sheet.template.markup("</div>\n" if sheet.kind != "story" else "")
        area.markup("<aside>").element("h3", "Most read").markup("<ol>\n")
        entries(area, self.stories[3:9])
        area.markup("</ol>").element("h3", f"More from {SECTIONS[number % 3]}").markup("<ul>\n")
        entries(area, self.stories[number % 3 :: 3][:4])
        area.markup("</ul>").element("p", self.notices[2]).markup("</aside>\n<footer>")
        for notice in self.notices[3:]:
            area.element("p", notice)
        entries(
            area.markup("<ul>"), (("/imprint", "Imprint"), ("/subscribe", "Subscribe"), ("/faq", "Questions"))
        )
        area.markup("</ul></footer>")
        return sheet.tail()


_MENU = (
    ("/", "Home"),
    ("/blog/", "All posts"),
    ("/about.html", "About us"),
    ("/visit.html", "Plan a visit"),
    ("/help.html", "Help"),
)


class NavTags:
    """The blog: its name, its posts, and its frame."""

    def __init__(self, seed: str) -> None:
        self.seed = f"nav tags {seed}"
        self.writer = Writer(self.seed)
        self.name = f"The {self.writer.place()} Notebook"
        self.posts = titles(self.seed, "/blog/post-{}.html", 13)
        self.tags = [(f"/tag/{n}.html", self.writer.nouns()) for n in range(24)]
        self.notices = [self.writer.paragraph(3) for _ in range(4)]

    def __iter__(self) -> Iterator[Sheet]:
        # home, a list in three pages, 13 posts, three pages of the menu
        yield self.home()
        yield from self.lists()
        for number in range(len(self.posts)):
            yield self.post(number)
        for path, title in _MENU[2:]:
            yield self.plain(path, title)

    def home(self) -> Sheet:
        sheet = self._above("/", "home", self.name)
        paragraphs(sheet.content.element("h1", "Welcome"), Writer(f"{self.seed} home"), 3)
        for number in range(4):
            self._teaser(sheet, number)
        return self._below(sheet)

    def lists(self) -> Iterator[Sheet]:
        parts = slices(range(len(self.posts)), 5)
        paths = ["/blog/", *(f"/blog/page-{n}.html" for n in range(2, len(parts) + 1))]
        for number, (path, shown) in enumerate(zip(paths, parts), 1):
            sheet = self._above(path, "list", "All posts")
            sheet.content.element("h1", "All posts").markup("\n")
            for post in shown:
                self._teaser(sheet, post)
            pager(sheet.template, paths, number, 'nav aria-label="Pages" class="pager"')
            yield self._below(sheet)

    def post(self, number: int) -> Sheet:
        path, title = self.posts[number]
        writer = Writer(f"{self.seed} post {number}")
        sheet = self._above(path, "post", title)
        sheet.template.markup(f'<article id="post-{writer.number()}" class="post hentry">\n')
        sheet.content.element("h1", title)
        sheet.template.markup('<p class="meta">').say("Posted on ")
        sheet.content.element("time", writer.date())
        sheet.template.say(" by ")
        sheet.content.element("span", writer.name())
        sheet.template.say(" – reading time ")
        sheet.content.element("span", str(writer.chance.randrange(2, 9)))
        sheet.template.say(" minutes").markup("</p>\n")
        paragraphs(sheet.content, writer, writer.chance.randrange(3, 8))
        if number % 3 == 0:
            table(sheet.content.element("h2", writer.title()), writer, 4)
        sheet.template.markup("</article>\n<section aria-label=Comments>")
        comments(sheet, writer, number % 4)
        sheet.template.markup("</section>\n")
        return self._below(sheet)

    def plain(self, path: str, title: str) -> Sheet:
        sheet = self._above(path, "plain", title)
        paragraphs(sheet.content.element("h1", title), Writer(f"{self.seed} {path}"), 6)
        return self._below(sheet)

    def _teaser(self, sheet: Sheet, number: int) -> None:
        path, title = self.posts[number]
        sheet.content.markup('<article class="card"><h2>').link(path, title).markup("</h2>")
        sheet.content.element("p", Writer(f"{self.seed} teaser {number}").paragraph(3))
        sheet.template.link(path, "Read on", attributes=' class="more"').markup("</article>\n")

    def _above(self, path: str, kind: str, title: str) -> Sheet:
        sheet = Sheet(path, kind).head(self.name, title, f'<body class="{kind} page-{len(path)}">')
        area = sheet.template.markup('<a class="skip" href="#main">').say("Skip to content").markup("</a>\n")
        area.markup('<div role="dialog" aria-label="Cookies" class="cookies">')
        area.element("p", self.notices[0]).element("button", "Accept all").markup(" ")
        area.element("button", "Only what is needed").markup("</div>\n<header role=banner>\n")
        area.element("p class=logo", self.name).markup('<nav aria-label="Main"><ul>\n')
        for target, text in _MENU:
            current = ' aria-current="page"' if target == path else ""
            area.markup("<li>").link(target, text, attributes=current).markup("</li>\n")
        area.markup('</ul></nav>\n<form role=search action="/search"><label for=q>').say("Search this site")
        area.markup("</label><input id=q name=q><button>").say("Go").markup("</button></form>\n</header>\n")
        area.markup('<main role="main" id="main">\n')
        return sheet

    def _below(self, sheet: Sheet) -> Sheet:
        area = sheet.template.markup("</main>\n<aside role=complementary>\n").element("h2", "Latest posts")
        entries(area.markup("<ul>\n"), self.posts[:5])
        area.markup("</ul>\n").element("h2", "Tags").markup("<p>")
        entries(area, self.tags, "", " ")
        area.markup("</p>").element("h2", "Newsletter").element("p", self.notices[1])
        area.markup("\n</aside>\n<footer role=contentinfo>").element("p", self.notices[2])
        area.element("p", f"© 2025 {self.name}. {self.notices[3]}")
        entries(
            area.markup("<nav aria-label=Service><ul>"), (("/imprint", "Imprint"), ("/privacy", "Privacy"))
        )
        area.markup("</ul></nav></footer>")
        return sheet.tail()


COLOURS = ("walnut", "crimson", "ivory")
_SHOP_MENU = (
    ("/", "Shop"),
    ("/orders", "My orders"),
    ("/basket", "Basket (0)"),
    ("/help", "Help & contact"),
)


class NearDuplicates:
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

    def __iter__(self) -> Iterator[Sheet]:
        # the shop, then for five goods three variants and one version for print
        yield self.home()
        for number in range(len(self.goods)):
            for colour in COLOURS:
                yield self.variant(number, colour)
            yield self.printed(number)

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
        entries(area, _SHOP_MENU)
        area.markup('</ul><form action="/find"><input name=find><button>').say("Find").markup("</button>")
        area.markup('</form></div>\n<div id="left">').element("div class=h", "Shelves").markup("<ul>\n")
        for target, text in self.shelves:
            area.markup("<li>").link(target, text)
            area.element("small", f" ({Writer(target).number()})").markup("</li>\n")
        area.markup("</ul>").element("p", self.notices[0]).markup('</div>\n<div id="middle">\n')
        return sheet

    def _below(self, sheet: Sheet) -> Sheet:
        area = sheet.template.markup('</div>\n<div id="foot">')
        for heading, notice in zip(("Payment", "Delivery", "Returns", "Our house"), self.notices[1:]):
            area.element("h4", heading).element("p", notice).markup("\n")
        area.markup("</div>")
        return sheet.tail()
