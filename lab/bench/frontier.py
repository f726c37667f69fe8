"""Orders that look at every waiting link whenever one is taken, which no queue of Scrapy can do.

A policy gives each waiting link a score, and learns of each page as it arrives.  The link with the best score
by now is taken, of equal ones the first.

oracle  knows the pages behind the waiting links, and scores a link by how many shingles of content its page
        has that no fetched page has.  It is greedy, and knows nothing of the pages behind those.
parent  best first: a link is as good as the most relevant page that it was found on.  De Bra & Post (1994)
shark   shark-search, Hersovici et al. (WWW 1998), Figure 2, with the constants of section 4.2:

            inherited(v) = DELTA * sim(u)  if sim(u) > 0, else DELTA * inherited(u)
            near(v)      = BETA * anchor + (1 - BETA) * context;  context is 1 where anchor is above 0
            score(v)     = GAMMA * inherited(v) + (1 - GAMMA) * near(v)

        u is the page that a link to v was found on; anchor and context say whether the anchor text, and the
        ten words before and after it, name the topic.  Of several links the best counts.

Imported by benchmarks, not run.  w waiting links.  Cost: O(w) scores a request.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
from scrapy import Request
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.http import Response

from lab.bench.linked_sites import LinkedSite
from templcrawl import Page
from templcrawl.algorithms.crawl_order.focus import TopicWords
from templcrawl.page.tokens import TEXT

DELTA, BETA, GAMMA = 0.5, 0.8, 0.5
_AROUND = 10


class FrontierPolicy(Protocol):
    """Scores the waiting links of one crawl."""

    def learn(self, url: str, html: str) -> None:
        """Learn of a page that has arrived."""

    def score(self, url: str) -> float:
        """Return the score of a link by now."""


class Oracle:
    """Scores a link by the content of its page that is new to the crawl."""

    def __init__(self, site: LinkedSite) -> None:
        self._shingles = site.shingles
        self._is_new = np.ones(site.distinct, dtype=bool)

    def learn(self, url: str, html: str) -> None:
        self._is_new[self._shingles.get(url, [])] = False

    def score(self, url: str) -> float:
        return float(np.count_nonzero(self._is_new[self._shingles.get(url, [])]))


class Anchor(NamedTuple):
    """A link: where it leads, its text, and that with the words around it."""

    url: str
    text: str
    context: str


class ParentRelevance:
    """Scores links by the pages that they were found on."""

    def __init__(self, topic: TopicWords) -> None:
        self._topic = topic
        self._scores: dict[str, float] = {}
        self._inherited: dict[str, float] = {}

    def learn(self, url: str, html: str) -> None:
        page = Page(html, url)
        relevance = self._topic(page)
        for anchor in anchors_of(page):
            score = self.score_of(url, relevance, anchor)
            self._scores[anchor.url] = max(score, self._scores.get(anchor.url, 0.0))

    def score_of(self, url: str, relevance: float, anchor: Anchor) -> float:
        """Return the score of a link on a page."""
        return relevance

    def score(self, url: str) -> float:
        return self._scores.get(url, 0.0)


class SharkSearch(ParentRelevance):
    """Scores links by anchor, context and what they inherit."""

    def score_of(self, url: str, relevance: float, anchor: Anchor) -> float:
        inherited = DELTA * (relevance or self._inherited.get(url, 0.0))
        self._inherited[anchor.url] = max(inherited, self._inherited.get(anchor.url, 0.0))
        named = self._topic.names(anchor.text)
        near = BETA * named + (1 - BETA) * (named or self._topic.names(anchor.context))
        return GAMMA * inherited + (1 - GAMMA) * near


def anchors_of(page: Page) -> Iterator[Anchor]:
    tokens, elements = page.tokens, page.elements
    words: list[str] = []
    before = []  # token -> how many words stand before it
    for kind, form in zip(tokens.kinds, tokens.form_of):
        before.append(len(words))
        if kind == TEXT:
            words += tokens.forms[form].split()
    before.append(len(words))
    for link in page.links:
        first, stop = before[elements.opens[link.element]], before[elements.closes[link.element]]
        around = words[max(0, first - _AROUND) : stop + _AROUND]
        yield Anchor(link.url, link.text, " ".join(around))


class Frontier(BaseScheduler):
    """Gives the waiting request with the best score by now, of equal ones the first."""

    def __init__(self, policy: FrontierPolicy) -> None:
        self._policy = policy
        self._waiting: dict[str, Request] = {}
        self._seen: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Frontier:
        return cls(crawler.settings["FRONTIER_POLICY"])

    def has_pending_requests(self) -> bool:
        return bool(self._waiting)

    def enqueue_request(self, request: Request) -> bool:
        if request.url in self._seen:
            return False
        self._seen.add(request.url)
        self._waiting[request.url] = request
        return True

    def next_request(self) -> Request | None:
        if not self._waiting:
            return None
        return self._waiting.pop(max(self._waiting, key=self._policy.score))


class Arrivals:
    """Reports each page to the policy as it arrives, where templcrawl's own middleware stands."""

    def __init__(self, policy: FrontierPolicy) -> None:
        self._policy = policy

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Arrivals:
        return cls(crawler.settings["FRONTIER_POLICY"])

    def process_response(self, request: Request, response: Any) -> Response:
        if response.status == 200:
            self._policy.learn(response.url, response.text)
        answer: Response = response
        return answer


def frontier_settings(policy: FrontierPolicy) -> dict[str, Any]:
    """Return the settings of a crawl that goes by a policy."""
    return {"FRONTIER_POLICY": policy, "SCHEDULER": Frontier, "DOWNLOADER_MIDDLEWARES": {Arrivals: 545}}
