"""The file of ``TEMPLCRAWL_STORE``: for one crawl after the other, and for one at a time."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from scrapy import Spider
from scrapy.utils.test import get_crawler

from lab.sites.server import LocalSite
from templcrawl.crawl.extension import CrawlExtension
from templcrawl.crawl.job.store_file import StoreFile
from templcrawl.errors import InvalidOption
from templcrawl.page.page import Page
from templcrawl.state_file import JOB_FILE
from tests.crawl.crawls import ONE_BY_ONE, ONE_LINE, run_crawl
from tests.memory.stores import saved_snapshots


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "new").mkdir()
    return tmp_path / "new" / "memory.sqlite"


def begun(path: Path, **settings: Any) -> CrawlExtension:
    given = {f"TEMPLCRAWL_{name}": value for name, value in settings.items() if name != "JOBDIR"}
    folder = {"JOBDIR": settings["JOBDIR"]} if "JOBDIR" in settings else {}
    crawler = get_crawler(Spider, {"TEMPLCRAWL_STORE": str(path), **given, **folder})
    crawler.crawling = True
    return CrawlExtension.from_crawler(crawler)


def damaged(path: Path) -> None:
    path.write_bytes(b"no database, but something else" * 300)


def of_something_else(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE items (url)")
        connection.execute("PRAGMA user_version = 1")


def of_another_format(path: Path) -> None:
    begun(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")


def a_folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (damaged, "file is not a database"),
        (of_something_else, "database of another program"),
        (of_another_format, "format 99, of another version of templcrawl"),
        (a_folder, "unable to open"),
    ],
)
def test_a_file_that_cannot_be_used_stops_the_start_and_stays_as_it_was(
    make: Callable[[Path], None], reason: str, path: Path
) -> None:
    make(path)
    before = path.read_bytes() if path.is_file() else b""
    for _ in range(2):
        with pytest.raises(InvalidOption, match=reason) as raised:
            begun(path)
        assert str(raised.value).startswith("TEMPLCRAWL_STORE = ")
        assert str(path) in str(raised.value)
    assert not path.is_file() or path.read_bytes() == before


_OTHER = """
import sys
from pathlib import Path
from types import SimpleNamespace
from templcrawl.crawl.job.store_file import StoreFile
file = StoreFile(SimpleNamespace(crawling=True), Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.read()
"""


def test_a_second_process_is_refused_by_one_sentence_until_the_first_has_died(path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _OTHER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline().strip() == b"open"
        said = rf"a file of its own for each crawl that runs: another crawl \(process {other.pid}\) has this"
        with pytest.raises(InvalidOption, match=said):
            begun(path)
        other.kill()
    begun(path).close()


def test_in_one_process_two_crawls_cannot_have_it_at_a_time_and_a_failed_start_does_not_keep_it(
    path: Path,
) -> None:
    first = begun(path)
    with pytest.raises(InvalidOption, match="has this one"):
        begun(path)
    first.crawler.crawling = False  # it has failed, and was not closed
    second = begun(path)
    second.close()
    begun(path).close()


def test_the_file_of_the_job_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match="another file than that of the JOBDIR"):
        begun(tmp_path / "job" / JOB_FILE, JOBDIR=str(tmp_path / "job"))


def test_beside_a_job_sites_are_in_the_store_and_a_later_crawl_knows_them(path: Path, tmp_path: Path) -> None:
    crawl = begun(path, JOBDIR=str(tmp_path / "job"))
    crawl.memory.observe(Page("<p>Green tea", "http://a.example/1"))
    crawl.close()
    assert [host for host, _ in saved_snapshots(path)] == ["*", "a.example"]
    later = begun(path)
    assert later.memory.open("a.example").pages == 1
    assert later.memory.options.sample_salt == crawl.memory.options.sample_salt
    later.close()


def test_a_store_that_is_lost_is_said_and_the_crawl_goes_on(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    crawl = begun(path)
    assert isinstance(crawl.file, StoreFile)
    crawl.file._lose(sqlite3.OperationalError("database or disk is full"))
    crawl.memory.observe(Page("<p>Green tea", "http://a.example/1"))
    crawl.close()
    assert f"templcrawl failed while writing {path}" in caplog.text


PAGES = {f"/{number}.html": f"Pot {number}, of red clay, holds {number + 2} cups" for number in range(12)}


def test_of_one_crawl_after_the_other_only_what_has_changed_is_an_item(path: Path, tmp_path: Path) -> None:
    texts = dict(PAGES)

    def answer(url: str) -> str | None:
        menu = "".join(f"<li><a href='{page}'>{page}</a>" for page in PAGES)
        text = texts.get(url, "All pots" if url == "/" else None)
        return text and f"<title>{url}</title><ul>{menu}</ul><h1>{url}</h1><p>{text}</p>"

    settings = {
        **ONE_LINE,
        **ONE_BY_ONE,
        "TEMPLCRAWL_STORE": f"sqlite:{path}",
        "TEMPLCRAWL_ITEM_FIELDS": ["content_text", "changed"],
        "TEMPLCRAWL_SKIP_UNCHANGED": True,
    }

    def items(site: LocalSite, day: int) -> set[tuple[str, str]]:
        found = run_crawl("plain", site.url, tmp_path / f"{day}", settings)
        assert " ERROR: " not in found.log
        assert found.log.count(" WARNING: ") == found.log.count("gain nothing from TEMPLCRAWL_ITEM_FIELDS")
        made = [item for kind, item in found.items if kind == "dict"]
        return {(item["url"].removeprefix(site.url.rstrip("/")), item["changed"]) for item in made}

    with LocalSite(answer) as site:
        first = items(site, 1)
        texts["/3.html"] = "Pot 3, of blue clay, is sold out"
        second, third = items(site, 2), items(site, 3)
    assert {page for page, _ in first} >= {*PAGES}
    assert second == {("/3.html", "changed")}
    assert third == set()
