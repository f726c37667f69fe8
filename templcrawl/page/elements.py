"""The element tree of a page, from its token stream: the parent of each element, and its range of tokens.

n tokens, m elements in document order, of depth at most d; element 0 is the document itself.  Cost: O(n), and
O(m log d) in numpy for paths.  Source: the HTML standard, section 13.  Departures: misnested formatting
elements are not reopened, and content that a table may not hold stays where it was written
(``docs/measured.md`` counts them).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt

from templcrawl.page.arrays import (
    MIX,
    Bytes,
    Indices,
    Keys,
    before,
    distinct,
    indices,
    jumps,
    lazy,
    lazy_list,
    path_keys,
)
from templcrawl.page.tokens import COMMENT, END, SPACE, START, TEXT, UNREAD, VOID, TokenStream
from templcrawl.page.vocabulary import (
    ANCHOR,
    BREAKS_OUT,
    END_SCOPES,
    FOREIGN,
    FOREIGN_ROOTS,
    FORMATTING,
    HEAD_CONTENT,
    HEADINGS,
    IMPLIED_ENDS,
    SCOPE,
    SETTLED,
    SPECIAL,
    TABLE_CONTEXT,
)

_REACH = 64  # open elements that a search for what an end tag closes looks at: linear on any page
_UNSETTLED = FOREIGN | {"head"}
_UNREAD = bytes([UNREAD])
_BLANK = bytes([SPACE, COMMENT])


class Elements:
    """The element tree of a page as parallel arrays, in document order; most of them are lists, too.

    names          element -> lower-case tag name; "" for the document
    parent_array   element -> its parent; -1 for the document (element 0); always smaller than the element
    open_array     element -> position of its start tag
    close_array    element -> position after its last token
    visible_array  element -> whether text in it is visible (:mod:`templcrawl.page.visibility`)
    shown_array    element -> whether a reader sees it, at once or in a panel that he opens
    hidden_array   element -> whether the page hides it, though its text is visible: panels, too
    owner_array    token -> the innermost element that covers it; a tag belongs to its own element,
                   the unread rest of a page to the document
    """

    names: list[str]
    parent_array: Indices
    open_array: Indices
    close_array: Indices
    visible_array: npt.NDArray[np.bool_]
    shown_array: npt.NDArray[np.bool_]
    hidden_array: npt.NDArray[np.bool_]
    owner_array: Indices
    parents: list[int] = lazy_list("parent_array")
    opens: list[int] = lazy_list("open_array")
    closes: list[int] = lazy_list("close_array")
    visible: list[bool] = lazy_list("visible_array")
    shown: list[bool] = lazy_list("shown_array")
    owners: list[int] = lazy_list("owner_array")

    def __init__(self, tokens: TokenStream) -> None:
        self._tokens = tokens

    def __len__(self) -> int:
        return len(self.parent_array)

    @lazy
    def anchors(self) -> list[int]:
        """Positions of the ``a`` and ``area`` start tags."""
        anchors: list[int] = self.open_array[self.traits & ANCHOR > 0].tolist()
        return anchors

    @lazy
    def characters_before(self) -> Indices:
        """Token -> characters of visible text before it, the unread rest included; at the end all of them."""
        tokens = self._tokens
        is_seen = self.visible_array[self.owner_array]
        is_text = ((tokens.kind_array == TEXT) & is_seen) | (tokens.kind_array == UNREAD)
        return before(tokens.lengths * is_text)

    def classed(self, classes: Mapping[str, int]) -> Bytes:
        """Return element -> the class of its name, of names that rules know; 0 of all others."""
        return np.fromiter((classes.get(name, 0) for name in self.names), np.uint8, len(self))

    @lazy
    def above(self) -> list[Indices]:
        """For i = 0, 1, ...: element -> its ancestor 2^i levels up."""
        return jumps(self.parent_array)

    def tag_values(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return element -> the value of its start tag; 0 of the document.

        values  form -> its value
        """
        own = np.zeros(len(self), values.dtype)
        own[1:] = values[self._forms]
        return own

    @lazy
    def _forms(self) -> Indices:
        """Element but the document -> form of its start tag."""
        return self._tokens.form_array[self.open_array[1:]]

    @lazy
    def traits(self) -> npt.NDArray[np.uint16]:
        """Element -> bits of its start tag (``traits.traits_of``)."""
        return self.tag_values(np.array(self._tokens.tag_fields.traits, dtype=np.uint16))

    @lazy
    def paths(self) -> Keys:
        """Element -> key of its path of tag names."""
        return self.paths_of(np.frombuffer(b"".join(self._tokens.tag_fields.key), dtype=np.uint64))

    @lazy
    def whole_paths(self) -> Keys:
        """Element -> key of its path, each tag with all of its words: where, and in what, it stands."""
        return self.paths_of(np.frombuffer(b"".join(self._tokens.tag_fields.whole), dtype=np.uint64))

    def paths_of(self, steps: Keys) -> Keys:
        """Return element -> key of its path.

        steps  form of a start tag -> what it adds to a path
        """
        return path_keys(self.tag_values(steps), self.above)

    def structure(self) -> Keys:
        """Return the features of the page's structure: 64-bit keys, ascending, equal in every process.

        They are its root-to-node paths of tag names, and such paths with one class word, with the id, or (for
        ``meta``, ``link`` and ``input``) with what the element names; digits are read as ``#``.  A set, so a
        list of any length looks the same.  Attributes of ``html`` and ``body`` are not read.
        """
        words = self._tokens.tag_fields.words
        flat = np.frombuffer(b"".join(words), dtype=np.uint64)
        lengths = indices(list(map(len, words))) // flat.itemsize
        counts, firsts = self.tag_values(lengths), self.tag_values(lengths.cumsum() - lengths)
        ends = counts.cumsum()
        word_positions = (firsts - ends + counts).repeat(counts) + np.arange(ends[-1])
        worded = (self.paths.repeat(counts) ^ flat[word_positions]) * np.uint64(MIX)
        return distinct(np.concatenate((self.paths[1:], worded)))


def read_elements(tokens: TokenStream) -> Elements:
    """Read the elements of a page from its tokens."""
    from templcrawl.page.panels import VisibilityTree  # the kernel does without these
    from templcrawl.page.visibility import seen_elements

    elements = Elements(tokens)
    kinds = tokens.kind_array
    is_tag = (kinds >= START) & (kinds <= END)
    tags = is_tag.nonzero()[0]
    kinds = kinds[tags]
    is_opening = kinds != END
    names = [tokens.form_names[form] for form in tokens.form_array[tags].tolist()]
    elements.open_array = np.zeros(np.count_nonzero(is_opening) + 1, dtype=np.intp)
    elements.open_array[1:] = tags[is_opening]
    elements.names = ["", *compress(names, is_opening.tolist())]
    walk = _Walk(elements.names, (elements.open_array + 1).tolist())
    ended, after = walk.over(tokens.kinds, tags.tolist(), kinds.tobytes(), names)
    read = len(tokens) - tokens.kinds.endswith(_UNREAD)
    walk.pop(1, read)
    walk.pop(0, len(tokens))
    elements.parent_array, elements.close_array = indices(walk.parents), indices(walk.closes)
    elements.owner_array = indices(after)[is_tag.cumsum()]
    elements.owner_array[tags[is_opening]] = np.arange(1, len(elements))
    elements.owner_array[tags[~is_opening]] = indices(ended)
    elements.owner_array[read:] = 0
    tree = VisibilityTree(elements.names, walk.parents, elements.opens, walk.closes, elements.traits)
    seen = seen_elements(tokens, elements.owner_array, tree)
    elements.visible_array, elements.shown_array, elements.hidden_array = seen
    return elements


class _Walk:
    """One walk over the tags of a page: who is whose parent, and where each element closes.

    A start tag first ends what it implies the end of (a new ``li`` ends the last one, a ``div`` ends a
    paragraph), then opens its element; an end tag closes the nearest open element of its name within its
    scope, and everything inside that.  An end tag without a start tag changes nothing; what is never closed
    ends with its parent.  A formatting element whose end tag stands in a block inside it ends with that
    block.  A search in the stack of open elements looks at most at ``_REACH`` of them or pops what it passes.

    names    element -> its tag name
    parents  element -> its parent
    closes   element -> position after its start tag, and once it has closed after its last token
    """

    def __init__(self, names: list[str], closes: list[int]) -> None:
        self.names = names
        self.closes = closes
        self.parents = [-1] * len(names)
        self._stack = [0]
        self._over: set[int] = set()

    def over(
        self, kinds: bytes, tags: list[int], tag_kinds: bytes, tag_names: list[str]
    ) -> tuple[list[int], list[int]]:
        """Walk; return the element of each end tag, and the innermost open one after each tag.

        kinds      kind of each token
        tags       positions of the tags; before the first one the document is open
        tag_kinds  their kinds
        tag_names  their names
        """
        stack, names, parents, closes = self._stack, self.names, self.parents, self.closes
        over = self._over
        ended, after = [], [0]
        element = top = 0
        top_name = ""
        for position, kind, name in zip(tags, tag_kinds, tag_names):
            if kind == END:
                if top_name == name:
                    ended.append(top)
                    closes[top] = position + 1
                    stack.pop()
                else:
                    ended.append(self._close(name, position))
                if over and stack[-1] in over:
                    self._end_over(position + 1)
                top = stack[-1]
                top_name = names[top]
            else:
                element += 1
                settled = SETTLED.get(name)
                if top_name not in settled if settled is not None else top_name in _UNSETTLED:
                    self._imply(name, top_name, position)
                    if over and stack[-1] in over:
                        self._end_over(position)
                    top = stack[-1]
                    top_name = names[top]
                    if name == "form" and top_name in TABLE_CONTEXT:
                        kind = VOID
                parents[element] = top
                if kind == START:
                    stack.append(element)
                    top = element
                    top_name = name
            if top_name == "head" and _text_follows(kinds, position + 1):
                self.pop(len(stack) - 1, position + 1)
                top = stack[-1]
                top_name = names[top]
            after.append(top)
        return ended, after

    def _imply(self, name: str, top_name: str, position: int) -> None:
        """Close what a start tag implies the end of."""
        stack, names = self._stack, self.names
        if top_name == "head":
            if name not in HEAD_CONTENT:
                self.pop(len(stack) - 1, position)
            return
        if top_name in FOREIGN and name in BREAKS_OUT:
            self._end(FOREIGN_ROOTS, lambda name: name not in FOREIGN, position)
        for ended, barriers in IMPLIED_ENDS.get(name, ()):
            top_name = names[stack[-1]]
            if barriers is None:
                if top_name in ended:
                    self.pop(len(stack) - 1, position)
            elif top_name not in barriers:
                self._end(ended, barriers.__contains__, position)

    def _end(self, ended: frozenset[str], is_barrier: Callable[[str], bool], position: int) -> None:
        """Close the outermost open element that is named, up to a barrier or to the reach of the search."""
        stack, names = self._stack, self.names
        outermost = 0
        for depth in range(len(stack) - 1, max(0, len(stack) - _REACH), -1):
            open_name = names[stack[depth]]
            if open_name in ended:
                outermost = depth
            elif is_barrier(open_name):
                break
        if outermost:
            self.pop(outermost, position)

    def _close(self, name: str, position: int) -> int:
        """Close the nearest open element of this name in scope; return it, or the innermost open one."""
        stack, names = self._stack, self.names
        scope = END_SCOPES.get(name, SPECIAL)
        is_heading = name in HEADINGS
        is_held = False
        for depth in range(len(stack) - 1, max(0, len(stack) - _REACH), -1):
            open_name = names[stack[depth]]
            if open_name == name or (is_heading and open_name in HEADINGS):
                element = stack[depth]
                if is_held:
                    self._over.add(element)
                    break
                self.pop(depth, position)
                self.closes[element] = position + 1
                return element
            if open_name in scope:
                if is_held or name not in FORMATTING:
                    break
                is_held, scope = True, SCOPE
        return stack[-1]

    def _end_over(self, position: int) -> None:
        """Close the innermost elements whose end tags stood inside of a block within them."""
        while self._stack[-1] in self._over:
            self._over.remove(self._stack[-1])
            self.pop(len(self._stack) - 1, position)

    def pop(self, depth: int, position: int) -> None:
        """Close the open elements from a depth on."""
        for element in self._stack[depth:]:
            self.closes[element] = position
        del self._stack[depth:]


def _text_follows(kinds: bytes, position: int) -> bool:
    while position < len(kinds) and kinds[position] in _BLANK:
        position += 1
    return position < len(kinds) and kinds[position] == TEXT
