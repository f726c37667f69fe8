"""One line of settings: what it changes in a project, and what it leaves alone."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request, Spider
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse
from scrapy.pqueues import ScrapyPriorityQueue
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from lab.sites.server import LocalSite
from lab.sites.shop.items import DataItem, FrozenItem, ScrapyItem
from templcrawl.crawl.addon import Addon
from templcrawl.crawl.frontier.priority_queue import has_our_queue
from templcrawl.crawl.log_formatter import ShortFieldsLogFormatter
from templcrawl.crawl.mark import mark_link, mark_of, mark_page
from templcrawl.crawl.settings import OUTPUTS, SETTINGS
from templcrawl.crawl.spider_middleware import TemplateSpiderMiddleware
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.page.page import Page
from tests.crawl.crawls import DEMO_SITE, ONE_BY_ONE, ONE_LINE, run_crawl


def updated(**given: object) -> Settings:
    settings = Settings(given)
    Addon().update_settings(settings)
    return settings


def test_settings_hold_import_paths_and_pipelines_only_where_they_are_asked_for() -> None:
    settings = updated()
    for name in ("EXTENSIONS", "DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "FEED_EXPORTERS"):
        assert settings.getdict(name), name
        for path, order in settings.getdict(name).items():
            assert isinstance(path, str), name
            assert isinstance(order, (int, str)), name
    assert not settings.getdict("ITEM_PIPELINES")
    assert settings["SCHEDULER_PRIORITY_QUEUE"].startswith("templcrawl.crawl.frontier.priority_queue.")
    asked = updated(
        TEMPLCRAWL_STRIP_FIELDS=["html"],
        TEMPLCRAWL_DATABASE="sqlite:///x.sqlite",
        TEMPLCRAWL_DROP_NEAR_DUPLICATES=True,
        TEMPLCRAWL_ITEM_FIELDS=["content_text"],
    )
    names = [path.rpartition(".")[2] for path in asked.getdict("ITEM_PIPELINES")]
    assert names == ["StripFieldsPipeline", "NearDuplicatesPipeline", "DatabasePipeline"]


def test_what_the_project_has_placed_stays_by_path_by_class_and_switched_off() -> None:
    from templcrawl.crawl.downloader_middlewares import ObserveMiddleware

    off = "templcrawl.crawl.spider_middleware.TemplateSpiderMiddleware"
    settings = updated(DOWNLOADER_MIDDLEWARES={ObserveMiddleware: 700}, SPIDER_MIDDLEWARES={off: None})
    assert settings.getdict("SPIDER_MIDDLEWARES")[off] is None
    observers = [key for key in settings.getdict("DOWNLOADER_MIDDLEWARES") if "Observe" in str(key)]
    assert observers == [ObserveMiddleware]


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("SCHEDULER_PRIORITY_QUEUE", "scrapy.pqueues.ScrapyPriorityQueue"),
        ("SCHEDULER_PRIORITY_QUEUE", "scrapy.pqueues.DownloaderAwarePriorityQueue"),
        ("SCHEDULER_MEMORY_QUEUE", "scrapy.squeues.LifoMemoryQueue"),
        ("SCHEDULER_DISK_QUEUE", "scrapy.squeues.MarshalLifoDiskQueue"),
        ("SCHEDULER_START_MEMORY_QUEUE", "scrapy.squeues.LifoMemoryQueue"),
    ],
)
@pytest.mark.parametrize("priority", ["default", "addon", "spider"])
def test_a_queue_that_anyone_has_set_before_is_left_alone(name: str, theirs: str, priority: str) -> None:
    settings = Settings()
    is_scrapys = settings[name] == theirs
    settings.set(name, theirs, priority)
    Addon().update_settings(settings)
    if not is_scrapys or priority != "default":
        assert settings[name] == theirs
        assert not has_our_queue(settings)


def test_ours_takes_the_place_of_queues_of_scrapy_that_are_first_in_first_out() -> None:
    fifo = {
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
        "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
        "SCHEDULER_START_DISK_QUEUE": None,
    }
    assert has_our_queue(updated(**fifo))


@pytest.mark.parametrize("order", [1, 3], ids=["before ours", "behind ours"])
def test_where_the_queue_is_of_another_add_on_the_log_says_what_links_are_ordered_by(
    order: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    Theirs = type("Theirs", (ScrapyPriorityQueue,), {})  # noqa: N806 (a class)
    other = type(
        "Other",
        (),
        {"update_settings": lambda self, all: all.set("SCHEDULER_PRIORITY_QUEUE", Theirs, "addon")},
    )
    crawler = get_crawler(Spider, {"ADDONS": {other: order, Addon: 2}})
    assert crawler.settings["SCHEDULER_PRIORITY_QUEUE"] is Theirs
    TemplateSpiderMiddleware.from_crawler(crawler)
    assert caplog.text.count("templcrawl does not replace the queue") == 1
    assert "Theirs" in caplog.text


CHECKED = """
from scrapy import Spider

class Checked(Spider):
    name = "{name}"

    def parse(self, response):
        '''
        @url data:text/html,<p>words
        @returns items 1 1
        '''
        yield {{"words": response.text}}
"""


def test_scrapy_check_runs_all_spiders_whatever_job_and_outputs_the_project_names(tmp_path: Path) -> None:
    (tmp_path / "checked").mkdir()
    for name in ("first", "second"):
        (tmp_path / "checked" / f"{name}.py").write_text(CHECKED.format(name=name))
    outputs = {
        "JOBDIR": "job",
        "TEMPLCRAWL_PAGE_TYPES_FILE": "types.json",
        "TEMPLCRAWL_DATABASE": "sqlite:///x.db",
    }
    settings = {**ONE_LINE, **outputs, "SPIDER_MODULES": ["checked"], "TELNETCONSOLE_ENABLED": False}
    (tmp_path / "project.py").write_text("\n".join(f"{name} = {value!r}" for name, value in settings.items()))
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = project\n")
    command = [sys.executable, "-m", "scrapy", "check"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert "Ran 2 contracts" in done.stderr + done.stdout
    assert done.returncode == 0
    assert {*OUTPUTS} <= {*SETTINGS}
    left = {path.name for path in tmp_path.iterdir()}
    assert left - {"__pycache__"} == {"checked", "project.py", "scrapy.cfg"}


def test_switched_off_nothing_is_set_nor_in_scrapy_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRAPY_CHECK", "true")
    settings = Settings({"JOBDIR": "job", "TEMPLCRAWL_ENABLED": False})
    before = settings.copy_to_dict()
    with pytest.raises(NotConfigured):
        Addon().update_settings(settings)
    assert settings.copy_to_dict() == before


def begin(job: Path, state: str) -> None:
    """Begin a job as Scrapy's own queue does, or as ours does."""
    (job / "requests.queue").mkdir(parents=True)
    if state != "empty":
        (job / "requests.queue" / "active.json").write_text("1" if state == "ours" else '{"a": [0]}')


@pytest.mark.parametrize(("state", "is_placed"), [("empty", True), ("ours", True), ("scrapy's", False)])
def test_a_job_goes_on_with_the_queue_that_it_was_begun_with(
    state: str, is_placed: bool, tmp_path: Path
) -> None:
    job = tmp_path / "job"
    begin(job, state)
    settings = updated(JOBDIR=str(job))
    assert has_our_queue(settings) == is_placed
    assert settings["DUPEFILTER_CLASS"].startswith("templcrawl.") == is_placed
    off = updated(JOBDIR=str(job), TEMPLCRAWL_ORDER="off")
    assert has_our_queue(off) == (state == "ours")


def test_a_dupefilter_and_a_log_formatter_of_the_projects_own_stay() -> None:
    own = "scrapy.dupefilters.BaseDupeFilter"
    assert updated(JOBDIR="job", DUPEFILTER_CLASS=own)["DUPEFILTER_CLASS"] == own
    assert not updated().getpriority("DUPEFILTER_CLASS")
    own = "scrapy.logformatter.LogFormatter"
    filled: dict[str, Any] = {"TEMPLCRAWL_ITEM_FIELDS": ["content_text"]}
    assert updated(LOG_FORMATTER=own, **filled)["LOG_FORMATTER"] == own
    assert "ShortFields" in updated(**filled)["LOG_FORMATTER"]
    assert updated()["LOG_FORMATTER"] == own


def test_an_unknown_setting_is_warned_of_with_what_to_do_instead(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        updated(
            TEMPLCRAWL_DETECTER="vote",
            TEMPLCRAWL_SOMETHING_ELSE=1,
        )
    assert [message.removeprefix("templcrawl has no setting TEMPLCRAWL_") for message in caplog.messages] == [
        "DETECTER: is TEMPLCRAWL_DETECTOR meant?",
        "SOMETHING_ELSE",
    ]


@pytest.mark.exhaustive
def test_the_feed_of_a_project_is_byte_for_byte_the_same_with_the_one_line(tmp_path: Path) -> None:
    feeds = {}
    with LocalSite(DEMO_SITE.html) as site:
        for name, settings in (
            ("without", {}),
            ("with", ONE_LINE),
            ("unordered", {**ONE_LINE, "TEMPLCRAWL_ORDER": "off"}),
        ):
            path = tmp_path / f"{name}.jsonl"
            feeds_setting = {str(path): {"format": "jsonlines", "item_classes": ["builtins.dict"]}}
            run_crawl("rules", site.url, tmp_path / name, {**settings, **ONE_BY_ONE, "FEEDS": feeds_setting})
            feeds[name] = path.read_bytes().splitlines()
    assert len(feeds["without"]) > 10
    assert feeds["unordered"] == feeds["without"]
    assert sorted(feeds["with"]) == sorted(feeds["without"])


def pages() -> tuple[HtmlResponse, Any]:
    """Return a response and what was found of its page."""
    memory = CrawlMemory()
    html = "<ul><li><a href=/a>A</a><li><a href=/b>B</a></ul><p>words of a page"
    request = Request("https://example.org/a")
    separation = memory.observe(Page(html, request.url))
    return HtmlResponse(request.url, body=html.encode(), request=request), separation


def test_a_request_that_a_callback_retries_keeps_its_step() -> None:
    response, separation = pages()
    request = response.request
    assert request is not None
    mark = {"url": request.url, "source": "example.org", "step": -2}
    request.meta["templcrawl"] = mark
    mark_page(request, request.url, separation)
    again = request.replace(dont_filter=True)
    assert again.meta["templcrawl"]["leaf_id"] == separation.leaf_id
    assert mark_of(request.replace(url="https://example.org/b")) == {}
    mark_link(again, "example.org")
    assert again.meta["templcrawl"] == mark


@pytest.mark.parametrize("make", [dict, ScrapyItem, DataItem])
def test_filled_fields_are_shortened_in_the_log_and_nowhere_else(make: Any) -> None:
    item = make(url="https://example.org/", content_text="word " * 1_000)
    crawler = get_crawler(Spider, {"TEMPLCRAWL_ITEM_FIELDS": ["content_text"]})
    spider = Spider.from_crawler(crawler, name="any")
    formatter = ShortFieldsLogFormatter()
    entry = formatter.scraped(item, None, spider)
    text = entry["msg"] % entry["args"]
    assert len(text) < 400
    assert "(5,000 characters)" in text
    assert len(item["content_text"] if make is not DataItem else item.content_text) == 5_000
    assert "https://example.org/" in text


def test_items_that_cannot_be_copied_or_are_short_are_logged_as_they_are() -> None:
    spider = Spider.from_crawler(get_crawler(Spider), name="any")
    for item in (FrozenItem("u", "word " * 100), {"content_text": "short"}, {"other": "word " * 100}):
        for entry in (
            ShortFieldsLogFormatter().scraped(item, None, spider),
            ShortFieldsLogFormatter().dropped(item, ValueError("x"), None, spider),
            ShortFieldsLogFormatter().item_error(item, ValueError("x"), None, spider),
        ):
            assert str(item) in entry["msg"] % entry["args"]


def test_a_report_without_the_memory_says_so_in_one_line(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    with LocalSite(DEMO_SITE.html) as site:
        without = {"EXTENSIONS": {"templcrawl.crawl.extension.CrawlExtension": None}}
        report = {"TEMPLCRAWL_REPORT": str(tmp_path / "report.html"), "CLOSESPIDER_PAGECOUNT": 3}
        report["TEMPLCRAWL_DATABASE"] = f"sqlite:{tmp_path / 'items.sqlite'}"
        crawl = run_crawl("rules", site.url, tmp_path, {**ONE_LINE, **without, **report})
    for name in ("REPORT", "DATABASE"):
        assert crawl.log.count(f"TEMPLCRAWL_{name} is set, but nothing will be written") == 1
    assert "Traceback" not in crawl.log
