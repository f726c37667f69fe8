"""Values that tests of the memory, and of what it stores, begin with."""

from __future__ import annotations

from templcrawl.algorithms.similarity.near_duplicates import Content, content_of_terms
from templcrawl.memory.leaves import LeafDistances
from templcrawl.page.text import hashes_of

ALONE = LeafDistances(0, "", {0: 0.0}, {})
"""The place of a page whose site has no leaves."""


def content_of_text(text: str) -> Content:
    """Return the value of a plain text."""
    return content_of_terms(hashes_of(text.split()))
