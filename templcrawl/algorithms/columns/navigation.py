"""Find what on a page leads around in it, and to the pages beside it.

*A table of contents* is links in a row to places on the page, which say what its headings say.  It says
nothing that these do not say.  *Neighbours* are two links in a row of which the first begins with an arrow
back, and the second ends with an arrow on.

Source: our own.  n units.  Cost: O(length of their texts).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise

from templcrawl.algorithms.columns.separators import Text
from templcrawl.algorithms.columns.units import heading_at

_MIN_CONTENTS, _LISTED = 3, 0.8  # links of a table of contents; of these: those that are headings
_BACK, _ON = ("←", "«", "‹"), ("→", "»", "›")
_BETWEEN = 2  # units from a link with an arrow back to one with an arrow on


def contents_in(texts: Sequence[Text], places: Sequence[str], links: Sequence[str]) -> set[int]:
    """Return the elements of tables of contents: links in a row to headings of the page.

    links  unit -> where it leads on the page itself, "" of others
    """
    headings = {_bare(text) for element, text, _ in texts if heading_at(places[element])}
    found, run = set[int](), dict[int, str]()  # element -> what it says
    for (element, text, _), link in chain(zip(texts, links), [((0, "", False), "")]):
        if link.startswith("#") or (run and text and not _bare(text)):  # "2.1"
            run[element] = _bare(text)
            continue
        said = [*filter(None, run.values())]
        if len(said) >= _MIN_CONTENTS and sum(one in headings for one in said) >= _LISTED * len(said):
            found |= run.keys()
        run = {}
    return found


def neighbours_in(texts: Sequence[Text], links: Sequence[str]) -> tuple[dict[int, str], set[int]]:
    """Return what elements lead to the previous and the next page: two links in a row with arrows outside.

    And those that do so once more.
    """
    linked = [(number, element) for number, (element, _, _) in enumerate(texts) if links[element]]
    found, again, known = dict[int, str](), set[int](), set[tuple[str, str]]()
    for (one, back), (other, on) in pairwise(linked):
        first, second = texts[one][1], texts[other][1]
        are_quoted = first.endswith(_ON) or second.startswith(_BACK)
        if other - one <= _BETWEEN and first.startswith(_BACK) and second.endswith(_ON) and not are_quoted:
            found |= {back: "previous", on: "next"}
            again |= {back, on} if (links[back], links[on]) in known else set()
            known.add((links[back], links[on]))
    return found, again


def _bare(text: str) -> str:
    """Return the letters of a text."""
    return "".join(filter(str.isalpha, text)).casefold()
