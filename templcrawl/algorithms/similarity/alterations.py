"""What was added to the content of a page, and what was taken away, between two times that it was read.

Source: none known to us; each page is a set of hashes of its text runs, compared as Broder's sketches are
(see :mod:`templcrawl.algorithms.similarity.shingles`).

A detector judges a text by other pages, so that it may judge the same text otherwise another day.  Content is
therefore never compared with content: a run of the *new content* was added where it stood nowhere on the *old
page*, and a run of the *old content* was taken away where it stands nowhere on the *new page*.  A text that
has only changed sides is neither.  Runs are met again by their words, wherever they stand and whatever the
markup around them: what was moved, or is there once more, is no alteration.

A number in a sentence often merely counts: pages, visits, years.  So the runs that have digits and letters
are known by their *mask* too, their words with every number alike, that others may judge what moves only in
its numbers.  Amounts of money have no mask: a price is never what merely counts.

Of a page with more than ``MOST_RUNS`` distinct runs on either side, those with the lowest hashes are kept of
that side, and what is above the highest of them is taken for unaltered.

Notation: n runs.  Cost: O(n log n).  Memory: 4 bytes a run; two different runs have equal hashes once in
four thousand million times.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from xxhash import xxh3_64_hexdigest, xxh3_64_intdigest

from templcrawl.page.encoding import text_key
from templcrawl.page.entities import unescape
from templcrawl.page.memo import Memo
from templcrawl.page.separation import Separation

RunHashes = npt.NDArray[np.uint32]

MOST_RUNS = 4_096
MOST_MASKS = 256
NUMBER = re.compile(r"\d[\d.,:]*")
_HALF = np.uint64(32)


class RunSketch(NamedTuple):
    """The text runs of a separated page.

    text     hash of all of them, in order
    content  distinct hashes of those of the content, ascending
    rest     the same of those that stand in the template alone
    masks    run that has digits -> its mask
    """

    text: int
    content: RunHashes
    rest: RunHashes
    masks: Mapping[int, int]


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
    is_money = any(unicodedata.category(character) == "Sc" for character in masked)
    return text_key(masked) >> 32 if has_words and not is_money else 0


_MASKS = Memo(_mask)


def run_sketch(separation: Separation) -> RunSketch:
    """Return the sketch of a page."""
    page, runs = separation.page, separation.page.text_runs
    is_content = np.frombuffer(separation.content_mask, dtype=bool)[runs.positions]
    hashes = (runs.texts >> _HALF).astype(np.uint32)
    content = np.unique(hashes[is_content])
    rest = np.setdiff1d(hashes, content)
    forms = page.tokens.form_array[runs.positions].tolist()
    masks = ((run, _MASKS[page.tokens.forms[form]]) for run, form in zip(hashes.tolist(), forms))
    masked = dict(islice(((run, mask) for run, mask in masks if mask), MOST_MASKS))
    text = xxh3_64_intdigest(runs.texts.tobytes())
    return RunSketch(text, content[:MOST_RUNS], rest[:MOST_RUNS], masked)


def run_texts(separation: Separation) -> dict[int, str]:
    """Return the text of each run of the content by its hash, as a reader sees it, white space folded."""
    page, runs = separation.page, separation.page.text_runs
    is_content = np.frombuffer(separation.content_mask, dtype=bool)[runs.positions]
    forms = page.tokens.form_array[runs.positions[is_content]].tolist()
    hashes = (runs.texts[is_content] >> _HALF).tolist()
    return {run: " ".join(unescape(page.tokens.forms[form]).split()) for run, form in zip(hashes, forms)}


def alterations(old: RunSketch, new: RunSketch) -> Alterations:
    """Return how the content of a page was altered."""
    return Alterations(_missing(new.content, old), _missing(old.content, new))


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
