"""Spans of a page's tokens, from a label on each token.

n tokens.  Cost: O(n).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from templcrawl.page.tags import UNREAD
from templcrawl.page.tokens import TokenStream

Spans = tuple[tuple[int, int], ...]


def labelled_spans(tokens: TokenStream, is_content: npt.NDArray[np.bool_]) -> Spans:
    """Return the half-open spans of tokens that are content, longest runs, in order.

    is_content  token -> its label; the unread rest of a page is content whatever its label

    >>> from templcrawl.page.page import Page
    >>> labelled_spans(Page("<p>a<p>b", "").tokens, np.array([False, True, True, False]))
    ((1, 3),)
    """
    content = is_content | (tokens.kind_array == UNREAD)
    edges = np.flatnonzero(np.diff(content, prepend=False, append=False)).tolist()
    return tuple(zip(edges[::2], edges[1::2]))


def with_unread(tokens: TokenStream, spans: Spans) -> Spans:
    """Return the spans of what was read that is content, and with them the unread rest of the page.

    >>> from templcrawl.page.limits import Limits
    >>> from templcrawl.page.page import Page
    >>> with_unread(Page("<p>a<p>b", "", Limits(max_tags=1)).tokens, ((0, 1),))
    ((0, 2),)
    """
    last = len(tokens) - 1
    if last < 0 or tokens.kinds[last] != UNREAD:
        return spans
    start = spans[-1][0] if spans and spans[-1][1] == last else last
    return (*(span for span in spans if span[1] < last), (start, last + 1))
