"""The native kernel: the page layer in Rust (``kernel/``), called by ctypes where its library is there.

Which reader reads a page, the kernel or Python, is an option of the page (``Limits.kernel``), chosen once
for a crawl.  ``TEMPLCRAWL_KERNEL`` in the environment is the default of the process, read once:

    auto   the kernel if it can be loaded
    on     the kernel; an error if it cannot be loaded
    off    Python

The answers of the kernel are those of the Python modules beside this one, which are the specification; a
page that it refuses is read by Python, and counted.

A page is read into a table of columns (:mod:`templcrawl.page.columns`).  The table owns its bytes, so pages
can wait; links, renderings and what an algorithm needs (:class:`~templcrawl.page.columns.Task`) are worked
out from text and table when they are asked for.  The kernel asks Python what only Python can answer: whether
odd words of a class name furniture, where an odd ``href`` leads.

There is one kernel a thread; Python answers a call that comes while another is under way, as from a signal
handler.  A library is checked before it is loaded (:mod:`templcrawl.page.kernel_library`).  Of a page beyond
its limit of characters the kernel gets what is read, and the rest when it renders that.  Cost of a call: some
5 us beyond its work.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from struct import Struct
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from templcrawl.errors import InvalidOption
from templcrawl.page.addresses import read_base
from templcrawl.page.columns import Task
from templcrawl.page.kernel_library import LIBRARY, fault_of
from templcrawl.page.kernel_tables import sections, written_tables
from templcrawl.page.text import text_key
from templcrawl.page.vocabulary import names_furniture

if TYPE_CHECKING:
    from templcrawl.page.tokens import Limits

SETTING = "TEMPLCRAWL_KERNEL"
SETTINGS = ("auto", "on", "off")
# Calls that the kernel refused, so that Python answered: by the name of the call, or "busy".
REFUSED: Counter[str] = Counter()

Resolve = Callable[[Sequence[str]], Iterable[str | None]]  # questions of the kernel -> answers

_Call = TypeVar("_Call", bound=Callable[..., bytes | None])
_DONE, _ASKS = 0, 1
_Written = ctypes.c_size_t * 2  # where the last output of a kernel starts, and its bytes

_BASE_FLAGS = Struct("<2I")
_CHECKED = "one text that both readers know the key of"


@cache
def default() -> str:
    """Return the setting of this process, for pages whose options name none."""
    return os.environ.get(SETTING) or "auto"


def kernel_of(setting: str | None) -> Kernel | None:
    """Return the kernel of this thread; None where Python is to read.

    setting  one of ``SETTINGS``; None: that of the process

    Raises InvalidOption for another, and where the kernel is demanded and cannot be loaded.
    """
    setting = setting or default()
    if setting not in SETTINGS:
        raise InvalidOption(SETTING, setting, "auto, on or off")
    if setting == "off":
        return None
    if not _THREADS.has_looked:
        _THREADS.kernel, _THREADS.has_looked = _load(), True
    if _THREADS.kernel is None and setting != "auto":
        fault = fault_of(LIBRARY) or f"{LIBRARY} cannot be loaded"
        raise InvalidOption(SETTING, setting, f"auto or off: there is no kernel: {fault}")
    return _THREADS.kernel


def describe_reader(setting: str | None = None) -> str:
    """Name the reader under a setting, and say how to get the other; raises as :func:`kernel_of`."""
    if is_native(setting):
        return f"the native kernel (Python, with equal answers: {SETTING}=off in the environment)"
    setting = setting or default()
    reason = f"{SETTING} is off" if setting == "off" else fault_of(LIBRARY) or f"{LIBRARY} cannot be loaded"
    return f"Python (the native kernel, with equal answers for less CPU, is not used: {reason})"


def is_native(setting: str | None = None) -> bool:
    """Say whether the kernel reads pages under a setting; raises as :func:`kernel_of`."""
    return kernel_of(setting) is not None


def _alone(call: _Call) -> _Call:
    """Refuse a call inside of another: the library writes all its answers to one place."""

    def answer(kernel: Kernel, *args: Any, **named: Any) -> bytes | None:
        if kernel.is_busy:
            REFUSED["busy"] += 1
            return None
        try:
            kernel.is_busy = True
            return call(kernel, *args, **named)
        finally:
            kernel.is_busy = False

    return cast("_Call", answer)


class Kernel:
    """The library with tables of its own.

    is_busy  whether a call is under way
    """

    is_busy = False

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        tables = written_tables()
        self._kernel = library.templcrawl_new(tables, len(tables))
        output = library.templcrawl_output(self._kernel)
        self._written = _Written.from_address(output) if output else _Written()

    def __bool__(self) -> bool:
        return bool(self._kernel)

    def __del__(self) -> None:
        self._library.templcrawl_free(self._kernel)

    @_alone
    def read(self, text: bytes, limits: Limits, *, is_cut: bool) -> bytes | None:
        """Return the table of a page; None where Python is to read it.

        text    what is read of it
        is_cut  whether there is more
        """
        library = self._library
        outcome = library.templcrawl_read(self._kernel, text, len(text), is_cut, limits.max_tags)
        if outcome == _ASKS:
            answers = bytes(map(names_furniture, self._questions()))
            outcome = library.templcrawl_go_on(self._kernel, text, len(text), answers, len(answers))
        return self._output() if _is_done(outcome, "read") else None

    @_alone
    def work_out(
        self,
        task: Task,
        text: bytes,
        page: bytes,
        first: bytes,
        second: bytes = b"",
        resolve: Resolve | None = None,
    ) -> bytes | None:
        """Return what a task works out of a page; None where Python is to.

        text           what was read of it
        page           its table
        first, second  what the task takes besides
        resolve        answers the questions of the kernel
        """
        asked = (self._kernel, task, text, len(text), page, len(page), first, len(first))
        outcome = self._library.templcrawl_work_out(*asked, second, len(second))
        if outcome == _ASKS and resolve:
            answers = resolve(self._questions())
            second = sections(*(b"\0" if answer is None else b"\1" + bytes_of(answer) for answer in answers))
            outcome = self._library.templcrawl_work_out(*asked, second, len(second))
        return self._output() if _is_done(outcome, task) else None

    def _output(self) -> bytes:
        start, size = self._written
        return ctypes.string_at(start, size)

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


def _is_done(outcome: int, call: str | Task) -> bool:
    if outcome != _DONE:
        REFUSED[call.name.lower() if isinstance(call, Task) else call] += 1
    return outcome == _DONE


def bytes_of(text: str) -> bytes:
    """Return a text as the kernel takes it."""
    return text.encode("utf-8", "surrogatepass")


def written_base(base: str) -> bytes:
    """Return where relative links start from, as the kernel takes it."""
    read = read_base(base)
    texts = (read.origin, read.directory, read.url.partition("?")[0])
    flags = _BASE_FLAGS.pack(bool(read.scheme), read.is_long)
    return sections(flags, *map(bytes_of, texts))


class _Threads(threading.local):
    """The kernel of each thread, if there is one, and whether it was looked for."""

    has_looked = False
    kernel: Kernel | None = None


_THREADS = _Threads()


def _load() -> Kernel | None:
    library = _library()
    return (library and Kernel(library)) or None


@cache
def _library() -> ctypes.CDLL | None:
    if fault_of(LIBRARY):
        return None
    text: list[Any] = [ctypes.c_char_p, ctypes.c_size_t]
    kernel: Any = ctypes.c_void_p
    try:
        library = ctypes.CDLL(str(LIBRARY))
        library.templcrawl_key.argtypes, library.templcrawl_key.restype = text, ctypes.c_uint64
        library.templcrawl_new.argtypes, library.templcrawl_new.restype = text, kernel
        library.templcrawl_free.argtypes, library.templcrawl_free.restype = [kernel], None
        library.templcrawl_output.argtypes, library.templcrawl_output.restype = [kernel], kernel
        library.templcrawl_read.argtypes = [kernel, *text, ctypes.c_uint8, ctypes.c_size_t]
        library.templcrawl_go_on.argtypes = [kernel, *text, *text]
        library.templcrawl_work_out.argtypes = [kernel, ctypes.c_uint8, *text, *text, *text, *text]
    except (OSError, AttributeError):
        return None
    # What reads, goes on and works out returns an int, as every function of which ctypes is told nothing.
    checked = _CHECKED.encode()
    return library if library.templcrawl_key(checked, len(checked)) == text_key(_CHECKED) else None
