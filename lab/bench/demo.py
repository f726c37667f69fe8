"""The main job, seen: crawl a site with templcrawl switched on, and print what was learned.

``python -m lab.bench.demo`` serves a generated site on 127.0.0.1 and crawls it;
``--site URL-or-path`` crawls any site, or a saved one.  Items go to JSONL, Parquet and SQLite.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.settings import Settings

from lab.bench.options import new_parser
from lab.bench.tables import show
from spiders.site import SiteSpider
from templcrawl.crawl.extension import TemplateMemory
from templcrawl.memory.crawl import CrawlMemory

OUTPUT = Path("demo-output")
GENERATED_PAGES = 220
ANY_PAGES = 500
SHOWN = 12


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.demo", __doc__)
    parser.add_argument("--site", help="a URL, or the path of a saved site (default: a generated site)")
    parser.add_argument("--host", default="", help="the host a saved site was saved from")
    parser.add_argument("--pages", type=int, help="stop after so many pages")
    options = parser.parse_args(arguments)
    console = Console()
    if options.site:
        crawler, seconds = crawl(options.site, options.pages or ANY_PAGES, console, options.host)
    else:
        with served_site() as url:
            crawler, seconds = crawl(url, options.pages or GENERATED_PAGES, console)
    memory = TemplateMemory.of(crawler).memory
    items = read_items(OUTPUT / "pages.jsonl")
    show(page_types_table(items, memory))
    show(crawl_table(items, crawler.stats.get_stats(), seconds))


@contextmanager
def served_site() -> Iterator[str]:
    """Serve the generated site from a process of its own, and yield its address."""
    command = [sys.executable, "-m", "lab.sites.server"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield server.stdout.readline().strip()
    finally:
        server.terminate()
        server.wait()


def crawl(site: str, pages: int, console: Console, host: str = "") -> tuple[Crawler, float]:
    """Crawl a site with a progress line; return the crawler and the seconds that it took."""
    OUTPUT.mkdir(exist_ok=True)
    for old in OUTPUT.glob("pages.*"):
        old.unlink()
    settings = Settings()
    is_local = "://" not in site or "://127.0.0.1" in site
    settings.setmodule(f"settings.{'replay' if is_local else 'default'}")
    settings.setdict(
        {
            "LOG_LEVEL": "WARNING",
            "FEEDS": {
                str(OUTPUT / "pages.jsonl"): {"format": "jsonlines", "overwrite": True},
                str(OUTPUT / "pages.parquet"): {"format": "parquet", "overwrite": True},
            },
            "TEMPLCRAWL_DATABASE": f"sqlite:///{OUTPUT / 'pages.sqlite'}",
            "TEMPLCRAWL_REPORT": str(OUTPUT / "report.html"),
            "CONCURRENT_REQUESTS_PER_DOMAIN": 4,
        },
        priority="cmdline",
    )
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(SiteSpider)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("pages", total=pages)
        crawler.signals.connect(lambda: progress.advance(task), signal=signals.item_scraped, weak=False)
        started = time.perf_counter()
        process.crawl(crawler, start=site, pages=str(pages), host=host)
        process.start()
        seconds = time.perf_counter() - started
        progress.update(task, total=progress.tasks[task].completed)
    return crawler, seconds


def read_items(path: Path) -> list[dict[str, Any]]:
    """Return the items of a feed of JSON lines; only a line feed ends a line."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def page_types_table(items: Sequence[dict[str, Any]], memory: CrawlMemory) -> Table:
    """Return the page types of most pages."""
    type_of = {leaf.leaf_id: leaf.page_type for leaf in memory.page_types()}
    types = Counter(type_of[item["leaf_id"]] for item in items)
    examples: dict[str, str] = {}
    for item in items:
        examples.setdefault(type_of[item["leaf_id"]], "/" + item["url"].split("/", 3)[-1])
    table = Table("page type", "pages", "for example", title="Page types: which pages are built alike")
    largest = types.most_common()
    for name, count in largest[:SHOWN]:
        table.add_row(escape(name), f"{count:,}", escape(examples[name]))
    if rest := largest[SHOWN:]:
        table.add_row(f"{len(rest)} more", f"{sum(count for _, count in rest):,}", "")
    table.add_section()
    table.add_row(f"{len(types)} in all", f"{len(items):,}", "")
    return table


def crawl_table(items: Sequence[dict[str, Any]], stats: Mapping[str, Any], seconds: float) -> Table:
    """Return what was learned in the crawl, what was saved and what it cost, each with what it means."""
    get = stats.get
    read = get("templcrawl/characters", 0)
    written = sum(len(item["content_html"] or "") for item in items)
    links, of_template = get("templcrawl/links", 0), get("templcrawl/links/template", 0)
    share = get("templcrawl/text/template_characters", 0) / max(1, get("templcrawl/text/characters", 0))
    errors = sum(count for name, count in stats.items() if name.startswith("templcrawl/errors"))
    feeds = ", ".join(path.name for path in sorted(OUTPUT.glob("pages.*")) if "-" not in path.suffix)
    each = 1000 / max(1, len(items))
    reader = "the native kernel reads pages" if get("templcrawl/kernel") else "Python reads pages"
    table = Table("", "", "", title="The crawl", show_header=False)
    for row in (
        ("pages", f"{len(items):,}", f"each of them an item in {OUTPUT}/: {feeds}"),
        (
            "near-duplicates",
            f"{get('templcrawl/pages/near_duplicates', 0):,}",
            "of these pages say what an earlier one has said",
        ),
        ("template", f"{share:.0%}", "of the text that a reader sees: menus, headers, footers, side bars"),
        (
            "HTML",
            f"{written / max(1, read):.0%}",
            f"is left in the items' content_html: {written:,} of {read:,} characters",
        ),
        (
            "links",
            f"{of_template / max(1, links):.0%}",
            f"stand in parts that pages share (template pagelets): {of_template:,} of {links:,}",
        ),
        (
            "put off",
            f"{get('templcrawl/links/waited', 0):,}",
            "requests let others go first: links like theirs had led to little new",
        ),
        (
            "time a page",
            f"{each * get('templcrawl/seconds', 0.0):.1f} ms",
            f"for templcrawl ({reader}); the whole crawl took {each * seconds:.1f} ms a page",
        ),
        ("errors", f"{errors:,}", "of templcrawl"),
        ("look at it", "", f"{OUTPUT / 'report.html'} shows a typical page of each template"),
    ):
        table.add_row(*row)
    return table


if __name__ == "__main__":
    main()
