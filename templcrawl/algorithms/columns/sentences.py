r"""Find facts in sentences: the words that differ among texts of equal wording.

"Topic: Tea (Read 12 times)" and "Topic: Cups (Read 7 times)" have Topic, Read and times in common.  What
stands between these words is a value, called after the word before it ("Read": 12), or behind it where the
texts begin with a number ("12 replies, 40 views").  "Posted by Ann" has an author.

A date with a year, one in nearly all texts, is a value wherever it stands.

Titles of two parts, of which the first is one of few kinds ("Class Tea", "Class Cup", "Enum Size"), are a
``kind`` and a ``name``.

Source: RoadRunner (Crescenzi, Mecca, Merialdo, VLDB 2001): what differs between two texts of one template is
a field.  Departures: words are compared, within one text; a word that a text has twice says nothing; one of
the values is a number, an amount or a date, since titles have words in common, too.
n texts of at most ``_LONGEST`` characters.  Cost: O(length of the texts) for each part.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from templcrawl.algorithms.columns.class_words import AUTHOR, meaning_of
from templcrawl.algorithms.columns.value_kinds import DATE, NUMBER, TEXT, kind_of

_MIN_TEXTS, _LONGEST = 8, 160
_MOST, _FILLED = 0.98, 0.9  # of the texts: those that have all words; those that have a value
_WORD = re.compile(r"(?<![^\s(\[|«–—:])[^\W\d_]+(?=[:,;.)\]|»]*(?:\s|$))")
_DAY, _YEAR, _MONTH = r"\d{1,2}(?:st|nd|rd|th|er|º|\.)?", r"(?:19|20)\d\d", r"[^\W\d_]{3,12}\.?"
_DATED = re.compile(
    rf"((?<![\w/.-])(?:{_YEAR}([-/.])\d{{1,2}}\2\d{{1,2}}|\d{{1,2}}([-/.])\d{{1,2}}\3{_YEAR}"
    rf"|{_DAY} (?:de )?{_MONTH},? (?:de )?{_YEAR}|{_MONTH} {_DAY},? {_YEAR}"
    rf"|{_YEAR}年\d{{1,2}}月\d{{1,2}}日)(?![\w/-]))"
)
_FEW_KINDS, _MAX_KIND, _NAMES = 0.1, 3, 0.8  # of titles: kinds; words of one; of titles: names
_MARKS = r"[\s:,;.()\[\]|«»–—-]{0,4}"


class Part(NamedTuple):
    """The part of each text that differs between them.

    name     the word that says what it is, "date" of a date; "" of what begins the texts
    pattern  regular expression of which the group is its value
    """

    name: str
    pattern: str

    def of(self, text: str) -> str:
        """Return this part of a text, "" if the text lacks it."""
        match = re.search(self.pattern, text)
        return match[1] if match else ""


def parts_of_texts(texts: Sequence[str], dates: Sequence[Part] = ()) -> list[Part]:
    """Return the differing parts of texts, in order; empty if only one differs, but for the name of a byline.

    dates  the date in nearly all of them, if it is looked for (:func:`date_in`): its month is no word

    >>> [part.name for part in parts_of_texts([f"Topic: T{n} (Read {n} times)" for n in range(9)])]
    ['Topic', 'Read']
    """
    if len(texts) < _MIN_TEXTS or any(len(text) > _LONGEST for text in texts):
        return []
    words = _common([_DATED.sub("1", text) for text in texts] if dates else texts)
    between = [*zip(["", *words], [*words, ""])] if words else []
    parts = [(before, behind, pattern) for before, behind in between if (pattern := _pattern(before, behind))]
    found = []
    for before, behind, pattern in parts:
        values = [*filter(None, map(Part("", pattern).of, texts))]
        if len(values) >= _FILLED * len(texts) and len(set(values)) > 1:
            found.append((before, behind, pattern, values))
    kinds = [kind_of(values) for *_, values in found]
    is_byline = len(found) == 1 and kinds == [TEXT] and meaning_of(found[0][0]) == AUTHOR
    are_facts = len(found) > 1 and set(kinds) != {TEXT} and (len(words) > 1 or DATE in kinds)
    are_facts |= kinds == [DATE] and len(words) > 1  # all are by one author
    if not (is_byline or are_facts):
        return [*dates]
    is_behind = not found[0][0] and kinds[0] == NUMBER
    return [*(dates if DATE not in kinds else ())] + [
        Part("date" if kind == DATE else (is_behind and behind) or before, pattern)
        for (before, behind, pattern, _), kind in zip(found, kinds)
    ]


def date_in(texts: Sequence[str]) -> list[Part]:
    """Return the date that stands in nearly all of some texts, once; nothing without one.

    >>> part, = date_in([f"Ann wrote this on {day} May 2026 of tea" for day in range(1, 10)])
    >>> part.of("3 May 2026 | Ann"), part.of("2026-05-09, Ann"), part.of("May 3rd, 2026")
    ('3 May 2026', '2026-05-09', 'May 3rd, 2026')
    """
    counts = [len(_DATED.findall(text)) if len(text) <= _LONGEST else 0 for text in texts]
    is_dated = len(texts) >= _MIN_TEXTS and counts.count(1) >= _FILLED * len(texts)
    return [Part("date", _DATED.pattern)] if is_dated else []


def kind_and_name(titles: Sequence[str], least: int = 2) -> list[Part]:
    """Return the kind and the name that titles have, nothing if these are other titles.

    least  kinds that there are

    >>> [part.of("Type alias Tea") for part in kind_and_name(["Class A", "Class B", "Enum C", *"EFG"])]
    []
    >>> parts = kind_and_name([f"{('Class', 'Type alias')[number % 2]} T{number}" for number in range(20)])
    >>> [part.of("Type alias Tea") for part in parts]
    ['Type alias', 'Tea']
    """
    split = [
        title.rpartition(" ")
        for title in titles
        if len(title.split()) <= _MAX_KIND + 1 and any(map(str.isalpha, title.rpartition(" ")[2]))
    ]
    kinds, names = {kind for kind, _, _ in split}, {name for *_, name in split}
    if len(split) < max(_MIN_TEXTS, _MOST * len(titles)) or "" in kinds:
        return []
    if not least <= len(kinds) <= max(2, _FEW_KINDS * len(titles)) or len(names) < _NAMES * len(titles):
        return []
    return [Part("kind", r"^(.*)\s"), Part("name", r"(\S+)$")]


def _common(texts: Sequence[str]) -> list[str]:
    """Return the words that nearly all texts have once, in their common order."""
    once = [[word for word, count in Counter(_WORD.findall(text)).items() if count == 1] for text in texts]
    having = Counter(word for words in once for word in words)
    common = {word for word, count in having.items() if count >= _MOST * len(texts)}
    orders = Counter(tuple(word for word in words if word in common) for words in once)
    order, count = orders.most_common(1)[0]
    return [*order] if count >= _MOST * len(texts) else []


def _pattern(before: str, behind: str) -> str:
    start = rf"\b{re.escape(before)}\b{_MARKS}" if before else rf"^{_MARKS}"
    end = rf"{_MARKS}\b{re.escape(behind)}\b" if behind else rf"{_MARKS}$"
    return f"{start}(.{{0,{_LONGEST}}}?){end}"
