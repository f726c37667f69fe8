"""Two crawls of a generated site, a month apart, for the commands of the documents to run on.

::

    january/example.org/...    154 pages: a magazine, a shop and a manual, saved as wget saves them
    february/example.org/...   with an article more, two articles edited, a product gone, and a notice on all
    types/news/, types/shop/   three example pages each
    shop/shop.example/...      another shop, a table of facts on each page of its 36 goods

Cost: a second.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lab.sites.generated import generate_demo_site
from lab.sites.table_sites import generate_table_site

_SIZE = {"products": 18, "chapters": 12}
_ARTICLES = 36
_NOTICE = '<div class="notice">We are moving to the harbour on Monday.</div>'
_GONE = "/shop/product-7.html"
_EDITED, _GROWN = "/news/article-5.html", "/news/article-9.html"
_ADDED = "<p>A reader has written since: the lantern was never lost.</p>"
_EXAMPLES = {"news": "/news/article-{}.html", "shop": "/shop/product-{}.html"}


def save_example_crawls(folder: Path) -> None:
    """Save both crawls, the examples and the shop in a folder."""
    january = {
        path: page.html for path, page in generate_demo_site(articles=_ARTICLES, **_SIZE).pages.items()
    }
    later = {
        path: page.html for path, page in generate_demo_site(articles=_ARTICLES + 1, **_SIZE).pages.items()
    }
    _save(folder / "january" / "example.org", january)
    _save(
        folder / "february" / "example.org",
        {path: _edited(path, later[path]) for path in later if path != _GONE},
    )
    for kind, path in _EXAMPLES.items():
        _save(
            folder / "types" / kind, {f"/{number}.html": january[path.format(number)] for number in (1, 2, 3)}
        )
    goods = generate_table_site("shop", "table", "missing")
    _save(folder / "shop" / "shop.example", {page.path: page.html for page in goods})


def _edited(path: str, html: str) -> str:
    """Return a page as it is in February."""
    head, body, rest = html.partition("<body")
    attributes, end, shown = rest.partition(">")
    above, main, text = shown.partition("<main")
    if path == _EDITED:
        text = text.replace(" was ", " was never ", 1)
    if path == _GROWN:
        text = text.replace("<h2>See also", f"{_ADDED}\n<h2>See also", 1)
    return "".join((head, body, attributes, end, _NOTICE, above, main, text))


def _save(folder: Path, pages: Mapping[str, str]) -> None:
    for path, html in pages.items():
        file = folder / (path.lstrip("/") + ("index.html" if path.endswith("/") else ""))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(html, encoding="utf-8")
