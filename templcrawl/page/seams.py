"""Find the sign to write between neighbouring text runs that only style sets apart.

A *seam* is where a text run ends and the next begins in an element that was opened since, on one line, with
no white space between.  A browser draws the two apart, or one above the other; a text needs a sign:

``APART``  a space, between elements that have nothing but each other in the element around them: pills, tags,
           tabs, a name and its number, cells of a row; between two links whatever stands around them, if
           they lead to different places
``POWER``  ``^`` before digits of a ``sup`` behind digits (10^6), and before a letter or digits that are
           all of one behind digits or a single letter (2^n, x^2); ``SUM`` with brackets around two
           (2^(n+1)); ``INDEX`` ``_`` before digits of a ``sub``
``CENTS``  a point before two digits that end a number beside a currency: ``$4<sup>35</sup>`` is $4.35
``NOTE``   brackets around the number of a note, which is a link, behind digits: 1984(3)

Parts of a word stay together: an element is not set apart where words of its own stand beside it, or beside
what it flows in; where its author parts such elements by white space, and not here; in code, formulas and
ruby; beside a single letter (drop caps, letters in spans).  In paragraphs, in headings and beside elements of
emphasis, only a capital behind none, or a digit, begins something new.

n tokens, m elements.  Cost: O(n + m).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from templcrawl.page.arrays import Flags, Indices, before, lazy
from templcrawl.page.elements import Elements
from templcrawl.page.text import DECODED
from templcrawl.page.tokens import SPACE, TEXT, TokenStream
from templcrawl.page.vocabulary import (
    BEFORE_DIGITS,
    BEFORE_WORDS,
    BLOCKS,
    CLOSING,
    CODE_NAMES,
    CURRENCIES,
    CURRENCY_SIGNS,
    EMPHASIS,
    FRACTIONS,
    GROUPING,
    LEADS_NOWHERE,
    NUMBER_SIGNS,
    PAUSES,
    PROSE,
    STANDING,
    THINGS,
    UNPARTED,
    UNRAISED,
)

APART, POWER, INDEX, CENTS, NOTE, SUM = range(1, 7)

_IS_WORD = re.compile(r"\w").match
_IS_DIGIT = re.compile(r"\d").match
_IS_LETTER = re.compile(r"[^\W\d]").match
_UNIT = rf"(?:\d{{1,3}}|(?![{UNRAISED}])[^\W\d])"
_SIGN = f"[{re.escape(NUMBER_SIGNS)}]"
_EXPONENT = re.compile(f"{_SIGN}?{_UNIT}({_SIGN}{_UNIT})?\\Z").match
_IS_BASE = re.compile(r"(?:\d|(?:\A|\W)[^\W\d])\Z").search
_LAST_LETTERS = re.compile(r"[^\W\d]{0,4}\Z").search  # one more than a name of a currency has
_FIRST_LETTERS = re.compile(r"[^\W\d]*").match


class Seam(NamedTuple):
    """A seam that needs a sign.

    behind  token of the run before it
    opens   start tag of the outermost element that begins at it
    run     token of the run behind it
    sign    what stands between the two
    """

    behind: int
    opens: int
    run: int
    sign: int


class Seams:
    """The seams of a page.

    edges  token -> not 0 where a line or what is spaced begins or ends before it; one more at the end

    Runs are those that are shown, by number.
    """

    def __init__(self, tokens: TokenStream, elements: Elements, edges: bytes | bytearray) -> None:
        self._tokens, self._elements = tokens, elements
        owners, kinds = elements.owner_array, tokens.kind_array
        self._positions: Indices = np.flatnonzero((kinds == TEXT) & elements.shown_array[owners])
        self._owners: Indices = owners[self._positions]
        first, second = self._positions[:-1], self._positions[1:]
        breaks = before(np.frombuffer(edges, dtype=np.uint8)[:-1] > 0)[self._positions + 1]
        spaces = before(kinds == SPACE)[self._positions]
        # Run -> of the next one: is it on its line; with no space between; in an element opened since; and
        # has the element of the run ended?
        self._is_followed: Flags = breaks[1:] == breaks[:-1]
        self._is_tight: Flags = self._is_followed & (spaces[1:] == spaces[:-1])
        self._begins: Flags = elements.open_array[self._owners[1:]] > first
        self._ends: Flags = elements.close_array[self._owners[:-1]] <= second

    def signed(self) -> list[Seam]:
        """Return the seams that need a sign, in order."""
        seams = []
        for run in np.flatnonzero(self._is_tight & self._begins).tolist():
            left, right = self._text(run), self._text(run + 1)
            if not left or not right or left[-1].isspace() or right[0].isspace():
                continue
            is_number = _IS_DIGIT(left[-1]) and _IS_DIGIT(right[right[0] in NUMBER_SIGNS :])
            is_power = not is_number and _may_be_power(left, right)
            may_part = self._ends[run] and _may_part(left, right)
            if not is_number and not is_power and not may_part:
                continue
            above = self._begun(run)
            sign = self._number_sign(run, left, right, above) if is_number else 0
            if is_power and self._is_power(run, above):
                exponent = _EXPONENT(right)
                sign = SUM if exponent is not None and exponent[1] else POWER
            if not sign and may_part and self._is_apart(run, left, right):
                sign = APART
            if sign:
                behind, position = self._positions[run : run + 2].tolist()
                seams.append(Seam(behind, self._elements.opens[above[-1]], position, sign))
        return seams

    @lazy
    def _forms(self) -> list[int]:
        forms: list[int] = self._tokens.form_array[self._positions].tolist()
        return forms

    def _text(self, run: int) -> str:
        return DECODED[self._tokens.forms[self._forms[run]]]

    def _next_text(self, run: int) -> str:
        """Return the text of the run behind one, if it is on its line."""
        return self._text(run + 1) if run < len(self._is_followed) and self._is_followed[run] else ""

    def _begun(self, run: int) -> list[int]:
        """Return the elements that the next run stands in and the run does not, innermost first."""
        opens, parents = self._elements.opens, self._elements.parents
        behind, element = int(self._positions[run]), int(self._owners[run + 1])
        begun = []
        while opens[element] > behind:
            begun.append(element)
            element = parents[element]
        return begun

    def _ended(self, run: int) -> int:
        """Return the outermost element that the run stands in and the next does not."""
        closes, parents = self._elements.closes, self._elements.parents
        position, element = int(self._positions[run + 1]), int(self._owners[run])
        while closes[parents[element]] <= position:
            element = parents[element]
        return element

    def _number_sign(self, run: int, left: str, right: str, above: Sequence[int]) -> int:
        """Return the sign between digits and digits that are raised, lowered or cents; 0 for none."""
        if self._is_code[above[-1]]:
            return 0
        names = [self._elements.names[element] for element in above]
        if "a" not in names and self._are_cents(run, left, right, above[-1]):
            return CENTS
        if "sup" not in names and "sub" not in names:
            return 0
        if "a" in names:
            return NOTE
        if "sub" in names:
            return INDEX
        return APART if self._next_text(run + 1)[:1] in (*FRACTIONS,) else POWER

    def _is_power(self, run: int, above: Sequence[int]) -> bool:
        """Return whether what may be a power is all of a ``sup`` that is not a link."""
        names = [self._elements.names[element] for element in above]
        if "sup" not in names or "a" in names or self._is_code[above[-1]]:
            return False
        raised, behind = above[names.index("sup")], run + 2
        is_all = behind == len(self._positions) or self._positions[behind] >= self._elements.closes[raised]
        return bool(is_all and not (self._text(run + 1).isalpha() and _IS_LETTER(self._next_text(run + 1))))

    def _are_cents(self, run: int, left: str, right: str, element: int) -> bool:
        """Return whether an element is the cents of a number that has none, beside a currency."""
        if len(right) != 2 or not right.isdecimal():
            return False
        behind = run + 2
        if behind < len(self._positions) and self._positions[behind] < self._elements.closes[element]:
            return False
        amount = len(left)
        while amount and (_IS_DIGIT(left[amount - 1]) or left[amount - 1] in GROUPING):
            amount -= 1
        if len(left) - amount > 2 and left[-3] in GROUPING:
            return False
        lead = left[:amount].rstrip()
        if not lead and run and self._is_followed[run - 1]:
            lead = self._text(run - 1).rstrip()
        trail = self._next_text(run + 1).lstrip()
        return (
            lead[-1:] in (*CURRENCY_SIGNS,)
            or trail[:1] in (*CURRENCY_SIGNS,)
            or any(
                letters is not None and letters[0] in CURRENCIES
                for letters in (_LAST_LETTERS(lead), _FIRST_LETTERS(trail))
            )
        )

    def _is_apart(self, run: int, left: str, right: str) -> bool:
        """Return whether style alone sets apart the elements that a run and the next stand in."""
        names, parents, form_of = self._elements.names, self._elements.parents, self._tokens.form_of
        one, other = self._ended(run), self._begun(run)[-1]
        around, opens = parents[other], self._elements.opens
        kinds = (names[one], names[other], names[around])
        is_code = self._is_code[around] or CODE_NAMES.issuperset(kinds[:2])
        if is_code or not UNPARTED.isdisjoint(kinds) or self._has_break(run):
            return False
        tags = [self._tokens.form_tags[form_of[opens[element]]] for element in (one, other)]
        leads = tags[0].href != "" and not tags[0].href.startswith(LEADS_NOWHERE)
        is_torn = kinds[:2] == ("a", "a") and leads and tags[0].href == tags[1].href
        if kinds[0] == kinds[1] and kinds[0] in THINGS and not is_torn:
            return True
        if self._is_running[around] or self._has_words[around] or self._is_spaced[around]:
            return False
        if _is_letter_of_word(left, right):
            return False
        is_emphasis = is_torn or not EMPHASIS.isdisjoint(kinds[:2])
        if not is_emphasis and kinds[2] not in PROSE:
            return True
        return _begins_new(left[-1], right[0], is_one=is_torn or EMPHASIS.issuperset(kinds[:2]))

    def _has_break(self, run: int) -> bool:
        """Return whether a word may break between a run and the next (``wbr``): it is one word."""
        owners, (first, second) = self._elements.owners, self._positions[run : run + 2].tolist()
        return any(self._elements.names[owners[position]] == "wbr" for position in range(first, second))

    @lazy
    def _is_code(self) -> bytearray:
        """Element -> whether it is code or stands in code."""
        is_code = bytearray(len(self._elements))
        for element, (name, parent) in enumerate(zip(self._elements.names, self._elements.parents)):
            is_code[element] = name in CODE_NAMES or (element > 0 and is_code[parent])
        return is_code

    @lazy
    def _has_words(self) -> bytearray:
        """Element -> whether it has text of its own other than a label, which ends in a colon."""
        has_words = bytearray(len(self._elements))
        for owner, form in dict.fromkeys(zip(self._owners.tolist(), self._forms)):
            if not has_words[owner] and not DECODED[self._tokens.forms[form]].rstrip().endswith(":"):
                has_words[owner] = 1
        return has_words

    @lazy
    def _is_running(self) -> bytearray:
        """Element -> whether it flows in what has text of its own."""
        is_running = bytearray(len(self._elements))
        for element, (name, parent) in enumerate(zip(self._elements.names, self._elements.parents)):
            if element and name not in BLOCKS:
                is_running[element] = self._has_words[parent] or is_running[parent]
        return is_running

    @lazy
    def _is_spaced(self) -> bytearray:
        """Element -> whether white space stands between elements in it, or at the edge of one."""
        runs = np.flatnonzero(self._is_followed & self._begins & self._ends)
        is_spaced = ~self._is_tight[runs]
        for number in np.flatnonzero(~is_spaced).tolist():
            run = int(runs[number])
            is_spaced[number] = self._text(run)[-1:].isspace() or self._text(run + 1)[:1].isspace()
        runs = runs[is_spaced]
        spaced = bytearray(len(self._elements))
        flags = np.frombuffer(spaced, dtype=np.uint8)
        flags[self._elements.parent_array[self._outermost(runs)]] = 1
        return spaced

    def _outermost(self, runs: Indices) -> Indices:
        """Return for some runs the outermost element that the next stands in and the run does not."""
        parents, opens = self._elements.parent_array, self._elements.open_array
        outermost, behind = self._owners[runs + 1], self._positions[runs]
        climbing = np.arange(len(runs))
        while len(climbing):
            above = parents[outermost[climbing]]
            is_begun = opens[above] > behind[climbing]
            climbing = climbing[is_begun]
            outermost[climbing] = above[is_begun]
        return outermost


def _may_be_power(left: str, right: str) -> bool:
    """Return whether a text ends in what may be raised, and another is what it may be raised to."""
    return bool(_EXPONENT(right) and _IS_BASE(left[-2:]))


def _may_part(left: str, right: str) -> bool:
    """Return whether one thing may end as the left text does, and another begin as the right one does."""
    last, first = left[-1], right[0]
    may_end: object
    if last in PAUSES:
        may_end = _IS_WORD(left[-2:-1]) and not (_IS_DIGIT(left[-2]) and _IS_DIGIT(first))
    else:
        may_end = (_IS_WORD(last) and last != "_") or (len(left) > 1 and last in CLOSING)
    if first in STANDING and not right[1:2].strip():
        return bool(may_end)
    if first in BEFORE_DIGITS:
        return bool(may_end and _IS_DIGIT(right[1:]))
    if first in BEFORE_WORDS:
        return bool(may_end and _IS_WORD(right[1:]))
    return bool(may_end and _IS_WORD(first))


def _is_letter_of_word(left: str, right: str) -> bool:
    """Return whether one of two texts is a letter of a word that the other goes on with."""
    if len(left) > 1 or not _IS_WORD(right):
        return False
    if not _IS_LETTER(left):
        return len(right) == 1 and bool(_IS_LETTER(right))
    if len(right) == 1:
        return True
    begins_name = _is_capital(right[0]) and _IS_LETTER(right[1]) and not _is_capital(right[1])
    return not begins_name and not _IS_DIGIT(right)


def _begins_new(last: str, first: str, *, is_one: bool) -> bool:
    """Return whether a text begins something new: it continues neither a word nor a number."""
    if not _IS_WORD(last) or not _IS_WORD(first):
        return True
    if _IS_DIGIT(first):
        return not (is_one and _IS_DIGIT(last))
    return _is_capital(first) and not _is_capital(last)


def _is_capital(letter: str) -> bool:
    return letter.lower() != letter
