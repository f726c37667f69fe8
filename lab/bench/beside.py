"""``make beside``: crawl one site with and without the one line, beside each of the other add-ons.

Needs Debian's ``chromium`` and ``redis-server`` for two of them (``apt-get install chromium redis-server``);
what is missing is said, and its row left out.  Nothing leaves this machine.  The items of the two crawls
are compared byte for byte, as sorted lines of the feed, since the pages may come in another order.
The exit status is 1 if any differ, or if a row is left out.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from lab.bench.crawl import ADDON, Job, Running, Site
from lab.bench.options import new_parser
from lab.bench.tables import show, table_of
from lab.sites.generated import generate_demo_site
from lab.sites.redis_server import PROGRAM, RedisServer
from lab.sites.server import LocalSite

ARTICLES = 20
_COMPLAINT = re.compile(r".*(?:Warning:| WARNING: | ERROR: | CRITICAL: |^\w*Error:).*", re.MULTILINE)
_CHANGES_EACH_TIME = re.compile(r"^\d{4}-\S+ \S+ |0x[0-9a-f]+|127\.0\.0\.1:\d+|/tmp/\S+")
_SCHEMA = {
    "type": "object",
    "properties": {
        "url": {"type": "string"},
        "title": {"type": "string", "minLength": 1},
        "links": {"type": "integer"},
    },
    "required": ["url", "title", "links"],
    "additionalProperties": False,
}
_SPIDERMON = {
    "SPIDERMON_ENABLED": True,
    "EXTENSIONS": {"spidermon.contrib.scrapy.extensions.Spidermon": 500},
    "ITEM_PIPELINES": {"spidermon.contrib.scrapy.pipelines.ItemValidationPipeline": 800},
    "SPIDERMON_VALIDATION_SCHEMAS": {dict: _SCHEMA},
    "SPIDERMON_VALIDATION_DROP_ITEMS_WITH_ERRORS": True,
}
_ZYTE = {
    "ADDONS": {"scrapy_zyte_api.Addon": 400},
    "ZYTE_API_KEY": "none",
    "ZYTE_API_TRANSPARENT_MODE": False,
}
_PLAYWRIGHT = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"


class Peer(NamedTuple):
    """What a crawl is run beside.

    package   whose version is printed
    settings  as its documentation gives them
    spider    import path of the spider
    program   what has to be installed
    """

    package: str
    settings: Mapping[str, Any]
    spider: str = "lab.bench.beside_spiders.PlainSpider"
    program: str | None = None


def peers(redis_url: str) -> dict[str, Peer]:
    """Return name -> peer; a Redis server answers at the address."""
    playwright = {
        "DOWNLOAD_HANDLERS": {"http": _PLAYWRIGHT, "https": _PLAYWRIGHT},
        "PLAYWRIGHT_LAUNCH_OPTIONS": {"executable_path": shutil.which("chromium"), "args": ["--no-sandbox"]},
    }
    redis = {
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
        "ITEM_PIPELINES": {"scrapy_redis.pipelines.RedisPipeline": 300},
        "REDIS_URL": redis_url,
        "SCHEDULER_FLUSH_ON_START": True,
    }
    select = {"TWISTED_REACTOR": "twisted.internet.selectreactor.SelectReactor"}
    poet = {"ADDONS": {"scrapy_poet.Addon": 300}}
    rendering = "lab.bench.beside_spiders.RenderingSpider"
    return {
        "asyncio reactor": Peer("scrapy", {}),
        "select reactor": Peer("twisted", select),
        "no reactor": Peer("scrapy", {"TWISTED_REACTOR_ENABLED": False}),
        "scrapy-poet": Peer("scrapy-poet", poet, "lab.bench.beside_poet.PoetSpider"),
        "scrapy-playwright": Peer("scrapy-playwright", playwright, rendering, "chromium"),
        "scrapy-redis": Peer("scrapy-redis", redis, program=PROGRAM),
        "spidermon, strict": Peer("spidermon", _SPIDERMON),
        "scrapy-zyte-api": Peer("scrapy-zyte-api", _ZYTE),
    }


class Crawl(NamedTuple):
    """What a crawl left behind.

    items       lines of its feed
    complaints  warnings and errors in its log, without what changes each time
    """

    items: list[bytes]
    pages: int
    complaints: list[str]


def crawl(peer: Peer, url: str, *, with_line: bool) -> Crawl:
    """Crawl in a process of its own, with the one line or without."""
    with TemporaryDirectory() as folder:
        feed = Path(folder, "items.jsonl")
        settings: dict[str, Any] = {
            "DOWNLOAD_HANDLERS": {},
            "LOG_ENABLED": True,
            "LOG_LEVEL": "INFO",
            "FEEDS": {str(feed): {"format": "jsonlines"}},
            **peer.settings,
        }
        for name, ours in ADDON.items() if with_line else ():
            settings[name] = {**settings.get(name, {}), **ours}
        job = Job(Site(), settings, spider=peer.spider, arguments={"url": url})
        with Running(job, environment={"PYTHONWARNINGS": "default"}) as running:
            crawled = running.wait()
        items = feed.read_bytes().splitlines() if feed.exists() else []
    complaints = [_CHANGES_EACH_TIME.sub("", line) for line in _COMPLAINT.findall(crawled.errors)]
    return Crawl(items, crawled.stats.get("response_received_count", 0), complaints)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = new_parser("lab.bench.beside", __doc__)
    parser.add_argument("--only", metavar="NAME", help="run one row of the table")
    options = parser.parse_args(arguments)
    rows: list[Sequence[str]] = []
    notes: list[str] = []
    is_clean = True
    server = RedisServer()
    with ExitStack() as stack:
        site = stack.enter_context(LocalSite(generate_demo_site(articles=ARTICLES).html))
        if shutil.which(PROGRAM):
            server.start()
            stack.callback(server.stop)
        for name, peer in peers(server.url).items():
            if options.only not in (None, name):
                continue
            if peer.program and not shutil.which(peer.program):
                notes.append(f"{name} needs {peer.program}")
                is_clean = False
                continue
            without, with_it = (crawl(peer, site.url, with_line=with_line) for with_line in (False, True))
            same = sorted(without.items) == sorted(with_it.items) and bool(without.items)
            is_clean &= same
            rows.append(
                (
                    *(name, f"{peer.package} {version(peer.package)}", str(len(without.items))),
                    *("yes" if same else "NO", f"{without.pages}/{with_it.pages}"),
                    f"{len(without.complaints)}/{len(with_it.complaints)}",
                )
            )
            notes += [f"{name}: {line}" for line in with_it.complaints if line not in without.complaints]
    heads = ("beside", "version", "items", "the same", "pages without/with", "complaints without/with")
    show(table_of("Crawls with and without the one line", heads, rows))
    print(*notes, sep="\n", end="\n" if notes else "")
    return int(not is_clean)


if __name__ == "__main__":
    sys.exit(main())
