"""Spans of a page's tokens, from a label on each token.

n tokens.  Cost: O(n).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from templcrawl.page.tokens import UNREAD, TokenStream

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
