"""The separation of a page into template and content: the one answer that every detector gives.

A separation says for each token of the page whether it is content.  Text, HTML and links of either
side are worked out when they are asked for (see :mod:`templcrawl.page.render`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from templcrawl.page.links import Link
from templcrawl.page.page import Page
from templcrawl.page.render import html_of, text_of
from templcrawl.page.tags import TEXT, UNREAD

_CONTENT, _TEMPLATE = 1, 0


class TemplateLink(NamedTuple):
    """A link that sits in a template pagelet.

    link   the link
    pages  how many pages of the site carry its pagelet, as far as was known
    """

    link: Link
    pages: int


class Separation:
    """A page told apart into template and content.

    page            the page
    content_spans   half-open spans of its tokens that are content, in order and disjoint
    exact           False if the comparison was cut short: some template may be kept as content
    leaf_shares     leaf of the page -> share of earlier pages that have it; None where nobody asked
    pages_known     how many pages of the site were known when it was judged
    template_id     the template that the page was built from, as known then; "" when not asked
    leaf_id         the tight group of pages of its template that it belongs to, for ever; "" when not asked
    cluster_id      the template cluster of its fingerprint, over all sites; "" when not asked
    link_pages      link of the page -> pages that carry its pagelet; 0 outside template pagelets
    page_type       name of its page type among those that examples were given of, None if it is of none
    relevance       how relevant it is to the topic of a focused crawl, in [0, 1]; None without a topic
    near_duplicate  URL key of an earlier page that says nearly the same, or None
    """

    def __init__(
        self,
        page: Page,
        content_spans: Sequence[tuple[int, int]],
        *,
        exact: bool = True,
        leaf_shares: npt.NDArray[np.float64] | None = None,
        pages_known: int = 0,
        template_id: str = "",
        leaf_id: str = "",
        cluster_id: str = "",
        link_pages: Sequence[int] = (),
        near_duplicate: int | None = None,
    ) -> None:
        self.page = page
        self.content_spans = tuple(content_spans)
        self.exact = exact
        self.leaf_shares = leaf_shares
        self.pages_known = pages_known
        self.template_id = template_id
        self.leaf_id = leaf_id
        self.cluster_id = cluster_id
        self.link_pages = link_pages
        self.near_duplicate = near_duplicate
        self.page_type: str | None = None
        self.relevance: float | None = None

    def __repr__(self) -> str:
        kept, whole = self.text_lengths
        return f"<Separation of {self.page.url}: {kept} of {whole} characters of text are content>"

    @property
    def truncated(self) -> tuple[str, ...]:
        """Names of the limits that the page hit; ``max_cells`` if its comparison was cut short."""
        return self.page.truncated if self.exact else (*self.page.truncated, "max_cells")

    @cached_property
    def content_mask(self) -> bytes:
        """Token -> 1 if it is content, else 0."""
        mask = bytearray(len(self.page.tokens))
        for start, stop in self.content_spans:
            mask[start:stop] = b"\1" * (stop - start)
        return bytes(mask)

    @cached_property
    def template_spans(self) -> tuple[tuple[int, int], ...]:
        """Half-open spans of the tokens that are template."""
        edges = [0, *(edge for span in self.content_spans for edge in span), len(self.page.tokens)]
        pairs = zip(edges[::2], edges[1::2])
        return tuple((start, stop) for start, stop in pairs if start < stop)

    @cached_property
    def text_lengths(self) -> tuple[int, int]:
        """Characters of visible text: (in the content, on the whole page)."""
        tokens, elements = self.page.tokens, self.page.elements
        seen = elements.visible_array[elements.owner_array]
        runs = ((tokens.kind_array == TEXT) & seen) | (tokens.kind_array == UNREAD)
        lengths = tokens.lengths[runs]
        kept = np.frombuffer(self.content_mask, dtype=bool)[runs]
        return int(lengths[kept].sum()), int(lengths.sum())

    @cached_property
    def content_text(self) -> str:
        """The visible text of the content, a line for each line that a reader sees."""
        return text_of(self.page, self.content_mask, _CONTENT)

    @cached_property
    def template_text(self) -> str:
        """The visible text of the template."""
        return text_of(self.page, self.content_mask, _TEMPLATE)

    @cached_property
    def content_html(self) -> str:
        """The HTML of the content, well nested."""
        return html_of(self.page, self.content_mask, _CONTENT)

    @cached_property
    def template_html(self) -> str:
        """The HTML of the template, well nested."""
        return html_of(self.page, self.content_mask, _TEMPLATE)

    @cached_property
    def template_links(self) -> tuple[TemplateLink, ...]:
        """The links that sit in template pagelets."""
        return tuple(
            TemplateLink(self.page.links[number], pages)
            for number, pages in enumerate(self.link_pages)
            if pages
        )
