"""The native kernel: the page layer in Rust (``kernel/``), called by ctypes where its library is there.

Whether it reads a page is said with the page's limits, or by ``TEMPLCRAWL_KERNEL`` in the environment:
``auto`` (if it can be loaded), ``on`` (or it is an error), ``off``.  On a page that it has read it works in
any case.  Its answers are those of the Python modules beside this one, which stay the specification; a page
that it refuses is read by Python, and counted.

A page is read into one *blob*: a header, then buffers that numpy views.  The blob owns itself, so pages can
wait; links, renderings and what an algorithm has the kernel work out (:class:`Task`) come from text and blob
when they are asked for.  What only Python knows, it asks: whether odd words of a class name furniture, where
an odd ``href`` leads.

One kernel a thread; a call that comes while another is under way, as from a signal handler, Python answers.
What is loaded is checked first (:mod:`templcrawl.page.kernel_library`).  Of a page beyond its limit of
characters the kernel gets what is read, and the rest when it renders that.  Cost of a call: some 5 us beyond
its work.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections import Counter
from collections.abc import Callable
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from templcrawl.errors import InvalidOption
from templcrawl.page.addresses import link_resolver, read_base
from templcrawl.page.blobs import Blob
from templcrawl.page.encoding import text_key
from templcrawl.page.kernel_library import LIBRARY, fault_of
from templcrawl.page.kernel_tables import numbers, section, written_tables
from templcrawl.page.vocabulary import names_furniture

if TYPE_CHECKING:
    from templcrawl.page.tokens import Limits

SETTING = "TEMPLCRAWL_KERNEL"
READ_BY_PYTHON: Counter[str] = Counter()
"""Calls that the kernel refused, so that Python answered: by the name of the call, or "busy"."""

_Arguments = ParamSpec("_Arguments")
_Answer = TypeVar("_Answer")
_DONE, _ASKS = 0, 1
_CHECKED = "one text that both twins know the key of"


class Task(IntEnum):
    """What is worked out of a page that was read, by the numbers of ``kernel/src/kernel.rs``."""

    VOTE = 0
    CONTENT = 1
    PAGELETS = 2
    PAGER_MARKS = 3


def read(text: str, limits: Limits) -> Blob | None:
    """Read a page; None where Python is to read it."""
    kernel = _of_this_thread(limits.kernel)
    return kernel.read(text, limits) if kernel else None


def find_links(blob: Blob, base: str) -> Blob | None:
    """Find the links and terms of a page that was read; None where Python is to."""
    kernel = _of_this_thread("auto")
    return kernel.find_links(blob, base) if kernel else None


def render(blob: Blob, mask: bytes, side: int, *, is_html: bool, rest: str = "") -> str | None:
    """Write one side of a page that was read; None where Python is to.

    rest  what stands behind the text that was read, where the side has it
    """
    kernel = _of_this_thread("auto")
    return kernel.render(blob, mask, side, is_html=is_html, rest=rest) if kernel else None


def work_out(task: Task, blob: Blob | None, first: bytes, second: bytes) -> Blob | None:
    """Work something out of a page that was read; None where Python is to, as where it has read the page.

    blob           the page
    first, second  what the task takes beside it
    """
    kernel = None if blob is None else _of_this_thread("auto")
    return kernel.work_out(task, blob, first, second) if kernel and blob else None


def is_at_work(setting: str | None = None) -> bool:
    """Say whether pages are read by the kernel; raise if it is to be and cannot.

    setting  auto, on or off; None: as the environment says
    """
    return _of_this_thread(setting) is not None


def _alone(
    call: Callable[Concatenate[_Kernel, _Arguments], _Answer | None],
) -> Callable[Concatenate[_Kernel, _Arguments], _Answer | None]:
    """Refuse a call inside of another: the library writes all its answers to one place."""

    def answer(kernel: _Kernel, /, *args: _Arguments.args, **named: _Arguments.kwargs) -> _Answer | None:
        if kernel.is_busy:
            READ_BY_PYTHON["busy"] += 1
            return None
        try:
            kernel.is_busy = True
            return call(kernel, *args, **named)
        finally:
            kernel.is_busy = False

    return answer


class _Kernel:
    """A kernel: the library with tables of its own.

    is_busy  whether a call is under way
    """

    is_busy = False

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        tables = written_tables()
        self._kernel = library.templcrawl_new(tables, len(tables))
        self._size = ctypes.c_size_t()
        self._size_at = ctypes.byref(self._size)

    def __bool__(self) -> bool:
        return bool(self._kernel)

    def __del__(self) -> None:
        self._library.templcrawl_free(self._kernel)

    @_alone
    def read(self, text: str, limits: Limits) -> Blob | None:
        """Read a page."""
        written = _bytes_of(text[: limits.max_characters])
        is_cut = len(text) > limits.max_characters
        library = self._library
        outcome = library.templcrawl_read(self._kernel, written, len(written), is_cut, limits.max_tags)
        if outcome == _ASKS:
            answers = bytes(map(names_furniture, self._questions()))
            outcome = library.templcrawl_go_on(self._kernel, written, len(written), answers, len(answers))
        return Blob(self._output(), written) if _is_done(outcome, "read") else None

    @_alone
    def find_links(self, blob: Blob, base: str) -> Blob | None:
        """Find the links and terms of a page."""
        of_base = _written_base(base)
        page = (blob.written, len(blob.written), blob.content, len(blob.content), of_base, len(of_base))
        outcome = self._library.templcrawl_links(self._kernel, *page, b"", 0)
        if outcome == _ASKS:
            urls = map(link_resolver(base), self._questions())
            answers = b"".join(section(b"\0" if url is None else b"\1" + _bytes_of(url)) for url in urls)
            outcome = self._library.templcrawl_links(self._kernel, *page, answers, len(answers))
        return Blob(self._output(), blob.written) if _is_done(outcome, "links") else None

    @_alone
    def render(self, blob: Blob, mask: bytes, side: int, *, is_html: bool, rest: str) -> str | None:
        """Write one side of a page."""
        written = blob.written + _bytes_of(rest) if rest else blob.written
        page = (written, len(written), blob.content, len(blob.content), mask, len(mask))
        outcome = self._library.templcrawl_render(self._kernel, *page, side, is_html)
        return self._output().decode("utf-8", "surrogatepass") if _is_done(outcome, "render") else None

    @_alone
    def work_out(self, task: Task, blob: Blob, first: bytes, second: bytes) -> Blob | None:
        """Work something out of a page."""
        page = (blob.written, len(blob.written), blob.content, len(blob.content))
        outcome = self._library.templcrawl_work_out(
            self._kernel, task, *page, first, len(first), second, len(second)
        )
        return Blob(self._output(), blob.written) if _is_done(outcome, task.name.lower()) else None

    def _output(self) -> bytes:
        start = self._library.templcrawl_output(self._kernel, self._size_at)
        return ctypes.string_at(start, self._size.value)

    def _questions(self) -> list[str]:
        output = self._output()
        count = int.from_bytes(output[:4], "little")
        lengths = np.frombuffer(output, dtype="<u4", count=count, offset=4).tolist()
        questions = []
        start = 4 + 4 * count
        for length in lengths:
            questions.append(output[start : start + length].decode("utf-8", "surrogatepass"))
            start += length
        return questions


def _is_done(outcome: int, call: str) -> bool:
    if outcome != _DONE:
        READ_BY_PYTHON[call] += 1
    return outcome == _DONE


def _bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _written_base(base: str) -> bytes:
    read = read_base(base)
    texts = (read.origin, read.directory, read.url.partition("?")[0])
    return numbers((bool(read.scheme), read.is_long)) + b"".join(section(_bytes_of(text)) for text in texts)


class _Threads(threading.local):
    """The kernel of each thread, if there is one, and whether it was looked for."""

    has_looked = False
    kernel: _Kernel | None = None


_THREADS = _Threads()


def _of_this_thread(setting: str | None) -> _Kernel | None:
    setting = setting or os.environ.get(SETTING, "auto")
    if setting not in ("auto", "on", "off"):
        raise InvalidOption(SETTING, setting, "auto, on or off")
    if setting == "off":
        return None
    if not _THREADS.has_looked:
        _THREADS.kernel, _THREADS.has_looked = _load(), True
    if _THREADS.kernel is None and setting == "on":
        fault = fault_of(LIBRARY) or f"{LIBRARY} cannot be loaded"
        raise InvalidOption(SETTING, setting, f"auto or off: there is no kernel, {fault}")
    return _THREADS.kernel


def _load() -> _Kernel | None:
    """Return a kernel, if there is a library that may be loaded and whose keys are ours."""
    library = _library()
    return (library and _Kernel(library)) or None


@cache
def _library() -> ctypes.CDLL | None:
    if fault_of(LIBRARY):
        return None
    try:
        library = ctypes.CDLL(str(LIBRARY))
        _declare(library)
    except (OSError, AttributeError):
        return None
    checked = _CHECKED.encode()
    return library if library.templcrawl_key(checked, len(checked)) == text_key(_CHECKED) else None


def _declare(library: ctypes.CDLL) -> None:
    """Say what the functions of the library take and give."""
    text: list[Any] = [ctypes.c_char_p, ctypes.c_size_t]
    kernel: Any = ctypes.c_void_p
    library.templcrawl_key.argtypes, library.templcrawl_key.restype = text, ctypes.c_uint64
    library.templcrawl_new.argtypes, library.templcrawl_new.restype = text, kernel
    library.templcrawl_free.argtypes, library.templcrawl_free.restype = [kernel], None
    library.templcrawl_output.argtypes = [kernel, ctypes.POINTER(ctypes.c_size_t)]
    library.templcrawl_output.restype = ctypes.c_void_p
    library.templcrawl_read.argtypes = [kernel, *text, ctypes.c_uint8, ctypes.c_size_t]
    library.templcrawl_go_on.argtypes = [kernel, *text, *text]
    library.templcrawl_links.argtypes = [kernel, *text, *text, *text, *text]
    library.templcrawl_render.argtypes = [kernel, *text, *text, *text, ctypes.c_uint8, ctypes.c_uint8]
    library.templcrawl_work_out.argtypes = [kernel, ctypes.c_uint8, *text, *text, *text, *text]
    for name in ("read", "go_on", "links", "render", "work_out"):
        getattr(library, f"templcrawl_{name}").restype = ctypes.c_int32
