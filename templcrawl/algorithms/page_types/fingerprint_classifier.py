"""Classify pages by template fingerprints: one similar training fingerprint decides.

Source: Hachenberg & Gottron (CIKM 2013), section 4.1.  The fingerprints of all training pages are mapped
to the classes they were seen with; a page is looked up in the index of section 3.3 and takes the class
of a similar fingerprint (one edit at most); without one it is of none.

Of several similar fingerprints the nearest decides.  Where the equally near ones are of several classes,
the class with most training pages among them is taken, of these the first by name; the paper is silent.

    distance = edits between two fingerprints / 25

Cost: O(1) a page beyond its fingerprint, whatever the number of examples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from templcrawl.algorithms.fingerprints.fingerprint import FINGERPRINT_LENGTH, page_fingerprint
from templcrawl.algorithms.fingerprints.index import FingerprintIndex
from templcrawl.algorithms.page_types.classification import Classification
from templcrawl.errors import InvalidOption
from templcrawl.page.page import Page


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
