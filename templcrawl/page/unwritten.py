"""Find text runs that are shown but are not part of the text: signs of links, numbers of lines.

The sign of a link to a heading (``¶``, ``#``, ``§``) is not text: it stands in a heading, or its link has a
class that says so.  Numbers of lines are none either: they stand in code, and a class says what they are.

n tokens, m elements.  Cost: O(n + m).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from templcrawl.page.elements import Elements
from templcrawl.page.runs import TextRuns
from templcrawl.page.tokens import TokenStream
from templcrawl.page.vocabulary import CODE_NAMES, HEADINGS, LINE_NUMBERS, PERMALINKS

MAX_AROUND = 8  # elements around the sign of a link to a heading, among which both are
_IS_COUNT = re.compile(r"\s*\d[\s\d]*\Z").match


def permalinks_of(tokens: TokenStream, elements: Elements, runs: TextRuns) -> frozenset[int]:
    """Return the text runs that are signs of links to a heading: ``¶``, ``#``, ``§``."""
    names, parents = elements.names, elements.parents
    signs = (runs.words == 0).nonzero()[0]
    found, is_sign = [], dict[int, bool]()
    for position, element in zip(runs.positions[signs].tolist(), runs.elements[signs].tolist()):
        anchor, steps = element, 1
        while names[anchor] != "a" and anchor and steps < MAX_AROUND:
            anchor, steps = parents[anchor], steps + 1
        if names[anchor] != "a":
            continue
        if anchor not in is_sign:
            first, stop = runs.positions.searchsorted((elements.opens[anchor], elements.closes[anchor]))
            tag = tokens.form_tags[tokens.form_of[elements.opens[anchor]]]
            is_inside = any(names[element] in HEADINGS for element in _around(parents, element))
            leads_here = is_inside and "#" in (tag.href or "#")
            is_named = not PERMALINKS.isdisjoint(tag.classes)
            is_sign[anchor] = (is_named or leads_here) and not runs.words[first:stop].any()
        if is_sign[anchor]:
            found.append(position)
    return frozenset(found)


def line_numbers_of(tokens: TokenStream, elements: Elements, runs: TextRuns) -> frozenset[int]:
    """Return the text runs that are numbers of lines of code."""
    names = elements.names
    if CODE_NAMES.isdisjoint(names):
        return frozenset()
    forms = tokens.form_array[runs.positions].tolist()
    counts = {form for form in {*forms} if _IS_COUNT(tokens.forms[form])}
    found = []
    for position, element, form in zip(runs.positions.tolist(), runs.elements.tolist(), forms):
        if form not in counts:
            continue
        around = list(_around(elements.parents, element))
        if any(names[element] in CODE_NAMES for element in around) and any(
            not LINE_NUMBERS.isdisjoint(tokens.form_tags[tokens.form_of[elements.opens[above]]].classes)
            for above in around
            if above
        ):
            found.append(position)
    return frozenset(found)


def _around(parents: Sequence[int], element: int) -> Iterator[int]:
    """Yield an element and those around it, as far as the sign of a link to a heading may be from both."""
    for _ in range(MAX_AROUND):
        yield element
        if not element:
            break
        element = parents[element]
