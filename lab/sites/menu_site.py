"""A small site of one template: the pages of its menu link to each other, their active entry included."""

from __future__ import annotations

from lab.sites.words import prose

MENU = ("home", "news", "team", "shop", "help")
TEMPLATE = ("Tea garden", *(name.title() for name in MENU), "Made by hand")


def path_of(name: str) -> str:
    return f"/{name}.html"


def page(name: str, links: str = "") -> str:
    """Return a page; menu pages are named after their entry."""
    entries = "".join(
        f"<li{' class=active' if one == name else ''}><a href='{path_of(one)}'>{one.title()}</a></li>"
        for one in MENU
    )
    return (
        f"<!DOCTYPE html><html><head><title>About {name}</title><link rel=stylesheet href=/style.css>"
        f"<script>var page = '{name}'</script></head><body><header><b>Tea garden</b></header>"
        f"<p>{links}</p><nav><ul>{entries}</ul></nav><main id=main><h1>About {name}</h1>"
        f"<p>{prose(name)}</p><p>{prose(name + ' again')}</p></main>"
        f"<footer>Made by hand</footer></body></html>"
    )


def pages() -> dict[str, str]:
    """Return path -> page: the menu's pages, and an article with links of its own before the menu."""
    found = {path_of(name): page(name) for name in MENU}
    found["/article.html"] = page("article", "<a href=/lost.html>lost</a> <a href=/note.html>note</a>")
    found["/note.html"] = page("note")
    found["/"] = found[path_of("home")]
    return found


GUIDE_MENU = ("Chapters", *(f"Chapter {number}" for number in range(9)))


def guide_site() -> dict[str, str]:
    """Return path -> page: the menu's pages, and the chapters of a guide, which have a menu of their own.

    The first chapter is long: its content has many more parts than that of any other page.
    """
    found = pages()
    chapters = "".join(f"<li><a href='/guide/{n}.html'>Chapter {n}</a></li>" for n in range(9))
    side = f"<aside><h2>Chapters</h2><ul>{chapters}</ul></aside>"
    for number in range(9):
        name = f"chapter {number}"
        parts = "".join(f"<h2>{name} part {part}</h2><p>{prose(f'{name} {part}')}</p>" for part in range(60))
        html = page(name).replace("<main id=main>", f"{side}<main id=main>{'' if number else parts}")
        found[f"/guide/{number}.html"] = html
    return found
