"""The regression by which the links of a site are valued, with the pages that it has learned.

Where pages of some types are wanted, a site has a regression
(:mod:`templcrawl.algorithms.crawl_order.link_regression`).  Its target is 1 for a page of such a type, else
0.  Which pages are of a type becomes clear as a site becomes known, so the last ``MOST_PAGES`` pages are
stored by the features of the links that led to them.  The regression is refitted from them each time that
the pages have grown by a quarter.  A snapshot has these pages alone; workers of a crawl do not share them.

Cost: that of the regression a page, and as much for each stored page at a refit.  Memory: that of the
regression, and some 300 bytes a stored page.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from templcrawl.algorithms.crawl_order.link_regression import (
    LinkFeatures,
    LinkRegression,
    link_features,
    text_slots,
)
from templcrawl.errors import BrokenInvariant
from templcrawl.memory.key_tables import ListTable, Numbers
from templcrawl.memory.snapshot_parts import Entries, Nested, Part, Section
from templcrawl.memory.snapshot_values import NUMBERS, numbers, split_by

MOST_PAGES = 512
MOST_SITES = 64  # sites of a crawl that have a regression: those met last
REFIT_GROWTH = 1.25

_BYTES = numbers("B")
_WEIGHT_UNITS = 120  # weights are saved as whole numbers of such parts: of 1, 1/2, 1/3, 1/4 each is one


class LearnedPage(NamedTuple):
    """A page that the regression has learned.

    leaf       number of its leaf
    is_target  whether it was of a wanted type, as known then
    features   of the links that led to it
    """

    leaf: int
    is_target: bool
    features: LinkFeatures


class RegressionTable(Section):
    """The regression of a site; None until a page is learned.

    >>> table = RegressionTable(limit=10)
    >>> for number in range(9):
    ...     table.update(f"http://x.org/tea-{number}", (7,), 5, leaf=0, is_target=True)
    >>> table.is_ready, table.value("http://x.org/tea-9", (7,), 6) > 1.5
    (True, True)
    """

    def __init__(self, *, limit: int) -> None:
        """Make an empty table; ``limit`` link targets may have texts."""
        self._texts = ListTable(limit, "targets", "text_slots")
        self._regression: LinkRegression | None = None
        self._pages: deque[LearnedPage] = deque(maxlen=MOST_PAGES)
        self._learned = 0
        self._next_refit = 1.0

    @property
    def is_ready(self) -> bool:
        """Whether it values links."""
        return self._regression is not None

    def clear(self) -> None:
        """Free the memory of the regression and its pages."""
        self._regression = None
        self._pages.clear()

    def insert_text(self, target: int, text: str) -> None:
        """Store the words of the first link to a target."""
        slots = text_slots(text) if self._texts.get(target) is None else ()
        if slots:
            self._texts[target] = (slots,)

    def update(self, url: str, roles: Numbers, key: int, *, leaf: int, is_target: bool) -> None:
        """Learn a page.

        url    its address
        roles  of the links that led to it
        key    of its address
        """
        self._learn(LearnedPage(leaf, is_target, link_features(url, roles, self._texts.known(key)[0])))

    def _learn(self, page: LearnedPage) -> None:
        self._pages.append(page)
        self._learned += 1
        self._regression = self._regression or LinkRegression()
        self._regression.update(page.features, float(page.is_target))

    @property
    def is_refit_due(self) -> bool:
        """Whether the pages have grown by a quarter since the last refit."""
        return self._learned >= self._next_refit

    def refit(self, is_target: Callable[[int], bool]) -> None:
        """Learn the stored pages again.  Cost: that of ``update`` for each.

        is_target  (leaf) -> whether its pages are of a wanted type, as known now
        """
        pages, learned = [*self._pages], self._learned
        if any(page.is_target != is_target(page.leaf) for page in pages):
            self.clear()
            for page in pages:
                self._learn(page._replace(is_target=is_target(page.leaf)))
        self._learned, self._next_refit = learned, REFIT_GROWTH * learned + 1

    def value(self, url: str, roles: Numbers, key: int) -> float:
        """Return the predicted value of a link, 1 without a regression."""
        if self._regression is None:
            return 1.0
        return self._regression.value(link_features(url, roles, self._texts.known(key)[0]))

    def parts(self) -> Sequence[Part]:
        """Return the stored pages, then the texts."""
        kinds = {"leaves": NUMBERS, "is_target": _BYTES, "counts": _BYTES, "slots": _BYTES, "weights": _BYTES}
        return [Entries(kinds, self._copied, self._load), Nested("texts", self._texts)]

    def _copied(self) -> list[Sequence[int]]:
        pages = [*self._pages]
        features = [page.features for page in pages]
        return [
            [page.leaf for page in pages],
            [page.is_target for page in pages],
            [len(each.slots) for each in features],
            [slot for each in features for slot in each.slots.tolist()],
            [round(_WEIGHT_UNITS * weight) for each in features for weight in each.weights.tolist()],
        ]

    def _load(
        self,
        leaves: Sequence[int],
        is_target: Sequence[int],
        counts: Sequence[int],
        slots: Sequence[int],
        weights: Sequence[int],
    ) -> None:
        rows = zip(leaves, is_target, split_by(slots, counts), split_by(weights, counts), strict=True)
        for leaf, is_of_type, of_page, units in rows:
            weights_of_page = np.array(units, np.float32) / np.float32(_WEIGHT_UNITS)
            features = LinkFeatures(np.array(of_page, np.intp), weights_of_page)
            self._learn(LearnedPage(leaf, bool(is_of_type), features))

    def validate(self) -> None:
        """Raise BrokenInvariant if a weight is not finite."""
        super().validate()
        if self._regression is not None and not np.isfinite(self._regression.weights).all():
            raise BrokenInvariant("RegressionTable", "a weight is no number")
