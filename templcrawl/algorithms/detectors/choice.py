"""The detectors: each tells template and content of a page apart, by what is known of its site.

``vote`` asks a sample of the site's pages how many of them have each leaf of the page (see
:mod:`templcrawl.algorithms.detectors.vote`).  The sandwiches compare a page with one sibling page: they
read it as a *view* (a sequence of 64-bit keys), and what the sibling's view lacks is content.  The unread
rest of a page is in no view, and is content.

- ``sandwich`` reads tokens: tags with their attributes and text runs, white space left out.
- ``sandwich-lines`` reads lines, as printed in the paper, and takes siblings of the same directory only.

``etdm`` maps a page onto up to four pages that it links to and that link to each other: what has no partner
on each of them is content (see :mod:`templcrawl.algorithms.site_template.etdm`).

Sources: Rowlands, Thomas, Wan (ADCS 2009), section 3 and its footnote; Alarte, Insa, Silva, Tamarit (2014).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from xxhash import xxh3_64_intdigest

from templcrawl.algorithms.detectors.sandwich import Filling, filling
from templcrawl.algorithms.detectors.vote import Floats, content_elements
from templcrawl.algorithms.site_template.etdm import separate_by_mapping
from templcrawl.page.lines import cut_lines, token_spans
from templcrawl.page.nodes import Nodes
from templcrawl.page.page import Page
from templcrawl.page.spans import Spans, labelled_spans, with_unread


class SiblingDetector(Protocol):
    """What every detector can do that compares a page with one sibling.

    name            as in the setting
    any_directory   whether a page of another directory may serve as the sibling
    """

    name: str
    any_directory: bool

    def view(self, page: Page) -> array[int]:
        """Return what is remembered of a page, so that later pages can be compared with it."""

    def separate(self, page: Page, view: Sequence[int], sibling: Sequence[int]) -> Filling:
        """Return the spans of the page's tokens that its sibling lacks."""


class Vote:
    """The vote of a page's leaves, by a sample of the site's pages."""

    name = "vote"

    def separate(self, page: Page, shares: Floats, pages: int) -> Spans:
        """Return the spans of the page's tokens that stand in elements of content.

        shares  leaf -> share of the sampled pages that have it
        pages   how many pages were sampled
        """
        elements = page.elements
        labels = content_elements(page.leaves, elements.parents, shares, pages)
        return labelled_spans(page.tokens, labels[elements.owner_array])


class SandwichOfTokens:
    """The sandwich over the token stream."""

    name = "sandwich"
    any_directory = True

    def view(self, page: Page) -> array[int]:
        """Return the keys of the page's tokens, white space and the unread rest left out."""
        keys = page.tokens.keys
        return array("Q", keys[keys != 0].tobytes())

    def separate(self, page: Page, view: Sequence[int], sibling: Sequence[int]) -> Filling:
        """Return the spans of tokens that the sibling's token stream lacks."""
        found = filling(view, sibling)
        places = np.flatnonzero(page.tokens.keys).tolist()
        spans = tuple((places[start], places[stop - 1] + 1) for start, stop in found.spans)
        return Filling(with_unread(page.tokens, spans), found.exact)


class SandwichOfLines:
    """The sandwich over lines, exactly as printed."""

    name = "sandwich-lines"
    any_directory = False

    def view(self, page: Page) -> array[int]:
        """Return the keys of the page's lines, blank lines left out."""
        lines, _ = cut_lines(page.tokens.read_text)
        return array("Q", [xxh3_64_intdigest(line.encode("utf-8", "surrogatepass")) for line in lines])

    def separate(self, page: Page, view: Sequence[int], sibling: Sequence[int]) -> Filling:
        """Return the spans of tokens that touch a line that the sibling lacks."""
        lines, starts = cut_lines(page.tokens.read_text)
        found = filling(view, sibling)
        spans = token_spans(page.tokens, lines, starts, found.spans)
        return Filling(with_unread(page.tokens, spans), found.exact)


class EqualMapping:
    """The equal top-down mapping onto pages of the site's menu."""

    name = "etdm"

    def separate(self, tree: Nodes, others: Iterable[Nodes]) -> Spans:
        """Return the spans of the page's tokens that have no partner on one of the other pages.

        tree    nodes of the page
        others  nodes of the pages of a complete subdigraph; without any, all of the page is content
        """
        return separate_by_mapping(tree, others)


DETECTORS: dict[str, Vote | SiblingDetector | EqualMapping] = {
    detector.name: detector for detector in (Vote(), SandwichOfTokens(), SandwichOfLines(), EqualMapping())
}
