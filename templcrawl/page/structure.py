"""The structure of a page as a set of 64-bit features, equal in every process.

A feature is a root-to-node path of tag names, or such a path with one class word, with the id, or (for
``meta``, ``link`` and ``input``) with what the element names; digits are read as ``#``.  A set, so a list of
any length looks the same.  Attributes of ``html`` and ``body`` are not read.

m elements of depth at most d.  Cost: O(m log d) beyond tokens and elements, in numpy; of a start tag the
first 400 characters are read, once for all pages.
"""

from __future__ import annotations

import re
from itertools import chain

import numpy as np
from xxhash import xxh3_64_intdigest

from templcrawl.page.ancestors import MIX, Keys, jumps, path_keys
from templcrawl.page.elements import Elements
from templcrawl.page.known import MAX_CHARACTERS, Known
from templcrawl.page.links import attributes
from templcrawl.page.scan import RAW_TEXT_NAMES
from templcrawl.page.tokens import START, VOID, TokenStream, tag_name

_MAX_WORDS = 32
_UNREAD = frozenset({"html", "body"})
_NAMING = {"meta": ("name", "property"), "link": ("rel",), "input": ("name",)}
_DIGITS = re.compile(r"\d+")


def structure_features(tokens: TokenStream, elements: Elements) -> Keys:
    """Return the features of a page, ascending and distinct."""
    kinds = tokens.form_kinds
    opening = [form for form, kind in enumerate(kinds) if kind == START or kind == VOID]
    if not opening:
        return np.zeros(0, dtype=np.uint64)
    heads = [tokens.forms[form][:MAX_CHARACTERS] for form in opening]
    names, words = zip(*map(_TAGS.__getitem__, heads))
    number = np.zeros(len(kinds), dtype=np.intp)
    number[opening] = np.arange(len(opening))
    tags = number[tokens.form_array[elements.open_array[1:]]]
    steps = np.zeros(len(elements), dtype=np.uint64)
    steps[1:] = np.array(names, dtype=np.uint64)[tags]
    paths = path_keys(steps, jumps(elements.parent_array))[1:]
    lengths = np.array(list(map(len, words)), dtype=np.intp)
    flat = np.fromiter(chain.from_iterable(words), dtype=np.uint64, count=int(lengths.sum()))
    many = lengths[tags]
    ends = np.cumsum(many)
    places = np.repeat((np.cumsum(lengths) - lengths)[tags] - (ends - many), many) + np.arange(
        int(many.sum())
    )
    worded = (np.repeat(paths, many) ^ flat[places]) * np.uint64(MIX)
    return np.unique(np.concatenate((paths, worded)))


def _read_tag(tag: str) -> tuple[int, tuple[int, ...]]:
    """Return what the head of a start tag adds: (key of its name, keys of its class words, id and names)."""
    name = tag_name(tag)
    if name in _UNREAD or "=" not in tag:
        return _key(name), ()
    head = tag.partition(">")[0] if name in RAW_TEXT_NAMES else tag
    wanted = _NAMING.get(name, ())
    words: list[str] = []
    for attribute, value in attributes(head).items():
        if attribute == "class":
            words += ["." + word for word in value.split(maxsplit=_MAX_WORDS)[:_MAX_WORDS]]
        elif attribute == "id":
            words.append("#" + value.strip())
        elif attribute in wanted:
            words.append("@" + value)
    return _key(name), tuple(_key(_DIGITS.sub("#", word)) for word in dict.fromkeys(words))


def _key(text: str) -> int:
    return xxh3_64_intdigest(text.encode("utf-8", "surrogatepass"))


_TAGS = Known(_read_tag)
