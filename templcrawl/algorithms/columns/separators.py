"""Separators: marks that stand between texts, as between breadcrumbs, and are no part of a value.

One that begins or ends its element is no unit, a colon there ends the label before it.  One between two
things ("by Ann | News") tells these apart.  No value is one, or ends with one.

Source: our own.  Cost: O(length of the texts).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

Text = tuple[int, str, bool]  # the element of a unit, its text, whether it is content
COLONS = (":", "：")
_SEPARATORS = " :：|/\\<>«»‹›·•…-–—"
_NO_VALUE = f"{_SEPARATORS},;.()[]{{}}"
_MAX_UP = 3  # elements between a text and the one that its separator stands in


def trimmed(text: str) -> str:
    """Return a text without the separators at its ends.

    >>> trimmed("| Tea » "), trimmed("«Tea»"), trimmed("5 cups ("), trimmed("by Ann -")
    ('Tea', '«Tea»', '5 cups', 'by Ann')
    """
    quotes = "" if "«" in text and "»" in text else "«»"
    text = text.lstrip(f" |•·‹›)]{quotes}").rstrip(f" |•·‹›([{quotes}")
    return text.rstrip(" -–—") if text.endswith((" -", " –", " —")) else text


def value_of(text: str) -> str:
    """Return what a text is as a value, "" of marks alone.

    >>> value_of("[ 12 ("), value_of("."), value_of("—")
    ('[ 12', '', '')
    """
    return trimmed(text) if text.strip(_NO_VALUE) else ""


def without_separators(texts: Iterable[Text], names: Sequence[str], parents: Sequence[int]) -> Iterator[Text]:
    """Yield the texts and pictures of a page without the separators that begin or end their element."""
    before: Text | None = None
    mark: Text | None = None
    for one in texts:
        element, text, _ = one
        if names[element] == "img" or text.strip(_SEPARATORS):
            if before:
                yield before
            if mark and _is_in(element, mark[0], parents):
                yield mark
            before, mark = one, None
        elif before and _is_in(before[0], element, parents):
            if text in COLONS:
                before = (before[0], f"{before[1]}{text}", before[2])
            else:
                mark = one
    if before:
        yield before


def _is_in(inner: int, element: int, parents: Sequence[int]) -> bool:
    """Return whether an element is another one, or not deep in it."""
    for _ in range(_MAX_UP):
        if inner == element:
            return True
        inner = parents[inner] if inner > 0 else 0
    return inner == element
