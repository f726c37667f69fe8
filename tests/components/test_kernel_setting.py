"""The page reader of a crawl: the environment, the log and the stats."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from scrapy import Spider
from scrapy.utils.test import get_crawler

from sites.generated import generate_demo_site
from sites.server import LocalSite
from templcrawl.components.extension import TemplateMemory
from templcrawl.errors import InvalidOption
from templcrawl.page import kernel
from templcrawl.page.kernel import LIBRARY, SETTING, is_at_work
from templcrawl.page.kernel_views import KernelTokens
from templcrawl.page.page import Page
from tests.components.crawls import ADDON, run_crawl


@pytest.fixture(scope="module")
def site() -> Iterator[LocalSite]:
    with LocalSite({path: page.html for path, page in generate_demo_site().pages.items()}) as local:
        yield local


@pytest.mark.parametrize(
    "setting",
    ["off", pytest.param("on", marks=pytest.mark.skipif(not LIBRARY.exists(), reason="make kernel"))],
)
def test_a_crawl_reports_its_page_reader(
    setting: str, site: LocalSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SETTING, setting)
    settings = {**ADDON, "CLOSESPIDER_PAGECOUNT": 3}
    crawl = run_crawl("plain", site.url, tmp_path, settings)
    assert crawl.stats["templcrawl/kernel"] is (setting == "on")
    assert ("the page reader is the native kernel" in crawl.log) is (setting == "on")
    assert ("the page reader is Python" in crawl.log) is (setting == "off")
    assert "templcrawl/kernel/refused" not in crawl.stats


def test_what_cannot_be_chosen_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "_load", lambda: None)
    monkeypatch.setattr(kernel, "_THREADS", kernel._Threads())
    for setting, advice in (("maybe", "auto, on or off"), ("on", "auto or off")):
        monkeypatch.setenv(SETTING, setting)
        with pytest.raises(InvalidOption, match=advice):
            TemplateMemory.from_crawler(get_crawler(Spider))
    assert not is_at_work("off")
    assert not is_at_work("auto")


def test_a_crawl_reads_the_environment_once_at_its_start(monkeypatch: pytest.MonkeyPatch) -> None:
    memories = []
    for setting in ("off", "auto"):
        monkeypatch.setenv(SETTING, setting)
        memories.append(TemplateMemory.from_crawler(get_crawler(Spider)))
    monkeypatch.delenv(SETTING)
    memories.append(TemplateMemory.from_crawler(get_crawler(Spider)))
    monkeypatch.setenv(SETTING, "off")
    for memory, is_native in zip(memories, (False, is_at_work("auto"), is_at_work("auto"))):
        page = Page("<p>tea", "", memory.settings.memory.limits)
        assert isinstance(page.tokens, KernelTokens) == is_native
