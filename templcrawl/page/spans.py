"""Half-open spans of a page's tokens: from a label on each token or text run, their rest, the whole.

Spans are in order and disjoint.  n tokens, m elements.  Cost: O(n + m).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from templcrawl.page.page import Page
from templcrawl.page.tags import UNREAD
from templcrawl.page.tokens import TokenStream

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
    edges = np.flatnonzero(np.diff(content, prepend=False, append=False)).tolist()
    return tuple(zip(edges[::2], edges[1::2]))


def with_unread(tokens: TokenStream, spans: Spans) -> Spans:
    """Return the spans of what was read that is content, and with them the unread rest of the page.

    >>> from templcrawl.page.tokens import Limits
    >>> with_unread(Page("<p>a<p>b", "", Limits(max_tags=1)).tokens, ((0, 1),))
    ((0, 2),)
    """
    last = len(tokens) - 1
    if last < 0 or tokens.kinds[last] != UNREAD:
        return spans
    start = spans[-1][0] if spans and spans[-1][1] == last else last
    return (*(span for span in spans if span[1] < last), (start, last + 1))


def content_spans(page: Page, is_template: npt.NDArray[np.bool_]) -> Spans:
    """Return the spans of a page's tokens that are content; the unread rest of it is.

    is_template  text run -> whether it is template

    An element is content if one of the text runs in it is, template if it has runs and none is; an element
    without runs (an image, a line break) is what the element around it is.  A tag, white space and
    comments are what their element is.

    >>> page = Page("<ul><li>Tea</ul><p>Some <b>words</b>", "")
    >>> content_spans(page, np.array([True, False, False]))
    ((4, 9),)
    """
    elements, positions = page.elements, page.text_runs.positions
    at_runs = np.zeros((2, len(page.tokens) + 1), dtype=np.intp)
    at_runs[0, positions + 1] = 1
    at_runs[1, positions + 1] = ~is_template
    before = np.cumsum(at_runs, axis=1)
    inside = before[:, np.array(elements.closes, dtype=np.intp)] - before[:, elements.open_array]
    has_runs, is_content = (inside > 0).tolist()
    labels = [is_content[0] or not has_runs[0]]
    for parent, has_any, has_content in zip(elements.parents[1:], has_runs[1:], is_content[1:]):
        labels.append(has_content if has_any else labels[parent])
    content = np.array(labels)[elements.owner_array]
    content[positions] = ~is_template
    return labelled_spans(page.tokens, content)
