r"""Parsed tags: kind, name and attributes, with the keys and hints that other modules need.

Attributes are read by the rules of the HTML standard's tokeniser: of two of a name the first counts, a
quote opens a value behind ``=`` only, the values are decoded once.  Of a tag the first ``MOST_ATTRIBUTES``
are read, of a class the first ``MOST_CLASSES`` words.

A tag is read once for all pages of a process (``TAGS``); one of more than 400 characters once a page.
Keys are xxh3, equal in every process.  Cost: O(length of the tag).
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence
from itertools import islice
from sys import intern
from typing import NamedTuple

from templcrawl.page.ancestors import MASK, MIX
from templcrawl.page.encoding import key_bytes, text_key
from templcrawl.page.entities import attribute_text
from templcrawl.page.memo import Memo
from templcrawl.page.scan import tag_end
from templcrawl.page.vocabulary import RAW_TEXT_NAMES, TRAITS, hints_of, is_void

TEXT, SPACE, START, VOID, END, COMMENT, UNREAD = range(7)
"""Kinds of token: words, white space, start tag, start tag of an empty element, end tag,
comment or declaration, the rest of the page beyond a cap."""

MOST_ATTRIBUTES = 64
MOST_CLASSES = 32

_NAME = re.compile(r"</?([a-zA-Z][^\s/>]*)", re.ASCII).match
_ATTRIBUTE = re.compile(
    r"""([^\s/>][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)(?:"|\Z)|'([^']*)(?:'|\Z)|([^\s>]+)|))?""", re.ASCII
).finditer
NAMING = {"meta": ("name", "property"), "link": ("rel",), "input": ("name",)}
WITHOUT_WORDS = frozenset({"html", "body"})
_DIGITS = re.compile(r"\d+")


class Tag(NamedTuple):
    """A tag, a comment or a declaration.

    kind     ``START``, ``VOID``, ``END`` or ``COMMENT``
    name     its name in lower case, "" for a comment
    key      key of its name, as its bytes
    step     key of its name with its first class word, digits read as ``#``
    whole    key of its name with all of its words, as its bytes
    traits   bits of its name
    hints    what a start tag claims of the text in its element (:mod:`templcrawl.page.vocabulary`)
    words    keys of class words, id and what a ``meta``, ``link`` or ``input`` names, digits read as ``#``:
             the bytes of an array of them
    classes  its class words
    id       its id
    href     where it leads, as written but decoded
    rel      its relation, in lower case
    """

    kind: int
    name: str = ""
    key: bytes = bytes(8)
    step: int = 0
    whole: bytes = bytes(8)
    traits: int = 0
    hints: int = 0
    words: bytes = b""
    classes: tuple[str, ...] = ()
    id: str = ""
    href: str = ""
    rel: str = ""


def read_tag(tag: str) -> Tag:
    """Read a tag, as it stands.

    ``</br>`` is read as ``<br>``, as the HTML standard has it.  ``<style/>`` with nothing behind it is empty:
    in svg it is, elsewhere its end tag follows.
    """
    match = _NAME(tag)
    if match is None:
        return Tag(COMMENT)
    name = intern(match[1].lower())
    if tag[1] == "/" and name != "br":
        return Tag(END, name)
    is_empty = (
        tag.endswith("/>") and tag_end(tag) == len(tag) if name in RAW_TEXT_NAMES else is_void(name, tag)
    )
    kind = VOID if is_empty else START
    key, traits = text_key(name), TRAITS.get(name, 0)
    written = key_bytes(key)
    values = attributes(tag)
    if not values:
        return Tag(kind, name, written, key, written, traits, hints_of(name, values))
    classes = tuple(map(intern, values.get("class", "").split(maxsplit=MOST_CLASSES)[:MOST_CLASSES]))
    words = _words(name, classes, values)
    return Tag(
        kind,
        name,
        written,
        text_key(f"{name}.{_DIGITS.sub('#', classes[0])}") if classes else key,
        key_bytes((key + MIX * sum(words)) & MASK) if words else written,
        traits,
        hints_of(name, values),
        words.tobytes(),
        classes,
        values.get("id", ""),
        values.get("href", ""),
        values.get("rel", "").lower(),
    )


TAGS = Memo(read_tag)


def attributes(tag: str) -> dict[str, str]:
    """Return the attributes of a start tag, names in lower case, values decoded.

    >>> attributes('<a class=x Rel="next prev" class=y HREF="/a?b=1&amp;c" disabled>')
    {'class': 'x', 'rel': 'next prev', 'href': '/a?b=1&c', 'disabled': ''}
    """
    match = _NAME(tag)
    if match is None:
        return {}
    head = tag[: tag_end(tag)] if match[1].lower() in RAW_TEXT_NAMES else tag
    values: dict[str, str] = {}
    for written in islice(_ATTRIBUTE(head, match.end()), MOST_ATTRIBUTES):
        name, double, single, bare = written.groups("")
        values.setdefault(name.lower(), attribute_text(double or single or bare))
    return values


def attribute(tag: str, name: str) -> str:
    """Return the value of an attribute of a start tag, decoded, "" where it has none."""
    return attributes(tag).get(name, "")


def raw_text(piece: str) -> str:
    """Return what stands behind a start tag in its piece: the content of a raw-text element, as written.

    >>> raw_text('<title a=">">Tea &amp; milk')
    'Tea &amp; milk'
    """
    return piece[tag_end(piece) :]


def _words(name: str, classes: Sequence[str], values: Mapping[str, str]) -> array[int]:
    """Return the keys of what names an element, or what it names."""
    if name in WITHOUT_WORDS:
        return array("Q")
    words = [f".{word}" for word in classes]
    if "id" in values:
        words.append("#" + values["id"].strip())
    if name in NAMING:
        words += [f"@{values[naming]}" for naming in NAMING[name] if naming in values]
    if not words:
        return array("Q")
    return array("Q", [text_key(_DIGITS.sub("#", word)) for word in dict.fromkeys(words)])
