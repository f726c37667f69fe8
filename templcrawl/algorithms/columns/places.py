"""Which words the places of a page type keep, and how long they are.

*Class words* may say what one page is about: ``topic-tea`` on the article of a post.  Elements of one tag
path and one *leading* word (the one that most pages have) are a slot.  Where pages have one kind of element
in a slot, a word is kept that ``MOST_HAVE`` of them have; where they have several (``field-isbn`` beside
``field-author``), one that ``FEW_HAVE`` of the pages of the type have.  A word that the sample has not is
none.  So a place has no word of a single page.

*Short places.*  A place is read from its element upwards until ``NAMED_STEPS`` steps have a word; ``html``
and ``body`` without a word are left out.  So a page with another frame around the same part has the same
place, and a selector is as short as a person's.

Source: our own.  n cells of the sample, of depth d.  Cost: O(n d); a place is shortened once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from sys import intern

from templcrawl.algorithms.columns.cells import Cell

MOST_HAVE, FEW_HAVE = 0.9, 0.05
NAMED_STEPS = 3
_SEVERAL = 1.2  # kinds of element in a slot on a page, on average
_MOST_KNOWN = 4_000  # places whose short form is remembered
_MOST_PATHS = 100_000  # tag paths of a sample; the words of others are left out

_Kinds = set[tuple[str, ...]]  # words of elements


@lru_cache(maxsize=_MOST_KNOWN)
def parts_of(step: str) -> tuple[str, tuple[str, ...]]:
    """Return the tag and the words of a step, the id with its mark.

    >>> parts_of("div.price.sale#cost")
    ('div', ('price', 'sale', '#cost'))
    """
    tag, *words = step.replace("#", ".#").split(".")
    return tag, tuple(words)


class Places(dict[str, str]):
    """The places of a page type: a place -> as the type has it.

    words  those that are kept, each behind its tag: ``div.price``, ``div.#cost``

    >>> Places(["p.price", "h1.title", "div.item", "div.page"])["html/body/div.page/div.item/p.price.sale/b"]
    'div.page/div.item/p.price/b'
    """

    def __init__(self, words: Iterable[str]) -> None:
        super().__init__()
        self.words = frozenset(words)

    def __missing__(self, place: str) -> str:
        steps: list[str] = []
        named = 0
        for step in reversed(place.split("/")):
            tag, words = parts_of(step)
            kept = [word for word in words if f"{tag}.{word}" in self.words]
            steps.append(".".join([tag, *kept]).replace(".#", "#"))
            named += bool(kept)
            if named == NAMED_STEPS:
                break
        while len(steps) > 1 and steps[-1] in ("html", "body"):
            steps.pop()
        if len(self) >= _MOST_KNOWN:
            self.clear()
        short = self[place] = intern("/".join(reversed(steps)))
        return short


def places_of(pages: Collection[Sequence[Cell]]) -> Places:
    """Return the places of a type, by a sample of its pages."""
    having: Counter[str] = Counter()
    slots: defaultdict[str, list[_Kinds]] = defaultdict(list)
    known: dict[str, tuple[str, str, tuple[str, ...]]] = {}
    for cells in pages:
        kinds = _kinds(cells, known)
        for path, on_page in kinds.items():
            if path in slots or len(slots) < _MOST_PATHS:
                slots[path].append(on_page)
        having.update({name for path, on_page in kinds.items() for name in _named(path, on_page)})
    votes: Counter[str] = Counter()
    for path, of_pages in slots.items():
        for led in _by_lead(path, of_pages, having).values():
            counts = Counter(name for on_page in led for name in _named(path, on_page))
            are_several = sum(map(len, led)) > _SEVERAL * len(led)
            least = FEW_HAVE * len(pages) if are_several else MOST_HAVE * len(led)
            for name, count in counts.items():
                votes[name] += count if count >= max(2, least) else -count
    return Places(name for name, count in votes.items() if count > 0)


def _kinds(cells: Iterable[Cell], known: dict[str, tuple[str, str, tuple[str, ...]]]) -> dict[str, _Kinds]:
    """Return tag path -> the words of each kind of element that a page has there, cells inside.

    known  place -> the place of the element around it, its tag path, its words
    """
    kinds: defaultdict[str, _Kinds] = defaultdict(set)
    seen = {""}
    for place in {cell.place for cell in cells}:
        while place not in seen:
            seen.add(place)
            if place not in known:
                above, _, step = place.rpartition("/")
                _, words = parts_of(step)
                path = "/".join(parts_of(one)[0] for one in place.split("/"))
                known[place] = above, path, words
            place, path, words = known[place]
            if words:
                kinds[path].add(words)
    return kinds


def _named(path: str, kinds: _Kinds) -> set[str]:
    tag = path.rpartition("/")[2]
    return {f"{tag}.{word}" for words in kinds for word in words}


def _by_lead(path: str, of_pages: Iterable[_Kinds], having: Mapping[str, int]) -> dict[str, list[_Kinds]]:
    """Return leading word -> page -> the kinds of element that it leads there."""
    tag = path.rpartition("/")[2]
    slots: defaultdict[str, list[_Kinds]] = defaultdict(list)
    for on_page in of_pages:
        led: defaultdict[str, _Kinds] = defaultdict(set)
        for words in on_page:
            led[max(words, key=lambda word: (having[f"{tag}.{word}"], word))].add(words)
        for lead, kinds in led.items():
            slots[lead].append(kinds)
    return slots
