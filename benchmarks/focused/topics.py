"""Topics of a site, made by a rule from the marked content of its pages; and where a crawl for one starts.

A topic is a word of at least 4 letters that the content of 2 to 15 % of the pages (at least 6 pages) says 3
times or more: those are its relevant pages.  The most concentrated words come first, by pages that say it 3
times of pages that say it at all; a topic shares at most 0.4 (Jaccard) of its relevant pages with any before.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from benchmarks.order.linked_sites import reachable

OFTEN = 3
_WORD = re.compile(r"[^\W\d_]{4,}")
_LEAST_PAGES, _LEAST_SHARE, _MOST_SHARE = 6, 0.02, 0.15
_MOST_ALIKE = 0.4
_REACHED = 0.8


class Topic(NamedTuple):
    """A word, and the addresses of the pages that are relevant to it."""

    word: str
    relevant: frozenset[str]


def topics_of(contents: Mapping[str, str], most: int) -> list[Topic]:
    """Return the topics of a site, at most so many.

    contents  address -> marked content

    >>> pages = {f"/{n}": "lamp lamp lamp" * (n < 6) for n in range(60)}
    >>> [(topic.word, len(topic.relevant)) for topic in topics_of(pages, 3)]
    [('lamp', 6)]
    """
    often: dict[str, set[str]] = defaultdict(set)
    ever: Counter[str] = Counter()
    for url, text in contents.items():
        for word, count in Counter(_WORD.findall(text.casefold())).items():
            ever[word] += 1
            if count >= OFTEN:
                often[word].add(url)
    least, largest = max(_LEAST_PAGES, _LEAST_SHARE * len(contents)), _MOST_SHARE * len(contents)
    words = [word for word, urls in often.items() if least <= len(urls) <= largest]
    words.sort(key=lambda word: (-len(often[word]) / ever[word], word))
    chosen: list[Topic] = []
    for word in words:
        urls = often[word]
        if len(chosen) < most and all(_alike(urls, topic.relevant) <= _MOST_ALIKE for topic in chosen):
            chosen.append(Topic(word, frozenset(urls)))
    return chosen


def _alike(these: set[str], those: frozenset[str]) -> float:
    return len(these & those) / len(these | those)


def seeds_of(topic: Topic, start: str, targets: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the start page of a site, and a relevant page from which most of the others can be reached.

    targets  address -> addresses it links to
    """
    yield start
    relevant = sorted(topic.relevant)
    random.Random(topic.word).shuffle(relevant)
    for url in relevant:
        if len(topic.relevant.intersection(reachable(url, targets))) >= _REACHED * len(relevant):
            yield url
            return
