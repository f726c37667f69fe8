"""What was added to the content of a page, and what was taken away, between two times that it was read.

Source: none known to us; each page is a set of hashes of its text runs, compared as Broder's sketches are
(see :mod:`templcrawl.algorithms.similarity.shingles`).

A detector judges a text by other pages, so that it may judge the same text otherwise another day.  Content is
therefore never compared with content: a run of the *new content* was added where it stood nowhere on the *old
page*, and a run of the *old content* was taken away where it stands nowhere on the *new page*.  A text that
has only changed sides is neither.  Runs are met again by their words, wherever they stand and whatever the
markup around them: what was moved, or is there once more, is no alteration, nor is a text that is only cut
otherwise into runs (:mod:`templcrawl.algorithms.similarity.recut_runs`).

A number in a sentence often merely counts: pages, visits, years.  So the runs that have digits and letters
are known by their *mask* too, their words with every number alike, that others may judge what moves only in
its numbers.  And a run is known by its *slot*, that others may judge what fills it: its path of tag names
with the class words and ids of the innermost two elements, links left out, where it stands there alone and no
more than ``MOST_ALIKE`` runs share the names.  Amounts of money have neither: a price is never what merely
counts, or rotates.

Of a page with more than ``MOST_RUNS`` distinct runs on either side, those with the lowest hashes are kept of
that side, and what is above the highest of them is taken for unaltered.

Notation: n runs.  Cost: O(n log n), and where something was altered that of telling what is cut otherwise.
Memory: 4 bytes a run; two different runs have equal hashes once in four thousand million times.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from xxhash import xxh3_64_hexdigest

from templcrawl.algorithms.similarity.recut_runs import recut_runs
from templcrawl.algorithms.similarity.run_words import RunHashes, RunWords
from templcrawl.page.ancestors import MASK, MIX, path_keys
from templcrawl.page.encoding import text_key
from templcrawl.page.entities import unescape
from templcrawl.page.memo import Memo
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation

MOST_RUNS = 4_096
MOST_MASKS = 256
MOST_SLOTS = 256
MOST_ALIKE = 64
NUMBER = re.compile(r"\d[\d.,:]*")
_HALF = np.uint64(32)


class RunSketch(NamedTuple):
    """The text runs of a separated page.

    text     hash of their words, in order
    content  distinct hashes of those of the content, ascending
    rest     the same of those that stand in the template alone
    masks    run that has digits -> its mask
    slots    run that stands alone in a slot -> the slot
    """

    text: int
    content: RunHashes
    rest: RunHashes
    masks: Mapping[int, int]
    slots: Mapping[int, int]


class Alterations(NamedTuple):
    """Runs of content: those that were added, and those that were taken away."""

    added: frozenset[int]
    removed: frozenset[int]


def _mask(run: str) -> int:
    """Return the mask of a run, 0 where it has none.

    >>> _mask("Read 7 times") == _mask("Read 1,024 times") != 0, _mask("Read often"), _mask("Now \u20ac 6")
    (True, 0, 0)
    """
    if not any(character.isdecimal() for character in run):
        return 0
    masked = NUMBER.sub("0", " ".join(run.split()))
    has_words = any(character.isalpha() for character in masked)
    return text_key(masked) >> 32 if has_words and not _is_money(masked) else 0


def _is_money(run: str) -> bool:
    return any(unicodedata.category(character) == "Sc" for character in run)


_MASKS = Memo(_mask)
_MONEY = Memo(_is_money)
_NAMES = Memo(text_key)


def run_sketch(separation: Separation, words: RunWords) -> RunSketch:
    """Return the sketch of a page.

    words  of the page
    """
    hashes = words.runs
    is_content = _of_content(separation)
    content = np.unique(hashes[is_content & (hashes > 0)])
    rest = np.setdiff1d(hashes[hashes > 0], content)
    masks = zip(hashes.tolist(), map(_MASKS.__getitem__, _texts(separation, np.arange(len(hashes)))))
    masked = dict(islice(((run, mask) for run, mask in masks if mask), MOST_MASKS))
    slots = _slots(separation, hashes)
    return RunSketch(words.text(), content[:MOST_RUNS], rest[:MOST_RUNS], masked, slots)


def _of_content(separation: Separation) -> npt.NDArray[np.bool_]:
    """Return run -> whether it is content."""
    mask = np.frombuffer(separation.content_mask, dtype=bool)
    of_content: npt.NDArray[np.bool_] = mask[separation.page.text_runs.positions]
    return of_content


def _texts(separation: Separation, runs: npt.NDArray[np.intp]) -> Iterator[str]:
    """Yield some runs as they are written."""
    tokens = separation.page.tokens
    positions = separation.page.text_runs.positions[runs]
    return map(tokens.forms.__getitem__, tokens.form_array[positions].tolist())


def _slots(separation: Separation, hashes: RunHashes) -> dict[int, int]:
    """Return run that stands alone in a slot -> the slot, but for amounts of money."""
    page = separation.page
    elements, owners = page.elements, page.text_runs.elements
    names = np.array([0, *map(_NAMES.__getitem__, elements.names[1:])], dtype=np.uint64)
    paths = path_keys(names, elements.above)[owners]
    _, path_of, counts = np.unique(paths, return_inverse=True, return_counts=True)
    few = np.flatnonzero((counts[path_of] <= MOST_ALIKE) & (hashes > 0))
    slots = [
        (path ^ _attributes(page, owner)) * MIX & MASK
        for path, owner in zip(paths[few].tolist(), owners[few].tolist())
    ]
    alone = Counter(slots)
    filled = zip(hashes[few].tolist(), slots, _texts(separation, few))
    kept = ((run, slot >> 32) for run, slot, text in filled if alone[slot] == 1 and not _MONEY[text])
    return dict(islice(kept, MOST_SLOTS))


def _attributes(page: Page, element: int) -> int:
    """Return the key of the class words and ids of an element and the one around it, links left out."""
    tokens, elements = page.tokens, page.elements
    key = 0
    for inner in (element, elements.parents[element]):
        if inner > 0 and elements.names[inner] != "a":
            key = key * MIX + tokens.form_tags[tokens.form_array[elements.open_array[inner]]].whole
    return key & MASK


def run_texts(separation: Separation, words: RunWords) -> dict[int, str]:
    """Return the text of each run of the content by its hash, as a reader sees it, white space folded.

    words  of the page
    """
    runs = np.flatnonzero(_of_content(separation))
    texts = (" ".join(unescape(text).split()) for text in _texts(separation, runs))
    return dict(zip(words.runs[runs].tolist(), texts))


def alterations(old: RunSketch, new: RunSketch, words: RunWords) -> Alterations:
    """Return how the content of a page was altered.

    words  of the new page
    """
    added, removed = _missing(new.content, old), _missing(old.content, new)
    if added or removed:
        recut = recut_runs(np.concatenate((old.content, old.rest)), words)
        added, removed = added - recut, removed - recut
    return Alterations(added, removed)


def _missing(content: RunHashes, page: RunSketch) -> frozenset[int]:
    """Return the runs of a content that a page is known not to have."""
    missing = content[~(np.isin(content, page.content) | np.isin(content, page.rest))]
    for side in (page.content, page.rest):
        if len(side) >= MOST_RUNS:
            missing = missing[missing <= side.max()]
    return frozenset(missing.tolist())


def content_hash(text: str) -> str:
    r"""Return the hash of a content's text, its white space folded, composed: equal in every process.

    >>> content_hash("two  words\n") == content_hash("two words") != content_hash("two words.")
    True
    """
    folded = unicodedata.normalize("NFC", " ".join(text.split()))
    return xxh3_64_hexdigest(folded.encode("utf-8", "surrogatepass"))
