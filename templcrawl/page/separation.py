"""The separation of a page into template and content: the one answer that every detector gives.

A separation labels each token of the page as content or template; it never changes.  Text and HTML of either
side are computed on demand (see :mod:`templcrawl.page.render`); Markdown is imported by then.

Markdown has no *bare* heading, "Tags" over links that every page has: what follows it in the same parent,
headings of template left out, is a list, a table or a form, and no text between the heading and the end of
that is content.  A list without text may be one of images, and counts for nothing.  An index has no use for a
heading of what it does not have.

*Spans* are half-open, of a page's tokens, in order and disjoint: from a label on each token or text run,
their rest, the whole.  n tokens, m elements.  Cost: O(n + m).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from templcrawl.page.arrays import Bytes, before, edges_of, lazy, nearest
from templcrawl.page.page import Page
from templcrawl.page.runs import runs_inside
from templcrawl.page.text import storable
from templcrawl.page.tokens import UNREAD, TokenStream
from templcrawl.page.vocabulary import ARTICLE, HEADINGS, TITLE

if TYPE_CHECKING:
    from parsel import Selector

    from templcrawl.page.markdown import Markdown, MarkdownSection

RUNNING_WORDS = 10
MANY_PAGES = 4
MEASURED = np.array([RUNNING_WORDS, MANY_PAGES], dtype=np.float64).tobytes()  # as the kernel takes them

_CLAIMS = 0xFF ^ (ARTICLE | TITLE)  # hints that no running text has
_CONTENT, _TEMPLATE = 1, 0
_HEADING, _FORM, _LIST = 1, 2, 3
# Name of an element -> what it is beside a heading.
_CLASSES = {
    **dict.fromkeys(HEADINGS, _HEADING),
    **dict.fromkeys(("form", "select"), _FORM),
    **dict.fromkeys(("ul", "ol", "dl", "nav", "menu", "table"), _LIST),
}
_MAX_BETWEEN = 8  # headings of template after a heading


class Measures(NamedTuple):
    """Measures of a separation that are computed together: its attributes of these names.

    text_lengths  of a page that is cut, only the characters that were read
    """

    content_mask: bytes
    running_words: tuple[int, int]
    lost_words: int
    text_lengths: tuple[int, int]


def read_measures(mask: Bytes, figures: Sequence[int]) -> Measures:
    """Return the measures from the kernel's output."""
    running, page_words, lost, *lengths = figures
    return Measures(mask.tobytes(), (running, page_words), lost, (lengths[0], lengths[1]))


class Separation:
    """A page, separated into template and content.

    page           the page
    content_spans  half-open spans of its tokens that are content, in order and disjoint
    exact          False if the comparison was cut short: some template may count as content
    run_shares     text run of the page -> share of earlier pages that have it; None if they were not computed
    voters         how many earlier pages it was compared with; 0 without any
    measures       those that are known; None: they are computed when they are asked for
    """

    def __init__(
        self,
        page: Page,
        content_spans: Sequence[tuple[int, int]],
        *,
        exact: bool = True,
        run_shares: npt.NDArray[np.float64] | None = None,
        voters: int = 0,
        measures: Measures | None = None,
    ) -> None:
        self.page = page
        self.content_spans = tuple(content_spans)
        self.exact = exact
        self.run_shares = run_shares
        self.voters = voters
        if measures is not None:
            self.content_mask, self.running_words, self.lost_words, lengths = measures
            if len(page.text) <= page.limits.max_characters:
                self.text_lengths = lengths

    def __repr__(self) -> str:
        content, all_of_it = self.text_lengths
        return f"<Separation of {self.page.url}: {content} of {all_of_it} characters of text are content>"

    @property
    def truncated(self) -> tuple[str, ...]:
        """Names of the limits that the page hit; ``max_cells`` if its comparison was cut short."""
        return self.page.truncated if self.exact else (*self.page.truncated, "max_cells")

    @lazy
    def content_mask(self) -> bytes:
        """Token -> 1 if it is content, else 0."""
        mask = bytearray(len(self.page.tokens))
        for start, stop in self.content_spans:
            mask[start:stop] = b"\1" * (stop - start)
        return bytes(mask)

    @lazy
    def template_spans(self) -> Spans:
        """Half-open spans of the tokens that are template."""
        return rest_of(self.page.tokens, self.content_spans)

    @lazy
    def text_lengths(self) -> tuple[int, int]:
        """Characters of visible text: (in the content, on the whole page)."""
        characters = self.page.elements.characters_before
        edges = characters[np.fromiter(chain.from_iterable(self.content_spans), np.intp)].tolist()
        return sum(edges[1::2]) - sum(edges[::2]), int(characters[-1])

    @lazy
    def running_words(self) -> tuple[int, int]:
        """Words of running text: (in the content, on the whole page).

        That is what stands in runs of ten words or more, outside links, furniture and what is named so.
        """
        runs = self.page.text_runs
        is_running = (runs.hints & _CLAIMS == 0) & (runs.words >= RUNNING_WORDS)
        is_content = np.frombuffer(self.content_mask, bool)[runs.positions[is_running]]
        words = runs.words[is_running]
        return int(words[is_content].sum()), int(words.sum())

    @lazy
    def lost_words(self) -> int:
        """Words of the template that none of at least four earlier pages has, outside links and furniture.

        0 if shares of runs were not computed.
        """
        shares, runs = self.run_shares, self.page.text_runs
        if shares is None or self.voters < MANY_PAGES:
            return 0
        is_template = np.frombuffer(self.content_mask, np.uint8)[runs.positions] == _TEMPLATE
        is_plain = runs.hints & _CLAIMS == 0
        return int(runs.words[is_template & is_plain & (shares == 0)].sum())

    def _text(self, side: int) -> str:
        from templcrawl.page.render import text_of

        return text_of(self.page, self.content_mask, side)

    def _html(self, mask: bytes, side: int) -> str:
        from templcrawl.page.render import html_of

        return html_of(self.page, mask, side)

    @lazy
    def content_text(self) -> str:
        """The visible text of the content, a line for each line that a reader sees."""
        return self._text(_CONTENT)

    @lazy
    def template_text(self) -> str:
        """The visible text of the template."""
        return self._text(_TEMPLATE)

    @lazy
    def content_html(self) -> str:
        """The HTML of the content, well nested; tags are as the page wrote them, not sanitised."""
        return self._html(self.content_mask, _CONTENT)

    @lazy
    def selector(self) -> Selector:
        """The content alone, to select in it by CSS and XPath: a parsel ``Selector`` of its HTML.

        >>> page = Page("<ul><li>Home</ul><h1>Tea</h1><ul><li>Green</ul>", "")
        >>> Separation(page, ((4, 11),)).selector.css("li::text").getall()
        ['Green']
        """
        from parsel import Selector

        return Selector(storable(self.content_html), base_url=self.page.base_url)

    @lazy
    def template_html(self) -> str:
        """The HTML of the template, well nested; tags are as the page wrote them, not sanitised."""
        return self._html(self.content_mask, _TEMPLATE)

    @lazy
    def related_spans(self) -> Spans:
        """Half-open spans of the tokens of related products, further articles, with the headings above."""
        from templcrawl.page.related import related_spans

        return related_spans(self.page, self.content_mask)

    @lazy
    def _markdown(self) -> Markdown:
        """The Markdown, what is related behind all else: it stands under headings of its own."""
        from templcrawl.page.markdown import markdown_of
        from templcrawl.page.related import heading_stop

        page = self.page
        mask = drop_bare_headings(page, self.content_mask)
        if not self.related_spans:
            is_same = mask == self.content_mask
            return markdown_of(self.content_html if is_same else self._html(mask, _CONTENT), page.base_url)
        rest, related = bytearray(mask), bytearray(len(mask))
        for start, stop in self.related_spans:
            heading = heading_stop(page, start)
            related[start:heading] = b"\1" * (heading - start)
            related[heading:stop] = mask[heading:stop]
            rest[start:stop] = bytes(stop - start)
        html, behind = (self._html(bytes(side), _CONTENT) for side in (rest, related))
        return markdown_of(html, page.base_url, behind)

    @property
    def content_markdown(self) -> str:
        """The content as Markdown, links absolute; raises MissingExtra without the library that writes it."""
        return self._markdown.text

    @lazy
    def content_headings(self) -> list[MarkdownSection]:
        """The sections of that Markdown: the headings that each stands under, and where it is."""
        from templcrawl.page.markdown import cut_long

        return cut_long(self._markdown.text, self._markdown.sections)


Spans = tuple[tuple[int, int], ...]


def whole(tokens: TokenStream) -> Spans:
    """Return the span of all tokens; nothing of a page without any."""
    return ((0, len(tokens)),) if len(tokens) else ()


def rest_of(tokens: TokenStream, spans: Spans) -> Spans:
    """Return the spans of the tokens outside of some spans.

    >>> rest_of(Page("<p>a<p>b", "").tokens, ((1, 2),))
    ((0, 1), (2, 4))
    """
    edges = [0, *(edge for span in spans for edge in span), len(tokens)]
    return tuple((start, stop) for start, stop in zip(edges[::2], edges[1::2]) if start < stop)


def labelled_spans(tokens: TokenStream, is_content: npt.NDArray[np.bool_]) -> Spans:
    """Return the half-open spans of tokens that are content, each as long as can be, in order.

    is_content  token -> its label; the unread rest of a page is content whatever its label

    >>> labelled_spans(Page("<p>a<p>b", "").tokens, np.array([False, True, True, False]))
    ((1, 3),)
    """
    content = is_content | (tokens.kind_array == UNREAD)
    edges = edges_of(content).tolist()
    return tuple(zip(edges[::2], edges[1::2]))


def add_unread(tokens: TokenStream, spans: Spans) -> Spans:
    """Return the spans of content, with the unread rest of the page.

    >>> from templcrawl.page.tokens import Limits
    >>> add_unread(Page("<p>a<p>b", "", Limits(max_tags=1)).tokens, ((0, 1),))
    ((0, 2),)
    """
    last = len(tokens) - 1
    if last < 0 or tokens.kinds[last] != UNREAD:
        return spans
    start = spans[-1][0] if spans and spans[-1][1] == last else last
    return (*(span for span in spans if span[1] < last), (start, last + 1))


def content_spans(page: Page, is_template: npt.NDArray[np.bool_]) -> Spans:
    """Return the spans of a page's tokens that are content; the unread rest counts as content.

    is_template  text run -> whether it is template

    An element is content if one of the text runs in it is, template if it has runs and none is; an element
    without runs (an image, a line break) is what the element around it is.  A tag, white space and
    comments are what their element is.

    >>> page = Page("<ul><li>Tea</ul><p>Some <b>words</b>", "")
    >>> content_spans(page, np.array([True, False, False]))
    ((4, 9),)
    """
    return labelled_spans(page.tokens, content_tokens(page, is_template))


def content_tokens(page: Page, is_template: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return token -> whether it is content, as in :func:`content_spans`."""
    elements, positions = page.elements, page.text_runs.positions
    starts, stops = runs_inside(elements, positions)
    kept = before(~is_template)
    has_runs = stops > starts
    labels = (kept[stops] > kept[starts]) | ~has_runs
    around = nearest(has_runs, elements.parent_array)
    content: npt.NDArray[np.bool_] = labels[around][elements.owner_array]
    content[positions] = ~is_template
    return content


def drop_bare_headings(page: Page, mask: bytes) -> bytes:
    """Return a mask in which bare headings are template.

    >>> page = Page("<h2>Tags</h2><ul><li>Tea</ul><p>Some words", "")
    >>> drop_bare_headings(page, bytes([1, 1, 1, 0, 0, 0, 0, 1, 1])).hex(" ", 1)
    '00 00 00 00 00 00 00 01 01'
    """
    elements = page.elements
    classes = elements.classed(_CLASSES)
    opens, closes, parents = elements.open_array, elements.close_array, elements.parent_array
    changed = bytearray(mask)
    for heading in (classes == _HEADING).nonzero()[0].tolist():
        start, stop = opens[heading], closes[heading]
        if _CONTENT not in mask[start:stop]:
            continue
        behind = heading
        for _ in range(_MAX_BETWEEN):
            behind = bisect_left(opens, closes[behind], behind + 1)
            if behind == len(classes) or classes[behind] != _HEADING:
                break
        if behind == len(classes) or parents[behind] != parents[heading] or classes[behind] < _FORM:
            continue
        first, opened, closed = page.text_runs.positions.searchsorted((stop, opens[behind], closes[behind]))
        between = page.text_runs.positions[first:closed]
        is_list = classes[behind] == _FORM or opened < closed
        if is_list and not np.frombuffer(mask, dtype=np.uint8)[between].any():
            changed[start:stop] = bytes(stop - start)
    return bytes(changed)
