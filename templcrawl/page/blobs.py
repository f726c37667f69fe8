"""What the kernel has written of a page: buffers behind a header, which numpy views.

Which buffer holds what is named here as in ``kernel/src``.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

N = TypeVar("N", bound=np.generic)

_HEADER_WORDS = 4


class Buffer(IntEnum):
    """The buffers of a page's blob, in the order of ``kernel/src/page.rs``."""

    STARTS = 0
    CHARACTER_STARTS = 1
    FORM_OF = 2
    KINDS = 3
    FORM_TOKEN = 4
    FORM_KIND = 5
    FORM_NAME = 6
    FORM_STEP = 7
    ANCHOR_STEP = 8
    ELEMENT_PARENT = 9
    ELEMENT_OPEN = 10
    ELEMENT_CLOSE = 11
    ELEMENT_NAME = 12
    ELEMENT_VISIBLE = 13
    ELEMENT_DEPTH = 14
    OWNER = 15
    ANCHORS = 16
    RUN_POSITION = 17
    RUN_ELEMENT = 18
    RUN_WORDS = 19
    RUN_HINTS = 20
    RUN_TEXT = 21
    RUN_KEY = 22
    STRUCTURE = 23
    NEW_NAMES = 24
    FINGERPRINT = 25


class LinkBuffer(IntEnum):
    """The buffers of the blob of a page's links, in the order of ``kernel/src/links.rs``."""

    URLS = 0
    URL_STARTS = 1
    URL_FORMS = 2
    URL_KEYS = 3
    LINK_URL = 4
    LINK_ELEMENT = 5
    LINK_KEY = 6
    ANCHOR_PATH = 7
    TERM_HASHES = 8
    TERM_STARTS = 9


class PageletBuffer(IntEnum):
    """The buffers of the blob of a page's pagelets, in the order of ``kernel/src/partition.rs``."""

    ELEMENT = 0
    START = 1
    STOP = 2
    LINKS = 3
    SHINGLE = 4
    LINK_PAGELET = 5
    LINK_ROLE = 6


class MarkBuffer(IntEnum):
    """The buffers of the blob of what says that links page, in the order of ``kernel/src/pager_links.rs``."""

    ANCHOR_LINK = 0
    ANCHOR_STARTS = 1
    ANCHORS = 2
    HINT_LINK = 3
    HINT_LEVEL = 4
    HINT_FORM = 5


class Blob:
    """Buffers as the kernel wrote them.

    content  the buffers
    written  the text of the page in UTF-8
    flags    what the page is: bits
    """

    __slots__ = ("_header", "content", "flags", "written")

    def __init__(self, content: bytes, written: bytes) -> None:
        self.content = content
        self.written = written
        words = np.frombuffer(content, dtype=np.int64, count=_HEADER_WORDS)
        self.flags = int(words[2])
        self._header: list[int] = np.frombuffer(
            content, dtype=np.int64, count=2 * int(words[3]), offset=words.nbytes
        ).tolist()

    def array(self, number: int, dtype: type[N]) -> npt.NDArray[N]:
        """Return a buffer."""
        offset, count = self._header[2 * number : 2 * number + 2]
        return np.frombuffer(self.content, dtype=dtype, count=count, offset=offset)

    def bytes(self, number: int) -> bytes:
        """Return a buffer of bytes."""
        offset, count = self._header[2 * number : 2 * number + 2]
        return self.content[offset : offset + count]

    def numbers(self, number: int, dtype: type[np.generic]) -> list[Any]:
        """Return a buffer as numbers of Python's."""
        return as_list(self.array(number, dtype))

    def texts(self, number: int, bounds: int) -> Iterator[str]:
        """Return the texts of a buffer; ``bounds`` is that of where each starts, and the last ends."""
        written = self.bytes(number)
        starts = self.numbers(bounds, np.uint32)
        if written.isascii():
            text = written.decode("ascii")
            return (text[start:stop] for start, stop in pairwise(starts))
        return (written[start:stop].decode("utf-8", "surrogatepass") for start, stop in pairwise(starts))


class Blobs(NamedTuple):
    """The blobs of a page and of its links."""

    page: Blob
    links: Blob


def as_list(numbers: npt.NDArray[Any]) -> list[Any]:
    """Return the numbers of an array as Python's."""
    items: list[Any] = numbers.tolist()
    return items
