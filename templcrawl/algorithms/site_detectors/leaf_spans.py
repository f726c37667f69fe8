"""From leaves to spans: what a page keeps where some of its leaves are known to be template.

An element is content if one of the leaves in it is, template if it has leaves and none is; an element
without leaves (an image, a line break) is what the element around it is.  A tag, white space and comments
are what their element is.

n tokens, m elements.  Cost: O(n + m).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from templcrawl.page.page import Page
from templcrawl.page.spans import Spans, labelled_spans


def content_spans(page: Page, is_template: npt.NDArray[np.bool_]) -> Spans:
    """Return the spans of a page's tokens that are content; the unread rest of it is.

    is_template  leaf -> whether it is template

    >>> page = Page("<ul><li>Tea</ul><p>Some <b>words</b>", "")
    >>> content_spans(page, np.array([True, False, False]))
    ((4, 9),)
    """
    elements, places = page.elements, page.leaves.places
    leaves = np.zeros((2, len(page.tokens) + 1), dtype=np.intp)
    leaves[0, places + 1] = 1
    leaves[1, places + 1] = ~is_template
    before = np.cumsum(leaves, axis=1)
    inside = before[:, np.array(elements.closes, dtype=np.intp)] - before[:, elements.open_array]
    has_leaves, is_content = (inside > 0).tolist()
    labels = [is_content[0] or not has_leaves[0]]
    for parent, has_any, has_content in zip(elements.parents[1:], has_leaves[1:], is_content[1:]):
        labels.append(has_content if has_any else labels[parent])
    content = np.array(labels)[elements.owner_array]
    content[places] = ~is_template
    return labelled_spans(page.tokens, content)
