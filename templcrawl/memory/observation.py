"""An observation of a page: its separation, its leaf, and what else the memory of its site has found.

An observation is made each time that a page is read, and never changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from templcrawl.memory.memory_options import SAID
from templcrawl.page.addresses import Link
from templcrawl.page.arrays import lazy
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation

if TYPE_CHECKING:
    from parsel import Selector

    from templcrawl.page.markdown import MarkdownSection


@dataclass(frozen=True, eq=False)
class Observation:
    """A page as it was observed.  It has the text, HTML and links of its separation, too.

    separation      the page as template and content
    pages_known     how many pages of the site had been observed before it was separated
    leaf_id         the tight group of pages of its site that it belongs to, for ever; "" without a memory
    cluster_id      the template cluster of its fingerprint, over all sites; "" likewise
    link_pages      link of the page -> pages that carry its pagelet; 0 outside template pagelets; none where
                    links are not evidence (``link_evidence`` of the memory)
    repeats         URL key of an earlier page with nearly the same content, or None; of a page that is read
                    again it may be None, since what its copies repeat is template by then
    pay             what it pays, in words (:mod:`templcrawl.algorithms.crawl_order.link_value`); None if it
                    was seen before, and where links are not evidence
    leads_on        whether it has links to its own site, and none that an earlier page has
    said            further attributes that were asked for -> value; a missing one is None
    """

    separation: Separation
    pages_known: int = 0
    leaf_id: str = ""
    cluster_id: str = ""
    link_pages: Sequence[int] = ()
    repeats: int | None = None
    pay: int | None = None
    leads_on: bool = False
    said: Mapping[str, Any] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        if name in SAID:
            return self.said.get(name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    def __repr__(self) -> str:
        return f"<Observation {self.leaf_id or 'without a leaf'}: {self.separation!r}>"

    @property
    def page(self) -> Page:
        """The page."""
        return self.separation.page

    @property
    def content_spans(self) -> tuple[tuple[int, int], ...]:
        """Half-open spans of its tokens that are content."""
        return self.separation.content_spans

    @property
    def template_spans(self) -> tuple[tuple[int, int], ...]:
        """Half-open spans of its tokens that are template."""
        return self.separation.template_spans

    @property
    def related_spans(self) -> tuple[tuple[int, int], ...]:
        """Half-open spans of its tokens that are related products or further articles."""
        return self.separation.related_spans

    @property
    def content_mask(self) -> bytes:
        """Token -> 1 if it is content, else 0."""
        return self.separation.content_mask

    @property
    def run_shares(self) -> npt.NDArray[np.float64] | None:
        """Text run of the page -> share of earlier pages that have it; None if the detector has no shares."""
        return self.separation.run_shares

    @property
    def voters(self) -> int:
        """How many earlier pages it was compared with; 0 where nothing is known of others."""
        return self.separation.voters

    @property
    def exact(self) -> bool:
        """False if the comparison was cut short."""
        return self.separation.exact

    @property
    def truncated(self) -> tuple[str, ...]:
        """Names of the limits that the page hit."""
        return self.separation.truncated

    @property
    def text_lengths(self) -> tuple[int, int]:
        """Characters of visible text: (in the content, on the whole page)."""
        return self.separation.text_lengths

    @property
    def content_text(self) -> str:
        """The visible text of the content."""
        return self.separation.content_text

    @property
    def template_text(self) -> str:
        """The visible text of the template."""
        return self.separation.template_text

    @property
    def content_html(self) -> str:
        """The HTML of the content, well nested; tags are as the page wrote them, not sanitised."""
        return self.separation.content_html

    @property
    def selector(self) -> Selector:
        """The content alone, to select in it by CSS and XPath: a parsel ``Selector`` of its HTML."""
        return self.separation.selector

    @property
    def content_markdown(self) -> str:
        """The content as Markdown, links absolute; raises MissingExtra."""
        return self.separation.content_markdown

    @property
    def content_headings(self) -> list[MarkdownSection]:
        """The sections of that Markdown, of at most 8,000 characters; raises MissingExtra."""
        return self.separation.content_headings

    @property
    def template_html(self) -> str:
        """The HTML of the template, well nested; tags are as the page wrote them, not sanitised."""
        return self.separation.template_html

    @lazy
    def metadata(self) -> dict[str, Any]:
        """What the page declares of its main thing, by the names of schema.org; empty without any."""
        from templcrawl.page.declared import read_declared

        declared = read_declared(self.page)
        kind = {"type": declared.kind} if declared.kind else {}
        return kind | {
            name: values[0] if len(values) == 1 else values for name, values in declared.values.items()
        }

    @property
    def near_duplicate(self) -> bool:
        """True if the content of the page is that of an earlier page of its site, or nearly."""
        return self.repeats is not None

    @lazy
    def template_links(self) -> tuple[Link, ...]:
        """The links in template pagelets; ``link_pages`` has how many pages have the pagelet of each."""
        return tuple(self.page.links[number] for number, pages in enumerate(self.link_pages) if pages)
