"""A blog that says by elements and ARIA roles what is what: header, nav, main, aside, footer."""

from __future__ import annotations

from collections.abc import Iterator

from sites.hard.parts import comments, entries, pager, paragraphs, table
from sites.hard.sheets import Sheet, slices, titles
from sites.words import Writer

_MENU = (
    ("/", "Home"),
    ("/blog/", "All posts"),
    ("/about.html", "About us"),
    ("/visit.html", "Plan a visit"),
    ("/help.html", "Help"),
)


def nav_tags(seed: str) -> Iterator[Sheet]:
    """Yield the pages: home, a list in three pages, 13 posts, three pages of the menu."""
    site = _Blog(seed)
    yield site.home()
    yield from site.lists()
    for number in range(len(site.posts)):
        yield site.post(number)
    for path, title in _MENU[2:]:
        yield site.plain(path, title)


class _Blog:
    """The blog: its name, its posts, and its frame."""

    def __init__(self, seed: str) -> None:
        self.seed = f"nav tags {seed}"
        self.writer = Writer(self.seed)
        self.name = f"The {self.writer.place()} Notebook"
        self.posts = titles(self.seed, "/blog/post-{}.html", 13)
        self.tags = [(f"/tag/{n}.html", self.writer.nouns()) for n in range(24)]
        self.notices = [self.writer.paragraph(3) for _ in range(4)]

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
