"""A newspaper: teasers of other stories around and inside each story, other ones on each page."""

from __future__ import annotations

from collections.abc import Iterator

from sites.hard.parts import comments, entries
from sites.hard.sheets import Sheet, titles
from sites.words import Writer

STORIES, SECTIONS = 16, ("Town", "Country", "Trade")


def news(seed: str) -> Iterator[Sheet]:
    """Yield the pages: the front page, three sections, 16 stories."""
    paper = _Paper(seed)
    yield paper.front()
    for section in range(len(SECTIONS)):
        yield paper.section(section)
    for number in range(STORIES):
        yield paper.story(number)


class _Paper:
    """The newspaper: its name, its stories, and its frame."""

    def __init__(self, seed: str) -> None:
        self.seed = f"news {seed}"
        self.writer = Writer(self.seed)
        self.name = f"{self.writer.place()} Gazette"
        self.stories = titles(self.seed, "/story/{}.html", STORIES)
        self.sections = [(f"/{name.lower()}/", name) for name in SECTIONS]
        self.notices = [self.writer.paragraph(2) for _ in range(6)]

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
        """Write a story as an entry of a listing."""
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
