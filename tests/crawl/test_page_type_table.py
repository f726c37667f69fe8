"""The table of page types of a crawl, which items join: a file, in databases, in the archive."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from lab.sites.generated import generate_demo_site
from lab.sites.server import LocalSite
from templcrawl.crawl.extension import CrawlExtension
from templcrawl.crawl.parts.page_type_table import PageTypeTable
from tests.crawl.crawls import ONE_LINE, run_crawl
from tests.parts import exhaustive_but

PAGES = [page.html for page in generate_demo_site().pages.values()][:30]
HOSTS = ["a.example", "b.example", "c.example"]


def table_of(path: Path) -> dict[str, dict[str, Any]]:
    """Return the entries of a file, of which no line but the braces is without one."""
    table: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return table


def crawler_of(path: Path, **more: object) -> Crawler:
    extensions = {"EXTENSIONS": {"templcrawl.crawl.extension.CrawlExtension": 0}}
    return get_crawler(Spider, {**extensions, "TEMPLCRAWL_PAGE_TYPES_FILE": str(path), **more})


def crawl_hosts(crawler: Crawler, hosts: list[str]) -> set[str]:
    """Let the pages of some hosts pass through the extension, host after host; return their leaves."""
    memory, leaves = CrawlExtension.running_in(crawler), set()
    (table,) = (part for part in memory.parts if isinstance(part, PageTypeTable))
    table.open()
    for host in hosts:
        for number, html in enumerate(PAGES):
            request = Request(f"http://{host}/{number}")
            response = HtmlResponse(request.url, body=html.encode(), request=request)
            memory.receive(response, request)
            observation = memory.observation_of(response)
            assert observation is not None
            leaves.add(observation.leaf_id)
    memory.close()
    return leaves


def test_items_of_a_crawl_join_by_it_in_each_place(site: LocalSite, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    duckdb = pytest.importorskip("duckdb")
    path, archive, job = (tmp_path / name for name in ("types.json", "archive", "job"))
    settings = {
        **ONE_LINE,
        "TEMPLCRAWL_ITEM_FIELDS": ["leaf_id", "page_kind"],
        "TEMPLCRAWL_PAGE_TYPES_FILE": str(path),
        "TEMPLCRAWL_ARCHIVE": str(archive),
        "JOBDIR": str(job),
    }
    crawl = run_crawl("plain", site.url, tmp_path / "out", settings)
    items = {item["url"]: item["leaf_id"] for kind, item in crawl.items if kind == "dict"}
    table = table_of(path)
    assert len(items) > 100
    assert {*items.values()} <= table.keys()
    named = {table[leaf]["page_type"] for leaf in items.values()}
    assert {"/news/*", "/shop/*", "/manual/*"} <= named
    for start in ("/shop/product-", "/manual/chapter-"):
        of_template = {table[leaf]["page_type"] for url, leaf in items.items() if start in url}
        assert of_template == {f"/{start.split('/')[1]}/*"}
    assert f"templcrawl: the page types of {len(table)} leaves are in {path}" in crawl.log
    assert crawl.stats["templcrawl/page_types"] == len({row["page_type"] for row in table.values()})
    assert not [stat for stat in crawl.stats if stat.startswith("templcrawl/errors")]
    assert not [file.name for file in tmp_path.iterdir() if file.name.startswith("types.json.")]

    rows = [(leaf, *row.values()) for leaf, row in sorted(table.items())]
    columns = "leaf, page_type, pages, kind"
    with duckdb.connect() as connection:
        query = f"SELECT {columns} FROM '{archive}/page_types/*.parquet' ORDER BY leaf"
        assert connection.execute(query).fetchall() == [(*row[:3], row[3] or "") for row in rows]


def test_an_item_has_its_leaf_before_the_types_are_known_and_a_page_its_own(tmp_path: Path) -> None:
    path = tmp_path / "types.json"
    leaves = crawl_hosts(crawler_of(path), HOSTS)
    table = table_of(path)
    assert leaves <= table.keys()
    assert {row["kind"] for row in table.values()} == {None}
    for host in HOSTS:
        sizes = {row["page_type"]: row["pages"] for leaf, row in table.items() if leaf.startswith(f"{host}#")}
        assert sum(sizes.values()) == len(PAGES)


def test_sites_that_left_the_memory_are_in_it(tmp_path: Path) -> None:
    path = tmp_path / "types.json"
    crawl_hosts(crawler_of(path, TEMPLCRAWL_LIMITS={"max_sites": 1}), HOSTS)
    few = table_of(path)
    assert {leaf.partition("#")[0] for leaf in few} == {*HOSTS}
    crawl_hosts(crawler_of(path), HOSTS)
    assert table_of(path) == few
    crawl_hosts(crawler_of(path), [])
    assert table_of(path) == {}


def test_a_job_keeps_what_it_has_written_of_sites_that_it_does_not_visit_again(tmp_path: Path) -> None:
    path, job = tmp_path / "types.json", str(tmp_path / "job")
    leaves = crawl_hosts(crawler_of(path, TEMPLCRAWL_LIMITS={"max_sites": 1}, JOBDIR=job), ["a.example"])
    first = table_of(path)
    assert leaves <= first.keys()
    crawl_hosts(crawler_of(path, JOBDIR=job), ["b.example"])
    both = table_of(path)
    assert both == {**first, **{leaf.replace("a.", "b."): row for leaf, row in first.items()}}
    crawl_hosts(crawler_of(path), ["c.example"])
    assert {leaf.partition("#")[0] for leaf in table_of(path)} == {"c.example"}


def test_hosts_that_are_forgotten_lose_no_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, job = tmp_path / "types.json", str(tmp_path / "job")
    monkeypatch.setattr("templcrawl.crawl.parts.page_type_table.MAX_HOSTS", 1)
    crawl_hosts(crawler_of(path, JOBDIR=job), HOSTS[:2])
    first = path.read_text()
    crawl_hosts(crawler_of(path, JOBDIR=job), HOSTS[:2])
    assert json.loads(path.read_text()) == json.loads(first)
    assert len(path.read_text()) > len(first)


DAMAGED = ["", "{", "[1]\n", '{\n"a.example#1": 3,\n"a.example#2": {"no": 1}\n}\n']


@pytest.mark.parametrize("damaged", exhaustive_but(DAMAGED[3:], DAMAGED))
def test_a_file_that_is_none_is_written_anew(damaged: str, tmp_path: Path) -> None:
    path, job = tmp_path / "types.json", str(tmp_path / "job")
    crawl_hosts(crawler_of(path, JOBDIR=job), ["a.example"])
    first = table_of(path)
    path.write_text(damaged)
    crawl_hosts(crawler_of(path, JOBDIR=job), ["a.example"])
    assert table_of(path) == first


def test_without_a_place_for_it_it_is_off() -> None:
    parts = CrawlExtension.from_crawler(get_crawler(Spider)).parts
    assert not any(isinstance(part, PageTypeTable) for part in parts)


def test_without_a_temporary_file_the_sites_in_memory_are_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("templcrawl.crawl.parts.page_type_table.TemporaryFile", refuse)
    crawler = crawler_of(tmp_path / "types.json", TEMPLCRAWL_LIMITS={"max_sites": 2})
    crawl_hosts(crawler, HOSTS)
    assert {leaf.partition("#")[0] for leaf in table_of(tmp_path / "types.json")} == {*HOSTS[1:]}
    assert crawler.stats is not None
    assert crawler.stats.get_value("templcrawl/errors/OSError") == 1
    assert not crawler.stats.get_value("templcrawl/errors/AttributeError")


def test_a_full_disk_costs_the_table_and_not_the_crawl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> int:
        raise OSError("the disk is full")

    path = tmp_path / "types.json"
    monkeypatch.setattr("templcrawl.crawl.parts.page_type_table.write_page_types", fail)
    crawler = crawler_of(path)
    crawl_hosts(crawler, ["a.example"])
    assert crawler.stats is not None
    assert crawler.stats.get_value("templcrawl/errors/OSError") == 1
    assert not path.exists()
