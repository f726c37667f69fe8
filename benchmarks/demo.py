"""The main job, seen: crawl a site with templcrawl switched on, and print what was learned.

``python -m benchmarks.demo`` serves a generated site on 127.0.0.1 and crawls it;
``--site URL-or-path`` crawls any site, or a saved one.  Items go to JSONL, Parquet and SQLite.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.settings import Settings

from spiders.site import SiteSpider
from templcrawl.components.extension import TemplateMemory

OUTPUT = Path("demo-output")
GENERATED_PAGES = 220
ANY_PAGES = 500


def main() -> None:
    """Crawl, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--site", help="a URL, or the path of a saved site (default: a generated site)")
    parser.add_argument("--host", default="", help="the host a saved site was saved from")
    parser.add_argument("--pages", type=int, help="stop after so many pages")
    arguments = parser.parse_args()
    console = Console()
    if arguments.site:
        crawler, seconds = crawl(arguments.site, arguments.pages or ANY_PAGES, console, arguments.host)
    else:
        with served_site() as url:
            crawler, seconds = crawl(url, arguments.pages or GENERATED_PAGES, console)
    report(crawler, seconds, console)


@contextmanager
def served_site() -> Iterator[str]:
    """Serve the generated site from a process of its own, and yield its address."""
    command = [sys.executable, "-m", "tests.websites.server"]
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
            "TEMPLCRAWL_SQLITE_PATH": str(OUTPUT / "pages.sqlite"),
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
    return crawler, seconds


def report(crawler: Crawler, seconds: float, console: Console) -> None:
    """Print what was learned, what was saved and what it cost."""
    memory = TemplateMemory.of(crawler).memory
    stats = crawler.stats.get_stats()
    get = stats.get
    lines = (OUTPUT / "pages.jsonl").read_text(encoding="utf-8").splitlines()
    items = [json.loads(line) for line in lines]
    pages = max(1, get("templcrawl/pages", 0))
    labels = Counter(memory.resolve(item["leaf_id"]) for item in items if item["leaf_id"])
    examples: dict[str, Any] = {}
    for item in items:
        path = "/" + item["url"].split("/", 3)[-1]
        examples.setdefault(memory.resolve(item["leaf_id"] or ""), path)

    templates = Table("template", "pages", "for example", title="Templates")
    for label, count in labels.most_common(12):
        templates.add_row(label.rpartition("#")[2], str(count), examples[label])
    if len(labels) > 12:
        rest = sum(count for _, count in labels.most_common()[12:])
        templates.add_row(f"{len(labels) - 12} more", str(rest), "")
    console.print(templates)

    table = Table("", "", title="The crawl", show_header=False)
    read = get("templcrawl/characters", 0)
    written = sum(len(item["content_html"] or "") for item in items)
    text = max(1, get("templcrawl/text/characters", 0))
    share = get("templcrawl/text/template_characters", 0) / text
    ours = get("templcrawl/seconds", 0.0)
    for name, value in (
        ("pages", f"{pages}, of them {get('templcrawl/pages/near_duplicates', 0)} near-duplicates"),
        ("templates", str(len(labels))),
        ("characters of HTML in", f"{read:,}"),
        ("characters of HTML out", f"{written:,} ({100 * written / max(1, read):.0f} %)"),
        ("template share of the text", f"{100 * share:.0f} %"),
        (
            "links in template pagelets",
            f"{get('templcrawl/links/template', 0):,} of {get('templcrawl/links', 0):,}",
        ),
        (
            "links that waited",
            f"{get('templcrawl/links/waited', 0):,}, once queued {get('templcrawl/demoted/pop', 0):,}",
        ),
        (
            "errors of templcrawl",
            str(sum(n for key, n in stats.items() if key.startswith("templcrawl/errors"))),
        ),
        ("time of templcrawl a page", f"{1000 * ours / pages:.2f} ms"),
        ("time of the crawl a page", f"{1000 * seconds / pages:.2f} ms"),
        ("items", ", ".join(str(path) for path in sorted(OUTPUT.glob("pages.*")) if "-" not in path.suffix)),
        ("look at it", str(OUTPUT / "report.html")),
    ):
        table.add_row(name, value)
    console.print(table)


if __name__ == "__main__":
    main()
