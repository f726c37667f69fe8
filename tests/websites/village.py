"""A generated web site: the village of Lindenau, whose pages are known by construction.

Three templates: *news* (marked up with nav, aside and footer), *market* (unmarked div soup with tables),
*handbook* (minified to a single line).  A paginated list, a menu whose active entry moves, print
versions that nearly repeat their article, and a calendar without end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tests.websites.prose import Writer

ARTICLES, STALLS, CHAPTERS, PER_LIST = 60, 48, 36, 10
_SECTIONS = (("/", "Village"), ("/news/", "News"), ("/market/", "Market"), ("/handbook/", "Handbook"))
_SERVICE = (("/imprint.html", "Imprint"), ("/privacy.html", "Privacy"), ("/contact.html", "Contact"))


@dataclass(frozen=True)
class VillagePage:
    """A page and the truth about it.

    template  news, market, handbook
    content   HTML of what this page adds to its template
    """

    path: str
    template: str
    content: str
    html: str


def _menu(active: str) -> str:
    """The menu; the active entry is no link."""
    entries = (
        f'<strong class="here">{name}</strong>' if path == active else f'<a href="{path}">{name}</a>'
        for path, name in _SECTIONS
    )
    return "".join(f"<li>{entry}</li>" for entry in entries)


def _head(title: str, writer: Writer, meta: Sequence[str] = ("description",)) -> str:
    metas = "".join(f'<meta name="{name}" content="{writer.title()}">\n' for name in meta)
    return (
        f'<head>\n<meta charset="utf-8">\n<title>{title} &ndash; Lindenau</title>\n{metas}'
        "<style>nav li { display: inline } .here { font-weight: bold }</style>\n"
        "<script>if (1 < 2 && document.title) { console.log('<p>not a paragraph</p>') }</script>\n</head>"
    )


def _news(title: str, content: str, active: str, writer: Writer) -> str:
    recent = Writer("recent")
    teasers = "".join(f'<li><a href="/news/{n}.html">{recent.title()}</a>' for n in range(1, 6))
    service = "".join(f'<a href="{path}">{name}</a> | ' for path, name in _SERVICE)
    meta = ("description", "keywords", "author")[: writer.chance.randrange(1, 4)]
    return f"""<!DOCTYPE html>
<html lang="en">
{_head(title, writer, meta)}
<body>
<!-- top of the page -->
<header><a href="/" title="Home > Lindenau"><img src="/arms.png" alt="Arms"></a> Lindenau</header>
<nav><ul>{_menu(active)}</ul></nav>
<main>
{content}
</main>
<aside><h3>Lately in the news</h3><ul>{teasers}</ul>
<p>The office is open from nine to noon, and on Thursdays until dusk.</aside>
<footer>{service}&copy; the village of Lindenau, all rights reserved</footer>
</body>
</html>
"""


def _market(title: str, content: str, active: str, writer: Writer) -> str:
    service = "".join(f'<div class="lnk"><a href="{path}">{name}</a></div>' for path, name in _SERVICE)
    return f"""<html>
{_head(title, writer)}
<body bgcolor=white>
<div id=w><div class=t1><div class=t2><ul class=m>{_menu(active)}</ul></div>
<div class=q>Stalls are let by the day &amp; by the week. Ask at the weighing house.</div></div>
<div class=c1><div class=c2>
{content}
</div></div>
<div class=f1>{service}<div class=x>Weights and measures are checked on the first of the month.</div></div>
</div>
</body>
</html>
"""


def _handbook(title: str, content: str, active: str, writer: Writer) -> str:
    contents = "".join(
        f'<li><a href="/handbook/{n}.html">Chapter {n}</a></li>' for n in range(1, CHAPTERS + 1)
    )
    html = (
        f'<!DOCTYPE html><html>{_head(title, writer)}<body><div class="bar"><ul>{_menu(active)}</ul></div>'
        f'<div class="toc"><b>Contents</b><ol>{contents}</ol></div><div class="text">{content}</div>'
        '<div class="end">Handbook, third edition. <a href="/contact.html">Report a mistake</a>'
        "</div></body></html>"
    )
    return html.replace("\n", "")


_TEMPLATES: dict[str, Callable[[str, str, str, Writer], str]] = {
    "news": _news,
    "market": _market,
    "handbook": _handbook,
}


def _page(path: str, template: str, title: str, content: str, active: str = "") -> VillagePage:
    html = _TEMPLATES[template](title, content, active, Writer(path))
    return VillagePage(path, template, content, html)


def _article(number: int) -> tuple[str, str]:
    writer = Writer(f"article {number}")
    title = f"{writer.title()} ({number})"
    body = "".join(f"<p>{writer.paragraph()}" for _ in range(writer.chance.randrange(3, 9)))
    see = writer.chance.randrange(1, ARTICLES + 1)
    links = f'<p>See also <a href="/news/{see}.html">another story</a>.'
    if number % 4 == 0:
        links += f' <a href="/print/{number}.html">Print</a>'
    return title, f"<h1>{title}</h1><p class=by>by {writer.name()}{body}{links}"


def _lists() -> Iterator[VillagePage]:
    """The news, ten to a page, with numbers and a next link."""
    pages = -(-ARTICLES // PER_LIST)
    for page in range(1, pages + 1):
        numbers = range((page - 1) * PER_LIST + 1, min(page * PER_LIST, ARTICLES) + 1)
        rows = "".join(
            f'<article><h2><a href="/news/{n}.html">{_article(n)[0]}</a></h2>'
            f"<p>{Writer(f'article {n}').paragraph(2)}</article>"
            for n in numbers
        )
        pager = "".join(f'<a href="{_list_path(n)}">{n}</a> ' for n in range(1, pages + 1) if n != page)
        if page < pages:
            pager += f'<a rel="next" href="{_list_path(page + 1)}">next</a>'
        content = f"<h1>News, page {page}</h1>{rows}<div class=pager>{pager}</div>"
        yield _page(_list_path(page), "news", f"News {page}", content, "/news/" if page == 1 else "")


def _list_path(page: int) -> str:
    return "/news/" if page == 1 else f"/news/page/{page}/"


@lru_cache(maxsize=1)
def finite_pages() -> dict[str, VillagePage]:
    """Return path -> page of all pages but the calendar's, in a fixed order."""
    pages = [
        _page(
            "/",
            "news",
            "Welcome",
            f"<h1>Welcome</h1><p>{Writer('home').paragraph(6)}"
            '<p>What is on: <a href="/calendar/2026/1.html">the calendar</a>.',
            "/",
        ),
        *_lists(),
    ]
    for number in range(1, ARTICLES + 1):
        title, content = _article(number)
        pages.append(_page(f"/news/{number}.html", "news", title, content))
        if number % 4 == 0:
            copy = content.replace("by ", "Print version, by ", 1)
            pages.append(_page(f"/print/{number}.html", "news", title, copy))
    stalls = [(number, Writer(f"stall {number}")) for number in range(1, STALLS + 1)]
    rows = "".join(
        f'<tr><td><a href="/market/{n}.html">Stall {n}</a><td>{writer.name()}<td>{writer.sentence()}'
        for n, writer in stalls
    )
    pages.append(_page("/market/", "market", "Market", f"<table>{rows}</table>", "/market/"))
    for number, writer in stalls:
        goods = "".join(
            f"<tr><td>{writer.title()}<td>{writer.chance.randrange(1, 99)} coins" for _ in range(9)
        )
        content = (
            f"<div class=h>Stall {number}: {writer.name()}</div><table>{goods}</table>{writer.paragraph(6)}"
        )
        pages.append(_page(f"/market/{number}.html", "market", f"Stall {number}", content))
    pages.append(_page("/handbook/", "handbook", "Handbook", Writer("handbook").paragraph(8), "/handbook/"))
    for number in range(1, CHAPTERS + 1):
        writer = Writer(f"chapter {number}")
        content = f"<h1>{number}. {writer.title()}</h1>" + "".join(
            f"<h2>{writer.title()}</h2><p>{writer.paragraph(6)}</p>" for _ in range(4)
        )
        pages.append(_page(f"/handbook/{number}.html", "handbook", f"Chapter {number}", content))
    for path, name in _SERVICE:
        pages.append(_page(path, "news", name, f"<h1>{name}</h1><p>{Writer(name).paragraph(7)}"))
    return {page.path: page for page in pages}


def calendar_page(year: int, month: int) -> VillagePage:
    """Return a month of the calendar without end: a few new words, and links to the months around it."""
    path = f"/calendar/{year}/{month}.html"
    after, before = year * 12 + month, year * 12 + month - 2
    around = "".join(
        f'<a href="/calendar/{n // 12}/{n % 12 + 1}.html">{name}</a> '
        for n, name in ((before, "before"), (after, "after"))
    )
    content = f"<h1>{month}/{year}</h1><p>{Writer(path).sentence()}<div>{around}</div>"
    return _page(path, "news", f"{month}/{year}", content)


def find_page(path: str) -> VillagePage | None:
    """Return the page at a path, None if there is none."""
    page = finite_pages().get(path)
    if page is None and path.startswith("/calendar/"):
        parts = path.removesuffix(".html").split("/")[2:]
        if len(parts) == 2 and all(part.isdigit() for part in parts) and 1 <= int(parts[1]) <= 12:
            return calendar_page(int(parts[0]), int(parts[1]))
    return page
