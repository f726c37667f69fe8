"""Separators: marks that stand between texts, as between breadcrumbs, and are no part of a value.

At the ends of a text they are left out.  A text of marks alone is none, a colon alone ends the label before
it.

Source: our own.  Cost: O(length of the texts).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

Text = tuple[int, str, bool]  # the element of a unit, its text, whether it is content
COLONS = (":", "：")
_ALONE = " :：.|/\\()[]{}<>«»‹›·•…-–—"
_MAX_UP = 3  # elements around a label in which its colon may stand


def trimmed(text: str) -> str:
    """Return a text without the separators at its ends.

    >>> trimmed("| Tea » "), trimmed("«Tea»"), trimmed("5 cups ("), trimmed("by Ann -")
    ('Tea', '«Tea»', '5 cups', 'by Ann')
    """
    quotes = "" if "«" in text and "»" in text else "«»"
    text = text.lstrip(f" |•·‹›)]{quotes}").rstrip(f" |•·‹›([{quotes}")
    return text.rstrip(" -–—") if text.endswith((" -", " –", " —")) else text


def without_separators(texts: Iterable[Text], names: Sequence[str], parents: Sequence[int]) -> Iterator[Text]:
    """Yield the texts and pictures of a page without separators."""
    held: Text | None = None
    for element, text, content in texts:
        is_picture = names[element] == "img"
        bare = text if is_picture else trimmed(text)
        if not is_picture and not bare.strip(_ALONE):
            if held and text in COLONS and _is_around(element, held[0], parents):
                held = (held[0], f"{held[1]}{text}", held[2])
            continue
        if held:
            yield held
        held = (element, bare, content)
    if held:
        yield held


def _is_around(element: int, inner: int, parents: Sequence[int]) -> bool:
    """Return whether an element is one of the next around another."""
    for _ in range(_MAX_UP):
        inner = parents[inner] if inner > 0 else 0
        if inner == element:
            return True
    return False
