"""A downloader middleware that lets no request leave this machine."""

from __future__ import annotations

from urllib.parse import urlsplit

from scrapy import Request
from scrapy.exceptions import IgnoreRequest

_HERE = frozenset({"127.0.0.1", "localhost", "::1"})


class StayOnThisMachine:
    """Refuses every request that is neither for a file nor for this machine itself.

    At 960 it stands behind all that may answer a request without the network.
    """

    def process_request(self, request: Request) -> None:
        """Raise IgnoreRequest for a request that would leave."""
        parts = urlsplit(request.url)
        if parts.scheme not in ("file", "data") and parts.hostname not in _HERE:
            raise IgnoreRequest(f"not on this machine: {request.url}")
