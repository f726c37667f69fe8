"""How the pages of a site are told apart: a detector, and what it must know of earlier pages.

One shape for all detectors: a page is judged by what is known, then remembered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from templcrawl.algorithms.detectors.choice import DETECTORS, EqualMapping, SiblingDetector, Vote
from templcrawl.memory.linked_pages import (
    LinkedPage,
    LinkedPages,
    linked_names,
    linked_page,
    name_key,
    tree_of,
)
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.page_types import check_leaf
from templcrawl.memory.plain import Part, Plain, entry, reading
from templcrawl.memory.siblings import SiblingPage, SiblingPages
from templcrawl.memory.voters import Voters
from templcrawl.memory.whole_texts import WholeText, WholeTexts
from templcrawl.page.nodes import Nodes
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

    def __init__(self, detector: Vote, options: MemoryOptions, template_of: Callable[[int], int]) -> None:
        """Start without pages.

        template_of  leaf -> the template that it belongs to by now
        """
        self._detector = detector
        salt = options.sample_salt or 0
        self._voters = Voters(size=options.sample_pages, salt=salt, template_of=template_of)
        self.check = self._voters.check
        self.snapshot = self._voters.snapshot
        self.restore = self._voters.restore

    def separate(self, arrival: Arrival, *, learn: bool) -> Verdict:
        """Judge a page by the sampled pages that are not this page itself, then offer it to the sample."""
        page, leaf = arrival
        shares, pages = self._voters.ask(page, leaf, learn=learn)
        return Verdict(self._detector.separate(page, shares, pages), exact=True, shares=shares)


class DetectionBySibling:
    """By one sibling page; a page without one is all content."""

    def __init__(
        self, detector: SiblingDetector, options: MemoryOptions, template_of: Callable[[int], int]
    ) -> None:
        """Start without siblings.

        template_of  leaf -> the template that it belongs to by now
        """
        self._detector = detector
        self._template_of = template_of
        self._siblings = SiblingPages(limit=options.max_siblings)
        self._texts = WholeTexts(limit=options.max_siblings)

    def check(self) -> None:
        """Raise BrokenInvariant if what is remembered is inconsistent or over its limit."""
        self._siblings.check()
        self._texts.check()
        for leaf in self._siblings.leaves():
            check_leaf("DetectionBySibling", leaf, self._template_of)

    def snapshot(self) -> Plain:
        """Return the siblings and their texts as plain values."""
        return {"siblings": self._siblings.snapshot(), "texts": self._texts.snapshot()}

    def restore(self, snapshot: Plain) -> None:
        """Take up a snapshot; raises InvalidSnapshot."""
        with reading(self):
            self._siblings.restore(entry(snapshot, "siblings", dict))
            self._texts.restore(entry(snapshot, "texts", dict))

    def separate(self, arrival: Arrival, *, learn: bool) -> Verdict:
        """Compare a page with its sibling, then remember it as a sibling of later ones."""
        page, leaf = arrival
        text = self._texts.read(page.key, page, learn=learn)
        template = self._template_of(leaf)
        view = self._detector.view(page)
        sibling = self._siblings.choose(
            page.directory,
            lambda other: self._template_of(other) == template,
            any_directory=self._detector.any_directory,
            avoid=(page.key, text.repeats),
        )
        if learn and text.repeats is None:
            self._texts.remember(text)
            self._siblings.add(SiblingPage(page.key, page.directory, leaf, view))
        if sibling is None:
            return Verdict(((0, len(page.tokens)),), exact=True)
        return Verdict(*self._detector.separate(page, view, sibling.view))


class DetectionBySubdigraph:
    """By pages that link to each other, of those that a page links to; a page without any is all content."""

    def __init__(self, detector: EqualMapping, options: MemoryOptions) -> None:
        self._detector = detector
        self._limits = options.limits
        self._pages = LinkedPages(limit=options.max_siblings)
        self._texts = WholeTexts(limit=options.max_siblings)

    def check(self) -> None:
        """Raise BrokenInvariant if what is remembered is inconsistent or over its limit."""
        self._pages.check()
        self._texts.check()

    def snapshot(self) -> Plain:
        """Return the pages and their texts as plain values."""
        return {"pages": self._pages.snapshot(), "texts": self._texts.snapshot()}

    def restore(self, snapshot: Plain) -> None:
        """Take up a snapshot; raises InvalidSnapshot."""
        self._pages.restore(entry(snapshot, "pages", dict))
        self._texts.restore(entry(snapshot, "texts", dict))

    def separate(self, arrival: Arrival, *, learn: bool) -> Verdict:
        """Map a page onto its subdigraph, then remember it, and that those pages served."""
        page = arrival.page
        text = self._texts.read(name_key(page.url), page, learn=learn)
        tree = Nodes(page)
        links = linked_names(tree)
        subdigraph = self._pages.subdigraph(links, avoid=(text.key, text.repeats))
        others = [tree_of(other.html, self._limits) for other in subdigraph]
        if learn:
            self._pages.serve(subdigraph)
            if text.repeats is None:
                self._remember(text, linked_page(tree, links))
        return Verdict(self._detector.separate(tree, others), exact=True)

    def _remember(self, text: WholeText, page: LinkedPage | None) -> None:
        """Remember a page with its text, unless it is too large; a text leaves with its page."""
        if page is None:
            return
        left = self._pages.add(page)
        if left is not None:
            self._texts.drop(left)
        self._texts.remember(text)


def detection(options: MemoryOptions, template_of: Callable[[int], int]) -> Detection:
    """Return the detection that the options name."""
    detector = DETECTORS[options.detector]
    if isinstance(detector, Vote):
        return DetectionBySample(detector, options, template_of)
    if isinstance(detector, EqualMapping):
        return DetectionBySubdigraph(detector, options)
    return DetectionBySibling(detector, options, template_of)
