"""Small pages with a menu, for the tests of a site's memory."""

from __future__ import annotations

from lab.sites.words import prose
from templcrawl.page.page import Page

MENU = "".join(f"<li><a href='/{name}'>{name.title()}</a></li>" for name in ("home", "news", "team", "help"))


def article(number: int, *, extra: str = "", host: str = "example.org", text: str | None = None) -> Page:
    html = (
        f"<html><head><title>{number}</title></head><body><ul id=menu>{MENU}</ul>"
        f"<div id=main><h1>Title {number}</h1><p>{text or prose(number)}</p>{extra}</div>"
        "<div id=foot>Made by hand, all rights reserved</div></body></html>"
    )
    return Page(html, f"https://{host}/articles/{number}.html")


def listing(number: int, *, host: str = "example.org") -> Page:
    rows = "".join(
        f"<tr><td><a href='/articles/{number * 10 + row}.html'>Item {number * 10 + row}</a><td>{prose(row)}"
        for row in range(5)
    )
    pager = f"<div><a href='/list/{number - 1}.html'>previous</a>"
    pager += f" <a href='/list/{number + 1}.html'>next</a></div>"
    html = (
        f"<html><head><meta name=x></head><body><ul id=menu>{MENU}</ul><form><input><select><option>1"
        f"<option>2</select></form><table>{rows}</table>{pager}<hr><hr><i>x</i><b>y</b><u>z</u></body></html>"
    )
    return Page(html, f"https://{host}/list/{number}.html")
