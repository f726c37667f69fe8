"""Write a page that is new, has changed, or is gone as a line of JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any


def time_now() -> str:
    """Return the time, to the second, as ISO 8601 has it."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


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
        "at": time_now(),
        "content_hash": content_hash,
        **({"why": why} if why else {}),
        "before": before,
    }
    return json.dumps(line, ensure_ascii=False)
