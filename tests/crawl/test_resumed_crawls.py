"""A job goes on with the queue that it was begun with, or is refused: no page is lost without a word.

Run as a program,

    python -m tests.crawl.test_resumed_crawls FOLDER

begins a job in each of ``WAYS``, stops it after a few pages, goes on with a copy of it in each of them, and
prints a JSON object: "begun -> resumed" -> what both crawls did.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

from tests.crawl.crawls import ONE_LINE
from tests.crawl.small_crawls import URLS, crawl, in_new_process, in_this_process

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


AFTER_THE_END = {"on": ONE_LINE, "bare": {}, "disabled": WAYS["disabled"], "bare, over hosts": OVER_HOSTS}


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
    whole = {"JOBDIR": str(folder / "whole"), "CONCURRENT_REQUESTS": 1}
    first = await crawl({**ONE_LINE, **whole})
    for resumed, settings in AFTER_THE_END.items():
        copy = folder / f"ended-{resumed}"
        shutil.copytree(folder / "whole", copy)
        results[f"ended -> {resumed}"] = [first, await crawl({**settings, "JOBDIR": str(copy)})]
    return results


OURS = ("on", "focus")


def test_whatever_a_job_was_begun_and_goes_on_with(tmp_path: Path) -> None:
    crawls = in_new_process("crawl.test_resumed_crawls", str(tmp_path))
    for resumed in AFTER_THE_END:
        first, then = crawls.pop(f"ended -> {resumed}")
        assert (first["reason"], then["reason"], then["failure"], then["log"]) == ("finished",) * 2 + ("", [])
        fetched = {*then["fetched"]}
        assert fetched <= {URLS[0]} if resumed == "on" else fetched == {*URLS}, "ours knows what was fetched"
    assert len(crawls) == len(WAYS) * (len(WAYS) + 1)
    for name, (first, then) in crawls.items():
        begun, _, resumed = name.partition(" -> ")
        assert (first["reason"], first["log"]) == ("closespider_pagecount", []), name
        assert 3 <= len(set(first["fetched"])) < len(URLS) - 3, name
        if begun in OURS and resumed.startswith("bare"):
            by_default = "created by an incompatible priority queue" in then["failure"]
            assert by_default or "'int' object is not iterable" in then["failure"], name
        elif begun in OURS and resumed == "disabled":
            assert "its requests wait in the queue of templcrawl" in then["failure"]
            assert then["log"] == []
        elif resumed != "bare, over hosts":
            assert (then["reason"], then["failure"], then["log"]) == ("finished", "", []), name
            assert {*first["fetched"], *then["fetched"]} == {*URLS}, name
            assert {*first["fetched"]} & {*then["fetched"]} <= {URLS[0]}, name
            continue
        assert then["fetched"] == [], name


if __name__ == "__main__":
    in_this_process(lambda: run_all(Path(sys.argv[1])))
