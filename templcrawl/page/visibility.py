"""Which elements of a page a reader sees text in.

Not seen are elements that HTML shows no text of (``vocabulary.INVISIBLE``), what is for readers without
scripts, and what the page itself hides: by the ``hidden`` attribute, by its ``style``, as a dialog or a popover
that is not open.  The last two are read where they hold more text than all that is seen without them: a page
that scripts make comes to a crawler as its ``noscript``, or in hidden parts that a script shows.

*A formula* is often on a page twice, as ``math`` and drawn.  The ``math`` is seen, also where it is hidden
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

from templcrawl.page.arrays import Flags, Indices
from templcrawl.page.tokens import TEXT, TokenStream
from templcrawl.page.vocabulary import DRAWN, HIDDEN, MATH, SKELETON, UNSCRIPTED, UNSEEN

LEAST_FALLBACK = 200  # characters that what is not shown must have at least to be read


class Tree(NamedTuple):
    """Elements in document order: names, parents, positions of start tags and after the last token, traits."""

    names: Sequence[str]
    parents: Sequence[int]
    opens: Sequence[int]
    closes: Sequence[int]
    traits: npt.NDArray[np.uint16]

    def stop(self, element: int) -> int:
        """Return the first element that is not inside of an element."""
        return bisect_left(self.opens, self.closes[element], element)


def visible_elements(tokens: TokenStream, owners: Indices, tree: Tree) -> Flags:
    """Return element -> whether a reader sees text in it.

    owners  token -> the innermost element that covers it
    """
    seen = _outside(tree, UNSEEN | UNSCRIPTED | HIDDEN)
    if (tree.traits & (UNSCRIPTED | HIDDEN)).any():
        shown = _outside(tree, UNSEEN)
        characters = tokens.lengths * (tokens.kind_array == TEXT)
        more, before = (int(characters[mask[owners]].sum()) for mask in (shown & ~seen, seen))
        if more > max(before, LEAST_FALLBACK):
            seen = shown
    formulas = ((tree.traits & MATH > 0) & seen).nonzero()[0]
    for element in (tree.traits & DRAWN).nonzero()[0].tolist() if len(formulas) else ():
        around = tree.parents[element]
        inside, beside = (
            formulas.searchsorted((each, tree.stop(each))).tolist() for each in (element, around)
        )
        is_page = tree.names[around] in SKELETON or not around
        if not is_page and inside[1] - inside[0] < beside[1] - beside[0]:
            seen[element : tree.stop(element)] = False
    return seen


def _outside(tree: Tree, bits: int) -> Flags:
    """Return element -> whether no element around it has one of some traits."""
    names, parents = tree.names, tree.parents
    seen: Flags = np.ones(len(names), dtype=bool)
    for element in (tree.traits & bits).nonzero()[0].tolist():
        if not seen[element]:
            continue
        first, stop = element + 1, tree.stop(element)
        seen[element:stop] = False
        is_formula = names[first : first + 1] == ["math"] and parents[first] == element
        if is_formula and tree.traits[element] & (UNSEEN | UNSCRIPTED) == 0:
            seen[first : tree.stop(first)] = True
            if names[stop : stop + 1] == ["img"] and parents[stop] == parents[element]:
                seen[stop] = False
    return seen
