"""The tables of page types, without a command or a crawl around them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from lab.sites.table_sites import generate_table_site
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
