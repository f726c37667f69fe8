"""MD5: an exact hash of a page's whole tag sequence.

Source: Hachenberg & Gottron (CIKM 2013, section 4.2); Rivest (1992).
Threshold: none; pages are alike when their hashes are equal.  Cost: O(tags) a page, O(1) to look up.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import md5

from lab.papers.structure.shape import ByKey
from lab.papers.structure.tags import tag_sequence
from templcrawl import Page


def hash_of(tags: Iterable[str]) -> bytes:
    """Return the MD5 of a sequence of tags.

    >>> hash_of(["p", "br"]) == hash_of(["p", "br"]) != hash_of(["pb", "r"])
    True
    """
    return md5(" ".join(tags).encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()


def features(page: Page) -> bytes:
    """Return the hash of all tags of a page."""
    return hash_of(tag_sequence(page))


MD5 = ByKey("MD5", features)
