"""Run a spider of this repository, as a user would type it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.scrapy_processes import run_scrapy


def run_spider(
    spider: str, *arguments: str, output: Path, settings: str = "settings.replay"
) -> tuple[list[dict], str]:
    """Return the items of ``scrapy crawl`` and what it logged, in which nobody may warn.

    arguments  what follows the spider's name
    output     a file of JSON lines
    """
    log = output.with_name(f"{output.name}.log")
    run_scrapy(
        ["crawl", spider, *arguments, "-O", str(output), "-s", "LOG_LEVEL=INFO"],
        {},
        {"SCRAPY_SETTINGS_MODULE": settings},
        log,
    )
    said = log.read_text(encoding="utf-8")
    assert "Warning" not in said, said
    if not output.exists():
        return [], said
    with output.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines], said
