"""How well every method tells template from content on the hard sites, and the floors under it.

``python -m tests.measure_floors`` measures, prints a table, and writes ``quality_floors.json`` with
floors a hundredth below what was measured: a floor that has sunk is a line of the change.

A page's score is the F1 of the words found against the words of its truth, both as bags of words in
lower case.  A site's score is the mean over its pages from the second on: each judged by those before, or, by
the detectors of a whole site, by all of them.  ``article`` is judged like these though it looks for less: on
lists its score is low.  That of ``page-types`` is pairwise: of the pairs of pages that have one template, and
of those that are of one kind, how many are both.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from lab.sites.areas import words_of
from lab.sites.hard_sites import HARD_SITES, HardSite, generate_hard_site
from templcrawl.algorithms.extraction.article import article_text
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.detectors import ARRIVING, WHOLE_SITE, load_detector
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation

FLOORS = Path(__file__).with_name("quality_floors.json")
MARGIN = 0.01


class Score(NamedTuple):
    """Precision, recall and F1 of words found against words wanted; also the mean of several."""

    precision: float
    recall: float
    f1: float

    @classmethod
    def of(cls, found: Iterable[str], wanted: Iterable[str]) -> Score:
        """Compare two bags of words.

        >>> Score.of(["the", "menu", "The", "spoon"], ["the", "spoon"])
        Score(precision=0.5, recall=1.0, f1=0.6666666666666666)
        >>> Score.of([], ["the"])
        Score(precision=0.0, recall=0.0, f1=0.0)
        """
        bags = [Counter(word.lower() for word in words) for words in (found, wanted)]
        common = (bags[0] & bags[1]).total()
        if not common:
            return cls(0.0, 0.0, 0.0)
        precision, recall = common / bags[0].total(), common / bags[1].total()
        return cls(precision, recall, 2 * precision * recall / (precision + recall))

    @classmethod
    def mean(cls, scores: Sequence[Score]) -> Score:
        return cls(*map(fmean, zip(*scores)))


def all_text_score(site: HardSite) -> Score:
    """Return the score of whoever takes all text for content."""
    return Score.mean(
        [Score.of(page.content_words + page.template_words, page.content_words) for page in site.pages[1:]]
    )


def detector_score(site: HardSite, detector: str) -> Score:
    """Return the score of a detector of pages as they arrive, in a crawl of the site."""
    return _mean(site, [separation.content_text for separation in _crawled(site, detector)])


def article_score(site: HardSite) -> Score:
    """Return the score of the articles on its pages, as they are found in a crawl by the vote."""
    return _mean(site, map(article_text, _crawled(site, "vote")))


def site_detector_score(site: HardSite, detector: str) -> Score:
    """Return the score of a detector that reads the whole site first."""
    known = load_detector(detector)()
    pages = _pages(site)
    for page in pages:
        known.learn(page)
    return _mean(site, [known.separate(page).content_text for page in pages])


def page_types_score(site: HardSite) -> Score:
    """Return how well the templates of its pages, by the last word, are their kinds: over pairs of pages."""
    memory = CrawlMemory(sample_salt=0)
    leaves = [memory.observe(page).leaf_id for page in _pages(site)]
    pairs = list(combinations(zip(map(memory.resolve, leaves), (page.kind for page in site.pages)), 2))
    found = [str(number) for number, (a, b) in enumerate(pairs) if a[0] == b[0]]
    wanted = [str(number) for number, (a, b) in enumerate(pairs) if a[1] == b[1]]
    return Score.of(found, wanted)


def _pages(site: HardSite) -> list[Page]:
    return [Page.from_html(page.html, site.url(page)) for page in site.pages]


def _crawled(site: HardSite, detector: str) -> list[Separation]:
    memory = CrawlMemory(detector=detector, sample_salt=0)
    return list(map(memory.observe, _pages(site)))


def _mean(site: HardSite, texts: Iterable[str]) -> Score:
    scores = [Score.of(words_of(text), page.content_words) for text, page in zip(texts, site.pages)]
    return Score.mean(scores[1:])


METHODS: dict[str, Callable[[HardSite], Score]] = {
    **{name: partial(detector_score, detector=name) for name in ARRIVING},
    **{name: partial(site_detector_score, detector=name) for name in WHOLE_SITE},
    "article": article_score,
    "page-types": page_types_score,
}
"""Name of what is measured -> its score on a site."""


def floor_under(f1: float) -> float:
    """Return the floor for what was measured: a hundredth lower, rounded down to two decimals.

    >>> floor_under(0.9271), floor_under(0.92), floor_under(0.0)
    (0.91, 0.91, 0.0)
    """
    return max(0.0, math.floor(round(100 * (f1 - MARGIN), 6)) / 100)


def measure(names: Iterable[str] = HARD_SITES) -> dict[str, dict[str, Any]]:
    """Measure every method on sites, print a table of P/R/F1, and return site -> its digest and floors."""
    print(f"{'site':17}{'pages':>6}{'all text':>10}", *(f"{name:>19}" for name in METHODS), sep="")
    floors = {}
    for name in names:
        site = generate_hard_site(name)
        scores = {name: score_of(site) for name, score_of in METHODS.items()}
        figures = (f"{s.precision:7.3f}{s.recall:6.3f}{s.f1:6.3f}" for s in scores.values())
        print(f"{name:17}{len(site.pages):6}{all_text_score(site).f1:10.3f}", *figures, sep="")
        least = {method: floor_under(score.f1) for method, score in scores.items()}
        floors[name] = {"digest": site.digest, "f1": least}
    return floors


if __name__ == "__main__":
    FLOORS.write_text(json.dumps(measure(), indent=2) + "\n", encoding="utf-8")
