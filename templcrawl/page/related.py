"""Find related records: other pages of the same type, shown behind the content of a page.

A *record* is one of two or more elements of one name in the same parent, that each lead to one page, no two
to the same, by an address of the form that the page's own has (:func:`_alike_pages`), and to no place in it.
Nothing is said between them.  Each has a picture, a linked heading or a price in it, and in the mean at most
``MAX_WORDS`` words: items of a list in a text, and posts, are none.

*Related* is what stands from the first record of a parent to its last, and the heading right before it.

Source: our own.  n tokens, m elements, l links.  Cost: O(n + m + l), in Python for each link.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from templcrawl.page.arrays import Flags, Indices, before, indices
from templcrawl.page.page import Page
from templcrawl.page.runs import runs_inside
from templcrawl.page.text import DECODED
from templcrawl.page.vocabulary import HEADINGS, LINKED

MAX_WORDS = 25  # of a record in the mean
MIN_BESIDE = 15  # words of the page's own content before the records
MAX_IN_RECORDS = 2.0  # words in records for each word beside them
MAX_IN_NAMED = 1.0  # where a form is a name below the root
_MAX_ABOVE = 12  # elements around a link that may be its record, or before a list of them
_NO_NAMES = frozenset[str]()
_MAX_CHARACTERS = 2_083  # of an address
_DIGITS = re.compile(r"\d+")
_INDEX = re.compile(r"(?:index|default)\.\w{1,5}\Z").match
_EXTENSION = re.compile(r"\.([A-Za-z]\w{0,4})\Z").search
_PRICE = re.compile(
    r"[$€£¥₹₽₺₩₴]\s?\d|\d[.,]\d\d(?!\d)|\d\s?(?:[$€£¥₹₽₺₩₴]|(?:EUR|USD|GBP|CHF|kr|Kč|zł|Ft|lei|руб)\b)"
).search


class _Form(NamedTuple):
    """The common properties of addresses of one form."""

    directory: str
    extension: str
    host: str
    names: frozenset[str]


def related_spans(page: Page, mask: bytes) -> tuple[tuple[int, int], ...]:
    """Return the half-open spans of tokens that are related, in order and disjoint.

    The page's own content stands before the records: ``MIN_BESIDE`` words outside of links and of records,
    and no less of the content beside records than stands behind them.  A page that holds more words in
    records than twice those beside them is a list of such pages, and its records are its content.  Where the
    form is no more than a name below the root (``/tea``), which pages of all types may have, each record has
    a price, and half as many words are enough.

    mask  token -> 1 if it is content
    """
    found = sorted(_lists_of_records(page, mask))
    if not found:
        return ()
    runs = page.text_runs
    positions, words = runs.positions, runs.words
    is_content: Flags = np.frombuffer(mask, dtype=np.uint8)[positions] == 1
    content, everything = before(words * is_content), before(words)
    own = before(words * (is_content & (runs.hints & np.uint8(LINKED) == 0)))
    lists: list[tuple[int, int]] = []
    for start, end in found:
        if not lists or start >= lists[-1][1]:
            lists.append((start, end))
    bounds = positions.searchsorted(lists)
    beside_all = int(content[-1] - (content[bounds[:, 1]] - content[bounds[:, 0]]).sum())
    spans: list[tuple[int, int]] = []
    inside, in_lists, own_in_lists = 0, 0, 0
    for (start, end), (first, last) in zip(lists, bounds.tolist()):
        is_behind = own[first] - own_in_lists >= MIN_BESIDE and 2 * (content[first] - in_lists) >= beside_all
        if content[last] > content[first] and is_behind:
            inside += int(content[last] - content[first])
            heading = _heading_before(page, start, everything)
            spans.append((max(heading, spans[-1][1] if spans else 0), end))
        in_lists += int(content[last] - content[first])
        own_in_lists += int(own[last] - own[first])
    beside = int(content[-1]) - inside
    most = MAX_IN_NAMED if _is_named(page) else MAX_IN_RECORDS
    return tuple(spans) if beside >= MIN_BESIDE and inside <= most * beside else ()


def _lists_of_records(page: Page, mask: bytes) -> Iterator[tuple[int, int]]:
    """Yield the bounds of the records of each parent that has enough of them, all alike."""
    around = _children_that_lead(page, mask)
    if not around:
        return
    elements, runs = page.elements, page.text_runs
    names, opens, closes = elements.names, elements.opens, elements.closes
    is_named = _is_named(page)
    parted = sorted(around)
    words_before = before(runs.words)
    for children in around.values():
        records = sorted(children)
        if not _is_card(page, records[0], is_named=is_named):  # links of a menu are not looked at
            continue
        targets = {children[record][0] for record in records}
        if len(targets) < len(records) or len({names[record] for record in records}) > 1:
            continue
        firsts, lasts = runs_inside(elements, runs.positions, indices(records))
        words = int((words_before[lasts] - words_before[firsts]).sum())
        if not words == words_before[lasts[-1]] - words_before[firsts[0]] <= MAX_WORDS * len(records):
            continue
        if all(
            _is_whole(page, record, children[record][1], parted) and _is_card(page, record, is_named=is_named)
            for record in records
        ):
            yield opens[records[0]], closes[records[-1]]


def _children_that_lead(page: Page, mask: bytes) -> dict[int, dict[int, tuple[str, int]]]:
    """Return element -> child -> a page of the type that it leads to, and its link; all lead to several."""
    own = _form_of(page.url)
    if own is None:
        return {}
    links = page.links
    alike = _alike_pages(page.url.partition("#")[0], own, links.urls)
    if len(alike) <= 1:
        return {}
    opens = page.elements.open_array
    alike_links = [link for link in zip(links.urls, links.elements) if link[0] in alike]
    leading = [link for link in alike_links if mask[opens[link[1]]]]
    around: dict[int, dict[int, tuple[str, int]]] = {}
    for (url, element), (next_url, next_element) in pairwise(leading):
        if url != next_url:
            one, other = _parted(page, element, next_element)
            parent = page.elements.parents[one]
            if parent == page.elements.parents[other]:
                children = around.setdefault(parent, {})
                children.setdefault(one, (url, element))
                children.setdefault(other, (next_url, next_element))
    return around


def _parted(page: Page, one: int, other: int) -> tuple[int, int]:
    """Return the elements around two that are in the same parent, as far up as records are looked for."""
    parents, opens, closes = page.elements.parents, page.elements.opens, page.elements.closes
    start, stop = opens[one], opens[other]
    for _ in range(_MAX_ABOVE):
        if closes[parents[one]] > stop:
            break
        one = parents[one]
    for _ in range(_MAX_ABOVE):
        if opens[parents[other]] <= start:
            break
        other = parents[other]
    return one, other


def _is_whole(page: Page, record: int, link: int, parted: Sequence[int]) -> bool:
    """Return whether a record leads to one page, and not to a place in it."""
    elements, tokens = page.elements, page.tokens
    inside = bisect_left(parted, record)
    if inside < len(parted) and elements.opens[parted[inside]] < elements.closes[record]:
        return False
    return "#" not in tokens.form_tags[tokens.form_of[elements.opens[link]]].href


def _is_named(page: Page) -> bool:
    """Return whether the address of a page is a name below the root."""
    form = _form_of(page.url)
    return form is not None and not form.directory and not form.names


def _is_card(page: Page, record: int, *, is_named: bool) -> bool:
    """Return whether a record has a price, or, if the form says more than a name, a picture or a heading."""
    elements = page.elements
    names, parents = elements.names, elements.parents
    for element in range(record, int(elements.open_array.searchsorted(elements.closes[record]))):
        name, around = names[element], names[parents[element]]
        is_linked = name in HEADINGS and (around == "a" or names[element + 1 : element + 2] == ["a"])
        if not is_named and (name == "img" or is_linked):
            return True
    positions = page.text_runs.positions
    first, last = positions.searchsorted((elements.opens[record], elements.closes[record])).tolist()
    forms = page.tokens.form_array[positions[first:last]].tolist()
    return _PRICE("".join(DECODED[page.tokens.text_of(form)] for form in forms)) is not None


def _heading_before(page: Page, start: int, words: Indices) -> int:
    """Return where the heading begins right before a token; the token without one."""
    elements = page.elements
    positions = page.text_runs.positions
    behind = int(elements.open_array.searchsorted(start))
    for element in range(behind - 1, max(behind - 1 - _MAX_ABOVE, 0), -1):
        if elements.names[element] in HEADINGS and elements.closes[element] <= start:
            first, last = positions.searchsorted((elements.closes[element], start))
            return elements.opens[element] if words[first] == words[last] else start
    return start


def heading_stop(page: Page, start: int) -> int:
    """Return where the heading ends that begins at a token; the token if none does."""
    elements = page.elements
    element = elements.owners[start]
    return elements.closes[element] if elements.names[element] in HEADINGS else start


@lru_cache(maxsize=2_048)  # links of a menu stand on every page
def _form_of(url: str) -> _Form | None:
    """Return the form of an address: its directory by name, extension, host, names of the query."""
    path, _, query = url[:_MAX_CHARACTERS].partition("#")[0].partition("?")
    host, *segments = path.partition("://")[2].rstrip("/").split("/")
    if segments and _INDEX(segments[-1]):
        segments.pop()
    names = frozenset(_values(query)) if query else _NO_NAMES
    if not segments and not names:
        return None
    extension = _EXTENSION(segments[-1]) if segments else None
    directory = _DIGITS.sub("#", segments[-2]) if len(segments) > 1 else ""
    return _Form(directory, extension[1] if extension else "", host, names)


def _values(query: str) -> dict[str, str]:
    """Return the values of a query by name, as written."""
    return {name: value for name, _, value in (part.partition("=") for part in query.split("&"))}


def _alike_pages(own_url: str, own: _Form, urls: Iterable[str]) -> set[str]:
    """Return the addresses that have the form of a page's own.

    Two addresses have one form where they differ in the last segment of the path alone, with one extension,
    or in one value of the query; of what stands before the last segment only the name of the directory
    counts, digits read as ``#``, so that ``/sale/products/tea`` goes with ``/products/mugs``.
    """
    within = f"/{own.directory}/" if own.directory.isalpha() and not own.names else own.host
    near = {url for url in {*urls} if within in url and own.host in url}
    path, _, query = own_url.partition("?")
    path, values, kind, alike = path.rstrip("/"), _values(query).items(), own[:3], set()
    for url in near:
        form = _form_of(url)
        if form is None or form[:3] != kind:
            continue
        other, _, query = url.partition("?")
        if other.rstrip("/") != path:
            is_alike = not own.names or form.names == own.names
        else:
            is_alike = (
                form.names == own.names and len({name for name, _ in values ^ _values(query).items()}) == 1
            )
        if is_alike:
            alike.add(url)
    return alike
