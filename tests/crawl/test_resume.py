"""A crawl that was paused, stopped or killed goes on from what it had learned."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
import scrapy

from lab.sites.server import LocalSite
from templcrawl.memory.clusters import ALL_SITES
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.snapshots import FORMAT
from tests.crawl.crawls import ADDON, ONE_BY_ONE, SMALL_PARTS, Crawl, run_crawl
from tests.memory.invariants import check
from tests.memory.stores import put_state, saved_in, stored_state

KEEPS_ORDER = scrapy.version_info >= (2, 18)
"""Before 2.18 the next request is taken while a page is read: which one is a matter of time."""


def learned(job: Path, site: LocalSite) -> SiteMemory:
    host = site.url.split("/")[2]
    snapshot = saved_in(job, host)
    assert snapshot is not None
    memory = SiteMemory.from_snapshot(snapshot)
    check(memory)
    return memory


def types(crawl: Crawl, memory: SiteMemory) -> dict[str, str]:
    type_of = {row.leaf_id: row.page_type for row in memory.page_types()}
    return {item["url"]: type_of[item["leaf_id"]] for kind, item in crawl.items if kind == "dict"}


def after(requests: int, site: LocalSite) -> Callable[[], bool]:
    """Return a test that holds once the site has had so many more requests."""
    most = len(site.targets) + requests
    return lambda: len(site.targets) >= most


def settings_for(job: Path, **more: object) -> dict[str, object]:
    return {**ADDON, **ONE_BY_ONE, "JOBDIR": str(job), **more}


@pytest.fixture(scope="module")
def straight(site: LocalSite, tmp_path_factory: pytest.TempPathFactory) -> tuple[Crawl, SiteMemory]:
    """The crawl without interruption."""
    job = tmp_path_factory.mktemp("straight-job")
    crawl = run_crawl("plain", site.url, tmp_path_factory.mktemp("straight"), settings_for(job))
    return crawl, learned(job, site)


def test_a_paused_crawl_ends_with_the_same_page_types_and_counts(
    site: LocalSite, straight: tuple[Crawl, SiteMemory], tmp_path: Path
) -> None:
    job, output = tmp_path / "job", tmp_path / "out"
    slowly = settings_for(job, DOWNLOAD_DELAY=0.02)
    run_crawl("plain", site.url, output, slowly, stop_when=after(60, site))
    half = learned(job, site)
    assert 10 < half.pages < straight[1].pages
    crawl = run_crawl("plain", site.url, output, settings_for(job))
    memory = learned(job, site)
    assert memory.pages == straight[1].pages
    assert crawl.texts().keys() == straight[0].texts().keys()
    assert " ERROR: " not in crawl.log
    if not KEEPS_ORDER:
        return
    assert memory.page_types() == straight[1].page_types()
    # The start page is fetched and judged again.
    expected_types, expected = types(*straight), straight[0].texts()
    del expected_types[site.url], expected[site.url]
    assert expected_types.items() <= types(crawl, memory).items()
    assert expected.items() <= crawl.texts().items()


@pytest.mark.exhaustive
def test_a_kill_leaves_a_memory_that_can_be_read(site: LocalSite, tmp_path: Path) -> None:
    job = tmp_path / "job"
    often = settings_for(job, SHOP_CHECKPOINT_SECONDS=0.02) | SMALL_PARTS
    run_crawl(
        "plain", site.url, tmp_path / "out", often, stop_when=after(40, site), with_signal=signal.SIGKILL
    )
    pages = learned(job, site).pages
    assert pages > 0
    again = run_crawl("plain", site.url, tmp_path / "again", settings_for(job, CLOSESPIDER_PAGECOUNT=9))
    assert again.responses
    assert learned(job, site).pages >= pages
    assert "templcrawl/unreadable_sites" not in again.stats


@pytest.mark.exhaustive
def test_a_memory_of_another_format_is_learned_anew_with_one_line_in_the_log(
    site: LocalSite, tmp_path: Path
) -> None:
    job = tmp_path / "job"
    run_crawl("plain", site.url, tmp_path / "out", settings_for(job, CLOSESPIDER_PAGECOUNT=20))
    hosts = site.url.split("/")[2], ALL_SITES
    for host in hosts:
        put_state(job, host, stored_state(job, host).replace(b" %d " % FORMAT, b" 99 ", 1))
    crawl = run_crawl("plain", site.url, tmp_path / "out", settings_for(job, CLOSESPIDER_PAGECOUNT=20))
    assert crawl.stats["templcrawl/unreadable_sites"] == len(hosts)
    assert crawl.log.count("it has format 99, of another version of templcrawl") == 1
    assert b" %d " % FORMAT in stored_state(job, hosts[0])[:100]


def order_of(crawl: Crawl, start: str) -> list[str]:
    """Return the pages in the order of their responses, but for the start page: each start fetches it."""
    return [response["url"] for response in crawl.responses if response["url"] != start]


@pytest.mark.exhaustive
def test_a_crawl_that_was_paused_twice_goes_on_in_the_order_of_one_without_a_pause(
    site: LocalSite, straight: tuple[Crawl, SiteMemory], tmp_path: Path
) -> None:
    job, output = tmp_path / "job", tmp_path / "paused"
    for pages in (9, 50):
        half = run_crawl("plain", site.url, output, settings_for(job, CLOSESPIDER_PAGECOUNT=pages))
        assert half.stats["finish_reason"] == "closespider_pagecount"
    paused = run_crawl("plain", site.url, output, settings_for(job))
    assert straight[0].stats["templcrawl/links/waited"]
    resumed, whole = order_of(paused, site.url), order_of(straight[0], site.url)
    assert len(half.responses) < len(whole)
    assert resumed == whole or not KEEPS_ORDER
    assert sorted(resumed) == sorted(whole)
