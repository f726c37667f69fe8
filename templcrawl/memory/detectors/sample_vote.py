"""``vote``: the text runs of a page are template where the pages of a sample of its site have them.

:mod:`templcrawl.algorithms.extraction.vote` turns the shares of runs into content and template.  The pages
that vote are those of :mod:`templcrawl.memory.detectors.page_sample`.  Their vote on the menus of sections
counts for more than their share (:mod:`templcrawl.algorithms.extraction.shares`).

Pages built like a page (:mod:`templcrawl.memory.detectors.stored_pages`) vote beside them where what a page
type repeats is template, too (:mod:`templcrawl.algorithms.extraction.type_furniture`).  An *outsider*, a page
of a section that has next to nothing in common with the rest of its site, is compared with the outsiders
built like it.

Cost and memory: those of the stored pages.
"""

from __future__ import annotations

from typing import NamedTuple

from templcrawl.algorithms.extraction.shares import MIN_PAGES, lower_to_row_shares, outsider_shares
from templcrawl.algorithms.extraction.type_furniture import TypeVotes, remove_type_furniture
from templcrawl.algorithms.extraction.vote import vote_spans
from templcrawl.algorithms.similarity.near_duplicates import Content, content_of
from templcrawl.memory.detectors.detector import PAGE_TYPE, DetectorOptions, OnlineDetector
from templcrawl.memory.detectors.stored_pages import StoredPages
from templcrawl.memory.detectors.verdict import Verdict, verdict_on
from templcrawl.memory.leaf_distances import LeafDistances
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation


class QueriedPage(NamedTuple):
    """A page, and the votes on it.

    place    where it stands among the leaves of its site
    verdict  what the sample makes of it; of an outsider, with the votes of its like
    near     the votes of all pages built like it; None where what types repeat stays
    """

    page: Page
    place: LeafDistances
    verdict: Verdict
    near: TypeVotes | None


class Vote(OnlineDetector[QueriedPage]):
    """The vote by a sample of a site's pages."""

    sections = ("_pages",)

    def __init__(self, options: DetectorOptions) -> None:
        self._pages = StoredPages(size=options.sample_pages, salt=options.sample_salt or 0)
        self._strips_types = options.strip == PAGE_TYPE

    def query(self, page: Page, place: LeafDistances) -> QueriedPage:
        """Ask the pages that vote, but for this page itself, which of its text runs they have."""
        verdict, near = verdict_on(page, self._pages.sample), None
        if verdict.is_outsider:
            verdict = self._judge_outsider(page, place, verdict)
        if self._strips_types:
            near = self._pages.near(verdict.sampled, place, page.text_runs.hidden_in_sight, outsiders=False)
        return QueriedPage(page, place, verdict, near)

    def _judge_outsider(self, page: Page, place: LeafDistances, verdict: Verdict) -> Verdict:
        runs = page.text_runs
        like = self._pages.near(verdict.sampled, place, runs.hidden_in_sight, outsiders=True)
        if len(like.voters) < MIN_PAGES:
            return verdict
        own = like.shares
        own = lower_to_row_shares(runs, page.rows, own[: len(runs)], own[len(runs) :])
        shares = outsider_shares(verdict.shares, own, len(like.voters))
        spans = vote_spans(page, shares, verdict.pages)
        return verdict._replace(shares=shares, spans=spans, measures=None, content=None)

    def separate(self, evidence: QueriedPage) -> Separation:
        """Take for content what stands in elements of content."""
        page, _, verdict, _ = evidence
        return Separation(
            page, verdict.spans, run_shares=verdict.shares, voters=verdict.pages, measures=verdict.measures
        )

    def stripped(self, separation: Separation, evidence: QueriedPage) -> Separation:
        """Return a separation without what the page's type repeats, if that is to go."""
        near = evidence.near
        return separation if near is None else remove_type_furniture(separation, near, len(near.voters))

    def content(self, evidence: QueriedPage, separation: Separation) -> Content:
        """Return the content of what ``separate`` has returned."""
        return evidence.verdict.content or content_of(separation)

    def learn(self, evidence: QueriedPage) -> None:
        """Store a page, which votes from now on."""
        verdict = evidence.verdict
        self._pages.insert(verdict.sampled, evidence.place.leaf, is_outsider=verdict.is_outsider)
