"""Find the records of other pages of its own type that a page shows: related products, further articles.

A *record* is one of two or more elements of one name in the same parent, that each lead to one page, no two
to the same, by an address of the form that the page's own has, and to no place in it.  Nothing is said
between them.  Each has a picture, a linked heading or a price in it, and in the mean at most ``MOST_WORDS``
words: items of a list in a text, and posts, are none.

Two addresses have one form where they differ in the last segment of the path alone, with one extension, or in
one value of the query; of what stands before the last segment only the name of the directory counts, digits
read as ``#``, so that ``/sale/products/tea`` goes with ``/products/mugs``.

A page that holds more words in records than twice those beside them is a list of such pages, and its records
are its content.  Where the form is no more than a name below the root (``/tea``), which pages of all types
may have, each record has a price, and half as many words are enough.

*Related* is what stands from the first record of a parent to its last, and the heading right before it.

Source: our own.  n tokens, m elements, l links.  Cost: O(n + m + l).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

import numpy as np

from templcrawl.page.arrays import Flags, Indices, before
from templcrawl.page.page import Page
from templcrawl.page.text import DECODED
from templcrawl.page.vocabulary import HEADINGS

MOST_WORDS = 25  # of a record in the mean
LEAST_BESIDE = 15  # words of content beside the records
MOST_IN_RECORDS = 2.0  # words in records for each word beside them
MOST_IN_NAMED = 1.0  # where a form is a name below the root
_LEAST_RECORDS = 2
_MOST_ABOVE = 12  # elements around a link that may be its record
_MOST_CHARACTERS = 2_083  # of an address
_DIGITS = re.compile(r"\d+")
_INDEX = re.compile(r"(?:index|default)\.\w{1,5}\Z").match
_EXTENSION = re.compile(r"\.([A-Za-z]\w{0,4})\Z").search
_PRICE = re.compile(
    r"[$€£¥₹₽₺₩₴]\s?\d|\d[.,]\d\d(?!\d)|\d\s?(?:[$€£¥₹₽₺₩₴]|(?:EUR|USD|GBP|CHF|kr|Kč|zł|Ft|lei|руб)\b)"
).search


class _Form(NamedTuple):
    """What addresses of one form share."""

    directory: str
    extension: str
    host: str
    names: frozenset[str]


def related_spans(page: Page, mask: bytes) -> tuple[tuple[int, int], ...]:
    """Return the half-open spans of tokens that are related, in order and disjoint.

    mask  token -> 1 if it is content
    """
    found = sorted(_lists_of_records(page))
    if not found:
        return ()
    positions, words = page.text_runs.positions, page.text_runs.words
    is_content: Flags = np.frombuffer(mask, dtype=np.uint8)[positions] == 1
    content, everything = before(words * is_content), before(words)
    inside, spans, stop = 0, [], 0
    for start, end in found:
        if start < stop:
            continue
        first, last = positions.searchsorted((start, end))
        if content[last] > content[first]:
            inside += int(content[last] - content[first])
            heading = _heading_before(page, start, everything)
            spans.append((max(heading, stop), end))
            stop = end
    beside = int(content[-1]) - inside
    most = MOST_IN_NAMED if _is_named(page) else MOST_IN_RECORDS
    return tuple(spans) if beside >= LEAST_BESIDE and inside <= most * beside else ()


def _lists_of_records(page: Page) -> Iterator[tuple[int, int]]:
    """Yield the bounds of the records of each parent that has enough of them, all alike."""
    elements = page.elements
    names, opens, closes = elements.names, elements.opens, elements.closes
    is_named = _is_named(page)
    for children in _children_that_lead(page):
        records = sorted(children)
        targets = [children[record] for record in records]
        if len(records) < _LEAST_RECORDS or len({names[record] for record in records}) > 1:
            continue
        if any(len(of_record) > 1 for of_record in targets) or len(set.union(*targets)) < len(records):
            continue
        if all(_is_card(page, record, is_named=is_named) for record in records):
            positions = page.text_runs.positions
            bounds = [positions.searchsorted((opens[record], closes[record])) for record in records]
            words = sum(int(page.text_runs.words[first:last].sum()) for first, last in bounds)
            everything = int(page.text_runs.words[bounds[0][0] : bounds[-1][1]].sum())
            if words == everything <= MOST_WORDS * len(records):
                yield opens[records[0]], closes[records[-1]]


def _children_that_lead(page: Page) -> Iterator[dict[int, set[str]]]:
    """Yield for each element that is around links to pages of the type: child -> where links in it lead."""
    own = _form_of(page.url)
    if own is None:
        return
    own_url = page.url.partition("#")[0]
    is_alike = {url: _are_alike(own_url, own, url) for url in dict.fromkeys(page.links.urls)}
    parents = page.elements.parents
    around: dict[int, dict[int, set[str]]] = {}
    for url, element in zip(page.links.urls, page.links.elements):
        href = page.tokens.form_tags[page.tokens.form_of[page.elements.opens[element]]].href
        if not is_alike[url] or "#" in href:
            continue
        for _ in range(_MOST_ABOVE):
            parent = parents[element]
            if parent < 0:
                break
            around.setdefault(parent, {}).setdefault(element, set()).add(url)
            element = parent
    yield from around.values()


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
    forms = (page.tokens.forms[page.tokens.form_of[position]] for position in positions[first:last].tolist())
    return _PRICE("".join(DECODED[form] for form in forms)) is not None


def _heading_before(page: Page, start: int, words: Indices) -> int:
    """Return where the heading begins right before a token; the token without one."""
    elements = page.elements
    positions = page.text_runs.positions
    behind = int(elements.open_array.searchsorted(start))
    for element in range(behind - 1, max(behind - 1 - _MOST_ABOVE, 0), -1):
        if elements.names[element] in HEADINGS and elements.closes[element] <= start:
            first, last = positions.searchsorted((elements.closes[element], start))
            return elements.opens[element] if words[first] == words[last] else start
    return start


def heading_stop(page: Page, start: int) -> int:
    """Return where the heading ends that begins at a token; the token if none does."""
    elements = page.elements
    element = elements.owners[start]
    return elements.closes[element] if elements.names[element] in HEADINGS else start


def _form_of(url: str) -> _Form | None:
    """Return the form of an address: its directory by name, extension, host, names of the query."""
    try:
        parts = urlsplit(url[:_MOST_CHARACTERS])
    except ValueError:
        return None
    segments = [segment for segment in unquote(parts.path).split("/") if segment]
    if segments and _INDEX(segments[-1]):
        segments.pop()
    names = frozenset(name for name, _ in parse_qsl(parts.query))
    if not segments and not names:
        return None
    extension = _EXTENSION(segments[-1]) if segments else None
    directory = _DIGITS.sub("#", segments[-2]) if len(segments) > 1 else ""
    return _Form(directory, extension[1] if extension else "", parts.netloc.lower(), names)


def _are_alike(own_url: str, own: _Form, url: str) -> bool:
    """Return whether another page has an address of the form of a page."""
    form = _form_of(url)
    if form is None or form[:3] != own[:3]:
        return False
    mine, other = urlsplit(own_url[:_MOST_CHARACTERS]), urlsplit(url[:_MOST_CHARACTERS])
    if mine.path.rstrip("/") != other.path.rstrip("/"):
        return not own.names or form.names == own.names
    if form.names != own.names:
        return False
    differing = dict(parse_qsl(mine.query)).items() ^ dict(parse_qsl(other.query)).items()
    return len({name for name, _ in differing}) == 1
