"""The templates of generated sites: what a site puts around the content of its pages.

A template is a function of a site's furniture and a draft; it returns an area whose words and links are
the template's own, and whose HTML holds the content as it was drafted.  To add a template, write such a
function and name it in TEMPLATES.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from lab.sites.areas import Area, written
from lab.sites.words import Writer

Entry = tuple[str, str]
"""Path and text of a link."""

_METAS = """description keywords author robots generator theme-color referrer rating news_keywords
application-name format-detection color-scheme geo.region geo.placename""".split()


@dataclass(frozen=True)
class Furniture:
    """What all pages of a site share.

    menu      the sections, of which one at most is active on a page
    service   imprint and the like
    popular   links to a few articles
    shelves   links to the listings of goods
    chapters  table of contents of the manual
    notices   paragraphs that every page repeats
    """

    name: str
    menu: Sequence[Entry]
    service: Sequence[Entry]
    popular: Sequence[Entry]
    shelves: Sequence[Entry]
    chapters: Sequence[Entry]
    notices: Sequence[str]


@dataclass(frozen=True)
class Draft:
    """A page before it is put into its template.

    section         path of the active menu entry, "" for none
    kind            what sort of page it is: article, print, list, product ...
    before, after   paths of the pages before and after it in a sequence, "" for none
    original        path of the page that it nearly repeats, "" for none
    """

    path: str
    kind: str
    template: str
    title: str
    section: str
    before: str = ""
    after: str = ""
    original: str = ""
    content: Area = field(default_factory=Area, compare=False)


Template = Callable[[Furniture, Draft], Area]


def _head(site: Furniture, draft: Draft) -> str:
    """Return the head: none of its words is seen on the page, and the number of metas varies."""
    writer = Writer(f"head {site.name} {draft.path}")
    names = writer.chance.sample(_METAS, writer.chance.randrange(2, len(_METAS)))
    metas = "\n".join(f'<meta name="{name}" content="{written(writer.title())}">' for name in names)
    turns = "".join(
        f'<link rel="{rel}" href="{path}">\n'
        for rel, path in (("prev", draft.before), ("next", draft.after))
        if path
    )
    return f"""<head>
<meta charset="utf-8">
<title>{written(draft.title)} &ndash; {written(site.name)}</title>
{metas}
{turns}<link rel="stylesheet" href="/look.css?v=3&amp;m=all">
<style>
nav > ul li {{ display: inline }} .active::after {{ content: "<>" }}
@media (max-width: 40em) {{ .side, aside {{ display: none }} }}
</style>
<script>
var page = {{ path: "{draft.path}", width: 1 < 2 && window.innerWidth > 0 }};
document.documentElement.className += " js"; page.hint = "<p>no paragraph<\\/p>";
</script>
<script type="application/ld+json">{{"@type": "WebPage", "name": "{written(site.name)}"}}</script>
</head>"""


def _menu(area: Area, site: Furniture, draft: Draft, *, active_is_link: bool) -> None:
    """Write the menu: the active entry is marked by a class, or is no link at all."""
    for path, text in site.menu:
        if path != draft.section:
            area.markup("<li>").link(path, text, attributes=f' title="{written(site.name)} > {text}"')
        elif active_is_link:
            area.markup('<li class="active">').link(path, text)
        else:
            area.markup("<li>").element('strong class="active"', text)
        area.markup("</li>\n")


def _entries(area: Area, entries: Sequence[Entry], before: str = "<li>", after: str = "\n") -> None:
    for path, text in entries:
        area.markup(before).link(path, text).markup(after)


def magazine(site: Furniture, draft: Draft) -> Area:
    """Write a page marked up with header, nav, main, aside and footer; list items stay open."""
    area = Area().markup(f'<!DOCTYPE html>\n<html lang="en">\n{_head(site, draft)}\n<body class=magazine>\n')
    area.markup('<!-- masthead <div class="old"> -->\n<header id="top">\n<a href="#main">')
    area.say("Skip to the text").markup('</a>\n<img src="/arms.png" alt="a > b" width=80 height=80>\n')
    area.element('div class="logo"', site.name).element("p", site.notices[0])
    area.markup('\n<nav aria-label="Sections > all"><ul>\n')
    _menu(area, site, draft, active_is_link=True)
    area.markup(
        '</ul></nav>\n<form action="/news/" role=search><input name=q placeholder="Search &hellip;"><button>'
    )
    area.say("Search").markup('</button></form>\n</header>\n<main id="main">\n')
    area.markup(draft.content.html).markup("\n</main>\n<aside>\n").element("h3", "Most read").markup("<ol>\n")
    _entries(area, site.popular)
    area.markup("</ol>\n").element('h3 class="box"', "Our newsletter").markup("<p>").say(site.notices[1])
    area.markup("\n<p>").say(site.notices[2]).markup("\n<ul class=shelves>\n")
    _entries(area, site.shelves)
    area.markup("</ul>\n").element("h3", "Opening hours").markup("\n<p>").say(site.notices[10])
    area.markup("\n<p>").say(site.notices[11]).markup(
        "\n</aside>\n<footer>\n<!--[if lt IE 9]><p>old</p><![endif]-->\n<ul>\n"
    )
    _entries(area, site.service)
    area.markup("</ul>\n<p>").say(f"© {site.name}. {site.notices[3]}").markup('\n<p><a href="#top">')
    area.say("Back to the top").markup("</a>\n</footer>\n<script>")
    return area.markup("if (1 < 2) { page.done = '</div>' }</script>\n</body>\n</html>\n")


def shop(site: Furniture, draft: Draft) -> Area:
    """Write a page of divs and tables that nothing marks; the active menu entry is no link."""
    area = Area().markup(f"<HTML>\n{_head(site, draft)}\n<BODY BGCOLOR=white>\n<div id=w1><div id=w2>\n")
    area.markup('<div class=r><div class=c1><IMG SRC="/arms.png" ALT="">').element("b", site.name)
    area.markup("<br>").say(site.notices[4]).markup("</div>\n<div class=c2><ul class=m>\n")
    _menu(area, site, draft, active_is_link=False)
    area.markup("</ul></div></div>\n<table width=100% cellpadding=0><tr valign=top><td class=k width=180>\n")
    area.element("div class=h", "Shelves").markup("\n")
    _entries(area, site.shelves, "<div class=e>", "</div>\n")
    area.element("div class=h", "Payment").element("div class=t", site.notices[5]).markup("\n")
    area.element("div class=h", "Delivery").element("div class=t", site.notices[6])
    area.markup("\n<td class=z>\n<div class=y>\n").markup(draft.content.html).markup("\n</div>\n</table>\n")
    area.markup('<div class=g><!-- service --><div onclick="if (a > b) go()">')
    _entries(area, site.service, "", " &nbsp;|&nbsp;\n")
    area.markup("</div><div>").say(site.notices[7]).markup(" ").say(site.notices[8])
    return area.markup(
        "</div></div>\n</div></div>\n<script src='/count.js?a=1&b=2'></script>\n</BODY></HTML>"
    )


def manual(site: Furniture, draft: Draft) -> Area:
    """Write a page of documentation, minified to a single line."""
    area = Area().markup(f'<!doctype html><html lang=en>{_head(site, draft)}<body><div class="bar"><ul>')
    _menu(area, site, draft, active_is_link=True)
    area.markup('</ul></div><div class="wrap"><div class="side">').element("p class=cap", "Contents")
    area.markup("<ol>")
    for path, text in site.chapters:
        area.markup("<li class=active>" if path == draft.path else "<li>").link(path, text)
    area.markup('</ol></div><div class="text">').markup(draft.content.html).markup(
        '</div></div><div class="turn">'
    )
    for path, text in ((draft.before, "Previous chapter"), (draft.after, "Next chapter")):
        if path:
            area.link(path, text, attributes=' data-key="->"').markup(" ")
    area.markup('</div><div class="end"><p>').say(site.notices[9]).markup("<p>")
    _entries(area, site.service, "", " ")
    area.markup("</div><script>page.line = 1 > 0;</script></body></html>")
    line = Area().markup(area.html.replace("\n", ""))
    line.words, line.links = area.words, area.links
    return line


TEMPLATES: dict[str, Template] = {"magazine": magazine, "shop": shop, "manual": manual}
