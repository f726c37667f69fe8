"""Change detection: whether the content of a page has changed between two readings, and which runs and lines.

A detector judges a text by other pages, so that it may judge the same text otherwise another day.  Content is
therefore never compared with content: both pages are cut down to the texts that are content *on either day*
(:func:`alterations`).  Whether *anything* a spider may read has changed is told apart (:func:`_markup_hash`).
*Line by line* two texts are compared by their longest matching blocks (:func:`differences`).

Source: none known to us but for lines; each page is the sequence of the hashes of its text runs. Notation: n
runs or lines.  Cost: O(n log n), and where something was altered that of telling what is cut otherwise;
O(n^2) at worst for lines, of which the first ``MAX_LINES`` of a page are looked at.  Memory: 4 bytes a run
and a bit; two different runs have equal hashes once in four thousand million times.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import islice
from typing import NamedTuple

import numpy as np
from xxhash import xxh3_64_hexdigest, xxh3_64_intdigest

from templcrawl.algorithms.similarity.run_words import RunHashes, RunWords, recut_runs
from templcrawl.page.arrays import Flags, Indices
from templcrawl.page.separation import Separation
from templcrawl.page.text import Memo, text_key, unescape
from templcrawl.page.tokens import END, START, TAGS, UNREAD, VOID, attributes, raw_text
from templcrawl.page.vocabulary import LATE_SOURCES

# Where a page has more runs than are kept, its content is compared with its content.
MAX_RUNS = 4_096  # of a page, that are kept
MAX_YEARS = 256  # runs of a page with a year, that are kept
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")

_SPOKEN = (
    *("href", "src", "srcset", *LATE_SOURCES, "alt", "title", "content", "datetime", "value"),
    *("aria-label", "aria-valuenow", "aria-valuetext", "colspan", "rowspan", "start", "type", "align"),
)
_DATA = "application/ld+json"
_OF_META = frozenset({"itemprop", "property"})
_META_NAMES = frozenset({"author", "description", "keywords"})
_SILENT = frozenset("base button fieldset form input link option select style".split())
_CARRIERS = frozenset("body font html meta script span wbr".split())  # which show nothing by themselves


class RunSketch(NamedTuple):
    """The text runs of a separated page.

    text          hash of all that a spider may read of the page
    content_hash  hash of the words of its content, in order
    runs          run -> hash of its words
    content       run -> whether it is content
    years         hash of a run that has a year and letters -> the hash of it without the year
    """

    text: int
    content_hash: int
    runs: RunHashes
    content: Flags
    years: Mapping[int, int]

    @property
    def is_cut(self) -> bool:
        """True if the page may have more runs than are kept."""
        return len(self.runs) >= MAX_RUNS


class Alterations(NamedTuple):
    """How a content was altered: whether at all, and the hashes of runs that became more, or fewer."""

    changed: bool
    added: frozenset[int]
    removed: frozenset[int]


def _hash_less_year(run: str) -> int:
    # 0 where it has no year or no letter
    masked, years = YEAR.subn("0", " ".join(run.split()))
    return text_key(masked) >> 32 if years and any(map(str.isalpha, masked)) else 0


def _tag_key(tag: str) -> int:
    """Return the key of what a tag shows besides the words of its element, 0 if nothing."""
    name = TAGS[tag].name
    if tag.startswith("</"):
        return text_key(f"/{name}") if name not in _SILENT | _CARRIERS else 0
    values = attributes(tag)
    if name in ("title", "textarea") or (name == "script" and values.get("type", "").lower() == _DATA):
        return text_key(" ".join(unescape(raw_text(tag)).split()))
    if name in _SILENT:
        return 0
    if name == "meta" and not _OF_META & values.keys() and values.get("name", "").lower() not in _META_NAMES:
        return 0
    shown = [f"{key}={values[key]}" for key in _SPOKEN if key in values]
    return text_key(" ".join((name, *shown))) if shown or name not in _CARRIERS else 0


_YEARS = Memo(_hash_less_year)
_TAG_KEYS = Memo(_tag_key)


def run_sketch(separation: Separation, words: RunWords) -> RunSketch:
    """Return the sketch of a page with these words."""
    is_run, is_content = words.runs > 0, _content_runs(separation, words)
    years = zip(words.runs.tolist(), map(_YEARS.__getitem__, _texts(separation, words.positions)))
    return RunSketch(
        text_key(f"{words.text()} {words.hidden} {_markup_hash(separation, words)}"),
        words.text(is_content),
        words.runs[is_run][:MAX_RUNS],
        is_content[is_run][:MAX_RUNS],
        dict(islice(((run, key) for run, key in years if key), MAX_YEARS)),
    )


def _markup_hash(separation: Separation, words: RunWords) -> int:
    """Return a hash of the tags of a page that show something, and of the words that each stands behind.

    Together with the words, hidden ones too, it tells whether anything that a spider may read has changed:
    between which words elements begin and end (a price struck out, a heading that becomes a paragraph), which
    are shown, the title, where links and images lead, texts and values in attributes, structured data
    (JSON-LD, ``meta`` with ``itemprop`` or ``property``).  Left out are what pages draw anew for each reader:
    fields and forms, classes and ids, scripts and styles; and elements that only carry these.
    """
    tokens = separation.page.tokens
    form_keys = [
        _TAG_KEYS[form] if kind in (START, VOID, END) else text_key(form) if kind == UNREAD else 0
        for form, kind in zip(tokens.forms, tokens.form_kinds)
    ]
    keys = np.array(form_keys, dtype=np.uint64)[tokens.form_array]
    positions = np.flatnonzero(keys)
    behind = words.starts[np.searchsorted(words.positions, positions)]
    elements = separation.page.elements
    is_shown = elements.shown_array[elements.owner_array[positions]]
    return xxh3_64_intdigest(
        keys[positions].tobytes() + behind.astype("<u4").tobytes() + np.packbits(is_shown).tobytes()
    )


def _content_runs(separation: Separation, words: RunWords) -> Flags:
    return np.frombuffer(separation.content_mask, dtype=bool)[words.positions]


def _texts(separation: Separation, positions: Indices) -> Iterator[str]:
    tokens = separation.page.tokens
    return map(tokens.forms.__getitem__, tokens.form_array[positions].tolist())


def run_texts(separation: Separation, words: RunWords) -> dict[int, str]:
    """Return the text of each run of the content by its hash, as a reader sees it, white space folded."""
    runs = np.flatnonzero(_content_runs(separation, words))
    texts = (" ".join(unescape(text).split()) for text in _texts(separation, words.positions[runs]))
    return dict(zip(words.runs[runs].tolist(), texts))


def alterations(old: RunSketch, new: RunSketch, words: RunWords) -> Alterations:
    """Return how the content of a page was altered; the words are of the new page.

    Both pages are cut down to the texts that are content on either day, wherever these stand now, and the
    content has changed unless the two sequences are equal.  So nothing that was or is in the content can
    change unseen, be it a word, the order or the number of equal texts.  A text that is only cut otherwise
    into runs is not a change (:mod:`templcrawl.algorithms.similarity.run_words`), nor is one that passes in
    judgement from one side to the other, nor a text of the template that comes back with another year
    ("Copyright 2026"), though a detector takes it for content.  Content is what is shown: a text that passes
    from hidden to shown is new.
    """
    if old.text == new.text or old.content_hash == new.content_hash:
        return Alterations(False, frozenset(), frozenset())
    # the runs of both pages, in order and cut alike, that are content on either
    content = {*old.runs[old.content].tolist(), *new.runs[new.content].tolist()}
    content -= _year_runs(old, new) | _year_runs(new, old)
    cut = recut_runs(old.runs, words)
    content.update(piece for run in content & cut.keys() for piece in cut[run])
    pieces = ((piece for run in page.runs.tolist() for piece in cut.get(run, (run,))) for page in (old, new))
    before, after = ([run for run in runs if run in content] for runs in pieces)
    removed, added = Counter(before) - Counter(after), Counter(after) - Counter(before)
    has_changed = before != after or old.is_cut or new.is_cut
    return Alterations(has_changed, frozenset(added), frozenset(removed))


def _year_runs(page: RunSketch, other: RunSketch) -> set[int]:
    """Return the runs of one page that repeat a text of the other's template with another year."""
    template = other.runs[~np.isin(other.runs, other.runs[other.content])]
    missing = template[~np.isin(template, page.runs)].tolist()
    replaced = {other.years[run] for run in missing if run in other.years}
    here = set(page.runs.tolist()) - set(other.runs.tolist())
    return {run for run in here & page.years.keys() if page.years[run] in replaced}


def content_hash(text: str) -> str:
    r"""Return the hash of a content's text, its white space folded, composed: equal in every process.

    >>> content_hash("two  words\n") == content_hash("two words") != content_hash("two words.")
    True
    """
    folded = unicodedata.normalize("NFC", " ".join(text.split()))
    return xxh3_64_hexdigest(folded.encode("utf-8", "surrogatepass"))


MAX_LINES = 4_096  # of a text, that are compared
_ALIKE = 0.5  # ratio of two lines that are shown word by word
_LONGEST = 2_000  # characters of such a line

Words = tuple[tuple[str, bool], ...]  # pieces of a line, and whether the other line lacks them


class Difference(NamedTuple):
    """Lines of the old text that others have taken the place of; either may be none."""

    removed: tuple[str, ...]
    added: tuple[str, ...]


def differences(
    old: Sequence[str], new: Sequence[str], removed: Collection[str], added: Collection[str]
) -> list[Difference]:
    """Return what differs in two texts, from the top, by the altered runs of the old and the new one.

    Source: the longest matching blocks of Ratcliff & Obershelp (Dr. Dobb's Journal, July 1988), by
    ``difflib``. Departure: of the lines that differ only those are shown that have an altered run of the
    content.

    >>> differences(["Menu", "Red tea", "End"], ["Menu 2", "Green tea", "End"], ["Red tea"], ["Green tea"])
    [Difference(removed=('Red tea',), added=('Green tea',))]
    """
    old, new = old[:MAX_LINES], new[:MAX_LINES]
    parts = []
    for tag, old_from, old_to, new_from, new_to in SequenceMatcher(None, old, new, False).get_opcodes():
        if tag != "equal":
            old_lines = tuple(line for line in old[old_from:old_to] if _has_any(line, removed))
            new_lines = tuple(line for line in new[new_from:new_to] if _has_any(line, added))
            if old_lines or new_lines:
                parts.append(Difference(old_lines, new_lines))
    return parts


def _has_any(line: str, runs: Collection[str]) -> bool:
    folded = " ".join(line.split())
    return any(run in folded or folded in run for run in runs) if folded else False


def word_differences(old: str, new: str) -> tuple[Words, Words] | None:
    """Return two lines word by word; None where they have little in common.

    >>> word_differences("A red tea, hot", "A green tea, hot")
    ((('A', False), ('red', True), ('tea, hot', False)), (('A', False), ('green', True), ('tea, hot', False)))
    """
    if max(len(old), len(new)) > _LONGEST:
        return None
    before, after = old.split(), new.split()
    matcher = SequenceMatcher(None, before, after, False)
    if matcher.ratio() < _ALIKE:
        return None
    sides: tuple[list[tuple[str, bool]], list[tuple[str, bool]]] = ([], [])
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        for side, words in zip(sides, (before[old_from:old_to], after[new_from:new_to])):
            if words:
                side.append((" ".join(words), tag != "equal"))
    return tuple(sides[0]), tuple(sides[1])
