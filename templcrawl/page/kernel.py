"""The native kernel: the page layer in Rust (``kernel/``), called by ctypes where its library is there.

Which reader reads a page, the kernel or Python, is an option of the page (``Limits.kernel``), chosen once for
a crawl.  ``TEMPLCRAWL_KERNEL`` in the environment is the default of the process, read once:

    auto   the kernel if it can be loaded
    on     the kernel; an error if it cannot be loaded
    off    Python

The answers of the kernel are those of the Python modules beside this one, which are the specification; a page
that it refuses is read by Python, and counted.  A page is read into a table of columns
(:mod:`templcrawl.page.kernel_columns`), which owns its bytes, so pages can wait; renderings and what an
algorithm needs (``Task``) are computed from text and table on demand.

Cost of a call: some 5 us beyond its work.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from templcrawl.errors import InvalidOption, suggestion
from templcrawl.page.kernel_columns import ABI, Task
from templcrawl.page.kernel_tables import encode_tables

SETTING = "TEMPLCRAWL_KERNEL"
SETTINGS = ("auto", "on", "off")

_PACKAGE = Path(__file__).resolve().parent.parent
_NAMES = {"win32": "templcrawl_kernel.dll", "darwin": "libtemplcrawl_kernel.dylib"}
# kernel/build.py has a copy of this.
LIBRARY = _PACKAGE / "_native" / _NAMES.get(sys.platform, "libtemplcrawl_kernel.so")
_REMEDY = (
    "make kernel"
    if (_PACKAGE.parent / "kernel" / "Cargo.toml").exists()  # in a checkout
    else "install templcrawl again where cargo is, https://rustup.rs"
)

# Calls that the kernel refused, so that Python answered: by the name of the task, or "busy".
REFUSED: Counter[str] = Counter()

Answer = Callable[[list[str]], bytes]  # questions of the kernel -> what Python answers, written

_DONE, _ASKS = 0, 1  # outcomes of a call; all others are refusals
_Written = ctypes.c_size_t * 2  # where the last output of a kernel starts, and its bytes


@cache
def default() -> str:
    """Return the setting of this process, for pages whose options name none."""
    return os.environ.get(SETTING) or "auto"


def kernel_of(setting: str | None) -> Kernel | None:
    """Return the kernel of this thread; None if Python reads the page.

    setting  one of ``SETTINGS``; None: that of the process

    Raises InvalidOption for another, and where the kernel is demanded and cannot be loaded.
    """
    setting = setting or default()
    if setting not in SETTINGS:
        raise InvalidOption(SETTING, setting, f"auto, on or off{suggestion([setting], SETTINGS)}")
    if setting == "off":
        return None
    if not hasattr(_OF_THREAD, "kernel"):
        library, _ = _loaded()
        _OF_THREAD.kernel = Kernel(library) if library else None
    if _OF_THREAD.kernel is None and setting != "auto":
        raise InvalidOption(SETTING, setting, f"auto or off: the native kernel cannot be used: {fault()}")
    kernel: Kernel | None = _OF_THREAD.kernel
    return kernel


def fault() -> str:
    """Return why there is no kernel; "" if there is one."""
    return _loaded()[1]


def describe_reader(setting: str | None = None) -> str:
    """Name the reader under a setting, and say why it is not the kernel; raises as :func:`kernel_of`."""
    if is_native(setting):
        return "the native kernel"
    reason = fault() if (setting or default()) != "off" else f"{SETTING} is off"
    return f"Python; the native kernel would give the same answers for less CPU ({reason})"


def is_native(setting: str | None = None) -> bool:
    """Return whether the kernel reads pages under a setting; raises as :func:`kernel_of`."""
    return kernel_of(setting) is not None


class Kernel:
    """The library with tables and a memory of its own.

    There is one kernel a thread; Python answers a call that comes while another is under way, as from a
    signal handler.  Of a page beyond its limit of characters the kernel gets what is read, and the rest when
    it renders that.  It asks Python what only Python can answer (``Question``), and remembers tags and texts
    that recur.

    is_busy  whether a call is under way
    """

    is_busy = False

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        self._kernel = library.templcrawl_new(encode_tables(), len(encode_tables()))
        self._written = _Written.from_address(library.templcrawl_output(self._kernel))

    def __del__(self) -> None:
        self._library.templcrawl_free(self._kernel)

    def run_task(
        self,
        task: Task,
        text: bytes,
        page: bytes,
        first: bytes,
        second: bytes = b"",
        answer: Answer | None = None,
    ) -> bytes | None:
        """Return the result of a task on a page; None if Python has to compute it.

        text           what is read of it
        page           its table; nothing for the task that reads it
        first, second  what the task takes besides
        answer         answers the questions of the kernel, in the place of ``second``
        """
        if self.is_busy:  # the library writes all its answers to one place
            REFUSED["busy"] += 1
            return None
        try:
            self.is_busy = True
            run_task = self._library.templcrawl_run_task
            asked = (self._kernel, task, text, len(text), page, len(page), first, len(first))
            while (outcome := run_task(*asked, second, len(second))) == _ASKS and answer is not None:
                second = answer(self._questions())
            if outcome == _DONE:
                return ctypes.string_at(*self._written)
            REFUSED[task.name.lower()] += 1
            return None
        finally:
            self.is_busy = False

    def _questions(self) -> list[str]:
        output = ctypes.string_at(*self._written)
        count = int.from_bytes(output[:4], "little")
        lengths = np.frombuffer(output, dtype="<u4", count=count, offset=4).tolist()
        questions = []
        start = 4 + 4 * count
        for length in lengths:
            questions.append(output[start : start + length].decode("utf-8", "surrogatepass"))
            start += length
        return questions


_OF_THREAD = threading.local()  # its kernel, None if there is none


@cache
def _loaded() -> tuple[ctypes.CDLL | None, str]:
    """Return the library, or the reason why no library fits.

    A library is loaded if it is as long as it was built, because one that is cut short would end the process,
    and used if the number that is compiled into it is ``ABI``.  It may be built from other sources all the
    same: ``make`` builds it anew.
    """
    try:
        built = int(LIBRARY.with_name(f"{LIBRARY.name}.length").read_bytes())
        if LIBRARY.stat().st_size != built:
            return None, f"{LIBRARY} is not as long as it was built ({_REMEDY})"
        library = ctypes.CDLL(str(LIBRARY))
        if library.templcrawl_abi() != ABI:
            return None, f"{LIBRARY} is of another version ({_REMEDY})"
    except FileNotFoundError:
        return None, f"none was built ({_REMEDY})"
    except (OSError, ValueError, AttributeError) as error:
        return None, f"{LIBRARY} cannot be loaded ({_REMEDY}): {error}"
    text: list[Any] = [ctypes.c_char_p, ctypes.c_size_t]
    kernel: Any = ctypes.c_void_p
    library.templcrawl_new.argtypes, library.templcrawl_new.restype = text, kernel
    library.templcrawl_free.argtypes, library.templcrawl_free.restype = [kernel], None
    library.templcrawl_output.argtypes, library.templcrawl_output.restype = [kernel], kernel
    library.templcrawl_run_task.argtypes = [kernel, ctypes.c_uint8, *text, *text, *text, *text]
    probe = library.templcrawl_new(encode_tables(), len(encode_tables()))
    if not probe:
        return None, f"{LIBRARY} does not know the tables of this Python ({_REMEDY})"
    library.templcrawl_free(probe)
    return library, ""
