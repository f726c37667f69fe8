"""Decide which elements of a page have text that a reader sees.

visible  what HTML shows text of: all but what is in elements of ``vocabulary.INVISIBLE``, of which
         descriptions are those of drawings alone; votes are on this (:mod:`templcrawl.page.runs`)
hidden   what of that the page itself hides: by the ``hidden`` attribute, by its ``style``, as a dialog or
         popover that is not open (:mod:`templcrawl.page.traits`)
panel    what a page hides and its reader opens, as he opens ``details`` (:func:`_panels`)
shown    what is not hidden, and panels: texts are written of it

Two things are read where they hold more text than all that stands outside of them, because a page that
scripts make comes to a crawler as its ``noscript``, or in hidden parts that a script shows.

m elements of depth d, n tokens.  Cost: O(m log m + n).
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import NamedTuple

import numpy as np

from templcrawl.page.arrays import Flags, Indices, indices, inherited, jumps, nearest
from templcrawl.page.panels import VisibilityTree, panels_beside
from templcrawl.page.tokens import TEXT, Tag, TokenStream, attributes
from templcrawl.page.traits import opened_by
from templcrawl.page.vocabulary import (
    ARTICLE,
    DESCRIPTIONS,
    DRAWN,
    FOREIGN,
    FURNITURE,
    HIDDEN,
    MATH,
    MIN_FALLBACK,
    NAMED,
    OPENER,
    PAGE_PART,
    PANEL,
    SECTION,
    SHUT,
    SKELETON,
    UNSCRIPTED,
    UNSEEN,
)


class Seen(NamedTuple):
    """Element -> whether its text is visible; whether it is shown; whether the page hides it, panels too."""

    visible: Flags
    shown: Flags
    hidden: Flags


def seen_elements(tokens: TokenStream, owners: Indices, tree: VisibilityTree) -> Seen:
    """Return which elements are seen.

    owners  token -> the innermost element that covers it
    """
    everything: Flags = np.ones(len(tree.names), dtype=bool)
    scripted = _hide(tree, everything, UNSEEN)
    visible = _or_all(tokens, owners, _hide(tree, scripted, UNSCRIPTED), scripted)
    at_once = _hide(tree, visible, HIDDEN)
    panels = _panels(tokens, owners, tree, visible) if at_once is not visible else frozenset[int]()
    opened = _hide(tree, visible, HIDDEN, but=panels) if panels else at_once
    shown = _or_all(tokens, owners, opened, visible)
    return Seen(visible, _show_pictures(tokens, tree, _hide_drawn(tree, shown)), visible & ~at_once)


def _or_all(tokens: TokenStream, owners: Indices, few: Flags, many: Flags) -> Flags:
    """Return ``few``, or ``many`` if most of the text of ``many`` is outside of ``few``."""
    if few is many:
        return few
    characters = tokens.lengths * (tokens.kind_array == TEXT)
    more, before = (int(characters[mask[owners]].sum()) for mask in (many & ~few, few))
    return many if more > max(before, MIN_FALLBACK) else few


def _hide(tree: VisibilityTree, seen: Flags, bit: int, but: Set[int] = frozenset()) -> Flags:
    """Return the elements that are seen around which none has a trait; formulas that are hidden stay.

    but  elements whose trait does not count
    """
    names, parents = tree.names, tree.parents
    found = [element for element in tree.having(bit) if element not in but]
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


def _panels(tokens: TokenStream, owners: Indices, tree: VisibilityTree, visible: Flags) -> Set[int]:
    """Return the hidden elements that are panels: what their readers open.

    A panel is an element

    - whose role is ``tabpanel``, or that is the answer to a question by its ``itemprop``,
    - or whose id a control names: by ``aria-controls``, ``data-target``, ``data-tab`` or a link to ``#id``,
    - or that opens by what stands beside it (:mod:`templcrawl.page.panels`).

    What no reader opens stays hidden: orders to machines, traps for robots.  So does a block with fields of a
    form that no control names, as such traps have; what lies over the page (dialogs, menus, choices),
    whatever names it; what is in furniture, or named there by a control that is no tab, as branches of menus
    are; and a copy (:func:`_but_copies`).
    """
    hidden = [element for element in tree.having(HIDDEN) if visible[element]]
    tags = tokens.form_tags
    tag_of = [tags[form] for form in tokens.form_array[tree.opens].tolist()]
    in_furniture = _in_furniture(tree, tag_of)
    named = {
        name
        for element in tree.having(OPENER)
        if visible[element]
        for name in opened_by(
            tree.names[element],
            attributes(tokens.forms[tokens.form_array[tree.opens[element]]]),
            is_furniture=bool(in_furniture[element]),
        )
    }
    beside = panels_beside(tokens, tree, tag_of, hidden)
    may_open = [
        element
        for element in hidden
        if not tree.traits[element] & SHUT
        and not in_furniture[element]
        and (
            tree.traits[element] & PANEL
            or (tag_of[element].id in named and not tag_of[element].hints & NAMED)
            or element in beside
        )
    ]
    return _but_copies(tokens, owners, tree, visible, may_open) if may_open else frozenset()


def _in_furniture(tree: VisibilityTree, tag_of: Sequence[Tag]) -> Flags:
    """Return element -> whether it is furniture by a name or role, or inside of such."""
    above = jumps(indices(tree.parents))
    hints = np.array([tag.hints for tag in tag_of], dtype=np.uint8)
    hints[0] = 0
    around = inherited(hints & np.uint8(ARTICLE) | (tree.traits & SECTION > 0), above)
    own = (hints & FURNITURE > 0) | ((hints & PAGE_PART > 0) & (around == 0))
    return inherited(own.view(np.uint8), above) > 0


def _but_copies(
    tokens: TokenStream, owners: Indices, tree: VisibilityTree, visible: Flags, may_open: Sequence[int]
) -> Set[int]:
    """Return the hidden elements that open: all elements around them open, and they are not copies.

    More than half of the words of a copy stand in text runs that are shown without it.
    """
    is_hidden = np.zeros(len(tree.names), dtype=bool)
    is_hidden[[element for element in tree.having(HIDDEN) if visible[element]]] = True
    around = nearest(is_hidden, indices(tree.parents))
    counts = (tokens.kind_array == TEXT) & visible[owners]
    forms = tokens.form_array[counts]
    keys, words = tokens.texts.keys[forms].tolist(), tokens.texts.words[forms].tolist()
    inside: dict[int, list[tuple[int, int]]] = {}
    shown = set()
    for element, key, run_words in zip(around[owners[counts]].tolist(), keys, words):
        if element:
            inside.setdefault(element, []).append((key, run_words))
        else:
            shown.add(key)
    opened: set[int] = set()
    for element in may_open:
        outer = around[tree.parents[element]]
        if outer and outer not in opened:
            continue
        runs = inside.get(element, [])
        copied = sum(run_words for key, run_words in runs if key in shown)
        if 2 * copied <= sum(run_words for _, run_words in runs):
            opened.add(element)
            shown.update(key for key, _ in runs)
    return opened


def _show_pictures(tokens: TokenStream, tree: VisibilityTree, shown: Flags) -> Flags:
    """Return the elements that are shown, pictures of a ``noscript`` in place of those right before it.

    A picture that loads late is in a ``noscript`` behind its placeholder: it is shown, and the placeholder
    not.
    """
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


def _hide_drawn(tree: VisibilityTree, shown: Flags) -> Flags:
    """Return the elements that are shown, without what is drawn beside a formula that is.

    A formula is often on a page twice, as ``math`` and drawn.  The ``math`` is shown, also where it is hidden
    behind its picture (Wikipedia).  Its picture is not, nor what flows beside it in the same element and is
    ``aria-hidden`` (KaTeX, MathJax).
    """
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
