"""The regression by which the links of a site are valued, with the pages that it has learned.

Where pages of some types are wanted, a site has a regression
(:mod:`templcrawl.algorithms.crawl_order.link_regression`).  Its target is 1 for a page of such a type, else
0.  Which pages are of a type becomes clear as a site becomes known, so the last ``MAX_PAGES`` pages are
stored by the features of the links that led to them.  The regression is refitted from them each time that
the pages have grown by a quarter.  A snapshot has these pages alone.

Cost: that of the regression a page, and as much for each stored page at a refit.  Memory: that of the
regression, and some 300 bytes a stored page.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from templcrawl.algorithms.crawl_order.link_regression import (
    SLOTS,
    LinkFeatures,
    LinkRegression,
    link_features,
    text_slots,
)
from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.key_tables import ListTable, NumberList
from templcrawl.memory.snapshots import Frozen, Lists, Numbers, Section, Snapshot

MAX_PAGES = 512
REFIT_GROWTH = 1.25

_PARTS = 120  # weights are saved as whole numbers of such parts: of 1, 1/2, 1/3, 1/4 each is one


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
    ...     table.learn_page(f"http://x.org/tea-{number}", (7,), 5, leaf=0, is_target=True)
    >>> table.is_ready, table.value("http://x.org/tea-9", (7,), 6) > 1.5
    (True, True)
    """

    sections = ("_texts",)

    def __init__(self, *, limit: int) -> None:
        """Make an empty table; ``limit`` link targets may have texts."""
        self._texts = ListTable(limit, lists=1)
        self._regression: LinkRegression | None = None
        self._pages: deque[LearnedPage] = deque(maxlen=MAX_PAGES)
        self._learned = 0
        self._next_refit = 1.0

    @property
    def is_ready(self) -> bool:
        """True once the regression values links."""
        return self._regression is not None

    def clear(self) -> None:
        """Free the memory of the regression and its pages."""
        self._regression = None
        self._pages.clear()

    def insert_text(self, target: int, text: str) -> None:
        """Store the words of the first link to a target."""
        slots = text_slots(text) if target not in self._texts else ()
        if slots:
            self._texts[target] = (slots,)

    def learn_page(self, url: str, roles: NumberList, key: int, *, leaf: int, is_target: bool) -> None:
        """Learn a page.

        url    its address
        roles  of the links that led to it
        key    of its address
        """
        self._learn(LearnedPage(leaf, is_target, link_features(url, roles, self._texts.get(key)[0])))

    def _learn(self, page: LearnedPage) -> None:
        self._pages.append(page)
        self._learned += 1
        self._regression = self._regression or LinkRegression()
        self._regression.learn(page.features, float(page.is_target))

    @property
    def is_refit_due(self) -> bool:
        """True once the pages have grown by a quarter since the last refit."""
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

    def value(self, url: str, roles: NumberList, key: int) -> float:
        """Return the predicted value of a link, 1 without a regression."""
        if self._regression is None:
            return 1.0
        return self._regression.value(link_features(url, roles, self._texts.get(key)[0]))

    def columns(self) -> Frozen:
        """Return the stored pages; a weight is a whole number of parts."""
        pages = [*self._pages]
        features = [page.features for page in pages]
        return {
            "leaves": Numbers([page.leaf for page in pages]),
            "is_target": Numbers([page.is_target for page in pages], "u1"),
            "slots": Lists([each.slots.astype(np.uint8) for each in features], "u1"),
            "weights": Lists([(_PARTS * each.weights).round().astype(np.uint8) for each in features], "u1"),
        }

    def load(self, snapshot: Snapshot) -> None:
        """Learn the pages again."""
        leaves = snapshot.numbers("leaves").tolist()
        are_targets = snapshot.numbers("is_target", "u1", count=len(leaves)).tolist()
        slots = snapshot.arrays("slots", "u1", count=len(leaves))
        weights = snapshot.arrays("weights", "u1", count=len(leaves))
        for leaf, is_target, page_slots, parts in [*zip(leaves, are_targets, slots, weights)][-MAX_PAGES:]:
            if len(page_slots) != len(parts):
                raise InvalidSnapshot("weights", f"{len(parts)} weights of {len(page_slots)} slots")
            features = LinkFeatures(page_slots.astype(np.intp), parts / np.float32(_PARTS))
            self._learn(LearnedPage(leaf, bool(is_target), features))
        if any(slot >= SLOTS for (words,) in self._texts.values() for slot in words):
            raise InvalidSnapshot("texts", "there is no such slot")
