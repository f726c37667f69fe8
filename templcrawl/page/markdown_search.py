"""Find the elements of a tree that its Markdown is rewritten by, as fast as the library (turbohtml) can.

The library looks up the elements of one name, and walks the tree for several names or a selector.

Cost: O(names) where a tree has none of them, else O(elements).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turbohtml import Element


def find_named(tree: Element, names: Iterable[str]) -> list[Element]:
    """Return the elements of some names in a tree, in its order."""
    present = [name for name in names if tree.find(name) is not None]
    return tree.find_all(present if len(present) > 1 else present[0]) if present else []


def select_of(tree: Element, names: Iterable[str], selector: str) -> Sequence[Element]:
    """Return the elements that a CSS selector names; each of them has one of some names."""
    return tree.select(selector) if any(tree.find(name) is not None for name in names) else ()


def outermost(tree: Element, selector: str) -> list[Element]:
    """Return the elements in a tree that a CSS selector names and that are in no other of them there."""
    around = tree.closest(selector)
    return [
        element
        for element in tree.select(selector)
        if element.parent is not None and element.parent.closest(selector) == around
    ]
