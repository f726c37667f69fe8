"""Find flat records: siblings without an element around each record, as in ``h3 p div h3 p div``.

A record begins with a *leader*, and ends before the next one, or a heading above its own.  The leaders of an
element are children of one tag and class word, ``MIN_RECORDS`` or more: headings rather than others, the
most, the first.  Most records have the same siblings behind their leaders, which do not stand before the
first one, and nearly all siblings are such (``_COMMON``).  Chapters of an article have that, too; therefore
leaders link to other pages, or most records have a short sibling with a class word: a byline, a date.  A
sibling with more units than ``_MAX_INSIDE``, or one of several with nearly all, is a record by itself.

Source: our own.  m elements, at most ``_MAX_LEADERS`` kinds of children tried of each.  Cost: O(m).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

from templcrawl.algorithms.columns.separators import Text
from templcrawl.algorithms.columns.units import parts_of, words_in
from templcrawl.page.vocabulary import HEADINGS

MIN_RECORDS = 3
FLAT = "flat: "  # begins the row of flat records, before the place of their leaders
_HAVE = 0.6  # of the records: those with a common sibling
_COMMON = 0.8  # of the siblings: common ones; of the records: those with a link
_SEVERAL = 1.5  # siblings of a kind behind a leader: these are the records, if they have parts
_MAX_LEADERS = 4
_MAX_INSIDE = 6  # units of a common sibling, on average; of a leader those that may link
_MAX_WORDS = 12  # of a short one
_NO_LEADERS = frozenset("tr td th li option br p dd a span em i code".split())
_CODE = frozenset("pre code".split())


class Child(NamedTuple):
    """A child of an element: itself, its kind (its row, as of other records), its units."""

    element: int
    kind: str
    units: range


def flat_records(
    children: Sequence[Child], names: Sequence[str], texts: Sequence[Text], links: Sequence[str]
) -> list[tuple[int, range]]:
    """Return the flat records among the children of an element: leader, and units up to the next one.

    children  those that have units, in their order
    texts     the units of the page
    links     element -> where the link leads that it is in
    """
    counts = Counter(child.kind for child in children)
    kinds = {child.kind: names[child.element] for child in children if counts[child.kind] >= MIN_RECORDS}
    order = sorted(kinds, key=lambda kind: (kinds[kind] not in HEADINGS, -counts[kind]))
    for kind in [one for one in order if kinds[one] not in _NO_LEADERS][:_MAX_LEADERS]:
        above = [outranks(names[child.element], kinds[kind]) for child in children]
        starts = [at for at, child in enumerate(children) if child.kind == kind]
        ends = [
            next((at for at in range(start, end) if above[at]), end)
            for start, end in pairwise([*starts, len(children)])
        ]
        before = {child.kind for child in children[: starts[0]]}
        records = [children[start:end] for start, end in zip(starts, ends)]
        if _are_records(records, before, names, texts, links):
            units = [*(child.units.start for child in children), children[-1].units.stop]
            return [
                (children[start].element, range(units[start], units[end])) for start, end in zip(starts, ends)
            ]
    return []


def outranks(name: str, other: str) -> bool:
    """Return whether an element is a heading above another heading.

    >>> outranks("h2", "h3"), outranks("h3", "h3"), outranks("h2", "div")
    (True, False, False)
    """
    return name in HEADINGS and other in HEADINGS and name < other


def _are_records(
    records: Sequence[Sequence[Child]],
    before: Collection[str],
    names: Sequence[str],
    texts: Sequence[Text],
    links: Sequence[str],
) -> bool:
    """Return whether children of an element are records, each with its leader first.

    before  kinds of the children before them
    """
    having = Counter(kind for record in records for kind in {child.kind for child in record[1:]})
    common = {kind for kind, count in having.items() if count >= _HAVE * len(records)}
    siblings: defaultdict[str, list[Child]] = defaultdict(list)
    for record in records:
        for child in record[1:]:
            siblings[child.kind].append(child)
    known = sum(len(siblings[kind]) for kind in common)
    if not common.difference(before) or known < _COMMON * sum(map(len, siblings.values())):
        return False
    behind = sum(len(child.units) for record in records for child in record[1:])
    for kind in common:
        count, inside = len(siblings[kind]), sum(len(one.units) for one in siblings[kind])
        are_several = count >= _SEVERAL * len(records) and inside >= max(2 * count, _COMMON * behind)
        if inside > _MAX_INSIDE * count or are_several:
            return False
    linked = sum(
        any(_leads_on(links[texts[at][0]]) for at in leader.units[:_MAX_INSIDE]) for leader, *_ in records
    )
    return linked >= _COMMON * len(records) or any(_is_short(siblings[kind], names, texts) for kind in common)


def _leads_on(link: str) -> bool:
    return link != "" and not link.startswith("#")


def _is_short(siblings: Sequence[Child], names: Sequence[str], texts: Sequence[Text]) -> bool:
    """Return whether siblings of a kind have a class word, and say little."""
    tag, words = parts_of(siblings[0].kind.rpartition("/")[2])
    owners_texts = [texts[at] for child in siblings for at in child.units]
    is_code = tag in _CODE or any(names[owner] in _CODE for owner, _, _ in owners_texts)
    said = sum(words_in(text) for _, text, _ in owners_texts)
    return bool(words) and not is_code and said <= _MAX_WORDS * len(siblings)
