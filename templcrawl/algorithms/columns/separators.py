"""Separators: marks that stand between texts, as between breadcrumbs, and are no part of a value.

Arrows behind breadcrumbs are no units, a colon alone ends the label before it.  Other marks stand between
two things ("by Ann | News"), in sentences and around words; none is a value, or ends one.

Source: our own.  Cost: O(length of the texts).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

Text = tuple[int, str, bool]  # the element of a unit, its text, whether it is content
COLONS = (":", "：")
COMMAS = (",", "，", "、", "،", ";")
_SEPARATORS = " :：>»›"
_NO_VALUE = f"{_SEPARATORS}<«‹|/\\·•…-–—,;.()[]{{}}"
_MAX_UP = 3  # elements around a label in which its colon may stand


def trimmed(text: str) -> str:
    """Return a text without the separators at its ends.

    >>> trimmed("| Tea » "), trimmed(", «Tea»"), trimmed("5 cups ("), trimmed("by Ann -")
    ('Tea', '«Tea»', '5 cups', 'by Ann')
    """
    quotes = "" if "«" in text and "»" in text else "«»"
    text = text.lstrip(f" ,;|•·‹›)]{quotes}").rstrip(f" |•·‹›([{quotes}")
    return text.rstrip(" -–—") if text.endswith((" -", " –", " —")) else text


def value_of(text: str) -> str:
    """Return what a text is as a value, "" of marks alone.

    >>> value_of("[ 12 ("), value_of("."), value_of("—")
    ('[ 12', '', '')
    """
    return trimmed(text) if text.strip(_NO_VALUE) else ""


def without_separators(texts: Iterable[Text], names: Sequence[str], parents: Sequence[int]) -> Iterator[Text]:
    """Yield the texts and pictures of a page without separators."""
    held: Text | None = None
    for one in texts:
        element, text, _ = one
        if names[element] == "img" or text.strip(_SEPARATORS):
            if held:
                yield held
            held = one
        elif held and text in COLONS and _is_around(element, held[0], parents):
            held = (held[0], f"{held[1]}{text}", held[2])
    if held:
        yield held


def _is_around(element: int, inner: int, parents: Sequence[int]) -> bool:
    """Return whether an element is one of the next around another."""
    for _ in range(_MAX_UP):
        inner = parents[inner] if inner > 0 else 0
        if inner == element:
            return True
    return False
