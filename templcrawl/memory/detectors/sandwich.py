"""``sandwich`` and ``sandwich-lines``: a page is compared with one sibling page; what that lacks is content.

How two pages are compared: :mod:`templcrawl.algorithms.detectors.sandwich`.  Which page is the
sibling: :mod:`templcrawl.memory.detectors.siblings`.  A page without one is all content.

A page that nearly repeats another, template and all, is not compared with that one, nor remembered
(:mod:`templcrawl.memory.known_contents`).
"""

from __future__ import annotations

from array import array
from typing import ClassVar, NamedTuple

from templcrawl.algorithms.detectors.sandwich import LINES, TOKENS, PageView
from templcrawl.memory.detectors.detector import DetectorOptions, OnlineDetector, TemplateOf
from templcrawl.memory.detectors.siblings import SiblingPage, SiblingPages
from templcrawl.memory.known_contents import WholeText, WholeTexts
from templcrawl.memory.leaves import check_leaf
from templcrawl.memory.snapshots import Column, Nested
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from templcrawl.page.spans import whole


class PairedPage(NamedTuple):
    """A page, and its sibling.

    leaf     the leaf of its page type
    view     what it is compared by
    text     its whole text, and which page it repeats
    sibling  the page that it is compared with, None without one
    """

    page: Page
    leaf: int
    view: array[int]
    text: WholeText
    sibling: SiblingPage | None


class Sandwich(OnlineDetector[PairedPage]):
    """The sandwich over the token stream, with a sibling of any directory."""

    view: ClassVar[PageView] = TOKENS

    def __init__(self, options: DetectorOptions, template_of: TemplateOf) -> None:
        self._template_of = template_of
        self._siblings = SiblingPages(limit=options.max_siblings)
        self._texts = WholeTexts(limit=options.max_siblings)

    def ask(self, page: Page, leaf: int) -> PairedPage:
        """Choose the sibling of a page."""
        text = self._texts.read(page.key, page)
        template = self._template_of(leaf)
        sibling = self._siblings.choose(
            page.directory,
            lambda other: self._template_of(other) == template,
            any_directory=self.view.any_directory,
            avoid=(page.key, text.repeats),
        )
        return PairedPage(page, leaf, self.view.keys(page), text, sibling)

    def judge(self, known: PairedPage) -> Separation:
        """Compare a page with its sibling."""
        page, sibling = known.page, known.sibling
        if sibling is None:
            return Separation(page, whole(page.tokens))
        filling = self.view.filling(page, known.view, sibling.view)
        return Separation(page, filling.spans, exact=filling.exact)

    def remember(self, known: PairedPage) -> None:
        """Remember a page as a sibling of later ones."""
        self._texts.remember(known.text)
        if known.text.repeats is None:
            page = known.page
            self._siblings.add(SiblingPage(page.key, page.directory, known.leaf, known.view))

    def check(self) -> None:
        """Raise BrokenInvariant if what is remembered is inconsistent or over its limit."""
        super().check()
        for leaf in self._siblings.leaves():
            check_leaf(type(self).__name__, leaf, self._template_of)

    def columns(self) -> list[Column]:
        """Return the siblings and their texts."""
        return [Nested("siblings", self._siblings), Nested("texts", self._texts)]


class LineSandwich(Sandwich):
    """The sandwich over lines, exactly as printed, with a sibling of the same directory."""

    view = LINES
