"""A tiny site whose figures can be counted by hand."""

from __future__ import annotations

from templcrawl.memory.observation import Observation
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation

URL = "http://tiny.example"


def separated(html: str, url: str, *, exact: bool = True, **fields: object) -> Observation:
    """Separate a page; what stands between [ and ] is content."""
    page = Page(html.replace("[", "<!--[-->").replace("]", "<!--]-->"), url)
    mask, side = [], False
    for form in page.tokens.form_of:
        side = {"<!--[-->": True, "<!--]-->": False}.get(page.tokens.forms[form], side)
        mask.append(side)
    spans = [(place, place + 1) for place, is_content in enumerate(mask) if is_content]
    return Observation(Separation(page, spans, exact=exact), **fields)  # type: ignore[arg-type]


def tiny_site() -> list[Observation]:
    """Return three pages: 4 of 10, 5 of 10 and none of 0 characters are content."""
    menu = "<nav>Menu12</nav>"
    return [
        separated(
            f"{menu}[<p>four</p>]",
            f"{URL}/1",
            leaf_id="tiny.example#a",
            link_pages=[2, 0, 3],
        ),
        separated(
            "<nav>Menu1</nav>[<p>fiver</p>]",
            f"{URL}/2",
            leaf_id="tiny.example#b",
            link_pages=[1],
            repeats=7,
        ),
        separated(
            "<hr>",
            "http://other.example/",
            leaf_id="other.example#c",
            exact=False,
        ),
    ]
