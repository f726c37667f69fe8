"""The pages that benchmarks read: generated ones of several sizes, or saved ones from any folder.

Imported by benchmarks, not run.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lab.sites.words import Writer
from templcrawl.page.text import decode

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


def saved(folder: str, count: int = 200) -> list[tuple[str, str]]:
    """Return (URL, HTML) of the saved pages of a folder, one in so many, in the order of their paths."""
    paths = [path for path in sorted(Path(folder).rglob("*.htm*")) if path.is_file()]
    step = max(1, len(paths) // count)
    return [
        (f"http://saved.example/{path.relative_to(folder).as_posix()}", decode(path.read_bytes()))
        for path in paths[::step]
    ]
