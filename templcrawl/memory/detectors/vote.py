"""``vote``: the text runs of a page are template where the pages of a sample of its site have them.

How the shares of runs become content and template: :mod:`templcrawl.algorithms.detectors.vote`.  Which pages
vote: :mod:`templcrawl.memory.detectors.page_sample`, and for outsiders those of their own kind too
(:mod:`templcrawl.algorithms.detectors.shares`); what they say of the menus of sections counts for more
than their share (:mod:`templcrawl.algorithms.detectors.shares`).
Cost and memory: those of the sample and of the outsiders.
"""

from __future__ import annotations

from typing import NamedTuple

from templcrawl.algorithms.detectors.shares import is_outsider, with_own_kind, with_section_menus
from templcrawl.algorithms.detectors.vote import vote_spans
from templcrawl.memory.detectors.detector import DetectorOptions, OnlineDetector, TemplateOf
from templcrawl.memory.detectors.outsiders import Outsiders
from templcrawl.memory.detectors.page_sample import PageSample, SampledPage, Shares
from templcrawl.memory.snapshots import Column, Nested
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation


class AskedPage(NamedTuple):
    """A page, and what the pages that vote say of it.

    sampled     the page as the sample sees it
    leaf        the leaf of its page type
    shares      what the voters say of its text runs
    is_outsider whether it has next to nothing in common with its site
    """

    page: Page
    sampled: SampledPage
    leaf: int
    shares: Shares
    is_outsider: bool


class Vote(OnlineDetector[AskedPage]):
    """The vote by a sample of a site's pages."""

    def __init__(self, options: DetectorOptions, template_of: TemplateOf) -> None:
        size = options.sample_pages
        self._sample = PageSample(size=size, salt=options.sample_salt or 0)
        self._outsiders = Outsiders(size=size, template_of=template_of)

    @property
    def nbytes(self) -> int:
        """Bytes that the pages take, about."""
        return self._sample.nbytes + self._outsiders.nbytes

    def ask(self, page: Page, leaf: int) -> AskedPage:
        """Ask the pages that vote, but for this page itself, which of its text runs they have."""
        sampled = self._sample.read(page.text_runs.keys)
        shares, pages, masks = self._sample.shares(sampled)
        outside = is_outsider(shares, pages)
        if outside:
            shares = with_own_kind(shares, *self._outsiders.shares(sampled, leaf))
        shares = with_section_menus(page.text_runs, shares, masks)
        return AskedPage(page, sampled, leaf, Shares(shares, pages), outside)

    def judge(self, known: AskedPage) -> Separation:
        """Take for content what stands in elements of content."""
        shares, pages = known.shares
        return Separation(known.page, vote_spans(known.page, shares, pages), run_shares=shares, voters=pages)

    def remember(self, known: AskedPage) -> None:
        """Offer a page to the sample, and an outsider to its own kind."""
        self._sample.offer(known.sampled)
        if known.is_outsider:
            self._outsiders.add(known.sampled, known.leaf)

    def hear(self, others: OnlineDetector[AskedPage]) -> None:
        """Take in the sample of another worker; outsiders stay with the worker that has met them."""
        if isinstance(others, Vote):
            self._sample.merge(others._sample)

    def draw_again(self, salt: int) -> None:
        """Draw the sample by another salt."""
        self._sample.draw_again(salt)

    def columns(self) -> list[Column]:
        """Return the sample and the outsiders."""
        return [Nested("sample", self._sample), Nested("outsiders", self._outsiders)]
