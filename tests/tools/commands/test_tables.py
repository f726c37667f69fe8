"""``scrapy tables``: the same rows in every form, their description, a spider that runs, what is refused."""

from __future__ import annotations

import csv
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from scrapy.http import HtmlResponse, Request

from lab.sites.table_sites import RECORDS, TablePage, generate_table_site
from tests.tools.commands.running import Run, run

HOST = "http://shop.example"
FIELDS = ("title", "Price", "Brand", "Weight", "SKU")


@pytest.fixture(scope="module")
def site() -> list[TablePage]:
    return generate_table_site("shop", "table", "missing")


@pytest.fixture
def saved(site: list[TablePage], tmp_path: Path) -> Path:
    for page in site:
        path = tmp_path / "saved" / "shop.example" / (page.path[1:] or "index.html")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page.html, encoding="utf-8")
    return tmp_path / "saved"


def tables(capsys, *arguments: object) -> Run:
    return run(capsys, "tables_command", *arguments, module="templcrawl.tools.commands.tables_command")


def rows_of(target: Path, form: str) -> list[dict[str, Any]]:
    """Return the rows of the table of goods, lists and nulls as text has them."""
    if form == "sqlite":
        with sqlite3.connect(target) as database:
            database.row_factory = sqlite3.Row
            return [dict(row) for row in database.execute('SELECT * FROM "shop"')]
    if form == "parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        return parquet.read_table(target / "shop.parquet").to_pylist()
    text = (target / f"shop.{form}").read_text(encoding="utf-8")
    if form == "jsonl":
        return [json.loads(line) for line in text.splitlines()]
    return [{name: value or None for name, value in row.items()} for row in csv.DictReader(text.splitlines())]


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "sqlite"])
def test_a_row_a_page_a_column_a_value(
    form: str, site: list[TablePage], saved: Path, tmp_path: Path, capsys
) -> None:
    target = tmp_path / ("out.sqlite" if form == "sqlite" else "out")
    done = tables(capsys, saved, "-o", target, "--format", form)
    assert (done.code, done.err) == (0, "")
    assert "Tables: 1" in done.out
    rows = {row["url"]: row for row in rows_of(target, form)}
    assert len(rows) == RECORDS
    for page in site:
        if page.kind == "record":
            assert {name: rows[HOST + page.path][name] for name in FIELDS} == {
                name: page.values.get(name) for name in FIELDS
            }


def test_columns_are_described_and_the_spider_yields_what_the_table_has(
    site: list[TablePage], saved: Path, tmp_path: Path, capsys
) -> None:
    spider = tmp_path / "spider.py"
    assert tables(capsys, saved, "-o", tmp_path / "out", "--spider", spider).code == 0
    (table,) = json.loads((tmp_path / "out/columns.json").read_text(encoding="utf-8"))["tables"]
    assert (table["host"], table["pages"], table["rows"]) == ("shop.example", RECORDS, RECORDS)
    columns = {column["name"]: column for column in table["columns"]}
    price = columns["Price"]
    priced = sum("Price" in page.values for page in site)
    assert (price["label"], price["kind"], price["many"], price["filled"]) == (
        "Price",
        "money",
        False,
        priced,
    )
    alone = tmp_path / "alone.py"
    assert tables(capsys, saved, "--spider", alone).code == 0
    assert alone.read_text(encoding="utf-8") == spider.read_text(encoding="utf-8")
    namespace: dict[str, Any] = {}
    exec(spider.read_text(encoding="utf-8"), namespace)
    crawler = namespace["TablesSpider"]()
    assert crawler.start_urls == [table["example"]] == [f"{HOST}/shop/0.html"]
    rows = {row["url"]: row for row in rows_of(tmp_path / "out", "csv")}
    for page in site:
        response = HtmlResponse(HOST + page.path, body=page.html.encode(), encoding="utf-8")
        if page.kind != "record":
            assert all(isinstance(one, Request) for one in crawler.parse(response))
            continue
        item, *requests = list(crawler.parse(response))
        assert item == rows[response.url]
        assert {HOST + "/part/0"} <= {request.url for request in requests}
        assert response.css(columns["title"]["css"]).xpath("string()").get() == page.values["title"]


def test_records_of_pages_have_a_table_with_their_position(tmp_path: Path, capsys) -> None:
    site = generate_table_site("forum", "items")
    folder = tmp_path / "saved"
    folder.mkdir()
    for page in site:
        (folder / f"{page.path.strip('/').replace('/', '-') or 'index'}".removesuffix(".html")).with_suffix(
            ".html"
        ).write_text(page.html, encoding="utf-8")
    assert tables(capsys, folder, "-o", tmp_path / "out", "--format", "jsonl").code == 0
    (path,) = (tmp_path / "out").glob("*.post.jsonl")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    posts = [post for page in site if page.kind == "record" for post in page.rows]
    assert sorted((row["poster"], row["date"]) for row in rows) == sorted(
        (post["poster"], post["when"]) for post in posts
    )
    assert [row["position"] for row in rows[:3]] == [1, 2, 3]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "name the output"),
        (["-o", "out", "--format", "sqlite"], "SQLite is one file"),
        (["-o", "out.sqlite", "--format", "csv"], "SQLite is one file"),
        (["-o", "out.csv"], "a slash, out.csv/, if"),
        (["-o", "-"], "give FILE.sqlite or a new folder"),
        (["-o", "saved"], "there is something in saved"),
        (["-o", "nowhere/out"], "cannot write to"),
        (["--spider", "nowhere/spider.py"], "cannot write to"),
    ],
)
def test_what_is_refused(
    arguments: list[str], why: str, saved: Path, tmp_path: Path, capsys, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = tables(capsys, "saved", *arguments)
    assert done.code == 2
    assert why in done.err + done.out
    assert [path.name for path in tmp_path.iterdir()] == ["saved"]


def test_a_crawl_without_pages_leaves_nothing(tmp_path: Path, capsys) -> None:
    (tmp_path / "empty").mkdir()
    done = tables(capsys, tmp_path / "empty", "-o", tmp_path / "out")
    assert done.code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]
