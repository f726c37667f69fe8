"""``vote``: the text runs of a page are template where the pages of a sample of its site have them.

:mod:`templcrawl.algorithms.detectors.vote` turns the shares of runs into content and template.  The pages
that vote are those of :mod:`templcrawl.memory.detectors.page_sample`, and for outsiders those of their own
kind too.  Their vote on the menus of sections counts for more than their share
(:mod:`templcrawl.algorithms.detectors.shares`).  Cost and memory: those of the sample and of the outsiders.

*The outsiders of a site* are pages of sections that have next to nothing in common with the rest of it.  The
keys of the text runs of a page are stored, and the leaf of its page type.  The pages of a template are looked
up each time.  Those of a template that vote have the smallest hashes, as in the sample of the site
(:mod:`templcrawl.memory.detectors.page_sample`).  When there are too many pages, the template that has most
of them loses the page with the largest hash.

Most sites have none.  P <= 64 pages, n text runs a page.  Cost: O(P) to find those of a template, O(n log n)
for each of at most 16.  Memory: at most 8 bytes for each run of P pages, some 200 KB.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from templcrawl.algorithms.detectors.shares import is_outsider, with_own_kind, with_section_menus
from templcrawl.algorithms.detectors.vote import vote_spans
from templcrawl.errors import BrokenInvariant, InvalidSnapshot
from templcrawl.memory.columns import Column, Columns, Nested, Section
from templcrawl.memory.detectors.detector import DetectorOptions, OnlineDetector, TemplateOf
from templcrawl.memory.detectors.page_sample import MAX_RUNS, PageSample, SampledPage, Shares
from templcrawl.memory.kinds import COUNT, KEY, SORTED_KEYS, records
from templcrawl.memory.leaves import check_leaf
from templcrawl.page.ancestors import Keys
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation


class QueriedPage(NamedTuple):
    """A page, and the votes on it.

    sampled     the page as the sample sees it
    leaf        the leaf of its page type
    shares      the votes on its text runs
    is_outsider whether it has next to nothing in common with its site
    """

    page: Page
    sampled: SampledPage
    leaf: int
    shares: Shares
    is_outsider: bool


class Vote(OnlineDetector[QueriedPage]):
    """The vote by a sample of a site's pages."""

    evidence = "a vote of the site's pages"

    def __init__(self, options: DetectorOptions, template_of: TemplateOf) -> None:
        size = options.sample_pages
        self._sample = PageSample(size=size, salt=options.sample_salt or 0)
        self._outsiders = Outsiders(size=size, template_of=template_of)

    @property
    def nbytes(self) -> int:
        """Bytes that the pages take, about."""
        return self._sample.nbytes + self._outsiders.nbytes

    def query(self, page: Page, leaf: int) -> QueriedPage:
        """Ask the pages that vote, but for this page itself, which of its text runs they have."""
        sampled = self._sample.read(page.text_runs.keys)
        shares, pages, masks = self._sample.shares(sampled)
        outside = is_outsider(shares, pages)
        if outside:
            shares = with_own_kind(shares, *self._outsiders.shares(sampled, leaf))
        shares = with_section_menus(page.text_runs, shares, masks)
        return QueriedPage(page, sampled, leaf, Shares(shares, pages), outside)

    def classify(self, evidence: QueriedPage) -> Separation:
        """Take for content what stands in elements of content."""
        shares, pages = evidence.shares
        return Separation(
            evidence.page, vote_spans(evidence.page, shares, pages), run_shares=shares, voters=pages
        )

    def update(self, evidence: QueriedPage) -> None:
        """Offer a page to the sample, and an outsider to its own kind."""
        self._sample.offer(evidence.sampled)
        if evidence.is_outsider:
            self._outsiders.insert(evidence.sampled, evidence.leaf)

    def merge(self, detectors: Sequence[Vote]) -> None:
        """Draw one sample of those of several workers; outsiders stay with the worker that has met them."""
        self._sample.merge([detector._sample for detector in detectors])

    def set_remote(self, remote: Vote) -> None:
        """Draw one sample of this worker's and that of the others."""
        self._sample.merge([remote._sample])

    def resample(self, salt: int) -> None:
        """Draw the sample by another salt."""
        self._sample.resample(salt)

    def columns(self) -> Sequence[Column]:
        """Return the sample and the outsiders."""
        return [Nested("sample", self._sample), Nested("outsiders", self._outsiders)]


LIMIT = 64


class _Outsider(NamedTuple):
    """What is stored of a page: the leaf of its page type, and the keys of its runs, sorted."""

    leaf: int
    keys: Keys


class Outsiders(Section):
    """At most ``LIMIT`` pages, by their hash.

    size         pages of a template that vote at most
    template_of  leaf -> the template that it belongs to by now
    """

    def __init__(self, *, size: int, template_of: Callable[[int], int]) -> None:
        self._size = size
        self._template_of = template_of
        self._pages: dict[int, _Outsider] = {}

    def __len__(self) -> int:
        return len(self._pages)

    @property
    def nbytes(self) -> int:
        """Bytes that their keys take."""
        return sum(page.keys.nbytes for page in self._pages.values())

    def shares(self, page: SampledPage, leaf: int) -> Shares:
        """Return for each text run how many other pages of the same template have it.

        leaf  the leaf of the page's type
        """
        sampled = [other for other in self._of_template(self._template_of(leaf)) if other != page.hash]
        having = np.zeros(len(page.keys))
        for other in sampled[: self._size]:
            having += np.isin(page.keys, self._pages[other].keys, assume_unique=True)
        pages = min(len(sampled), self._size)
        return Shares((having / max(pages, 1))[page.ranks], pages)

    def insert(self, page: SampledPage, leaf: int) -> None:
        """Insert a page; beyond the limit one of the template with most pages is evicted."""
        self._pages[page.hash] = _Outsider(leaf, page.keys[:MAX_RUNS])
        if len(self._pages) > LIMIT:
            templates = [self._template_of(stored.leaf) for stored in self._pages.values()]
            largest = max(sorted(set(templates)), key=templates.count)
            del self._pages[self._of_template(largest)[-1]]

    def _of_template(self, template: int) -> list[int]:
        """Return the pages of a template, the smallest hash first."""
        return sorted(
            page for page, stored in self._pages.items() if self._template_of(stored.leaf) == template
        )

    def validate(self) -> None:
        """Raise BrokenInvariant if there are too many pages, or one of a leaf that no page type has."""
        if len(self._pages) > LIMIT:
            raise BrokenInvariant("Outsiders", f"{len(self._pages)} pages, at most {LIMIT} can be")
        for page in self._pages.values():
            if len(page.keys) > MAX_RUNS:
                raise BrokenInvariant("Outsiders", f"a page has {len(page.keys)} runs")
            check_leaf("Outsiders", page.leaf, self._template_of)

    def columns(self) -> Sequence[Column]:
        """Return the pages, in the order in which they came."""
        kind = records(hash=KEY, leaf=COUNT, leaves=SORTED_KEYS)
        return [
            Columns(
                {"pages": kind},
                lambda: [[(page, *stored) for page, stored in self._pages.items()]],
                self._set,
            )
        ]

    def _set(self, rows: list[tuple[int, int, Keys]]) -> None:
        self._pages = {page: _Outsider(leaf, keys) for page, leaf, keys in rows}
        if len(self._pages) < len(rows):
            raise InvalidSnapshot("pages", "a page comes twice")
