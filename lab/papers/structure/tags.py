"""The tag sequence of a page, as Hachenberg & Gottron (CIKM 2013, section 3.1) define it.

The names of all start and end tags, in order, an end tag the same as a start tag; text, comments and
attributes are dropped (so those of ``html`` and ``body``, which page types come from, are never read).

Cost: O(length of the page); lazy, so that a reader of the first tags pays for those alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from templcrawl import Page
from templcrawl.page.scan import iter_tag_names


def tag_sequence(page: Page) -> Iterator[str]:
    """Yield the names of the tags of a page.

    >>> " ".join(tag_sequence(Page("<ul class=a><li>one<li>two<br></ul>", "")))
    'ul li li br ul'
    """
    return iter_tag_names(page.text)


def element_paths(page: Page) -> list[str]:
    """Return the path of tag names from the root to each element, in document order.

    >>> element_paths(Page("<ul><li>one<li><b>two</b></ul>", ""))
    ['ul', 'ul/li', 'ul/li', 'ul/li/b']
    """
    elements = page.elements
    paths = [""]
    for element in range(1, len(elements)):
        parent = elements.parents[element]
        name = elements.names[element]
        paths.append(f"{paths[parent]}/{name}" if parent else name)
    return paths[1:]


def leaf_paths(page: Page) -> set[str]:
    """Return the distinct paths from the root to the elements that hold no other element.

    >>> sorted(leaf_paths(Page("<ul><li>one<li><b>two</b></ul>", "")))
    ['ul/li', 'ul/li/b']
    """
    inner = set(page.elements.parents)
    return {path for element, path in enumerate(element_paths(page), start=1) if element not in inner}
