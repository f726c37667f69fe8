"""Find what on a page leads around in it, and to the pages beside it.

*A table of contents* is links in a row to places on the page, which say what its headings say.  It says
nothing that these do not say.  *Neighbours* are two links in a row, to the page before and to the next one.
They say so by an arrow, or by a word before their title ("Previous: Tea"); or the first begins, and the
second ends, with an icon.

Source: our own.  n units.  Cost: O(length of their texts + elements in links).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain, pairwise

from templcrawl.algorithms.columns.separators import Text
from templcrawl.algorithms.columns.units import heading_at
from templcrawl.page.elements import Elements

_MIN_CONTENTS, _LISTED = 3, 0.8  # links of a table of contents; of these: those that are headings
_BETWEEN = 2  # units from the link to the page before to the one to the next page
_THING = r"(?:\s(?:page|post|article|chapter|topic|entry|story|lesson|artikel|beitrag|seite|kapitel|статья))?"
_TITLED = rf"{_THING}\s?(?:[:：]|\s[-–—]\s|\s)\s?(?=\w)"
_IS_BACK = re.compile(
    r"(?:[←«‹❮]\s?)?(?:(?:previous|prev|older|précédent|zurück|vorherige[rs]?|anterior|precedente|vorige"
    rf"|предыдущая|предыдущий){_TITLED}|(?:上一|前の|前へ)\S?\s?[:：]?\s?(?=\w))|[←«‹❮]",
    re.IGNORECASE,
).match
_IS_ON = re.compile(
    r"(?:next|newer|suivant|weiter|nächste[rs]?|siguiente|próximo|successivo|prossimo|volgende|следующая"
    rf"|следующий){_TITLED}|(?:下一|次の|次へ)\S?\s?[:：]?\s?(?=\w)",
    re.IGNORECASE,
).match
_ON, _BACK = ("→", "»", "›", "❯"), ("←", "«", "‹", "❮")
_ICONS = frozenset({"svg", "i", "img"})
_MAX_UP = 3  # elements from the text of a link up to the link


def without_navigation(
    texts: Sequence[Text],
    places: Sequence[str],
    links: Sequence[str],
    own_links: Mapping[str, str],
    elements: Elements,
) -> tuple[list[Text], dict[int, str]]:
    """Return the texts of a page but for tables of contents, of links to neighbours the titles of these.

    And element -> "previous" or "next" for these links; what leads to the same two again is left out.
    places, links  of elements; own_links  link -> where it leads on the page itself
    """
    vain = _contents(texts, places, [own_links.get(links[element], "") for element, _, _ in texts])
    neighbours, again = _neighbours(texts, links, elements.names, elements.parents)
    kept = [
        (element, neighbours.get(element, ("", text))[1], content)
        for element, text, content in texts
        if element not in vain and element not in again
    ]
    return kept, {element: called for element, (called, _) in neighbours.items()}


def _contents(texts: Sequence[Text], places: Sequence[str], links: Sequence[str]) -> set[int]:
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


def _neighbours(
    texts: Sequence[Text], links: Sequence[str], names: Sequence[str], parents: Sequence[int]
) -> tuple[dict[int, tuple[str, str]], set[int]]:
    """Return what elements lead to the previous and the next page: two links in a row, each with its title.

    And those that do so once more.
    """
    linked = [(number, element) for number, (element, _, _) in enumerate(texts) if links[element]]
    found, again, known = dict[int, tuple[str, str]](), set[int](), set[tuple[str, str]]()
    for (one, back), (other, on) in pairwise(linked):
        first, second = texts[one][1], texts[other][1]
        before, behind = _IS_BACK(first), _IS_ON(second)
        says = before and (behind or second.endswith(_ON))
        are_quoted = first.endswith(_ON) or second.startswith(_BACK)
        if other - one <= _BETWEEN and (
            (says and not are_quoted) or _have_icons(back, on, links, names, parents)
        ):
            found[back] = "previous", first[before.end() if before else 0 :].strip()
            found[on] = "next", second[behind.end() if behind else 0 :].rstrip(f" {''.join(_ON)}")
            again |= {back, on} if (links[back], links[on]) in known else set()
            known.add((links[back], links[on]))
    return found, again


def _have_icons(
    back: int, on: int, links: Sequence[str], names: Sequence[str], parents: Sequence[int]
) -> bool:
    """Return whether a link begins with an icon, and another one ends with one, beside their texts."""
    icons = []
    for element in (back, on):
        link = element
        for _ in range(_MAX_UP):
            if names[link] == "a":
                break
            link = parents[link]
        if names[link] != "a" or link == element:
            return False
        end = link + 1
        inside = []
        while end < len(names) and parents[end] >= link:
            if parents[end] == link:
                inside.append(end)
            end += 1
        icons.append([names[one] in _ICONS for one in inside])
    first, second = icons
    return len(first) > 1 and len(second) > 1 and first[0] and second[-1] and not (first[-1] or second[0])


def _bare(text: str) -> str:
    """Return the letters of a text."""
    return "".join(filter(str.isalpha, text)).casefold()
