"""The archive of a crawl holds what the crawl saw, whole, once."""

from __future__ import annotations

import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.compute
import pyarrow.parquet
import pytest
from scrapy import Spider
from scrapy.utils.test import get_crawler

from lab.sites.server import LocalSite
from templcrawl import CrawlMemory, Page
from templcrawl.crawl.part import Crawl
from templcrawl.crawl.parts.crawl_archive import CrawlArchive
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.crawl.waiting import OurQueues
from templcrawl.outputs.archive.archive_parts import Archive
from templcrawl.page.arrays import signed
from templcrawl.page.text import unforgeable_key
from templcrawl.tools.readers import open_pages
from tests.crawl.crawls import ADDON, DEMO_SITE, ONE_BY_ONE, SMALL_PARTS, run_crawl
from tests.crawl.posted_listing import LISTING, PAGES
from tests.crawl.small_crawls import in_new_process


def settings_for(archive: Path, **more: object) -> dict[str, object]:
    return {**ADDON, **SMALL_PARTS, **ONE_BY_ONE, "TEMPLCRAWL_ARCHIVE": str(archive), **more}


def urls(archive: Path) -> list[str]:
    found: list[str] = Archive(str(archive)).read("pages", ["url"])["url"].to_pylist()
    return found


def test_it_counts_what_the_crawl_s_stats_count(site: LocalSite, tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    settings = settings_for(folder, SHOP_PART_PAGES=40)
    crawl = run_crawl("plain", site.url, tmp_path / "out", settings)
    archive, stats = Archive(str(folder)), crawl.stats
    pages = archive.read("pages", ["url", "characters", "text_characters", "links", "pagelets"])
    assert pages.num_rows == len(set(urls(folder))) == stats["templcrawl/archive/pages"] > 100
    for table in ("links", "pagelets"):
        rows = archive.read(table, ["pagelet"]).num_rows
        assert rows == sum(pages[table].to_pylist()) == stats[f"templcrawl/archive/{table}"]
    again = pages.filter(pyarrow.compute.equal(pages["url"], site.url))  # the start page, by a link to it
    assert stats["templcrawl/archive/repeated"] == again.num_rows == 1
    seen = pyarrow.concat_tables([pages, again])
    assert seen.num_rows == stats["templcrawl/pages"]
    assert sum(seen["links"].to_pylist()) == stats["templcrawl/links"]
    assert sum(seen["characters"].to_pylist()) == stats["templcrawl/characters"]
    assert sum(seen["text_characters"].to_pylist()) == stats["templcrawl/text/characters"]
    assert len(archive.parts) == stats["templcrawl/archive/parts"] == -(-pages.num_rows // 40)
    html = {record.url: record.html.decode() for record in open_pages(folder)}
    assert sorted(html) == sorted(urls(folder))
    for url, body in html.items():
        assert body == DEMO_SITE.html("/" + url.removeprefix(site.url))


@pytest.mark.exhaustive
def test_a_resumed_crawl_adds_parts_and_repeats_no_page(site: LocalSite, tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    settings = settings_for(folder, JOBDIR=str(tmp_path / "job"))
    run_crawl("plain", site.url, tmp_path / "out", {**settings, "CLOSESPIDER_PAGECOUNT": 60})
    half = Archive(str(folder))
    crawl = run_crawl("plain", site.url, tmp_path / "out", settings)
    whole = Archive(str(folder))
    assert set(half.parts) < set(whole.parts)
    found = urls(folder)
    assert len(found) == len(set(found)) > 140
    assert crawl.stats["templcrawl/archive/repeated"] >= 1


def test_of_one_address_every_page_is_stored_that_its_request_tells_apart(tmp_path: Path) -> None:
    """A listing is paged by POST; the second crawl stores nothing again."""
    crawls = in_new_process("crawl.posted_listing", str(tmp_path / "archive"))
    assert [len(crawl["fetched"]) for crawl in crawls] == [PAGES + 1] * 2
    pages = Archive(str(tmp_path / "archive")).read("pages", ["page", "url", "words"])
    assert pages["url"].to_pylist() == [LISTING] * PAGES
    assert len(set(pages["page"].to_pylist())) == PAGES
    assert signed(unforgeable_key(LISTING)) in pages["page"].to_pylist()


@pytest.mark.exhaustive
def test_a_killed_crawl_leaves_the_parts_that_were_written_at_intervals(
    site: LocalSite, tmp_path: Path
) -> None:
    folder, most = tmp_path / "archive", len(site.targets) + 60
    run_crawl(
        "plain",
        site.url,
        tmp_path / "out",
        settings_for(folder, SHOP_PART_SECONDS=0.05),
        stop_when=lambda: len(site.targets) >= most,
        with_signal=signal.SIGKILL,
    )
    archive = Archive(str(folder))
    assert len(archive.parts) > 1
    assert not archive.unreadable
    assert len(urls(folder)) == len({*urls(folder)}) > 0


@pytest.mark.exhaustive
def test_where_it_cannot_be_written_the_crawl_goes_on(site: LocalSite, tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    settings = settings_for(folder, SHOP_PART_PAGES=10, CLOSESPIDER_PAGECOUNT=60)
    recorder = "lab.sites.shop.recorders.RecordStats"
    settings["EXTENSIONS"] = {"lab.sites.shop.disks.FullDisk": 2, recorder: 100}
    crawl = run_crawl("plain", site.url, tmp_path / "out", settings)
    assert len(crawl.responses) >= 60
    assert "cannot write to the archive" in crawl.log
    assert "No space left on device" in crawl.log
    lost = crawl.stats["templcrawl/archive/lost"]
    assert lost + crawl.stats["templcrawl/archive/repeated"] == crawl.stats["templcrawl/pages"]
    assert crawl.stats["templcrawl/archive/pages"] == 0


def test_a_page_that_comes_twice_does_not_let_go_of_one_that_is_not_yet_in_a_part(tmp_path: Path) -> None:
    crawler, released = get_crawler(Spider, {"TEMPLCRAWL_ARCHIVE": str(tmp_path / "archive")}), list[Any]()
    job: Any = SimpleNamespace(
        taken=SimpleNamespace(keep=lambda request: (request,), release=released.append)
    )
    memory, settings = CrawlMemory(), TemplcrawlSettings.from_settings(crawler.settings)
    archive = CrawlArchive(Crawl(crawler, settings, memory, job, OurQueues(crawler)))
    for number, name in enumerate("abab"):
        observation = memory.observe(Page(f"<p>words of {name}", f"http://x.example/{name}"))
        archive.page_observed(number, None, observation)  # type: ignore[arg-type]
    archive._thread.submit(lambda: None).result()
    archive._collect()
    assert released == [(2,), (3,)], "the pages of the first two are buffered"
    archive.flush()
    archive._thread.shutdown()
    archive._collect()
    assert released == [(2,), (3,), (0,), (1,)]
