"""Generated sites with known tables: a shop, a forum, a job board and a list of events.

A record page has a title, fields and a paragraph; a listing has nine records with title, link and a field;
a thread has posts.  The *layout* says how fields are marked up: in a table, in a definition list, in a list
with bold labels, in paragraphs before a colon, or by class words alone, with labels left out.  A *trouble* is
what real sites do: ``missing`` fields, ``reordered`` fields, ``reduced`` prices in other elements, ``units``
that change, another ``language``.

Equal seeds make equal sites, in every process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from lab.sites.areas import written
from lab.sites.words import Writer

RECORDS, LISTED = 36, 9
MISSING = 0.25  # of the fields, each by itself
REDUCED = 0.33  # of the prices
TROUBLES = ("", "missing", "reordered", "reduced", "units", "language")
_MONTHS = ("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober")

Fields = list[tuple[str, str]]  # name and value


@dataclass(frozen=True)
class TablePage:
    """A page and its truth.

    kind    "record", "listing" or "start"
    values  field -> its text
    rows    the records that it lists, or the posts of a thread: field -> text
    """

    path: str
    html: str
    kind: str
    values: Mapping[str, str] = field(default_factory=dict)
    rows: Sequence[Mapping[str, str]] = ()


_GERMAN = {
    "Price": "Preis", "Brand": "Marke", "Weight": "Gewicht", "SKU": "Artikelnummer", "Author": "Autor",
    "Posted": "Erstellt", "Views": "Aufrufe", "Company": "Firma", "Place": "Ort", "Salary": "Gehalt",
    "Contract": "Vertrag", "Date": "Datum", "Venue": "Halle", "Organiser": "Veranstalter", "Seats": "Plätze",
}  # fmt: skip


def _day(writer: Writer, language: bool) -> str:
    if not language:
        return writer.date()
    chance = writer.chance
    return f"{chance.randrange(1, 29)}. {chance.choice(_MONTHS)} {chance.randrange(2015, 2026)}"


def _amount(writer: Writer, language: bool) -> str:
    amount = f"{writer.number()}.{writer.chance.randrange(10, 100)}"
    return f"{amount.replace('.', ',')} €" if language else f"£{amount}"


def _goods(writer: Writer, number: int, trouble: str) -> Fields:
    weight = f"{writer.number()} g"
    if trouble == "units" and writer.chance.random() < 0.5:
        weight = f"{writer.number() / 100} kg"
    return [
        ("Price", _amount(writer, trouble == "language")),
        ("Brand", writer.place()),
        ("Weight", weight),
        ("SKU", f"{writer.noun()}-{number}"),
    ]


def _thread(writer: Writer, number: int, trouble: str) -> Fields:
    return [
        ("Author", writer.name()),
        ("Posted", _day(writer, trouble == "language")),
        ("Views", f"{number}{writer.number()}"),
    ]


def _job(writer: Writer, number: int, trouble: str) -> Fields:
    contract = writer.chance.choice(("Full time", "Part time", "Freelance"))
    return [
        ("Company", writer.name()),
        ("Place", writer.place()),
        ("Salary", _amount(writer, trouble == "language")),
        ("Contract", contract),
        ("Posted", _day(writer, trouble == "language")),
    ]


def _event(writer: Writer, number: int, trouble: str) -> Fields:
    return [
        ("Date", _day(writer, trouble == "language")),
        ("Venue", f"{writer.place()} hall"),
        ("Organiser", writer.name()),
        ("Seats", f"{writer.number()}"),
    ]


KINDS: Mapping[str, Callable[[Writer, int, str], Fields]] = {
    "shop": _goods,
    "forum": _thread,
    "jobs": _job,
    "events": _event,
}
"""Kind of site -> what makes the fields of a record."""


def _reduced(value: str, was: str) -> str:
    return f"<del>{written(was)}</del> <ins>{written(value)}</ins>" if was else written(value)


def _table(rows: Sequence[tuple[str, str, str]]) -> str:
    cells = "".join(f"<tr><th>{label}</th><td>{value}</td></tr>\n" for _, label, value in rows)
    return f'<table class="facts">{cells}</table>'


def _definitions(rows: Sequence[tuple[str, str, str]]) -> str:
    return f"<dl>{''.join(f'<dt>{label}</dt><dd>{value}</dd>' for _, label, value in rows)}</dl>"


def _items(rows: Sequence[tuple[str, str, str]]) -> str:
    items = "".join(f"<li><b>{label}:</b> {value}</li>" for _, label, value in rows)
    return f'<ul class="facts">{items}</ul>'


def _paragraphs(rows: Sequence[tuple[str, str, str]]) -> str:
    return "".join(f"<p>{label}: {value}</p>\n" for _, label, value in rows)


def _classes(rows: Sequence[tuple[str, str, str]]) -> str:
    spans = "".join(f'<div><span class="{name.lower()}">{value}</span></div>' for name, _, value in rows)
    return f'<div class="facts">{spans}</div>'


LAYOUTS: Mapping[str, Callable[[Sequence[tuple[str, str, str]]], str]] = {
    "table": _table,
    "definitions": _definitions,
    "items": _items,
    "paragraphs": _paragraphs,
    "classes": _classes,
}
"""Layout -> what writes name, label and HTML of the value of each field so."""


def generate_table_site(kind: str, layout: str, trouble: str = "", seed: object = 1) -> list[TablePage]:
    """Return the pages of a site: the start page, listings of ``LISTED`` records, ``RECORDS`` records.

    kind, layout, trouble  of ``KINDS``, ``LAYOUTS`` and ``TROUBLES``
    """
    site = f"{kind} {layout} {trouble} {seed}"
    records = [_record(site, kind, layout, trouble, number) for number in range(RECORDS)]
    lists = []
    for first in range(0, RECORDS, LISTED):
        rows = records[first : first + LISTED]
        lists.append(_listing(site, f"/list/{first}.html", rows))
    links = "".join(f'<li><a href="{page.path}">Part {number}</a></li>' for number, page in enumerate(lists))
    start = TablePage("/", _framed(site, "/", kind, f"<h1>{kind}</h1><ul>{links}</ul>"), "start")
    return [start, *lists, *records]


def _record(site: str, kind: str, layout: str, trouble: str, number: int) -> TablePage:
    writer = Writer(f"{site} record {number}")
    title = f"{writer.title()} {number}"
    fields = KINDS[kind](writer, number, trouble)
    if trouble == "missing":
        fields = [one for one in fields if writer.chance.random() >= MISSING]
    if trouble == "reordered":
        writer.chance.shuffle(fields)
    rows = []
    for name, value in fields:
        label = _GERMAN[name] if trouble == "language" else name
        is_reduced = trouble == "reduced" and value[0] == "£" and writer.chance.random() < REDUCED
        was = f"£{writer.number()}.99" if is_reduced else ""
        rows.append((name, label, _reduced(value, was)))
    posts = _posts(writer) if kind == "forum" else []
    thread = "".join(
        f'<div class="post"><a class="poster" href="/user/{number}">{written(post["poster"])}</a>'
        f'<span class="when">{post["when"]}</span><p>{written(post["said"])}</p></div>\n'
        for number, post in enumerate(posts)
    )
    path = f"/{kind}/{number}.html"
    content = (
        f'<article class="{kind}"><h1>{written(title)}</h1><img class="photo" src="/photo/{number}.jpg">'
        f"{LAYOUTS[layout](rows)}<p>{written(writer.paragraph(3))}</p>{thread}</article>"
    )
    html = _framed(site, path, title, content)
    return TablePage(path, html, "record", {"title": title, **dict(fields)}, posts)


def _posts(writer: Writer) -> list[dict[str, str]]:
    return [
        {"poster": writer.name(), "when": writer.date(), "said": writer.paragraph(2)}
        for _ in range(writer.chance.randrange(3, 7))
    ]


def _listing(site: str, path: str, records: Sequence[TablePage]) -> TablePage:
    rows, items = [], []
    for page in records:
        name, value = next((one for one in page.values.items() if one[0] != "title"), ("", ""))
        title = page.values["title"]
        rows.append({"title": title, "title_url": page.path, **({"detail": value} if name else {})})
        detail = f'<span class="detail">{written(value)}</span>' if name else ""
        items.append(f'<li class="entry"><a href="{page.path}"><h3>{written(title)}</h3></a>{detail}</li>\n')
    html = f'<h1>From {path[6:-5]}</h1><ul class="results">{"".join(items)}</ul>'
    return TablePage(path, _framed(site, path, "list", html), "listing", {}, rows)


def _framed(site: str, path: str, title: str, content: str) -> str:
    """Return the HTML of a page: its content within what the pages of the site share."""
    writer, page = Writer(site), Writer(f"{site} frame {path}")
    menu = "".join(f'<li><a href="/part/{number}">{writer.noun()}</a></li>' for number in range(8))
    return (
        f"<!DOCTYPE html><html><head><title>{written(title)}</title></head>\n"
        f'<body class="site"><header class="top"><a href="/">{writer.place()}</a>'
        f'<nav><ul>{menu}</ul></nav></header>\n<main class="main">{content}</main>\n'
        f'<footer class="bottom"><p>© 2024 {writer.place()}. All rights reserved.</p>'
        f"<p>Readers online: {page.number()}</p></footer></body></html>\n"
    )
