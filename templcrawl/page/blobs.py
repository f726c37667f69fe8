"""What the kernel has written of a page: buffers behind a header, which numpy views.

Which buffer holds what is named here as in ``kernel/src``.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple, TypeVar

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


class Blobs(NamedTuple):
    """The blobs of a page and of its links."""

    page: Blob
    links: Blob
