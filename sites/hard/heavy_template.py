"""Short notices inside a constant template many times as long: 1,200 words in 400 runs, half of it links."""

from __future__ import annotations

from collections.abc import Iterator

from sites.areas import Area
from sites.hard.parts import paragraphs
from sites.hard.sheets import Sheet, titles
from sites.words import Writer

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
