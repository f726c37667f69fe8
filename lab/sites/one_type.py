"""Generated sites of one page type: things that are one for a reader, and articles above other titles.

*Whole things*: each page has one of ``THINGS``, and a paragraph before and behind it.  Its parts are on most
pages (labels, heading rows, imports, "yes" and "no"), as a whole it is on one.  The other pages of the site
are articles.

*Article sites*: under articles of 60 to 400 words some pages have a list of forty other titles, once or
twice, inside ``main``: links, days with links, or teasers.

Equal seeds make equal sites, in every process.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from lab.sites.words import Writer

LISTED = 40
_SERVICES = ("Sauna", "Crane", "Fuel", "Water", "Power", "Wifi", "Slipway", "Café")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_HOURS = ("closed", "9-17", "9-20", "10-16")
_TEAMS = ("Terns", "Gulls", "Herons", "Auks", "Skuas", "Petrels")


@dataclass(frozen=True)
class OneTypePage:
    """A page and its truth.

    wholes   texts that its content has whole, white space folded
    content  all of its content
    """

    path: str
    html: str
    wholes: tuple[str, ...]
    content: str


def _table(rows: list[list[str]], head: list[str] | None = None) -> str:
    heads = "".join(f"<th>{cell}</th>" for cell in head or [])
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{f'<tr>{heads}</tr>' if head else ''}{body}</table>"


def _words(rows: list[list[str]]) -> str:
    return " ".join(" ".join(row) for row in rows)


def _highlighted(code: str) -> str:
    marked = re.sub(r"\w+|[^\w\s]+", lambda match: f"<span class=n>{escape(match[0])}</span>", code)
    return f"<div class=highlight><pre><code>{marked}</code></pre></div>"


def _heading_row(writer: Writer) -> tuple[str, list[str]]:
    head = ["Part", "Pieces", "Colour"]
    rows = [[writer.noun(), str(writer.number()), writer.adjective()] for _ in range(5)]
    return _table(rows, head), [_words([head, *rows])]


def _code(writer: Writer) -> tuple[str, list[str]]:
    name = writer.noun()
    code = f"import numpy as np\nimport pandas as pd\n\n{name} = pd.read('{writer.noun()}')\nprint({name})"
    return _highlighted(code), [code]


def _example(writer: Writer) -> tuple[str, list[str]]:
    code, output = (
        f">>> from norvik import pier\n>>> pier.load({writer.number()})",
        f"{writer.number()} boats\nDone",
    )
    html = f"<h3>Example</h3>{_highlighted(code)}<p>Output:</p><pre>{output}</pre>"
    return html, ["Example", code, "Output:", output]


def _line_score(writer: Writer) -> tuple[str, list[str]]:
    head = ["Team", *map(str, range(1, 10)), "Sum"]
    rows = []
    for team in writer.chance.sample(_TEAMS, 2):
        runs = writer.chance.choices((0, 1, 2), (5, 2, 1), k=9)
        rows.append([team, *map(str, runs), str(sum(runs))])
    return _table(rows, head), [_words([head, *rows])]


def _answers(writer: Writer) -> list[list[str]]:
    return [[service, writer.chance.choice(("yes", "yes", "no"))] for service in _SERVICES]


def _yes_no_table(writer: Writer) -> tuple[str, list[str]]:
    answers = _answers(writer)
    return f"<h2>On site</h2>{_table(answers)}", [_words(answers)]


def _yes_no_list(writer: Writer) -> tuple[str, list[str]]:
    answers = _answers(writer)
    return f"<ul>{''.join(f'<li><b>{name}:</b> {said}</li>' for name, said in answers)}</ul>", [
        " ".join(f"{name}: {said}" for name, said in answers)
    ]


def _opening_hours(writer: Writer) -> tuple[str, list[str]]:
    hours = [[day, writer.chance.choice(_HOURS)] for day in _DAYS]
    return _table(hours), [_words(hours)]


THINGS: dict[str, Callable[[Writer], tuple[str, list[str]]]] = {
    "heading row": _heading_row,
    "code": _code,
    "example": _example,
    "line score": _line_score,
    "yes/no table": _yes_no_table,
    "yes/no list": _yes_no_list,
    "opening hours": _opening_hours,
}
"""Name of a thing -> what writes its HTML and the texts that are whole."""


def _page(path: str, title: str, main: str) -> str:
    nav = "<nav><a href=/>Home</a> <a href=/ref>Reference</a> <a href=/about>About us</a></nav>"
    foot = "<footer>Norvik harbour board</footer>"
    return f"<title>{title}</title><body>{nav}<main><h1>{title}</h1>{main}</main>{foot}</body>"


def generate_whole_things(thing: str, share: float, pages: int = 50, seed: object = 1) -> list[OneTypePage]:
    """Return pages with one of ``THINGS``, and so many others that they are a share of all."""
    made: list[OneTypePage] = []
    chance = Writer(f"{thing} {share} {seed}").chance
    while sum(bool(page.wholes) for page in made) < pages:
        path = f"/p/{len(made)}"
        writer = Writer(f"{thing} {share} {seed} {path}")
        title, before, behind = writer.title(), writer.paragraph(3), writer.paragraph(3)
        html, wholes = (
            THINGS[thing](writer) if chance.random() < share else (f"<p>{writer.paragraph(5)}</p>", [])
        )
        main = f"<p>{before}</p>{html}<p>{behind}</p>"
        folded = tuple(" ".join(whole.split()) for whole in wholes)
        made.append(OneTypePage(path, _page(path, title, main), folded, f"{title} {before} {behind}"))
    return made


def generate_articles_with_list(
    kind: str, share: float, times: int, pages: int = 60, seed: object = 1
) -> list[OneTypePage]:
    """Return articles, of which a share has a list of other titles below it, once or twice.

    kind  "links", "dates" or "teasers"
    """
    site = Writer(f"{kind} {share} {times} {seed}")
    entries = [(site.title(), f"{site.number() % 28 + 1} March", site.sentence()) for _ in range(LISTED)]
    forms = {
        "links": "<li><a href=/a/{0}>{1}</a></li>",
        "dates": "<li>{2} <a href=/a/{0}>{1}</a></li>",
        "teasers": "<div><h3><a href=/a/{0}>{1}</a></h3><p>{3}</p></div>",
    }
    listed = "".join(forms[kind].format(number, *entry) for number, entry in enumerate(entries))
    made = []
    for number in range(pages):
        path = f"/a/{number}"
        writer = Writer(f"{kind} {share} {times} {seed} {path}")
        title, least = writer.title(), writer.chance.randrange(60, 400)
        texts = [writer.paragraph(3)]
        while sum(len(text.split()) for text in texts) < least:
            texts.append(writer.paragraph(3))
        heads = ("Archive", "More")[:times] if writer.chance.random() < share else ()
        lists = "".join(f"<h2>{head}</h2>{listed}" for head in heads)
        main = "".join(f"<p>{text}</p>" for text in texts) + lists
        made.append(OneTypePage(path, _page(path, title, main), (), " ".join([title, *texts])))
    return made
