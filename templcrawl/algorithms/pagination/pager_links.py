"""Recognise links that page through a list: "next", "2", "»".

A link to the page's own host is pagination if one of these holds:

1. Its ``rel`` says next or previous.
2. Its anchor is a *step* (a number, an arrow, a word), and its address names a page, or is of the page's own
   list, or its number stands in a run (:mod:`~templcrawl.algorithms.pagination.pager_signs`).
3. A class or id of its tag, or of the two above it, says "pager" or "next", and its address is another
   one of the page's own list.

Calendars are not pagination: neither days and years, unless the address names a page, nor an address that
holds a date.  A list that is kept by date holds the page's own date, and its address or the page's own names
a page.

Source: our own; ``python -m lab.papers.pagination`` measures the rule, and what each part of it is worth, on
labelled pages.  n links, m elements.  Cost: O(n + m), the latter with a small constant; of an anchor
``_MOST_TOKENS`` tokens are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from templcrawl.algorithms.pagination.pager_signs import (
    AROUND,
    LONGEST,
    NOTHING,
    WORDS,
    read_address,
    reading,
    runs_and_dates,
)
from templcrawl.page.arrays import Indices, indices
from templcrawl.page.columns import Task
from templcrawl.page.kernel_tables import folds, numbers, texts
from templcrawl.page.page import Page, native
from templcrawl.page.text import Memo
from templcrawl.page.tokens import NO_TAGS, TAGS, TEXT

_MOST_TOKENS = 14  # of an anchor
_LEVELS = 3  # the tag of a link, and the two above it
_RELS = frozenset({"next", "prev", "previous"})
_HINTS = ("pag", "next", "prev")
_HINT = f"(?:{'|'.join(_HINTS)})"
# A class, an id or a rel that holds a hint, as it is written: of most tags that hold one an address does.
_MAY_SAY = re.compile(
    rf"""(?<=[\s"'])(?:class|id|rel)\s*=\s*(?:"[^"]*?{_HINT}|'[^']*?{_HINT}|[^\s"'>]*?{_HINT})""",
    re.IGNORECASE,
).search
_NOTHING_SAID = (False, False)
_CLASS = re.compile(
    r"pagi?n|pager|paging|page[-_]?(?:nav|num|link|list|bar|btn|button)|(?<![a-z])(?:next|prev)",
    re.IGNORECASE,
).search


_Said = tuple[bool, bool]  # by a tag: whether its rel says so, whether a class or its id does
_Hint = tuple[
    int, int, _Said
]  # link, how many levels above it the tag stands (0: its own), what the tag says


class PaginationEvidence(NamedTuple):
    """The signs that a link is pagination, and those against it, as of this module.

    steps      its anchor is a number, an arrow or a word for a direction
    has_class  a class or id says so, and it does not lead to the page itself
    is_date    it is a day or a year, or leads to another date than the page's
    """

    rel: bool
    steps: bool
    names_page: bool
    same_list: bool
    in_run: bool
    has_class: bool
    is_date: bool

    @property
    def is_pagination(self) -> bool:
        """Whether it is pagination by the rule."""
        if self.is_date:
            return False
        if self.steps and (self.names_page or self.same_list or self.in_run):
            return True
        return self.rel or (self.has_class and self.same_list)


def pagination_links(page: Page) -> frozenset[int]:
    """Return which of a page's links page through a list.

    >>> page = Page("<a href=/tea>All</a> <a href=/news/page/2/>2</a>", "https://example.org/news/")
    >>> pagination_links(page)
    frozenset({1})
    """
    return frozenset(number for number, evidence in pagination_evidence(page) if evidence.is_pagination)


def pagination_evidence(page: Page) -> Iterator[tuple[int, PaginationEvidence]]:
    """Yield (link, its evidence) in document order for links to the page's host that have any."""
    readings, hints = _marks(page)
    rels = {link for link, level, (by_rel, _) in hints if by_rel and not level}
    classes = {link for link, _, (_, by_class) in hints if by_class}
    asked = readings.keys() | rels | classes
    if not asked:
        return
    own = read_address(page.url)
    links = sorted(asked)
    numbered = {link: readings[link] for link in links if readings.get(link, NOTHING) >= 0}
    in_run, days = runs_and_dates(page, numbered)
    for number in links:
        address = read_address(page.links.urls[number])
        of_own_date = address.dates == own.dates and (address.names_page or own.names_page)
        is_day = number in days and not address.names_page
        if address.host == own.host:
            evidence = PaginationEvidence(
                rel=number in rels,
                steps=number in readings,
                names_page=address.names_page,
                same_list=not set(address.lists).isdisjoint(own.lists),
                in_run=number in in_run,
                has_class=number in classes and address.target != own.target,
                is_date=is_day or (bool(address.dates) and not of_own_date),
            )
            yield number, evidence


@cache
def _written_rules() -> bytes:
    folded, limits = folds(), numbers((_MOST_TOKENS, _LEVELS, LONGEST))
    words = texts(sorted(WORDS)) + numbers(map(ord, AROUND))
    return limits + words + numbers(folded) + texts(folded.values()) + texts(_HINTS)


def _written_marks(
    links: Indices, anchors: list[str], hinted: Indices, levels: Indices, tag_of: Indices, tags: list[str]
) -> tuple[dict[int, int], list[_Hint]]:
    return _readings(zip(links.tolist(), anchors)), _speaking(hinted, levels, tag_of, tags)


@native(
    Task.PAGER_MARKS,
    columns=("anchor_link", "anchors", "hint_link", "hint_level", "hint_tag", "tags"),
    ask=lambda page: (page.links.written, _written_rules()),
    answer=_written_marks,
)
def _marks(page: Page) -> tuple[dict[int, int], list[_Hint]]:
    return _readings(_anchors(page)), _hints(page)


def _readings(anchors: Iterable[tuple[int, str]]) -> dict[int, int]:
    return {link: step for link, anchor in anchors if (step := reading(anchor)) != NOTHING}


_HINTING = Memo(lambda tag: any(map(tag.lower().__contains__, _HINTS)))


def _anchors(page: Page) -> Iterator[tuple[int, str]]:
    tokens, opens, closes = page.tokens, page.elements.opens, page.elements.closes
    forms, form_of, kinds = tokens.forms, tokens.form_of, tokens.kinds
    for link, element in enumerate(page.links.elements):
        start = opens[element] + 1
        stop = closes[element]
        if stop - start == 2:
            yield link, forms[form_of[start]]
        elif stop - start <= _MOST_TOKENS:
            runs = [forms[form_of[position]] for position in range(start, stop) if kinds[position] == TEXT]
            if runs:
                yield link, " ".join(runs)


def _hints(page: Page) -> list[_Hint]:
    """Return what the tags of links, and of the two above each, say that hold one of ``_HINTS``."""
    tokens, elements = page.tokens, page.elements
    at = indices(page.links.elements)
    forms_of_links = np.empty((_LEVELS, len(at)), dtype=np.intp)
    for level in range(_LEVELS):
        forms_of_links[level] = tokens.form_array[elements.open_array[at]]
        at = np.maximum(elements.parent_array[at], 0)
    is_hinting = np.zeros(len(tokens.forms), dtype=bool)
    is_hinting[forms_of_links] = True
    forms = is_hinting.nonzero()[0]
    is_hinting[forms] = list(map(_HINTING.__getitem__, tokens.texts_of(forms.tolist())))
    links, levels = is_hinting[forms_of_links].T.nonzero()
    hinting = is_hinting.nonzero()[0]
    tags = ["" if tokens.form_kinds[form] in NO_TAGS else tokens.forms[form] for form in hinting.tolist()]
    return _speaking(links, levels, hinting.searchsorted(forms_of_links[levels, links]), tags)


def _speaking(links: Indices, levels: Indices, tag_of: Indices, tags: list[str]) -> list[_Hint]:
    """Return the hints that say something: most tags that hold one do in an address or a title.

    tag_of  hint -> its distinct tag; "" where that is none
    """
    said = list(map(_SAID.__getitem__, tags))
    if said.count(_NOTHING_SAID) == len(said):
        return []
    rows = zip(links.tolist(), levels.tolist(), map(said.__getitem__, tag_of.tolist()))
    return [hint for hint in rows if hint[2] != _NOTHING_SAID]


def _read_said(tag: str) -> _Said:
    if not _MAY_SAY(tag):
        return _NOTHING_SAID
    read = TAGS[tag]
    return not _RELS.isdisjoint(read.rel.split()), any(map(_CLASS, (*read.classes, read.id)))


_SAID = Memo(_read_said)
