"""``scrapy tables``: the same rows in every form, their description, a spider that runs, what is refused."""

from __future__ import annotations

import csv
import json
import sqlite3
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from scrapy.http import HtmlResponse, Request

from lab.sites.table_sites import RECORDS, TablePage, generate_table_site
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.page.page import Page
from tests.parts import exhaustive_but
from tests.tools.commands.running import Run, run
from tests.tools.readers.archives import Answer, write_warc

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


def archived(site: list[TablePage], folder: Path) -> Path:
    """Write the pages as a crawl archives them."""
    pytest.importorskip("pyarrow")
    from templcrawl.outputs.archive.tables import page_rows
    from templcrawl.outputs.archive.writer import ArchiveWriter

    memory, writer = CrawlMemory(), ArchiveWriter(str(folder), part_pages=10, bodies=True)
    for page in site:
        observation = memory.observe(Page.from_html(page.html, HOST + page.path))
        writer.add(page_rows(observation, datetime.now(timezone.utc)))
    writer.close()
    return folder


def test_a_folder_a_warc_file_and_an_archive_of_the_same_pages_have_the_same_rows(
    site: list[TablePage], saved: Path, tmp_path: Path, capsys
) -> None:
    write_warc(tmp_path / "a.warc.gz", [Answer(HOST + page.path, page.html.encode()) for page in site])
    found = []
    for source in (saved, tmp_path / "a.warc.gz", archived(site, tmp_path / "archive")):
        target = tmp_path / f"of {source.name}" / "tables"
        target.parent.mkdir()
        assert tables(capsys, source, "-o", target, "--format", "jsonl").code == 0
        rows = rows_of(target, "jsonl")
        found.append(sorted(rows, key=lambda row: row["url"]))
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == RECORDS


def test_of_a_damaged_input_the_rest_is_written(site: list[TablePage], tmp_path: Path, capsys) -> None:
    whole = tmp_path / "a.warc.gz"
    write_warc(whole, [Answer(HOST + page.path, page.html.encode()) for page in site])
    (tmp_path / "cut.warc.gz").write_bytes(whole.read_bytes()[:-200])
    archive = archived(site, tmp_path / "archive")
    bodies = next((archive / "bodies").glob("*-000001.parquet"))
    bodies.write_bytes(bodies.read_bytes()[:-20])
    for source, lost in ((tmp_path / "cut.warc.gz", 1), (archive, 10)):
        done = tables(capsys, source, "-o", tmp_path / f"rows_{lost}", "--format", "jsonl")
        assert done.code == 3
        assert "could not be read: 1" in done.err
        assert len(rows_of(tmp_path / f"rows_{lost}", "jsonl")) == RECORDS - lost


def description_of(target: Path) -> Path:
    return target / "columns.json" if target.is_dir() else target.with_suffix(".columns.json")


@pytest.mark.parametrize("form", exhaustive_but(["parquet"], ["csv", "jsonl", "parquet", "sqlite"]))
def test_what_is_parsed_stands_beside_the_text(
    form: str, site: list[TablePage], saved: Path, tmp_path: Path, capsys
) -> None:
    pytest.importorskip("dateparser")
    plain, parsed = ((tmp_path / (f"{name}.sqlite" if form == "sqlite" else name)) for name in ("a", "b"))
    assert tables(capsys, saved, "-o", plain, "--format", form).code == 0
    assert tables(capsys, saved, "-o", parsed, "--format", form, "--parse").code == 0
    rows = rows_of(parsed, form)
    names = list(rows[0])
    at = names.index("Price")
    assert names[at : at + 3] == ["Price", "Price_amount", "Price_currency"]
    assert names[names.index("Weight") + 1] == "Weight_number"
    for before, row in zip(rows_of(plain, form), rows):
        assert {name: row[name] for name in before} == before
        price, weight = row["Price"], row["Weight"]
        amounts = [row[name] and float(row[name]) for name in ("Price_amount", "Weight_number")]
        assert amounts == [price and float(price[1:]), weight and float(weight.removesuffix(" g"))]
        assert row["Price_currency"] == (price and "£")
    described = [json.loads(description_of(target).read_bytes()) for target in (plain, parsed)]
    said = described[1]["tables"][0].pop("parsed")
    assert described[0] == described[1]
    assert [{**entry, "filled": entry["filled"] > 0} for entry in said] == [
        {"name": "Price_amount", "column": "Price", "part": "amount", "filled": True},
        {"name": "Price_currency", "column": "Price", "part": "currency", "filled": True},
        {"name": "Weight_number", "column": "Weight", "part": "number", "filled": True},
    ]


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
        assert response.xpath(columns["title"]["xpath"]).xpath("string()").get() == page.values["title"]


def test_records_of_pages_have_a_table_with_their_position(tmp_path: Path, capsys) -> None:
    site = generate_table_site("forum", "items")
    folder = tmp_path / "saved"
    folder.mkdir()
    for page in site:
        (folder / f"{page.path.strip('/').replace('/', '-') or 'index'}".removesuffix(".html")).with_suffix(
            ".html"
        ).write_text(page.html, encoding="utf-8")
    spider = tmp_path / "spider.py"
    done = tables(capsys, folder, "-o", tmp_path / "out", "--format", "jsonl", "--spider", spider)
    assert done.code == 0
    (path,) = (tmp_path / "out").glob("posts_of_*.jsonl")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    posts = [post for page in site if page.kind == "record" for post in page.rows]
    assert sorted((row["author"], row["date"]) for row in rows) == sorted(
        (post["poster"], post["when"]) for post in posts
    )
    assert [row["position"] for row in rows[:3]] == [1, 2, 3]
    namespace: dict[str, Any] = {}
    exec(spider.read_text(encoding="utf-8"), namespace)
    crawler = namespace["TablesSpider"]()
    found = []
    for url in dict.fromkeys(row["url"] for row in rows):
        body = (tmp_path / "saved" / url.rpartition("/")[2]).read_bytes()
        item = next(crawler.parse(HtmlResponse(url, body=body, encoding="utf-8")))
        found += [{"url": url, "position": number, **row} for number, row in enumerate(item["post"], start=1)]
    assert found == rows


def test_records_without_an_element_around_them_have_a_table_and_the_spider_reads_them(
    tmp_path: Path, capsys
) -> None:
    (tmp_path / "saved").mkdir()
    news = "<h3>Tea {0} {1}</h3><p>{0}{1} cups of {0} are left.</p><div class=byline>May {1}, 20{0}</div>"
    for page in range(11, 21):
        written = "".join(news.format(page, number) for number in range(1, 4 + page % 2))
        text = f"<title>Week {page}</title><h1>Week {page}</h1><div id=main>{written}</div>"
        (tmp_path / "saved" / f"{page}.html").write_text(text, encoding="utf-8")
    spider = tmp_path / "spider.py"
    done = tables(capsys, tmp_path / "saved", "-o", tmp_path / "out", "--format", "jsonl", "--spider", spider)
    assert done.code == 0
    (path,) = (tmp_path / "out").glob("posts_of_*.jsonl")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [(row["title"], row["date"]) for row in rows if row["url"].endswith("/12.html")] == [
        (f"Tea 12 {number}", f"May {number}, 2012") for number in range(1, 4)
    ]
    namespace: dict[str, Any] = {}
    exec(spider.read_text(encoding="utf-8"), namespace)
    body = (tmp_path / "saved" / "12.html").read_bytes()
    item = next(namespace["TablesSpider"]().parse(HtmlResponse(rows[0]["url"], body=body, encoding="utf-8")))
    ours = [row for row in rows if row["url"].endswith("/12.html")]
    assert item["post"] == [
        {name: row[name] for name in row if name not in ("url", "position")} for row in ours
    ]


def test_the_spider_takes_what_an_xpath_selects_without_fixed_texts_and_reads_links_as_absolute() -> None:
    from templcrawl.tools.commands.type_spider import spider_of

    namespace: dict[str, Any] = {}
    exec(spider_of({"tables": []}), namespace)
    body = "<ul><li>a  <b>b</b><li>New<li>Size: 3<li>a b</ul><a href=../x>x</a><a href='y'>y</a>"
    response = HtmlResponse("http://h.example/a/b", body=body.encode(), encoding="utf-8")
    assert namespace["texts"](response, "//li", but=["New"]) == ["a b", "Size: 3", "a b"]
    assert namespace["texts"](response, "//li", r"^Size[\s:]*(.*)") == ["3"]
    assert namespace["text"](response, "//p") is None
    assert namespace["links"](response, response, "//a/@href") == [
        "http://h.example/x",
        "http://h.example/a/y",
    ]
    assert namespace["TablesSpider"].start_urls == []


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


def test_where_no_page_type_has_enough_pages_that_is_said(
    site: list[TablePage], tmp_path: Path, capsys
) -> None:
    for page in site[5:12]:
        (tmp_path / "few/shop").mkdir(parents=True, exist_ok=True)
        (tmp_path / "few" / page.path[1:]).write_text(page.html, encoding="utf-8")
    done = tables(capsys, tmp_path / "few", "-o", tmp_path / "out")
    said = "no tables: none of 1 page type has 8 pages, the largest has 7; read more pages of a site\n"
    assert (done.code, done.out) == (0, said)
    (tmp_path / "same").mkdir()
    for number in range(9):
        (tmp_path / f"same/{number}.html").write_text("<h1>Tea</h1><p>It is tea, and nothing else.")
    done = tables(capsys, tmp_path / "same", "-o", tmp_path / "out of same")
    said = "no tables: nothing differs among the pages of a type that has 8 pages\n"
    assert (done.code, done.out) == (0, said)


def test_a_crawl_without_pages_leaves_nothing(tmp_path: Path, capsys) -> None:
    (tmp_path / "empty").mkdir()
    done = tables(capsys, tmp_path / "empty", "-o", tmp_path / "out")
    assert done.code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]


def odd_page(number: int, kind: str) -> str:
    rows = {
        "12\" disc's \\": f"{number} g",
        "url": f"u{number}",
        "na\1me": f"n{number}",
        "=cmd()": f"={number}",
        **{f"{kind} {letter}": f"{letter}{number}" for letter in "abcdefghijkl"},  # a table of its own
    }
    facts = "".join(f"<tr><th>{label}</th><td>{value}</td></tr>" for label, value in rows.items())
    posts = "".join(f"<li><b class=by>b{number}{at}</b><i>i{number * at}</i></li>" for at in range(4))
    return (
        f'<nav><a href=/>Home</a></nav><div id=main class="{kind}x größe it\'s"><h1>Tea {number}</h1>'
        f"<o:p class=price>£{number}.50</o:p>"
        f"<table>{facts}</table><p class=größe>a &lt;b&gt; {number} c&amp;amp;</p>"
        f'<a class=more href="../x{number}">more {number}</a><ul class=title>{posts}</ul>'
        + f"<section class=k{kind}><h2>{kind} {number}</h2></section></div>"
        * 3
    )


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    for kind, word in {"sqlite_a": "sq", "CON": "co", "con": "y", "..%2fx": "z"}.items():
        (tmp_path / "odd/h.example" / kind).mkdir(parents=True)
        for number in range(10):
            path = tmp_path / "odd/h.example" / kind / f"{number}.html"
            path.write_text(odd_page(number, word), encoding="utf-8")
    return tmp_path / "odd"


def test_names_that_are_reserved_or_differ_by_case_have_tables_in_every_form(
    odd: Path, tmp_path: Path, capsys
) -> None:
    assert tables(capsys, odd, "-o", tmp_path / "out.sqlite").code == 0
    assert tables(capsys, odd, "-o", tmp_path / "out").code == 0
    names = sorted(path.stem for path in (tmp_path / "out").glob("*.csv"))
    assert len({name.lower() for name in names}) == 8
    assert {"_sqlite_a", "items_of__sqlite_a", "_CON", "_con_of_items", "listing"} <= set(names)
    with sqlite3.connect(tmp_path / "out.sqlite") as database:
        assert sorted(name for (name,) in database.execute("SELECT name FROM sqlite_master")) == names


def test_the_selectors_of_odd_tags_labels_and_words_give_what_the_table_has(
    odd: Path, tmp_path: Path, capsys
) -> None:
    spider = tmp_path / "spider.py"
    done = tables(capsys, odd, "-o", tmp_path / "out", "--format", "jsonl", "--spider", spider)
    assert done.code == 0
    namespace: dict[str, Any] = {}
    exec(spider.read_text(encoding="utf-8"), namespace)
    lines = (tmp_path / "out/_CON.jsonl").read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, lines):
        body = (tmp_path / "odd" / row["url"].removeprefix("http://")).read_bytes()
        item = next(namespace["TablesSpider"]().parse(HtmlResponse(row["url"], body=body, encoding="utf-8")))
        unlike = {name for name, value in row.items() if item.get(name) != value}
        assert unlike <= {"na\ufffdme", "title_2"}  # no XPath can say the one, and selects more of the other
        assert {"price", "12\" disc's \\", "größe", "more"} <= row.keys()
    described = json.loads((tmp_path / "out/columns.json").read_text(encoding="utf-8"))
    response = HtmlResponse("http://h.example/", body=odd_page(3, "CO").encode(), encoding="utf-8")
    (table,) = (one for one in described["tables"] if one["table"] == "_CON")
    columns = {one["name"]: one for one in table["columns"]}
    assert response.xpath(columns["12\" disc's \\"]["xpath"]).xpath("string()").get() == "3 g"
    assert response.xpath(columns["price"]["xpath"]).xpath("string()").get() == "£3.50"


def test_a_full_disk_leaves_nothing(odd: Path, tmp_path: Path, capsys, monkeypatch) -> None:
    def full(*arguments: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("templcrawl.outputs.table_files._sqlite", lambda *table: full)
    assert tables(capsys, odd, "-o", tmp_path / "out.sqlite").code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["odd"]


def test_the_number_of_open_tables_is_bounded(odd: Path, tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.setattr("templcrawl.outputs.type_tables.MAX_TABLES", 3)
    done = tables(capsys, odd, "-o", tmp_path / "out")
    assert "left out, for there are so many: 5 tables" in done.out
    assert len(list((tmp_path / "out").glob("*.csv"))) == 3


PARTS = st.lists(
    st.sampled_from(["<li>a", "<li>New", "<li>b <b>c</b>", "<p title=x>", "</ul>", "<li>Size: 3"])
)
