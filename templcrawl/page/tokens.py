"""The token stream of a page: what every algorithm here reads instead of the page.

A token is one piece of the page's text (see :mod:`templcrawl.page.scan`): a text run, a tag with its
attributes, a comment.  Equal pieces are one *form*, a small int (tags first, then runs), so that
kind, name and key of a form are worked out once however often it stands on the page.

``truncated`` names the caps that a page hits; what lies beyond a cap stays unread, as content.

n tokens, v <= n forms.  Cost: O(length of the text), most of it in the C code of ``re`` and ``dict``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from templcrawl.errors import InvalidOption
from templcrawl.page.arrays import indices
from templcrawl.page.columns import View
from templcrawl.page.encoding import text_key
from templcrawl.page.entities import unescape
from templcrawl.page.scan import cut
from templcrawl.page.tags import SPACE, START, TAGS, TEXT, UNREAD, Tag, raw_text
from templcrawl.page.texts import NO_TEXT, TEXTS, Texts, joined

NO_TAGS = {kind: Tag(kind) for kind in (TEXT, SPACE, UNREAD)}


@dataclass(frozen=True, slots=True)
class Limits:
    """How a page is read: caps, which keep work and memory linear in its bytes, and by which reader.

    max_characters  characters of the page that are read
    max_tags        tags and comments of the page that are read
    kernel          which reader reads it: auto, on, off or check (:mod:`templcrawl.page.kernel`)
    """

    max_characters: int = 8_000_000
    max_tags: int = 120_000
    kernel: str | None = None

    def __post_init__(self) -> None:
        for name in ("max_characters", "max_tags"):
            value = getattr(self, name)
            if not isinstance(value, int) or not 1 <= value <= sys.maxsize:
                raise InvalidOption(name, value, f"a whole number from 1 to {sys.maxsize}")


class TokenStream(View):
    """The tokens of a page.

    text        the page, ``"".join(forms[f] for f in form_of) == text``
    form_of     form of each token, n small ints
    forms       text of each form, v strings
    form_tags   each form as a tag (:mod:`templcrawl.page.tags`)
    form_kinds  kind of each form (``TEXT``, ``SPACE``, ``START``, ``VOID``, ``END``, ``COMMENT``, ``UNREAD``)
    form_names  lower-case tag name of each form, "" for those that are no tag
    kinds       kind of each token, n bytes
    form_array, kind_array  the same as ``form_of`` and ``kinds``, as arrays
    starts      offset of each token in the text, and the text's length at the end: n + 1 ints
    lengths     characters of each token, n ints
    truncated   names of the limits that the page hit
    """

    text: str
    form_of: list[int]
    forms: Sequence[str]
    form_tags: Sequence[Tag]
    form_kinds: Sequence[int]
    form_names: Sequence[str]
    kinds: bytes
    form_array: npt.NDArray[np.int64]
    kind_array: npt.NDArray[np.uint8]
    starts: list[int]
    lengths: npt.NDArray[np.intp]
    truncated: tuple[str, ...]
    _forms_named: Callable[[str], Sequence[int]]
    _text_of: Callable[[int], str]
    _starts: npt.NDArray[Any]
    _form_tokens: npt.NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.form_array)

    @property
    def title(self) -> str:
        """The words of the first ``title``, white space folded; "" without one."""
        for form in self.forms_named("title"):
            if self.form_kinds[form] == START:
                return " ".join(unescape(raw_text(self._text_of(form))).split())
        return ""

    def forms_named(self, name: str) -> Sequence[int]:
        """Return the forms of tags of a name, in order."""
        return self._forms_named(name)

    def texts_of(self, forms: Iterable[int]) -> list[str]:
        """Return the texts of some forms."""
        return list(map(self._text_of, forms))

    @property
    def read_text(self) -> str:
        """What was read of the page: all but the unread rest."""
        unread = len(self.forms[-1]) if self.kinds[-1:] == bytes((UNREAD,)) else 0
        return self.text[: len(self.text) - unread]

    @cached_property
    def tag_fields(self) -> Any:
        """A tag whose fields are those of all forms: form -> kind, form -> name ..."""
        return Tag._make(zip(*self.form_tags) if self.form_tags else repeat((), len(Tag._fields)))

    @cached_property
    def texts(self) -> Texts:
        """What each form says, where it is a text run (:mod:`templcrawl.page.texts`)."""
        kinds = zip(self.forms, self.form_kinds)
        return joined([TEXTS[form] if kind == TEXT else NO_TEXT for form, kind in kinds])

    @cached_property
    def keys(self) -> npt.NDArray[np.uint64]:
        """A 64-bit key of each token, equal in every process; 0 for white space alone and what is unread.

        Runs of white space inside a text run count as one space.
        """
        form_keys = self.texts.keys.copy()
        tags = [form for form, kind in enumerate(self.form_kinds) if kind not in NO_TAGS]
        form_keys[tags] = list(map(text_key, self.texts_of(tags)))
        keys: npt.NDArray[np.uint64] = form_keys[self.form_array]
        return keys


def read_tokens(text: str, limits: Limits) -> TokenStream:
    """Read the tokens of a page."""
    tokens = TokenStream(_LATE)
    tokens.text = text
    pieces, unread, tokens.truncated = _read(text, limits)
    tags = dict.fromkeys(pieces[1::2])
    runs = dict.fromkeys(pieces[::2])
    runs.pop("", None)
    form_tags = list(map(TAGS.__getitem__, tags))
    form_tags += [NO_TAGS[SPACE if run.isspace() else TEXT] for run in runs]
    forms = [*tags, *runs]
    numbers = dict(zip(forms, range(len(forms))))
    if len(numbers) == len(forms):
        tokens.form_of = list(map(numbers.__getitem__, filter(None, pieces)))
    else:
        tokens.form_of = _numbered_apart(pieces, numbers, len(tags))
    if unread:
        tokens.form_of.append(len(forms))
        forms.append(unread)
        form_tags.append(NO_TAGS[UNREAD])
    tokens.forms, tokens.form_tags = forms, form_tags
    tokens.form_kinds, tokens.form_names = list(tokens.tag_fields.kind), list(tokens.tag_fields.name)
    tokens.form_array = indices(tokens.form_of)
    tokens.kind_array = np.frombuffer(bytes(tokens.form_kinds), dtype=np.uint8)[tokens.form_array]
    tokens.kinds = tokens.kind_array.tobytes()
    tokens._forms_named = partial(_forms_named, tokens.form_names)
    return tokens


_LATE: Mapping[str, Callable[[TokenStream], object]] = {
    "lengths": lambda tokens: np.array(list(map(len, tokens.forms)), dtype=np.intp)[tokens.form_array],
    "starts": lambda tokens: [0, *np.cumsum(tokens.lengths).tolist()],
    "_text_of": lambda tokens: tokens.forms.__getitem__,
}


def _forms_named(names: Sequence[str], name: str) -> Sequence[int]:
    return [form for form, written in enumerate(names) if written == name]


def _numbered_apart(pieces: list[str], numbers: dict[str, int], tags: int) -> list[int]:
    """Return the form of each piece where a run reads like a tag, which it may beside CDATA sections.

    numbers  form of each piece; that of the run where there are two
    tags     how many forms are tags
    """
    of_tag = dict(zip(dict.fromkeys(pieces[1::2]), range(tags)))
    return [of_tag[piece] if index % 2 else numbers[piece] for index, piece in enumerate(pieces) if piece]


def _read(text: str, limits: Limits) -> tuple[list[str], str, tuple[str, ...]]:
    """Cut the text within its limits: (pieces, unread rest, names of the limits hit)."""
    truncated = []
    unread = ""
    readable = text
    if len(text) > limits.max_characters:
        truncated.append("max_characters")
        readable, unread = text[: limits.max_characters], text[limits.max_characters :]
    pieces = cut(readable, max_tags=limits.max_tags)
    if len(pieces) > 2 * limits.max_tags and "<" in pieces[-1]:
        truncated.append("max_tags")
        unread = pieces.pop() + unread
    return pieces, unread, tuple(truncated)
