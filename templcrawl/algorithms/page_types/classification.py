"""Structural classification: which of k known templates made a page, or none of them.

Source: Hachenberg & Gottron (CIKM 2013), section 4: "f: D -> {1, ..., k, none}", each template given by
training pages.  Two classifiers do this: theirs, by template fingerprints, is here; ours is
``structural_classifier``.

Section 4.1: the fingerprints of all training pages are mapped to the classes they were seen with; a page is
looked up in the index of section 3.3 and takes the class of a similar fingerprint (one edit at most);
without one it has no class.  Of several similar fingerprints the nearest decides.  Where the equally near
ones are of several classes, the class with most training pages among them is taken, of these the first by
name; the paper is silent.

    distance = edits between two fingerprints / 25

Cost: O(1) a page beyond its fingerprint, whatever the number of examples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple, Protocol

from templcrawl.algorithms.fingerprints.fingerprint import FINGERPRINT_LENGTH, page_fingerprint
from templcrawl.algorithms.fingerprints.index import FingerprintIndex
from templcrawl.errors import InvalidOption
from templcrawl.page.page import Page


class Classification(NamedTuple):
    """The answer of a classifier about a page; distances are from 0 to 1.

    name                its class, None if it belongs to no known class
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
    """A classifier of pages, trained on examples of each class."""

    @classmethod
    def train(cls, examples: Iterable[tuple[str, Page]]) -> Classifier:
        """Learn from (class, page); raises InvalidOption without an example."""
        ...

    def classify(self, page: Page) -> Classification:
        """Return the class of a page."""
        ...


class FingerprintClassifier:
    """The paper's classifier.

    >>> tea, note = Page("<ul><li>green<li>black</ul>", ""), Page("<div><p>on <b>Mondays</b></p></div>", "")
    >>> classifier = FingerprintClassifier.train([("list", tea)])
    >>> classifier.classify(Page("<ul><li>red<li>mint</ul>", "")).name, classifier.classify(note).name
    ('list', None)
    """

    def __init__(self, fingerprints: Iterable[tuple[str, bytes]]) -> None:
        """Learn from (class, fingerprint); raises InvalidOption without any."""
        self._index = FingerprintIndex()
        self._classes: dict[bytes, Counter[str]] = {}
        for name, fingerprint in fingerprints:
            self._index.add(fingerprint)
            self._classes.setdefault(fingerprint, Counter())[name] += 1
        if not self._classes:
            raise InvalidOption("examples", [], "at least one example page of a class")

    @classmethod
    def train(cls, examples: Iterable[tuple[str, Page]]) -> FingerprintClassifier:
        """Learn from (class, page); raises InvalidOption without an example."""
        return cls((name, page_fingerprint(page)) for name, page in examples)

    def classify(self, page: Page) -> Classification:
        """Return the class of a page."""
        return self.classify_fingerprint(page_fingerprint(page))

    def classify_fingerprint(self, fingerprint: bytes) -> Classification:
        """Return the class of the page that a fingerprint was made of."""
        votes: dict[str, tuple[int, int]] = {}
        for similar in self._index.similar(fingerprint):
            edits = int(similar != fingerprint)
            for name, pages in self._classes[similar].items():
                before, voters = votes.get(name, (edits, 0))
                if edits < before:
                    votes[name] = (edits, pages)
                elif edits == before:
                    votes[name] = (edits, voters + pages)
        ranked = sorted((edits, -pages, name) for name, (edits, pages) in votes.items())
        if not ranked:
            return Classification(None, 1.0)
        edits, _, nearest = ranked[0]
        distance = edits / FINGERPRINT_LENGTH
        if len(ranked) == 1:
            return Classification(nearest, distance, nearest)
        next_edits, _, runner_up = ranked[1]
        return Classification(nearest, distance, nearest, runner_up, next_edits / FINGERPRINT_LENGTH)
