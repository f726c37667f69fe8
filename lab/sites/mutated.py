"""Pages of generated sites and hostile pages, damaged at random: equal seeds make equal pages everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from lab.sites.generated import generate_demo_site
from lab.sites.hostile import HOSTILE_PAGES

PIECES = (
    *("<", ">", "</", "/>", '"', "'", "=", "&", "&#", "&#x", ";", "\0", "\ufeff", "\u2028", "\r", "\ud800"),
    *("<!--", "-->", "<!", "<?", "]]>", "<![CDATA[", "&amp", "&nbsp;", "&#1114112;", "&notin;"),
    *("<p>", "</p>", "<br/>", "<div ", "</div>", "<table>", "<tr>", "<td>", "<template>", "</template>"),
    *("<script>", "</script>", "<style>", "<title>", "<textarea>", "<plaintext>", "<svg>", "<math>"),
    *("<a href=", "<base href=//", ' class="', " rel=next", " role=navigation", "<nav>", "<body>", "</html>"),
    *("<select><option>", "<ul><li>", "<h1>", "</h2>", "<form>", "<iframe srcdoc=", "<noscript>"),
)
LONGEST = 6_000


def seeds() -> list[str]:
    site = generate_demo_site()
    pages = [page.html[:LONGEST] for page in [*site.pages.values()][::7]]
    return pages + [make()[:LONGEST].decode("utf-8", "replace") for make in HOSTILE_PAGES.values()]


def damaged(html: str, chance: Random) -> str:
    """Return a page with some damage: pieces put in, taken out, repeated, moved; its end cut off."""
    for _ in range(chance.choice((1, 1, 2, 4, 8, 16))):
        start = chance.randrange(len(html) + 1)
        end = min(len(html), start + chance.choice((1, 2, 5, 40, 300)))
        way = chance.randrange(6)
        if way == 0:
            html = html[:start] + chance.choice(PIECES) + html[start:]
        elif way == 1:
            html = html[:start] + html[end:]
        elif way == 2:
            html = html[:end] + html[start:end] * chance.choice((1, 3)) + html[end:]
        elif way == 3:
            to = chance.randrange(len(html) + 1)
            html = html[:to] + html[start:end] + html[to:]
        elif way == 4:
            html = html[:start] + chance.choice(PIECES) + html[end:]
        elif chance.random() < 0.2:
            html = html[:start]
    return html[: 2 * LONGEST]


def damaged_pages(count: int, seed: str) -> Iterator[str]:
    """Yield damaged pages; every third is damage on top of an earlier one."""
    chance = Random(seed)
    pool = seeds()
    for number in range(count):
        at = chance.randrange(len(pool))
        page = damaged(pool[at], chance)
        if number % 3 == 0:
            pool[at] = page
        yield page
