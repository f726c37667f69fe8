"""A site is crawled again, and sitemaps and feeds say what is new and what has changed."""

from __future__ import annotations

from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, XmlResponse
from scrapy.spiders import SitemapSpider
from scrapy.utils.test import get_crawler

from lab.sites.server import Answer, LocalSite
from templcrawl.crawl import recrawl, site_signals
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.crawl.waiting import OurQueues
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.memory_options import MemoryOptions
from tests.crawl.crawls import ONE_BY_ONE, ONE_LINE, Crawl, run_crawl

SETTINGS = {**ONE_LINE, **ONE_BY_ONE, "TEMPLCRAWL_ORDER": "changes", "TEMPLCRAWL_MAY_MISS": 0}
XML = "application/xml"


class Named:
    """A site of a start page and the pages that it lists; more pages are named elsewhere."""

    def __init__(self) -> None:
        self.listed = [f"/p/{number}" for number in range(12)]
        self.sitemap: list[str] | None = None
        self.feed: list[str] = []
        self.more_feeds = 0
        self.robots = "Sitemap: BASE/sitemap.xml\n"
        self.gone: set[str] = set()
        self.site = LocalSite(self.answer)

    def answer(self, target: str) -> Answer:
        base = self.site.url[:-1]
        if target == "/robots.txt":
            return 200, "text/plain", self.robots.replace("BASE", base).encode()
        if target == "/sitemap.xml" and self.sitemap is not None:
            urls = (f"<url><loc>{base}{path}</loc></url>" for path in self.sitemap)
            return 200, XML, f"<urlset>{''.join(urls)}</urlset>".encode()
        if target == "/feed":
            items = (
                f"<item><link>{base}{path}</link><pubDate>{formatdate()}</pubDate></item>"
                for path in self.feed
            )
            return 200, XML, f"<rss><channel>{''.join(items)}</channel></rss>".encode()
        if target == "/":
            feed = "<link rel=alternate type=application/rss+xml href=/feed>" if self.feed else ""
            more = range(1, self.more_feeds + 1)
            feed += "".join(f"<link rel=alternate type=application/rss+xml href=/feed{n}>" for n in more)
            links = "".join(f"<li><a href={path}>Page {path}</a>" for path in self.listed)
            return f"<title>Start</title>{feed}<p>Welcome to all of it<ul>{links}</ul>"
        is_page = target.startswith(("/p/", "/q/")) and target not in self.gone
        return f"<title>A page</title><p>The text that only {target} has" if is_page else None

    def crawl(self, folder: Path, **settings: Any) -> tuple[set[str], Crawl]:
        """Crawl; return the paths that were asked for."""
        self.site.targets.clear()
        output = folder / f"{len([*folder.iterdir()])}"
        store = f"sqlite:{folder / 'memory.sqlite'}"
        got = run_crawl("plain", self.site.url, output, {**SETTINGS, "TEMPLCRAWL_STORE": store, **settings})
        assert not [name for name in got.stats if name.startswith("templcrawl/errors")]
        assert " ERROR: " not in got.log
        assert len({*self.site.targets}) == len(self.site.targets)  # nothing is asked for twice
        return {*self.site.targets}, got


def test_what_a_sitemap_names_is_read_though_no_page_links_to_it(tmp_path: Path) -> None:
    named = Named()
    named.sitemap = ["/", *named.listed, "/p/new", "http://elsewhere.example/p/x"]
    pages = {"/", *named.listed}
    with named.site:
        assert named.crawl(tmp_path)[0] == pages  # nothing is known yet
        asked, got = named.crawl(tmp_path)
        assert asked == pages | {"/robots.txt", "/sitemap.xml", "/p/new"}
        assert got.stats["templcrawl/recrawl/signals"] == 2
        assert got.stats["templcrawl/recrawl/named"] == got.stats["templcrawl/recrawl/new"] == 1
        assert f"{named.site.url}p/new" in {response["url"] for response in got.responses}
        asked, got = named.crawl(tmp_path)  # it is asked for again, and is not new any more
        assert "/p/new" in asked
        assert "templcrawl/recrawl/new" not in got.stats
        assert named.crawl(tmp_path, TEMPLCRAWL_LIMITS={"max_signals": 0})[0] == pages


@pytest.mark.exhaustive
def test_what_only_a_sitemap_names_is_gone_when_it_does_not_name_it_any_more(tmp_path: Path) -> None:
    named = Named()
    named.sitemap = [*named.listed, "/p/new"]
    lines = tmp_path / "changes.jsonl"
    settings = {"TEMPLCRAWL_CHANGES": str(lines)}
    with named.site:
        named.crawl(tmp_path)
        named.crawl(tmp_path, **settings)
        assert '/p/new", "change": "new"' in lines.read_text()
        named.sitemap, sitemap = None, named.sitemap
        named.crawl(tmp_path, **settings)  # that it cannot be read says nothing of what it names
        assert not lines.read_text()
        named.sitemap = sitemap[:-1]
        named.crawl(tmp_path, **settings)
        assert '/p/new", "change": "gone"' in lines.read_text()


@pytest.mark.exhaustive
def test_a_spider_that_reads_a_part_of_a_site_is_not_led_beyond_it(tmp_path: Path) -> None:
    named = Named()
    named.sitemap = [*named.listed, *(f"/p/{number}" for number in range(50, 60)), "/q/1"]
    with named.site:
        named.crawl(tmp_path)
        assert named.crawl(tmp_path)[0] == {"/robots.txt", "/sitemap.xml", "/", *named.listed}


@pytest.mark.exhaustive
def test_robots_txt_is_obeyed(tmp_path: Path) -> None:
    named = Named()
    named.sitemap = [*named.listed, "/p/new"]
    named.robots += "User-agent: *\nDisallow: /sitemap.xml\n"
    with named.site:
        for _ in range(2):
            asked, _ = named.crawl(tmp_path, ROBOTSTXT_OBEY=True)
            assert asked == {"/robots.txt", "/", *named.listed}


@pytest.mark.exhaustive
def test_a_feed_names_what_is_new(tmp_path: Path) -> None:
    named = Named()
    named.robots = ""
    named.feed = [*named.listed, "/p/new"]
    named.more_feeds = 9  # as for the comments on each page: three are read
    with named.site:
        named.crawl(tmp_path)
        feeds = {"/feed", "/feed1", "/feed2"}
        assert named.crawl(tmp_path)[0] == {"/robots.txt", *feeds, "/", *named.listed, "/p/new"}


def test_a_sitemap_is_read_once_though_its_requests_come_among_those_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    crawler = get_crawler(SitemapSpider)
    crawler.spider = SitemapSpider("sitemaps", sitemap_urls=[])
    read: list[bytes] = []
    monkeypatch.setattr(site_signals, "named_addresses", lambda body: read.append(body) or ())
    known = recrawl.Recrawl(
        crawler,
        TemplcrawlSettings(),
        CrawlMemory(MemoryOptions(sections={"changes": {}, "visits": {"began": 1}})),
        OurQueues(crawler),
    )
    sitemaps = [XmlResponse(f"http://x.org/{number}.xml", body=b"%d" % number) for number in range(2)]
    for response in (*sitemaps, HtmlResponse("http://x.org/")) * 3:
        known.links.note_link(Request("http://x.org/a"), response, None)
    assert read == [b"0", b"1"]
