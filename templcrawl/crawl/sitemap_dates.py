"""When the pages of a sitemap have changed last (``lastmod``), within the limits of its protocol.

Source: sitemaps.org.  Cost: O(length), and at most ``_MOST_ENTRIES`` entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timezone
from itertools import islice

from scrapy.utils.gz import gunzip
from scrapy.utils.sitemap import Sitemap

_MOST_ENTRIES, _MOST_UNPACKED = 50_000, 50 << 20  # of a sitemap, by its protocol
_LAST_OF_DAY = 86_399


def lastmods(body: bytes) -> Iterator[tuple[str, int]]:
    """Yield the addresses of a sitemap, and when they have changed last, in seconds since 1970.

    >>> body = b"<urlset><url><loc>http://x.org/</loc><lastmod>1970-01-02</lastmod></url></urlset>"
    >>> list(lastmods(body))
    [('http://x.org/', 172799)]
    """
    with suppress(Exception):  # what is no sitemap says nothing
        is_packed = body[:2] == b"\x1f\x8b"
        sitemap = Sitemap(gunzip(body, max_size=_MOST_UNPACKED) if is_packed else body)
        for entry in islice(sitemap, _MOST_ENTRIES):
            text = str(entry.get("lastmod", "")).strip().replace("Z", "+00:00")
            with suppress(ValueError, OverflowError):
                at = datetime.fromisoformat(text)
                seconds = int(at.replace(tzinfo=at.tzinfo or timezone.utc).timestamp())
                yield str(entry["loc"]), seconds + (_LAST_OF_DAY if len(text) == len("2026-11-28") else 0)
