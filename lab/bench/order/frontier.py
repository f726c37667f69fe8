"""Orders that look at every waiting link whenever one is taken, which no queue of Scrapy can do.

A policy gives each waiting link a score, and learns of each page as it arrives.  The link with the best score
by now is taken, of equal ones the first.  The *oracle* is such a policy.  It knows the pages behind the
waiting links, and scores a link by how many shingles of content its page has that no fetched page has.  It is
greedy, and knows nothing of the pages behind those.

w waiting links.  Cost: O(w) scores a request.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from scrapy import Request
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.http import Response

from lab.bench.order.crawls import Order
from lab.bench.order.linked_sites import LinkedSite


class FrontierPolicy(Protocol):
    """Scores the waiting links of one crawl; ``settings`` must not copy it."""

    def __deepcopy__(self, memo: object) -> FrontierPolicy: ...

    def learn(self, url: str) -> None:
        """Learn of a page that has arrived."""
        ...

    def score(self, url: str) -> float:
        """Return the score of a link by now."""
        ...


class Oracle:
    """Scores a link by the content of its page that is new to the crawl."""

    def __init__(self, site: LinkedSite) -> None:
        self._shingles = site.shingles
        self._is_new = np.ones(site.distinct, dtype=bool)

    def __deepcopy__(self, memo: object) -> Oracle:
        return self

    def learn(self, url: str) -> None:
        """Count the content of a page as found."""
        self._is_new[self._shingles[url]] = False

    def score(self, url: str) -> float:
        """Return how many shingles of a page are new."""
        return float(np.count_nonzero(self._is_new[self._shingles[url]]))


class Frontier(BaseScheduler):
    """Gives the waiting request with the best score by now, of equal ones the first."""

    def __init__(self, crawler: Crawler) -> None:
        self._policy: FrontierPolicy = crawler.settings["FRONTIER_POLICY"]
        self._waiting: dict[str, Request] = {}
        self._seen: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Frontier:
        """Make the frontier of a crawl."""
        return cls(crawler)

    def has_pending_requests(self) -> bool:
        """Return whether a request waits."""
        return bool(self._waiting)

    def enqueue_request(self, request: Request) -> bool:
        """Let a request wait, unless its address was asked for before."""
        if request.url in self._seen:
            return False
        self._seen.add(request.url)
        self._waiting[request.url] = request
        return True

    def next_request(self) -> Request | None:
        """Return the best request."""
        if not self._waiting:
            return None
        return self._waiting.pop(max(self._waiting, key=self._policy.score))


class Arrivals:
    """Reports each page to the policy as it arrives, where templcrawl's own middleware stands."""

    def __init__(self, crawler: Crawler) -> None:
        self._policy: FrontierPolicy = crawler.settings["FRONTIER_POLICY"]

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Arrivals:
        """Attach to a crawl."""
        return cls(crawler)

    def process_response(self, request: Request, response: Response) -> Response:
        """Report a page."""
        if response.status == 200:
            self._policy.learn(response.url)
        return response


def frontier_order(policy: FrontierPolicy) -> Order:
    """Return the order of a policy, for one crawl: a policy has state."""
    settings: dict[str, Any] = {
        "FRONTIER_POLICY": policy,
        "SCHEDULER": Frontier,
        "DOWNLOADER_MIDDLEWARES": {Arrivals: 545},
    }
    return Order(settings)


def oracle_order(site: LinkedSite) -> Order:
    """Return the order of the oracle, for one crawl of a site."""
    return frontier_order(Oracle(site))
