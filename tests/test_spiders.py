"""``scrapy crawl site`` over a saved site, as a user would type it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.sites.server import LocalSite
from spiders.site import SiteSpider
from tests.crawl.test_order import small_site
from tests.memory.pages import article, listing
from tests.scrapy_processes import run_scrapy
from tests.spider_runs import run_spider


@pytest.fixture(scope="module")
def saved_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as a downloader of sites leaves it: with queries in names, and no page for some links."""
    folder = tmp_path_factory.mktemp("saved")
    (folder / "articles").mkdir()
    (folder / "list").mkdir()
    for number in range(1, 3):
        (folder / "list" / f"{number}.html").write_text(listing(number).text)
    for number in range(10, 25):
        (folder / "articles" / f"{number}.html").write_text(article(number).text)
    (folder / "news?page=1.html").write_text(article(99).text)
    (folder / "index.html").write_text(
        "<html><a href='/list/1.html'>1</a> <a href='https://shop.example/list/2.html'>2</a>"
        " <a href='https://shop.example/list/1.html'>1</a> <a href='/news?page=1'>news</a> <a href='https://elsewhere.example/'>away</a>"
        " <a href='../../../etc/passwd'>no</a></html>"
    )
    return folder


def crawl(*arguments: str, output: Path, settings: str = "settings.replay") -> tuple[list[dict], str]:
    return run_spider("site", *arguments, output=output, settings=settings)


def test_a_saved_site_is_crawled_as_if_it_were_on_the_web(saved_site: Path, tmp_path: Path) -> None:
    items, log = crawl(
        "-a", f"start={saved_site}", "-a", "host=shop.example", output=tmp_path / "pages.jsonl"
    )
    by_url = {item["url"].partition("://")[2]: item for item in items}
    # Five links of a list, 20 to 24 beyond the first; the menu's pages and lists 0 and 3 were not saved.
    wanted = {"shop.example/index.html", "shop.example/news?page=1"}
    wanted |= {f"shop.example/list/{n}.html" for n in (1, 2)}
    wanted |= {f"shop.example/articles/{n}.html" for n in (*range(10, 15), *range(20, 25))}
    assert set(by_url) == wanted
    assert len(items) == len(wanted)
    assert " ERROR: " not in log
    text = by_url["shop.example/articles/23.html"]["content_text"]
    assert text.startswith("Title 23\n")
    assert "\nTeam\n" not in text
    assert all(item["leaf_id"].startswith("shop.example#") for item in items)


def test_the_crawl_of_the_papers_has_all_their_parts(tmp_path: Path) -> None:
    fast = ("-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False")
    with LocalSite(small_site) as site:
        items, log = crawl(
            "-a", f"start={site.url}", *fast, output=tmp_path / "pages.jsonl", settings="settings.papers"
        )
    assert " ERROR: " not in log
    paths = [f"/{item['url'].split('/', 3)[3]}" for item in items]
    # links of template pagelets wait for those of the content, breadth first
    assert paths[2:14] == [f"/article/{number}" for number in range(12)]
    assert paths[14:] == [f"/service/{number}" for number in range(1, 8)]
    # fingerprints: the front page, and all others
    assert len({item["cluster_id"] for item in items[1:]}) == 1
    # the sandwich of pages, and of the field html: each page loses its menu but the first
    for item, path in zip(items[2:], paths[2:]):
        assert item["content_text"].startswith(f"{path}\n{path} word 0")
        assert "Service" not in item["content_text"] + item["html"]
        assert f"{path} word 29" in item["html"]
    assert "'templcrawl/fields/stripped': 21" in log
    assert "'templcrawl/pages/without_peers': 1," in log


def test_pages_are_written_as_parquet_by_name(saved_site: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    target = tmp_path / "pages.parquet"
    arguments = ["crawl", "site", "-a", f"start={saved_site}", "-a", "pages=3", "-O", str(target)]
    fast = ["-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False"]
    run_scrapy([*arguments, *fast], {}, {"SCRAPY_SETTINGS_MODULE": "settings.default"}, tmp_path / "log")
    assert parquet.read_table(target).num_rows == 3


def test_one_page_of_one_site_is_said_as_one(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(article(1).text)
    _, log = crawl("-a", f"start={tmp_path / 'index.html'}", output=tmp_path / "pages.jsonl")
    assert "templcrawl: 1 page of 1 site, 1 page type; " in log
    assert "; 1 item stripped; 0 links waited" in log


def test_it_stops_after_so_many_pages(saved_site: Path, tmp_path: Path) -> None:
    items, log = crawl("-a", f"start={saved_site}", "-a", "pages=4", output=tmp_path / "pages.jsonl")
    assert len(items) == 4
    assert "'templcrawl/pages': 4," in log
    assert "'finish_reason': 'pages'" in log


@pytest.mark.parametrize(("argument", "advice"), [("", "say where to start"), ("/no/such", "does not exist")])
def test_a_start_that_is_none_is_explained(argument: str, advice: str) -> None:
    with pytest.raises(ValueError, match=advice):
        SiteSpider(argument)


@pytest.mark.parametrize(
    ("start", "link"),
    [
        ("https://shop.example:443/a,b", "https://www.shop.example/p/1"),
        ("http://münchen.example/", "http://xn--mnchen-3ya.example/p/1"),
        ("http://shop.example/, http://other.example/", "http://other.example:80/p/1"),
    ],
)
def test_a_host_is_known_by_each_of_its_spellings(start: str, link: str) -> None:
    spider = SiteSpider(start)
    assert spider.follows(link)
    assert len(spider.start_urls) == start.count("http")
    assert not spider.follows(link.replace("/p", ":8080/p").replace(":80:", ":"))


def test_replay_lets_nothing_leave_this_machine(tmp_path: Path) -> None:
    items, log = crawl("-a", "start=http://192.0.2.1/", output=tmp_path / "pages.jsonl")
    assert items == []
    assert (
        "not on this machine" in log
        or "'downloader/exception_type_count/scrapy.exceptions.IgnoreRequest': 1" in log
    )
