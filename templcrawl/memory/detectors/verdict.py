"""What a sample of its site makes of a page: the votes on it, its separation, and the content compared.

All of it is asked of nearly every page, so the kernel works it out in one call.

Cost: that of the sample (:mod:`~templcrawl.memory.detectors.page_sample`), the vote
(:mod:`templcrawl.algorithms.extraction.vote`) and the content
(:mod:`templcrawl.algorithms.similarity.near_duplicates`), together.
"""

from __future__ import annotations

from typing import NamedTuple

from templcrawl.algorithms.extraction.shares import is_outsider, lower_to_row_shares, raise_section_menus
from templcrawl.algorithms.extraction.vote import encode_vote, read_spans, vote_spans
from templcrawl.algorithms.similarity.near_duplicates import Content, content_of, read_content
from templcrawl.memory.detectors.page_sample import PageSample, SampledPage
from templcrawl.page.arrays import Floats, Indices, Keys
from templcrawl.page.kernel_columns import Task
from templcrawl.page.kernel_tables import sections
from templcrawl.page.page import Page, native
from templcrawl.page.separation import MEASURED, Measures, Separation, Spans

_VOTE = encode_vote() + sections(MEASURED)  # what the kernel takes of a vote, before the rules of a sample
_COLUMNS = ("figures", "keys", "ranks", "shares", "edges", "mask", "minima", "bands")


class Verdict(NamedTuple):
    """What a sample makes of a page.

    sampled      the page as the sample sees it
    shares       run -> share of the pages that have it, corrected by rows and menus of sections
    pages        how many pages vote
    is_outsider  whether it has next to nothing in common with the sample
    spans        half-open spans of its tokens that are content by these votes
    measures     of this separation; None: they are not known yet, nor is the content
    content      its content, as it is compared with others
    """

    sampled: SampledPage
    shares: Floats
    pages: int
    is_outsider: bool
    spans: Spans
    measures: Measures | None
    content: Content | None


def encode_query(page: Page, sample: PageSample) -> tuple[bytes, bytes]:
    """Return what the kernel takes for a verdict."""
    head, table = sample.written()
    return _VOTE + head, table


def _answered(
    figures: Keys,
    keys: Keys,
    ranks: Indices,
    shares: Floats,
    edges: Indices,
    mask: Keys,
    minima: Keys,
    bands: Keys,
) -> Verdict:
    page, pages, outside, running, whole, lost = figures[:6].tolist()
    return Verdict(
        SampledPage(page, keys, ranks),
        shares,
        pages,
        bool(outside),
        read_spans(edges),
        Measures(mask.tobytes(), (running, whole), lost),
        read_content(figures[6:], minima, bands),
    )


@native(Task.VERDICT, columns=_COLUMNS, ask=encode_query, answer=_answered)
def verdict_on(page: Page, sample: PageSample) -> Verdict:
    """Return what the pages of a sample, but for this page itself, make of a page."""
    runs, rows = page.text_runs, page.rows
    sampled = sample.read(runs.keys, rows.keys)
    hidden = runs.hidden.nonzero()[0]
    of_all, pages, masks, slots = sample.shares(sampled, hidden, runs.hidden_in_sight)
    of_sample, of_rows = of_all[: len(runs)], of_all[len(runs) :]
    shares = raise_section_menus(runs, of_sample, masks[: len(runs)])
    shares = lower_to_row_shares(runs, rows, shares, of_rows)
    spans = vote_spans(page, shares, pages)
    separation = Separation(page, spans, run_shares=shares, voters=pages)
    measures = Measures(separation.content_mask, separation.running_words, separation.lost_words)
    outside = is_outsider(of_sample, pages, lambda: sample.frame(sampled, slots))
    return Verdict(sampled, shares, pages, outside, spans, measures, content_of(separation))
