"""Join the candidates for columns with the properties that pages declare (:mod:`templcrawl.page.declared`).

A property is a candidate; where a shown one has its value on most pages, the two are one, which has its name.

Source: our own.  c candidates, p properties of n pages.  Cost: O(c p n).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from templcrawl.algorithms.columns.candidates import Candidate
from templcrawl.algorithms.columns.value_kinds import DATE, is_date_of, kind_of
from templcrawl.page.declared import Declared

_AGREE = 0.8  # of the pages that have both a shown and a declared value: those where the two are one
_AGREE_PICTURES = 0.6  # the same of pictures, of which pages may declare another
_MIN_SHOWN = 0.5  # of the pages that declare a value: those that show the candidate
_MIN_DECLARED = 0.05
_NO_COLUMNS = frozenset({"url", "inLanguage"})  # declared properties that are about the page
_RENDITION = re.compile(r"[@#].*|[-_]\d*x\d*(?=\.\w+(?:[@#]|$))")
_NUMBER = re.compile(r"\d[\d.,]*")
_NO_DIGITS = re.compile(r"\D")
_ZEROS = re.compile(r"[.,]0{1,2}$")


def join_declared(shown: list[Candidate], declared: Sequence[Declared]) -> list[Candidate]:
    """Join candidates with declared properties: these name shown candidates, and add candidates."""
    values: defaultdict[str, dict[int, list[str]]] = defaultdict(dict)
    for page, one in enumerate(declared):
        for name, texts in one.values.items():
            values[name][page] = texts
    found = list(shown)
    for name, told in sorted(values.items()):
        if name in _NO_COLUMNS or len(told) < max(2, _MIN_DECLARED * len(declared)):
            continue
        alike = [one for one in shown if not one.declared and _agrees(one, name, told)]
        if alike:
            best = max(alike, key=lambda one: (one.is_fact, len(one.texts), -one.order))
            best.declared, best.filled = name, told
            del best.texts
        elif not any(one.declared == name for one in found):
            found.append(Candidate((), {}, "", name, told, -1.0))
    return found


def _agrees(one: Candidate, name: str, told: Mapping[int, list[str]]) -> bool:
    """Return whether a shown candidate has the values of a declared property."""
    both = [page for page in one.found if page in told]
    if len(both) < _MIN_SHOWN * len(told) or len({tuple(told[page]) for page in both}) < 2:
        return False
    same = sum(
        _is_same(name, one.texts[page][0], told[page][0])
        or _is_same(name, " ".join(one.texts[page]), " ".join(told[page]))
        for page in both
    )
    return same >= (_AGREE_PICTURES if name == "image" else _AGREE) * len(both)


def picture_name(address: str) -> str:
    """Return the file name of a picture without its size and other marks of a rendition."""
    return _RENDITION.sub("", address.partition("?")[0].rstrip("/").rpartition("/")[2]).casefold()


def _is_same(name: str, shown: str, told: str) -> bool:
    """Return whether a shown text is a declared value.

    >>> _is_same("price", "$ 1,200.00", "1200"), _is_same("name", "Tea", "Teas")
    (True, False)
    >>> _is_same("datePublished", "3 May 2026", "2026-05-03T10:00:00Z")
    True
    >>> _is_same("image", "../tea-300x200.jpg?v=2", "http://a.example/img/tea.jpg")
    True
    """
    if name == "image":
        return picture_name(shown) == picture_name(told)
    if name in ("price", "ratingValue", "reviewCount"):
        ours, others = (
            _ZEROS.sub("", match[0]) if (match := _NUMBER.search(text)) else "" for text in (shown, told)
        )
        return bool(ours) and _NO_DIGITS.sub("", ours) == _NO_DIGITS.sub("", others)
    if name.startswith("date"):
        return kind_of([shown]) == DATE == kind_of([told]) and is_date_of(shown, told)
    return shown.casefold() == told.casefold()
