"""The page reader of a crawl: the environment, the log and the stats."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from scrapy import Spider
from scrapy.utils.test import get_crawler

from lab.sites.server import LocalSite
from templcrawl.crawl.extension import CrawlExtension
from templcrawl.errors import InvalidOption
from templcrawl.page import kernel
from templcrawl.page.kernel import SETTING, is_native
from templcrawl.page.page import Page
from tests.crawl.crawls import ADDON, run_crawl
from tests.page_readers import needs_kernel, using


@pytest.mark.parametrize("setting", ["off", pytest.param("on", marks=needs_kernel)])
def test_a_crawl_reports_its_page_reader(
    setting: str, site: LocalSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SETTING, setting)
    settings = {**ADDON, "CLOSESPIDER_PAGECOUNT": 3}
    crawl = run_crawl("plain", site.url, tmp_path, settings)
    assert crawl.stats["templcrawl/kernel"] is (setting != "off")
    assert ("the page reader is the native kernel" in crawl.log) is (setting != "off")
    assert ("the page reader is Python" in crawl.log) is (setting == "off")
    assert "templcrawl/kernel/refused" not in crawl.stats


def test_what_cannot_be_chosen_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "_loaded", lambda: (None, "none was built"))
    monkeypatch.setattr(kernel, "_OF_THREAD", threading.local())
    for setting, advice in (("maybe", "auto, on or off"), ("on", "auto or off")):
        with using(setting), pytest.raises(InvalidOption, match=advice):
            CrawlExtension.from_crawler(get_crawler(Spider))
    assert not is_native("off")
    assert not is_native("auto")


@pytest.mark.parametrize("setting", ["off", "auto"])
def test_a_crawl_reads_pages_as_the_process_does(setting: str) -> None:
    with using(setting):
        memory = CrawlExtension.from_crawler(get_crawler(Spider))
        page = Page("<p>tea", "", memory.settings.memory.limits)
        assert (page.native is not None) == is_native()
