"""XPaths of the places where a column has its values, as the tables read them.

A slot names the place of an element, upwards to some steps with a class word or an id
(:mod:`templcrawl.algorithms.columns.places`).  An XPath takes its last steps from one of these on.  A column
of several slots, which are alternatives, has the union of theirs.

Source: our own.  Cost: O(length of the places).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from templcrawl.algorithms.columns.places import NAMED_STEPS
from templcrawl.algorithms.columns.slots import CODE_OF, LEAD_OF, SECTIONS_OF, TEXT_OF, Slot
from templcrawl.algorithms.columns.units import SCOPE, parts_of
from templcrawl.algorithms.columns.values import Column
from templcrawl.outputs.tried_pages import xpath_step

_MAX_UNITED = 4  # slots of a column
_FORMS = {  # of the XPath of a slot, by that of its place
    LEAD_OF: ("{}/*[normalize-space()][1][self::p]",),
    CODE_OF: ("{}//pre",),
    SECTIONS_OF: (
        *(f"{{}}//{heading}" for heading in ("h2", "h3", "h1", "h4")),
        *(
            f"{{0}}[count(.//{one})>1]//{one} | {{0}}[count(.//{one})<2]//{other}"
            for one, other in pairwise(("h1", "h2", "h3"))
        ),
    ),
    TEXT_OF: ("{}",),
    0: ("{}",),
}


def slot_xpaths(column: Column, start: str) -> Iterator[str]:
    """Yield XPaths of what stands in the slots of a column, those of few steps first.

    start  prefix of an XPath
    """
    slots = [one for one in column.slots if one.place and one.place != SCOPE]
    if not slots or len(slots) > _MAX_UNITED or column.is_address:
        return
    known = set()
    for named in range(1, NAMED_STEPS + 1):
        for paths in zip(*(_paths(slot, named, start) for slot in slots)):
            xpath = " | ".join(dict.fromkeys(paths))
            if xpath not in known:
                known.add(xpath)
                yield xpath


def _paths(slot: Slot, named: int, start: str) -> list[str]:
    """Return XPaths of a slot, of its last steps with so many that have a word; [] of a slot of others."""
    steps: list[str] = []
    for step in reversed(slot.place.split("/")):
        tag, words = parts_of(step)
        steps.append(xpath_step(tag, *sorted(words, key=lambda word: word[0] != "#")[:1]))
        named -= bool(words)
        if not named:
            break
    steps.reverse()
    path = f"{start}{'/'.join(steps)}"
    if slot.number > 0:
        cell, *below = steps  # in a row of a table a number may be that of the cell
        numbered = "/".join([f"{cell}[{slot.number}]", *below])
        return [f"({path})[{slot.number}]", *([f"{start}{numbered}"] if cell == "td" else [])]
    return [form.format(path) for form in _FORMS.get(slot.number, ())]
