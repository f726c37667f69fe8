"""Kinds of pages in a running crawl: items, targets, callbacks, and the recipe of the documents."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request

from lab.sites.server import LocalSite
from templcrawl.algorithms.page_kinds.kind_chances import PageKind
from templcrawl.crawl import part as parts_of_crawl
from templcrawl.crawl.parts.kind_callbacks import KindCallbacks
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.errors import InvalidOption
from tests.algorithms.page_kinds import pages
from tests.crawl.crawls import NO_REACTOR, ONE_BY_ONE, ONE_LINE, Crawl, run_crawl

RECIPES = Path(__file__).parents[2] / "docs" / "recipes.md"
RECIPE = "## All products of a shop as Parquet, with their facts"
SHOP = {
    page.url.removeprefix("https://quay.example"): page.text
    for number in range(20)
    for page in (
        pages.article(number),
        pages.product(number),
        *([pages.listing(number)] if number < 6 else []),
    )
}
FRONT = "".join(f'<li><a href="{path}">{path.split("/")[-1]}</a>' for path in SHOP)
PROGRAM = """
import json, sys
import recipe_settings
from recipe_spider import Products
from scrapy.crawler import AsyncCrawlerProcess

Products.start_urls = [sys.argv[1]]
settings = {name: value for name, value in vars(recipe_settings).items() if name.isupper()}
process = AsyncCrawlerProcess(settings | json.loads(sys.argv[2]))
process.crawl(Products)
process.start()
"""


@pytest.fixture(scope="module")
def site() -> Iterator[LocalSite]:
    with LocalSite({"/": f"<title>Quay</title><h1>Quay</h1><ul>{FRONT}</ul>", **SHOP}) as served:
        yield served


def crawl(site: LocalSite, output: Path, **more: object) -> Crawl:
    return run_crawl("plain", site.url, output, {**ONE_LINE, **ONE_BY_ONE, **more})


def wanted(url: str) -> str | None:
    kinds = {"/blog/": "article", "/product/": "product", "/category/": "listing"}
    return next((kind for start, kind in kinds.items() if start in url), None)


def test_items_say_of_which_kind_their_page_is(site: LocalSite, tmp_path: Path) -> None:
    found = crawl(site, tmp_path / "out", TEMPLCRAWL_ITEM_FIELDS=["page_kind", "page_kind_confidence"])
    named = [(wanted(item["url"]), item["page_kind"]) for kind, item in found.items if kind == "dict"]
    right = [kind == name for kind, name in named if kind is not None]
    assert len(right) >= len(SHOP)
    assert sum(right) > 0.9 * len(right)
    assert found.stats["templcrawl/kinds/product"] >= 18
    assert not [stat for stat in found.stats if stat.startswith("templcrawl/errors")]


def test_a_crawl_that_asks_for_no_kinds_finds_none(site: LocalSite, tmp_path: Path) -> None:
    found = crawl(site, tmp_path / "out", TEMPLCRAWL_ITEM_FIELDS=["content_text"], CLOSESPIDER_PAGECOUNT=9)
    assert not [stat for stat in found.stats if stat.startswith("templcrawl/kinds")]


def test_products_go_first_by_their_kind(site: LocalSite, tmp_path: Path) -> None:
    found = crawl(site, tmp_path / "out", TEMPLCRAWL_ORDER="targets", TEMPLCRAWL_TARGETS=["product"])
    places = [place for place, response in enumerate(found.responses) if "/product/" in response["url"]]
    assert len(places) == 20
    assert len(found.responses) > len(SHOP)
    assert places[-3] < 0.7 * len(SHOP)


@pytest.mark.exhaustive
def test_the_recipe_stores_all_products_with_their_facts(site: LocalSite, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    text = RECIPES.read_text(encoding="utf-8").partition(RECIPE)[2]
    settings, spider = re.findall(r"```py(?:thon)?\n(.*?)```", text, re.DOTALL)[:2]
    (tmp_path / "recipe_settings.py").write_text(settings, encoding="utf-8")
    (tmp_path / "recipe_spider.py").write_text(spider, encoding="utf-8")
    more = {**NO_REACTOR, "TELNETCONSOLE_ENABLED": False}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, site.url, json.dumps(more)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(RECIPES.parents[1])},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    rows = parquet.read_table(tmp_path / "products.parquet").to_pylist()
    products = [row for row in rows if "/product/" in row["url"]]
    assert len(products) >= 18
    assert len(products) >= 0.9 * len(rows)
    facts = [
        json.loads(row["facts"]) if isinstance(row["facts"], str) else dict(row["facts"]) for row in products
    ]
    assert all(fact["Metal"] == "brass" for fact in facts)
    assert len({fact["Weight"] for fact in facts}) == len(products)
    assert {row["page_kind"] for row in rows} == {"product"}
    assert "ERROR" not in run.stderr


def chosen_callback(kind: PageKind | None, request: Request, **attributes: object) -> object:
    """Return the callback of a request whose page is of a kind."""
    settings = TemplcrawlSettings(kind_callbacks={"product": "parse_goods", "listing": "parse_list"})
    spider = SimpleNamespace(**{"parse_goods": print, "parse_list": print, **attributes})
    crawler: Any = SimpleNamespace(spider=spider, stats=None)
    nothing: Any = None
    part = KindCallbacks(parts_of_crawl.Crawl(crawler, settings, nothing, None, nothing))
    observation: Any = SimpleNamespace(kind=kind)
    part.page_observed(request, nothing, observation)
    return request.callback


@pytest.mark.parametrize(
    ("kind", "attributes", "has_own"),
    [
        (PageKind("product", 0.3), {}, True),
        (PageKind("listing", 0.79), {}, False),
        (PageKind("listing", 0.8), {}, True),
        (PageKind("listing", 0.3), {"least_confidence": {"listing": 0.2}}, True),
        (PageKind("product", 0.3), {"least_confidence": {"product": 0.4}}, False),
        (PageKind("listing", 0.3), {"least_confidence": {"product": 0.4}}, False),
        (PageKind("article", 1.0), {}, False),
        (None, {}, False),
    ],
)
def test_a_page_of_unsure_kind_goes_to_the_ordinary_callback(
    kind: PageKind | None, attributes: dict[str, object], has_own: bool
) -> None:
    request = Request("http://quay.example/")
    assert (chosen_callback(kind, request, **attributes) is print) == has_own
    chosen = Request("http://quay.example/", callback=repr)
    assert chosen_callback(kind, chosen, **attributes) is repr


@pytest.mark.parametrize("least", [{"goods": 0.5}, {"product": 1.5}, {"product": "sure"}, 0.5])
def test_a_wrong_confidence_stops_the_start(least: object) -> None:
    with pytest.raises(InvalidOption, match="numbers from 0 to 1"):
        chosen_callback(None, Request("http://quay.example/"), least_confidence=least)


def test_a_callback_that_the_spider_lacks_stops_the_start() -> None:
    with pytest.raises(
        InvalidOption, match=r"KIND_CALLBACKS = .*names of methods that the spider has; it has no method"
    ):
        chosen_callback(None, Request("http://quay.example/"), parse_list="no method")
