"""How promising a link is to a crawl that looks for pages of one topic.

A *record* says of some pages how many there are and how relevant, together.  A pagelet's record is that
of the pages that carry it and of the pages that its links led to; a directory's is that of its pages.
A link is as good as the best of its pagelets, averaged with the directory that it leads into, and better
if its anchor text or its address names the topic.  A template is carried by everything, so it has the
crawl's average by itself; the menu of a section has its section's.

    mean          = (R + 0.5) / (N + 1)
    belief(n, r)  = (r + A * mean) / (n + A)
    score         = 0.7 * (0.5 * max over pagelets of belief + 0.5 * belief of the directory) + 0.3 * named

N pages of the crawl have R relevance together, n pages of a record r; a relevance is in [0, 1].
A = 2 pages are believed to be average before any was seen; a link in no pagelet has the mean in place of the
first belief.

Source: pagelets as Bar-Yossef & Rajagopalan (WWW 2002), section 4; that the neighbourhood of a link tells
its worth as Chakrabarti, van den Berg & Dom (WWW 1999) and Hersovici et al. (WWW 1998, "shark-search").  The
combination and its constants were chosen on simulated crawls of real link graphs, where the smoothing
between A = 0.5 and 8 made no difference.  Cost: O(pagelets of a link).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

AVERAGE_PAGES = 2
DIRECTORY_WEIGHT = 0.5
ANCHOR_WEIGHT = 0.3


class RelevanceRecord(NamedTuple):
    """What is known of some pages: how many, and their relevance, summed."""

    pages: int = 0
    relevance: float = 0.0

    @property
    def mean(self) -> float:
        """What to expect of one more such page; a half if there are none.

        >>> RelevanceRecord().mean, RelevanceRecord(4, 2.0).mean
        (0.5, 0.5)
        """
        return (self.relevance + 0.5) / (self.pages + 1)

    def belief(self, mean: float) -> float:
        """Return what to expect of one more such page, where pages are ``mean`` relevant on average.

        >>> RelevanceRecord().belief(0.25), RelevanceRecord(2, 2.0).belief(0.25)
        (0.25, 0.625)
        """
        return (self.relevance + AVERAGE_PAGES * mean) / (self.pages + AVERAGE_PAGES)


class TopicRecord(NamedTuple):
    """What a focused crawl knows of where a link leads, whatever page it stands on.

    mean       relevance of a page of the crawl, on average
    directory  record of the directory that the link leads into
    """

    mean: float
    directory: RelevanceRecord


class Judgement(NamedTuple):
    """What a topic says of a page.

    relevance  how relevant it is, in [0, 1]
    names      text of a link -> whether it names the topic; None where the topic cannot say
    """

    relevance: float
    names: Callable[[str], bool] | None = None


def link_score(
    mean: float,
    pagelets: Iterable[RelevanceRecord],
    directory: RelevanceRecord,
    *,
    is_named: bool = False,
    from_hub: bool = False,
) -> float:
    """Return how promising a link is, in [0, 1].

    mean       relevance of a page of the crawl, on average
    pagelets   records of the pagelets that the link stands in
    directory  record of the directory that it leads into
    is_named   whether its anchor text or its address names the topic
    from_hub   whether it stands in one of the best hubs; its pagelet is believed to lead to nothing else

    >>> round(link_score(0.2, [RelevanceRecord(8, 1.6), RelevanceRecord(2, 2.0)], RelevanceRecord()), 3)
    0.28
    """
    pool = 1.0 if from_hub else max((record.belief(mean) for record in pagelets), default=mean)
    around = (1 - DIRECTORY_WEIGHT) * pool + DIRECTORY_WEIGHT * directory.belief(mean)
    return (1 - ANCHOR_WEIGHT) * around + ANCHOR_WEIGHT * is_named
