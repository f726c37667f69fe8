"""``vote``: the text runs of a page are template where the pages of a sample of its site have them.

:mod:`templcrawl.algorithms.extraction.vote` turns the shares of runs into content and template.  The pages
that vote are those of :mod:`templcrawl.memory.detectors.page_sample`, and for outsiders those of their own
kind too.  Their vote on the menus of sections counts for more than their share
(:mod:`templcrawl.algorithms.extraction.shares`).  Cost and memory: those of the sample and of the outsiders.

*The outsiders of a site* are pages of sections that have next to nothing in common with the rest of it.  They
are stored by their leaves (:mod:`templcrawl.memory.detectors.type_pages`): 64 at most, and most sites have
none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from templcrawl.algorithms.extraction.shares import with_own_kind
from templcrawl.algorithms.extraction.vote import vote_spans
from templcrawl.algorithms.similarity.near_duplicates import Content, content_of
from templcrawl.memory.detectors.detector import DetectorOptions, OnlineDetector
from templcrawl.memory.detectors.page_sample import PageSample, Shares
from templcrawl.memory.detectors.type_pages import TypePages
from templcrawl.memory.detectors.verdict import Verdict, verdict_on
from templcrawl.memory.leaves import Place
from templcrawl.memory.snapshot_parts import Nested, Part
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation

_MOST_OUTSIDERS = 64


class QueriedPage(NamedTuple):
    """A page, and the votes on it.

    place    where it stands among the leaves of its site
    verdict  what the sample makes of it
    shares   the votes on its text runs, those of its own kind too
    """

    page: Page
    place: Place
    verdict: Verdict
    shares: Shares


class Vote(OnlineDetector[QueriedPage]):
    """The vote by a sample of a site's pages."""

    evidence = "a vote of the site's pages"

    def __init__(self, options: DetectorOptions) -> None:
        size = options.sample_pages
        self._sample = PageSample(size=size, salt=options.sample_salt or 0)
        self._outsiders = TypePages(size=size, limit=_MOST_OUTSIDERS)

    @property
    def nbytes(self) -> int:
        """Bytes that the pages take, about."""
        return self._sample.nbytes + self._outsiders.nbytes

    def query(self, page: Page, place: Place) -> QueriedPage:
        """Ask the pages that vote, but for this page itself, which of its text runs they have."""
        verdict = verdict_on(page, self._sample)
        shares, pages = verdict.shares
        if verdict.is_outsider:
            shares = with_own_kind(shares, *self._outsiders.shares(verdict.sampled, place))
        return QueriedPage(page, place, verdict, Shares(shares, pages))

    def classify(self, evidence: QueriedPage) -> Separation:
        """Take for content what stands in elements of content."""
        page, _, verdict, (shares, pages) = evidence
        if shares is verdict.shares.shares:
            spans, measures = verdict.spans, verdict.measures
        else:
            spans, measures = vote_spans(page, shares, pages), None
        return Separation(page, spans, run_shares=shares, voters=pages, measures=measures)

    def content(self, evidence: QueriedPage, separation: Separation) -> Content:
        """Return the content that was compared with the votes, if they are those of the sample alone."""
        verdict = evidence.verdict
        return verdict.content if separation.content_spans == verdict.spans else content_of(separation)

    def update(self, evidence: QueriedPage) -> None:
        """Offer a page to the sample, and an outsider to its own kind."""
        _, place, verdict, _ = evidence
        self._sample.offer(verdict.sampled)
        if verdict.is_outsider:
            self._outsiders.insert(verdict.sampled, place.leaf)

    def leaves(self) -> list[int]:
        """Return the leaf of each outsider."""
        return self._outsiders.leaves()

    def merge(self, detectors: Sequence[Vote]) -> None:
        """Draw one sample of those of several workers; outsiders stay with the worker that has met them."""
        self._sample.merge([detector._sample for detector in detectors])

    def set_remote(self, remote: Vote) -> None:
        """Draw one sample of this worker's and that of the others."""
        self._sample.merge([remote._sample])

    def resample(self, salt: int) -> None:
        """Draw the sample by another salt."""
        self._sample.resample(salt)

    def parts(self) -> Sequence[Part]:
        """Return the sample and the outsiders."""
        return [Nested("sample", self._sample), Nested("outsiders", self._outsiders)]
