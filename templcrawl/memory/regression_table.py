"""The regression by which the links of a site are valued, with the link texts that it knows, and its state.

A site has a regression (:mod:`templcrawl.algorithms.crawl_order.link_regression`) once it is worth its memory:
``FIRST_PAGE`` pages pay for its target "pay", a page of a wanted type for its target "type".  Workers of a
crawl do not add their regressions: where their states are merged, that of most pages stays.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from templcrawl.algorithms.crawl_order.link_regression import (
    SLOTS,
    LinkRegression,
    link_features,
    text_slots,
)
from templcrawl.errors import BrokenInvariant
from templcrawl.memory.columns import Column, Columns, Nested, Section
from templcrawl.memory.key_tables import ListTable, Numbers
from templcrawl.memory.kinds import COUNT, numbers

FIRST_PAGE = 10
"""The page of a site from which on its regression learns what pages pay."""

_FLOATS = numbers("I", of=lambda array: array.reshape(-1).view(np.uint32))


class RegressionTable(Section):
    """The regression of a site.

    pages        pages that it has learned
    for_targets  whether its target is the wanted type, not the pay

    >>> table = RegressionTable(limit=10)
    >>> table.begin(for_targets=True)
    >>> for _ in range(9):
    ...     table.update("http://x.org/tea", (7,), 5, 1.0)
    >>> table.is_ready, table.value("http://x.org/tea", (7,), 5) > 1.5
    (True, True)
    """

    def __init__(self, *, limit: int) -> None:
        """Make an empty table; ``limit`` link targets may have texts."""
        self._texts = ListTable(limit, "targets", "text_slots")
        self._regression: LinkRegression | None = None
        self.pages = 0
        self.for_targets = False

    @property
    def is_ready(self) -> bool:
        """Whether it values links."""
        return self._regression is not None

    def begin(self, *, for_targets: bool = False) -> None:
        """Begin anew."""
        self._regression = LinkRegression()
        self.pages, self.for_targets = 0, for_targets

    def clear(self) -> None:
        """Free its memory, but for the texts."""
        self._regression = None
        self.pages = 0

    def add_text(self, target: int, text: str) -> None:
        """Store the words of the first link to a target."""
        slots = text_slots(text) if target not in self._texts.own else ()
        if slots:
            self._texts.own.set(target, slots)

    def update(self, url: str, roles: Numbers, target: int, wanted: float) -> None:
        """Learn from a page.

        roles   of the links that led to it
        target  key of its address
        wanted  the target of the regression
        """
        if self._regression is not None:
            self._regression.update(link_features(url, roles, self._texts[target]), wanted)
            self.pages += 1

    def value(self, url: str, roles: Numbers, target: int) -> float:
        """Return the predicted value of a link, 1 without a regression."""
        if self._regression is None:
            return 1.0
        return self._regression.value(link_features(url, roles, self._texts[target]))

    def columns(self) -> Sequence[Column]:
        """Return its counts with the weights and the covariance, 32-bit floats, then the texts."""
        kinds = {"pages": COUNT, "for_targets": COUNT, "weights": _FLOATS, "covariance": _FLOATS}
        return [Columns(kinds, self._copied, self._load), Nested("texts", self._texts)]

    def _copied(self) -> list[object]:
        regression = self._regression
        empty = np.zeros(0, dtype=np.float32)
        arrays = (regression.weights, regression.covariance) if regression is not None else (empty, empty)
        return [self.pages, int(self.for_targets), *(array.copy() for array in arrays)]

    def _load(self, pages: int, for_targets: int, weights: Sequence[int], covariance: Sequence[int]) -> None:
        self.pages, self.for_targets = pages, bool(for_targets)
        self._regression = None
        if len(weights):
            self._regression = LinkRegression()
            self._regression.weights = _floats(weights)
            self._regression.covariance = _floats(covariance).reshape(SLOTS, SLOTS)

    def merge(self, sections: Sequence[RegressionTable]) -> None:
        """Become, while empty, the regression of most pages, with the texts of all."""
        super().merge(sections)
        most = max(sections, key=lambda section: (section.for_targets, section.pages), default=self)
        self.pages, self.for_targets, self._regression = most.pages, most.for_targets, most._regression

    def validate(self) -> None:
        """Raise BrokenInvariant if a number of it is not finite, or there are too many."""
        super().validate()
        regression = self._regression
        if regression is not None:
            variances = regression.covariance.diagonal()
            is_sound = regression.weights.shape == (SLOTS,) and np.isfinite(regression.weights).all()
            if not (is_sound and np.isfinite(regression.covariance).all() and (variances <= 1.001).all()):
                raise BrokenInvariant("RegressionTable", "its weights or variances are no such numbers")


def _floats(bits: Sequence[int]) -> np.typing.NDArray[np.float32]:
    """Return the 32-bit floats of these bits."""
    return np.array(bits, dtype=np.uint32).view(np.float32)
