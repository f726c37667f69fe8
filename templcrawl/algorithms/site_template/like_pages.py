"""The links of a key page in the order of how like its own their addresses are.

Pages of one kind stand in one directory as a rule.  The pages of a site's menu, which are found by who links
to whom, are often of other kinds than the key page, and lack what the template of its own kind has besides.

Notation: the *directories* of a page are the parts of its path but the last.  An address is the more like
another the larger the share of directories that both begin with, in those of the deeper one; among equals,
the nearer in depth; then, where both have a query or neither.  n links.  Cost: O(n log n).
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit


def alike_first(key: str, urls: Iterable[str]) -> list[str]:
    """Return URLs, those most like a key page's first, equals in their order.

    >>> alike_first("http://e.org/tea/green", ["http://e.org/shop", "http://e.org/tea/black"])
    ['http://e.org/tea/black', 'http://e.org/shop']
    """
    own, has_query = _directories(key)

    def unlikeness(url: str) -> tuple[float, int, bool]:
        directories, queried = _directories(url)
        common = 0
        for mine, other in zip(own, directories):
            if mine != other:
                break
            common += 1
        deeper = max(len(own), len(directories))
        return -common / deeper if deeper else -1.0, abs(len(own) - len(directories)), has_query != queried

    return sorted(urls, key=unlikeness)


def _directories(url: str) -> tuple[list[str], bool]:
    """Return the directories of a page, and whether its address has a query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return [], False
    return [part for part in parts.path.split("/") if part][:-1], bool(parts.query)
