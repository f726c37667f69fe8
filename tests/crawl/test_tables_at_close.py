"""The tables that a crawl makes of its archive are those of the command, and nothing is lost by them."""

from __future__ import annotations

import re
import shutil
import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.sites.server import LocalSite
from lab.sites.table_sites import RECORDS, generate_table_site
from templcrawl.files import FileLock
from tests.crawl.crawls import NO_REACTOR, ONE_LINE, Crawl, run_crawl
from tests.parts import exhaustive_but
from tests.scrapy_processes import run_scrapy
from tests.tools.commands.running import run

pytest.importorskip("pyarrow")

SELECT = {"TWISTED_REACTOR": "twisted.internet.selectreactor.SelectReactor"}
PAGES = {page.path: page.html for page in generate_table_site("shop", "table", "missing")}
READING = {"ADDONS": {**ONE_LINE["ADDONS"], "lab.sites.shop.disks.SignalWhileReading": 1}}


@pytest.fixture(scope="module")
def site() -> Iterator[LocalSite]:
    with LocalSite(PAGES) as served:
        yield served


def settings_for(folder: Path, tables: str = "tables") -> dict[str, Any]:
    """Return the settings of a crawl with an archive in a folder, and tables beside it."""
    return {
        **ONE_LINE,
        "HTTPCACHE_ENABLED": False,
        "TEMPLCRAWL_ARCHIVE": str(folder / "archive"),
        "TEMPLCRAWL_ARCHIVE_BODIES": True,
        "TEMPLCRAWL_TABLES": str(folder / tables),
    }


def crawl(site: LocalSite, folder: Path, tables: str = "tables", **more: Any) -> Crawl:
    return run_crawl("plain", site.url, folder / "out", {**settings_for(folder, tables), **more})


def stats(crawled: Crawl, lead: str) -> dict[str, int]:
    """Return the stats that Scrapy logs at the end: by then the tables are made."""
    found = re.findall(rf"'templcrawl/{lead}([\w/]*)': (\d+)", crawled.log)
    return {name: int(count) for name, count in found}


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def rows(database: Path) -> list[tuple[Any, ...]]:
    with sqlite3.connect(database) as connection:
        return connection.execute("SELECT * FROM shop").fetchall()


def of_command(capsys: pytest.CaptureFixture[str], folder: Path, target: str) -> Path:
    assert run(capsys, "tables", folder / "archive", "-o", folder / target).code == 0
    return folder / target


@pytest.mark.parametrize(
    "reactor", exhaustive_but([NO_REACTOR], [{}, SELECT, NO_REACTOR]), ids=["asyncio", "select", "none"]
)
def test_they_are_those_of_the_command(
    reactor: dict[str, Any], site: LocalSite, tmp_path: Path, capsys
) -> None:
    crawled = crawl(site, tmp_path, "data/tables", **reactor)
    assert stats(crawled, "errors/") == {}
    assert stats(crawled, "tables") == {"": 1, "/rows": RECORDS}
    made = texts(tmp_path / "data/tables")
    assert made == texts(of_command(capsys, tmp_path, "again"))
    assert made["shop.csv"].count(f"{site.url}shop/") == RECORDS
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["tables"]


@pytest.mark.exhaustive
def test_a_database_is_replaced_by_the_next_crawl(site: LocalSite, tmp_path: Path, capsys) -> None:
    crawl(site, tmp_path, "%(name)s.sqlite", CLOSESPIDER_PAGECOUNT=30)
    first = rows(tmp_path / "plain.sqlite")
    crawled = crawl(site, tmp_path, "%(name)s.sqlite")
    assert stats(crawled, "errors/") == {}
    assert 0 < len(first) < len(rows(tmp_path / "plain.sqlite")) == RECORDS
    assert rows(tmp_path / "plain.sqlite") == rows(of_command(capsys, tmp_path, "again.sqlite"))
    assert {path.name for path in tmp_path.glob("plain*")} == {"plain.sqlite", "plain.columns.json"}


@pytest.mark.exhaustive
def test_a_crawl_that_is_killed_leaves_the_earlier_tables_and_one_that_resumes_makes_them(
    site: LocalSite, tmp_path: Path, capsys
) -> None:
    crawl(site, tmp_path, CLOSESPIDER_PAGECOUNT=30)
    before = texts(tmp_path / "tables")
    job = {"JOBDIR": str(tmp_path / "job")}
    crawl(site, tmp_path, **job, **READING, SHOP_SIGNAL=int(signal.SIGKILL))
    assert texts(tmp_path / "tables") == before
    assert len(list(tmp_path.glob(".tables.*.part"))) == 1
    resumed = crawl(site, tmp_path, **job, **NO_REACTOR)
    assert stats(resumed, "errors/") == {}
    assert texts(tmp_path / "tables") == texts(of_command(capsys, tmp_path, "again"))
    assert len(texts(tmp_path / "tables")["shop.csv"]) > len(before["shop.csv"])


@pytest.mark.exhaustive
@pytest.mark.parametrize("reactor", [{}, NO_REACTOR], ids=["asyncio", "none"])
def test_a_crawl_that_is_killed_among_its_pages_and_resumed_has_all_of_them(
    reactor: dict[str, Any], tmp_path: Path, capsys
) -> None:
    settings = {**settings_for(tmp_path), **reactor, "JOBDIR": str(tmp_path / "job")}
    with LocalSite(PAGES, delay=0.005) as slow:
        kill = {"stop_when": lambda: len(slow.targets) >= 20, "with_signal": signal.SIGKILL}
        run_crawl("plain", slow.url, tmp_path / "out", settings, **kill)
        assert not (tmp_path / "tables").exists()
        resumed = run_crawl("plain", slow.url, tmp_path / "out", settings)
    assert stats(resumed, "errors/") == {}
    made = texts(tmp_path / "tables")
    assert made["shop.csv"].count(f"{slow.url}shop/") == RECORDS
    assert made == texts(of_command(capsys, tmp_path, "again"))


@pytest.mark.exhaustive
@pytest.mark.parametrize("reactor", [{}, SELECT, NO_REACTOR], ids=["asyncio", "select", "none"])
def test_a_signal_ends_the_reading(reactor: dict[str, Any], site: LocalSite, tmp_path: Path) -> None:
    settings = {**settings_for(tmp_path), **READING, **reactor, "SHOP_SIGNAL": int(signal.SIGTERM)}
    output = tmp_path / "out"
    output.mkdir()
    project = {"SCRAPY_SETTINGS_MODULE": "lab.sites.shop.settings", "SHOP_URL": site.url}
    project["SHOP_OUTPUT"] = str(output)
    run_scrapy(["crawl", "plain"], settings, project, tmp_path / "log.txt")
    log = (tmp_path / "log.txt").read_text(encoding="utf-8")
    assert "makes the tables" in log
    assert "Traceback" not in log
    assert [path.name for path in tmp_path.glob("*tables*")] == []


@pytest.mark.exhaustive
def test_on_a_full_disk_the_crawl_ends_as_it_would(site: LocalSite, tmp_path: Path) -> None:
    crawl(site, tmp_path)
    before = texts(tmp_path / "tables")
    full = {"ADDONS": {**ONE_LINE["ADDONS"], "lab.sites.shop.disks.FullTables": 1}}
    crawled = crawl(site, tmp_path, **full)
    assert stats(crawled, "errors/") == {"OSError": 1}
    assert f"templcrawl failed while writing the tables {tmp_path}/tables" in crawled.log
    assert crawled.stats["finish_reason"] == "finished"
    assert texts(tmp_path / "tables") == before
    assert not list(tmp_path.glob(".tables*"))


@pytest.mark.exhaustive
def test_of_several_crawls_the_last_to_end_makes_them(site: LocalSite, tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    other = FileLock(tmp_path / "archive/_tables.lock", shared=True)
    crawled = crawl(site, tmp_path, CLOSESPIDER_PAGECOUNT=30)
    assert stats(crawled, "errors/") == {}
    assert "another crawl writes to the archive" in crawled.log
    assert not (tmp_path / "tables").exists()
    other.release()
    crawl(site, tmp_path)
    assert (tmp_path / "tables/shop.csv").exists()


@pytest.mark.exhaustive
def test_what_cannot_be_read_is_counted_and_named(site: LocalSite, tmp_path: Path, capsys) -> None:
    crawl(site, tmp_path, CLOSESPIDER_PAGECOUNT=30)
    (part,) = (tmp_path / "archive/bodies").glob("*.parquet")
    part.write_bytes(part.read_bytes()[:-40])
    crawled = crawl(site, tmp_path)
    assert stats(crawled, "tables")["/unreadable"] == 1
    assert f"1, such as bodies/{part.name}" in crawled.log


def test_where_no_page_type_has_enough_pages_that_is_said(tmp_path: Path) -> None:
    few = {path: html for path, html in PAGES.items() if path == "/" or path == "/list/0.html"}
    with LocalSite(few) as served:
        crawled = crawl(served, tmp_path)
    assert stats(crawled, "errors/") == {}
    assert "no tables: none of 2 page types has 8 pages, the largest has 1; read more pages" in crawled.log
    assert stats(crawled, "tables") == {"": 0, "/rows": 0}


@pytest.mark.exhaustive
def test_without_a_page_nothing_is_made(tmp_path: Path) -> None:
    with LocalSite({}) as served:
        crawled = crawl(served, tmp_path)
    assert stats(crawled, "errors/") == {}
    assert "no tables" in crawled.log
    assert not (tmp_path / "tables").exists()


REFUSED = [
    ({"TEMPLCRAWL_ARCHIVE_BODIES": False}, "give TEMPLCRAWL_ARCHIVE_BODIES = True with it"),
    (
        {"TEMPLCRAWL_ARCHIVE": None, "TEMPLCRAWL_ARCHIVE_BODIES": False},
        "give TEMPLCRAWL_ARCHIVE = 'archive/' and TEMPLCRAWL_ARCHIVE_BODIES = True with it",
    ),
    ({"TEMPLCRAWL_TABLES": "s3://bucket/tables"}, "give a folder of this machine"),
    ({"TEMPLCRAWL_TABLES": "goods.csv"}, "or a file that ends in .sqlite"),
    ({"TEMPLCRAWL_TABLES": "{}/notes"}, "(there is something else)"),
    ({"TEMPLCRAWL_TABLES": "{}/notes/plan.sqlite"}, "(there is something else)"),
    ({"TEMPLCRAWL_TABLES": "{}/archive"}, "(there is something else)"),
    ({"TEMPLCRAWL_TABLES": "{}/notes/plan.sqlite/tables"}, "(Not a directory)"),
]


@pytest.mark.parametrize(("more", "said"), exhaustive_but(REFUSED[:1], REFUSED))
def test_what_is_refused_at_the_start(
    more: dict[str, Any], said: str, site: LocalSite, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/plan.sqlite").write_text("mine")
    given = {
        name: value.format(tmp_path) if isinstance(value, str) else value for name, value in more.items()
    }
    crawled = crawl(site, tmp_path, **given)
    assert "TEMPLCRAWL_TABLES = " in crawled.log
    assert said in crawled.log
    assert not crawled.responses
    assert texts(tmp_path / "notes") == {"plan.sqlite": "mine"}


@pytest.mark.exhaustive
def test_without_the_parsers_a_crawl_that_is_to_parse_does_not_start(site: LocalSite, tmp_path: Path) -> None:
    settings = {**settings_for(tmp_path), "TEMPLCRAWL_TABLES_PARSED": True}
    crawled = run_crawl("plain", site.url, tmp_path / "out", settings, without=["price_parser"])
    assert "pip install 'templcrawl[tables]'" in crawled.log
    assert not crawled.responses


def test_values_are_parsed_as_by_the_command(site: LocalSite, tmp_path: Path, capsys) -> None:
    pytest.importorskip("dateparser")
    assert stats(crawl(site, tmp_path, TEMPLCRAWL_TABLES_PARSED=True), "errors/") == {}
    assert run(capsys, "tables", tmp_path / "archive", "-o", tmp_path / "again", "--parse").code == 0
    assert texts(tmp_path / "tables") == texts(tmp_path / "again")
    assert ",Price,Price_amount,Price_currency," in texts(tmp_path / "tables")["shop.csv"]


@pytest.mark.exhaustive
def test_a_folder_of_tables_that_gained_another_file_is_left_as_it_is(
    site: LocalSite, tmp_path: Path
) -> None:
    crawl(site, tmp_path)
    (tmp_path / "tables/my notes.txt").write_text("mine")
    assert "(there is something else)" in crawl(site, tmp_path).log
    shutil.rmtree(tmp_path / "tables")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "tables").symlink_to(tmp_path / "elsewhere")
    assert stats(crawl(site, tmp_path), "errors/") == {}
    assert (tmp_path / "tables").is_symlink()
    assert {*texts(tmp_path / "elsewhere")} == {"columns.json", "shop.csv"}
