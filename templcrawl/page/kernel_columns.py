"""Named arrays of the native kernel, and the attributes through which a page reads them.

``TABLES`` names the columns; what an attribute means stands in the class that has it (``has_columns``).
``kernel/src/columns.rs`` is generated from it (``kernel/columns.py``), so that a column has one name and one
type on both sides.

Layout of a table: a header of 64-bit numbers (magic, version, flags, number of columns, then offset and count
of each), then the columns.

Cost: O(1) for an array; texts are made whenever they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from itertools import pairwise
from struct import Struct
from typing import Any, TypeVar

import numpy as np

from templcrawl.page.arrays import lazy

# What Python and the library exchange: it rises with every change of the columns, of the tasks, of what a
# task takes, and of the tables that a kernel starts with.
ABI = 15

_Class = TypeVar("_Class", bound=type)

_BEFORE_COLUMNS, _FLAGS = 4, 2  # numbers of a header before the first column; which is that of the flags
_DTYPES = {
    rust: np.dtype(name)
    for rust, name in zip(("bool", "u8", "u32", "u64", "i32", "f64"), ("?", "u1", "u4", "u8", "i4", "f8"))
}
_NUMBERED = _DTYPES["i32"]  # positions, counts: of 64 bits for Python, as its reader has them


class Task(IntEnum):
    """A task of the kernel on a page."""

    READ = 0
    TEXT = 1
    HTML = 2
    VERDICT = 3
    CONTENT = 4
    PAGELETS = 5
    FURNITURE = 6


class Question(IntEnum):
    """A question of the kernel about the page it reads, named by the first byte of the question."""

    BASE = 0  # what links start from, where this is a base
    LINK = 1  # where a link leads


# Flag in the header of a page -> its bit.
FLAGS: Mapping[str, int] = {"hit_max_characters": 1, "hit_max_tags": 2, "is_ascii": 4}


# Group of a page's columns -> attributes of the class that has them, each with its type.
ATTRIBUTES: Mapping[str, str] = {
    "token": "form_array i32, kind_array u8",
    "element": "parent_array i32, open_array i32, close_array i32, visible_array bool, shown_array bool,"
    " hidden_array bool, owner_array i32",
    "run": "positions i32, elements i32, words i32, hints u8, texts u64, keys u64, hidden bool, depths u8",
    "row": "starts i32, keys u64, tables i32, kinds u8, scope_starts i32, scope_stops i32",
    "term": "hashes u64, start_array i32",
    "link": "anchor_paths u64, key_array u64",
}


def attributes_of(group: str) -> dict[str, str]:
    """Return the attributes of a group -> their types."""
    return dict(attribute.split() for attribute in ATTRIBUTES[group].split(", "))


_VERDICT = {
    "figures": "u64",  # of the page: hash, voters, whether it is an outsider; measures; what "content" has
    "keys": "u64",  # the distinct keys of its runs and rows, ascending
    "shares": "f64",  # run -> share of the pages that vote
    "edges": "u32",  # where each span of content starts and stops, in turn
    "mask": "u8",  # token -> 1 if it is content
    "minima": "u64",  # the least shingles of the content
    "bands": "u64",  # bands of its sketch
}
_FURNITURE = {name: _VERDICT[name] for name in ("figures", "edges", "mask", "shares")}
# Table -> column -> the type of its numbers, a name of Rust's, in the order in which the kernel writes them;
# or "text": texts in UTF-8, joined, whose bounds the column before it holds.
TABLES: Mapping[str, Mapping[str, str]] = {
    "page": {
        "starts": "u32",  # token -> its first byte; at the end the number of bytes
        "form_token": "u32",  # form -> the first token of it
        "form_kind": "u8",
        "form_name": "u32",  # form -> the number of its tag name
        "form_step": "u64",  # form -> what it adds to the path of a pagelet
        "element_name": "u32",  # element -> the number of its tag name
        "anchors": "i32",  # positions of the start tags of anchors
        "structure": "u64",  # its features, ascending
        "new_names": "u8",  # tag names that only this page has, with `>` between them
        "fingerprint": "u8",
        "url_starts": "u32",
        "urls": "text",  # the distinct addresses of links
        "url_forms": "i32",  # distinct address -> form of the start tag
        "link_url": "i32",  # link -> its distinct address
        "link_element": "i32",
        **{f"{group}_{name}": kind for group in ATTRIBUTES for name, kind in attributes_of(group).items()},
    },
    "verdict": {**_VERDICT, **{f"left_{name}": kind for name, kind in _FURNITURE.items()}},
    # measures: words of running text in the content, and of all; lost words; characters of both
    "furniture": _FURNITURE,
    # figures: hash of the words, number of words, number of distinct shingles
    "content": {name: _VERDICT[name] for name in ("figures", "minima", "bands")},
    "pagelets": {
        **dict.fromkeys(("element", "start", "stop", "links"), "i32"),  # as those of ``Pagelet``
        "shingle": "u64",  # pagelet -> its one shingle
        "link_pagelet": "i32",  # link -> its pagelet, or -1
        "link_role": "u64",
    },
}

# Table -> column -> the number of the header that is its offset, before its count; its type, None of texts.
_PLACES = {
    table: {
        name: (_BEFORE_COLUMNS + 2 * number, _DTYPES.get(kind))
        for number, (name, kind) in enumerate(columns.items())
    }
    for table, columns in TABLES.items()
}
_HEADERS = {table: Struct(f"<{_BEFORE_COLUMNS + 2 * len(columns)}q") for table, columns in TABLES.items()}


class KernelColumns:
    """The table of a page as the kernel wrote it: ``table["starts"]`` is an array, or a list of texts.

    content  its bytes
    flags    those of its header
    """

    __slots__ = ("_header", "content", "flags")

    def __init__(self, content: bytes) -> None:
        self.content = content
        self._header = _HEADERS["page"].unpack_from(content)
        self.flags: int = self._header[_FLAGS]

    def __getitem__(self, name: str) -> Any:
        place, kind = _PLACES["page"][name]
        if kind is not None:
            array = np.frombuffer(self.content, kind, self._header[place + 1], self._header[place])
            return array.astype(np.intp) if kind is _NUMBERED else array
        bounds_offset, bounds, offset, size = self._header[place - 2 : place + 2]
        starts = np.frombuffer(self.content, np.uint32, bounds, bounds_offset).tolist()
        written = self.content[offset : offset + size]
        if written.isascii():
            text = written.decode("ascii")
            return [text[start:stop] for start, stop in pairwise(starts)]
        return [written[start:stop].decode("utf-8", "surrogatepass") for start, stop in pairwise(starts)]


def read_arrays(table: str, content: bytes, names: Iterable[str]) -> list[Any]:
    """Return columns of numbers of a table of which nothing else is asked."""
    header, arrays = _HEADERS[table].unpack_from(content), []
    for place, kind in map(_PLACES[table].__getitem__, names):
        # arguments without names: it takes twice as long for named ones
        array = np.frombuffer(content, kind, header[place + 1], header[place])
        arrays.append(array.astype(np.intp) if kind is _NUMBERED else array)
    return arrays


def column(name: str) -> Any:
    """Return an attribute of a class that is a column of the ``table`` of an object."""
    return lazy(lambda read: read.table[name])


def column_list(name: str) -> Any:
    """Return the same attribute as a list, for a column of numbers."""
    return lazy(lambda read: read.table[name].tolist())


def has_columns(group: str) -> Callable[[_Class], _Class]:
    """Add the columns of a group to a class, as such attributes."""

    def decorate(read: _Class) -> _Class:
        for name in attributes_of(group):
            setattr(read, name, column(f"{group}_{name}"))
            getattr(read, name).__set_name__(read, name)
        return read

    return decorate
