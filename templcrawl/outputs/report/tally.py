"""Sums over a set of pages (a crawl, a site or a template), and the learning curve of a site.

*The learning curve.*  How much of the text of all pages so far was judged template, by how many pages of a
site had been seen.

It ends at the share of the whole site.  The share of each page alone would only tell apart the kinds of pages
that a crawl gets to (a short page is nearly all menu): what is template is mostly known after a few pages.

The curve is a list of buckets of equally many pages, in the order of the pages.  When there are 100 and one
more is needed, each two neighbours become one, and from then on a bucket takes twice as many pages.

Cost: O(1) a page, amortised.  Memory: 100 buckets, whatever the number of pages.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from itertools import accumulate
from typing import NamedTuple

from templcrawl.memory.observation import Observation


def template_share(observation: Observation) -> float:
    """Return the share of a page's text that is template, 0 where there is no text."""
    content, whole = observation.text_lengths
    return (whole - content) / whole if whole else 0.0


@dataclass
class Tally:
    """Sums over pages.

    pages            how many; one that was read twice counts twice
    content, whole      characters of their visible text that are content, and all of them
    shares           share of the text that is template, of each page
    template_links   links that sit in template pagelets
    links            all links
    near_duplicates  pages whose content repeats an earlier page of their site
    truncated        pages that were read or compared in part
    """

    pages: int = 0
    content: int = 0
    whole: int = 0
    shares: float = 0.0
    template_links: int = 0
    links: int = 0
    near_duplicates: int = 0
    truncated: int = 0

    def update(self, observation: Observation) -> None:
        """Count a page."""
        content, whole = observation.text_lengths
        self.pages += 1
        self.content += content
        self.whole += whole
        self.shares += template_share(observation)
        self.template_links += sum(map(bool, observation.link_pages))
        self.links += len(observation.link_pages)
        self.near_duplicates += observation.near_duplicate is not None
        self.truncated += bool(observation.truncated)

    def __add__(self, other: Tally) -> Tally:
        return Tally(*map(sum, zip(astuple(self), astuple(other))))

    @property
    def template_share(self) -> float:
        """Share of the text that is template, 0 where there is no text.

        >>> Tally(pages=2, content=30, whole=120).template_share
        0.75
        """
        return (self.whole - self.content) / self.whole if self.whole else 0.0

    @property
    def mean_share(self) -> float:
        """Share of the text that is template, of a page on average."""
        return self.shares / self.pages if self.pages else 0.0

    @property
    def link_share(self) -> float:
        """Share of the links that sit in template pagelets, 0 where there are no links."""
        return self.template_links / self.links if self.links else 0.0


MOST_BUCKETS = 100


class CurvePoint(NamedTuple):
    """A point of the curve.

    pages  number of the last page of its bucket
    share  of the text of all pages up to that one that was judged template
    """

    pages: int
    share: float


class LearningCurve:
    """The learning curve of a site.

    >>> curve = LearningCurve(most=2)
    >>> for content in (100, 60, 40, 20, 20):
    ...     curve.update(content, 100)
    >>> curve.points()
    [CurvePoint(pages=4, share=0.45), CurvePoint(pages=5, share=0.52)]

    width  pages of a bucket
    """

    def __init__(self, *, most: int = MOST_BUCKETS) -> None:
        """Make an empty curve of at most ``most`` buckets, an even number."""
        self.width = 1
        self._most = most
        self._pages = 0
        self._sums: list[tuple[int, int]] = []

    def update(self, content: int, whole: int) -> None:
        """Count a page.

        content   characters of its text that were judged content
        whole  all of them
        """
        if self._pages == self._most * self.width:
            pairs = zip(self._sums[::2], self._sums[1::2])
            self._sums = [_sum(first, second) for first, second in pairs]
            self.width *= 2
        if self._pages % self.width == 0:
            self._sums.append((content, whole))
        else:
            self._sums[-1] = _sum(self._sums[-1], (content, whole))
        self._pages += 1

    def points(self) -> list[CurvePoint]:
        """Return the curve, from the first bucket on with which there is text."""
        ends = (min(number * self.width, self._pages) for number in range(1, len(self._sums) + 1))
        so_far = accumulate(self._sums, _sum)
        return [
            CurvePoint(end, (whole - content) / whole) for end, (content, whole) in zip(ends, so_far) if whole
        ]


def _sum(first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
    return first[0] + second[0], first[1] + second[1]
