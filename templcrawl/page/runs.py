"""The text of a page as runs, each with its position and a key, and as terms.

*Text runs* are those that are visible.  A run is met again on another page where the same words stand on the
same path of tag names, whatever the attributes on the way and wherever a link leads, and are hidden on both
or on neither: a page that has "Sold out" in its markup and hides it does not say so.  In links and in
furniture that makes no difference: a site hides on one page the branch of its menu that it shows on the next.
The key of a run is equal in every process; white space inside a run is folded for it.

n runs, m elements.  Cost: O(m + length of the text); a distinct run or tag is read once;
O(number of terms), in numpy, for terms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

import numpy as np

from templcrawl.page.addresses import Links
from templcrawl.page.arrays import (
    MIX,
    Bytes,
    Flags,
    Indices,
    Keys,
    before,
    depths_of,
    indices,
    inherited,
    lazy,
    lazy_list,
)
from templcrawl.page.elements import Elements
from templcrawl.page.text import hashes_of, key_of
from templcrawl.page.tokens import TEXT, TokenStream
from templcrawl.page.vocabulary import (
    ALL_HINTS,
    ARTICLE,
    FRAME,
    FURNITURE,
    LINKED,
    LISTED,
    NAMED,
    PAGE_PART,
    SECTION,
    SELECT,
    TITLE,
)

# Shares of the page's words outside links, and of all: an element that has more is not ``NAMED``.
MAX_UNLINKED, MAX_WORDS = 1 / 2, 2 / 3
# A share and a number of the words outside links: an element that holds more is no ``FURNITURE``.
MAX_TEXT, MIN_TEXT = 4 / 5, 100
OUT_OF_SIGHT = 0x5851F42D4C957F2D  # what tells the key of a run that is hidden from that of one in sight
MIN_CHOICES = 12  # options of a ``select`` that leads somewhere
WITHOUT_LEVEL = frozenset({"", "html", "body"})
TITLE_MARKS = "|–—·»«"
_BETWEEN_PARTS = re.compile(rf" [-/:]+ | ?[{TITLE_MARKS}] ?|: ")


class TextRuns:
    """The visible text runs of a page, in order, as parallel arrays of n.

    positions  run -> position of its token
    elements   run -> the innermost element that covers it
    words      run -> its number of words
    hints      run -> bits of its hints, below ``ALL_HINTS``
    texts      run -> key of its words
    keys       run -> key of its words and its path of tag names, xor ``OUT_OF_SIGHT`` where it is hidden
    hidden     run -> whether it is hidden, in neither a link nor furniture
    depths     element -> how many levels it stands below the ``body``, at most 255

    hidden_in_sight  for each run that is hidden the key that it has where it is in sight
    """

    positions: Indices
    elements: Indices
    words: Indices
    hints: Bytes
    texts: Keys
    keys: Keys
    hidden: Flags
    depths: Bytes

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def keys_in_sight(self) -> Keys:
        """Run -> the key that it has where it is in sight."""
        keys: Keys = self.keys ^ self.hidden * np.uint64(OUT_OF_SIGHT)
        return keys

    hidden_in_sight: Keys = lazy(lambda runs: runs.keys[runs.hidden] ^ np.uint64(OUT_OF_SIGHT))


def read_text_runs(tokens: TokenStream, elements: Elements) -> TextRuns:
    """Read the visible text runs of a page."""
    runs, texts = TextRuns(), tokens.texts
    positions = (tokens.kind_array == TEXT).nonzero()[0]
    owners = elements.owner_array[positions]
    seen = elements.visible_array[owners]
    runs.positions = positions[seen]
    runs.elements = owners[seen]
    forms = tokens.form_array[runs.positions]
    runs.texts, runs.words = texts.keys[forms], texts.words[forms]
    hints, runs.depths = _outline(tokens, elements, runs)
    runs.hints = hints[runs.elements]
    title = tokens.title
    titles = set(map(key_of, {title, *_BETWEEN_PARTS.split(title)} - {""}))
    for run in _title_runs(runs, titles):
        runs.hints[run] |= TITLE
    runs.hints &= ALL_HINTS - 1
    in_sight = FURNITURE | NAMED | LINKED
    runs.hidden = elements.hidden_array[runs.elements] & (runs.hints & np.uint8(in_sight) == 0)
    runs.keys = runs.texts * np.uint64(MIX) ^ elements.paths[runs.elements]
    runs.keys ^= runs.hidden * np.uint64(OUT_OF_SIGHT)
    return runs


def _title_runs(runs: TextRuns, titles: Set[int]) -> Iterator[int]:
    """Yield the runs that name a page, by the keys of its title and of the parts of that.

    A run names the page where, outside of furniture and lists, it is what the ``title`` says, or a part of it
    ("Lamps" of "Lamps | The shop").  Where no such run says that, the first one does that is ``NAMED``, and
    neither linked nor in a list: many pages have their title in a box with the class "header".
    """
    in_named, said = dict[int, int](), set[int]()
    hints = runs.hints
    for run in [run for run, key in enumerate(runs.texts.tolist()) if key in titles]:
        key = int(runs.texts[run])
        if not hints[run] & (FURNITURE | NAMED | LISTED):
            yield run
            said.add(key)
        elif hints[run] & TITLE:
            said.add(key)
        elif not hints[run] & (FURNITURE | LINKED | LISTED):
            in_named.setdefault(key, run)
    yield from (run for key, run in in_named.items() if key not in said)


def _outline(tokens: TokenStream, elements: Elements, runs: TextRuns) -> tuple[Bytes, Bytes]:
    """Return element -> hints, levels below the body.

    Hints are what the markup around a run claims of it (:mod:`templcrawl.page.vocabulary`), gathered from all
    elements around it, with what only the page can tell:

    - a ``header`` or ``footer`` inside ``article``, ``main`` or ``section`` belongs to the text, as the HTML
      standard has it;
    - the options of a ``select`` of twelve or more lead somewhere, like links;
    - an element that holds more than half of the page's words outside links, or two thirds of all its words,
      is not ``NAMED``;
    - nor is one furniture that holds more than four fifths of the words outside links, a hundred at least: a
      page may stand in an ``aside``, or in a ``header`` that nothing closes.

    runs  of which ``positions``, ``elements`` and ``words`` are set

    Both gather something over an element's ancestors, by doubling: after step i each element
    knows it of its nearest 2^i ancestors, itself included.
    """
    above, traits = elements.above, elements.traits
    hints = elements.tag_values(np.frombuffer(bytes(tokens.tag_fields.hints), dtype=np.uint8))
    around = inherited(hints & np.uint8(ARTICLE) | (traits & SECTION > 0), above)
    hints[(hints & PAGE_PART > 0) & (around == 0)] |= FURNITURE
    hints[around & ARTICLE > 0] &= 0xFF ^ NAMED
    selects = (traits & SELECT).nonzero()[0]
    if len(selects):
        first, last = runs_inside(elements, runs.positions, selects)
        hints[selects[last - first >= MIN_CHOICES]] |= LINKED
    claimed = (hints & (NAMED | FURNITURE)).nonzero()[0]
    if len(claimed):
        bounds = runs_inside(elements, runs.positions, claimed)
        is_unlinked = inherited(hints & np.uint8(LINKED), above)[runs.elements] == 0
        unlinked, all_unlinked = _held(runs.words * is_unlinked, bounds)
        words, all_words = _held(runs.words, bounds)
        holds_most = (unlinked > MAX_UNLINKED * all_unlinked) | (words > MAX_WORDS * all_words)
        hints[claimed[holds_most]] &= 0xFF ^ NAMED
        holds_text = (unlinked > MAX_TEXT * all_unlinked) & (unlinked >= MIN_TEXT)
        hints[claimed[holds_text]] &= 0xFF ^ FURNITURE
    is_level = traits & FRAME == 0
    is_level[0] = False
    return inherited(hints & np.uint8(0xFF ^ PAGE_PART), above), depths_of(is_level, above)


def _held(words: Indices, bounds: tuple[Indices, Indices]) -> tuple[Indices, int]:
    """Return how many words stand between some bounds, and all of them."""
    sums, (starts, stops) = before(words), bounds
    return sums[stops] - sums[starts], int(sums[-1])


def runs_inside(
    elements: Elements, positions: Indices, asked: Indices | slice = slice(None)
) -> tuple[Indices, Indices]:
    """Return for each of some elements the first run in it and the one after its last.

    positions  run -> position of its token
    asked      these elements; by default all
    """
    opens, closes = elements.open_array[asked], elements.close_array[asked]
    return positions.searchsorted(opens), positions.searchsorted(closes)


class Terms:
    """The terms of a page.

    They are its words and the addresses of its links, as 64-bit hashes in reading order.  Pages and pagelets
    are compared by them when it does not matter how they are marked up. Hashes are xxh3, equal in every
    process (:mod:`templcrawl.page.text`).

    hashes       the hash of each term, in order
    start_array  token -> number of terms before it; n + 1 numbers for n tokens; as a list ``starts``
    """

    hashes: Keys
    start_array: Indices
    starts: list[int] = lazy_list("start_array")


def read_terms(tokens: TokenStream, links: Links) -> Terms:
    """Read the terms of a page."""
    terms, texts = Terms(), tokens.texts
    counts, firsts, urls = texts.terms.copy(), texts.firsts.copy(), indices(list(links.form_urls))
    counts[urls] = 1
    firsts[urls] = np.arange(len(texts.hashes), len(texts.hashes) + len(urls))
    hashes = np.concatenate((texts.hashes, hashes_of(links.form_urls.values())))
    token_counts = counts[tokens.form_array]
    terms.start_array = before(token_counts)
    at = (firsts[tokens.form_array] - terms.start_array[:-1]).repeat(token_counts)
    terms.hashes = hashes[at + np.arange(len(at))]
    return terms
