"""Every way to begin a JOBDIR and every way to go on with it; run as a program of its own.

    python -m tests.crawl.resumed_crawls FOLDER

begins a job in each of ``WAYS``, stops it after a few pages, goes on with a copy of it in each of them, and
prints a JSON object: "begun -> resumed" -> what both crawls did.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

from tests.crawl.crawls import ONE_LINE
from tests.crawl.small_crawls import crawl, in_this_process

WAYS: dict[str, dict[str, Any]] = {
    "on": ONE_LINE,
    "bare": {},
    "off": {**ONE_LINE, "TEMPLCRAWL_ORDER": "off"},
    "disabled": {**ONE_LINE, "TEMPLCRAWL_ENABLED": False},
    "focus": {
        **ONE_LINE,
        "TEMPLCRAWL_ORDER": "focus",
        "TEMPLCRAWL_RELEVANCE": "tests.crawl.small_crawls.relevant",
    },
}
OVER_HOSTS = {"SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue"}
"""Scrapy's other queue; it says nothing where it goes on with a job of the default one, and loses all."""


async def run_all(folder: Path) -> dict[str, Any]:
    """Return begun -> resumed -> what both crawls did."""
    results = {}
    for begun in WAYS:
        job = folder / begun
        few = {"JOBDIR": str(job), "CLOSESPIDER_PAGECOUNT": 3, "CONCURRENT_REQUESTS": 1}
        first = await crawl({**WAYS[begun], **few})
        for resumed, settings in {**WAYS, "bare, over hosts": OVER_HOSTS}.items():
            copy = folder / f"{begun}-{resumed}"
            shutil.copytree(job, copy)
            results[f"{begun} -> {resumed}"] = [first, await crawl({**settings, "JOBDIR": str(copy)})]
    return results


if __name__ == "__main__":
    in_this_process(lambda: run_all(Path(sys.argv[1])))
