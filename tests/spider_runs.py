"""Run a spider of this repository, as a user would type it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def run_spider(
    spider: str, *arguments: str, output: Path, settings: str = "settings.replay"
) -> tuple[list[dict], str]:
    """Return the items of ``scrapy crawl`` and what it logged, in which nobody may warn.

    arguments  what follows the spider's name
    output     a file of JSON lines
    """
    command = [sys.executable, "-m", "scrapy", "crawl", spider, *arguments]
    run = subprocess.run(
        [*command, "-O", str(output), "-s", "LOG_LEVEL=INFO"],
        cwd=ROOT,
        env={**os.environ, "SCRAPY_SETTINGS_MODULE": settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Warning" not in run.stderr, run.stderr
    if not output.exists():
        return [], run.stderr
    with output.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines], run.stderr
