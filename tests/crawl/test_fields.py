"""Fields of pages in a running crawl: learned in another thread, filled again where items wait, resumed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.sites.server import LocalSite
from lab.sites.table_sites import generate_table_site
from tests.crawl.crawls import NO_REACTOR, ONE_BY_ONE, ONE_LINE, Crawl, run_crawl
from tests.parts import exhaustive_but

SITE = {page.path: page for page in generate_table_site("shop", "table")}
FRONT = "".join(f'<li><a href="{path}">{path}</a>' for path in SITE)
FIELDS = {"TEMPLCRAWL_ITEM_FIELDS": {"content_text": "content_text", "fields": "fields"}}


@pytest.fixture(scope="module")
def site() -> Iterator[LocalSite]:
    with LocalSite({**{path: page.html for path, page in SITE.items()}, "/": f"<ul>{FRONT}</ul>"}) as served:
        yield served


def crawl(site: LocalSite, output: Path, **more: object) -> Crawl:
    return run_crawl("plain", site.url, output, {**ONE_LINE, **ONE_BY_ONE, **FIELDS, **more})


def shares(found: Crawl, site: LocalSite) -> list[float]:
    """Return for each record page, in the order of items, the share of its facts that are in its fields."""
    fields = {item["url"]: item["fields"] for kind, item in found.items if kind == "dict"}
    of_pages = (
        (SITE["/" + url.removeprefix(site.url)], got) for url, got in fields.items() if url != site.url
    )
    return [
        sum(got.get(name) == value for name, value in page.values.items() if name != "title")
        / (len(page.values) - 1)
        for page, got in of_pages
        if page.kind == "record"
    ]


@pytest.mark.parametrize("reactor", exhaustive_but([{}], [{}, NO_REACTOR]), ids=["reactor", "no reactor"])
def test_pages_have_fields_as_soon_as_their_type_is_known(
    site: LocalSite, tmp_path: Path, reactor: dict[str, bool]
) -> None:
    found = crawl(site, tmp_path, **reactor)
    right = shares(found, site)
    assert right[:7] == [0.0] * 7
    assert right[-1] == 1.0
    assert not [stat for stat in found.stats if stat.startswith("templcrawl/errors")]


def test_items_that_wait_have_the_fields_of_what_was_learned_since(site: LocalSite, tmp_path: Path) -> None:
    right = shares(crawl(site, tmp_path, TEMPLCRAWL_HOLD=20), site)
    assert right == [1.0] * len(right)


@pytest.mark.exhaustive
def test_a_resumed_crawl_has_fields_from_its_first_page_on(site: LocalSite, tmp_path: Path) -> None:
    job = {"JOBDIR": str(tmp_path / "job")}
    crawl(site, tmp_path / "1", **job, CLOSESPIDER_PAGECOUNT=30)
    right = shares(crawl(site, tmp_path / "2", **job), site)
    assert 0 < len(right) < 30
    assert min(right) == 1.0


@pytest.mark.exhaustive
def test_items_that_wait_do_not_wait_for_what_only_the_report_shows(site: LocalSite, tmp_path: Path) -> None:
    only_report = {"TEMPLCRAWL_ITEM_FIELDS": ["content_text"], "TEMPLCRAWL_REPORT": str(tmp_path / "r.html")}
    found = crawl(site, tmp_path, **only_report, TEMPLCRAWL_HOLD=20)
    assert found.stats["finish_reason"] == "finished"
    assert found.stats["item_scraped_count"] == len(found.items) > 40
