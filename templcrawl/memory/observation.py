"""An observation of a page: its separation, its leaf, and what else the memory of its site has found.

An observation is made each time that a page is read, and never changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from templcrawl.algorithms.page_kinds.kinds import PageKind
from templcrawl.memory.change_table import Change, iso_time
from templcrawl.page.addresses import Link
from templcrawl.page.markdown import MarkdownSection
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, Spans

if TYPE_CHECKING:
    from templcrawl.algorithms.columns.values import TypeColumns


class TemplateLink(NamedTuple):
    """A link that sits in a template pagelet.

    link   the link
    pages  how many pages of the site carry its pagelet, as far as was observed
    """

    link: Link
    pages: int


class _OfSeparation:
    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, observation: Any, owner: type) -> Any:
        return self if observation is None else getattr(observation.separation, self._name)


def _same() -> Any:
    return _OfSeparation()


class SeparatedPage:
    """What has a ``separation``, and all that it tells (:class:`~templcrawl.page.separation.Separation`)."""

    page: Page = _same()
    content_spans: Spans = _same()
    template_spans: Spans = _same()
    content_mask: bytes = _same()
    run_shares: npt.NDArray[np.float64] | None = _same()
    voters: int = _same()
    exact: bool = _same()
    truncated: tuple[str, ...] = _same()
    text_lengths: tuple[int, int] = _same()
    content_text: str = _same()
    template_text: str = _same()
    content_html: str = _same()
    template_html: str = _same()
    content_markdown: str = _same()
    content_headings: list[MarkdownSection] = _same()


@dataclass(frozen=True, eq=False)
class Observation(SeparatedPage):
    """A page as it was observed; it has the spans, text and HTML of its separation, too.

    separation      the page as template and content
    pages_known     how many pages of the site had been observed before it was separated
    leaf_id         the tight group of pages of its site that it belongs to, for ever; "" without a memory
    cluster_id      the template cluster of its fingerprint, over all sites; "" likewise
    link_pages      link of the page -> pages that carry its pagelet; 0 outside template pagelets
    near_duplicate  URL key of an earlier page with nearly the same content, or None
    pay             what it pays, in words (:mod:`templcrawl.algorithms.crawl_order.link_value`); None if it
                    was seen before
    leads_on        whether it has links to its own site, and none that an earlier page has
    page_type       name of its page type among those with examples, None if it belongs to none of them
    kind            its kind: article, product, listing ...; None where kinds are not classified
    is_target       whether it is of a wanted type or kind; None where none is wanted
    relevance       how relevant it is to the topic of a focused crawl, in [0, 1]; None without a topic
    change          how it has changed since it was last read; None if changes are not tracked
    columns         the columns of its page type as known then; None if they are not learned
    """

    separation: Separation
    pages_known: int = 0
    leaf_id: str = ""
    cluster_id: str = ""
    link_pages: Sequence[int] = ()
    near_duplicate: int | None = None
    pay: int | None = None
    leads_on: bool = False
    page_type: str | None = None
    kind: PageKind | None = None
    is_target: bool | None = None
    relevance: float | None = None
    change: Change | None = None
    columns: TypeColumns | None = None

    def __repr__(self) -> str:
        return f"<Observation {self.leaf_id or 'without a leaf'}: {self.separation!r}>"

    @property
    def page_kind(self) -> str | None:
        """Name of its kind (:mod:`~templcrawl.algorithms.page_kinds.kinds`); None without classification."""
        return self.kind.name if self.kind is not None else None

    @property
    def page_kind_confidence(self) -> float | None:
        """Chance that this is its kind, 0 to 1; None likewise."""
        return round(self.kind.confidence, 4) if self.kind is not None else None

    @property
    def changed(self) -> str | None:
        """How the page has changed, in a word or two; None if that is not tracked."""
        return self.change.kind if self.change is not None else None

    @property
    def content_hash(self) -> str | None:
        """Hash of its content as it was when that last changed; None if that is not tracked."""
        return self.change.record.content_hash if self.change is not None else None

    @property
    def first_seen(self) -> str | None:
        """When the page was first seen, as ISO 8601 has it; None if that is not tracked."""
        return iso_time(self.change.record.first_seen) if self.change is not None else None

    @property
    def last_changed(self) -> str | None:
        """When its content was first read as it is now, likewise."""
        return iso_time(self.change.record.last_changed) if self.change is not None else None

    @property
    def fields(self) -> dict[str, Any] | None:
        """Its values, and the records that it lists, by the names of columns.

        A value is a text, or a list where pages have many; a record is a dict.  Empty while the page type has
        no columns; None if they are not learned.  Cost: that of reading the page, each time.
        """
        return self.columns.fields(self.page) if self.columns is not None else None

    @cached_property
    def template_links(self) -> tuple[TemplateLink, ...]:
        """The links that sit in template pagelets."""
        return tuple(
            TemplateLink(self.page.links[number], pages)
            for number, pages in enumerate(self.link_pages)
            if pages
        )
