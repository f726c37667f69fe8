"""The orders that a focused crawl is measured against, with a frontier that lets them do their best.

parent  best first: a link is as good as the most relevant page that it was found on.  De Bra & Post (1994)
shark   shark-search, Hersovici et al. (WWW 1998), Figure 2, with the constants of section 4.2:

            inherited(v) = DELTA * sim(u)  if sim(u) > 0, else DELTA * inherited(u)
            near(v)      = BETA * anchor + (1 - BETA) * context;  context is 1 where anchor is above 0
            score(v)     = GAMMA * inherited(v) + (1 - GAMMA) * near(v)

        u is the page that a link to v was found on; anchor and context say whether the anchor text, and the
        ten words before and after it, name the topic.  Of several links the best counts.

Both go by the frontier of :mod:`lab.bench.order.frontier`, so a link moves forward as soon as a better page
names it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from templcrawl import Page
from templcrawl.algorithms.crawl_order.focus import TopicWords
from templcrawl.page.tokens import TEXT

DELTA, BETA, GAMMA = 0.5, 0.8, 0.5
_AROUND = 10


class Anchor(NamedTuple):
    """A link: where it leads, its text, and that with the words around it."""

    url: str
    text: str
    context: str


class PageText:
    """A page as the rivals read it, each part once."""

    def __init__(self, html: str, url: str) -> None:
        self.page = Page(html, url)

    @cached_property
    def anchors(self) -> list[Anchor]:
        """Its links."""
        tokens, elements = self.page.tokens, self.page.elements
        words: list[str] = []
        before = []
        for kind, form in zip(tokens.kinds, tokens.form_of):
            before.append(len(words))
            if kind == TEXT:
                words += tokens.forms[form].split()
        before.append(len(words))
        anchors = []
        for link in self.page.links:
            first, stop = before[elements.opens[link.element]], before[elements.closes[link.element]]
            around = words[max(0, first - _AROUND) : stop + _AROUND]
            anchors.append(Anchor(link.url, link.text, " ".join(around)))
        return anchors


class ParentRelevance:
    """Scores links by the pages that they were found on."""

    def __init__(self, topic: TopicWords, texts: Mapping[str, PageText]) -> None:
        self._topic, self._texts = topic, texts
        self._scores: dict[str, float] = {}
        self._inherited: dict[str, float] = {}

    def __deepcopy__(self, memo: object) -> ParentRelevance:
        return self

    def learn(self, url: str) -> None:
        """Read a page that has arrived."""
        text = self._texts[url]
        relevance = self._topic(text.page)
        for anchor in text.anchors:
            score = self.score_of(url, relevance, anchor)
            self._scores[anchor.url] = max(score, self._scores.get(anchor.url, 0.0))

    def score_of(self, url: str, relevance: float, anchor: Anchor) -> float:
        """Return the score of a link on a page."""
        return relevance

    def score(self, url: str) -> float:
        """Return the score of a link by now."""
        return self._scores.get(url, 0.0)


class SharkSearch(ParentRelevance):
    """Scores links by anchor, context and what they inherit."""

    def score_of(self, url: str, relevance: float, anchor: Anchor) -> float:
        """Return the score of a link on a page."""
        inherited = DELTA * (relevance or self._inherited.get(url, 0.0))
        self._inherited[anchor.url] = max(inherited, self._inherited.get(anchor.url, 0.0))
        named = self._topic.names(anchor.text)
        near = BETA * named + (1 - BETA) * (named or self._topic.names(anchor.context))
        return GAMMA * inherited + (1 - GAMMA) * near


def texts_of(bodies: Mapping[str, str]) -> dict[str, PageText]:
    """Return address -> page as the rivals read it."""
    return {url: PageText(html, url) for url, html in bodies.items()}


RIVALS: Sequence[tuple[str, type[ParentRelevance]]] = (("parent", ParentRelevance), ("shark", SharkSearch))
