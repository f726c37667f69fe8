"""The crawl of the command: its settings, its line of progress, its end.

A crawl is a job in ``job/crawl`` until it ends; then the next one begins, in the order ``changes``.  What was
learned stays in ``job/memory.sqlite``, the pages in a :class:`~templcrawl.outputs.page_file.PageFile`.
"""

from __future__ import annotations

import shutil
import signal
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from pprint import pformat
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess

from templcrawl.crawl.progress import Progress, Tell
from templcrawl.crawl.site_spider import rendering_settings
from templcrawl.crawl.stored_site import LIMIT, STORED_FIELDS, PagePipeline, StoringSpider, drop_gone
from templcrawl.crawl.waiting import FINISH_REASON
from templcrawl.outputs.answers import ANSWERS
from templcrawl.outputs.page_file import PageFile

HERE = frozenset({"127.0.0.1", "localhost", "::1"})
USER_AGENT = "templcrawl/0.1 (+https://github.com/templcrawl/templcrawl)"
ENDED = ("finished", FINISH_REASON, LIMIT)  # why a crawl ends for good
_PROJECT = """
# spiders/site.py; start it by: scrapy crawl site -s JOBDIR=job
from templcrawl import SiteSpider


class Site(SiteSpider):
    name = "site"

    def __init__(self, **kwargs):
        super().__init__({arguments}, **kwargs)
"""


def crawl_settings(options: Namespace, urls: Sequence[str], *, is_first: bool) -> dict[str, Any]:
    """Return the settings that a project of one's own would have, too; raises MissingExtra.

    is_first  whether no crawl of these addresses has ended before
    """
    is_here = all(urlsplit(url).hostname in HERE for url in urls)
    delay = options.delay if options.delay is not None else 0.0 if is_here else 1.0
    chosen: dict[str, Any] = {
        "ADDONS": {"templcrawl.Addon": 500},
        "USER_AGENT": USER_AGENT,
        "ROBOTSTXT_OBEY": True,
        "DOWNLOAD_DELAY": delay,
        "AUTOTHROTTLE_ENABLED": delay > 0,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1 if delay else 8,
        "DOWNLOAD_MAXSIZE": 32 * 2**20,
        "TELNETCONSOLE_ENABLED": False,
        "TEMPLCRAWL_STORE": "memory.sqlite",
    }
    if options.render:
        chosen |= rendering_settings()
    if options.topic:
        chosen["TEMPLCRAWL_TOPIC"] = options.topic
    if is_first and options.like:
        chosen["TEMPLCRAWL_TARGETS"] = options.like
    elif not is_first or not options.topic:
        chosen |= {"TEMPLCRAWL_ORDER": "changes", "TEMPLCRAWL_CHANGES": "changes.jsonl"}
    return chosen | options.settings


def project_text(options: Namespace, urls: Sequence[str], fields: Sequence[str]) -> str:
    """Return the settings and the spider that do the same in a project of one's own."""
    settings = crawl_settings(options, urls, is_first=True)
    if options.limit:
        settings["DOWNLOADER_MIDDLEWARES"] = {"templcrawl.crawl.site_spider.PageLimit": 546}
    answers = ("leaf_id" if name == "page_type" else name for name in fields)
    settings["TEMPLCRAWL_ITEM_FIELDS"] = [name for name in answers if name in ANSWERS]
    settings["TEMPLCRAWL_REPORT"] = "report.html"
    settings["FEEDS"] = {"pages.jsonl": {"format": "jsonlines"}}
    given = spider_arguments(options, urls) | ({"pages": str(options.limit)} if options.limit else {})
    lines = [f"{name} = {pformat(value, width=100, sort_dicts=False)}\n" for name, value in settings.items()]
    arguments = ", ".join(f"{name}={value!r}" for name, value in given.items())
    return f"# settings.py\n{''.join(lines)}{_PROJECT.format(arguments=arguments)}"


def spider_arguments(options: Namespace, urls: Sequence[str]) -> dict[str, str]:
    """Return the arguments of the spider."""
    given = {"include": options.include, "exclude": options.exclude, "render": "1" if options.render else ""}
    return {"start": ",".join(urls)} | {name: value for name, value in given.items() if value}


class Outcome(NamedTuple):
    """How a crawl went: why it has ended, its stats, and why addresses were not read, with an example."""

    reason: str
    stats: dict[str, Any]
    failures: list[tuple[str, int, str]]


def crawl(
    options: Namespace, urls: Sequence[str], stored: PageFile, folder: Path, tell: Tell | None
) -> Outcome:
    """Crawl until the end or a signal; a crawl that was stopped goes on.

    folder  that of the state
    tell    shows a line of progress
    Raises TemplcrawlError, ValueError.
    """
    is_first = stored.get("crawls") in ("", "0")
    if not stored.get("is_running"):
        stored.begin()
    stored.set(is_running="1")
    changes = folder / "changes.jsonl"
    settings = crawl_settings(options, urls, is_first=is_first)
    settings |= {
        "JOBDIR": str(folder / "crawl"),
        "TEMPLCRAWL_STORE": str(folder / "memory.sqlite"),
        "TEMPLCRAWL_ITEM_FIELDS": STORED_FIELDS,
        "ITEM_PIPELINES": {PagePipeline: 500} | settings.get("ITEM_PIPELINES", {}),
        "LOG_FILE": str(folder / "log.txt"),
    }
    settings.setdefault("LOG_LEVEL", "INFO")
    if settings.get("TEMPLCRAWL_CHANGES"):
        settings["TEMPLCRAWL_CHANGES"] = str(changes)
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(StoringSpider)
    reasons: list[str] = []
    crawler.signals.connect(lambda reason: reasons.append(reason), signals.spider_closed, weak=False)
    if tell is not None:
        Progress(crawler, tell)
    arguments = spider_arguments(options, urls)
    task = process.crawl(crawler, stored=stored, limit=options.limit, is_first=is_first, **arguments)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    process.start()
    for number, handler in handlers.items():
        signal.signal(number, handler)
    if task.done() and (error := task.exception()) is not None:
        raise error
    reason = reasons[0] if reasons else "shutdown"
    if reason in ENDED:
        if changes.exists():
            drop_gone(stored, changes)
            changes.unlink()
        shutil.rmtree(folder / "crawl", ignore_errors=True)
        stored.set(crawls=str(int(stored.get("crawls") or 0) + bool(stored.total)), is_running="")
    spider: Any = crawler.spider
    failures = [(why, count, spider.examples[why]) for why, count in spider.failures.most_common()]
    return Outcome(reason, crawler.stats.get_stats() if crawler.stats else {}, failures)
