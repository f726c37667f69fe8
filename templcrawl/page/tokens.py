"""The token stream of a page: what every algorithm here reads instead of the page.

A token is one piece of the page's text (see :mod:`templcrawl.page.scan`): a text run, a tag with its
attributes, a comment.  Equal pieces are one *form*, a small int (tags first, then runs), so that
 kind, name and key of a form are worked out once however often it stands on the page.

n tokens, v <= n forms.  Cost: O(length of the text), most of it in the C code of ``re`` and ``dict``.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from xxhash import xxh3_64_intdigest

from templcrawl.page.limits import Limits
from templcrawl.page.scan import cut
from templcrawl.page.vocabulary import is_void

TEXT, SPACE, START, VOID, END, COMMENT, UNREAD = range(7)
"""Kinds of token: words, white space, start tag, start tag of an empty element, end tag,
comment or declaration, the rest of the page beyond a cap."""

_TAG_NAME = re.compile(r"</?([a-zA-Z][^\s/>]*)").match


def _kind_and_name(tag: str) -> tuple[int, str]:
    match = _TAG_NAME(tag)
    if match is None:
        return COMMENT, ""
    name = match[1].lower()
    if tag[1] == "/":
        return END, name
    return (VOID if is_void(name, tag) else START), name


class TokenStream:
    """The tokens of a page.

    text        the page, ``"".join(forms[f] for f in form_of) == text``
    form_of     form of each token, n small ints
    forms       text of each form, v strings
    form_kinds  kind of each form (``TEXT``, ``SPACE``, ``START``, ``VOID``, ``END``, ``COMMENT``, ``UNREAD``)
    form_names  lower-case tag name of each form, "" for those that are no tag
    kinds       kind of each token, n bytes
    truncated   names of the limits that the page hit
    """

    __slots__ = (
        "__dict__",
        "form_kinds",
        "form_names",
        "form_of",
        "forms",
        "kinds",
        "text",
        "truncated",
    )

    def __init__(self, text: str, limits: Limits) -> None:
        self.text = text
        pieces, unread, self.truncated = _read(text, limits)
        tags = dict.fromkeys(pieces[1::2])
        runs = dict.fromkeys(filter(None, pieces[::2]))
        kinds_and_names = list(map(_kind_and_name, tags))
        self.form_kinds = [kind for kind, _ in kinds_and_names]
        self.form_kinds += [SPACE if run.isspace() else TEXT for run in runs]
        self.form_names = [name for _, name in kinds_and_names]
        self.form_names += [""] * len(runs)
        self.forms: list[str] = [*tags, *runs]
        numbers = dict(zip(self.forms, range(len(self.forms))))
        self.form_of = list(map(numbers.__getitem__, filter(None, pieces)))
        if unread:
            self.form_of.append(len(self.forms))
            self.forms.append(unread)
            self.form_kinds.append(UNREAD)
            self.form_names.append("")
        self.kinds = bytes(map(self.form_kinds.__getitem__, self.form_of))

    def __len__(self) -> int:
        return len(self.form_of)

    @cached_property
    def starts(self) -> Sequence[int]:
        """Offset of each token in the text, and the text's length at the end: n + 1 ints."""
        lengths = list(map(len, self.forms))
        return array("L", accumulate(map(lengths.__getitem__, self.form_of), initial=0))

    @cached_property
    def form_keys(self) -> list[int]:
        """A 64-bit key of each form, equal in every process; runs of white space count as one space."""
        folded = [
            (" ".join(form.split()) if kind == TEXT else form).encode("utf-8", "surrogatepass")
            for form, kind in zip(self.forms, self.form_kinds)
        ]
        keys = list(map(xxh3_64_intdigest, folded))
        for form, kind in enumerate(self.form_kinds):
            if kind == SPACE:
                keys[form] = 0
        return keys


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
