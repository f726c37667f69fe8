"""Focused crawling: how promising a link is for a topic, by the relevance of the pages around it.

A *record* counts some pages and sums their relevance.  The record of a pagelet covers the pages that carry it
and the pages that its links led to; the record of a directory covers its pages.  A link is as good as the
best of its pagelets, averaged with the directory that it leads into, and better if its anchor text or its
address names the topic.  The relevance of a page is that of :class:`TopicWords`, or any other.

    mean          = (R + 0.5) / (N + 1)
    belief(n, r)  = (r + A * mean) / (n + A)
    score         = 0.7 * (0.5 * max over pagelets of belief + 0.5 * belief of the directory) + 0.3 * named

N pages of the crawl have R relevance together, n pages of a record r; a relevance is in [0, 1].

Source: pagelets as Bar-Yossef & Rajagopalan (WWW 2002), section 4; the neighbourhood of a link as evidence of
its value after Chakrabarti, van den Berg & Dom (WWW 1999) and Hersovici et al. (WWW 1998, "shark-search").
The combination and its constants were chosen on simulated crawls of real link graphs.  Cost: O(pagelets of a
link); O(length of the text) of a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import unquote

from templcrawl.errors import InvalidOption
from templcrawl.page.page import Page
from templcrawl.page.render import visible_text

# A between 0.5 and 8 made no difference in the simulated crawls.
AVERAGE_PAGES = 2  # A: pages of a record that are believed to be average before any was seen
DIRECTORY_WEIGHT = 0.5  # of the directory beside the best pagelet
ANCHOR_WEIGHT = 0.3  # of anchor text and address beside what is around a link


class RelevanceRecord(NamedTuple):
    """A number of pages, and the sum of their relevance."""

    pages: int = 0
    relevance: float = 0.0

    @property
    def mean(self) -> float:
        """The expected relevance of one more such page; one half without pages.

        >>> RelevanceRecord().mean, RelevanceRecord(4, 2.0).mean
        (0.5, 0.5)
        """
        return (self.relevance + 0.5) / (self.pages + 1)

    def belief(self, mean: float) -> float:
        """Return the expected relevance of one more such page, given the mean of the crawl.

        >>> RelevanceRecord().belief(0.25), RelevanceRecord(2, 2.0).belief(0.25)
        (0.25, 0.625)
        """
        return (self.relevance + AVERAGE_PAGES * mean) / (self.pages + AVERAGE_PAGES)


class TopicRecord(NamedTuple):
    """The evidence about a link's target: the mean of the crawl, and the record of its directory."""

    mean: float
    directory: RelevanceRecord


def link_score(
    mean: float,
    pagelets: Iterable[RelevanceRecord],
    directory: RelevanceRecord,
    *,
    is_named: bool = False,
) -> float:
    """Return how promising a link is, in [0, 1].

    A template is carried by everything, so it has the crawl's average by itself; the menu of a section has
    its section's.  A link in no pagelet has the mean in place of the first belief.

    mean                 relevance of a page of the crawl, on average
    pagelets, directory  records of the pagelets that it stands in, of the directory that it leads into
    is_named             whether its anchor text or its address names the topic

    >>> round(link_score(0.2, [RelevanceRecord(8, 1.6), RelevanceRecord(2, 2.0)], RelevanceRecord()), 3)
    0.28
    """
    pool = max((record.belief(mean) for record in pagelets), default=mean)
    around = (1 - DIRECTORY_WEIGHT) * pool + DIRECTORY_WEIGHT * directory.belief(mean)
    return (1 - ANCHOR_WEIGHT) * around + ANCHOR_WEIGHT * is_named


HALF = 3  # occurrences that make a page half relevant
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"


class TopicWords:
    """Judges pages and links by the words of a topic.

    Relevance grows with the number of times that the words of the topic occur in the visible text of a page::

        relevance = occurrences / (occurrences + 3)

    Template is included: a side bar that names the topic is a hint that the topic is near (measured:
    relevance of the text without its template steers a crawl worse).

    A topic is words or phrases, with commas.  Letters are compared without case, whole words only; between
    the words of a phrase may stand anything but letters and digits, as in ``/solar-power_plants/``.  Where
    words are not spaced (Chinese, Japanese) a phrase may stand anywhere.

    >>> topic = TopicWords("solar power, wind")
    >>> page = Page.from_html("<p>Wind and windows.<p>Solar-power and wind")
    >>> topic(page), topic.names("/on/Solar_Power.html"), topic.names("windows")
    (0.5, True, False)
    """

    def __init__(self, topic: str) -> None:
        """Read the words and phrases of a topic, with commas; raises InvalidOption without a word."""
        phrases = [_WORD.findall(phrase) for phrase in topic.split(",")]
        patterns = ["[\\W_]+".join(map(re.escape, words)) for words in phrases if words]
        if not patterns:
            raise InvalidOption("topic", topic, "words or phrases, with commas")
        patterns.sort(key=len, reverse=True)
        ends = rf"(?:(?<![^\W_])|(?<=[{_UNSPACED}]))(?:{'|'.join(patterns)})(?:(?![^\W_])|(?=[{_UNSPACED}]))"
        self.topic = topic
        self._find = re.compile(ends, re.IGNORECASE)

    def __repr__(self) -> str:
        return f"TopicWords({self.topic!r})"

    def __call__(self, page: Page) -> float:
        """Return how relevant a page is, 0 to less than 1."""
        occurrences = len(self._find.findall(visible_text(page)))
        return occurrences / (occurrences + HALF)

    def names(self, text: str) -> bool:
        """Return whether a link's text or address names the topic."""
        return self._find.search(unquote(text)) is not None
