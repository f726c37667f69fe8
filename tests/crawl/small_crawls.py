"""Many small crawls in one process, one after the other, of a site of a few pages in memory."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerRunner
from scrapy.http import HtmlResponse, Response
from scrapy.utils.defer import deferred_f_from_coro_f
from scrapy.utils.reactor import install_reactor

from templcrawl.scrapy_compat import started
from tests.scrapy_processes import run_program

HOST = "http://small.example"
PAGES = 12
URLS = [f"{HOST}/{number}" for number in range(PAGES)]


def passed_on(middleware: Any, item: Any, response: Response) -> Any:
    """Return the item that a spider middleware makes of one of a response."""

    async def outputs() -> AsyncIterator[Any]:
        yield item

    async def passed() -> list[Any]:
        return [output async for output in middleware.process_spider_output_async(response, outputs())]

    (output,) = asyncio.run(passed())
    return output


class Answers:
    """Answers every request: a menu that is on all pages, and words that are not."""

    def process_request(self, request: Request) -> Response:
        number = int(request.url.rpartition("/")[2])
        menu = "".join(f'<li><a href="/{n}">Page {n}</a></li>' for n in range(PAGES))
        words = " ".join(f"word{number}x{n}" for n in range(40))
        body = f"<title>{number}</title><ul>{menu}</ul><h1>Page {number}</h1><p>{words}</p>"
        return HtmlResponse(request.url, body=body.encode(), encoding="utf-8")


class Recorder:
    """The project's pipeline."""

    urls: list[str] = []

    async def process_item(self, item: Any) -> Any:
        self.urls.append(item["url"])
        return item


class Follow(Spider):
    """Follows every link; asks for one page a second time, as a callback that retries does."""

    name = "follow"
    fetched: list[str] = []
    retries = True

    async def start(self) -> AsyncIterator[Any]:
        yield Request(URLS[0])

    def parse(self, response: Any) -> Iterator[Any]:
        self.fetched.append(response.url)
        if self.retries:
            self.retries = False
            yield response.request.replace(dont_filter=True)
        yield {"url": response.url, "html": response.text}
        yield from response.follow_all(css="a")


def relevant(page: Any) -> float:
    """A topic of which all pages are, somewhat."""
    return 0.5


class _Log(logging.Handler):
    """Keeps what was logged with an exception or as an error, and what templcrawl warns of."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []
        self.warnings: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR or record.exc_info:
            self.texts.append(self.format(record))
        elif record.name.startswith("templcrawl"):
            self.warnings.append(self.format(record))


LOG = _Log()


async def crawl(settings: Mapping[str, Any], spider: type[Follow] = Follow) -> dict[str, Any]:
    """Crawl once; return what was fetched, emitted and said."""
    Follow.fetched.clear()
    Recorder.urls.clear()
    LOG.texts.clear()
    LOG.warnings.clear()
    crawler = AsyncCrawlerRunner(
        {
            "DOWNLOADER_MIDDLEWARES": {Answers: 940},
            "ITEM_PIPELINES": {Recorder: 500},
            "TELNETCONSOLE_ENABLED": False,
            "REMOTE_CONTROL_ENABLED": False,
            **settings,
        }
    ).create_crawler(spider)
    failure = ""
    try:
        await crawler.crawl_async()
    except Exception as error:
        failure = repr(error)
    collector = started(lambda: crawler.stats)
    stats = collector.get_stats() if collector else {}
    return {
        "failure": failure,
        "reason": stats.get("finish_reason"),
        "fetched": sorted(Follow.fetched),
        "items": sorted(Recorder.urls),
        "pages": stats.get("templcrawl/pages", 0),
        "errors": {name: count for name, count in stats.items() if name.startswith("templcrawl/errors/")},
        "log": [*LOG.texts],
        "warnings": [*LOG.warnings],
    }


def in_this_process(work: Callable[[], Awaitable[object]], *, with_reactor: bool = True) -> None:
    """Run crawls in this process, print what they return as JSON, and leave."""
    logging.getLogger().addHandler(LOG)
    logging.getLogger().setLevel(logging.DEBUG)

    async def run(_: object = None) -> None:
        print(json.dumps(await work()))

    if not with_reactor:
        asyncio.run(run())
        return
    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    from twisted.internet.task import react

    react(deferred_f_from_coro_f(run))


def in_new_process(module: str, *arguments: str) -> Any:
    """Run a program of the tests by its path below them, and return what it prints."""
    with TemporaryDirectory() as folder:
        output, log = Path(folder, "output"), Path(folder, "log")
        status = run_program(f"tests.{module}", arguments, output, log)
        assert status == 0, log.read_text(encoding="utf-8")
        return json.loads(output.read_bytes())
