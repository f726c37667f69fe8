"""A page that the native kernel has read: its views are arrays of the kernel.

Each class here is one of Python's, whose reader (:func:`~templcrawl.page.tokens.read_tokens` and its like) is
the specification, with the columns named that its attributes are.

Cost: O(1) beyond the work of the kernel; lists and texts are made when they are first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from struct import Struct
from typing import Any

import numpy as np

from templcrawl.page.addresses import Links, base_of, link_resolver, read_base
from templcrawl.page.arrays import Keys, lazy, lazy_list
from templcrawl.page.elements import Elements
from templcrawl.page.kernel import kernel_of
from templcrawl.page.kernel_columns import (
    FLAGS,
    KernelColumns,
    Question,
    Task,
    column,
    column_list,
    has_columns,
)
from templcrawl.page.kernel_tables import known_names, known_numbers, sections
from templcrawl.page.rows import Rows
from templcrawl.page.runs import Terms, TextRuns
from templcrawl.page.tokens import NO_TAGS, TAGS, Limits, Tag, TokenStream

_LIMITS = Struct("<2Q").pack  # whether there is more of the page, and how many tags are read
_BASE = Struct("<2I").pack  # whether it has a scheme, and whether it is long
_CONTINUED = -64  # bytes below begin no character, where they are signed


def read_natively(text: str, url: str, limits: Limits, utf8: bytes | None = None) -> NativePage | None:
    """Read a page by the kernel; None if its limits name Python or the kernel refuses it.

    url   its address
    utf8  the text in UTF-8, where it came so
    """
    kernel = kernel_of(limits.kernel)
    if kernel is None:
        return None
    is_cut = len(text) > limits.max_characters
    written = _bytes_of(text[: limits.max_characters]) if is_cut or utf8 is None else utf8
    given = sections(_LIMITS(is_cut, limits.max_tags), _encode_base(url))
    answers = _Answers(url)
    content = kernel.run_task(Task.READ, written, b"", given, answer=answers)
    return None if content is None else NativePage(text, written, answers.base, content)


class _Answers:
    """Answers to what the kernel asks about a page.

    base  what its links start from
    """

    def __init__(self, url: str) -> None:
        self.base = url

    def __call__(self, questions: list[str]) -> bytes:
        resolve = cache(lambda: link_resolver(self.base))
        return sections(*(self._answer(ord(asked[0]), asked[1:], resolve) for asked in questions))

    def _answer(self, kind: int, asked: str, resolve: Callable[[], Callable[[str], str | None]]) -> bytes:
        if kind == Question.BASE:
            self.base = base_of(self.base, asked)
            return _encode_base(self.base)
        url = resolve()(asked)
        return b"\0" if url is None else b"\1" + _bytes_of(url)


def _encode_base(url: str) -> bytes:
    base = read_base(url)
    texts = "\0".join((base.origin, base.directory, base.url.partition("?")[0]))
    return sections(_BASE(bool(base.scheme), base.is_long), _bytes_of(texts))


def _bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


class NativePage:
    """What the kernel has read of a page.

    written  the text that it has read, in UTF-8
    base     what its links start from
    table    the table that it has written
    """

    def __init__(self, text: str, written: bytes, base: str, content: bytes) -> None:
        self._text = text
        self.written = written
        self.base = base
        self.table = KernelColumns(content)

    tokens: TokenStream = lazy(lambda page: _Tokens(page._text, page.written, page.table))
    elements: Elements = lazy(lambda page: _Elements(page.tokens, page.table))
    text_runs: TextRuns = lazy(lambda page: _TextRuns(page.table))
    rows: Rows = lazy(lambda page: _Rows(page.table))
    links: Links = lazy(lambda page: _Links(page.tokens, page.elements, page.table))
    terms: Terms = lazy(lambda page: _Terms(page.table))
    structure: Keys = column("structure")
    fingerprint: bytes = lazy(lambda page: page.table["fingerprint"].tobytes())

    def run_task(self, task: Task, first: bytes, second: bytes = b"", rest: str = "") -> bytes | None:
        """Return the result of a task of the kernel; None if Python has to answer.

        first, second  what the task takes
        rest           what stands behind the text that was read, where the task is to have it
        """
        kernel = kernel_of("auto")
        if kernel is None:
            return None
        written = self.written + _bytes_of(rest) if rest else self.written
        return kernel.run_task(task, written, self.table.content, first, second)


@has_columns("token")
class _Tokens(TokenStream):
    def __init__(self, text: str, written: bytes, table: KernelColumns) -> None:
        self.text = text
        self._written = written
        self.table = table
        self.truncated = tuple(
            name for name in ("max_characters", "max_tags") if table.flags & FLAGS[f"hit_{name}"]
        )

    _form_token = column("form_token")

    @lazy
    def _starts(self) -> Any:
        starts = self.table["starts"].astype(np.intp)
        if not self.table.flags & FLAGS["is_ascii"]:
            continued = (np.frombuffer(self._written, np.int8) < _CONTINUED).nonzero()[0]
            starts -= continued.searchsorted(starts)
        starts[-1] = len(self.text)  # the kernel has not seen the unread rest
        return starts

    starts = lazy_list("_starts")

    @lazy
    def lengths(self) -> Any:
        return np.diff(self._starts)

    @lazy
    def forms(self) -> Any:
        first = self._form_token
        bounds = map(slice, self._starts[first].tolist(), self._starts[1:][first].tolist())
        return list(map(self.text.__getitem__, bounds))

    def text_of(self, form: int) -> str:
        token = self._form_token[form]
        return self.text[self._starts[token] : self._starts[token + 1]]

    form_kinds = column_list("form_kind")
    form_tags = lazy(lambda tokens: _Tags(tokens))
    form_names = lazy(lambda tokens: _named(tokens.table, "form_name"))

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


@lru_cache(maxsize=4)
def _classes_of_names(classes: tuple[tuple[str, int], ...]) -> Any:
    """Return number -> class of a tag name; the last is that of names that only a page has."""
    class_of = np.zeros(len(known_names()) + 1, np.uint8)
    for name, number in classes:
        class_of[known_numbers()[name]] = number
    return class_of


def _named(table: KernelColumns, column: str) -> list[str]:
    return list(map(_names(table).__getitem__, table[column].tolist()))


@has_columns("element")
class _Elements(Elements):
    def __init__(self, tokens: TokenStream, table: KernelColumns) -> None:
        super().__init__(tokens)
        self.table = table

    names = lazy(lambda elements: _named(elements.table, "element_name"))
    anchors = column_list("anchors")

    def classed(self, classes: Mapping[str, int]) -> Any:
        return _classes_of_names(tuple(classes.items())).take(self.table["element_name"], mode="clip")


class _Read:
    def __init__(self, table: KernelColumns) -> None:
        self.table = table


@has_columns("run")
class _TextRuns(_Read, TextRuns):
    pass


@has_columns("row")
class _Rows(_Read, Rows):
    pass


@has_columns("term")
class _Terms(_Read, Terms):
    pass


@has_columns("link")
class _Links(Links):
    def __init__(self, tokens: TokenStream, elements: Elements, table: KernelColumns) -> None:
        super().__init__(tokens, elements)
        self.table = table

    _distinct = column("urls")
    urls = lazy(lambda links: list(map(links._distinct.__getitem__, links.table["link_url"].tolist())))
    form_urls = lazy(lambda links: dict(zip(links.table["url_forms"].tolist(), links._distinct)))
    elements = column_list("link_element")
