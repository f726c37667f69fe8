"""Generated pages that benchmarks read and crawl: of several sizes, of many hosts, many of a few hosts.

Imported by benchmarks, not run.  Nothing here loads templcrawl: crawls of Scrapy alone load it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from lab.bench.crawl import Answer, Site
from lab.sites.words import Writer

SMALL, MEDIUM, LARGE = 6_000, 25_000, 90_000


def generated(size: int, count: int = 40) -> list[tuple[str, str]]:
    """Return (URL, HTML) of ``count`` pages of one template, each of about ``size`` characters.

    They link to each other.
    """
    entries = size // 450
    site = Writer(f"site {size}")
    menu = "".join(
        f'<li class="menu-item menu-item-{n}"><a class="entry" href="/section/{n}/">{site.title()}</a></li>\n'
        for n in range(entries)
    )
    return [(f"http://bench.example/pages/{n}.html", _page(size, n, menu, count)) for n in range(count)]


def _page(size: int, number: int, menu: str, count: int) -> str:
    writer = Writer(f"page {size} {number}")
    content = ""
    while len(content) < 0.6 * size:
        links = f'<a href="/pages/{writer.number() % count}.html">{writer.name()}</a>'
        content += f'<h2 id="s{len(content)}">{writer.title()}</h2>\n<p>{writer.paragraph()} {links}</p>\n'
        content += f'<ul class="list">\n<li><em>{writer.sentence()}</em></li>\n<li>{links}</li>\n</ul>\n'
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{writer.title()}</title>
<link rel="stylesheet" href="/style.css">
<script>var page = {number}; if (page < 3) {{ start("<b>") }}</script></head>
<body class="page"><header><a href="/" title="home > page">Home</a></header>
<nav><ul class="menu">
{menu}</ul></nav>
<!-- content -->
<main>{content}</main>
<aside><div class="box"><h3>Hours</h3><p>Open from nine to five.</p></div></aside>
<footer><a href="/imprint">Imprint</a> <a href="/contact">Contact</a> All rights reserved</footer>
</body></html>
"""


def link_dense(count: int = 40) -> list[tuple[str, str]]:
    """Return (URL, HTML) of ``count`` pages of 97 KB, as documentation has them: some 650 links each.

    A tree of 460 links that is the same on all, relative to the page; and 190 that are not.
    """
    site = Writer("documentation")
    names = [site.title() for _ in range(460)]
    return [
        (f"http://bench.example/part-{n % 10}/page-{n}.html", _documentation(n, names, count))
        for n in range(count)
    ]


def _documentation(number: int, names: Sequence[str], count: int) -> str:
    writer = Writer(f"documentation {number}")
    tree = "".join(
        f'<li class="toctree-l2"><a class="reference internal" href="{_up(n % count, n)}">{name}</a></li>\n'
        for n, name in enumerate(names)
    )
    entries = "".join(
        f'<dt><a class="reference" href="{_up(target, n)}"><code>{writer.name()}'
        f"</code></a></dt>\n<dd>{writer.sentence()}</dd>\n"
        for n, target in enumerate(writer.number() % count for _ in range(190))
    )
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{writer.title()}</title></head>
<body><nav class="toctree"><ul>
{tree}</ul></nav>
<main><h1>{writer.title()}</h1><p>{writer.paragraph()}</p>
<dl>
{entries}</dl></main>
<footer>Made by a generator of documentation</footer>
</body></html>
"""


def _up(number: int, part: int) -> str:
    return f"../part-{number % 10}/page-{number}.html#part-{part}"


@cache
def _pool() -> tuple[list[str], list[str]]:
    writer = Writer("broad crawl")
    return [writer.sentence() for _ in range(_POOL)], [writer.title() for _ in range(_POOL)]


_POOL, _MENU = 4_000, 24
_PARAGRAPHS = (20, 120)
"""Fewest and most paragraphs of a page; each has some 370 characters."""
ANSWERED = ("html", "json", "404")


@dataclass
class ManyHosts(Site):
    """Pages of 10 to 50 KB of many hosts, put together from one pool of sentences, a template a host.

    A page links to the host's other pages.  Answers that are no HTML link to none: there the crawl begins
    with all of them.

    hosts  how many
    each   pages of a host
    kind   what is answered: one of ``ANSWERED``
    """

    hosts: int
    each: int
    kind: str = "html"

    @property
    def start(self) -> Sequence[str]:  # type: ignore[override]
        numbers = range(1 if self.kind == "html" else self.each)
        return [f"http://h{host}.example/page/{number}" for number in numbers for host in range(self.hosts)]

    def answer(self, url: str) -> Answer:
        host, number = map(int, re.findall(r"\d+", url))
        if self.kind == "html":
            return Answer(self._html(host, number))
        if self.kind == "404":
            return Answer(self._html(host, number), 404)
        chance = Random(host * 1_000_003 + number)
        _, titles = _pool()
        records = [{"title": title} for title in chance.choices(titles, k=200)]
        body = json.dumps({"title": titles[number % _POOL], "records": records}).encode()
        return Answer(body, content_type="application/json")

    def links(self, response: Any, found: Sequence[str]) -> Iterable[str]:
        return (url for url in found if re.search(r"/page/\d+$", url))

    def item(self, response: Any) -> Any:
        if self.kind == "html":
            return super().item(response)
        return {"url": response.url, "title": response.json()["title"]}

    def _html(self, host: int, number: int) -> bytes:
        before, after = _template(host)
        sentences, titles = _pool()
        chance = Random(host * 1_000_003 + number)
        title = chance.choice(titles)
        count = round(chance.triangular(*_PARAGRAPHS, _PARAGRAPHS[0]))
        said = chance.choices(sentences, k=5 * count)
        text = "".join(f"<p>{' '.join(said[at : at + 5])}</p>\n" for at in range(0, len(said), 5))
        links = "".join(
            f'<li><a href="/page/{other}">{titles[(host + other) % _POOL]}</a></li>\n'
            for other in range(number + 1, min(self.each, number + 21))
        )
        head = f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        return f"{head}{before}<h1>{title}</h1>\n{text}<ul>{links}</ul>{after}</body></html>".encode()


@cache
def _template(host: int) -> tuple[str, str]:
    """Return what stands before the content of a host's pages, and after it."""
    chance = Random(host)
    sentences, titles = _pool()
    style = f"c{host % 97}"
    menu = "".join(
        f'<li class="{style}-item"><a class="{style}-entry" href="/section/{at}/">{title}</a></li>\n'
        for at, title in enumerate(chance.choices(titles, k=chance.randrange(6, 2 * _MENU)))
    )
    sides = " ".join(chance.choices(sentences, k=6))
    before = (
        f'<link rel="stylesheet" href="/{style}.css"></head>\n<body class="{style}"><header><a href="/">'
        f'Home of {host}</a></header>\n<nav><ul class="{style}-menu">\n{menu}</ul></nav>\n<main>\n'
    )
    return before, f'</main>\n<aside class="{style}-side"><p>{sides}</p></aside>\n<footer>Imprint</footer>\n'


@dataclass
class Numbered(Site):
    """So many numbered pages of four hosts: a menu that all pages of a host have, links and words of each."""

    count: int
    start = ("http://host0.example/0",)

    @property
    def urls(self) -> list[str]:
        """The addresses of all pages."""
        return [self.url_of(number) for number in range(self.count)]

    @staticmethod
    def url_of(number: int) -> str:
        return f"http://host{number % 4}.example/{number}"

    def answer(self, url: str) -> Answer:
        number = int(url.rpartition("/")[2])
        menu = "".join(f'<li><a href="{self.url_of(page)}">{page}</a></li>' for page in range(20))
        near = {*((factor * number + 1) % self.count for factor in (2, 3, 5)), (number + 1) % self.count}
        links = "".join(f'<p>See <a href="{self.url_of(page)}">page {page}</a>' for page in sorted(near))
        words = " ".join(f"word{number}x{count}" for count in range(40))
        html = (
            f"<title>{number}</title><ul>{menu}</ul><h1>{number}</h1><p>{words}</p>{links}<div>Imprint</div>"
        )
        return Answer(html.encode())

    def item(self, response: Any) -> Any:
        return {"url": response.url, "html": response.text}
