"""The tables that the native kernel gets at start: character classes, names of elements, words of hints.

The kernel knows no character class, no element and no word by itself.  This module writes what this
version of Python takes for white space, a word or a digit, and the tables of
:mod:`~templcrawl.page.vocabulary`, :mod:`~templcrawl.page.tokens` and :mod:`html.entities`, as *sections*:
each its length in 32 bits and its bytes, in the order in which ``kernel/src/tables.rs`` reads them.

Cost: some 30 ms, once a process.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from html.entities import html5
from itertools import chain
from struct import Struct
from unicodedata import category, combining, decomposition, normalize

import numpy as np

from templcrawl.page import vocabulary
from templcrawl.page.addresses import FOLLOWED_SCHEMES
from templcrawl.page.runs import (
    MAX_TEXT,
    MAX_UNLINKED,
    MAX_WORDS,
    MIN_CHOICES,
    MIN_TEXT,
    TITLE_MARKS,
    WITHOUT_LEVEL,
)
from templcrawl.page.scan import FOLLOWED, TURNING
from templcrawl.page.text import WIDE, ZERO_WIDTH
from templcrawl.page.tokens import MAX_ATTRIBUTES, MAX_CLASSES, NAMING, WITHOUT_WORDS
from templcrawl.page.vocabulary import MIN_FALLBACK, MIN_PANEL, RAW_TEXT_NAMES

MAX_NUMBER = 0xFFFFFFFF  # what a section can hold
LENGTH = Struct("<I").pack
_CHARACTERS = 0x110000
_PLANE = 0x10000
_BLOCK = 0x80
_NO_CHARACTER = ("Cn", "Co")  # categories of what is not assigned, and of private use
_MARKS = 0x20000  # no character from here on combines
_COUNTED_WORDS = 0x8000  # of a run in a vote: numpy's logarithms may differ from Rust's in the last bit
_HANGUL = range(0xAC00, 0xD7A4)  # its syllables, and the vowels and tails that compose to them
_JAMO = range(0x1161, 0x11C3)
_RULED_BY_NAME = frozenset(
    """a area base br button desc dialog form head img math metadata noscript mfrac msub msubsup msup munder
    munderover picture pre rp rt script section select source sub sup template title wbr xmp""".split()
)
_SETS = (
    *(RAW_TEXT_NAMES, TURNING, FOLLOWED, vocabulary.FOREIGN_ROOTS, vocabulary.HTML_INSIDE),
    *(vocabulary.BREAKS_OUT, vocabulary.VOID, vocabulary.KNOWN, vocabulary.INVISIBLE),
    *(vocabulary.BLOCKS - {""}, vocabulary.SPACED, vocabulary.FRAMES, vocabulary.PLAYERS, vocabulary.SCOPE),
    *(vocabulary.SPECIAL, vocabulary.HEADINGS, vocabulary.FORMATTING, vocabulary.HEAD_CONTENT),
    *(vocabulary.FOREIGN, vocabulary.TABLE_CONTEXT, WITHOUT_LEVEL, vocabulary.SKELETON, WITHOUT_WORDS),
    *(vocabulary.FIELDS, vocabulary.SIDE_BY_SIDE, vocabulary.MAY_OPEN),
    *(vocabulary.UNPARTED, vocabulary.CODE_NAMES, vocabulary.EMPHASIS, vocabulary.PROSE, vocabulary.THINGS),
    frozenset(vocabulary.IMPLIED_ENDS),
)
_SIGNS = (
    *(vocabulary.CLOSING, vocabulary.PAUSES, vocabulary.BEFORE_WORDS, vocabulary.BEFORE_DIGITS),
    *(vocabulary.CURRENCY_SIGNS, vocabulary.NUMBER_SIGNS, vocabulary.GROUPING, vocabulary.FRACTIONS),
    *(vocabulary.UNRAISED, vocabulary.STANDING),
)
_BITS = (
    *(vocabulary.LINKED, vocabulary.FURNITURE, vocabulary.NAMED, vocabulary.ARTICLE, vocabulary.TITLE),
    *(vocabulary.PAGE_PART, vocabulary.LISTED, vocabulary.ALL_HINTS),
)


def sections(*contents: bytes) -> bytes:
    """Return sections, each with its length before it."""
    return b"".join([part for content in contents for part in (LENGTH(len(content)), content)])


def numbers(values: Iterable[int]) -> bytes:
    """Return a section of numbers of 32 bits."""
    return sections(np.fromiter(values, dtype="<u4").tobytes())


def texts(values: Iterable[str]) -> bytes:
    """Return a section of texts, none of which holds a NUL."""
    return sections("\0".join(values).encode("utf-8"))


@cache
def known_names() -> tuple[str, ...]:
    """Return the names that the kernel knows by number; 0 is that of the document."""
    rules = chain.from_iterable(vocabulary.IMPLIED_ENDS.values())
    in_rules = (names for rule in rules for names in rule if names is not None)
    scopes = vocabulary.END_SCOPES
    named = [_RULED_BY_NAME, scopes, vocabulary.OF_NAME, vocabulary.NEVER_NAMED, NAMING]
    return ("", *sorted(set().union(*_SETS, *in_rules, *scopes.values(), *named) - {""}))


@cache
def known_numbers() -> dict[str, int]:
    """Return the number of each such name."""
    return {name: number for number, name in enumerate(known_names())}


@cache
def encode_tables() -> bytes:
    """Return all tables."""
    return b"".join(
        (*_characters(), texts(known_names()), *_vocabulary(), *_words(), *_seams(), *_entities())
    )


@cache
def _planes() -> dict[int, str]:
    """Return the first number of each plane that has characters -> all of its characters."""
    found = {}
    for start in range(0, _CHARACTERS, _PLANE):
        stop = start + _PLANE
        if any(category(chr(number)) not in _NO_CHARACTER for number in range(start, stop, _BLOCK)):
            every = np.arange(start, stop, dtype="<u4")
            found[start] = every.tobytes().decode("utf-32-le", "surrogatepass")
    return found


def _changed_by(change: Callable[[str], str]) -> Iterator[tuple[int, str]]:
    """Yield (character, what a change makes of it) for each that it changes; most blocks have none."""
    for first, plane in _planes().items():
        for start in range(0, _PLANE, _BLOCK):
            block = plane[start : start + _BLOCK]
            if change(block) != block:
                for number, character in enumerate(block, first + start):
                    changed = change(character)
                    if changed != character:
                        yield number, changed


def _spans(pattern: str) -> Iterator[tuple[int, int]]:
    """Yield the bounds of each stretch of characters of a class."""
    for first, plane in _planes().items():
        for match in re.finditer(pattern, plane):
            yield match.start() + first, match.end() + first


def _classes() -> dict[int, int]:
    """Return each character that combines -> its class; no character of a word does."""
    others = (number for bounds in _spans(r"[^\w\s]+") for number in range(*bounds) if number < _MARKS)
    return {number: kind for number in others if number >= _BLOCK and (kind := combining(chr(number)))}


def _characters() -> Iterator[bytes]:
    """Yield the ranges of six classes: white space, of words, digits, wide, changed by ``lower``, odd.

    Then what the kernel normalises by: unseen characters, combining classes, decompositions, compositions.
    """
    for pattern in (r"\s+", r"\w+", r"\d+", f"{WIDE.pattern}+"):
        yield numbers(chain.from_iterable(_spans(pattern)))
    yield numbers(chain.from_iterable((number, number + 1) for number, _ in _changed_by(str.lower)))
    decomposed = {
        number: text for number, text in _changed_by(partial(normalize, "NFD")) if number not in _HANGUL
    }
    classes = _classes()
    composed = {
        number: tuple(int(part, 16) for part in decomposition(chr(number)).split())
        for number in decomposed
        if normalize("NFC", chr(number)) == chr(number)
    }
    odd = {*map(ord, ZERO_WIDTH), *classes, *decomposed.keys() - composed.keys(), *_JAMO}
    odd.update(second for _, second in composed.values())
    yield numbers(chain.from_iterable((number, number + 1) for number in sorted(odd)))
    yield numbers(map(ord, ZERO_WIDTH))
    yield numbers(chain.from_iterable(classes.items()))
    yield numbers(decomposed)
    yield texts(decomposed.values())
    yield numbers(chain.from_iterable((*pair, number) for number, pair in composed.items()))


def _vocabulary() -> Iterator[bytes]:
    number_of = known_numbers()

    def numbered(names: Iterable[str]) -> bytes:
        return numbers(sorted(map(number_of.__getitem__, names)))

    yield from map(numbered, _SETS)
    rules = [(name, *rule) for name, rules in vocabulary.IMPLIED_ENDS.items() for rule in rules]
    yield numbers(chain.from_iterable((number_of[name], barriers is not None) for name, _, barriers in rules))
    for _, ended, barriers in rules:
        yield numbered(ended)
        yield numbered(barriers or ())
    scopes = vocabulary.END_SCOPES
    yield numbers(map(number_of.__getitem__, scopes))
    yield from map(numbered, scopes.values())
    naming = [(name, attribute) for name, attributes in NAMING.items() for attribute in attributes]
    yield numbers(number_of[name] for name, _ in naming)
    yield texts(attribute for _, attribute in naming)
    yield from (numbers([most]) for most in (MAX_ATTRIBUTES, MAX_CLASSES, vocabulary.MAX_IDS))


def _words() -> Iterator[bytes]:
    number_of = known_numbers()
    yield numbers(_BITS)
    yield numbers(chain.from_iterable((number_of[name], bits) for name, bits in vocabulary.OF_NAME.items()))
    yield texts(vocabulary.OF_ROLE)
    yield numbers(vocabulary.OF_ROLE.values())
    yield texts(vocabulary.NAMED_BY_START)
    yield texts(vocabulary.NAMED_BY_WORD)
    yield numbers(number_of[name] for name in sorted(vocabulary.NEVER_NAMED))
    yield numbers(map(ord, TITLE_MARKS))
    yield sections(np.array([MAX_UNLINKED, MAX_WORDS, MAX_TEXT], dtype="<f8").tobytes())
    yield from (numbers([least]) for least in (MIN_CHOICES, MIN_TEXT))
    yield sections(np.log1p(np.arange(_COUNTED_WORDS)).tobytes())


def _seams() -> Iterator[bytes]:
    """Yield signs that part texts or numbers, names of currencies, classes of permalinks, line numbers."""
    yield from (numbers(map(ord, signs)) for signs in _SIGNS)
    yield texts(sorted(vocabulary.CURRENCIES))
    yield texts(sorted(vocabulary.PERMALINKS))
    yield texts(sorted(vocabulary.LINE_NUMBERS))


def _entities() -> Iterator[bytes]:
    """Yield the named references, numbers that stand for something else than their character, and caps."""
    yield texts(html5)
    yield texts(html5.values())
    planes = range(0, _CHARACTERS, 0x10000)
    ends = chain.from_iterable((plane + 0xFFFE, plane + 0xFFFF) for plane in planes)
    asked = (*range(0x300), *range(0xD800, 0xE000), *range(0xFDD0, 0xFDF0), *ends, _CHARACTERS)
    stands_for = {number: html.unescape(f"&#{number};") for number in asked}
    odd = {
        number: text for number, text in stands_for.items() if number >= _CHARACTERS or text != chr(number)
    }
    yield numbers(odd)
    yield texts(odd.values())
    yield texts(sorted(FOLLOWED_SCHEMES))
    yield from (numbers([least]) for least in (MIN_FALLBACK, MIN_PANEL))
