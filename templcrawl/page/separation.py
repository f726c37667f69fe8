"""The separation of a page into template and content: the one answer that every detector gives.

A separation says for each token of the page whether it is content; it is made once, and never changed.  Text
and HTML of either side are worked out when they are asked for (see :mod:`templcrawl.page.render`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from templcrawl.page.hints import ARTICLE, TITLE
from templcrawl.page.markdown import Markdown, Section, markdown_of
from templcrawl.page.page import Page
from templcrawl.page.render import html_of, text_of
from templcrawl.page.spans import Spans, rest_of
from templcrawl.page.tags import TEXT, UNREAD

_CONTENT, _TEMPLATE = 1, 0
_RUNNING_WORDS = 10


class Separation:
    """A page told apart into template and content.

    page           the page
    content_spans  half-open spans of its tokens that are content, in order and disjoint
    exact          False if the comparison was cut short: some template may be kept as content
    run_shares     text run of the page -> share of earlier pages that have it; None where nobody asked
    voters         how many earlier pages that is; 0 where nothing is known of others
    """

    def __init__(
        self,
        page: Page,
        content_spans: Sequence[tuple[int, int]],
        *,
        exact: bool = True,
        run_shares: npt.NDArray[np.float64] | None = None,
        voters: int = 0,
    ) -> None:
        self.page = page
        self.content_spans = tuple(content_spans)
        self.exact = exact
        self.run_shares = run_shares
        self.voters = voters

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
    def template_spans(self) -> Spans:
        """Half-open spans of the tokens that are template."""
        return rest_of(self.page.tokens, self.content_spans)

    @cached_property
    def text_lengths(self) -> tuple[int, int]:
        """Characters of visible text: (in the content, on the whole page)."""
        tokens, elements = self.page.tokens, self.page.elements
        seen = elements.visible_array[elements.owner_array]
        is_text = ((tokens.kind_array == TEXT) & seen) | (tokens.kind_array == UNREAD)
        lengths = tokens.lengths[is_text]
        kept = np.frombuffer(self.content_mask, dtype=bool)[is_text]
        return int(lengths[kept].sum()), int(lengths.sum())

    @cached_property
    def running_words(self) -> tuple[int, int]:
        """Words of running text: (in the content, on the whole page).

        That is what stands in runs of ten words or more, outside links, furniture and what is named so.
        """
        runs = self.page.text_runs
        is_running = (runs.hints & ~np.uint8(ARTICLE | TITLE) == 0) & (runs.words >= _RUNNING_WORDS)
        kept = np.frombuffer(self.content_mask, dtype=bool)[runs.positions[is_running]]
        words = runs.words[is_running]
        return int(words[kept].sum()), int(words.sum())

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
        """The HTML of the content, well nested; tags are as the page wrote them, not sanitised."""
        return html_of(self.page, self.content_mask, _CONTENT)

    @cached_property
    def template_html(self) -> str:
        """The HTML of the template, well nested; tags are as the page wrote them, not sanitised."""
        return html_of(self.page, self.content_mask, _TEMPLATE)

    @cached_property
    def _markdown(self) -> Markdown:
        return markdown_of(self.content_html, self.page.base_url)

    @property
    def content_markdown(self) -> str:
        """The content as Markdown, links absolute; raises MissingExtra without the library that writes it."""
        return self._markdown.text

    @property
    def content_headings(self) -> list[Section]:
        """The sections of that Markdown: the headings that each stands under, and where it is."""
        return self._markdown.sections
