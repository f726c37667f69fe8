"""The leaves of a page: its visible text runs, each with where it stands and a key to know it by.

A leaf is met again on another page where the same words stand on the same path of tag names, whatever
the attributes on the way and wherever a link leads.  Its key is equal in every process; white space
inside a run is folded for it.

``hints`` say what the markup around a leaf claims: whether it is linked, and whether it stands in an
element that the HTML standard means for furniture (``nav``, ``aside``, ``menu``, their ARIA roles,
and ``header`` and ``footer`` of the page: inside ``article`` or ``main`` they belong to the text), in a
dialog, or in an element that is named like a header, a footer or a navigation bar.

n leaves, m elements.  Cost: O(m + length of the text); a distinct run or tag is read once.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt
from xxhash import xxh3_64_intdigest

from templcrawl.page.elements import Elements
from templcrawl.page.links import attribute
from templcrawl.page.tokens import TEXT, TokenStream

LINKED, FURNITURE, NAMED, DIALOG, ARTICLE = 1, 2, 4, 8, 16
"""Bits of a leaf's hints."""

ALL_HINTS = 32

_PAGE_PART = 32

_OF_NAME = {
    "a": LINKED,
    **dict.fromkeys(("nav", "aside", "menu"), FURNITURE),
    **dict.fromkeys(("header", "footer"), _PAGE_PART),
    **dict.fromkeys(("article", "main"), ARTICLE),
}
_OF_ROLE = {
    **dict.fromkeys("navigation contentinfo complementary banner menu menubar".split(), FURNITURE),
    **dict.fromkeys("dialog alert search toolbar tooltip tablist button status".split(), DIALOG),
    "main": ARTICLE,
}
_NEVER_NAMED = frozenset({"html", "body", "main", "article"})
_HREF = re.compile(r"\bhref\b", re.IGNORECASE).search
_MAY_HINT = re.compile(r"role|nav|header|footer", re.IGNORECASE).search
_NAMED_SO = re.compile(r"(?<![a-z])(?:nav|header|footer)", re.IGNORECASE).search
_WORD = re.compile(r"\w+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_MIX = 0x9E3779B97F4A7C15
_MASK = 0xFFFFFFFFFFFFFFFF

Keys = npt.NDArray[np.uint64]


def count_words(text: str) -> int:
    """Count the words of a text; where words are not spaced (Chinese, Japanese), each character is one.

    >>> count_words("two words, 日本"), count_words("| * |")
    (4, 0)
    """
    words = len(_WORD.findall(text))
    if words and not text.isascii():
        wide = len(_WIDE.findall(text))
        if wide:
            return wide + len(_WORD.findall(_WIDE.sub(" ", text)))
    return words


class Leaves:
    """The leaves of a page, in order, as parallel arrays of n.

    places    leaf -> its token
    elements  leaf -> the innermost element that covers it
    words     leaf -> its number of words
    hints     leaf -> bits ``LINKED``, ``FURNITURE``, ``NAMED``, ``DIALOG``, ``ARTICLE``
    keys      leaf -> key of its words and its path of tag names
    """

    __slots__ = ("elements", "hints", "keys", "places", "words")

    def __init__(self, tokens: TokenStream, elements: Elements) -> None:
        places = np.flatnonzero(tokens.kind_array == TEXT)
        owners = elements.owner_array[places]
        seen = elements.visible_array[owners]
        self.places = places[seen]
        self.elements = owners[seen]
        hints, paths = _outline(tokens, elements)
        self.hints = hints[self.elements]
        forms = tokens.form_array[self.places]
        keys, words = _texts(tokens)
        self.words = words[forms]
        self.keys: Keys = keys[forms] * np.uint64(_MIX) ^ paths[self.elements]

    def __len__(self) -> int:
        return len(self.places)


def _texts(tokens: TokenStream) -> tuple[Keys, npt.NDArray[np.intp]]:
    """Return form -> (key of its folded text, number of its words); 0 for forms that are no text."""
    runs = [form for form, kind in enumerate(tokens.form_kinds) if kind == TEXT]
    keys = np.zeros(len(tokens.forms), dtype=np.uint64)
    words = np.zeros(len(tokens.forms), dtype=np.intp)
    texts = [tokens.forms[form] for form in runs]
    keys[runs] = [
        xxh3_64_intdigest(" ".join(text.split()).encode("utf-8", "surrogatepass")) for text in texts
    ]
    words[runs] = list(map(count_words, texts))
    return keys, words


def _outline(tokens: TokenStream, elements: Elements) -> tuple[npt.NDArray[np.uint8], Keys]:
    """Return element -> (hints, key of its path of tag names)."""
    forms, form_of = tokens.forms, tokens.form_of
    told: dict[int, tuple[int, int]] = {}
    hints, paths = [0], [1]
    for name, opened, parent in zip(elements.names[1:], elements.opens[1:], elements.parents[1:]):
        form = form_of[opened]
        known = told.get(form)
        if known is None:
            known = told[form] = _hint(forms[form], name), xxh3_64_intdigest(name.encode())
        hint, step = known
        around = hints[parent]
        if hint & (_PAGE_PART | NAMED):
            hint = _in_context(hint, around)
        hints.append(around | hint)
        paths.append((paths[parent] * _MIX + step) & _MASK)
    return np.array(hints, dtype=np.uint8), np.array(paths, dtype=np.uint64)


def _in_context(hint: int, around: int) -> int:
    """Headers and footers, by tag or by name, are the page's only outside ``article`` and ``main``."""
    if around & ARTICLE:
        return hint & ~(_PAGE_PART | NAMED)
    return (hint & ~_PAGE_PART) | (FURNITURE if hint & _PAGE_PART else 0)


def _hint(tag: str, name: str) -> int:
    """Read what a start tag claims."""
    hint = _OF_NAME.get(name, 0)
    if hint == LINKED and not _HREF(tag):
        hint = 0
    if _MAY_HINT(tag, len(name) + 1):
        hint |= _OF_ROLE.get(attribute(tag, "role").strip().lower(), 0)
        if name not in _NEVER_NAMED and _NAMED_SO(f"{attribute(tag, 'class')} {attribute(tag, 'id')}"):
            hint |= NAMED
    return hint
