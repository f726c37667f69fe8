"""How much of the text of all pages so far was judged template, by how many pages of a site had been seen.

It ends at the share of the whole site.  The share of each page alone would only tell apart the kinds of pages
that a crawl gets to (a short page is nearly all menu): what is template is mostly known after a few pages.

The curve is a list of buckets of equally many pages, in the order of the pages.  When there are 100 and one
more is needed, each two neighbours become one, and from then on a bucket takes twice as many pages.

Cost: O(1) a page, amortised.  Memory: 100 buckets, whatever the number of pages.
"""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

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
    >>> for kept in (100, 60, 40, 20, 20):
    ...     curve.add(kept, 100)
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

    def add(self, kept: int, whole: int) -> None:
        """Add a page.

        kept   characters of its text that were judged content
        whole  all of them
        """
        if self._pages == self._most * self.width:
            pairs = zip(self._sums[::2], self._sums[1::2])
            self._sums = [_sum(first, second) for first, second in pairs]
            self.width *= 2
        if self._pages % self.width == 0:
            self._sums.append((kept, whole))
        else:
            self._sums[-1] = _sum(self._sums[-1], (kept, whole))
        self._pages += 1

    def points(self) -> list[CurvePoint]:
        """Return the curve, from the first bucket on with which there is text."""
        ends = (min(number * self.width, self._pages) for number in range(1, len(self._sums) + 1))
        so_far = accumulate(self._sums, _sum)
        return [CurvePoint(end, (whole - kept) / whole) for end, (kept, whole) in zip(ends, so_far) if whole]


def _sum(first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
    return first[0] + second[0], first[1] + second[1]
