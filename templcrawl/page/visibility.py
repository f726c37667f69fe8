"""Which elements of a page have text that a reader sees.

*Visible* is what HTML shows text of: all but what is in elements of ``vocabulary.INVISIBLE``, of which
descriptions are those of drawings alone.  *Shown* is
what of that the page itself does not hide: by the ``hidden`` attribute, by its ``style``, as a dialog or
popover that is not open.  Votes are on what is visible, since a site often hides on one page what it shows on
the next: the branches of its menu.  Texts are written of what is shown.

Two things are read where they hold more text than all that stands outside of them, because a page that
scripts make comes to a crawler as its ``noscript``, or in hidden parts that a script shows.

*A picture* that loads late is in a ``noscript`` behind its placeholder: it is shown, and the placeholder not.

*A formula* is often on a page twice, as ``math`` and drawn.  The ``math`` is shown, also where it is hidden
behind its picture (Wikipedia).  Its picture is not, nor what flows beside it in the same element and is
``aria-hidden`` (KaTeX, MathJax).

m elements, n tokens.  Cost: O(m log m + n).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from templcrawl.page.arrays import Flags, Indices, indices
from templcrawl.page.tokens import TEXT, TokenStream
from templcrawl.page.vocabulary import (
    DESCRIPTIONS,
    DRAWN,
    FOREIGN,
    HIDDEN,
    MATH,
    SKELETON,
    UNSCRIPTED,
    UNSEEN,
)

LEAST_FALLBACK = 200  # characters that what is not seen must have at least to be read


class Tree(NamedTuple):
    """Elements in document order: names, parents, positions of start tags and behind them, traits."""

    names: Sequence[str]
    parents: Sequence[int]
    opens: Sequence[int]
    closes: Sequence[int]
    traits: npt.NDArray[np.uint16]

    def stop(self, element: int) -> int:
        """Return the first element that is not inside of an element."""
        return bisect_left(self.opens, self.closes[element], element)

    def having(self, bits: int) -> list[int]:
        """Return the elements that have one of some traits."""
        elements: list[int] = (self.traits & bits).nonzero()[0].tolist()
        return elements


def seen_elements(tokens: TokenStream, owners: Indices, tree: Tree) -> tuple[Flags, Flags]:
    """Return element -> whether its text is visible, and whether it is shown.

    owners  token -> the innermost element that covers it
    """
    everything: Flags = np.ones(len(tree.names), dtype=bool)
    scripted = _without(tree, everything, UNSEEN)
    visible = _or_all(tokens, owners, _without(tree, scripted, UNSCRIPTED), scripted)
    shown = _or_all(tokens, owners, _without(tree, visible, HIDDEN), visible)
    return visible, _with_pictures(tokens, tree, _without_drawn(tree, shown))


def _or_all(tokens: TokenStream, owners: Indices, few: Flags, many: Flags) -> Flags:
    """Return the few elements of many, or the many where most of their text is not in the few."""
    if few is many:
        return few
    characters = tokens.lengths * (tokens.kind_array == TEXT)
    more, before = (int(characters[mask[owners]].sum()) for mask in (many & ~few, few))
    return many if more > max(before, LEAST_FALLBACK) else few


def _without(tree: Tree, seen: Flags, bit: int) -> Flags:
    """Return the elements that are seen around which none has a trait; formulas that are hidden stay."""
    names, parents = tree.names, tree.parents
    found = tree.having(bit)
    rest = seen.copy() if found else seen
    formula_stop = 0
    for element in found:
        is_of_html = names[element] in DESCRIPTIONS and names[parents[element]] not in FOREIGN
        if not rest[element] or (bit == UNSEEN and is_of_html):
            continue
        first, stop = element + 1, tree.stop(element)
        rest[element:stop] = False
        is_formula = names[first : first + 1] == ["math"] and parents[first] == element
        if bit == HIDDEN and is_formula and element >= formula_stop:
            formula_stop = tree.stop(first)
            rest[first:formula_stop] = seen[first:formula_stop]
            if names[stop : stop + 1] == ["img"] and parents[stop] == parents[element]:
                rest[stop] = False
    return rest


def _with_pictures(tokens: TokenStream, tree: Tree, shown: Flags) -> Flags:
    """Return the elements that are shown, pictures of a ``noscript`` in place of those right before it."""
    names, parents = tree.names, tree.parents
    found = tree.having(UNSCRIPTED)
    rest = shown.copy() if found else shown
    for element in found:
        before = element - 1
        if names[before] != "img" or names[element + 1 : element + 2] != ["img"] or rest[element]:
            continue
        if parents[before] != parents[element] and names[parents[before]] == "picture":
            before = parents[before]
        is_beside = parents[before] == parents[element] and rest[before]
        if not is_beside or tree.stop(element) != element + 2:
            continue
        if TEXT not in tokens.kinds[tree.opens[element] : tree.closes[element]]:
            rest[before:element] = False
            rest[element + 1] = True
    return rest


def _without_drawn(tree: Tree, shown: Flags) -> Flags:
    """Return the elements that are shown, without what is drawn beside a formula that is."""
    formulas = indices([element for element in tree.having(MATH) if shown[element]])
    drawn = tree.having(DRAWN) if len(formulas) else []
    rest = shown.copy() if drawn else shown

    def count(element: int) -> int:
        first, stop = formulas.searchsorted((element, tree.stop(element)))
        return int(stop - first)

    for element in drawn:
        around = tree.parents[element]
        if rest[element] and around and tree.names[around] not in SKELETON and count(element) < count(around):
            rest[element : tree.stop(element)] = False
    return rest
