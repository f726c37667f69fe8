"""The views of a page that the kernel has read: the attributes of the Python classes, out of its blob.

Arrays are views of the blob; lists, strings and tags are made of them when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, overload

import numpy as np
import numpy.typing as npt

from templcrawl.page.ancestors import Keys
from templcrawl.page.blobs import Blob, Blobs, Buffer, LinkBuffer
from templcrawl.page.blobs import as_list as _list
from templcrawl.page.elements import Elements
from templcrawl.page.kernel_tables import known_names
from templcrawl.page.links import Links
from templcrawl.page.runs import Terms, TextRuns
from templcrawl.page.tags import TAGS, Tag
from templcrawl.page.tokens import NO_TAGS, TokenStream

_LateTable = Mapping[str, Callable[[Any], Any]]

_HIT_MAX_CHARACTERS, _HIT_MAX_TAGS, _IS_ASCII = 1, 2, 4
_BETWEEN_NAMES = ">"


class _Tags(Sequence[Tag]):
    """What each form says as a tag, read when it is asked for."""

    __slots__ = ("_kinds", "_read", "_tokens")

    def __init__(self, tokens: KernelTokens) -> None:
        self._tokens = tokens
        self._kinds = tokens.form_kinds
        self._read: list[Tag | None] = [None] * len(self._kinds)

    def __len__(self) -> int:
        return len(self._read)

    @overload
    def __getitem__(self, index: int) -> Tag: ...
    @overload
    def __getitem__(self, index: slice) -> list[Tag]: ...
    def __getitem__(self, index: int | slice) -> Tag | list[Tag]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        tag = self._read[index]
        if tag is None:
            kind = self._kinds[index]
            tag = self._read[index] = NO_TAGS.get(kind) or TAGS[self._tokens.form(index)]
        return tag


class _Late:
    """An object some attributes of which are worked out when they are first asked for."""

    __slots__ = ()
    _late: ClassVar[_LateTable] = {}

    def __getattr__(self, name: str) -> Any:
        work_out = self._late.get(name)
        if work_out is None:
            raise AttributeError(f"{type(self).__name__} has no {name}")
        value = work_out(self)
        setattr(self, name, value)
        return value


class KernelTokens(_Late, TokenStream):
    """The tokens of a page that the kernel has read."""

    blob: Blob

    _late: ClassVar[_LateTable] = {
        "form_kinds": lambda self: _list(self.blob.array(Buffer.FORM_KIND, np.uint8)),
        "form_names": lambda self: list(map(self.names.__getitem__, _list(self._name_array))),
        "form_of": lambda self: _list(self.form_array),
        "form_tags": lambda self: _Tags(self),
        "forms": lambda self: self._forms(),
        "kinds": lambda self: self.blob.bytes(Buffer.KINDS),
    }

    def __init__(self, text: str, blob: Blob) -> None:
        self.text = text
        self.blob = blob
        hit = (("max_characters", _HIT_MAX_CHARACTERS), ("max_tags", _HIT_MAX_TAGS))
        self.truncated = tuple(name for name, flag in hit if blob.flags & flag)
        self.form_array = blob.array(Buffer.FORM_OF, np.int64)
        self.kind_array = blob.array(Buffer.KINDS, np.uint8)

    def __len__(self) -> int:
        return len(self.kind_array)

    @cached_property
    def starts(self) -> list[int]:
        """Offset of each token in the text, and the text's length at the end."""
        return _list(self._start_array)

    @cached_property
    def _start_array(self) -> npt.NDArray[Any]:
        starts = self._read_starts
        if starts[-1] != len(self.text):
            starts = starts.astype(np.int64)
            starts[-1] = len(self.text)
        return starts

    @property
    def _read_starts(self) -> npt.NDArray[Any]:
        """Where tokens start, and where the text ends that the kernel was handed."""
        buffer = Buffer.STARTS if self.blob.flags & _IS_ASCII else Buffer.CHARACTER_STARTS
        return self.blob.array(buffer, np.uint32)

    @property
    def rest(self) -> str:
        """What stands behind the characters that are read."""
        return self.text[int(self._read_starts[-1]) :]

    @cached_property
    def lengths(self) -> npt.NDArray[np.intp]:
        """Characters of each token."""
        starts = self._start_array.astype(np.intp)
        return starts[1:] - starts[:-1]

    def form(self, number: int) -> str:
        """Return the text of a form."""
        token = self._form_tokens[number]
        return self.text[self._start_array[token] : self._start_array[token + 1]]

    @cached_property
    def _form_tokens(self) -> npt.NDArray[np.uint32]:
        return self.blob.array(Buffer.FORM_TOKEN, np.uint32)

    def _forms(self) -> list[str]:
        tokens = self._form_tokens
        bounds = map(slice, _list(self._start_array[tokens]), _list(self._start_array[1:][tokens]))
        return list(map(self.text.__getitem__, bounds))

    def forms_named(self, name: str) -> Sequence[int]:
        """Return the forms of tags of a name, in order."""
        return _list(np.flatnonzero(self._name_array == self.names.index(name)))

    @cached_property
    def _name_array(self) -> npt.NDArray[np.uint32]:
        return self.blob.array(Buffer.FORM_NAME, np.uint32)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of tags that the kernel knows, and then those that only this page knows."""
        written = self.blob.bytes(Buffer.NEW_NAMES)
        if not written:
            return known_names()
        return (*known_names(), *written.decode("utf-8", "surrogatepass").split(_BETWEEN_NAMES))


class KernelElements(_Late, Elements):
    """The elements of a page that the kernel has read."""

    _tokens: KernelTokens
    _late: ClassVar[_LateTable] = {
        "anchors": lambda self: _list(self._tokens.blob.array(Buffer.ANCHORS, np.int64)),
        "closes": lambda self: _list(self._tokens.blob.array(Buffer.ELEMENT_CLOSE, np.int64)),
        "names": lambda self: self._names(),
        "opens": lambda self: _list(self.open_array),
        "owners": lambda self: _list(self.owner_array),
        "parents": lambda self: _list(self.parent_array),
        "visible": lambda self: _list(self.visible_array),
    }

    def __init__(self, tokens: KernelTokens) -> None:
        self._tokens = tokens
        blob = tokens.blob
        self.parent_array = blob.array(Buffer.ELEMENT_PARENT, np.int64)
        self.open_array = blob.array(Buffer.ELEMENT_OPEN, np.int64)
        self.owner_array = blob.array(Buffer.OWNER, np.int64)
        self.visible_array = blob.array(Buffer.ELEMENT_VISIBLE, np.bool_)

    def __len__(self) -> int:
        return len(self.parent_array)

    def _names(self) -> list[str]:
        numbers = self._tokens.blob.array(Buffer.ELEMENT_NAME, np.uint32)
        return list(map(self._tokens.names.__getitem__, _list(numbers)))


class KernelTextRuns(TextRuns):
    """The visible text runs of a page that the kernel has read."""

    __slots__ = ()

    def __init__(self, blob: Blob) -> None:
        self.positions = blob.array(Buffer.RUN_POSITION, np.int64)
        self.elements = blob.array(Buffer.RUN_ELEMENT, np.int64)
        self.words = blob.array(Buffer.RUN_WORDS, np.int64)
        self.hints = blob.array(Buffer.RUN_HINTS, np.uint8)
        self.texts = blob.array(Buffer.RUN_TEXT, np.uint64)
        self.keys = blob.array(Buffer.RUN_KEY, np.uint64)
        self.depths = blob.array(Buffer.ELEMENT_DEPTH, np.uint8)


class KernelLinks(_Late, Links):
    """The links of a page that the kernel has read, and what was worked out with them."""

    _late: ClassVar[_LateTable] = {
        "elements": lambda self: _list(self.blob.array(LinkBuffer.LINK_ELEMENT, np.int64)),
        "form_urls": lambda self: dict(
            zip(_list(self.blob.array(LinkBuffer.URL_FORMS, np.int64)), self._distinct)
        ),
        "urls": lambda self: self._urls(),
    }

    def __init__(self, tokens: KernelTokens, elements: KernelElements, blob: Blob) -> None:
        self._tokens = tokens
        self._elements = elements
        self.blob = blob
        self.blobs = Blobs(tokens.blob, blob)

    def __len__(self) -> int:
        return len(self.elements)

    @cached_property
    def _distinct(self) -> list[str]:
        """The distinct addresses."""
        return list(self.blob.texts(LinkBuffer.URLS, LinkBuffer.URL_STARTS))

    def _urls(self) -> list[str]:
        return list(map(self._distinct.__getitem__, _list(self.blob.array(LinkBuffer.LINK_URL, np.int64))))

    @cached_property
    def keys(self) -> list[int]:
        """Link -> 64-bit key of its URL, equal in every process."""
        return _list(self.blob.array(LinkBuffer.LINK_KEY, np.uint64))

    @property
    def anchor_paths(self) -> Keys:
        """Link -> key of the path of its anchor."""
        return self.blob.array(LinkBuffer.ANCHOR_PATH, np.uint64)


class KernelTerms(Terms):
    """The terms of a page that the kernel has read."""

    def __init__(self, blob: Blob) -> None:
        self.hashes = blob.array(LinkBuffer.TERM_HASHES, np.uint64)
        self.start_array = blob.array(LinkBuffer.TERM_STARTS, np.int64)
