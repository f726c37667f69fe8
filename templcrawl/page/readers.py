"""The two readers of a page: Python and the native kernel.

:class:`PageColumns` is what is read of a page, in groups; Python fills them, and is the specification.
:class:`NativeColumns` fills the same groups from the tables of the native kernel.  Which of them reads a page
is decided once, by its limits (:func:`read_columns`).

Cost: O(1) beyond the work of a reader; lists and texts are made when they are first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from templcrawl.page import kernel
from templcrawl.page.addresses import Links, link_resolver, read_links
from templcrawl.page.arrays import Keys
from templcrawl.page.columns import FLAGS, Columns, Late, Task
from templcrawl.page.elements import Elements, read_elements
from templcrawl.page.kernel import bytes_of, written_base
from templcrawl.page.kernel_tables import known_names, known_numbers
from templcrawl.page.rows import LATE_ROWS, Rows, read_rows
from templcrawl.page.runs import LATE_STARTS, Terms, TextRuns, read_terms, read_text_runs
from templcrawl.page.tokens import NO_TAGS, TAGS, Limits, Tag, TokenStream, read_tokens

_LIMITS = ("max_characters", "max_tags")


def read_columns(text: str, limits: Limits) -> PageColumns:
    """Read a page by the reader that its limits name; by Python where the kernel refuses it."""
    reader = kernel.kernel_of(limits.kernel)
    if reader is not None:
        written = bytes_of(text[: limits.max_characters])
        content = reader.read(written, limits, is_cut=len(text) > limits.max_characters)
        if content is not None:
            return NativeColumns(text, limits, written, content)
    return PageColumns(text, limits)


class PageColumns:
    """What is read of a page, in groups of columns; Python fills each when it is first asked for.

    is_native  whether the kernel has read the page
    """

    is_native = False

    def __init__(self, text: str, limits: Limits) -> None:
        self._text = text
        self._limits = limits

    @cached_property
    def tokens(self) -> TokenStream:
        """The token stream."""
        return read_tokens(self._text, self._limits)

    @cached_property
    def elements(self) -> Elements:
        """The element tree."""
        return read_elements(self.tokens)

    @cached_property
    def text_runs(self) -> TextRuns:
        """The visible text runs."""
        return read_text_runs(self.tokens, self.elements)

    @cached_property
    def rows(self) -> Rows:
        """The rows of its text runs."""
        return read_rows(self.tokens, self.text_runs, self.elements)

    @cached_property
    def structure(self) -> Keys:
        """The features of the structure."""
        return self.elements.structure()

    @property
    def has_base(self) -> bool:
        """Whether it may say where its links start from."""
        return "base" in self.tokens.form_names

    def find_links(self, base: str) -> Links:
        """Return the links; relative ones start from ``base``."""
        return read_links(self.tokens, self.elements, base)

    def terms(self, links: Links) -> Terms:
        """Return the terms of a page with these links."""
        return read_terms(self.tokens, links)

    def work_out(self, task: Task | None, first: bytes, second: bytes = b"", rest: str = "") -> bytes | None:
        """Return what the kernel writes for a task; None where Python is to answer.

        task           None: the table of the page itself
        first, second  what the task takes
        rest           what stands behind the text that was read, where the task is to have it
        """
        return None


class NativeColumns(PageColumns):
    """What the kernel has read of a page.

    written  the text that it has read, in UTF-8
    content  the table that it has written
    """

    is_native = True

    def __init__(self, text: str, limits: Limits, written: bytes, content: bytes) -> None:
        super().__init__(text, limits)
        self.written = written
        self.table = Columns("page", content)

    @cached_property
    def tokens(self) -> TokenStream:
        """The token stream."""
        tokens, table = TokenStream(_TOKENS, self.table), self.table
        tokens.text = self._text
        tokens.truncated = tuple(name for name in _LIMITS if table.flags & FLAGS[f"hit_{name}"])
        return tokens

    @cached_property
    def elements(self) -> Elements:
        """The element tree."""
        elements = Elements(_ELEMENTS, self.table)
        elements._tokens = self.tokens
        return elements

    @cached_property
    def text_runs(self) -> TextRuns:
        """The visible text runs."""
        return TextRuns(_RUNS, self.table)

    @cached_property
    def rows(self) -> Rows:
        """The rows of its text runs."""
        return Rows(_ROWS, self.table)

    @cached_property
    def structure(self) -> Keys:
        """The features of the structure."""
        return self.table["structure"]

    @property
    def has_base(self) -> bool:
        """Whether it may say where its links start from."""
        return bool(self.table.flags & FLAGS["has_base"])

    def find_links(self, base: str) -> Links:
        """Return the links; relative ones start from ``base``."""
        content = self.work_out(
            Task.LINKS, written_base(base), resolve=lambda hrefs: map(link_resolver(base), hrefs)
        )
        if content is None:
            return super().find_links(base)
        links = Links(_LINKS, Columns("links", content))
        links._tokens, links._elements = self.tokens, self.elements
        return links

    def terms(self, links: Links) -> Terms:
        """Return the terms of a page with these links."""
        return super().terms(links) if links.table is None else Terms(_TERMS, links.table)

    def work_out(
        self,
        task: Task | None,
        first: bytes,
        second: bytes = b"",
        rest: str = "",
        resolve: kernel.Resolve | None = None,
    ) -> bytes | None:
        """Return what the kernel writes for a task; None where it refuses.

        resolve  answers what the kernel asks about links
        """
        if task is None:
            return self.table.content
        asked = kernel.kernel_of("auto")
        if asked is None:
            return None
        written = self.written + bytes_of(rest) if rest else self.written
        return asked.work_out(task, written, self.table.content, first, second, resolve)


class _Tags(Sequence[Tag]):
    """Each form as a tag, read on demand; the tokens hold them, so they do not hold the tokens."""

    __slots__ = ("_kinds", "_read", "_text_of")

    def __init__(self, tokens: TokenStream) -> None:
        self._text_of = tokens._text_of
        self._kinds = tokens.form_kinds
        self._read: list[Tag | None] = [None] * len(self._kinds)

    def __len__(self) -> int:
        return len(self._read)

    def __getitem__(self, index: Any) -> Any:
        tag = self._read[index]
        if tag is None:
            kind = self._kinds[index]
            tag = self._read[index] = NO_TAGS.get(kind) or TAGS[self._text_of(index)]
        return tag


def _starts(tokens: Any) -> Any:
    table = tokens.table
    starts = table["starts" if table.flags & FLAGS["is_ascii"] else "character_starts"]
    if starts[-1] != len(tokens.text):
        starts = starts.astype(np.int64)
        starts[-1] = len(tokens.text)
    return starts


def _forms(tokens: Any) -> list[str]:
    first, starts = tokens._form_tokens, tokens._starts
    bounds = map(slice, starts[first].tolist(), starts[1:][first].tolist())
    return list(map(tokens.text.__getitem__, bounds))


def _names(table: Columns) -> tuple[str, ...]:
    written = table.raw("new_names")
    if not written:
        return known_names()
    return (*known_names(), *written.decode("utf-8", "surrogatepass").split(">"))


def _text_of(tokens: Any) -> Callable[[int], str]:
    text, first, starts = tokens.text, tokens._form_tokens, tokens._starts
    return lambda form: text[starts[first[form]] : starts[first[form] + 1]]


def _named(table: Columns, column: str) -> list[str]:
    return list(map(_names(table).__getitem__, table.values(column)))


def _forms_named(table: Columns, name: str) -> list[int]:
    number = known_numbers().get(name)
    if number is None:
        number = _names(table).index(name)
    forms: list[int] = (table["form_name"] == number).nonzero()[0].tolist()
    return forms


def _characters_before(elements: Any) -> Any:
    """Return the characters of visible text before each token; the kernel has not seen the unread rest."""
    tokens, before = elements._tokens, elements.table["characters_before"]
    if not tokens.truncated:
        return before
    before = before.copy()
    before[-1] = before[-2] + tokens.lengths[-1]
    return before


_TOKENS: Late = {
    "form_array": "form_of",
    "kind_array": "kinds",
    "form_of": lambda tokens: tokens.form_array.tolist(),
    "forms": _forms,
    "form_tags": _Tags,
    "form_kinds": lambda tokens: tokens.table.values("form_kind"),
    "form_names": lambda tokens: _named(tokens.table, "form_name"),
    "kinds": lambda tokens: tokens.table.raw("kinds"),
    "starts": lambda tokens: tokens._starts.tolist(),
    "lengths": lambda tokens: np.diff(tokens._starts.astype(np.intp)),
    "_starts": _starts,
    "_form_tokens": "form_token",
    "forms_named": lambda tokens: partial(_forms_named, tokens.table),
    "_text_of": _text_of,
}
_ELEMENTS: Late = {
    "parent_array": "element_parent",
    "open_array": "element_open",
    "close_array": "element_close",
    "owner_array": "owner",
    "visible_array": "element_visible",
    "shown_array": "element_shown",
    "parents": lambda elements: elements.parent_array.tolist(),
    "names": lambda elements: _named(elements.table, "element_name"),
    "opens": lambda elements: elements.open_array.tolist(),
    "closes": lambda elements: elements.close_array.tolist(),
    "visible": lambda elements: elements.visible_array.tolist(),
    "shown": lambda elements: elements.shown_array.tolist(),
    "owners": lambda elements: elements.owner_array.tolist(),
    "anchors": lambda elements: elements.table.values("anchors"),
    "characters_before": _characters_before,
}
_RUNS: Late = {
    "positions": "run_position",
    "elements": "run_element",
    "words": "run_words",
    "hints": "run_hints",
    "texts": "run_text",
    "keys": "run_key",
    "depths": "element_depth",
}
_ROWS: Late = {
    **LATE_ROWS,
    "starts": "row_start",
    "keys": "row_key",
    "tables": "row_table",
    "kinds": "row_kind",
}
_TERMS: Late = {**LATE_STARTS, "hashes": "term_hashes", "start_array": "term_starts"}
_LINKS: Late = {
    "urls": lambda links: list(map(links._distinct.__getitem__, links.table.values("link_url"))),
    "elements": lambda links: links.table.values("link_element"),
    "form_urls": lambda links: dict(zip(links.table.values("url_forms"), links._distinct)),
    "keys": lambda links: links.table.values("link_key"),
    "anchor_paths": "anchor_path",
    "_distinct": lambda links: links.table.values("urls"),
}
