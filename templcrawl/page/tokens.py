r"""The token stream of a page, what every algorithm here reads instead of the page; and its tags, parsed.

A token is one piece of the page's text (see :mod:`templcrawl.page.scan`): a text run, a tag with its
attributes, a comment.  Equal pieces are one *form*, a small int (tags first, then runs), so that
kind, name and key of a form are computed once, however often it occurs on the page.

``truncated`` names the caps that a page hits; what lies beyond a cap stays unread, as content.

Attributes are read by the rules of the HTML standard's tokeniser: of two of a name the first counts, a
quote opens a value behind ``=`` only, the values are decoded once.  Of a tag the first ``MAX_ATTRIBUTES``
are read, of a class the first ``MAX_CLASSES`` words.  A tag is read once for all pages of a process
(``TAGS``); one of more than 400 characters once a page.  Keys are xxh3, equal in every process.

n tokens, v <= n forms.  Cost: O(length of the text), most of it in the C code of ``re`` and ``dict``.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, repeat
from sys import intern
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from templcrawl.errors import InvalidOption
from templcrawl.page.arrays import MASK, MIX, indices, lazy, lazy_list
from templcrawl.page.scan import cut, tag_end
from templcrawl.page.text import (
    NO_TEXT,
    TEXTS,
    Memo,
    Texts,
    attribute_text,
    joined,
    key_bytes,
    text_key,
    unescape,
)
from templcrawl.page.traits import traits_of
from templcrawl.page.vocabulary import RAW_TEXT_NAMES, hints_of, is_void

# Kinds of token: words, white space, start tag, start tag of an empty element, end tag,
# comment or declaration, the rest of the page beyond a cap.
TEXT, SPACE, START, VOID, END, COMMENT, UNREAD = range(7)

MAX_ATTRIBUTES = 64
MAX_CLASSES = 32

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
    traits   bits of its name and of what hides it (:mod:`templcrawl.page.vocabulary`)
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
    """Read a tag as it is written.

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
    key = text_key(name)
    written = key_bytes(key)
    values = attributes(tag)
    traits = traits_of(name, values)
    if not values:
        return Tag(kind, name, written, key, written, traits, hints_of(name, values))
    classes = tuple(map(intern, values.get("class", "").split(maxsplit=MAX_CLASSES)[:MAX_CLASSES]))
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
    for written in islice(_ATTRIBUTE(head, match.end()), MAX_ATTRIBUTES):
        name, double, single, bare = written.groups("")
        values.setdefault(name.lower(), attribute_text(double or single or bare))
    return values


def attribute(tag: str, name: str) -> str:
    """Return the value of an attribute of a start tag, decoded, "" where it has none."""
    return attributes(tag).get(name, "")


def raw_text(piece: str) -> str:
    """Return the raw text behind a start tag in its piece.

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


NO_TAGS = {kind: Tag(kind) for kind in (TEXT, SPACE, UNREAD)}


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of reading a page, which keep work and memory linear in its bytes, and the reader.

    max_characters  characters of the page that are read
    max_tags        tags and comments of the page that are read
    kernel          which reader reads it: auto, on or off (:mod:`templcrawl.page.kernel`)
    """

    max_characters: int = 8_000_000
    max_tags: int = 120_000
    kernel: str | None = None

    def __post_init__(self) -> None:
        for name in ("max_characters", "max_tags"):
            value = getattr(self, name)
            if not isinstance(value, int) or not 1 <= value <= sys.maxsize:
                raise InvalidOption(name, value, f"a whole number from 1 to {sys.maxsize}")


class TokenStream:
    """The tokens of a page.

    text        the page, ``"".join(forms[f] for f in form_of) == text``
    forms       text of each form, v strings
    form_tags   each form as a tag
    form_kinds  kind of each form (``TEXT``, ``SPACE``, ``START``, ``VOID``, ``END``, ``COMMENT``, ``UNREAD``)
    form_names  lower-case tag name of each form, "" for those that are no tag
    form_array  form of each token, n small ints; as a list ``form_of``
    kind_array  kind of each token; as bytes ``kinds``
    truncated   names of the limits that the page hit
    """

    text: str
    forms: Sequence[str]
    form_tags: Sequence[Tag]
    form_kinds: Sequence[int]
    form_names: Sequence[str]
    form_array: npt.NDArray[np.int64]
    kind_array: npt.NDArray[np.uint8]
    truncated: tuple[str, ...]
    form_of: list[int] = lazy_list("form_array")

    def __len__(self) -> int:
        return len(self.form_array)

    @lazy
    def kinds(self) -> bytes:
        """Kind of each token."""
        return self.kind_array.tobytes()

    @lazy
    def lengths(self) -> npt.NDArray[np.intp]:
        """Characters of each token."""
        return np.array(list(map(len, self.forms)), dtype=np.intp)[self.form_array]

    @lazy
    def starts(self) -> list[int]:
        """Offset of each token in the text, and the text's length at the end: n + 1 numbers."""
        return [0, *np.cumsum(self.lengths).tolist()]

    def text_of(self, form: int) -> str:
        """Return the text of one form."""
        return self.forms[form]

    def forms_named(self, name: str) -> list[int]:
        """Return the forms of tags of a name, in order."""
        return [form for form, written in enumerate(self.form_names) if written == name]

    @property
    def title(self) -> str:
        """The words of the first ``title``, white space folded; "" without one."""
        for form in self.forms_named("title"):
            if self.form_kinds[form] == START:
                return " ".join(unescape(raw_text(self.text_of(form))).split())
        return ""

    def texts_of(self, forms: Iterable[int]) -> list[str]:
        """Return the texts of some forms."""
        return list(map(self.text_of, forms))

    @property
    def read_text(self) -> str:
        """What was read of the page: all but the unread rest."""
        unread = len(self.forms[-1]) if self.kinds[-1:] == bytes((UNREAD,)) else 0
        return self.text[: len(self.text) - unread]

    @lazy
    def tag_fields(self) -> Any:
        """A tag whose fields are those of all forms: form -> kind, form -> name ..."""
        return Tag._make(zip(*self.form_tags) if self.form_tags else repeat((), len(Tag._fields)))

    @lazy
    def texts(self) -> Texts:
        """The text of each form that is a text run (:mod:`templcrawl.page.text`)."""
        kinds = zip(self.forms, self.form_kinds)
        return joined([TEXTS[form] if kind == TEXT else NO_TEXT for form, kind in kinds])

    @lazy
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
    tokens = TokenStream()
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
    else:  # a run reads like a tag, which it may beside CDATA sections: its number is the one in ``numbers``
        tag_numbers = dict(zip(tags, range(len(tags))))
        tokens.form_of = [
            tag_numbers[piece] if index % 2 else numbers[piece] for index, piece in enumerate(pieces) if piece
        ]
    if unread:
        tokens.form_of.append(len(forms))
        forms.append(unread)
        form_tags.append(NO_TAGS[UNREAD])
    tokens.forms, tokens.form_tags = forms, form_tags
    tokens.form_kinds, tokens.form_names = list(tokens.tag_fields.kind), list(tokens.tag_fields.name)
    tokens.form_array = indices(tokens.form_of)
    tokens.kind_array = np.frombuffer(bytes(tokens.form_kinds), dtype=np.uint8)[tokens.form_array]
    return tokens


def _read(text: str, limits: Limits) -> tuple[list[str], str, tuple[str, ...]]:
    unread = text[limits.max_characters :]
    truncated = ["max_characters"] if unread else []
    pieces = cut(text[: limits.max_characters], max_tags=limits.max_tags)
    if len(pieces) > 2 * limits.max_tags and "<" in pieces[-1]:
        truncated.append("max_tags")
        unread = pieces.pop() + unread
    return pieces, unread, tuple(truncated)
