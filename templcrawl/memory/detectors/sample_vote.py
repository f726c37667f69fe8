"""``vote``: text runs of a page that the pages of a sample of its site have are template.

:mod:`templcrawl.algorithms.extraction.vote` turns the shares of runs into content and template.  The pages
that vote are those of :mod:`templcrawl.memory.detectors.page_sample`.  Their vote on the menus of sections
counts for more than their share (:mod:`templcrawl.algorithms.extraction.shares`).  Their result for a page is
its *verdict*.  Nearly every page needs one, so the kernel computes it in one call.

Pages built like a page (:mod:`templcrawl.memory.detectors.stored_pages`) vote beside them where what a page
type repeats is template, too (:mod:`templcrawl.algorithms.extraction.type_furniture`).  An *outsider*, a page
of a section that has next to nothing in common with the rest of its site, is compared with the outsiders
built like it.

Cost and memory: those of the stored pages, the vote, and the content
(:mod:`templcrawl.algorithms.similarity.near_duplicates`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from templcrawl.algorithms.extraction.shares import (
    MIN_PAGES,
    is_outsider,
    lower_to_row_shares,
    outsider_shares,
    raise_section_menus,
)
from templcrawl.algorithms.extraction.type_furniture import (
    MIN_OF_TYPE,
    RULES,
    Left,
    left_of,
    read_left,
    reduced,
    shares_of,
)
from templcrawl.algorithms.extraction.vote import encode_vote, read_spans, vote_spans
from templcrawl.algorithms.similarity.near_duplicates import Content, content_of, read_content
from templcrawl.memory.detectors import PAGE_TYPE, DetectorOptions, OnlineDetector
from templcrawl.memory.detectors.page_sample import PageSample, SampledPage
from templcrawl.memory.detectors.stored_pages import StoredPages
from templcrawl.memory.leaves import LeafDistances
from templcrawl.page.arrays import Bytes, Floats, Indices, Keys
from templcrawl.page.kernel_columns import Task
from templcrawl.page.kernel_tables import LENGTH, sections
from templcrawl.page.page import Page, native
from templcrawl.page.separation import MEASURED, Measures, Separation, Spans, read_measures

# What the kernel takes of a vote, before the pages that vote.
_VOTE = encode_vote() + sections(MEASURED, RULES)
_COLUMNS = (
    *("figures", "keys", "shares", "edges", "mask", "minima", "bands"),
    *("left_figures", "left_edges", "left_mask", "left_shares"),
)


class Verdict(NamedTuple):
    """The verdict of a sample on a page.

    sampled      the page as the sample sees it
    shares       run -> share of the pages that have it, corrected by rows and menus of sections
    pages        how many pages vote
    is_outsider  whether it has next to nothing in common with the sample
    spans        half-open spans of its tokens that are content by these votes
    measures     of this separation
    content      its content, as it is compared with others
    left         what is left of it without what pages of its type repeat; None if all is, or none were asked
    """

    sampled: SampledPage
    shares: Floats
    pages: int
    is_outsider: bool
    spans: Spans
    measures: Measures
    content: Content
    left: Left | None


def encode_query(
    page: Page,
    sample: PageSample,
    like: Sequence[Keys] = (),
    without: int = 0,
    near: Sequence[Keys] = (),
) -> tuple[bytes, bytes]:
    """Encode the sample and the rules, as the kernel takes them for a verdict."""
    head, table = sample.written(without)
    of_type, of_like = (sections(*(keys.tobytes() for keys in pages)) for pages in (near, like))
    return b"".join((_VOTE, LENGTH(len(of_type)), of_type, head, of_like)), table


def _answered(
    figures: Keys,
    keys: Keys,
    shares: Floats,
    edges: Indices,
    mask: Bytes,
    minima: Keys,
    bands: Keys,
    *left: Any,
) -> Verdict:
    page, pages, outside, *measured = figures[:8].tolist()
    return Verdict(
        SampledPage(page, keys),
        shares,
        pages,
        bool(outside),
        read_spans(edges),
        read_measures(mask, measured),
        read_content(figures[8:], minima, bands),
        read_left(*left),
    )


@native(Task.VERDICT, columns=_COLUMNS, ask=encode_query, answer=_answered)
def verdict_on(
    page: Page,
    sample: PageSample,
    like: Sequence[Keys] = (),
    without: int = 0,
    near: Sequence[Keys] = (),
) -> Verdict:
    """Return the verdict of a sample on a page; the page itself does not vote.

    like     of an outsider the outsiders that are built like it, as keys of their runs and rows
    without  hash of another one that does not vote: what was there when the page was read before
    near     pages of its type, which tell what of its content they repeat; none, or enough
    """
    runs, rows = page.text_runs, page.rows
    whole = np.concatenate((runs.keys, rows.keys))
    sampled, hidden = sample.read(whole), runs.hidden.nonzero()[0]
    votes = sample.shares(sampled, whole, hidden, runs.hidden_in_sight, without=without)
    all_shares, pages, masks, slots = votes
    run_shares, row_shares = all_shares[: len(runs)], all_shares[len(runs) :]
    shares = raise_section_menus(runs, run_shares, masks[: len(runs)])
    shares = lower_to_row_shares(runs, rows, shares, row_shares)
    if like:
        own = shares_of(page, like)
        own = lower_to_row_shares(runs, rows, own[: len(runs)], own[len(runs) :])
        shares = outsider_shares(shares, own, len(like))
    spans = vote_spans(page, shares, pages)
    separation = Separation(page, spans, run_shares=shares, voters=pages)
    measures = Measures(
        separation.content_mask,
        separation.running_words,
        separation.lost_words,
        separation.text_lengths,
    )
    outside = is_outsider(run_shares, pages, lambda: sample.frame(sampled, slots))
    left = left_of(page, measures.content_mask, shares, pages, near, len(near)) if near else None
    return Verdict(sampled, shares, pages, outside, spans, measures, content_of(separation), left)


class QueriedPage(NamedTuple):
    """A page, and the votes on it.

    place    where it stands among the leaves of its site
    verdict  what the sample makes of it; of an outsider, with the votes of its like
    """

    page: Page
    place: LeafDistances
    verdict: Verdict


class Vote(OnlineDetector[QueriedPage]):
    """The vote by a sample of a site's pages."""

    sections = ("_pages",)

    def __init__(self, options: DetectorOptions) -> None:
        salt, began = options.sample_salt or 0, options.job_began
        self._pages = StoredPages(size=options.sample_pages, salt=salt, began=began)
        self._strips_types = options.strip == PAGE_TYPE

    def query(self, page: Page, place: LeafDistances) -> QueriedPage:
        """Ask the pages that vote, but for this page itself, which of its text runs they have."""
        pages, before = self._pages, self._pages.version(page.key)
        near, like = self._of_type(place, before), list[Keys]()
        verdict = verdict_on(page, pages.sample, like, before, near)
        own = verdict.sampled.hash
        if own in pages and own != before:  # of another address: it does not vote, either
            near = self._of_type(place, before, own)
            verdict = verdict_on(page, pages.sample, like, before, near)
        if verdict.is_outsider:
            like = pages.near(place, before, own, outsiders=True)
            if len(like) >= MIN_PAGES:
                verdict = verdict_on(page, pages.sample, like, before, near)
        return QueriedPage(page, place, verdict)

    def _of_type(self, place: LeafDistances, *but: int) -> Sequence[Keys]:
        """Return the pages built like a page that tell what its type repeats; none if they are too few."""
        near = self._pages.near(place, *but, outsiders=False) if self._strips_types else ()
        return near if len(near) >= MIN_OF_TYPE else ()

    def separate(self, evidence: QueriedPage) -> Separation:
        """Separate a page: what stands in elements of content is content."""
        page, _, verdict = evidence
        return Separation(
            page, verdict.spans, run_shares=verdict.shares, voters=verdict.pages, measures=verdict.measures
        )

    def stripped(self, separation: Separation, evidence: QueriedPage) -> Separation:
        """Return a separation without what the page's type repeats, if the options ask for that."""
        return reduced(separation, evidence.verdict.left)

    def content(self, evidence: QueriedPage, separation: Separation) -> Content:
        """Return the content of what ``separate`` has returned."""
        return evidence.verdict.content

    def learn(self, evidence: QueriedPage, at: int = 0) -> None:
        """Store a page, which votes from now on."""
        verdict, leaf, address = evidence.verdict, evidence.place.leaf, evidence.page.key
        self._pages.insert(verdict.sampled, leaf, address, is_outsider=verdict.is_outsider, at=at)

    def learns_again(self, page: Page) -> bool:
        """Return whether a page that was read before votes as an earlier crawl has read it, or does not."""
        return self._pages.takes_again(page.key)

    def asks_for(self, address: int) -> bool:
        """Return whether a page is of the sample, as an earlier crawl has read it."""
        return self._pages.is_stale(address) and self._pages.version(address) in self._pages.sample
