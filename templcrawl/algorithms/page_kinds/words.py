"""Collect the words that indicate the kind of a page: of its tags, its short texts and its address.

A word is a group and a name, ``class price``:

class, id words    parts of the class words and ids of elements, but of ``html`` and ``body``
claims             types of Schema.org in JSON-LD, microdata or RDFa, and the ``og:type``
property           names of microdata;  meta, generator  what ``meta`` elements name, and what made the page
input, field, rel  kinds of inputs, parts of the names of form controls, relations of links
action             parts of the address that a form is sent to
text               a visible text of at most three words, as it stands
title, heading     words of the title, and of what names the page on it
path, directory, query, extension  parts of the address, but of its host

Claims are evidence like any other: a page may lie.  Words of all groups are in lower case, but those of
claims.

Source: our own; names of Schema.org and Open Graph.  Cost: O(length of the tag or text).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from templcrawl.page.addresses import MAX_BASE, path_and_query
from templcrawl.page.text import unescape
from templcrawl.page.tokens import WITHOUT_WORDS, attributes

MAX_TEXT = 24  # characters of a text that is one word
_MAX_WORDS = 30  # of a title or heading
_MAX_NAME = 30  # characters of a name
_MAX_SCRIPT = 100_000  # characters of structured data
_PART = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}").findall
_LETTERS = re.compile(r"[^\W\d_]{2,}").findall
_EXTENSION = re.compile(r"\.([a-z]{2,5})\Z").search
_TAG_NAME = re.compile(r"<([a-zA-Z][a-zA-Z0-9]*)").match
_NAMES = re.compile(r"""\s(?:class|id)\s?=\s?(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE).findall
_TYPES = re.compile(r'"@type"\s*:\s*(?:"([^"]{1,60})"|\[([^\]]{1,200})\])').findall
_QUOTED = re.compile(r'"([^"]+)"').findall
_SPLIT = re.compile(r"[/#:]").split
_RELATED = frozenset({"a", "link"})
_WITH_ATTRIBUTES = frozenset({"meta", "link", "input", "button", "form"})
_CLAIMING = re.compile("item(?:type|prop)|typeof").search
_REL = re.compile(r"""\srel\s?=\s?(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE).search


def tag_words(tag: str) -> set[str]:
    """Return the words of a start tag as it is written; of a script, with its text.

    >>> sorted(tag_words('<input type="Submit" class="addToCart">'))
    ['class add', 'class cart', 'input submit']
    """
    match = _TAG_NAME(tag)
    name = match[1].lower() if match else ""
    if not name or name in WITHOUT_WORDS:
        return set()
    if name == "script":
        types = _TYPES(tag[:_MAX_SCRIPT]) if "ld+json" in tag[:300] else []
        claimed = (one for single, several in types for one in ([single] if single else _QUOTED(several)))
        return {f"claims {_last(one)}" for one in claimed}
    named = (value for values in _NAMES(tag) for value in values if value)
    words = {f"class {part.lower()}" for value in named for part in _PART(value)}
    if name in _WITH_ATTRIBUTES or _CLAIMING(tag):
        words.update(_attribute_words(name, attributes(tag)))
    if name in _RELATED and (match := _REL(tag)):
        related = (match[1] or match[2] or match[3] or "").lower().split()
        words.update(f"rel {rel[:_MAX_NAME]}" for rel in related)
    return words


def _last(address: str) -> str:
    return _SPLIT(address.strip().rstrip("/"))[-1][:_MAX_NAME]


def _attribute_words(name: str, values: dict[str, str]) -> Iterator[str]:
    for claiming in ("itemtype", "typeof"):
        yield from (f"claims {_last(claimed)}" for claimed in values.get(claiming, "").split()[:4])
    if "itemprop" in values:
        yield f"property {values['itemprop'].strip().lower()[:_MAX_NAME]}"
    if name == "meta":
        named = (values.get("property") or values.get("name") or "").lower()
        content = values.get("content", "").lower()
        if named:
            yield f"meta {named[:_MAX_NAME]}"
        if named == "og:type":
            yield f"claims {content[:_MAX_NAME]}"
        elif named == "generator":
            yield from (f"generator {word}" for word in _LETTERS(content)[:2])
    elif name in ("input", "button"):
        if "type" in values:
            yield f"input {values['type'].lower()[:_MAX_NAME]}"
        yield from (f"field {part.lower()}" for part in _PART(values.get("name", "")))
    elif name == "form":
        yield from (f"action {part.lower()}" for part in _PART(values.get("action", "")[:MAX_BASE]))


def text_word(text: str) -> str:
    """Return the word of a short visible text, "" of a longer one.

    >>> text_word("Add&nbsp;to  Cart"), text_word("$5"), text_word("a text that is longer than that")
    ('text add to cart', 'text $5', '')
    """
    if len(text) > 2 * MAX_TEXT:
        return ""
    folded = " ".join(unescape(text).lower().split())
    return f"text {folded}" if 2 <= len(folded) <= MAX_TEXT and folded.count(" ") < 3 else ""


def name_words(group: str, text: str) -> set[str]:
    """Return the words of a title or heading.

    >>> sorted(name_words("title", "How to brew tea, 3rd part"))
    ['title brew', 'title how', 'title part', 'title rd', 'title tea', 'title to']
    """
    return {f"{group} {word}" for word in _LETTERS(text.lower())[:_MAX_WORDS]}


def url_words(url: str) -> set[str]:
    """Return the words of an address; none of one that cannot be read.

    >>> sorted(url_words("https://shop.example.org/products/green-tea.html?page=2"))
    ['directory products', 'extension html', 'path green', 'path html', 'path products', 'path tea', \
'query page']
    """
    path, query = path_and_query(url[:MAX_BASE])
    segments = [segment.lower() for segment in unquote(path).split("/") if segment]
    words = {f"path {word}" for segment in segments for word in _LETTERS(segment)}
    words.update(f"directory {segment[:_MAX_NAME]}" for segment in segments[:-1])
    asked = (part.partition("=")[0] for part in query.split("&") if part)
    words.update(f"query {name[:_MAX_NAME].lower()}" for name in asked)
    extension = _EXTENSION(segments[-1]) if segments else None
    return words | {f"extension {extension[1]}"} if extension else words
