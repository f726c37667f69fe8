"""The text of a page as runs, each with its position and a key, and as terms.

*Text runs* are those that are visible.  A run is met again on another page where the same words stand on
the same path of tag names, whatever the attributes on the way and wherever a link leads.  Its key is equal
in every process; white space inside a run is folded for it.

``hints`` are what the markup around a run claims of it (:mod:`templcrawl.page.vocabulary`), gathered from all
elements around it, with what only the page can tell: a ``header`` or ``footer`` inside ``article``, ``main``
or ``section`` belongs to the text, as the HTML standard has it; the options of a ``select`` of twelve or more
lead somewhere, like links; an element that holds more than half of the page's words outside links, or two
thirds of all its words, is not ``NAMED``;
and a run names the page where, outside of furniture and lists, it is what the ``title`` says, or a part of
it ("Lamps" of "Lamps | The shop").

n runs, m elements.  Cost: O(m + length of the text); a distinct run or tag is read once.

*Terms* are its words and the addresses of its links, as 64-bit hashes in reading order.  They are what
pages and pagelets are compared by when it does not matter how they are marked up. Hashes are xxh3, equal in
every process; each distinct word is hashed once a page. Cost: O(length of the text), most of it in C.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import chain

import numpy as np
import numpy.typing as npt

from templcrawl.page.addresses import url_key
from templcrawl.page.ancestors import MIX, Bytes, Indices, Keys, depths_of, inherited
from templcrawl.page.columns import View
from templcrawl.page.elements import Elements
from templcrawl.page.encoding import text_key
from templcrawl.page.links import Links
from templcrawl.page.memo import Memo
from templcrawl.page.tags import TEXT
from templcrawl.page.tokens import TokenStream
from templcrawl.page.vocabulary import (
    ALL_HINTS,
    ARTICLE,
    FURNITURE,
    LINKED,
    LISTED,
    NAMED,
    PAGE_PART,
    TITLE,
)

MOST_UNLINKED = 1 / 2
MOST_WORDS = 2 / 3
LEAST_CHOICES = 12
WITHOUT_LEVEL = frozenset({"", "html", "body"})
TITLE_MARKS = "|–—·»«"
_BETWEEN_PARTS = re.compile(rf" [-/:]+ | ?[{TITLE_MARKS}] ?|: ")
_WORD = re.compile(r"\w+")
WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


def count_words(text: str) -> int:
    """Count the words of a text; where words are not spaced (Chinese, Japanese), each character is one.

    >>> count_words("two words, 日本"), count_words("| * |")
    (4, 0)
    """
    words = len(_WORD.findall(text))
    if words and not text.isascii():
        wide = len(WIDE.findall(text))
        if wide:
            return wide + len(_WORD.findall(WIDE.sub(" ", text)))
    return words


class TextRuns(View):
    """The visible text runs of a page, in order, as parallel arrays of n.

    positions  run -> position of its token
    elements  run -> the innermost element that covers it
    words     run -> its number of words
    hints     run -> bits of its hints, below ``ALL_HINTS``
    texts     run -> key of its words
    keys      run -> key of its words and its path of tag names
    depths    element -> how many levels it stands below the ``body``, at most 255
    """

    positions: Indices
    elements: Indices
    words: Indices
    hints: Bytes
    texts: Keys
    keys: Keys
    depths: Bytes

    def __len__(self) -> int:
        return len(self.positions)


def read_text_runs(tokens: TokenStream, elements: Elements) -> TextRuns:
    """Read the visible text runs of a page."""
    runs = TextRuns()
    positions = np.flatnonzero(tokens.kind_array == TEXT)
    owners = elements.owner_array[positions]
    seen = elements.visible_array[owners]
    runs.positions = positions[seen]
    runs.elements = owners[seen]
    forms = tokens.form_array[runs.positions]
    keys, words = _texts(tokens)
    runs.words = words[forms]
    hints, runs.depths = _outline(tokens, elements, runs)
    runs.hints = hints[runs.elements]
    is_title = np.isin(keys[forms], _title_keys(tokens)) & (runs.hints & (FURNITURE | NAMED | LISTED) == 0)
    runs.hints[is_title] |= np.uint8(TITLE)
    runs.hints &= np.uint8(ALL_HINTS - 1)
    runs.texts = keys[forms]
    runs.keys = runs.texts * np.uint64(MIX) ^ elements.paths[runs.elements]
    return runs


def _read_text(run: str) -> tuple[int, int]:
    folded = " ".join(run.split())
    return text_key(folded), count_words(folded)


_TEXTS = Memo(_read_text)


def _texts(tokens: TokenStream) -> tuple[Keys, npt.NDArray[np.intp]]:
    """Return form -> (key of its folded text, number of its words); 0 for forms that are no text."""
    forms = [form for form, kind in enumerate(tokens.form_kinds) if kind == TEXT]
    keys = np.zeros(len(tokens.forms), dtype=np.uint64)
    words = np.zeros(len(tokens.forms), dtype=np.intp)
    if forms:
        keys[forms], words[forms] = zip(*map(_TEXTS.__getitem__, map(tokens.forms.__getitem__, forms)))
    return keys, words


def _title_keys(tokens: TokenStream) -> Keys:
    """Return the keys of the page's title and of its parts."""
    parts = {tokens.title, *_BETWEEN_PARTS.split(tokens.title)}
    return np.array([_read_text(part)[0] for part in parts if part], dtype=np.uint64)


def _outline(tokens: TokenStream, elements: Elements, runs: TextRuns) -> tuple[Bytes, Bytes]:
    """Return element -> hints, levels below the body.

    runs  of which ``positions``, ``elements`` and ``words`` are set

    Both gather something over an element's ancestors, by doubling: after step i each element
    knows it of its nearest 2^i ancestors, itself included.
    """
    claims = np.array([tag.hints for tag in tokens.form_tags], dtype=np.uint8)
    hints = np.zeros(len(elements), dtype=np.uint8)
    hints[1:] = claims[tokens.form_array[elements.open_array[1:]]]
    above = elements.above
    in_article = inherited(hints & np.uint8(ARTICLE), above) > 0
    is_section = np.array([name == "section" for name in elements.names], dtype=np.uint8)
    of_text = in_article | (inherited(is_section, above) > 0)
    hints[(hints & PAGE_PART > 0) & ~of_text] |= np.uint8(FURNITURE)
    hints[in_article] &= np.uint8(0xFF ^ NAMED)
    selects = np.array([at for at, name in enumerate(elements.names) if name == "select"], dtype=np.intp)
    first, last = _runs_inside(elements, selects, runs.positions)
    hints[selects[last - first >= LEAST_CHOICES]] |= np.uint8(LINKED)
    named = np.flatnonzero(hints & NAMED)
    if len(named):
        unlinked = runs.words * (inherited(hints & np.uint8(LINKED), above)[runs.elements] == 0)
        holds = _holds(elements, named, runs.positions, unlinked) > MOST_UNLINKED
        holds |= _holds(elements, named, runs.positions, runs.words) > MOST_WORDS
        hints[named[holds]] &= np.uint8(0xFF ^ NAMED)
    is_level = np.array([name not in WITHOUT_LEVEL for name in elements.names])
    return inherited(hints & np.uint8(0xFF ^ PAGE_PART), above), depths_of(is_level, above)


def _holds(elements: Elements, asked: Indices, positions: Indices, words: Indices) -> npt.NDArray[np.float64]:
    """Return what share of the words that stand at some positions each of some elements holds."""
    before = np.concatenate(([0], np.cumsum(words)))
    starts, stops = _runs_inside(elements, asked, positions)
    share: npt.NDArray[np.float64] = (before[stops] - before[starts]) / max(1, before[-1])
    return share


def _runs_inside(elements: Elements, asked: Indices, positions: Indices) -> tuple[Indices, Indices]:
    """Return for each of some elements the first run in it and the one after its last.

    positions  run -> position of its token
    """
    closes = [elements.closes[element] for element in asked.tolist()]
    return np.searchsorted(positions, elements.open_array[asked]), np.searchsorted(positions, closes)


class TermHashes(dict[str, int]):
    """Term -> its hash, worked out when it is first asked for."""

    def __missing__(self, term: str) -> int:
        term_hash = self[term] = text_key(term)
        return term_hash


class Terms(View):
    """The terms of a page.

    hashes       the hash of each term, in order
    start_array  token -> number of terms before it; n + 1 numbers for n tokens
    starts       the same, as a list
    """

    hashes: Keys
    start_array: Indices
    starts: list[int]


def read_terms(tokens: TokenStream, links: Links) -> Terms:
    """Read the terms of a page."""
    terms = Terms(LATE_STARTS)
    words = [form.split() if kind == TEXT else () for form, kind in zip(tokens.forms, tokens.form_kinds)]
    counts = np.array(list(map(len, words)), dtype=np.intp)
    firsts = np.cumsum(counts) - counts
    urls = list(links.form_urls)
    firsts[urls] = int(counts.sum()) + np.arange(len(urls))
    counts[urls] = 1
    hashes = chain(
        map(TermHashes().__getitem__, chain.from_iterable(words)), map(url_key, links.form_urls.values())
    )
    of_forms = np.fromiter(hashes, dtype=np.uint64, count=int(counts.sum()))
    of_tokens = counts[tokens.form_array]
    terms.start_array = np.concatenate(([0], np.cumsum(of_tokens)))
    indices = np.repeat(firsts[tokens.form_array] - terms.start_array[:-1], of_tokens)
    terms.hashes = of_forms[indices + np.arange(len(indices))]
    return terms


LATE_STARTS: Mapping[str, Callable[[Terms], object]] = {"starts": lambda terms: terms.start_array.tolist()}
