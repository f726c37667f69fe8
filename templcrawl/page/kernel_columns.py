"""Columns: the named arrays that the native kernel writes, and the attributes by which a page has them.

``TABLES`` names the columns with type and meaning.  ``kernel/src/columns.rs`` is generated from it
(``kernel/columns.py``), so that a column has one name and one type on both sides.

Layout of a table: a header of 64-bit numbers (magic, version, flags, number of columns, then offset and count
of each), then the columns.

Cost: O(1) for an array; texts are made whenever they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from itertools import pairwise
from struct import Struct
from typing import Any, NamedTuple

import numpy as np

# What Python and the library exchange: it rises with every change of the columns, of the tasks, of what a
# task takes, and of the tables that a kernel starts with.
ABI = 10

_BEFORE_COLUMNS = 4  # numbers of a header before the first column
_FLAGS = 2  # which of them is that of the flags
_DTYPES = {
    rust: np.dtype(name)
    for rust, name in zip(("bool", "u8", "u32", "u64", "i64", "f64"), ("?", "u1", "u4", "u8", "i8", "f8"))
}


class KernelColumn(NamedTuple):
    """A column of a table.

    type     of its numbers: a name of Rust's, or "text" for texts in UTF-8, joined, whose bounds the column
             before it holds
    meaning  of its numbers
    """

    type: str
    meaning: str


class Task(IntEnum):
    """What the kernel works out of a page."""

    READ = 0
    TEXT = 1
    HTML = 2
    VERDICT = 3
    CONTENT = 4
    PAGELETS = 5
    FURNITURE = 6


class Question(IntEnum):
    """What the kernel asks about a page that it reads, by the first byte of a question."""

    NAMES = 0  # whether class and id name furniture
    BASE = 1  # what links start from, where this is a base
    LINK = 2  # where a link leads


# Flag in the header of a page -> its bit.
FLAGS: Mapping[str, int] = {"hit_max_characters": 1, "hit_max_tags": 2, "is_ascii": 4}


# Table -> column -> its type and meaning, in the order in which the kernel writes them.
TABLES: Mapping[str, Mapping[str, KernelColumn]] = {
    "page": {
        "starts": KernelColumn("u32", "token -> its first byte; at the end the number of bytes"),
        "character_starts": KernelColumn("u32", "the same in characters; empty where a byte is a character"),
        "form_of": KernelColumn("i64", "token -> its form"),
        "kinds": KernelColumn("u8", "token -> its kind"),
        "form_token": KernelColumn("u32", "form -> the first token of it"),
        "form_kind": KernelColumn("u8", "form -> its kind"),
        "form_name": KernelColumn("u32", "form -> the number of its tag name"),
        "form_step": KernelColumn("u64", "form -> what it adds to the path of a pagelet"),
        "element_parent": KernelColumn("i64", "element -> its parent"),
        "element_open": KernelColumn("i64", "element -> position of its start tag"),
        "element_close": KernelColumn("i64", "element -> position after its last token"),
        "element_name": KernelColumn("u32", "element -> the number of its tag name"),
        "element_visible": KernelColumn("bool", "element -> whether text in it is visible"),
        "element_shown": KernelColumn("bool", "element -> whether a reader sees it"),
        "element_hidden": KernelColumn(
            "bool", "element -> whether the page hides it, though its text is visible"
        ),
        "element_depth": KernelColumn("u8", "element -> levels below the body"),
        "owner": KernelColumn("i64", "token -> the innermost element that covers it"),
        "characters_before": KernelColumn(
            "i64", "token -> characters of visible text before it; at the end all"
        ),
        "anchors": KernelColumn("i64", "positions of the start tags of anchors"),
        "run_position": KernelColumn("i64", "run -> position of its token"),
        "run_element": KernelColumn("i64", "run -> the innermost element that covers it"),
        "run_words": KernelColumn("i64", "run -> its number of words"),
        "run_hints": KernelColumn("u8", "run -> bits of its hints"),
        "run_text": KernelColumn("u64", "run -> key of its words"),
        "run_key": KernelColumn("u64", "run -> key of its words, its path, and whether it is out of sight"),
        "run_hidden": KernelColumn("bool", "run -> whether its key says that it is out of sight"),
        "row_start": KernelColumn("i64", "row -> its first run; at the end the number of runs"),
        "row_key": KernelColumn("u64", "row -> key of its runs"),
        "row_table": KernelColumn("i64", "row -> the element of its table, or -1"),
        "row_kind": KernelColumn("u8", "row -> 1 for code, 2 for a heading, else 0"),
        "row_scope_start": KernelColumn("i64", "row -> the first row of its scope"),
        "row_scope_stop": KernelColumn("i64", "row -> the row after its scope"),
        "structure": KernelColumn("u64", "features of the page's structure, ascending"),
        "new_names": KernelColumn("u8", "tag names that only this page has, with `>` between them"),
        "fingerprint": KernelColumn("u8", "template fingerprint"),
        "url_starts": KernelColumn(
            "u32", "distinct address -> its first byte; at the end the number of bytes"
        ),
        "urls": KernelColumn("text", "the distinct addresses of links"),
        "url_forms": KernelColumn("i64", "distinct address -> form of the start tag"),
        "link_url": KernelColumn("i64", "link -> its distinct address"),
        "link_element": KernelColumn("i64", "link -> its element"),
        "link_key": KernelColumn("u64", "link -> key of its address"),
        "anchor_path": KernelColumn("u64", "link -> key of the path of its anchor"),
        "term_hashes": KernelColumn("u64", "the hash of each term, in order"),
        "term_starts": KernelColumn(
            "i64", "token -> number of terms before it; at the end the number of terms"
        ),
    },
    "verdict": {
        "figures": KernelColumn(
            "u64",
            "of the page: hash, pages that vote, whether it is an outsider; words of running text in the"
            " content, and of all; lost words; of the content: hash, words, distinct shingles",
        ),
        "keys": KernelColumn("u64", "the distinct keys of its runs and rows, ascending"),
        "ranks": KernelColumn("i64", "run, then row -> index of its key"),
        "shares": KernelColumn("f64", "run -> share of the pages that vote"),
        "edges": KernelColumn("i64", "where each span of content starts and stops, in turn"),
        "mask": KernelColumn("u8", "token -> 1 if it is content"),
        "minima": KernelColumn("u64", "the least shingles of the content"),
        "bands": KernelColumn("u64", "bands of its sketch"),
    },
    "furniture": {
        "figures": KernelColumn("u64", "words of running text in the content, and of all; lost words"),
        "edges": KernelColumn("i64", "where each span of content starts and stops, in turn"),
        "mask": KernelColumn("u8", "token -> 1 if it is content"),
        "shares": KernelColumn("f64", "run -> share of the pages that vote, of the site or the type"),
    },
    "content": {
        "figures": KernelColumn("u64", "hash of the words, number of words, number of distinct shingles"),
        "minima": KernelColumn("u64", "the least shingles"),
        "bands": KernelColumn("u64", "bands of the sketch"),
    },
    "pagelets": {
        "element": KernelColumn("i64", "pagelet -> its element"),
        "start": KernelColumn("i64", "pagelet -> position of its first token"),
        "stop": KernelColumn("i64", "pagelet -> position after its last token"),
        "links": KernelColumn("i64", "pagelet -> number of its links"),
        "shingle": KernelColumn("u64", "pagelet -> its one shingle"),
        "link_pagelet": KernelColumn("i64", "link -> its pagelet, or -1"),
        "link_role": KernelColumn("u64", "link -> its role"),
    },
}

# Table -> column -> the number of the header that is its offset, before its count; its type, None of texts.
_PLACES = {
    table: {
        name: (_BEFORE_COLUMNS + 2 * number, _DTYPES.get(column.type))
        for number, (name, column) in enumerate(columns.items())
    }
    for table, columns in TABLES.items()
}
_HEADERS = {table: Struct(f"<{_BEFORE_COLUMNS + 2 * len(columns)}q") for table, columns in TABLES.items()}


class KernelColumns:
    """A table as the kernel wrote it: ``table["starts"]`` is an array of numbers, or a list of texts.

    table    its name in ``TABLES``
    content  its bytes
    flags    those of its header
    """

    __slots__ = ("_header", "_places", "content", "flags")

    def __init__(self, table: str, content: bytes) -> None:
        self.content = content
        self._places = _PLACES[table]
        self._header = _HEADERS[table].unpack_from(content)
        self.flags: int = self._header[_FLAGS]

    def __getitem__(self, name: str) -> Any:
        place, kind = self._places[name]
        if kind is not None:
            return self.arrays((name,))[0]
        of_bounds, bounds, offset, size = self._header[place - 2 : place + 2]
        starts = np.frombuffer(self.content, np.uint32, bounds, of_bounds).tolist()
        written = self.content[offset : offset + size]
        if written.isascii():
            text = written.decode("ascii")
            return [text[start:stop] for start, stop in pairwise(starts)]
        return [written[start:stop].decode("utf-8", "surrogatepass") for start, stop in pairwise(starts)]

    def arrays(self, names: Iterable[str]) -> list[Any]:
        """Return columns of numbers, all in one call."""
        content, header, arrays = self.content, self._header, []
        for place, kind in map(self._places.__getitem__, names):
            # arguments without names: it takes twice as long for named ones
            arrays.append(np.frombuffer(content, kind, header[place + 1], header[place]))
        return arrays


class _Late:
    """Cost: ``cached_property`` takes a lock before Python 3.12."""

    __slots__ = ("_name", "_work_out")

    def __init__(self, work_out: Callable[[Any], Any]) -> None:
        self._work_out = work_out

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, read: Any, owner: type) -> Any:
        if read is None:
            return self
        value = read.__dict__[self._name] = self._work_out(read)
        return value


def late(work_out: Callable[[Any], Any]) -> Any:
    """Return an attribute of a class that is worked out when it is first asked for."""
    return _Late(work_out)


def listed(array: str) -> Any:
    """Return such an attribute that is an array of the same object as a list."""
    return _Late(lambda read: getattr(read, array).tolist())


def column(name: str) -> Any:
    """Return such an attribute that is a column of the ``table`` of the object."""
    return _Late(lambda read: read.table[name])


def column_list(name: str) -> Any:
    """Return such an attribute that is a column of numbers as a list."""
    return _Late(lambda read: read.table[name].tolist())
