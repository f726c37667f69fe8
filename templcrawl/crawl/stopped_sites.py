"""The sites whose links wait until the crawl ends: our queues hold them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class StoppedSites:
    """The sites whose links are not sent.

    hosts    of these sites
    version  how often they have changed
    """

    hosts: set[str] = field(default_factory=set)
    version: int = 0

    def set(self, host: str | None, *, is_stopped: bool) -> None:
        """Stop a site, or let its links be sent."""
        if host is not None and is_stopped != (host in self.hosts):
            self.hosts ^= {host}
            self.version += 1
