"""A crawl that looks for pages like some examples: they go first, nothing is lost, what is wrong is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy import Request, Spider
from scrapy.utils.test import get_crawler

from lab.sites.server import LocalSite
from templcrawl.crawl.target_examples import TargetExamplesMiddleware
from tests.crawl.crawls import ADDON, DEMO_SITE, ONE_BY_ONE, Crawl, run_crawl
from tests.spider_runs import run_spider

KINDS = {path: page.kind for path, page in DEMO_SITE.pages.items()}
PRODUCTS = [path for path, kind in KINDS.items() if kind == "product"]


def crawl(site: LocalSite, output: Path, targets: list[str], **more: object) -> Crawl:
    settings = {"TEMPLCRAWL_ORDER": "targets", "TEMPLCRAWL_TARGETS": targets, **more}
    return run_crawl("plain", site.url, output, {**ADDON, **ONE_BY_ONE, **settings})


def addresses(site: LocalSite, paths: list[str]) -> list[str]:
    return [site.url.rstrip("/") + path for path in paths]


def paths_of(site: LocalSite, found: Crawl) -> list[str]:
    return ["/" + response["url"].removeprefix(site.url) for response in found.responses]


def test_pages_like_the_examples_go_first_and_every_page_is_fetched(site: LocalSite, tmp_path: Path) -> None:
    found = crawl(site, tmp_path / "found", addresses(site, PRODUCTS[3:6]))
    places = [place for place, path in enumerate(paths_of(site, found)) if path in PRODUCTS]
    assert len(places) == len(PRODUCTS)
    assert places[int(0.9 * len(PRODUCTS))] < 0.5 * len(found.responses)
    assert {*paths_of(site, found)} >= {path for path in KINDS if DEMO_SITE.html(path) is not None}
    assert len(found.texts()) == len({*paths_of(site, found)})
    assert found.stats["templcrawl/targets/examples"] == 3
    assert found.stats["templcrawl/targets/found"] >= len(PRODUCTS)
    assert not [stat for stat in found.stats if stat.startswith("templcrawl/errors")]


def test_examples_go_first_where_a_middleware_of_the_project_has_the_method_of_older_scrapy_alone() -> None:
    settings = {
        "EXTENSIONS": {"templcrawl.crawl.extension.CrawlExtension": 0},
        "TEMPLCRAWL_ORDER": "targets",
        "TEMPLCRAWL_TARGETS": ["http://shop.example/like/this"],
    }
    crawler = get_crawler(Spider, settings)
    middleware = TargetExamplesMiddleware.from_crawler(crawler)
    own = Request("http://shop.example/")
    example, *others = middleware.process_start_requests([own], Spider("shop"))
    assert (example.url, others) == ("http://shop.example/like/this", [own])


def test_an_example_that_cannot_be_read_is_said_and_stops_nothing(site: LocalSite, tmp_path: Path) -> None:
    found = crawl(
        site, tmp_path / "out", addresses(site, ["/no/such/page", PRODUCTS[0]]), CLOSESPIDER_PAGECOUNT=9
    )
    assert found.stats["templcrawl/targets/unread"] == found.stats["templcrawl/targets/examples"] == 1
    assert (
        "/no/such/page of TEMPLCRAWL_TARGETS cannot be read (it is no page (status 404)): pages "
        "like it do not go first" in found.log
    )
    assert " ERROR: " not in found.log


@pytest.mark.exhaustive
def test_a_paused_crawl_goes_on_looking(site: LocalSite, tmp_path: Path) -> None:
    targets, job = addresses(site, PRODUCTS[3:6]), {"JOBDIR": str(tmp_path / "job")}
    crawl(site, tmp_path / "out", targets, CLOSESPIDER_PAGECOUNT=20, **job)
    found = crawl(site, tmp_path / "out", targets, **job)
    paths = paths_of(site, found)
    places = [place for place, path in enumerate(dict.fromkeys(paths)) if path in PRODUCTS]
    assert len(places) == len(PRODUCTS)
    assert places[int(0.9 * len(PRODUCTS))] < 0.5 * len(set(paths))


@pytest.mark.exhaustive
def test_types_of_examples_in_a_folder_are_looked_for(site: LocalSite, tmp_path: Path) -> None:
    for kind in ("product", "article"):
        folder = tmp_path / "types" / kind
        folder.mkdir(parents=True)
        chosen = [path for path, of in KINDS.items() if of == kind][:4]
        for number, path in enumerate(chosen):
            (folder / f"{number}.html").write_text(DEMO_SITE.pages[path].html, encoding="utf-8")
    found = crawl(site, tmp_path / "out", ["product"], TEMPLCRAWL_PAGE_TYPE_EXAMPLES=str(tmp_path / "types"))
    places = [place for place, path in enumerate(paths_of(site, found)) if path in PRODUCTS]
    assert places[int(0.9 * len(PRODUCTS))] < 0.5 * len(found.responses)
    assert "templcrawl/targets/examples" not in found.stats


def test_the_spider_takes_targets(site: LocalSite, tmp_path: Path) -> None:
    targets = ",".join(addresses(site, PRODUCTS[3:5]))
    one_by_one = ["-s", "CONCURRENT_REQUESTS=1"]  # which page comes next is no matter of time
    given = ["-a", f"start={site.url}", "-a", f"targets={targets}", "-a", "pages=30", *one_by_one]
    items, log = run_spider("site", *given, output=tmp_path / "p.jsonl")
    found = [item["url"] for item in items if "/" + item["url"].removeprefix(site.url) in PRODUCTS]
    assert len(found) > 3
    assert "'templcrawl/targets/examples': 2" in log
