"""The tables of page types, without a command or a crawl around them."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from lab.bench.spider_cells import compare_cells
from lab.sites.table_sites import generate_table_site
from templcrawl.outputs.sampled_types import EachPage
from templcrawl.outputs.table_files import CSV, DESCRIPTION
from templcrawl.outputs.table_names import table_name
from templcrawl.outputs.type_tables import CrawlTables
from templcrawl.page.page import Page
from templcrawl.page.tokens import Limits

HTML = {f"http://h.example{page.path}": page.html for page in generate_table_site("forum", "items")}


def read(use: Callable[[Page], object], doing: str) -> None:
    for url, html in HTML.items():
        use(Page.from_html(html, url))


def made(target: Path) -> dict[str, str]:
    CrawlTables(read).write(target, CSV)
    return {path.name: path.read_text(encoding="utf-8") for path in target.iterdir()}


@contextmanager
def turns_of(seconds: float) -> Iterator[None]:
    """Let threads take turns so often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(seconds)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@pytest.mark.usefixtures("reader")
def test_a_thread_makes_the_same_tables_while_others_read_pages(tmp_path: Path) -> None:
    expected = made(tmp_path / "alone")
    with turns_of(1e-6), ThreadPoolExecutor(2) as pool:
        works = [pool.submit(made, tmp_path / name) for name in ("one", "other")]
        here = made(tmp_path / "here")
        assert [here, *(work.result() for work in works)] == [expected] * 3


def test_pages_that_are_too_large_are_counted() -> None:
    def of_limits(use: Callable[[Page], object], doing: str) -> None:
        for number, (url, html) in enumerate(HTML.items()):
            use(Page(html, url, limits=Limits(max_characters=200 if number < 3 else 10**6)))

    assert CrawlTables(of_limits).cut == 3


def test_the_words_of_a_heading_are_no_folders_in_the_name_of_a_table() -> None:
    addresses = [f"http://a.example/{number}" for number in range(2)]
    name = table_name(addresses, ["", ""], "../Subject / Started", {"listing"})
    assert name == "listing_of_Subject_Started"


def test_a_table_that_few_pages_have_is_found_on_pages_that_have_it(tmp_path: Path) -> None:
    urls = sorted(
        (f"http://h.example/tea/{number}" for number in range(60)), key=lambda url: Page("", url).key
    )

    def pages(use: Callable[[Page], object], doing: str) -> None:
        for at, url in enumerate(urls):
            rows = "".join(f"<tr><td>lot {at}{row}<td>{row} kg" for row in range(8))
            table = f"<table><tr><th>Lot<th>Weight{rows}</table>" * (at >= 54)
            use(
                Page(
                    f"<h1>Tea {at}</h1><p class=price>£{at}.50</p><p class=place>from {at} hills</p>{table}",
                    url,
                )
            )

    CrawlTables(pages).write(tmp_path / "made", CSV)
    tables = json.loads((tmp_path / "made" / DESCRIPTION).read_text(encoding="utf-8"))["tables"]
    found = {column["name"]: column["holds"] for table in tables for column in table["columns"]}
    assert found.keys() >= {"title", "price", "Lot", "Weight"}
    assert set(found.values()) == {1.0}


def each_of(pages: Mapping[str, str]) -> EachPage:
    """Return what reads some pages, path -> body."""

    def each(use: Callable[[Page], object], doing: str) -> None:
        for path, body in pages.items():
            use(Page(f"<title>{path}</title>{body}", f"http://h.example{path}"))

    return each


def described(pages: Mapping[str, str], target: Path) -> dict[str, Mapping[str, Any]]:
    """Return what is said of the tables of some pages, by the name of the table."""
    CrawlTables(each_of(pages)).write(target, CSV)
    tables = json.loads((target / DESCRIPTION).read_text(encoding="utf-8"))["tables"]
    return {table["table"]: table for table in tables}


def listing(number: int, card: str, *, around: str) -> str:
    """Return a page that lists five things of a blog."""
    sign = f"<small class={around}>{around} sign {number // 8}</small>"
    cards = "".join(
        card.format(f"{number} {at}", f"/posts/{number}-{at}", sign * (at < 2)) for at in range(5)
    )
    facts = "".join(f"<dt>{around} {one}<dd>{number} {one} {around}" for one in "abcdef")
    return f"<h1>Page {around} {number}</h1><dl>{facts}</dl><main class={around}>{cards}</main>"


POST = (
    '<article class=post><h2><a href="{1}">Tea {0}</a></h2><b class=author>by A{0}</b>'
    "<p class=lead>Leaves of {0}</p>{2}</article>"
)
GOOD = (
    '<article class=post><h2><a href="{1}">Cup {0}</a></h2><i class=price>£{0}</i>'
    "<b class=stock>{0} left</b><u class=size>{0} cm</u></article>"
)


def test_records_of_one_kind_of_several_page_types_are_one_table(tmp_path: Path) -> None:
    lists = {
        f"/{kind}/n{at}/": listing(at, POST, around=kind) for kind in ("tag", "series") for at in range(9)
    }
    shop = {f"/shop/n{at}/": listing(at, GOOD, around="shop") for at in range(9)}
    found = described(lists | shop, tmp_path / "made")
    posts, goods = found["posts"], found["posts_of_shop"]
    assert [*posts["page_types"]] == ["/series/*/", "/tag/*/"]
    assert (posts["rows"], posts["pages"], goods["rows"]) == (90, 18, 45)
    assert posts["records"] == "main.series > article.post, main.tag > article.post"
    assert {column["name"]: column["filled"] for column in posts["columns"]}.items() >= {
        "title": 90,
        "series": 18,
        "tag": 18,
    }.items()
    assert {column["holds"] for column in posts["columns"]} == {1.0}
    with (tmp_path / "made" / "posts.csv").open(encoding="utf-8", newline="") as file:
        rows = [(row["url"], row["position"]) for row in csv.DictReader(file)]
    assert sorted(rows) == sorted(
        (f"http://h.example{path}", str(at)) for path in lists for at in range(1, 6)
    )
    of_spider = compare_cells(each_of(lists))
    assert (of_spider["cells"], of_spider["differ"]) == (18 * 7 + 90 * 4 + 36, 0)


def test_columns_of_tables_with_headings_are_one_where_a_heading_is_the_plural_of_another(
    tmp_path: Path,
) -> None:
    pages = {}
    for at in range(16):
        rows = "".join(f"<tr><td>p{at}{row}<td>int {row}<td>leaf {at}{row}" for row in range(4))
        heading = "Type(s)" if at % 4 else "Type"
        table = f"<table><tr><th>Parameter<th>{heading}<th>Description{rows}</table>"
        pages[f"/docs/n{at}/"] = f"<h1>Call {at}</h1>{table}"
    (table,) = (one for one in described(pages, tmp_path / "made").values() if one["records"])
    assert table["table"] == "Parameter_Type_of_docs"
    assert {column["name"]: column["filled"] for column in table["columns"]} == dict.fromkeys(
        ["Parameter", "Type(s)", "Description"], 64
    )


def test_a_page_of_another_type_has_its_row_in_the_table_whose_template_reads_it(tmp_path: Path) -> None:
    labels = ("Age", "Size", "Origin", "Maker")

    def each(use: Callable[[Page], object], doing: str) -> None:
        for number in range(9):
            facts = "".join(f"<dt>{label}<dd>{label} {number}" for label in labels)
            more = "<i><p><b>x</b></p></i>" * 9 if number == 8 else ""
            html = f"<div id=tea{more and 's'}><h1>Tea {number}</h1><dl>{facts}</dl>{more}</div>"
            use(Page.from_html(html, f"http://h.example/tea/{number}"))

    crawl = CrawlTables(each)
    assert crawl.types == {"h.example /tea/*": 8, "h.example /tea/8": 1}
    crawl.write(tmp_path / "out", CSV)
    assert crawl.types == {"h.example /tea/*": 9}
    with (tmp_path / "out/tea.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["Origin"] for row in rows] == [f"Origin {number}" for number in range(9)]
    (table,) = json.loads((tmp_path / "out" / DESCRIPTION).read_text(encoding="utf-8"))["tables"]
    assert (table["pages"], table["rows"]) == (9, 9)
