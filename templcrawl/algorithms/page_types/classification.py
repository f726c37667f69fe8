"""Structural classification: which of k known templates a page is made by, or none of them.

Source: Hachenberg & Gottron (CIKM 2013), section 4: "f: D -> {1, ..., k, none}", each template given by
training pages.  Two classifiers have this shape: ``fingerprint_classifier`` (theirs) and
``structural_classifier`` (ours).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from templcrawl.page.page import Page


class Classification(NamedTuple):
    """What a classifier says of a page; distances are from 0 to 1.

    name                its class, None where it is of none of the known ones
    distance            to the nearest class, 1 where none is known to be near
    nearest             the nearest class, even where it is too far; None where none is known to be near
    runner_up           the next class, None where there is none
    runner_up_distance  to that class, 1 without one
    """

    name: str | None
    distance: float
    nearest: str | None = None
    runner_up: str | None = None
    runner_up_distance: float = 1.0


class Classifier(Protocol):
    """Tells the class of a page, after examples of each class."""

    @classmethod
    def train(cls, examples: Iterable[tuple[str, Page]]) -> Classifier:
        """Learn from (class, page); raises InvalidOption without an example."""
        ...

    def classify(self, page: Page) -> Classification:
        """Return the class of a page."""
        ...
