"""A page as the native kernel has read it: what a page has, as columns of the kernel's tables.

Each class here is one of Python's, whose reader (:func:`~templcrawl.page.tokens.read_tokens` and its like) is
the specification, with the columns named that its attributes are.

Cost: O(1) beyond the work of the kernel; lists and texts are made when they are first asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import Struct
from typing import Any, ClassVar

import numpy as np

from templcrawl.page.addresses import Links, link_resolver, read_base
from templcrawl.page.arrays import Keys
from templcrawl.page.elements import Elements
from templcrawl.page.kernel import Answer, kernel_of
from templcrawl.page.kernel_columns import FLAGS, KernelColumns, Task, column, column_list, late, listed
from templcrawl.page.kernel_tables import known_names, known_numbers, sections
from templcrawl.page.rows import Rows
from templcrawl.page.runs import Terms, TextRuns
from templcrawl.page.tokens import NO_TAGS, TAGS, Limits, Tag, TokenStream
from templcrawl.page.vocabulary import names_furniture

_LIMITS = Struct("<2Q").pack  # whether there is more of the page, and how many tags are read
_BASE = Struct("<2I").pack  # whether it has a scheme, and whether it is long


def read_natively(text: str, limits: Limits, utf8: bytes | None = None) -> NativePage | None:
    """Read a page by the kernel; None where its limits name Python, and where the kernel refuses it.

    utf8  the text in UTF-8, where it came so
    """
    kernel = kernel_of(limits.kernel)
    if kernel is None:
        return None
    is_cut = len(text) > limits.max_characters
    written = _bytes_of(text[: limits.max_characters]) if is_cut or utf8 is None else utf8
    given = _LIMITS(is_cut, limits.max_tags)
    content = kernel.work_out(
        Task.READ, written, b"", given, answer=lambda names: bytes(map(names_furniture, names))
    )
    return None if content is None else NativePage(text, written, content)


def _bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


class NativePage:
    """What the kernel has read of a page.

    written   the text that it has read, in UTF-8
    table     the table that it has written
    has_base  whether it has a tag ``base``
    """

    def __init__(self, text: str, written: bytes, content: bytes) -> None:
        self._text = text
        self.written = written
        self.table = KernelColumns("page", content)
        self.has_base = bool(self.table.flags & FLAGS["has_base"])

    tokens: TokenStream = late(lambda page: _Tokens(page._text, page.table))
    elements: Elements = late(lambda page: _Elements(page.tokens, page.table))
    text_runs: TextRuns = late(lambda page: _TextRuns(page.table))
    rows: Rows = late(lambda page: _Rows(page.table))
    structure: Keys = column("structure")
    fingerprint: bytes = late(lambda page: page.table["fingerprint"].tobytes())

    def find_links(self, base: str) -> Links | None:
        """Return the links, relative ones from a base; None where the kernel refuses them."""

        def resolved(hrefs: list[str]) -> bytes:
            urls = map(link_resolver(base), hrefs)
            return sections(*(b"\0" if url is None else b"\1" + _bytes_of(url) for url in urls))

        read = read_base(base)
        texts = (read.origin, read.directory, read.url.partition("?")[0])
        given = sections(_BASE(bool(read.scheme), read.is_long), *map(_bytes_of, texts))
        content = self.work_out(Task.LINKS, given, answer=resolved)
        return (
            None if content is None else _Links(self.tokens, self.elements, KernelColumns("links", content))
        )

    def work_out(
        self, task: Task, first: bytes, second: bytes = b"", rest: str = "", answer: Answer | None = None
    ) -> bytes | None:
        """Return what the kernel writes for a task; None where Python is to answer.

        first, second  what the task takes
        rest           what stands behind the text that was read, where the task is to have it
        answer         answers the questions of the kernel
        """
        kernel = kernel_of("auto")
        if kernel is None:
            return None
        written = self.written + _bytes_of(rest) if rest else self.written
        return kernel.work_out(task, written, self.table.content, first, second, answer)


def terms_of(links: Links) -> Terms | None:
    """Return the terms that the kernel has written with the links; None where Python has found those."""
    return _Terms(links.table) if isinstance(links, _Links) else None


class _Tokens(TokenStream):
    def __init__(self, text: str, table: KernelColumns) -> None:
        self.text = text
        self.table = table
        self.truncated = tuple(
            name for name in ("max_characters", "max_tags") if table.flags & FLAGS[f"hit_{name}"]
        )

    form_array = column("form_of")
    kind_array = column("kinds")
    _form_token = column("form_token")

    @late
    def _starts(self) -> Any:
        table = self.table
        starts = table["starts" if table.flags & FLAGS["is_ascii"] else "character_starts"]
        if starts[-1] != len(self.text):  # the kernel has not seen the unread rest
            starts = starts.astype(np.int64)
            starts[-1] = len(self.text)
        return starts

    starts = listed("_starts")

    @late
    def lengths(self) -> Any:
        return np.diff(self._starts.astype(np.intp))

    @late
    def forms(self) -> Any:
        first = self._form_token
        bounds = map(slice, self._starts[first].tolist(), self._starts[1:][first].tolist())
        return list(map(self.text.__getitem__, bounds))

    def text_of(self, form: int) -> str:
        token = self._form_token[form]
        return self.text[self._starts[token] : self._starts[token + 1]]

    form_kinds = column_list("form_kind")
    form_tags = late(lambda tokens: _Tags(tokens))
    form_names = late(lambda tokens: _named(tokens.table, "form_name"))

    def forms_named(self, name: str) -> Any:
        number = known_numbers().get(name)
        if number is None:
            number = _names(self.table).index(name)
        return (self.table["form_name"] == number).nonzero()[0].tolist()


class _Tags(Sequence[Tag]):
    """Each form as a tag, read on demand; the tokens hold them, so they do not hold the tokens."""

    def __init__(self, tokens: _Tokens) -> None:
        self._text, self._starts, self._form_token = tokens.text, tokens._starts, tokens._form_token
        self._kinds = tokens.form_kinds
        self._read: list[Tag | None] = [None] * len(self._kinds)

    def __len__(self) -> int:
        return len(self._read)

    def __getitem__(self, index: Any) -> Any:
        tag = self._read[index]
        if tag is None:
            tag = NO_TAGS.get(self._kinds[index])
            if tag is None:
                token = self._form_token[index]
                tag = TAGS[self._text[self._starts[token] : self._starts[token + 1]]]
            self._read[index] = tag
        return tag


def _names(table: KernelColumns) -> tuple[str, ...]:
    """Return number -> tag name: those that the kernel knows, and those that only this page has."""
    written = table["new_names"].tobytes().decode("utf-8", "surrogatepass")
    return (*known_names(), *written.split(">")) if written else known_names()


def _named(table: KernelColumns, column: str) -> list[str]:
    return list(map(_names(table).__getitem__, table[column].tolist()))


class _Elements(Elements):
    def __init__(self, tokens: TokenStream, table: KernelColumns) -> None:
        super().__init__(tokens)
        self.table = table

    parent_array = column("element_parent")
    open_array = column("element_open")
    close_array = column("element_close")
    visible_array = column("element_visible")
    shown_array = column("element_shown")
    hidden_array = column("element_hidden")
    owner_array = column("owner")
    names = late(lambda elements: _named(elements.table, "element_name"))
    anchors = column_list("anchors")

    @late
    def characters_before(self) -> Any:
        tokens, before = self._tokens, self.table["characters_before"]
        if tokens.truncated:  # the kernel has not seen the unread rest
            before = before.copy()
            before[-1] = before[-2] + tokens.lengths[-1]
        return before


class _OfTable:
    """What has columns of a table as attributes: attribute -> column."""

    attributes: ClassVar[Mapping[str, str]]

    def __init__(self, table: KernelColumns) -> None:
        self.__dict__.update(zip(self.attributes, table.arrays(self.attributes.values())))


class _TextRuns(_OfTable, TextRuns):
    attributes: ClassVar = {
        "positions": "run_position",
        "elements": "run_element",
        "words": "run_words",
        "hints": "run_hints",
        "texts": "run_text",
        "keys": "run_key",
        "hidden": "run_hidden",
        "depths": "element_depth",
    }


class _Rows(_OfTable, Rows):
    attributes: ClassVar = {
        "starts": "row_start",
        "keys": "row_key",
        "tables": "row_table",
        "kinds": "row_kind",
        "scope_starts": "row_scope_start",
        "scope_stops": "row_scope_stop",
    }


class _Terms(_OfTable, Terms):
    attributes: ClassVar = {"hashes": "term_hashes", "start_array": "term_starts"}


class _Links(Links):
    def __init__(self, tokens: TokenStream, elements: Elements, table: KernelColumns) -> None:
        super().__init__(tokens, elements)
        self.table = table
        self.written = table.content

    _distinct = column("urls")
    urls = late(lambda links: list(map(links._distinct.__getitem__, links.table["link_url"].tolist())))
    form_urls = late(lambda links: dict(zip(links.table["url_forms"].tolist(), links._distinct)))
    elements = column_list("link_element")
    keys = column_list("link_key")
    anchor_paths = column("anchor_path")
