"""MDH5: an exact hash of the tag sequence of a page's HTML header.

Source: Hachenberg & Gottron (CIKM 2013, section 4.2): "once only the HTML header".  Taken plainly: the
tags from the start of the page up to and with the end of ``head``; where that is missing, up to ``body``;
where both are, all tags.

Threshold: none; pages are alike when their hashes are equal.
Cost: O(length of the header) a page: nothing behind it is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lab.papers.structure.md5 import hash_of
from lab.papers.structure.shape import ByKey
from lab.papers.structure.tags import tag_sequence
from templcrawl import Page


def header(tags: Iterable[str]) -> Iterator[str]:
    """Yield the tags of the header.

    >>> list(header("html head title title head body p".split()))
    ['html', 'head', 'title', 'title', 'head']
    """
    is_open = False
    for tag in tags:
        if tag == "body":
            return
        yield tag
        if tag == "head":
            if is_open:
                return
            is_open = True


def features(page: Page) -> bytes:
    """Return the hash of the header of a page."""
    return hash_of(header(tag_sequence(page)))


MDH5 = ByKey("MDH5", features)
