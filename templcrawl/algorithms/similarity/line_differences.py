"""Line diff of two versions of a page's text, limited to lines whose content was altered.

Source: the longest matching blocks of Ratcliff & Obershelp (Dr. Dobb's Journal, July 1988), by ``difflib``.
Departure: of the lines that differ only those are shown that have an altered run of the content (see
:mod:`templcrawl.algorithms.similarity.alterations`): the template's differ too.

n lines.  Cost: O(n^2) at worst; beyond ``MOST_LINES`` lines of a page the rest are not looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

MOST_LINES = 4_096
_ALIKE = 0.5
_LONGEST = 2_000

Words = tuple[tuple[str, bool], ...]
"""Pieces of a line, and whether the other line lacks them."""


class Difference(NamedTuple):
    """Lines of the old text that others have taken the place of; either may be none."""

    removed: tuple[str, ...]
    added: tuple[str, ...]


def differences(
    old: Sequence[str], new: Sequence[str], removed: Collection[str], added: Collection[str]
) -> list[Difference]:
    """Return what differs in two texts, from the top.

    removed, added  altered runs: of the old text and of the new one

    >>> differences(["Menu", "Red tea", "End"], ["Menu 2", "Green tea", "End"], ["Red tea"], ["Green tea"])
    [Difference(removed=('Red tea',), added=('Green tea',))]
    """
    old, new = old[:MOST_LINES], new[:MOST_LINES]
    parts = []
    for tag, old_from, old_to, new_from, new_to in SequenceMatcher(None, old, new, False).get_opcodes():
        if tag != "equal":
            old_lines = tuple(line for line in old[old_from:old_to] if _has_any(line, removed))
            new_lines = tuple(line for line in new[new_from:new_to] if _has_any(line, added))
            if old_lines or new_lines:
                parts.append(Difference(old_lines, new_lines))
    return parts


def _has_any(line: str, runs: Collection[str]) -> bool:
    """Return whether a line has a run, or is one of the lines of a run that has several."""
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
