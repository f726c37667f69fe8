"""How the pages of a site are told apart: a detector, and what it must know of earlier pages.

One shape for all detectors: a page is judged by what is known, then remembered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from templcrawl.algorithms.detectors.choice import DETECTORS, SiblingDetector, Vote
from templcrawl.algorithms.similarity.near_duplicates import MAX_DIFFERENCE, whole_text_of
from templcrawl.memory.known_contents import KnownContents
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.page_sample import PageSample
from templcrawl.memory.plain import Part, Plain, entry
from templcrawl.memory.siblings import SiblingPage, SiblingPages
from templcrawl.page.page import Page


class Arrival(NamedTuple):
    """A page as it arrives.

    page     the page
    leaf     its page type's leaf
    """

    page: Page
    leaf: int


class Verdict(NamedTuple):
    """What is found of a page.

    spans   spans of its tokens that are content
    exact   False if the comparison was cut short
    shares  leaf -> share of earlier pages that have it; None where nobody asked
    """

    spans: tuple[tuple[int, int], ...]
    exact: bool
    shares: npt.NDArray[np.float64] | None = None


class Detection(Part, Protocol):
    """What every way of telling pages apart can do."""

    def separate(self, arrival: Arrival, *, learn: bool) -> Verdict:
        """Tell a page apart by what is known, then remember it.

        learn  whether the page is to be remembered
        """


class DetectionBySample:
    """By a sample of the site's pages."""

    def __init__(self, detector: Vote, options: MemoryOptions) -> None:
        self._detector = detector
        self._sample = PageSample(size=options.sample_pages, salt=options.sample_salt)
        self.check = self._sample.check
        self.snapshot = self._sample.snapshot
        self.restore = self._sample.restore

    def separate(self, arrival: Arrival, *, learn: bool) -> Verdict:
        """Judge a page by the sampled pages that are not this page itself, then offer it to the sample."""
        page = arrival.page
        read = self._sample.read(page.leaves.keys)
        shares, pages = self._sample.shares(read)
        if learn:
            self._sample.offer(read)
        return Verdict(self._detector.separate(page, shares, pages), exact=True, shares=shares)


class DetectionBySibling:
    """By one sibling page; a page without one is all content.

    A page that nearly repeats an earlier one is not remembered, nor compared with that one: what a
    whole page repeats says nothing about templates.
    """

    def __init__(
        self, detector: SiblingDetector, options: MemoryOptions, template_of: Callable[[int], int]
    ) -> None:
        """Start without siblings.

        template_of  leaf -> the template that it belongs to by now
        """
        self._detector = detector
        self._template_of = template_of
        self._siblings = SiblingPages(limit=options.max_siblings)
        self._texts = KnownContents(limit=options.max_siblings, max_difference=MAX_DIFFERENCE)

    def check(self) -> None:
        """Raise BrokenInvariant if what is remembered is inconsistent or over its limit."""
        self._siblings.check()
        self._texts.check()

    def snapshot(self) -> Plain:
        """Return the siblings and their texts as plain values."""
        return {"siblings": self._siblings.snapshot(), "texts": self._texts.snapshot()}

    def restore(self, snapshot: Plain) -> None:
        """Take up a snapshot; raises InvalidSnapshot."""
        self._siblings.restore(entry(snapshot, "siblings", dict))
        self._texts.restore(entry(snapshot, "texts", dict))

    def separate(self, arrival: Arrival, *, learn: bool) -> Verdict:
        """Compare a page with its sibling, then remember it as a sibling of later ones."""
        page, leaf = arrival
        text = whole_text_of(page)
        repeated = self._texts.find(page.key, text)
        template = self._template_of(leaf)
        view = self._detector.view(page)
        sibling = self._siblings.choose(
            page.directory,
            lambda other: self._template_of(other) == template,
            any_directory=self._detector.any_directory,
            avoid=(page.key, repeated.key if repeated else None),
        )
        if learn and repeated is None:
            self._texts.add(page.key, text)
            self._siblings.add(SiblingPage(page.key, page.directory, leaf, view))
        if sibling is None:
            return Verdict(((0, len(page.tokens)),), exact=True)
        return Verdict(*self._detector.separate(page, view, sibling.view))


def detection(options: MemoryOptions, template_of: Callable[[int], int]) -> Detection:
    """Return the detection that the options name."""
    detector = DETECTORS[options.detector]
    if isinstance(detector, Vote):
        return DetectionBySample(detector, options)
    return DetectionBySibling(detector, options, template_of)
