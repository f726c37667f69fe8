"""A line of JSON about a page that is new, has changed, or is gone."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from templcrawl.memory.change_table import iso_time

GONE = "gone"


def change_line(
    url: str,
    change: str,
    before: Mapping[str, Any] | None,
    *,
    content_hash: str | None = None,
    why: str | None = None,
) -> str:
    """Return the line of a page, as JSON.

    before  what was known of it
    """
    line = {
        "url": url,
        "change": change,
        "at": iso_time(int(time.time())),
        "content_hash": content_hash,
        **({"why": why} if why else {}),
        "before": before,
    }
    return json.dumps(line, ensure_ascii=False)
