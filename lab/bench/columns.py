"""How well are the columns of page types found, by what pages declare of themselves and on generated sites?

*Saved sites.* A page may declare its name, price, author ... as schema.org, in JSON-LD or microdata,
which the columns do not read. A property of a page type counts where 8 pages declare one value of it, 70
% of them show it as a text of their content, and it has three values. Its score is F1 of the best column:
equal numbers for a price, else equal text, or the value with few words around it; of a list its first
value counts, of records that of the first record. "declaring" asks only pages that declare the property;
"all" takes a value on any other page of the type for wrong. Of each site the first ``--pages`` files are
read, in the order of their paths.

*Rivals* (``--rivals``): the title, author and date that trafilatura extracts, and autoscraper, which is
given three pages with what they declare (1.1.14 finds nothing beside a beautifulsoup4 later than 4.12).

*Generated sites* (``lab/sites/table_sites.py``): F1 of the best column of each field, and of the best column
of records for each field of a record; the share that has .98.
"""

from __future__ import annotations

import html
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import lxml.html

from lab.bench.options import new_parser
from lab.bench.tables import report, table_of
from lab.sites.table_sites import KINDS, LAYOUTS, TROUBLES, generate_table_site
from templcrawl import CrawlMemory, Page
from templcrawl.algorithms.columns.choice import choose_columns
from templcrawl.algorithms.columns.reading import read_page
from templcrawl.memory.observation import Observation
from templcrawl.outputs.sampled_types import MAX_PAGES

MIN_PAGES, MIN_SHOWN, MIN_VALUES = 8, 0.7, 3
GOOD, GOOD_GENERATED = 0.95, 0.98
EXAMPLES = 3  # pages whose values autoscraper is given
PROPERTIES = frozenset(
    """name headline price sku brand author datePublished articleSection ratingValue reviewCount commentCount
    telephone startDate category mpn gtin13 model description""".split()
)
_NOT = frozenset(
    """WebSite Organization BreadcrumbList Person ImageObject WebPage CollectionPage ListItem
    SiteNavigationElement WPHeader WPFooter Comment UserComments""".split()
)
_OF_TRAFILATURA = {"name": "title", "headline": "title", "author": "author", "datePublished": "date"}
_MARKS = str.maketrans("–—−‘’“”′", "---''\"\"'")
_DECLARING = (b"ld+json", b"itemprop")
_LD = re.compile(r"<script[^>]*ld\+json[^>]*>(.*?)</script>", re.DOTALL)

Gold = dict[str, str]  # page -> value
Found = dict[str, dict[str, str]]  # column -> page -> value


class Property(NamedTuple):
    """A property of a page type, and how well it is found.

    declaring, everywhere  F1 over the pages that declare it, and over all of the type
    others                 way -> F1 of the fields of items, and of rivals, over the pages that declare it
    """

    site: str
    name: str
    pages: int
    column: str
    declaring: float
    everywhere: float
    others: Mapping[str, float]


def folded(text: object) -> str:
    """Return a text with its references decoded, dashes and quotes plain, white space folded."""
    return " ".join(html.unescape(html.unescape(str(text))).translate(_MARKS).split())


def declared(source: str) -> dict[str, str]:
    """Return type and property, as in ``Product.name``, -> its value, where a page declares one."""
    values: defaultdict[str, set[str]] = defaultdict(set)
    for block in _LD.findall(source):
        with suppress(ValueError):
            data = json.loads(block)
            for one in data if isinstance(data, list) else data.get("@graph", [data]):
                if isinstance(one, dict) and str(one.get("@type")) not in _NOT:
                    _read_linked(one, values)
    parser = lxml.html.HTMLParser(encoding="utf-8")
    tree = lxml.html.document_fromstring(source.encode("utf-8", "replace") or b"<p>", parser=parser)
    for element in tree.xpath("//*[@itemprop]"):
        around = (one for one in element.iterancestors() if one.get("itemscope") is not None)
        kind = next((one.get("itemtype", "").rpartition("/")[2] for one in around), "")
        value = folded(element.get("content") or element.text_content())
        if element.get("itemprop") in PROPERTIES and kind not in _NOT and value:
            values[f"{kind}.{element.get('itemprop')}"].add(value)
    return {name: next(iter(found)) for name, found in values.items() if len(found) == 1}


def _read_linked(data: Any, values: Mapping[str, set[str]], depth: int = 0) -> None:
    for one in data[:1] if isinstance(data, list) else [data]:
        if not isinstance(one, dict):
            continue
        kinds = one.get("@type")
        kind = kinds[0] if isinstance(kinds, list) and kinds else kinds
        for name, value in one.items():
            if isinstance(value, dict) and name in PROPERTIES:
                value = value.get("name")
            if name in PROPERTIES and isinstance(value, str | int | float) and str(value).strip():
                values[f"{kind}.{name}"].add(folded(value))
            elif name in ("offers", "aggregateRating", "priceSpecification") and depth < 3:
                _read_linked(value, values, depth + 1)


def is_same(name: str, gold: str, text: str) -> bool:
    """Return whether a text is the value of a property.

    >>> is_same("Offer.price", "1200.00", "€ 1.200"), is_same("Book.name", "Tea", "Tea and cake")
    (True, False)
    """
    if name.endswith("price"):
        return _number(gold) is not None and _number(gold) == _number(text)
    ours, others = folded(gold).lower(), folded(text).lower()
    return ours == others or (len(ours) >= 4 and ours in others and len(others) <= 1.5 * len(ours) + 4)


def _number(text: str) -> float | None:
    digits = re.sub(r"[.,](?=\d{3}(\D|$))", "", re.sub(r"[^\d.,]", "", text)).replace(",", ".")
    with suppress(ValueError):
        return float(digits)
    return None


def f1_of(name: str, gold: Gold, column: Mapping[str, str], *, everywhere: bool = False) -> float:
    """Return F1 of a column; the pages without gold count as wrong, or not at all."""
    right = sum(page in gold and is_same(name, gold[page], text) for page, text in column.items())
    return 2 * right / (len(gold) + (len(column) if everywhere else len(column.keys() & gold.keys())))


def columns_of(observations: Sequence[Observation]) -> tuple[Found, dict[str, dict[tuple[str, int], str]]]:
    """Return the columns of the pages of a type, and of their records: column -> (page, number) -> value."""
    sample = sorted(observations, key=lambda one: one.page.key)[:MAX_PAGES]
    columns = choose_columns(
        [read_page(one.page, one.separation.content_mask, declares=False) for one in sample]
    )
    found: defaultdict[str, dict[str, str]] = defaultdict(dict)
    records: defaultdict[str, dict[tuple[str, int], str]] = defaultdict(dict)
    for one in observations:
        read, url = columns.read(one.page, declares=False), one.page.url
        for name, value in columns.values(read, url).items():
            found[name][url] = _first(value)
        for table, rows in columns.records(read, url).items():
            for number, row in enumerate(rows):
                for name, value in row.items():
                    records[f"{table}.{name}"][url, number] = _first(value)
    return found, records


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) else value


def by_type(pages: Iterable[Page]) -> list[list[Observation]]:
    """Return the pages of each type, judged by all that a crawl has learned of them."""
    pages, memory = list(pages), CrawlMemory(sample_salt=0)
    for page in pages:
        memory.observe(page)
    types: defaultdict[str, list[Observation]] = defaultdict(list)
    for observation in list(map(memory.observe, pages)):
        types[memory.resolve(observation.leaf_id)].append(observation)
    return list(types.values())


def judge(site: Path, pages: int, rivals: Mapping[str, Callable[..., Found]]) -> Iterator[Property]:
    """Yield the properties of a site."""
    files = sorted(path for path in site.rglob("*") if path.is_file())[:pages]
    sources: dict[str, str] = {}
    read, declaring = [], 0
    for path in files:
        body = path.read_bytes()
        declaring += any(mark in body for mark in _DECLARING)
        url = f"http://{site.name.replace('_', '-')}.example/{path.relative_to(site)}"
        sources[url] = body.decode("utf-8", "replace")
        read.append(Page.from_html(body, url))
    for observations in by_type(read) if declaring >= MIN_PAGES else ():
        golds = _golds(observations, sources) if len(observations) >= MIN_PAGES else {}
        if not golds:
            continue
        found, records = columns_of(observations)
        for name, values in records.items():
            found[name] = {page: text for (page, number), text in values.items() if number == 0}
        for name, gold in golds.items():
            best, column = _best(name, gold, found)
            everywhere, _ = _best(name, gold, found, everywhere=True)
            asked = {rival: ask(name, gold, sources) for rival, ask in rivals.items()}
            others = {way: _best(name, gold, columns)[0] for way, columns in asked.items()}
            yield Property(site.name, name, len(observations), column, best, everywhere, others)


def _best(name: str, gold: Gold, columns: Found, *, everywhere: bool = False) -> tuple[float, str]:
    scores = ((f1_of(name, gold, one, everywhere=everywhere), column) for column, one in columns.items())
    return max(scores, default=(0.0, ""))


def _golds(observations: Sequence[Observation], sources: Mapping[str, str]) -> dict[str, Gold]:
    """Return property -> what pages of a type declare and show."""
    golds: defaultdict[str, Gold] = defaultdict(dict)
    for one in observations:
        for name, value in declared(sources[one.page.url]).items():
            golds[name][one.page.url] = value
    golds = defaultdict(dict, {name: gold for name, gold in golds.items() if len(gold) >= MIN_PAGES})
    texts = {
        one.page.url: list(lxml.html.document_fromstring(one.separation.content_html or "<p>").itertext())
        for one in observations
        if any(one.page.url in gold for gold in golds.values())
    }

    def is_shown(name: str, page: str, value: str) -> bool:
        return any(
            is_same(name, value, part) for text in texts[page] for part in (text, text.rpartition(": ")[2])
        )

    return {
        name: gold
        for name, gold in sorted(golds.items())
        if len(set(gold.values())) >= MIN_VALUES
        and sum(is_shown(name, *one) for one in gold.items()) >= MIN_SHOWN * len(gold)
    }


def ask_trafilatura(name: str, gold: Gold, sources: Mapping[str, str]) -> Found:
    """Return what trafilatura takes for a property; nothing of what it has no field for."""
    import trafilatura

    kind = _OF_TRAFILATURA.get(name.rpartition(".")[2])
    found: dict[str, str] = {}
    for page in gold if kind else ():
        about = trafilatura.extract_metadata(sources[page])
        value = getattr(about, kind, None) if about and kind else None
        if value:
            found[page] = str(value)
    return {kind: found} if kind else {}


def ask_autoscraper(name: str, gold: Gold, sources: Mapping[str, str]) -> Found:
    """Return what autoscraper finds that was given the values of three pages."""
    from autoscraper import AutoScraper

    scraper = AutoScraper()
    for page, value in list(gold.items())[:EXAMPLES]:
        with suppress(ValueError):  # of its parser, on some pages
            scraper.build(html=sources[page], wanted_list=[value], update=True)
    found: Found = {"exact": {}, "similar": {}}
    for page in gold:
        for way, ask in (("exact", scraper.get_result_exact), ("similar", scraper.get_result_similar)):
            with suppress(ValueError):
                if values := ask(html=sources[page]):
                    found[way][page] = values[0]
    return found


def generated_scores(kind: str) -> Iterator[tuple[str, str, str, float]]:
    """Yield layout, trouble, what was looked for, and F1 of the best column, of the sites of a kind."""
    for layout, trouble in product(LAYOUTS, TROUBLES):
        site = generate_table_site(kind, layout, trouble)
        host = "http://h.example"
        types = by_type(Page(page.html, host + page.path) for page in site)
        found: list[Mapping[Any, str]] = []
        listed: list[Mapping[Any, str]] = []
        for observations in types:
            columns, records = columns_of(observations)
            found += columns.values()
            listed += records.values()
        for name in dict.fromkeys(name for page in site for name in page.values):
            gold = {host + page.path: page.values[name] for page in site if name in page.values}
            yield layout, trouble, name, best_f1(gold, found)
        for of in ("listing", "record"):
            rows = [
                ((host + page.path, number), row)
                for page in site
                if page.kind == of
                for number, row in enumerate(page.rows)
            ]
            for name in dict.fromkeys(name for _, row in rows for name in row):
                start = host if name.endswith("_url") else ""
                wanted = {key: start + row[name] for key, row in rows if name in row}
                yield layout, trouble, f"rows: {name}", best_f1(wanted, listed)


def best_f1(gold: Mapping[Any, str], columns: Iterable[Mapping[Any, str]]) -> float:
    """Return F1 of the best of some columns, by equal texts."""
    scores = (
        2 * sum(gold.get(key) == text for key, text in column.items()) / (len(gold) + len(column))
        for column in columns
    )
    return max(scores, default=0.0)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.columns", __doc__, "--corpora --sites --pages=200 --figures")
    parser.add_argument("--rivals", action="store_true", help="ask trafilatura and autoscraper, too")
    options = parser.parse_args(arguments)
    tables = {}
    if options.corpora:
        rivals = {"trafilatura": ask_trafilatura, "autoscraper": ask_autoscraper} if options.rivals else {}
        listed = json.loads((options.corpora / "sites.json").read_text(encoding="utf-8"))
        folders = sorted(options.corpora / name for name in listed)
        asked = [path for path in folders if not options.sites or path.name in options.sites]
        found = [one for path in asked for one in judge(path, options.pages, rivals)]
        others = [*rivals]
        heads = ["site", "property", "pages", "declaring", "all", *others, "column"]
        rows = [
            [one.site, f"{one.name} ({number})", one.pages, f"{one.declaring:.3f}", f"{one.everywhere:.3f}"]
            + [f"{one.others[way]:.3f}" for way in others]
            + [one.column]
            for number, one in enumerate(found, start=1)
        ]
        tables["properties"] = table_of("F1 of the best column", heads, rows, left=2)
        scored = {
            "columns": [one.declaring for one in found],
            "columns, all pages": [one.everywhere for one in found],
            **{way: [one.others[way] for one in found] for way in others},
        }
        tables["summary"] = table_of(
            "By method",
            ["method", "properties", "mean F1", f"share >= {GOOD}"],
            [
                [method, len(scores), f"{fmean(scores):.3f}", f"{share(scores, GOOD):.2f}"]
                for method, scores in scored.items()
                if scores
            ],
        )
        worst = sorted(found, key=lambda one: one.declaring)[:5]
        tables["worst"] = table_of(
            "The worst five",
            ["site", "property", "declaring", "all"],
            [[one.site, one.name, f"{one.declaring:.3f}", f"{one.everywhere:.3f}"] for one in worst],
            left=2,
        )
    lines = []
    for kind in KINDS:
        scores = list(generated_scores(kind))
        for what in ("fields", "records"):
            of = [score for *_, name, score in scores if name.startswith("rows: ") == (what == "records")]
            lines.append([kind, what, len(of), f"{fmean(of):.3f}", f"{share(of, GOOD_GENERATED):.2f}"])
    heads = ["site", "of", "columns", "mean F1", f"share >= {GOOD_GENERATED}"]
    tables["generated"] = table_of("Generated sites", heads, lines, left=2)
    report(tables, options.figures)


def share(scores: Sequence[float], least: float) -> float:
    """Return the share of scores that are high enough."""
    return sum(score >= least for score in scores) / len(scores)


if __name__ == "__main__":
    main()
