"""Find hidden elements that a control beside them opens, for :mod:`templcrawl.page.visibility`.

A *toggle* leads nowhere: a button, a link to nothing, a ``label`` of a box, what reacts to a click.
Unless a field of a form is in it, an element opens if it is

- one of several side by side of one tag and first class word, of which at least one is shown, and no more
  than are hidden, as where a script counts tabs;
- of ``MIN_PANEL`` words or more and right behind a toggle, or a short element that has one;
- of as many words, or a row behind other rows, right in front of such a toggle ("show more"), in no form;
- an answer: behind a label of its parent that is shown and leads nowhere, where several such pairs, alike by
  the tags and first class words of parent, label and answer, say different things; in no form, where errors
  stand behind labels.

m elements, h of them hidden, n tokens.  Cost: O(m + n + h log m).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence, Set
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from templcrawl.page.arrays import MASK, before, indices, inherited, jumps
from templcrawl.page.tokens import TEXT, Tag, TokenStream
from templcrawl.page.vocabulary import (
    ANCHOR,
    FIELDS,
    FLOWING,
    HIDDEN,
    MAY_OPEN,
    MIN_PANEL,
    SIDE_BY_SIDE,
    SKELETON,
    TOGGLE,
)

_ROWS = frozenset({"li", "tr"})
_OUTWARD = 3  # elements around one, beside which a toggle behind it may stand


class VisibilityTree(NamedTuple):
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


def panels_beside(
    tokens: TokenStream, tree: VisibilityTree, tag_of: Sequence[Tag], hidden: Sequence[int]
) -> Set[int]:
    """Return the hidden elements that are panels by what stands beside them.

    tag_of  element -> its start tag
    """
    found = [element for element in hidden if tree.names[element] in MAY_OPEN]
    return _Neighbours(tokens, tree, tag_of, found).panels() if found else frozenset()


class _Neighbours:
    """The surroundings and contents of hidden elements."""

    def __init__(
        self, tokens: TokenStream, tree: VisibilityTree, tag_of: Sequence[Tag], found: Sequence[int]
    ) -> None:
        self._tree, self._tag_of = tree, tag_of
        self._previous = [0] * len(tree.names)  # element -> the one before it in its parent, 0 for none
        last = self._previous.copy()  # element -> its last child so far
        for element, parent in enumerate(tree.parents[1:], 1):
            self._previous[element] = last[parent]
            last[parent] = element
        texts, forms = tokens.texts, tokens.form_array
        self._words = before(texts.words[forms])
        self._keys = before((texts.keys[forms] * (tokens.kind_array == TEXT)).view(np.intp))
        self._blocks = before(tree.traits & FLOWING == 0)
        self._toggles = before(tree.traits & (TOGGLE | HIDDEN) == TOGGLE)
        self._links = before(tree.traits & (TOGGLE | ANCHOR) == ANCHOR)
        self._fields = before(np.array([name in FIELDS for name in tree.names]))
        forms_around = np.array([name == "form" for name in tree.names])
        self._in_form = inherited(forms_around.view(np.uint8), jumps(indices(tree.parents)))
        self._sides = [element for element in found if tree.names[element] in SIDE_BY_SIDE]
        self._found = [element for element in found if not self._within(self._fields, element)]

    def panels(self) -> Set[int]:
        """Return the panels."""
        answers, tabs = self._answers(), self._tabs()

        def is_panel(element: int) -> bool:
            is_long = self._length(element) >= MIN_PANEL
            if is_long and self._is_behind_toggle(element):
                return True
            is_row = self._tree.names[element] in _ROWS and self._previous[element] > 0
            return (is_long or is_row) and not self._in_form[element] and self._is_before_toggle(element)

        return answers | tabs | set(filter(is_panel, self._found))

    def _length(self, element: int) -> int:
        return int(self._words[self._tree.closes[element]] - self._words[self._tree.opens[element]])

    def _within(self, sums: npt.NDArray[np.int64], element: int) -> int:
        """Return how many elements of a kind are inside of an element."""
        return int(sums[self._tree.stop(element)] - sums[element + 1])

    def _is_page(self, element: int) -> bool:
        return not element or self._tree.names[element] in SKELETON

    def _is_toggle(self, element: int) -> bool:
        """Return whether an element is a toggle, or a short one that has some."""
        tree = self._tree
        if tree.traits[element] & HIDDEN or self._length(element) >= MIN_PANEL:
            return False
        return bool(self._toggles[tree.stop(element)] > self._toggles[element])

    def _is_behind_toggle(self, element: int) -> bool:
        """Return whether a toggle is right before an element, or before its parent that begins with it."""
        label, around = self._previous[element], self._tree.parents[element]
        starts = self._words[self._tree.opens[element]] == self._words[self._tree.opens[around]]
        if not label and starts and not self._is_page(around):
            label = self._previous[around]
        return label > 0 and self._is_toggle(label)

    def _is_before_toggle(self, element: int) -> bool:
        """Return whether the next element is a toggle, hidden ones skipped, without text between."""
        tree = self._tree
        around, after, closed = tree.parents[element], tree.stop(element), tree.closes[element]
        while after < len(tree.names) and tree.parents[after] == around and tree.traits[after] & HIDDEN:
            after, closed = tree.stop(after), tree.closes[after]
        if after == len(tree.names) or self._words[tree.opens[after]] > self._words[closed]:
            return False
        reach = _OUTWARD if not self._is_page(around) else 0
        while reach and tree.parents[after] != around:
            around, reach = tree.parents[around], reach - 1 if not self._is_page(around) else 0
        return reach > 0 and self._is_toggle(after)

    def _tabs(self) -> Set[int]:
        """Return the elements side by side of which some are shown."""
        parents = self._tree.parents
        kinds = {element: (parents[element], self._tag_of[element].step) for element in self._sides}
        hidden_counts, wanted = Counter(kinds.values()), {*kinds.values()}
        pairs = zip(parents, (tag.step for tag in self._tag_of))
        every = Counter(kind for kind in pairs if kind in wanted)

        def is_tab(element: int) -> bool:
            kind = kinds[element]
            is_block = self._length(element) >= MIN_PANEL or self._within(self._blocks, element) > 0
            is_some = 0 < every[kind] - hidden_counts[kind] <= hidden_counts[kind]
            return is_block and is_some and bool(self._tag_of[element].classes)

        return set(filter(is_tab, kinds.keys() & {*self._found}))

    def _answers(self) -> Set[int]:
        pairs: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
        for element in self._found:
            label = self._previous[element]
            if label and self._length(element) and self._is_label(label) and not self._in_form[element]:
                around = self._tree.parents[element]
                kind = tuple(self._tag_of[each].step if each else 0 for each in (around, label, element))
                pairs[kind].append(element)
        return {element for alike in pairs.values() if self._differ(alike) for element in alike}

    def _is_label(self, element: int) -> bool:
        is_led = self._links[self._tree.stop(element)] > self._links[element]
        is_some = 0 < self._length(element) < 2 * MIN_PANEL
        return is_some and not is_led and not self._tree.traits[element] & HIDDEN

    def _differ(self, answers: Sequence[int]) -> bool:
        """Return whether answers say different things, and enough."""
        opens, closes, keys = self._tree.opens, self._tree.closes, self._keys
        said = {(int(keys[closes[answer]]) - int(keys[opens[answer]])) & MASK for answer in answers}
        return len(said) > 1 and sum(map(self._length, answers)) >= MIN_PANEL
